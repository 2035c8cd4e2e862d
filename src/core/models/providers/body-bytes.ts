/**
 * JSON of a request as bytes. What never changes from one request to the next (the messages before the newest) is encoded
 * once: a long conversation costs what is new of it.
 */
export class BodyBytes {
  readonly #known = new WeakMap<object, Uint8Array>();
  readonly #encoder = new TextEncoder();

  /** `rest` with one more member, `name`, that lists `items`. An item that was here before must not have changed. */
  encode(rest: object, name: string, items: readonly object[]): Uint8Array {
    const pieces = [this.#bytes(`${openObject(rest)}${JSON.stringify(name)}:[`)];
    for (const [index, item] of items.entries()) {
      if (index > 0) pieces.push(COMMA);
      let bytes = this.#known.get(item);
      if (bytes === undefined) {
        bytes = this.#bytes(JSON.stringify(item));
        this.#known.set(item, bytes);
      }
      pieces.push(bytes);
    }
    pieces.push(END);
    return Buffer.concat(pieces);
  }

  #bytes(text: string): Uint8Array {
    return this.#encoder.encode(text);
  }
}

const COMMA = new Uint8Array([0x2c]);
const END = new Uint8Array([0x5d, 0x7d]);

/** The object's JSON up to where another member may follow. */
function openObject(value: object): string {
  const text = JSON.stringify(value);
  return text === '{}' ? '{' : `${text.slice(0, -1)},`;
}
