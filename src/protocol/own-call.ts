/** Calls that no message of the model announced, by the name in place of a tool's. */

/** A line a person ran in their own shell. */
export const SHELL_LINE = '!';
/** What a tag in a prompt stands for, such as `#tree`. */
export const TAG = '#';

export function isOwnCall(tool: string): boolean {
  return tool === SHELL_LINE || tool === TAG;
}
