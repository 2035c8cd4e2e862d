/** Called once a server-sent event: its data (several `data:` lines joined by line feeds) and its name, if it had one. */
export type OnServerEvent = (data: string, name: string | null) => void;

/**
 * Splits a byte stream into server-sent events. Works synchronously on each piece of the network, so that a wire can
 * fold all events of one piece into one update; pieces may end anywhere, inside a character too.
 */
export class ServerEventDecoder {
  readonly #onEvent: OnServerEvent;
  readonly #decoder = new TextDecoder();
  #rest = '';
  #name: string | null = null;
  #data: string | null = null;

  constructor(onEvent: OnServerEvent) {
    this.#onEvent = onEvent;
  }

  push(bytes: Uint8Array): void {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#line(text, start, end > start && text.charCodeAt(end - 1) === CARRIAGE_RETURN ? end - 1 : end);
      start = end + 1;
    }
    this.#rest = start === 0 ? text : text.slice(start);
  }

  #line(text: string, start: number, end: number): void {
    if (start === end) {
      const data = this.#data;
      const name = this.#name;
      this.#data = null;
      this.#name = null;
      if (data !== null) this.#onEvent(data, name);
      return;
    }
    if (text.startsWith('data:', start)) {
      const from = text.charCodeAt(start + 5) === SPACE ? start + 6 : start + 5;
      const value = text.slice(from, end);
      this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
    } else if (text.startsWith('event:', start)) {
      const from = text.charCodeAt(start + 6) === SPACE ? start + 7 : start + 6;
      this.#name = text.slice(from, end);
    }
    // Comments, ids and retry hints carry nothing we use.
  }
}

const SPACE = 0x20;
const CARRIAGE_RETURN = 0x0d;
