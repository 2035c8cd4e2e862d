import fc from 'fast-check';

/** Text with much of what joins: marks, joiners, flags, conjoining letters, line ends. */
export const trickyText = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 6 }) },
      { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
      fc.constantFrom(
        'e\u0301',
        '👩‍🚀',
        '🇨🇭',
        '🇨',
        '✅',
        '한글',
        '\u1112\u1161\u11ab',
        '状态',
        'क्षि',
        'กำ',
        '1\ufe0f\u20e3',
        '\r\n',
        '\n',
        '\t',
        '\u200d',
        '\u200b',
        '\u0600',
        '👍🏽',
        '☂\ufe0f',
        '\u202e',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
