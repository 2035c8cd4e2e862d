import { describe, expect, test } from 'bun:test';
import { draftOf, lineOfDraft } from './draft.ts';
import { EMPTY_LINE, type Line, lineOf } from './editor.ts';
import { NEW_EDITOR, paste } from './editor-state.ts';
import { newerPrompt, olderPrompt } from './prompt-history.ts';

const said = (text: string): Line => ({ ...EMPTY_LINE, text });
const half: Line = { ...EMPTY_LINE, text: 'half\nwritten', caret: 3 };

describe('walking history', () => {
  test('HIST-6 UP-14 up and down past the newest gives back the half-written line and its caret', () => {
    const entries = [said('first'), said('second')];
    const one = olderPrompt(null, entries, half)!;
    const two = olderPrompt(one.walk, entries, one.line)!;
    expect([one.line.text, two.line.text, two.line.caret]).toEqual(['second', 'first', 5]);
    expect(olderPrompt(two.walk, entries, two.line)).toBe(null);
    const back = newerPrompt(newerPrompt(two.walk, entries)!.walk, entries)!;
    expect(back).toEqual({ walk: null, line: half });
  });

  test('HIST-6 a prompt sent meanwhile does not shift the place', () => {
    const entries = [said('first'), said('second')];
    const walk = olderPrompt(null, entries, half)!.walk;
    const grown = [...entries, said('third')];
    expect(olderPrompt(walk, grown, half)!.line.text).toBe('first');
    expect(newerPrompt(walk, grown)!.line.text).toBe('third');
  });

  test('without history or a walk there is nowhere to go', () => {
    expect([olderPrompt(null, [], half), newerPrompt(null, [said('x')])]).toEqual([null, null]);
  });
});

describe('drafts', () => {
  test('come back with their caret and what their markers stand for', () => {
    const { buffer } = paste(NEW_EDITOR, 'a\nb\nc').state;
    expect(lineOfDraft(draftOf(buffer, false))).toEqual(lineOf(buffer));
  });

  test('markers that do not fit the text stand for nothing', () => {
    const folded = { at: 2, length: 9, kind: 'paste', text: 'x', attachment: null } as const;
    expect(lineOfDraft({ text: 'short', caret: 99, folded: [folded] })).toEqual({
      text: 'short',
      caret: 5,
      anchor: null,
      atoms: [],
    });
  });
});
