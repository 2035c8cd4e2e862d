/**
 * JSON of a request as bytes. What never changes from one request to the next (the messages before the newest, the tools) is
 * encoded once: a long conversation costs what is new of it.
 */
export class BodyBytes {
  readonly #known = new WeakMap<object, Uint8Array>();
  readonly #encoder = new TextEncoder();
  /** Names, numbers and short texts, which every request of a session says alike. */
  readonly #texts = new Map<string, Uint8Array>();
  /** Where the last request lies; null while it is being sent. */
  #room: Room | null = { bytes: new Uint8Array(0), pieces: [] };

  /**
   * `rest` with one more member, `name`, that lists `items`. A member or item that was here before must not have changed.
   * The bytes hold until they are given back: then the next request is written over them, since memory that was never
   * touched costs more than what is written there.
   */
  encode(rest: object, name: string, items: readonly object[]): { readonly bytes: Uint8Array; giveBack(): void } {
    const pieces: Uint8Array[] = [];
    for (const [member, value] of Object.entries(rest)) {
      const bytes = typeof value === 'object' && value !== null ? this.#once(value) : this.#json(value);
      if (bytes !== null)
        pieces.push(this.#bytes(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(member)}:`), bytes);
    }
    pieces.push(this.#bytes(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:[`));
    for (const [index, item] of items.entries()) {
      if (index > 0) pieces.push(COMMA);
      pieces.push(this.#once(item) ?? NULL);
    }
    pieces.push(END);
    return this.#join(pieces);
  }

  /** Encodes what of `items` is new, for the request that comes. */
  ready(items: readonly object[]): void {
    for (const item of items) this.#once(item);
  }

  #join(pieces: readonly Uint8Array[]): { readonly bytes: Uint8Array; giveBack(): void } {
    let length = 0;
    for (const piece of pieces) length += piece.length;
    const free = this.#room;
    const fits = free !== null && free.bytes.length >= length;
    const bytes = fits ? free.bytes : new Uint8Array(Math.ceil(length * GROWTH));
    if (free !== null) this.#room = null;
    let at = 0;
    // What the last request began with lies there already.
    let alike = fits;
    for (const [place, piece] of pieces.entries()) {
      alike &&= free?.pieces[place] === piece;
      if (!alike) bytes.set(piece, at);
      at += piece.length;
    }
    return {
      bytes: bytes.subarray(0, length),
      giveBack: () => {
        if (free !== null) this.#room ??= { bytes, pieces };
      },
    };
  }

  #once(value: object): Uint8Array | null {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const bytes = this.#json(value);
    if (bytes !== null) this.#known.set(value, bytes);
    return bytes;
  }

  /** Null for what JSON leaves out. */
  #json(value: unknown): Uint8Array | null {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? null : this.#bytes(text);
  }

  #bytes(text: string): Uint8Array {
    if (text.length > SHORT) return this.#encoder.encode(text);
    const known = this.#texts.get(text) ?? this.#encoder.encode(text);
    if (this.#texts.size < MOST_TEXTS) this.#texts.set(text, known);
    return known;
  }
}

interface Room {
  readonly bytes: Uint8Array;
  /** What lies there from the beginning on, piece by piece. */
  readonly pieces: readonly Uint8Array[];
}

/** Characters of a text that is kept, and how many are. */
const SHORT = 100;
const MOST_TEXTS = 100;

/** Room for some more rounds. */
const GROWTH = 1.5;
const COMMA = new Uint8Array([0x2c]);
const NULL = new TextEncoder().encode('null');
const END = new Uint8Array([0x5d, 0x7d]);
