/** Why something was not done, as a value. `identifier` is stable (scripts match on it), `message` is one line for people. */
export interface Refusal {
  readonly identifier: string;
  readonly message: string;
}

/** A result that may be a refusal. Only bugs throw; everything a person or a program must handle travels here. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };

export function done<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function refuse(identifier: string, message: string): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal: { identifier, message } };
}
