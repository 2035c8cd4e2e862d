/** The data of server-sent events, whole events only, from pieces that may end anywhere. Bounded: a line without end costs nothing more. */
export interface ServerEvents {
  /** The data of each event that this piece completed. */
  push(bytes: Uint8Array): readonly string[];
  readonly tooLong: boolean;
}

export function createServerEvents(maxLength: number): ServerEvents {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  let length = 0;
  let tooLong = false;
  return {
    push: (bytes) => {
      const complete: string[] = [];
      if (tooLong) return complete;
      const text = rest + decoder.decode(bytes, { stream: true });
      let from = 0;
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
        const line = text.slice(from, at).replace(/\r$/, '');
        from = at + 1;
        if (line.startsWith('data:')) {
          data.push(line.slice(line.charAt(5) === ' ' ? 6 : 5));
          length += line.length;
        } else if (line === '') {
          if (data.length > 0) complete.push(data.join('\n'));
          data = [];
          length = 0;
        }
      }
      rest = text.slice(from);
      tooLong = rest.length + length > maxLength;
      return complete;
    },
    get tooLong() {
      return tooLong;
    },
  };
}
