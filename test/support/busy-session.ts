import { createMemorySystem } from '../../src/system/memory/system.ts';
import { type HouseOptions, scriptedLine } from './controller.ts';
import { type LinkKind, openLinked } from './linked-house.ts';
import { gate, scriptedModel } from './script.ts';

/** A session in which a turn runs until `held` is opened. */
export async function busy(
  kind: LinkKind,
  replies: Parameters<typeof scriptedModel>[0],
  more: Partial<HouseOptions> = {},
) {
  const held = gate();
  const model = scriptedModel([{ parts: ['...', { wait: held.opened }] }, ...replies]);
  const system = createMemorySystem();
  const lines = { runLine: scriptedLine(system.clock), runOwnLine: scriptedLine(system.clock) };
  const linked = await openLinked(kind, { system, script: model, ...lines, ...more });
  await linked.idle();
  const seat = await linked.sit('one');
  void seat.say('start');
  await seat.until((view) => view.live !== null);
  return { held, model, system, linked, seat };
}
