import { expect, test } from 'bun:test';
import { createFakeSession } from '../../test/support/fake-session.ts';
import { answeredTexts, CANCEL, isIdle, saidTexts, watch } from '../../test/support/watcher.ts';
import { done, type Outcome, refuse } from '../base/refusal.ts';
import type { Intent } from '../protocol/intent.ts';
import type { LinkedSession } from '../protocol/link.ts';
import { linkInProcess } from './in-process.ts';
import { createLazySession } from './lazy-session.ts';

function setUp() {
  const session = createFakeSession();
  const reports: string[] = [];
  const report = (what: string) => void reports.push(what);
  const opening = Promise.withResolvers<Outcome<LinkedSession>>();
  const lazy = createLazySession(opening.promise, 'one', report);
  const real = linkInProcess(session, { client: 'one', report });
  return { session, lazy, opening, real, reports, open: () => opening.resolve(done(real)) };
}

function say(text: string): Intent {
  return { type: 'say', ref: text, text, attachments: [], delivery: 'queue' };
}

test('what is sent before the host is there waits in order and is said once it is', async () => {
  const { lazy, open } = setUp();
  const watcher = watch(lazy);
  expect(lazy.state).toEqual({ phase: 'opening' });
  const draft: Intent = { type: 'draft', draft: { text: 'b', caret: 1, folded: [], shell: false } };
  const intents = [say('first'), say('second'), draft];
  const sent = intents.map((intent) => lazy.send(intent, 'one'));
  expect(lazy.unanswered).toEqual(intents);
  const seen: number[] = [];
  lazy.onLinkChange(() => seen.push(lazy.unanswered.length));
  open();
  expect((await Promise.all(sent)).map((each) => each.accepted)).toEqual([true, true, true]);
  await watcher.until((view) => isIdle(view) && saidTexts(view).length === 2);
  expect(saidTexts(watcher.view)).toEqual(['first', 'second']);
  expect(lazy.state).toEqual({ phase: 'connected' });
  expect(lazy.unanswered).toEqual([]);
  expect(seen.at(-1)).toBe(0);
});

test('Enter and Ctrl-C before the host is there: said, then cancelled (INV-3)', async () => {
  const { lazy, open, session } = setUp();
  const watcher = watch(lazy);
  session.script([{ hold: true }, { text: 'never' }]);
  const sent = [lazy.send(say('hello'), 'one'), lazy.send(CANCEL, 'one')];
  open();
  expect((await Promise.all(sent)).map((each) => each.accepted)).toEqual([true, true]);
  await watcher.until((view) => isIdle(view) && saidTexts(view).length === 1);
  expect(answeredTexts(watcher.view)).toEqual([]);
});

test('a host that does not come refuses each intent and query with its reason', async () => {
  const { lazy, opening } = setUp();
  const watcher = watch(lazy);
  const sent = lazy.send(say('hello'), 'one');
  const read = lazy.read({ type: 'page', from: 0, count: 1 });
  opening.resolve(refuse('host-failed', 'the host ended'));
  const refused = { refusal: { identifier: 'host-failed', message: 'the host ended' } };
  expect(await sent).toMatchObject(refused);
  expect(await read).toMatchObject(refused);
  expect(await watcher.attachment.closed).toBe('lost');
  expect(lazy.state).toMatchObject({ phase: 'closed', because: 'lost', ...refused });
  expect(await lazy.send(say('later'), 'one')).toMatchObject(refused);
  expect(lazy.unanswered).toEqual([]);
});

test('a bug while opening is a refusal too', async () => {
  const { lazy, opening, reports } = setUp();
  const sent = lazy.send(say('hello'), 'one');
  opening.reject(new Error('a bug'));
  expect(await sent).toMatchObject({ refusal: { identifier: 'internal' } });
  expect(reports).toEqual(['opening the session failed: a bug']);
});

test('closed before it came: what waited is given back, and the late session is let go', async () => {
  const { lazy, open, real, session } = setUp();
  const watcher = watch(lazy);
  const sent = lazy.send(say('hello'), 'one');
  await lazy.close();
  expect(await sent).toMatchObject({ accepted: false, refusal: { identifier: 'closed' } });
  open();
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(real.state).toMatchObject({ phase: 'closed' });
  expect(session.attached).toEqual([]);
  expect(watcher.updates).toEqual([]);
});

test('an attachment closed before the session came never hears of it', async () => {
  const { lazy, open, session } = setUp();
  const watcher = watch(lazy);
  watcher.attachment.close();
  open();
  expect((await lazy.read({ type: 'page', from: 0, count: 1 })).ok).toBe(true);
  expect(await watcher.attachment.closed).toBe('closed-here');
  expect(session.attached).toEqual([]);
});
