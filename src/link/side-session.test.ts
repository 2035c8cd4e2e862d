import { expect, test } from 'bun:test';
import { createFakeSession } from '../../test/support/fake-session.ts';
import { watch } from '../../test/support/watcher.ts';
import { done, refuse } from '../base/refusal.ts';
import type { LinkedSession } from '../protocol/link.ts';
import type { Session } from '../protocol/session.ts';
import { sideOf } from '../protocol/side-of.ts';
import { createWithSide, type Inherited } from './side-session.ts';

function house() {
  const primary = createFakeSession();
  const opened: ReturnType<typeof createFakeSession>[] = [];
  const inherited: Inherited[] = [];
  const steps: string[] = [];
  const held = createWithSide(primary, primary.clientLost, async (from) => {
    inherited.push(from);
    const fake = createFakeSession();
    opened.push(fake);
    const number = opened.length;
    steps.push(`open ${number}`);
    const close = async () => {
      await Promise.resolve();
      fake.end();
      steps.push(`closed ${number}`);
    };
    return done({ session: fake as Session, clientLost: fake.clientLost, close });
  });
  return { primary, opened, inherited, steps, held, side: sideOf(held.session) };
}

/** A front end of this session. */
function looker({ attach }: Session): LinkedSession {
  return { attach, client: 'looker' } as unknown as LinkedSession;
}

const say = (text: string) => ({ type: 'say', ref: text, text, attachments: [], delivery: 'queue' }) as const;

test('there is none before the first one asks for it; then there is one, with the model of the session (SI-12)', async () => {
  const { held, opened, inherited, side, primary } = house();
  expect(await side.send(say('early'), 'me')).toMatchObject({ accepted: false, refusal: { identifier: 'no-side' } });
  expect((await side.read({ type: 'status' }, 'me')).ok).toBe(false);
  expect(opened).toHaveLength(0);
  primary.publish([{ type: 'head', head: { model: { provider: 'acme', model: 'big' }, effort: 'high' } }]);
  const both = await Promise.all([
    held.session.send({ type: 'side-open' }, 'me'),
    held.session.send({ type: 'side-open' }, 'you'),
  ]);
  expect(both).toEqual([
    { accepted: true, value: null },
    { accepted: true, value: null },
  ]);
  expect(opened).toHaveLength(1);
  expect(inherited).toEqual([{ model: { provider: 'acme', model: 'big' }, effort: 'high' }]);
});

test('what is sent to it reaches it alone, a stop too (SI-3)', async () => {
  const { held, opened, side, primary } = house();
  await held.session.send({ type: 'side-open' }, 'me');
  opened[0]!.script([{ hold: true }]);
  primary.script([{ hold: true }]);
  const main = watch(looker(primary));
  const beside = watch(looker(side));
  await held.session.send(say('main work'), 'me');
  await side.send(say('side work'), 'me');
  await main.until((view) => view.activity.phase !== 'idle');
  await beside.until((view) => view.activity.phase !== 'idle');
  expect(held.isBusy()).toBe(true);
  await side.send({ type: 'cancel', queue: 'pause' }, 'me');
  await beside.until((view) => view.activity.phase === 'idle');
  expect(main.view.activity.phase).not.toBe('idle');
  expect(held.isBusy()).toBe(false);
});

test('a command, an end and a side of its own are refused inside (SI-5)', async () => {
  const { held, side } = house();
  await held.session.send({ type: 'side-open' }, 'me');
  for (const intent of [
    { type: 'command', ref: 'r', name: 'compact', argument: '' },
    { type: 'end' },
    { type: 'side-reset' },
    { type: 'side', intent: say('deeper') },
  ] as const)
    expect(await side.send(intent, 'me')).toMatchObject({ accepted: false, refusal: { identifier: 'not-inside' } });
});

test('starting over waits for the old one to be over; who is attached stays, and sees the new one (SI-6)', async () => {
  const { held, opened, steps, side } = house();
  await held.session.send({ type: 'side-open' }, 'me');
  const seen = watch(looker(side));
  await side.send(say('old words'), 'me');
  await seen.until((view) => view.transcript.total > 0);
  expect(await held.session.send({ type: 'side-reset' }, 'me')).toEqual({ accepted: true, value: null });
  expect(steps).toEqual(['open 1', 'closed 1', 'open 2']);
  expect(seen.view.transcript.total).toBe(0);
  await side.send(say('new words'), 'me');
  await seen.until((view) => view.transcript.total > 0);
  expect(opened).toHaveLength(2);
});

test('it ends with the session, and one that could not begin says why', async () => {
  const { held, steps, side } = house();
  await held.session.send({ type: 'side-open' }, 'me');
  const attachment = side.attach({ client: 'me' }, () => {});
  await held.close();
  expect(steps).toEqual(['open 1', 'closed 1']);
  expect(await attachment.closed).toBe('ended');
  expect(await held.session.send({ type: 'side-open' }, 'me')).toMatchObject({ accepted: false });
  const primary = createFakeSession();
  const never = createWithSide(primary, primary.clientLost, async () => refuse('no-model', 'No model'));
  expect(await never.session.send({ type: 'side-open' }, 'me')).toEqual({
    accepted: false,
    refusal: { identifier: 'no-model', message: 'No model' },
  });
});
