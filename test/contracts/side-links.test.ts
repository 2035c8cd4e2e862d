import { expect, test } from 'bun:test';
import type { OpenedSession } from '../../src/cli/open-session.ts';
import type { SessionRequest } from '../../src/cli/session-request.ts';
import { withSide } from '../../src/cli/with-side.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { scriptedController } from '../support/controller-rig.ts';
import { inProcessRig, pipeRig, unixSocketRig } from '../support/session-rigs.ts';
import { sideRig } from '../support/side-rig.ts';
import { sessionContract } from './session.ts';

const can = { askOne: false, sever: true, freeze: false };

sessionContract('a side conversation in process', async () => sideRig(await scriptedController(), inProcessRig), {
  ...can,
  sever: false,
});
sessionContract(
  'a side conversation over a unix socket',
  async () => sideRig(await scriptedController(), unixSocketRig),
  can,
);
sessionContract(
  'a side conversation over a byte stream',
  async () => sideRig(await scriptedController(), pipeRig),
  can,
);

test('a session that nothing stands beside has no side conversation and says why (SI-8)', async () => {
  const { session } = await scriptedController();
  const refusal = { identifier: 'no-side', message: 'A session that is not saved has no side conversation.' };
  expect(await session.send({ type: 'side-open' }, 'me')).toEqual({ accepted: false, refusal });
  expect(await session.read({ type: 'side', query: { type: 'status' } }, 'me')).toEqual({ ok: false, refusal });
  const alone = { session, settings: null, close: async () => {} } as unknown as OpenedSession;
  const system = createMemorySystem();
  expect(withSide(system, { save: false } as SessionRequest, alone).session).toBe(session);
  expect(withSide(system, { save: true } as SessionRequest, alone).session).not.toBe(session);
});
