/** No row is longer: what is behind it in a long text costs no frame anything. UTF-16 units. */
const LONGEST_ROW = 2000;

/** Text of several lines on one, the breaks seen; of a very long one its beginning. */
export function oneLine(text: string): string {
  return (text.length > LONGEST_ROW ? text.slice(0, LONGEST_ROW) : text).replace(/\s*\n\s*/g, ' ⏎ ');
}
