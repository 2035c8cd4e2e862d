// Agents described by files: whom the person talks with, and delegates of their own; the same over every link.
import { describe, expect, test } from 'bun:test';
import { discoverProfiles } from '../../src/core/extensions/agent-profiles.ts';
import { createTools } from '../../src/core/tools/registry.ts';
import type { View } from '../../src/protocol/view.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';
import { doTool, FOLDER, type HouseOptions, transcriptOf } from '../support/controller.ts';
import { LINKS, type LinkedSeat, type LinkKind, openLinked } from '../support/linked-house.ts';
import { gate, scriptedModel } from '../support/script.ts';

const CONFIG = '/home/pat/.config/houston';
const TOOLS = [
  doTool,
  ...createTools().filter(({ name }) => ['spawn_agent', 'read_file', 'write_file'].includes(name)),
];
const NAMES = TOOLS.map(({ name }) => name);

async function write(system: MemorySystem, path: string, content: string): Promise<void> {
  await system.files.makeFolder(path.slice(0, path.lastIndexOf('/')), 0o700);
  await system.files.writeAtomic(path, new TextEncoder().encode(content), { mode: 0o600, flush: false });
}

const mine = (name: string): string => `${CONFIG}/agents/${name}.md`;
const profile = (name: string, kind: string, more = '', body = `You are ${name}.`): string =>
  `---\nname: ${name}\ndescription: About ${name}.\nkind: ${kind}\n${more}---\n${body}\n`;

type Script = ReturnType<typeof scriptedModel>;
interface Choice extends Partial<HouseOptions> {
  readonly primary?: string | null;
  readonly disabled?: readonly string[];
  readonly client?: string;
}

async function open(kind: LinkKind, system: MemorySystem, script: Script, choice: Choice = {}) {
  const { primary = null, disabled = [], client = 'one', ...rest } = choice;
  const linked = await openLinked(kind, {
    script,
    system,
    tools: TOOLS,
    agents: {
      find: (trusted) => discoverProfiles(system.files, { config: CONFIG, project: FOLDER, trusted, tools: NAMES }),
      primary,
      disabled,
    },
    ...rest,
  });
  await linked.settle();
  return { linked, seat: await linked.sit(client) };
}

const systemOf = (script: Script, index: number): string => script.requests[index]?.system.join('\n') ?? '';
const toolsOf = (script: Script, index: number): string[] =>
  script.requests[index]?.tools.map(({ name }) => name) ?? [];
const notes = (view: View): string[] =>
  view.transcript.items.flatMap((item) => (item.kind === 'note' ? [item.text] : []));
const rows = (view: View): string[] => view.queue.rows.map(({ text }) => text);

const flashes = (seat: LinkedSeat): string[] =>
  seat.changes.flatMap((change) => (change.type === 'flash' ? [change.text] : []));

for (const kind of LINKS) {
  describe(`agents ${kind}`, () => {
    test('ST-7, ST-8, SK-6: a session whose selected agent is broken runs nothing, keeps what was said, and goes on once it is mended', async () => {
      const system = createMemorySystem();
      await write(system, mine('pilot'), '---\nname: pilot\nkind: primary\n---\nFly.');
      const script = scriptedModel(['done', 'again']);
      const { linked, seat } = await open(kind, system, script, { primary: 'pilot' });
      await seat.until(({ head }) => head.startupProblem !== null);
      expect(seat.view.head.ready).toBe(false);
      expect(seat.view.head.startupProblem).toEqual({
        identifier: 'agent-broken',
        message: `No turn can start: the agent pilot is broken: ${mine('pilot')} has no description. Mend it and /reload, or go on without: /agent none`,
      });
      await seat.say('first', 'queue');
      await seat.say('second', 'queue');
      await linked.idle();
      expect(rows(seat.view)).toEqual(['first', 'second']);
      expect(script.requests).toHaveLength(0);
      await write(system, mine('pilot'), profile('pilot', 'primary'));
      await seat.command('reload');
      await linked.idle();
      expect(rows(seat.view)).toEqual([]);
      expect(seat.view.head.ready).toBe(true);
      expect(seat.view.head.startupProblem).toBeNull();
      expect(systemOf(script, 0)).toContain('You are pilot.');
      expect(transcriptOf(seat.view).filter((line) => line.startsWith('prompt'))).toEqual([
        'prompt: first',
        'prompt: second',
      ]);
    });

    test('ST-7, ST-8: an explicit None goes on where the selected agent is gone', async () => {
      const system = createMemorySystem();
      const script = scriptedModel(['done']);
      const { linked, seat } = await open(kind, system, script, { primary: 'pilot' });
      await seat.say('first', 'queue');
      await linked.idle();
      expect(seat.view.head.startupProblem?.message).toContain('there is no agent pilot.');
      expect(script.requests).toHaveLength(0);
      await seat.command('agent', 'none');
      await linked.idle();
      expect(seat.view.head.agent).toBeNull();
      expect(script.requests).toHaveLength(1);
      // The choice is the session's own: whoever goes on with it is not stopped again.
      const again = await open(kind, system, scriptedModel([]), { primary: 'pilot' });
      await again.linked.idle();
      expect(again.seat.view.head.startupProblem).toBeNull();
    });

    test('ST-8: an enabled definition of a delegate that is broken stops every turn; switched off it only warns (ST-9)', async () => {
      const system = createMemorySystem();
      await write(system, mine('scout'), profile('scout', 'reader', 'rounds: 900\n'));
      const script = scriptedModel(['done']);
      const { linked, seat } = await open(kind, system, script);
      await seat.say('first', 'queue');
      await linked.idle();
      expect(seat.view.head.startupProblem?.message).toBe(
        `No turn can start: the agent definition ${mine('scout')} has rounds that are not between 1 and 120, the most for a reader. Mend it and /reload, or switch it off: /agent off scout`,
      );
      expect(script.requests).toHaveLength(0);
      await seat.command('agent', 'off scout');
      await linked.idle();
      expect(script.requests).toHaveLength(1);
      expect(rows(seat.view)).toEqual([]);

      const other = createMemorySystem();
      await write(other, mine('scout'), profile('scout', 'reader', 'rounds: 900\n'));
      const second = scriptedModel(['done']);
      const off = await open(kind, other, second, { disabled: ['scout'] });
      await off.seat.say('first');
      await off.linked.idle();
      expect(second.requests).toHaveLength(1);
      expect(notes(off.seat.view)).toEqual([
        `${mine('scout')} has rounds that are not between 1 and 120, the most for a reader: the agent scout can not be used.`,
      ]);
    });

    test('ST-9, SK-6: a broken primary agent that is not selected warns, and everything runs', async () => {
      const system = createMemorySystem();
      await write(system, mine('other'), '---\nname: other\nkind: primary\n---\n');
      await write(system, mine('pilot'), profile('pilot', 'primary'));
      const script = scriptedModel(['done']);
      const { linked, seat } = await open(kind, system, script, { primary: 'pilot' });
      await seat.say('first');
      await linked.idle();
      expect(systemOf(script, 0)).toEndWith('You are pilot.');
      expect(notes(seat.view)).toEqual([`${mine('other')} has no description: the agent other can not be used.`]);
    });

    test('SK-6: the key goes through the primary agents and None; the last one speaks from the next turn on', async () => {
      const system = createMemorySystem();
      await write(system, mine('alpha'), profile('alpha', 'primary', 'tools: read_file\n'));
      await write(system, mine('beta'), profile('beta', 'primary'));
      await write(system, mine('gone'), profile('gone', 'primary'));
      await write(system, mine('scout'), profile('scout', 'reader'));
      const held = gate();
      const script = scriptedModel(['one', { gate: held.opened, parts: ['two'] }, 'three']);
      const { linked, seat } = await open(kind, system, script, { disabled: ['gone'] });
      await seat.say('first');
      await linked.idle();
      const prefix = script.requests[0]!.system;
      const seen: (string | null | undefined)[] = [];
      for (let press = 0; press < 4; press++) {
        await seat.send({ type: 'cycle-agent' });
        await linked.settle();
        seen.push(seat.view.head.agent);
      }
      expect(seen).toEqual(['alpha', 'beta', null, 'alpha']);
      await seat.say('second');
      await script.received(2);
      // In the middle of a turn: it goes on as it began.
      await seat.send({ type: 'cycle-agent' });
      await linked.settle();
      expect(seat.view.head.agent).toBe('beta');
      expect(flashes(seat).at(-1)).toBe('Agent: beta from the next turn on.');
      held.open();
      await linked.idle();
      await seat.say('third');
      await linked.idle();
      // Behind everything else, so that what stands before stays remembered.
      expect(script.requests[1]!.system.slice(0, -1)).toEqual([...prefix]);
      expect(systemOf(script, 1)).toEndWith('You are alpha.');
      expect(toolsOf(script, 1)).toEqual(['read_file']);
      expect(systemOf(script, 2)).toEndWith('You are beta.');
      expect(toolsOf(script, 2)).toEqual(toolsOf(script, 0));
      const said = 'from here on: the cache starts over with the next request.';
      expect(notes(seat.view)).toEqual([`The agent alpha speaks ${said}`, `The agent beta speaks ${said}`]);
    });

    test('SK-6: two windows at once each go one further, and both see where that led', async () => {
      const system = createMemorySystem();
      for (const name of ['alpha', 'beta', 'gamma']) await write(system, mine(name), profile(name, 'primary'));
      const { linked, seat } = await open(kind, system, scriptedModel([]));
      const other = await linked.sit('two');
      await Promise.all([seat.send({ type: 'cycle-agent' }), other.send({ type: 'cycle-agent' })]);
      await linked.settle();
      expect([seat.view.head.agent, other.view.head.agent]).toEqual(['beta', 'beta']);
    });

    test('SK-6: a session that is gone on with talks with the same one, and stops where that is gone', async () => {
      const system = createMemorySystem();
      await write(system, mine('alpha'), profile('alpha', 'primary'));
      const first = await open(kind, system, scriptedModel(['one']));
      await first.seat.command('agent', 'alpha');
      await first.seat.say('first');
      await first.linked.idle();
      await first.linked.house.session.close();
      const script = scriptedModel(['two']);
      const second = await open(kind, system, script, { client: 'two' });
      expect(second.seat.view.head.agent).toBe('alpha');
      await second.seat.say('second');
      await second.linked.idle();
      expect(systemOf(script, 0)).toEndWith('You are alpha.');
      await second.linked.house.session.close();
      await system.files.remove(mine('alpha'));
      const third = await open(kind, system, scriptedModel(['three']), { client: 'three' });
      await third.seat.say('third', 'queue');
      await third.linked.idle();
      expect(third.seat.view.head.startupProblem?.message).toContain('there is no agent alpha.');
      expect(rows(third.seat.view)).toEqual(['third']);
    });

    test('ST-7: until the files were looked at nothing is wrong with the selected agent, and nothing runs', async () => {
      const system = createMemorySystem();
      await write(system, mine('alpha'), profile('alpha', 'primary'));
      const looked = gate();
      const script = scriptedModel(['one']);
      const find = async (trusted: boolean) => {
        await looked.opened;
        return discoverProfiles(system.files, { config: CONFIG, project: FOLDER, trusted, tools: NAMES });
      };
      const { linked, seat } = await open(kind, system, script, { agents: { find, primary: 'alpha', disabled: [] } });
      await seat.say('first', 'queue');
      await linked.settle();
      expect([seat.view.head.startupProblem, seat.view.head.ready]).toEqual([null, false]);
      expect(script.requests).toHaveLength(0);
      looked.open();
      await linked.idle();
      expect(systemOf(script, 0)).toEndWith('You are alpha.');
      expect(seat.changes.some((change) => change.type === 'head' && change.head.startupProblem != null)).toBe(false);
    });

    test('a profile that breaks while it is selected stays as it was until it can be read again', async () => {
      const system = createMemorySystem();
      await write(system, mine('alpha'), profile('alpha', 'primary'));
      const script = scriptedModel(['one', 'two']);
      const { linked, seat } = await open(kind, system, script, { primary: 'alpha' });
      await write(system, mine('alpha'), 'half');
      await seat.command('reload');
      await seat.say('first');
      await linked.idle();
      expect(systemOf(script, 0)).toEndWith('You are alpha.');
      expect(notes(seat.view)[0]).toEndWith('it stays as it was.');
      await system.files.remove(mine('alpha'));
      await seat.command('reload');
      await seat.say('second', 'queue');
      await linked.idle();
      expect(script.requests).toHaveLength(1);
      expect(rows(seat.view)).toEqual(['second']);
    });

    test('an agent brings its model and effort along where they can be had; what the person chooses since counts before', async () => {
      const system = createMemorySystem();
      await write(system, mine('alpha'), profile('alpha', 'primary', 'model: test:other\neffort: high\n'));
      await write(system, mine('beta'), profile('beta', 'primary', 'model: test:nowhere\n'));
      const other = scriptedModel(['one'], { ref: { provider: 'test', model: 'other' } });
      const script = scriptedModel(['two', 'three']);
      const { linked, seat } = await open(kind, system, script, { others: [other] });
      const own = seat.view.head.model;
      await seat.command('agent', 'alpha');
      await linked.settle();
      expect([seat.view.head.model, seat.view.head.effort]).toEqual([{ provider: 'test', model: 'other' }, 'high']);
      await seat.say('first');
      await linked.idle();
      expect(other.requests).toHaveLength(1);
      await seat.command('agent', 'beta');
      await linked.settle();
      expect([seat.view.head.model, seat.view.head.effort]).toEqual([own, 'default']);
      expect(flashes(seat).at(-1)).toContain('Its model test:nowhere can not be had');
      await seat.command('agent', 'alpha');
      await seat.send({ type: 'set-model', model: own, effort: null });
      await linked.settle();
      expect(seat.view.head.model).toEqual(own);
      await seat.say('second');
      await linked.idle();
      expect(script.requests).toHaveLength(1);
    });
  });
}

describe('delegates by the name of their definition', () => {
  const spawn = (kind: string, task = 'Do it.') => [{ tool: 'spawn_agent', input: { kind, task, why: 'to see' } }];

  test('DEL-5, DEL-3: the kind may name one; it holds what its kind, its parent and its definition have in common, and is told its body', async () => {
    const system = createMemorySystem();
    await write(
      system,
      mine('scribe'),
      profile('scribe', 'worker', 'tools: write_file, look, ask_person\n', 'Write in verse.'),
    );
    await write(system, mine('boss'), profile('boss', 'primary', 'tools: spawn_agent, read_file\n'));
    const script = scriptedModel([spawn('scribe'), 'a poem', 'thanks', spawn('scribe'), 'nothing', 'thanks']);
    const { linked, seat } = await open('in process', system, script);
    await seat.say('go');
    await linked.idle();
    const offered = script.requests[0]!.tools.find(({ name }) => name === 'spawn_agent');
    expect(offered?.description).toContain('- `scribe` (a worker): About scribe.');
    expect(JSON.stringify(offered?.input)).toContain('"reader","checker","worker","scribe"');
    // `ask_person` no delegate ever holds.
    expect(toolsOf(script, 1)).toEqual(['write_file']);
    const told = script.requests[1]!.system.at(-1)!;
    expect(told).toContain('You are d1, a worker of the definition "scribe".');
    expect(told).toEndWith('Write in verse.');
    expect(told).toContain('at most 120 rounds');
    expect(JSON.stringify(script.requests[2]!.messages)).toContain('a poem');
    // Below one who does not write nobody writes, and nobody is told what the primary alone is.
    await seat.command('agent', 'boss');
    await seat.say('again');
    await linked.idle();
    expect(toolsOf(script, 4)).toEqual([]);
    expect(systemOf(script, 4)).not.toContain('You are boss.');
    expect(systemOf(script, 3)).toContain('You are boss.');
  });

  test('DEL-2: a definition raises the rounds of its kind, and they are the last word', async () => {
    const system = createMemorySystem();
    await write(system, mine('runner'), profile('runner', 'reader', 'rounds: 2\n'));
    await write(system, mine('marathon'), profile('marathon', 'reader', 'rounds: 120\n'));
    const read = (path: string) => [{ tool: 'read_file', input: { path, why: 'to see' } }];
    const script = scriptedModel([spawn('runner'), read('a'), 'what I have', spawn('marathon'), 'done', 'thanks']);
    const { linked, seat } = await open('in process', system, script);
    await seat.say('go');
    await linked.idle();
    expect(script.requests[2]!.calls).toBe('forbidden');
    expect(JSON.stringify(script.requests[3]!.messages)).toContain('no rounds left after 2');
    expect(script.requests[4]!.system.at(-1)).toContain('at most 120 rounds');
  });

  test('DEL-5: it runs on the model and effort it names, where they can be had', async () => {
    const system = createMemorySystem();
    await write(system, mine('scout'), profile('scout', 'reader', 'model: test:other\neffort: high\n'));
    await write(system, mine('lost'), profile('lost', 'reader', 'model: test:nowhere\n'));
    const other = scriptedModel(['found'], { ref: { provider: 'test', model: 'other' } });
    const script = scriptedModel([spawn('scout'), spawn('lost'), 'on yours', 'thanks']);
    const { linked, seat } = await open('in process', system, script, { others: [other] });
    await seat.say('go');
    await linked.idle();
    expect(other.requests.map(({ effort }) => effort)).toEqual(['high']);
    expect(script.requests).toHaveLength(4);
    expect(systemOf(script, 2)).toContain('definition "lost"');
  });

  test('SK-6: another agent in the middle of a turn takes nothing from it: its model stays, and its delegates can be stopped', async () => {
    const system = createMemorySystem();
    await write(system, mine('alpha'), profile('alpha', 'primary', 'model: test:other\n'));
    const other = scriptedModel(['three'], { ref: { provider: 'test', model: 'other' } });
    const held = gate();
    const script = scriptedModel([spawn('reader'), { gate: held.opened, parts: ['late'] }, 'thanks']);
    const { linked, seat } = await open('in process', system, script, { others: [other] });
    const own = seat.view.head.model;
    await seat.say('go');
    await script.received(2);
    await seat.send({ type: 'cycle-agent' });
    await linked.settle();
    expect([seat.view.head.agent, seat.view.head.model]).toEqual(['alpha', own]);
    expect(await seat.send({ type: 'stop-delegate', delegate: 'd1' })).toEqual({ accepted: true, value: null });
    held.open();
    await linked.idle();
    expect(seat.view.head.model).toEqual({ provider: 'test', model: 'other' });
    await seat.say('on');
    await linked.idle();
    expect(other.requests).toHaveLength(1);
  });

  test('one that is switched off is no longer offered, also where it is called all the same', async () => {
    const system = createMemorySystem();
    await write(system, mine('scout'), profile('scout', 'reader'));
    const saved: unknown[] = [];
    const script = scriptedModel(['hello', spawn('scout'), 'thanks']);
    const { linked, seat } = await open('in process', system, script, {
      saveDefaults: async (values) => {
        saved.push(values);
        return true;
      },
    });
    await seat.say('go');
    await linked.idle();
    await seat.command('agent', 'off scout');
    await seat.say('go on');
    await linked.idle();
    expect(saved).toEqual([{ agentsDisabled: ['scout'] }]);
    expect(JSON.stringify(script.requests[0]!.tools)).toContain('scout');
    expect(JSON.stringify(script.requests[1]!.tools)).not.toContain('scout');
    expect(JSON.stringify(script.requests[2]!.messages)).toContain('must be one of reader, checker, worker');
  });

  test('/agent alone lists every definition with its state, and what is wrong with it', async () => {
    const system = createMemorySystem();
    await write(system, mine('alpha'), profile('alpha', 'primary'));
    await write(system, mine('beta'), profile('beta', 'reader'));
    await write(system, mine('gamma'), 'half');
    const { linked, seat } = await open('in process', system, scriptedModel([]), {
      primary: 'alpha',
      disabled: ['gamma'],
    });
    await seat.command('agent');
    await linked.settle();
    expect(flashes(seat).at(-1)).toBe(
      [
        'Agent: alpha',
        'alpha (primary, selected): About alpha.',
        'beta (reader, on): About beta.',
        `gamma (broken, off): ${mine('gamma')} does not begin with front matter between two lines of ---`,
      ].join('\n'),
    );
    for (const argument of ['beta', 'gamma', 'nobody', 'off alpha', 'on nobody', 'on'])
      expect((await seat.command('agent', argument)).accepted).toBe(false);
  });
});
