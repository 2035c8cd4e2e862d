import { combineLabels, isNoBetter, type Label } from '../../protocol/label.ts';

/**
 * A labelled value whose content nobody but the policy room can open. Carrying, storing and combining is free; the value
 * itself lies in a private field that only this module's code can name, so there is nothing on the object to read, print,
 * compare or iterate (SEC-4), and no table of the language to watch.
 */
export interface Sealed<T> {
  readonly label: Label;
  /** For typing only: never set. */
  readonly held?: T;
}

/** Of a value that was sealed here; a copy, a proxy or a look-alike throws. */
let contentOf: (sealed: object) => unknown;
let isSealed: (value: object) => boolean;

class SealedValue {
  readonly label: Label;
  readonly #content: unknown;
  static {
    contentOf = (sealed) => (sealed as SealedValue).#content;
    isSealed = (value) => #content in value;
    Object.freeze(SealedValue.prototype);
  }
  constructor(label: Label, content: unknown) {
    this.label = label;
    this.#content = content;
    Object.freeze(this);
  }
  [Symbol.toPrimitive](): string {
    return '[sealed]';
  }
  toString(): string {
    return '[sealed]';
  }
  toJSON(): string {
    return '[sealed]';
  }
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[sealed]';
  }
}

export function seal<T>(value: T, label: Label): Sealed<T> {
  return new SealedValue(Object.freeze({ ...label }), value) as Sealed<T>;
}

/** The same value under a label that is no better on either axis; null when it would be (SEC-3). */
export function lower<T>(sealed: Sealed<T>, label: Label): Sealed<T> | null {
  if (!isSealed(sealed) || !isNoBetter(label, sealed.label)) return null;
  return seal(contentOf(sealed) as T, label);
}

/** Makes a new value from sealed ones without letting the caller see them: the result carries the combined label (SEC-2). */
export function derive<A, T>(
  sources: readonly Sealed<A>[],
  make: (values: readonly A[]) => T,
  opener: Opener,
): Sealed<T> {
  const values = sources.map((source) => opener.open(source));
  return seal(make(values), combineLabels(sources.map((source) => source.label)));
}

export interface Opener {
  open<T>(sealed: Sealed<T>): T;
}

let claimed = false;

/** Handed out once, to `policy/opener.ts`; whoever asks later gets an error. A layer test keeps other rooms from importing it. */
export function claimOpener(): Opener {
  if (claimed) throw new Error('the opener of sealed values is already held by the policy room');
  claimed = true;
  return {
    open<T>(sealed: Sealed<T>): T {
      if (!isSealed(sealed)) throw new Error('not a sealed value');
      return contentOf(sealed) as T;
    },
  };
}
