const OPEN = '<think>';
const CLOSE = '</think>';

export interface Tagged {
  readonly kind: 'text' | 'thinking';
  readonly text: string;
}

/**
 * Tells thinking from text where a server writes both into one stream: a reply that begins with `<think>` thinks until
 * `</think>`. Pieces may end inside a tag; nothing is held back that cannot be one.
 */
export class ThinkTags {
  #state: 'start' | 'thinking' | 'after' | 'text' = 'start';
  #held = '';

  push(piece: string): Tagged[] {
    this.#held += piece;
    const out: Tagged[] = [];
    const give = (kind: Tagged['kind'], text: string) => {
      if (text !== '') out.push({ kind, text });
    };
    if (this.#state === 'start') {
      const begun = this.#held.trimStart();
      if (OPEN.startsWith(begun.slice(0, OPEN.length)) && begun.length < OPEN.length) return out;
      const tagged = begun.startsWith(OPEN);
      if (tagged) this.#held = begun.slice(OPEN.length);
      this.#state = tagged ? 'thinking' : 'text';
    }
    if (this.#state === 'thinking') {
      const end = this.#held.indexOf(CLOSE);
      const until = end < 0 ? this.#held.length - endingOf(this.#held) : end;
      give('thinking', this.#held.slice(0, until));
      this.#held = this.#held.slice(end < 0 ? until : end + CLOSE.length);
      if (end < 0) return out;
      this.#state = 'after';
    }
    if (this.#state === 'after') {
      // The empty lines between thinking and text belong to neither.
      this.#held = this.#held.trimStart();
      if (this.#held === '') return out;
      this.#state = 'text';
    }
    give('text', this.#held);
    this.#held = '';
    return out;
  }

  /** What was held back for a tag that did not come. */
  flush(): Tagged[] {
    const text = this.#held;
    this.#held = '';
    return text === '' ? [] : [{ kind: this.#state === 'thinking' ? 'thinking' : 'text', text }];
  }
}

/** How many characters at the end could be the beginning of the closing tag. */
function endingOf(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(CLOSE.slice(0, length))) return length;
  }
  return 0;
}
