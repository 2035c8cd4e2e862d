/** What a file, a name, a program or a model may hold to be obeyed by a terminal instead of drawn. */
export const HOSTILE: readonly string[] = [
  '\u001b[2J\u001b[H\u001b[3J',
  '\u001b]52;c;cHduZWQ=\u0007',
  '\u001b]0;pwned\u0007',
  '\u001b]2;pwned\u001b\\',
  '\u001b]8;;http://evil.example/\u001b\\click\u001b]8;;\u001b\\',
  '\u001b]1337;File=inline=1:AAAA\u0007',
  '\u001b]9;pwned\u0007\u001b]777;notify;a;b\u0007',
  '\u001bP$q"p\u001b\\',
  '\u001b_Gf=24;AAAA\u001b\\',
  '\u001b^private\u001b\\\u001bXstart\u001b\\',
  '\u001b[?1049l\u001b[?25l\u001b[?1000h\u001b[?2004l',
  '\u001b[6n\u001b[c\u001b[>q',
  '\u001b[53m\u001b[8mhidden\u001b[5m',
  '\u001b[1;5r\u001b[4h\u001b[20l\u001b[!p',
  '\u001b[999B\u001b[999D\u001b[5L\u001b[3P\u001b[2@',
  '\u001bc\u001b7\u001b8\u001bM\u001b(0\u001b#8\u001bZ',
  '\u001b\u001b\u001b[',
  'cut off \u001b',
  'cut off \u001b]52;c;',
  '\u009b2J\u009d0;pwned\u009c\u0090q\u009c\u0085\u0084',
  'a\rb\r\nc\u000bd\u000ce',
  'denied\b\b\b\b\b\ballowed',
  '\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u000e\u000f\u0018\u001a\u007f',
  '\u202Egpj.exe\u202C \u2066x\u2069 \u200F\u200E\u061C',
  'in\u200Bvi\u2060si\uFEFFble\u00AD',
  '\u{E0041}\u{E0042}\u{E007F}',
  'lone \uD800 halves \uDC00',
  `e${'\u0301'.repeat(60)}`,
  'first\n[y] Yes, once\n\n> allowed',
  '\u2028\u2029',
  '```\n\u001b[2J\n```\n# \u001b]0;x\u0007\n| a | \u009b |\n|---|---|\n| \u001b[2J | b |',
  '[click](http://x\u001b]0;pwned\u0007) <a\u001b[2J> `\u001b[2J` **\u009b2J**',
];

/** Sequences that Mission Control writes while it runs; all of them move its own pen or set its own title. */
const OURS =
  /\u001b\[(?:(?:(?:[34]8;(?:5;[0-9]+|2;[0-9]+;[0-9]+;[0-9]+)|2[2-9]|[349][0-7]|[34]9|10[0-7]|[0-479]);?)*m|[0-9;]*H|[0-9]*K|[0-9]*C|\?2026[hl]|\?25[hl]|[0-9]* q)|\u001b\][02];(?:\[!\] )?houston[^\u0000-\u001f\u007f-\u009f]*\u0007/g;

/** What in a stream of bytes a terminal would obey, or would not show, beside what is ours; written out. */
export function foreignControls(bytes: string): readonly string[] {
  const hidden =
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]|[\u{e0000}-\u{e007f}]/gu;
  return [...bytes.replace(OURS, '').matchAll(hidden)].map(
    ({ 0: found, index }) =>
      `${JSON.stringify(found)} in ${JSON.stringify(bytes.replace(OURS, '').slice(index - 20, index + 20))}`,
  );
}
