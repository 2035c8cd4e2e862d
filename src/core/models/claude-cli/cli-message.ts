/** One JSON object as it goes over the pipes of the program, or a part of one. */
export type CliMessage = Readonly<Record<string, unknown>>;

/** What should be an object; anything else has no fields. */
export function objectOf(value: unknown): CliMessage {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
