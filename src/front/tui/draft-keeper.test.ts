import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { editedDraft } from '../../protocol/draft-edit.ts';
import type { Draft, Intent, Sent } from '../../protocol/intent.ts';
import { createMemoryClock } from '../../system/memory/clock.ts';
import { DraftKeeper } from './draft-keeper.ts';
import { draftOf } from './editor/draft.ts';
import { type EditorState, insertText, NEW_EDITOR, paste, placeCaret, replaceRange } from './editor/editor-state.ts';

const OK: Sent = { accepted: true, value: null };
const long = insertText(NEW_EDITOR, 'a line of a long draft\n'.repeat(1000)).state;

/** A session that keeps one draft, and a keeper that tells it. */
function kept() {
  const clock = createMemoryClock();
  const sent: Intent[] = [];
  let held: Draft | null = null;
  let reachable = true;
  let failed = 0;
  const keeper = new DraftKeeper({
    now: () => clock.now(),
    after: (ms, work) => clock.after(ms, work),
    send: async (intent) => {
      sent.push(intent);
      if (!reachable) throw new Error('lost');
      if (intent.type === 'draft') held = intent.draft;
      if (intent.type !== 'draft-edit') return OK;
      const next = held === null ? null : editedDraft(held, intent.edit);
      if (next === null) return { accepted: false, refusal: { identifier: 'draft-out-of-step', message: '' } };
      held = next;
      return OK;
    },
    onFailed: () => failed++,
  });
  return {
    clock,
    sent,
    tell: async ({ buffer }: EditorState) => {
      keeper.tell({ buffer, shell: false });
      await clock.settle();
    },
    changed: ({ buffer }: EditorState) => {
      const written = { buffer, shell: false };
      keeper.changed(written, () => keeper.tell(written));
    },
    held: () => held,
    forget: () => {
      held = null;
    },
    lose: () => {
      reachable = false;
    },
    failed: () => failed,
  };
}

describe('keeping the draft', () => {
  test('UP-07 UP-14 a word in a long draft is told as a word', async () => {
    const session = kept();
    await session.tell(long);
    const next = insertText(placeCaret(long, 5000, false), 'word').state;
    await session.tell(next);
    expect(session.held()).toEqual(draftOf(next.buffer, false));
    expect(session.sent[1]!.type).toBe('draft-edit');
    expect(JSON.stringify(session.sent[1]).length).toBeLessThan(300);
  });

  test('what a long folded paste stands for is told once', async () => {
    const session = kept();
    const folded = paste(NEW_EDITOR, 'row\n'.repeat(20_000)).state;
    await session.tell(folded);
    const next = insertText(placeCaret(folded, 0, false), 'see ').state;
    await session.tell(next);
    expect(session.held()).toEqual(draftOf(next.buffer, false));
    expect(JSON.stringify(session.sent[1]).length).toBeLessThan(300);
  });

  test('a session that holds another draft is told the whole', async () => {
    const session = kept();
    await session.tell(long);
    session.forget();
    const next = insertText(long, 'word').state;
    await session.tell(next);
    expect(session.held()).toEqual(draftOf(next.buffer, false));
    expect(session.sent.map(({ type }) => type)).toEqual(['draft', 'draft-edit', 'draft']);
  });

  test('one that does not answer is said to have failed, and told the whole next', async () => {
    const session = kept();
    await session.tell(long);
    session.lose();
    await session.tell(insertText(long, 'x').state);
    expect(session.failed()).toBe(1);
    await session.tell(insertText(long, 'xy').state);
    expect(session.sent.at(-1)!.type).toBe('draft');
  });

  test('UP-14 it is told after a moment without keys, and without one after two seconds', async () => {
    const session = kept();
    let state = long;
    for (let key = 0; key < 25; key++) {
      state = insertText(state, 'x').state;
      session.changed(state);
      await session.clock.advance(100);
    }
    expect(session.sent.length).toBe(1);
    await session.clock.advance(300);
    expect(session.held()).toEqual(draftOf(state.buffer, false));
  });

  test('what stays as it is does not put it off', async () => {
    const session = kept();
    session.changed(long);
    for (let event = 0; event < 5; event++) {
      await session.clock.advance(100);
      session.changed(long);
    }
    expect(session.held()).toEqual(draftOf(long.buffer, false));
  });

  test('any edits arrive as they were made', async () => {
    const edit = fc.record({
      at: fc.nat(),
      size: fc.constantFrom(0, 1, 40, 20_000),
      text: fc.string({ maxLength: 20 }),
      fold: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 8 }), async (edits) => {
        const session = kept();
        let state = long;
        await session.tell(state);
        for (const { at, size, text, fold } of edits) {
          const from = at % (state.buffer.text.length + 1);
          state = replaceRange(
            state,
            from,
            Math.min(state.buffer.text.length, from + size),
            { text, atoms: [] },
            'other',
          ).state;
          if (fold) state = paste(placeCaret(state, from, false), `${text}\n1\n2\n3`).state;
          await session.tell(state);
          expect(session.held()).toEqual(draftOf(state.buffer, false));
        }
      }),
      { numRuns: 60 },
    );
  });
});
