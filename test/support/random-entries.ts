import fc from 'fast-check';
import type { Json } from '../../src/base/json.ts';
import type { Entry, EntryBody } from '../../src/protocol/entry.ts';
import type { AssistantPart, Attachment } from '../../src/protocol/message.ts';
import * as make from './entries.ts';

/** Random entries for property tests: sound kinds in any order, few distinct ids, so that they often meet. */

const text = fc.oneof(
  fc.constantFrom('', ' ', '\n', 'words', 'half \ud83d', '\udc00 half', '🙂', '\u0000'),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const call = fc.constantFrom('c1', 'c2', 'c3', 'c4');
const turn = fc.integer({ min: 1, max: 3 });
const opaque = fc.option(fc.constantFrom<Json>('signature', { data: 'x' }), { nil: undefined });

const attachment: fc.Arbitrary<Attachment> = fc.record({
  kind: fc.constantFrom('image' as const, 'file' as const),
  name: text,
  mediaType: fc.constantFrom('image/png', 'text/plain', 'application/pdf'),
  bytes: fc.nat(100),
  hash: fc.constantFrom('h1', 'h2', 'gone'),
});

const input = fc.oneof(
  fc.constantFrom<Json>(null, [], 'text', { path: 'a' }, { 'half \ud83d': ['\ud83d', 1, null] }),
  fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ unit: 'binary', maxLength: 3 }), { maxKeys: 2 }),
);

const part: fc.Arbitrary<AssistantPart> = fc.oneof(
  fc
    .record({ text, opaque })
    .map(({ text, opaque }): AssistantPart => ({ type: 'text', text, ...(opaque === undefined ? {} : { opaque }) })),
  fc
    .record({ text, opaque })
    .map(
      ({ text, opaque }): AssistantPart => ({ type: 'thinking', text, ...(opaque === undefined ? {} : { opaque }) }),
    ),
  fc
    .record({ call, input, tool: fc.constantFrom('read', 'read', ''), title: text, why: fc.option(text) })
    .map((held): AssistantPart => ({ type: 'call', ...held })),
);

/** `entries` so far: `taken`, `dropped` and `compaction` name earlier ones, or ones that are lost. */
export function randomBody(entries: readonly Entry[]): fc.Arbitrary<EntryBody> {
  const ids = (kind: string | null) =>
    fc.constantFrom(
      'lost',
      ...entries.filter((entry) => kind === null || entry.kind === kind).map((entry) => entry.id),
    );
  return fc.oneof(
    fc
      .record({ text, attachments: fc.array(attachment, { maxLength: 2 }) })
      .map((said): EntryBody => ({ ...make.inputBody('x'), ...said })),
    fc
      .tuple(
        ids('input'),
        turn,
        fc.constantFrom('prompt' as const, 'steering' as const, 'shell' as const, 'resend' as const),
      )
      .map((with_) => make.takenBody(...with_)),
    turn.map(make.turnStartBody),
    fc
      .tuple(
        turn,
        fc.array(part, { maxLength: 4 }),
        fc.constantFrom('end' as const, 'calls' as const, 'aborted' as const, 'failed' as const),
        fc.constantFrom(make.MODEL, make.OTHER_MODEL),
      )
      .map((with_) => make.assistantBody(...with_)),
    fc.tuple(turn, call, fc.constantFrom('read', '!')).map((with_) => make.callBody(...with_)),
    fc
      .tuple(
        turn,
        call,
        text,
        fc.constantFrom('ok' as const, 'error' as const, 'unknown' as const),
        fc.array(attachment, { maxLength: 1 }),
      )
      .map(
        ([turn, call, text, outcome, images]): EntryBody => ({ ...make.resultBody(turn, call, text, outcome), images }),
      ),
    fc
      .tuple(turn, fc.constantFrom('done' as const, 'stopped' as const, 'failed' as const))
      .map((with_) => make.turnEndBody(...with_)),
    fc.tuple(text, ids(null)).map((with_) => make.compactionBody(...with_)),
    text.map(make.noteBody),
    fc.tuple(ids('input'), text).map(
      ([id, text]): EntryBody => ({
        kind: 'queue',
        order: [],
        edited: [{ input: id, text, delivery: 'queue' }],
        paused: null,
      }),
    ),
  );
}

/** Bodies grown one by one through `append`, which gives each its place. */
export function growBodies(
  seed: fc.GeneratorValue,
  count: number,
  entries: () => readonly Entry[],
  append: (body: EntryBody) => void,
): void {
  for (let number = 0; number < count; number++) append(seed(() => randomBody(entries())));
}
