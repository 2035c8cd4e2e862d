// Which models delegates may be given: said, chosen, taken back, and what a call may name then; the same over every link.
import { describe, expect, test } from 'bun:test';
// The words of a parse error are loaded when a file first has one; a clock moved by hand does not wait for that.
import 'jsonc-parser';
import { done } from '../../src/base/refusal.ts';
import { delegateModelsOf, rereadSettings } from '../../src/cli/settings-again.ts';
import { loadSettings, settingsLayers } from '../../src/core/settings/load.ts';
import { createDefaultsSaver } from '../../src/core/settings/save-defaults.ts';
import { createTools } from '../../src/core/tools/registry.ts';
import type { View } from '../../src/protocol/view.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';
import { FOLDER, type HouseOptions } from '../support/controller.ts';
import { LINKS, type LinkedSeat, type LinkKind, openLinked } from '../support/linked-house.ts';
import { type ScriptEntry, scriptedModel } from '../support/script.ts';

const CONFIG = '/home/pat/.config/houston';
const SETTINGS = `${CONFIG}/settings.json`;
const PROJECT = `${FOLDER}/.houston/settings.json`;

async function write(system: MemorySystem, path: string, content: unknown): Promise<void> {
  await system.files.makeFolder(path.slice(0, path.lastIndexOf('/')), 0o700);
  const bytes = new TextEncoder().encode(JSON.stringify(content));
  await system.files.writeAtomic(path, bytes, { mode: 0o600, flush: false });
}

const settingsOf = async (system: MemorySystem): Promise<unknown> =>
  JSON.parse(new TextDecoder().decode(await system.files.read(SETTINGS)));

/** A session whose settings lie in files; `other` and `third` are there beside its own model, and only those are in a catalogue. */
async function open(
  kind: LinkKind,
  system: MemorySystem,
  more: Partial<Omit<HouseOptions, 'model'>> = {},
  own: readonly ScriptEntry[] = ['done', 'done', 'done'],
) {
  const named = (model: string) => ({ ref: { provider: 'test', model } });
  const script = scriptedModel(own, named('own'));
  const other = scriptedModel(['a report', 'a report'], named('other'));
  const third = scriptedModel([], named('third'));
  const layers = settingsLayers({ config: CONFIG, project: FOLDER, argument: null });
  const loaded = await loadSettings(system.files, layers);
  const request = {
    ...({ folder: FOLDER, session: 's1', open: 'new', forkOf: null, save: true, model: null, effort: null } as const),
    ...({ mode: null, settings: null, sandbox: null, addFolders: [], allow: [] } as const),
    ...({ canAsk: true, roundLimit: null, demo: false } as const),
  };
  const linked = await openLinked(kind, {
    script,
    others: [other, third],
    system,
    tools: createTools().filter(({ name }) => name === 'spawn_agent'),
    delegateModels: delegateModelsOf(loaded, FOLDER),
    settingsAgain: rereadSettings(system, request, loaded, { folder: FOLDER, config: CONFIG, state: null }),
    saveDefaults: createDefaultsSaver(system.files, CONFIG, async (_file, work) => work()),
    ...more,
  });
  await linked.settle();
  return { linked, seat: await linked.sit('one'), script, other };
}

const flashes = (seat: LinkedSeat): string[] =>
  seat.changes.flatMap((change) => (change.type === 'flash' ? [change.text] : []));
const notes = (view: View): string[] =>
  view.transcript.items.flatMap((item) => (item.kind === 'note' ? [item.text] : []));

for (const kind of LINKS) {
  describe(`/subagents ${kind}`, () => {
    test('SC-18.1, SC-18.2: models replace the list, each once, are saved, noted and in force after a reload; off clears it', async () => {
      const system = createMemorySystem();
      const { linked, seat, script } = await open(kind, system);
      await seat.command('subagents', 'test:other test:third test/other test:other');
      await linked.idle();
      expect(await settingsOf(system)).toEqual({ agents: { models: ['test:other', 'test:third'] } });
      expect(notes(seat.view)[0]).toBe('Delegates may be given: test:other, test:third.');
      expect(notes(seat.view)[1]).toContain('In force now: agents.models.');
      await seat.say('go');
      await linked.idle();
      expect(JSON.stringify(script.requests[0]!.tools)).toContain('"enum":["test:other","test:third"]');
      await seat.command('subagents');
      await linked.settle();
      expect(flashes(seat).at(-1)).toBe('Delegates may be given: test:other, test:third');
      await seat.command('subagents', 'off');
      await linked.idle();
      expect(await settingsOf(system)).toEqual({ agents: {} });
      await seat.say('go on');
      await linked.idle();
      expect(JSON.stringify(script.requests[1]!.tools)).not.toContain('test:other');
    });

    test('SC-18.1: bare resolves each again, lists what is not available apart, and says where a project has set it', async () => {
      const system = createMemorySystem();
      await write(system, PROJECT, { agents: { models: ['test:other', 'test:gone'] } });
      const { linked, seat } = await open(kind, system);
      await seat.command('subagents');
      await linked.settle();
      const [first, second, third, fourth] = flashes(seat).at(-1)!.split('\n');
      expect([first, second]).toEqual(['Delegates may be given: test:other', 'Not available now:']);
      expect(third).toStartWith('test:gone: ');
      expect(fourth).toBe(`Set by the project: ${PROJECT}`);
    });

    test('SC-18.8: bare works without a model and, with nothing chosen, says what holds', async () => {
      const problem = { identifier: 'no-credential', message: 'No key' };
      const { linked, seat } = await open(kind, createMemorySystem(), { problem });
      await seat.command('subagents');
      await linked.settle();
      expect(flashes(seat).at(-1)).toBe(
        'Delegates use the model in force here, and may be given any provider:model per delegation.',
      );
      const refused = await seat.command('subagents', 'test:other');
      expect(refused.accepted ? null : refused.refusal.identifier).toBe('no-model');
    });

    test('SC-18.2, SC-18.8: where the project decides it is refused, and the command that changes that is named', async () => {
      const system = createMemorySystem();
      await write(system, PROJECT, { agents: { models: ['test:other'] } });
      const { seat } = await open(kind, system);
      for (const argument of ['test:third', 'off']) {
        const refused = await seat.command('subagents', argument);
        expect(refused.accepted).toBe(false);
        if (!refused.accepted) expect(refused.refusal.message).toContain(`in ${PROJECT}: /settings changes it`);
      }
      expect(await system.files.stat(SETTINGS)).toBeNull();
    });

    test('SC-18.2: one name that can not be used refuses all of them, and nothing is written', async () => {
      const system = createMemorySystem();
      const { linked, seat } = await open(kind, system);
      await seat.command('subagents', 'test:other test:nowhere');
      await linked.idle();
      expect(seat.outcome(1)?.state).toBe('refused');
      expect(await system.files.stat(SETTINGS)).toBeNull();
      expect(notes(seat.view)).toEqual([]);
    });

    test('SC-18.2: what can not be saved changes nothing and reads nothing again', async () => {
      const { linked, seat, script } = await open(kind, createMemorySystem(), { saveDefaults: async () => false });
      await seat.command('subagents', 'test:other');
      await linked.idle();
      expect(seat.outcome(1)?.state).toBe('failed');
      expect(notes(seat.view)).toEqual([]);
      await seat.send({ type: 'queue-resume' });
      await seat.say('go');
      await linked.idle();
      expect(JSON.stringify(script.requests[0]!.tools)).not.toContain('test:other');
    });

    test('SC-18.3, SC-18.8: completion goes by any part of a name in any case, offers none twice, and off in the first place alone', async () => {
      const { linked } = await open(kind, createMemorySystem());
      const values = async (typed: string) => {
        const found = await linked.house.session.read({ type: 'complete-argument', command: 'subagents', typed });
        return found.ok ? found.value.choices.map(({ value }) => value) : [];
      };
      expect(await values('')).toEqual(['off', 'test:own', 'test:other', 'test:third']);
      expect(await values('OTH')).toEqual(['test:other']);
      expect(await values('test:other ')).toEqual(['test:other test:own', 'test:other test:third']);
      expect(await values('off ')).toEqual([]);
    });

    test('SC-18.2: a name that is in no catalogue is saved, with a word about how it is written', async () => {
      const system = createMemorySystem();
      const own = scriptedModel([], { ref: { provider: 'test', model: 'own' } });
      const models: HouseOptions['models'] = {
        parse: (text) => done({ provider: 'test', model: text.slice(text.indexOf(':') + 1) }),
        open: async (ref) => done({ ...own, ref }),
        list: () => [{ ref: own.ref, facts: own.facts, provider: 'Script', ready: true }],
        configured: () => done({ ref: own.ref, from: 'settings' }),
      };
      const { linked, seat } = await open(kind, system, { models });
      await seat.command('subagents', 'test:own test:onw');
      await linked.idle();
      expect(await settingsOf(system)).toEqual({ agents: { models: ['test:own', 'test:onw'] } });
      expect(notes(seat.view).slice(0, 2)).toEqual([
        'test:onw is in no catalogue: check how it is written.',
        'Delegates may be given: test:own, test:onw.',
      ]);
    });
  });
}

const spawn = (input: Record<string, string>) => [
  { tool: 'spawn_agent', input: { kind: 'reader', task: 'Look.', why: 'to see', ...input } },
];

test('SC-18.8: with nothing chosen a call may name any model there is; one there is not starts nothing and says so', async () => {
  const own = [spawn({ model: 'test:other' }), spawn({ model: 'test:nowhere' }), 'thanks'];
  const { linked, seat, script, other } = await open('in process', createMemorySystem(), {}, own);
  await seat.say('go');
  await linked.idle();
  expect(other.requests).toHaveLength(1);
  expect(JSON.stringify(script.requests[1]!.messages)).toContain('a report');
  expect(JSON.stringify(script.requests[2]!.messages)).toContain('d2 was not started: there is no such model');
});

test('with models chosen a call may name these alone; a project takes away from them and adds none', async () => {
  const system = createMemorySystem();
  await write(system, SETTINGS, { agents: { models: ['test:other', 'test:own'] } });
  await write(system, PROJECT, { agents: { models: ['test:third', 'test:other'] } });
  const own = [spawn({ model: 'test:third' }), spawn({ model: 'test:other' }), 'thanks'];
  const { linked, seat, script, other } = await open('in process', system, {}, own);
  await seat.say('go');
  await linked.idle();
  expect(JSON.stringify(script.requests[1]!.messages)).toContain('must be one of test:other');
  expect(other.requests).toHaveLength(1);
  expect(script.requests).toHaveLength(3);
});
