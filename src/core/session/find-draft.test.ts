import { expect, test } from 'bun:test';
import { openHouse, SESSION_FOLDER } from '../../../test/support/controller.ts';
import { scriptedModel } from '../../../test/support/script.ts';
import type { Draft } from '../../protocol/intent.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import { createDrafts } from '../journal/drafts.ts';

const FOLDER = `${SESSION_FOLDER}/drafts`;
const draft = (text: string): Draft => ({ text, caret: text.length, folded: [], shell: false });

/** What a window that comes after another died finds in its box; `before` is what that one did, `between` what happened then. */
async function foundAfter(
  before: (house: Awaited<ReturnType<typeof openHouse>>) => Promise<void>,
  between: (house: Awaited<ReturnType<typeof openHouse>>) => Promise<void> = async () => {},
): Promise<string | null> {
  const house = await openHouse({ script: scriptedModel([]), system: createMemorySystem() });
  await before(house);
  await house.settle();
  await between(house);
  let found: Draft | null = null;
  const attachment = house.session.attach({ client: 'two' }, ({ changes }) => {
    for (const change of changes) if (change.type === 'snapshot') found = change.draft;
  });
  await house.settle();
  attachment.close();
  return (found as Draft | null)?.text ?? null;
}

test('what was said is no draft any more, though its window died before it emptied its box', async () => {
  const one = async ({ session }: Awaited<ReturnType<typeof openHouse>>, said: string, written: string) => {
    await session.send({ type: 'draft', draft: draft(written) }, 'one');
    await session.send({ type: 'say', ref: 'r', text: said, attachments: [], delivery: 'queue' }, 'one');
  };
  expect(await foundAfter((house) => one(house, 'go on', 'go on'))).toBeNull();
  expect(await foundAfter((house) => one(house, 'go on', 'go on, and then'))).toBe('go on, and then');
});

test('nor where the whole process died in between; the same words typed again afterwards are one', async () => {
  const left = async ({ session, system, journal }: Awaited<ReturnType<typeof openHouse>>, later: boolean) => {
    const say = () => session.send({ type: 'say', ref: 'r', text: 'go on', attachments: [], delivery: 'queue' }, 'one');
    if (later) await say();
    await system.clock.advance(5);
    // Written by a process that is gone: this one's drafts know nothing of it.
    const other = createDrafts(system.files, FOLDER);
    other.set('one', draft('go on'));
    await other.settle();
    await system.clock.advance(5);
    const body = { client: 'one', ref: 'r', text: 'go on', attachments: [], delivery: 'queue', target: null } as const;
    if (!later) await journal.append([{ kind: 'input', ...body }]).durable;
  };
  expect(await foundAfter((house) => left(house, false))).toBeNull();
  expect(await foundAfter((house) => left(house, true))).toBe('go on');
});
