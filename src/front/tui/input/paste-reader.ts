const END = [0x1b, 0x5b, 0x32, 0x30, 0x31, 0x7e] as const;

/** Collects a bracketed paste until its end marker, however the bytes are split. Everything before it is data. */
export class PasteReader {
  #chunks: Uint8Array[] = [];
  /** How much of the end marker the last bytes match. */
  #matched = 0;

  /** How many of `bytes` from `from` on belong to the paste, and whether its end was among them. */
  take(bytes: Uint8Array, from: number): { next: number; ended: boolean } {
    let at = from;
    while (at < bytes.length) {
      if (this.#matched === 0) {
        const start = bytes.indexOf(0x1b, at);
        if (start < 0) {
          at = bytes.length;
          break;
        }
        at = start;
      }
      const byte = bytes[at]!;
      // ESC stands only at the start of the marker: a mismatch can only begin it anew.
      this.#matched = byte === END[this.#matched] ? this.#matched + 1 : byte === END[0] ? 1 : 0;
      at++;
      if (this.#matched === END.length) {
        this.#chunks.push(bytes.slice(from, at));
        return { next: at, ended: true };
      }
    }
    this.#chunks.push(bytes.slice(from, at));
    return { next: at, ended: false };
  }

  /** The text so far, without the marker; empties the reader. */
  finish(): string {
    const size = this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const all = new Uint8Array(size);
    let at = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    const ended = this.#matched === END.length ? END.length : 0;
    this.#chunks = [];
    this.#matched = 0;
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(all.subarray(0, size - ended));
  }
}
