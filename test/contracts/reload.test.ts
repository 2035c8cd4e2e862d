// What is read when a session starts, read again: through the door, the same over every link.
import { describe, expect, test } from 'bun:test';
// The words of a parse error are loaded when a file first has one; a clock moved by hand does not wait for that.
import 'jsonc-parser';
import { rereadSettings } from '../../src/cli/settings-again.ts';
import { discoverSkills } from '../../src/core/extensions/skills.ts';
import { parseRules } from '../../src/core/policy/rules.ts';
import { readInstructions } from '../../src/core/settings/instructions.ts';
import { loadSettings, settingsLayers } from '../../src/core/settings/load.ts';
import { createTools } from '../../src/core/tools/registry.ts';
import type { View } from '../../src/protocol/view.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';
import { doTool, FOLDER, transcriptOf } from '../support/controller.ts';
import { LINKS, type LinkKind, openLinked } from '../support/linked-house.ts';
import { gate, scriptedModel } from '../support/script.ts';

const CONFIG = '/home/pat/.config/houston';
const RULES = `${FOLDER}/AGENTS.md`;
const SETTINGS = `${CONFIG}/settings.json`;
const CACHE = 'the cache starts over with the next request';

async function write(system: MemorySystem, path: string, content: string | Uint8Array): Promise<void> {
  await system.files.makeFolder(path.slice(0, path.lastIndexOf('/')), 0o700);
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  await system.files.writeAtomic(path, bytes, { mode: 0o600, flush: false });
}

const skill = (name: string): string => `---\nname: ${name}\ndescription: About ${name}.\n---\nDo it.\n`;

/** A session whose settings, instructions and skills lie in files. */
async function openReading(kind: LinkKind, system: MemorySystem, script: ReturnType<typeof scriptedModel>) {
  const { files } = system;
  const layers = settingsLayers({ config: CONFIG, project: FOLDER, argument: null });
  const loaded = await loadSettings(files, layers);
  const request = {
    ...({ folder: FOLDER, session: 's1', open: 'new', forkOf: null, save: true, model: null, effort: null } as const),
    ...({ mode: null, settings: null, sandbox: null, addFolders: [], allow: [] } as const),
    ...({ canAsk: true, roundLimit: null, demo: false } as const),
  };
  const linked = await openLinked(kind, {
    script,
    system,
    tools: [doTool, ...createTools().filter(({ name }) => name === 'load_skill' || name === 'spawn_agent')],
    rules: parseRules({ deny: loaded.settings.deny, allow: loaded.settings.allow }, SETTINGS).rules,
    instructions: (trusted) => readInstructions(files, { config: CONFIG, project: FOLDER, trusted }),
    skills: (trusted) => discoverSkills(files, { config: CONFIG, project: FOLDER, trusted }),
    settingsAgain: rereadSettings(system, request, loaded, { folder: FOLDER, config: CONFIG, state: null }),
  });
  return { linked, seat: await linked.sit('one') };
}

const systemOf = (script: ReturnType<typeof scriptedModel>, index: number): string =>
  script.requests[index]?.system.join('\n') ?? '';

const notes = (view: View): string[] =>
  view.transcript.items.flatMap((item) => (item.kind === 'note' ? [item.text] : []));

for (const kind of LINKS) {
  describe(`reading again ${kind}`, () => {
    test('/reload puts settings, instructions and skills as they are now in force, and says that the cache starts over', async () => {
      const system = createMemorySystem();
      await write(system, RULES, 'RULE-OLD');
      await write(system, SETTINGS, '{"permissions": {"allow": ["Bash(touch *)"]}}');
      const run = [{ tool: 'do', input: { line: 'touch x' } }] as const;
      const script = scriptedModel([run, 'ran', run, 'refused'], { repeatLast: true });
      const { linked, seat } = await openReading(kind, system, script);
      await seat.say('one');
      await linked.idle();
      expect(transcriptOf(seat.view)).toContain('call Run touch x: ok');
      expect(systemOf(script, 0)).toContain('RULE-OLD');
      expect(script.requests[0]?.tools.map(({ name }) => name)).toEqual(['do', 'spawn_agent']);

      await write(system, RULES, 'RULE-NEW');
      await write(system, `${CONFIG}/skills/paint/SKILL.md`, skill('paint'));
      await write(system, SETTINGS, '{"permissions": {"deny": ["Bash(touch *)"]}, "model": "a:b"}');
      expect((await seat.command('reload')).accepted).toBe(true);
      await linked.idle();
      const said = notes(seat.view).at(-1) ?? '';
      for (const part of ['1 instruction file, 1 skill', 'permissions.deny', 'opened from now on: model', CACHE])
        expect(said).toContain(part);
      expect(seat.view.head.told).toEqual({ instructions: [RULES], skills: ['paint'] });

      await seat.say('two');
      await linked.idle();
      expect(systemOf(script, 2)).toContain('RULE-NEW');
      expect(systemOf(script, 2)).not.toContain('RULE-OLD');
      expect(systemOf(script, 2)).toContain('paint: About paint.');
      expect(script.requests[2]?.tools.map(({ name }) => name)).toEqual(['do', 'spawn_agent', 'load_skill']);
      expect(transcriptOf(seat.view)).toContain('call Run touch x: denied');
    });

    test('it waits for the turn that runs, whose requests all begin alike (INV-12)', async () => {
      const system = createMemorySystem();
      await write(system, RULES, 'RULE-OLD');
      await write(system, SETTINGS, '{"permissions": {"allow": ["Bash(touch *)"]}}');
      const held = gate();
      const script = scriptedModel([
        [{ tool: 'do', input: { line: 'touch x' } }, { wait: held.opened }],
        'second',
        'third',
      ]);
      const { linked, seat } = await openReading(kind, system, script);
      await seat.say('one');
      await script.received(1);
      await write(system, RULES, 'RULE-NEW');
      await seat.command('reload');
      await linked.settle();
      expect(seat.view.queue.rows).toMatchObject([{ text: '/reload' }]);
      held.open();
      await linked.idle();
      await seat.say('two');
      await linked.idle();
      const begins = script.requests.map((_, index) => /RULE-\w+/.exec(systemOf(script, index))?.[0]);
      expect(begins).toEqual(['RULE-OLD', 'RULE-OLD', 'RULE-NEW']);
    });

    test('what can not be read is said in one line each, and what was there stays (INV-19)', async () => {
      const system = createMemorySystem();
      await write(system, RULES, 'RULE-OLD');
      await write(system, `${CONFIG}/skills/paint/SKILL.md`, skill('paint'));
      await write(system, SETTINGS, '{"permissions": {"deny": ["Bash(touch *)"]}}');
      const run = [{ tool: 'do', input: { line: 'touch x' } }] as const;
      const script = scriptedModel(['hello', run, 'refused']);
      const { linked, seat } = await openReading(kind, system, script);
      await seat.say('one');
      await linked.idle();
      await write(system, RULES, Uint8Array.of(0xff, 0xfe, 0xff));
      await write(system, `${CONFIG}/skills/paint/SKILL.md`, 'half wri');
      await write(system, SETTINGS, '{"permissions": {"deny": [');
      await seat.command('reload');
      await linked.idle();
      const said = notes(seat.view);
      expect(said.filter((text) => text.startsWith(SETTINGS))).toHaveLength(1);
      expect(said.find((text) => text.startsWith(SETTINGS))).toContain('what it last said stays in force');
      expect(said.filter((text) => text.startsWith(RULES))).toHaveLength(1);
      expect(said.filter((text) => text.includes('paint/SKILL.md'))).toHaveLength(1);
      expect(said.at(-1)).toContain('Nothing changed.');
      await seat.say('two');
      await linked.idle();
      expect(script.requests[1]?.system).toEqual(script.requests[0]!.system);
      expect(transcriptOf(seat.view)).toContain('call Run touch x: denied');
      // Said once, not with every turn.
      expect(notes(seat.view).filter((text) => text.startsWith(RULES))).toHaveLength(1);
    });

    test('an instruction file that changed is read before the next turn, with a note that the cache starts over', async () => {
      const system = createMemorySystem();
      await write(system, RULES, 'RULE-OLD');
      const remembered = { cacheRead: 9_000, cacheWrite: 0 };
      const script = scriptedModel([
        { parts: ['a'], usage: remembered },
        { parts: ['b'], usage: remembered },
        { parts: ['c'], usage: { cacheRead: 0, cacheWrite: 9_000 } },
        { parts: ['d'], usage: remembered },
      ]);
      const { linked, seat } = await openReading(kind, system, script);
      for (const text of ['one', 'two']) {
        await seat.say(text);
        await linked.idle();
      }
      expect(notes(seat.view)).toEqual([]);
      await write(system, RULES, 'RULE-NEW');
      await seat.say('three');
      await linked.idle();
      // Told once: what the service forgot thereby is no news.
      expect(notes(seat.view)).toEqual([`Read again, since it changed: ${RULES}; ${CACHE}.`]);
      await system.files.remove(RULES);
      await seat.say('four');
      await linked.idle();
      expect(notes(seat.view)).toHaveLength(2);
      expect(script.requests.map((_, index) => /RULE-\w+/.exec(systemOf(script, index))?.[0])).toEqual([
        'RULE-OLD',
        'RULE-OLD',
        'RULE-NEW',
        undefined,
      ]);
    });

    test('delegates begun afterwards are told what was read, and have names of their own', async () => {
      const system = createMemorySystem();
      await write(system, RULES, 'RULE-OLD');
      const names: string[] = [];
      const script = scriptedModel(
        [
          (request) => {
            const name = /^You are (d\d+), a /m.exec(request.system.at(-1) ?? '')?.[1];
            const told = /RULE-\w+/.exec(request.system.join())?.[0];
            if (name !== undefined) names.push(`${name} ${told}`);
            const fresh = request.messages.at(-1)?.role === 'user' && name === undefined;
            return fresh ? [{ tool: 'spawn_agent', input: { kind: 'reader', task: 'look', why: 'w' } }] : 'done';
          },
        ],
        { repeatLast: true },
      );
      const { linked, seat } = await openReading(kind, system, script);
      await seat.say('one');
      await linked.idle();
      await write(system, RULES, 'RULE-NEW');
      await seat.command('reload');
      await seat.say('two');
      await linked.idle();
      expect(names).toEqual(['d1 RULE-OLD', 'd2 RULE-NEW']);
    });
  });
}

test('what a project asks to allow beyond what the person was shown waits for a session that asks (RULE-7)', async () => {
  const system = createMemorySystem();
  const own = `${FOLDER}/.houston/settings.json`;
  await write(system, own, '{"permissions": {"allow": ["Bash(make)"]}}');
  const layers = settingsLayers({ config: CONFIG, project: FOLDER, argument: null });
  const request = { settings: null, allow: [], save: true } as never;
  const again = rereadSettings(system, request, await loadSettings(system.files, layers), {
    ...{ folder: FOLDER, config: CONFIG, state: null },
  });
  await write(system, own, '{"permissions": {"allow": ["Bash(make)", "Bash(rm *)"]}}');
  const read = await again();
  expect(read.project.allow.map(({ text }) => text)).toEqual(['Bash(make)']);
  expect(read.rules.allow).toEqual([]);
  expect(read.later).toEqual(['what the project asks to allow']);
});
