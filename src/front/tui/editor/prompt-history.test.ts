import { describe, expect, test } from 'bun:test';
import { bufferOf, draftOf } from './draft.ts';
import { type Buffer, EMPTY_BUFFER } from './editor.ts';
import { NEW_EDITOR, paste } from './editor-state.ts';
import { newerPrompt, olderPrompt } from './prompt-history.ts';

const said = (text: string): Buffer => ({ ...EMPTY_BUFFER, text });
const half: Buffer = { ...EMPTY_BUFFER, text: 'half\nwritten', caret: 3 };

describe('walking history', () => {
  test('HIST-6 UP-14 up and down past the newest gives back the half-written line and its caret', () => {
    const entries = [said('first'), said('second')];
    const one = olderPrompt(null, entries, half)!;
    const two = olderPrompt(one.walk, entries, one.buffer)!;
    expect([one.buffer.text, two.buffer.text, two.buffer.caret]).toEqual(['second', 'first', 5]);
    expect(olderPrompt(two.walk, entries, two.buffer)).toBe(null);
    const back = newerPrompt(newerPrompt(two.walk, entries)!.walk, entries)!;
    expect(back).toEqual({ walk: null, buffer: half });
  });

  test('HIST-6 a prompt sent meanwhile does not shift the place', () => {
    const entries = [said('first'), said('second')];
    const walk = olderPrompt(null, entries, half)!.walk;
    const grown = [...entries, said('third')];
    expect(olderPrompt(walk, grown, half)!.buffer.text).toBe('first');
    expect(newerPrompt(walk, grown)!.buffer.text).toBe('third');
  });

  test('without history or a walk there is nowhere to go', () => {
    expect([olderPrompt(null, [], half), newerPrompt(null, [said('x')])]).toEqual([null, null]);
  });
});

describe('drafts', () => {
  test('come back with their caret and what their markers stand for', () => {
    const { buffer } = paste(NEW_EDITOR, 'a\nb\nc').state;
    expect(bufferOf(draftOf(buffer, false))).toEqual(buffer);
  });

  test('markers that do not fit the text stand for nothing', () => {
    const folded = { at: 2, length: 9, kind: 'paste', text: 'x', attachment: null } as const;
    expect(bufferOf({ text: 'short', caret: 99, folded: [folded] })).toEqual({
      text: 'short',
      caret: 5,
      anchor: null,
      atoms: [],
    });
  });
});
