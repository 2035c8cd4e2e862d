// The tree, undo and questions beside the conversation over every link.
import { describe, expect, test } from 'bun:test';
import { apply, emptyHead, emptyView } from '../../src/protocol/reduce.ts';
import type { View } from '../../src/protocol/view.ts';
import { createBunClock } from '../../src/system/bun/clock.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { openHouse, transcriptOf } from '../support/controller.ts';
import { scriptedModel } from '../support/script.ts';
import { inProcessRig, pipeRig, type Scripted, unixSocketRig } from '../support/session-rigs.ts';

async function scripted(): Promise<Scripted> {
  const system = { ...createMemorySystem(), clock: createBunClock() };
  const script = scriptedModel(['one', 'two', 'beside', 'three']);
  const { session } = await openHouse({ system: system as never, script });
  return {
    session,
    clientLost: session.clientLost,
    script: () => {},
    release: () => {},
    end: () => session.close(),
    askOne: null,
  };
}

for (const [name, rigOf] of [
  ['in process', inProcessRig],
  ['over a unix socket', unixSocketRig],
  ['over a byte stream', (house: Scripted) => pipeRig(house)],
] as const)
  describe(name, () => {
    test('every client is shown the branch one of them went to, what was undone, and what was asked beside (SC-25.5)', async () => {
      const house = await scripted();
      const rig = await rigOf(house);
      const [me, she] = [await rig.connect('me'), await rig.connect('she')];
      const views: View[] = [];
      const waiting = new Set<() => void>();
      for (const linked of [me, she]) {
        const view = emptyView(emptyHead('', '', ''));
        views.push(view);
        linked.attach({ client: linked === me ? 'me' : 'she' }, (update) => {
          apply(view, update);
          for (const check of [...waiting]) check();
        });
      }
      const until = (holds: (view: View) => boolean): Promise<void> =>
        new Promise((resolve) => {
          const check = (): void => {
            if (!views.every(holds)) return;
            waiting.delete(check);
            resolve();
          };
          waiting.add(check);
          check();
        });
      for (const text of ['first', 'second']) {
        await me.send({ type: 'say', ref: text, text, attachments: [], delivery: 'queue' }, 'me');
        await until((view) => view.outcomes.some((one) => one.ref === text && one.state === 'done'));
        await until((view) => view.activity.phase === 'idle');
      }
      const tree = await me.read({ type: 'tree' }, 'me');
      const second = tree.ok ? tree.value.nodes.find(({ text }) => text === 'second') : undefined;
      const sent = await she.send({ type: 'navigate', entry: second!.id, edit: true }, 'she');
      expect(sent).toMatchObject({ accepted: true, value: { drafts: [{ text: 'second' }] } });
      await until((view) => view.transcript.generation === 1);
      for (const view of views) expect(transcriptOf(view)).toEqual(['prompt: first', 'model: one', 'end: done']);
      await me.send({ type: 'command', ref: 'q', name: 'btw', argument: 'why?' }, 'me');
      await until(
        (view) => view.asides[0]?.exchanges[0]?.answer === 'beside' && view.asides[0].exchanges[0].state === 'answered',
      );
      await me.send({ type: 'command', ref: 'u', name: 'undo', argument: '' }, 'me');
      await until((view) => view.transcript.total === 0);
      expect(views[0]).toEqual(views[1]!);
      await rig.dispose();
      await house.end();
    });
  });
