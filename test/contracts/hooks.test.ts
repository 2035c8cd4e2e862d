// Hooks through the door: a whole session in memory, its programs and its model scripted.
import { describe, expect, test } from 'bun:test';
import { readHooks } from '../../src/core/extensions/hooks.ts';
import { createHooks } from '../../src/core/runtime/run-hooks.ts';
import type { ControllerOptions } from '../../src/core/session/controller.ts';
import type { ProgramRun } from '../../src/system/memory/processes.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';
import { type HouseOptions, openHouse, SESSION_FOLDER } from '../support/controller.ts';
import { callsOf } from '../support/jobs-house.ts';
import { type ScriptEntry, scriptedModel } from '../support/script.ts';

type Entry = Readonly<Record<string, unknown>>;

function hooksOf(
  system: MemorySystem,
  entries: readonly Entry[],
  more: { injects?: boolean; environment?: Readonly<Record<string, string>> } = {},
): NonNullable<ControllerOptions['hooks']> {
  const { hooks, problems } = readHooks(JSON.stringify({ hooks: entries }), '/home/pat/hooks.json');
  return async () => ({
    hooks: createHooks({
      system,
      hooks,
      objection: async () => null,
      session: 's1',
      environment: () => more.environment ?? { PATH: '/usr/bin' },
      secretNames: [],
      place: `${SESSION_FOLDER}/hooks`,
      injects: more.injects ?? false,
    }),
    count: hooks.length,
    problems,
  });
}

const look = { tool: 'look', input: { what: 'the sky' }, call: 'c1' } as const;

async function open(
  system: MemorySystem,
  script: readonly ScriptEntry[],
  entries: readonly Entry[],
  more: Parameters<typeof hooksOf>[2] & Partial<HouseOptions> = {},
) {
  const { injects, environment, ...rest } = more;
  const model = scriptedModel(script, { clock: system.clock, repeatLast: true });
  const hooks = hooksOf(system, entries, {
    ...(injects === undefined ? {} : { injects }),
    ...(environment === undefined ? {} : { environment }),
  });
  const house = await openHouse({ script: model, system, hooks, ...rest });
  return { house, model, seat: house.seat('one') };
}

/** What a hook read, as JSON. */
async function inputOf({ read }: ProgramRun): Promise<Record<string, unknown>> {
  let text = '';
  for (let piece = await read(); piece !== null; piece = await read()) text += new TextDecoder().decode(piece);
  return JSON.parse(text) as Record<string, unknown>;
}

describe('what runs, and what it is told', () => {
  test('HR-2, HR-5: one JSON object in, in the folder of the session; what ran is kept and seen again without running', async () => {
    const system = createMemorySystem();
    const seen: Record<string, unknown>[] = [];
    const folders: string[] = [];
    system.processes.script('note-it', async (run) => {
      seen.push(await inputOf(run));
      folders.push(run.folder);
      run.write('noted\n');
      return 0;
    });
    const entries = [
      { phase: 'before_tool', label: 'first', command: 'note-it' },
      { phase: 'after_tool', label: 'then', command: ['note-it'], include_tools: ['look'] },
      { phase: 'after_tool', label: 'never', command: 'note-it', exclude_tools: ['look'] },
      { phase: 'after_assistant', label: 'words', command: 'note-it' },
    ];
    const { house, seat } = await open(system, [[look], 'the answer'], entries);
    await seat.say('go');
    await house.idle();
    expect(folders).toEqual(['/yard', '/yard', '/yard']);
    expect(seen.map(({ phase, label }) => [phase, label])).toEqual([
      ['before_tool', 'first'],
      ['after_tool', 'then'],
      ['after_assistant', 'words'],
    ]);
    expect(seen[0]).toMatchObject({ type: 'houston.tool_hook', version: 1, tool: 'look', arguments: look.input });
    expect(seen[1]).toMatchObject({ call: 'c1', outcome: { status: 'ok' } });
    expect(seen[2]).toMatchObject({ text: 'the answer' });
    const [call] = callsOf(seat.view);
    expect(call?.hooks?.map(({ phase, label, status, text }) => [phase, label, status, text])).toEqual([
      ['before_tool', 'first', 'ok', 'noted'],
      ['after_tool', 'then', 'ok', 'noted'],
    ]);
    const spawned = system.processes.spawned.length;
    await house.session.close();
    const again = await open(system, ['x'], entries);
    await again.house.settle();
    expect(callsOf(again.seat.view)[0]?.hooks).toEqual(call?.hooks);
    const page = await again.house.session.read({ type: 'page', from: 0, count: 50 } as never, 'one' as never);
    expect(JSON.stringify(page)).toContain('"label":"then"');
    expect(system.processes.spawned.length).toBe(spawned);
    await again.house.session.close();
  });
});
