/** Whether a word means vi editing; any other means the ordinary one (VI-1). */
export function isVi(word: string): boolean {
  return /^vim?$/i.test(word);
}
