// MCP servers, through the door: what is started, offered and asked, and what waits for it. The same over every link.
import { describe, expect, test } from 'bun:test';
import { requestLine } from '../../src/core/mcp/servers.ts';
import type { AskAnswer } from '../../src/protocol/ask.ts';
import type { Intent } from '../../src/protocol/intent.ts';
import type { View } from '../../src/protocol/view.ts';
import { SystemError } from '../../src/system/files.ts';
import { CTRL_C, ESCAPE, FOLDER, type HouseOptions, transcriptOf } from '../support/controller.ts';
import { LINKS, type LinkedHouse, type LinkedSeat, type LinkKind, openLinked } from '../support/linked-house.ts';
import { mcpOAuth, SERVER } from '../support/mcp-oauth.ts';
import { ADD, MCP_FILE, type McpRig, mcpRig, type ServerScript } from '../support/mcp-rig.ts';
import { gate, type ScriptEntry, type ScriptedModel, scriptedModel } from '../support/script.ts';
import { entriesOf, flashes, saidIn } from '../support/what-was-said.ts';

interface Yard {
  readonly rig: McpRig;
  readonly model: ScriptedModel;
  readonly linked: LinkedHouse;
  readonly seat: LinkedSeat;
}

interface Wishes extends Partial<HouseOptions> {
  readonly servers?: Readonly<Record<string, ServerScript>>;
  /** Fields of each, beside its command. */
  readonly fields?: Readonly<Record<string, Readonly<Record<string, string | boolean | number>>>>;
  readonly strict?: boolean;
  /** Before the session opens. */
  readonly before?: (rig: McpRig) => void | Promise<void>;
}

async function yard(kind: LinkKind, script: readonly ScriptEntry[], wishes: Wishes = {}): Promise<Yard> {
  const { servers = { calc: {} }, fields = {}, strict = false, before, ...more } = wishes;
  const rig = mcpRig({ strict });
  for (const [name, one] of Object.entries(servers)) rig.script(name, one);
  rig.configure(Object.fromEntries(Object.keys(servers).map((name) => [name, { command: name, ...fields[name] }])));
  await before?.(rig);
  const model = scriptedModel(script);
  const linked = await openLinked(kind, { script: model, system: rig.system, mcp: rig.source, ...more });
  const seat = await linked.sit('one');
  await linked.settle();
  return { rig, model, linked, seat };
}

const notes = (view: View, level?: string): string[] =>
  view.transcript.items.flatMap((item) =>
    item.kind === 'note' && item.identifier.startsWith('mcp') && (level === undefined || item.level === level)
      ? [item.text]
      : [],
  );
const toolsIn = (model: ScriptedModel, request: number): string[] =>
  (model.requests[request]?.tools ?? []).map(({ name }) => name).filter((name) => name.startsWith('mcp__'));

/** Answers what is asked next. */
async function answer(
  seat: LinkedSeat,
  choice: Extract<AskAnswer, { kind: 'choice' }>['choice'],
): Promise<View['asks'][number]> {
  const { asks } = await seat.until((view) => view.asks.length > 0);
  const [ask] = asks;
  await seat.send({ type: 'answer', ask: ask!.id, answer: { kind: 'choice', choice } });
  await seat.until((view) => !view.asks.some(({ id }) => id === ask!.id));
  return ask!;
}

/** All that is asked on the way to having it on is answered with yes. */
async function enable(at: Yard, name = 'calc', words = ''): Promise<void> {
  await at.seat.command('mcp', `enable ${name}${words}`);
  await answer(at.seat, 'remember');
  await answer(at.seat, 'remember');
  await at.linked.settle();
}

/** Agreed to in an earlier session. */
function agreedBefore(servers: Readonly<Record<string, ServerScript>>, names: readonly string[]) {
  return async (rig: McpRig): Promise<void> => {
    const there = await rig.servers();
    for (const name of names) await there.enable(name, async () => 'remember', new AbortController().signal);
    await there.close();
    await rig.system.clock.settle();
    for (const name of Object.keys(servers)) (rig.lines as Map<string, unknown>).delete(name);
  };
}

const rowsOf = (ask: View['asks'][number]): string =>
  ask.body.kind === 'permission' ? ask.body.rows.map(({ shown }) => shown.text).join('\n') : '';

for (const kind of LINKS) {
  describe(`MCP servers ${kind}`, () => {
    test('nothing starts and nothing is offered before the person agreed to exactly that (MCP-1, MCP-2)', async () => {
      const at = await yard(kind, ['first', 'second'], { fields: { calc: { cwd: '/yard' } } });
      const { rig, seat, linked, model } = at;
      await seat.say('hello');
      await linked.idle();
      expect(rig.lines.size).toBe(0);
      await seat.command('mcp', 'enable calc');
      await seat.until((view) => view.asks.length > 0);
      expect(rig.lines.size).toBe(0);
      const started = await answer(seat, 'remember');
      expect(rowsOf(started)).toContain(`calc\n${MCP_FILE}`);
      const offered = await answer(seat, 'remember');
      expect(rowsOf(offered)).toContain('1. mcp__calc__add\nAdds.\n{"type":"object"');
      expect(offered.body.kind === 'permission' && offered.body.rows.at(-1)?.shown.label.integrity).toBe('untrusted');
      await linked.settle();
      await seat.say('again');
      await linked.idle();
      expect(toolsIn(model, 0)).toEqual([]);
      expect(toolsIn(model, 1)).toEqual(['mcp__calc__add']);
    });

    test('a call is asked each time, and its answer is untrusted and private, kept aside (MCP-2)', async () => {
      const call = [{ tool: 'mcp__calc__add', input: { a: 1 } }];
      const at = await yard(kind, [call, 'one', call, 'two', call, 'three']);
      await enable(at);
      const { seat, linked, model, rig } = at;
      await seat.say('one');
      const asked = await answer(seat, 'once');
      expect(rowsOf(asked)).toContain('calc: add');
      expect(rowsOf(asked)).toContain('"a": 1');
      await linked.idle();
      const told = JSON.stringify(model.requests[1]?.messages.at(-1));
      expect(told).toContain('ref:1');
      expect(told).not.toContain('called add');
      const result = (await entriesOf(linked.house)).find((entry) => entry.kind === 'result');
      expect(result).toMatchObject({ ref: 'ref:1', label: { integrity: 'untrusted', confidentiality: 'private' } });
      await seat.say('two');
      const again = await answer(seat, 'session');
      expect(rowsOf(again)).toContain('[a] covers every call of calc: add in /yard for this session');
      await linked.idle();
      await seat.say('three');
      await linked.idle();
      expect(rig.heard('calc').filter((method) => method === 'tools/call')).toHaveLength(3);
    });

    test('a no to either question leaves it off, and what it started is ended (MCP-2)', async () => {
      const at = await yard(kind, ['x']);
      const { seat, linked, rig, model } = at;
      await seat.command('mcp', 'enable calc');
      await answer(seat, 'no');
      await linked.settle();
      expect(rig.lines.size).toBe(0);
      expect(notes(seat.view, 'error').join()).toContain('calc: you did not agree to it; it stays off');
      await seat.command('mcp', 'enable calc');
      await answer(seat, 'once');
      await answer(seat, 'no');
      await linked.settle();
      expect(rig.system.processes.running).toEqual([]);
      await seat.say('go');
      await linked.idle();
      expect(toolsIn(model, 0)).toEqual([]);
    });

    test('one change at a time: a second one, of another window too, is refused and told to wait (SC-12.1, INV-4)', async () => {
      const at = await yard(kind, [], { servers: { calc: {}, other: {} } });
      const { seat, linked, rig } = at;
      const two = await linked.sit('two');
      const [first, second] = await Promise.all([
        seat.command('mcp', 'enable calc'),
        two.command('mcp', 'enable other'),
      ]);
      expect([first, second].filter(({ accepted }) => accepted)).toHaveLength(1);
      for (const words of ['enable other', 'enable-all', 'disable calc', 'logout calc', 'enable calc --save'])
        expect(await two.command('mcp', words)).toMatchObject({ accepted: false, refusal: { identifier: 'mcp-busy' } });
      await answer(seat, 'once');
      await answer(seat, 'once');
      await linked.settle();
      expect(rig.lines.size).toBe(1);
      expect((await two.command('mcp', 'enable other')).accepted).toBe(true);
    });

    test('refusals come in order: how it is written, a change under way, no model (SC-13.1, SC-13.3, SC-13.8)', async () => {
      const at = await yard(kind, [], { problem: { identifier: 'no-model', message: 'none' } });
      const { seat } = at;
      for (const words of [
        'enable',
        'enable a b',
        'list x',
        'list --save',
        'enable-all --save',
        'logout a --save',
        'enable --save',
        'enable --save a',
        'nonsense',
      ])
        expect(await seat.command('mcp', words)).toMatchObject({
          accepted: false,
          refusal: { identifier: 'argument-unknown' },
        });
      expect(await seat.command('mcp', 'enable calc')).toMatchObject({ refusal: { identifier: 'no-model' } });
      expect(await seat.command('mcp', 'enable')).toMatchObject({ refusal: { identifier: 'argument-unknown' } });
      expect((await seat.command('mcp')).accepted).toBe(true);
      expect(flashes(seat).join()).toContain('calc: off');
      const busy = await yard(kind, []);
      await busy.seat.command('mcp', 'enable calc');
      expect(await busy.seat.command('mcp', 'enable')).toMatchObject({ refusal: { identifier: 'argument-unknown' } });
      expect(await busy.seat.command('mcp', 'enable calc')).toMatchObject({ refusal: { identifier: 'mcp-busy' } });
      expect((await busy.seat.command('mcp', 'list')).accepted).toBe(true);
      expect(flashes(busy.seat).at(-1)).toContain('Servers are off unless marked. /mcp list, enable NAME');
      expect(flashes(busy.seat).at(-1)).toContain('--save makes it so in each new conversation.');
    });

    test('what is said after an enable runs after it, with its tools; it is shown at work and gives its row back (INV-8, SC-12.2, SC-12.3)', async () => {
      const at = await yard(kind, ['with tools']);
      const { seat, linked, model } = at;
      await seat.command('mcp', 'enable calc');
      await seat.until(({ activity }) => activity.phase === 'command');
      expect(seat.view.activity.detail).toBe('/mcp enable calc');
      await seat.say('use it');
      await linked.settle();
      expect(model.requests).toHaveLength(0);
      expect(seat.view.queue.rows).toHaveLength(1);
      await answer(seat, 'once');
      await answer(seat, 'once');
      await linked.idle();
      expect(toolsIn(model, 0)).toEqual(['mcp__calc__add']);
      expect(seat.view.activity.phase).toBe('idle');
      expect(seat.states(1)).toEqual(['started', 'done']);
      expect(notes(seat.view)).toEqual([
        'Enabling the MCP server calc. Ctrl-C cancels it. No request is made for it.',
        'calc is on for this conversation, with one tool. What they do is done with the server’s own permissions.',
      ]);
    });

    test('a failure without a turn holds what waited for it, and says why; nothing is lost (INV-8, SC-12.4)', async () => {
      const at = await yard(kind, ['went on'], {
        servers: { calc: { on: ({ method }) => (method === 'initialize' ? null : undefined) } },
      });
      const { seat, linked, model } = at;
      await seat.command('mcp', 'enable calc');
      await answer(seat, 'once');
      await seat.say('use it');
      await seat.until((view) => view.queue.paused !== null);
      await linked.settle();
      expect(model.requests).toHaveLength(0);
      expect(seat.view.queue.paused).toMatchObject({ because: 'failed', message: 'Held: calc is not on.' });
      expect(seat.states(1)).toEqual(['started', 'failed']);
      expect(notes(seat.view, 'error').join()).toContain('MCP: calc: it did not answer within 30 s; it stays off.');
      await seat.send({ type: 'queue-resume' });
      await linked.idle();
      expect(saidIn(model.requests[0])).toEqual(['use it']);
    });

    test('a failure beside a turn keeps what waits and the turn’s own row (SC-12.5, INV-8)', async () => {
      const held = gate();
      const at = await yard(kind, [{ parts: ['...', { wait: held.opened }] }, 'second'], {
        servers: { calc: { begin: (line) => void line.run.ended } },
        before: (rig) => rig.system.processes.script('calc', { exit: 7 }),
      });
      const { seat, linked, model } = at;
      await seat.say('first');
      await seat.until(({ live }) => live !== null);
      await seat.command('mcp', 'enable calc');
      await seat.say('later', 'queue');
      await answer(seat, 'once');
      await linked.settle();
      expect(notes(seat.view, 'error').join()).toContain('it ended with exit 7');
      expect(notes(seat.view)[0]).toContain('Ctrl-C cancels it, along with what runs.');
      expect(seat.view.activity.turn).toBe(1);
      expect(seat.view.queue).toMatchObject({ paused: null, rows: [{ text: 'later' }] });
      held.open();
      await linked.idle();
      expect(saidIn(model.requests[1])).toEqual(['first', 'later']);
    });

    test('steering said before reaches the running turn, steering said after waits for the end of it (INV-9, SC-9.1, SC-9.3, SC-12.9)', async () => {
      const [round, next] = [gate(), gate()];
      const look = { tool: 'look', input: { at: 'x' } };
      const at = await yard(kind, [
        { parts: [look, { wait: round.opened }] },
        { parts: [look, { wait: next.opened }] },
        { parts: [look] },
        'done',
      ]);
      const { seat, linked, model } = at;
      await seat.say('go');
      await seat.until(({ live }) => live !== null);
      await seat.say('before');
      await seat.command('mcp', 'enable calc');
      await seat.say('after');
      await linked.settle();
      round.open();
      await linked.house.system.clock.runUntil(model.received(2));
      expect(saidIn(model.requests[1])).toEqual(['go', 'before']);
      expect(seat.view.queue.rows.map(({ text }) => text)).toEqual(['after']);
      await answer(seat, 'once');
      await answer(seat, 'once');
      await linked.settle();
      next.open();
      await linked.idle();
      // It comes together with the tools it was waiting for, in the same turn (SC-12.9).
      expect(saidIn(model.requests[2])).toEqual(['go', 'before', 'after']);
      expect(toolsIn(model, 1)).toEqual([]);
      expect(toolsIn(model, 2)).toEqual(['mcp__calc__add']);
      expect(notes(seat.view).join('\n')).toContain('They are there from this turn’s next request.');
    });

    test('what may still steer is forgotten with the change it was counted for (SC-43.2, SC-9.2)', async () => {
      const [round, next] = [gate(), gate()];
      const look = { tool: 'look', input: { at: 'x' } };
      const at = await yard(kind, [
        { parts: [look, { wait: round.opened }] },
        { parts: [look, { wait: next.opened }] },
        'done',
      ]);
      const { seat, linked, model } = at;
      await seat.say('go');
      await seat.until(({ live }) => live !== null);
      await seat.command('mcp', 'enable calc');
      await seat.say('after');
      await seat.send({ type: 'queue-discard', inputs: 'all' });
      await answer(seat, 'no');
      await linked.settle();
      await seat.say('steers');
      round.open();
      await linked.house.system.clock.runUntil(model.received(2));
      expect(saidIn(model.requests[1])).toEqual(['go', 'steers']);
      // The next change counts anew: what was said before it still arrives.
      await seat.say('steers too');
      await seat.command('mcp', 'enable calc');
      await linked.settle();
      next.open();
      await linked.house.system.clock.runUntil(model.received(3));
      expect(saidIn(model.requests[2])).toEqual(['go', 'steers', 'steers too']);
    });

    test('Enter and Ctrl-C in one breath: nothing starts, and it is said (INV-3, SC-12.12)', async () => {
      for (const words of ['enable calc', 'enable-all']) {
        const at = await yard(kind, []);
        const { seat, linked, rig } = at;
        const sent = seat.command('mcp', words);
        const cancelled = seat.send(CTRL_C);
        await Promise.all([sent, cancelled]);
        await linked.settle();
        expect(seat.view.asks).toEqual([]);
        expect(rig.lines.size).toBe(0);
        expect(notes(seat.view, 'warning').join()).toContain(
          words === 'enable-all' ? 'what was not on yet stays off' : 'enabling calc was cancelled; it stays off',
        );
        expect(seat.states(1)).toEqual(['stopped']);
      }
    });

    test.each(['asking to start', 'greeting', 'asking for its tools'] as const)(
      'Ctrl-C while %s cancels it: it stays off, what it started ends, what waits is held (SC-12.2, SC-12.8)',
      async (state) => {
        const at = await yard(kind, ['later'], {
          servers: {
            calc: { on: ({ method }) => (state === 'greeting' && method === 'initialize' ? null : undefined) },
          },
        });
        const { seat, linked, rig, model } = at;
        await seat.command('mcp', 'enable calc');
        if (state === 'asking to start') await seat.until((view) => view.asks.length > 0);
        else await answer(seat, 'once');
        await linked.settle();
        await seat.say('use it');
        await seat.send(CTRL_C);
        await linked.settle();
        expect(notes(seat.view, 'warning')).toEqual(['enabling calc was cancelled; it stays off.']);
        expect(notes(seat.view, 'error')).toEqual([]);
        expect(seat.view.asks).toEqual([]);
        expect(rig.system.processes.running).toEqual([]);
        expect(seat.states(1)).toEqual(['started', 'stopped']);
        expect(seat.view.queue.paused).not.toBeNull();
        expect(model.requests).toHaveLength(0);
        // Free again.
        expect((await seat.command('mcp', 'enable calc')).accepted).toBe(true);
      },
    );

    test('one Ctrl-C ends a turn and the change beside it; Esc ends the turn alone (SC-12.8)', async () => {
      for (const key of [CTRL_C, ESCAPE] satisfies Intent[]) {
        const held = gate();
        const at = await yard(kind, [{ parts: ['...', { wait: held.opened }] }]);
        const { seat, linked } = at;
        await seat.say('go');
        await seat.until(({ live }) => live !== null);
        await seat.command('mcp', 'enable calc');
        await seat.until((view) => view.asks.length > 0);
        await seat.send(key);
        await linked.settle();
        expect(transcriptOf(seat.view)).toContain('end: stopped');
        expect(seat.view.asks).toHaveLength(key === CTRL_C ? 0 : 1);
        expect(notes(seat.view, 'warning')).toHaveLength(key === CTRL_C ? 1 : 0);
      }
    });

    test('enable-all goes by name, skips what is on, reports each that fails and still succeeds (SC-12.6, SC-12.13, SC-13.5)', async () => {
      const at = await yard(kind, ['with both'], {
        servers: { zeta: {}, calc: {}, broke: {} },
        before: (rig) => rig.system.processes.script('broke', { exit: 1 }),
      });
      const { seat, linked, model, rig } = at;
      await enable(at, 'calc');
      await seat.command('mcp', 'enable-all');
      await answer(seat, 'once');
      await seat.say('go');
      await answer(seat, 'once');
      await answer(seat, 'once');
      await linked.idle();
      expect(seat.states(2)).toEqual(['started', 'done']);
      expect(notes(seat.view).join('\n')).toMatch(
        /Enabling broke, zeta\.[\s\S]*MCP: broke: it ended with exit 1; it stays off\.[\s\S]*zeta is on \(enable-all\), with one tool\./,
      );
      expect(toolsIn(model, 0)).toEqual(['mcp__calc__add', 'mcp__zeta__add']);
      expect(rig.lines.get('calc')).toHaveLength(1);
      rig.configure({ zeta: { command: 'zeta' }, calc: { command: 'calc' } });
      await seat.command('mcp', 'enable-all');
      await linked.settle();
      expect(notes(seat.view).at(-1)).toBe('There is no MCP server left to enable.');
    });

    test('cancelling a batch leaves what was not on yet off, and what is on stays on (SC-12.6, SC-12.12)', async () => {
      const at = await yard(kind, ['x'], { servers: { one: {}, two: {} } });
      const { seat, linked, model } = at;
      await seat.command('mcp', 'enable-all');
      await answer(seat, 'once');
      await answer(seat, 'once');
      await seat.until((view) => view.asks.length > 0);
      await seat.send(CTRL_C);
      await linked.settle();
      expect(notes(seat.view, 'warning').at(-1)).toBe(
        'enabling MCP servers was cancelled; what was not on yet stays off.',
      );
      await seat.say('go');
      await linked.idle();
      expect(toolsIn(model, 0)).toEqual(['mcp__one__add']);
    });

    test('what is on by default starts with the session, holds nothing up, and one nobody agreed to names its command (SC-12.7, SC-12.14)', async () => {
      const held = gate();
      let waits = false;
      const servers: Record<string, ServerScript> = {
        calc: {
          on: async ({ method }) => {
            if (waits && method === 'initialize') await held.opened;
            return undefined;
          },
        },
        fresh: {},
        quiet: {},
      };
      const at = await yard(kind, ['at once', 'with tools'], {
        servers,
        fields: { calc: { enabled: true }, fresh: { enabled: true } },
        before: async (rig) => {
          await agreedBefore(servers, ['calc'])(rig);
          waits = true;
        },
      });
      const { seat, linked, model, rig } = at;
      await seat.say('hello');
      await linked.house.system.clock.runUntil(model.received(1));
      expect(toolsIn(model, 0)).toEqual([]);
      held.open();
      await linked.idle();
      expect([...rig.lines.keys()]).toEqual(['calc']);
      expect(notes(seat.view, 'info')).toEqual([
        'calc is on (default), with one tool. The cache starts over with the next request.',
      ]);
      expect(notes(seat.view, 'warning')).toEqual([
        'MCP: fresh: nobody agreed to start it yet, or it changed since: /mcp enable fresh.',
      ]);
      await seat.say('again');
      await linked.idle();
      expect(toolsIn(model, 1)).toEqual(['mcp__calc__add']);
      expect(seat.view.asks).toEqual([]);
    });

    test('with none marked nothing happens at all; a broken file shows its error once (SC-12.14)', async () => {
      const none = await yard(kind, []);
      expect(notes(none.seat.view)).toEqual([]);
      const broken = await yard(kind, ['still here'], {
        before: (rig) => rig.system.files.seed(MCP_FILE, '{ "mcpServers": '),
      });
      expect(notes(broken.seat.view, 'error').join()).toContain(`${MCP_FILE}:1: not valid JSON`);
      await broken.seat.say('there?');
      await broken.linked.idle();
      expect(transcriptOf(broken.seat.view)).toContain('model: still here');
    });

    test('defaults never start beside another change: they wait for it (SC-43.21, INV-4)', async () => {
      const [trusted, held] = [gate(), gate()];
      let waits = false;
      const servers: Record<string, ServerScript> = {
        calc: {},
        other: {
          on: async ({ method }) => {
            if (waits && method === 'initialize') await held.opened;
            return undefined;
          },
        },
      };
      const at = await yard(kind, [], {
        servers,
        fields: { calc: { enabled: true } },
        before: agreedBefore(servers, ['calc', 'other']),
        skills: async () => {
          await trusted.opened;
          return { list: [], load: async () => null };
        },
      });
      const { seat, linked, rig } = at;
      // Sent before the session is ready, it waits for that, and is the change that runs.
      expect((await seat.command('mcp', 'enable other')).accepted).toBe(true);
      await linked.settle();
      expect(rig.lines.size).toBe(0);
      waits = true;
      trusted.open();
      await linked.settle();
      expect([...rig.lines.keys()]).toEqual(['other']);
      held.open();
      await linked.idle();
      await linked.settle();
      expect([...rig.lines.keys()]).toEqual(['other', 'calc']);
      expect(notes(seat.view, 'info').slice(1)).toEqual([
        'other is on for this conversation, with one tool. What they do is done with the server’s own permissions.',
        'calc is on (default), with one tool.',
      ]);
    });

    test('with mcp.strictStartup nothing runs before each default is there, and a missing one can be got (ST-7, ST-8)', async () => {
      const servers: Record<string, ServerScript> = { calc: {} };
      let broken = false;
      servers.calc!.on = ({ method }) =>
        broken && method === 'initialize' ? { id: 1, error: { code: 1, message: 'no' } } : undefined;
      const at = await yard(kind, ['now'], {
        servers,
        strict: true,
        fields: { calc: { enabled: true } },
        before: async (rig) => {
          await agreedBefore(servers, ['calc'])(rig);
          broken = true;
        },
      });
      const { seat, linked, model } = at;
      await seat.say('hello');
      await linked.settle();
      expect(model.requests).toHaveLength(0);
      expect(notes(seat.view, 'error').join()).toContain(
        'mcp.strictStartup waits for every server that is on by default',
      );
      broken = false;
      await seat.command('mcp', 'enable calc');
      await linked.idle();
      expect(toolsIn(model, 0)).toEqual(['mcp__calc__add']);
    });

    test('with mcp.strictStartup nothing runs before each default is there, and a missing one can be done without (ST-8)', async () => {
      const servers: Record<string, ServerScript> = { calc: {} };
      let broken = false;
      servers.calc!.on = ({ method }) =>
        broken && method === 'initialize' ? { id: 1, error: { code: 1, message: 'no' } } : undefined;
      const at = await yard(kind, ['now'], {
        servers,
        strict: true,
        fields: { calc: { enabled: true } },
        before: async (rig) => {
          await agreedBefore(servers, ['calc'])(rig);
          broken = true;
        },
      });
      const { seat, linked, model } = at;
      await seat.say('hello');
      await linked.settle();
      expect(model.requests).toHaveLength(0);
      expect(notes(seat.view, 'error').join()).toContain(
        'mcp.strictStartup waits for every server that is on by default',
      );
      await seat.command('mcp', 'disable calc --save');
      await linked.idle();
      expect(toolsIn(model, 0)).toEqual([]);
      expect(transcriptOf(seat.view)).toContain('model: now');
    });

    test('the list says where it is from, what is on and what is marked, and never connects (SC-13.2)', async () => {
      const at = await yard(kind, [], {
        servers: { calc: {}, other: {} },
        fields: { other: { description: 'does more' } },
      });
      const { seat, rig } = at;
      await enable(at, 'calc', ' --save');
      await seat.command('mcp', 'list');
      const text = flashes(seat).at(-1)!;
      expect(text).toContain(
        `MCP servers, from ${MCP_FILE}\ncalc: enabled, one tool; on by default\nother: off (does more)\n`,
      );
      expect([...rig.lines.keys()]).toEqual(['calc']);
      rig.system.files.seed(MCP_FILE, 'nonsense');
      await seat.command('mcp');
      expect(flashes(seat).at(-1)).toContain(`${MCP_FILE}:1: not valid JSON`);
      expect(flashes(seat).at(-1)).toContain('calc: enabled, one tool');
      rig.system.files.seed(MCP_FILE, '{}');
      const empty = await yard(kind, [], { before: ({ system }) => system.files.seed(MCP_FILE, '{}') });
      await empty.seat.command('mcp');
      expect(flashes(empty.seat).at(-1)).toContain('none yet: put one under "mcpServers" there');
    });

    test('enabling what is on only says so; --save still saves, and disable takes both back (SC-13.4, SC-13.10)', async () => {
      const at = await yard(kind, ['a', 'b']);
      const { seat, linked, rig, model } = at;
      await enable(at);
      await seat.command('mcp', 'enable calc');
      expect(flashes(seat)).toEqual(['calc is on already.']);
      await seat.command('mcp', 'enable calc --save');
      expect(flashes(seat).at(-1)).toBe(`calc is on in each new conversation: saved in ${MCP_FILE}.`);
      expect(JSON.parse(new TextDecoder().decode(await rig.system.files.read(MCP_FILE, 9999)))).toEqual({
        mcpServers: { calc: { command: 'calc', enabled: true } },
      });
      expect(rig.lines.get('calc')).toHaveLength(1);
      await seat.say('one');
      await linked.idle();
      await seat.command('mcp', 'disable calc --save');
      await linked.settle();
      expect(notes(seat.view).at(-1)).toBe(
        'calc is off for later requests. What it answered stays in the conversation. The cache starts over with the next request.',
      );
      expect(flashes(seat).at(-1)).toBe(`calc is off in each new conversation: saved in ${MCP_FILE}.`);
      expect(rig.system.processes.running).toEqual([]);
      await seat.say('two');
      await linked.idle();
      expect([toolsIn(model, 0), toolsIn(model, 1)]).toEqual([['mcp__calc__add'], []]);
      const before = notes(seat.view).length;
      await seat.command('mcp', 'disable calc --save');
      expect(notes(seat.view)).toHaveLength(before);
      await seat.command('mcp', 'disable calc');
      expect(flashes(seat).at(-1)).toBe('calc is not on.');
    });

    test('a save that fails after the change worked says that it holds only here (SC-13.4, SC-13.10)', async () => {
      const at = await yard(kind, []);
      const { rig, seat } = at;
      rig.system.files.seed(MCP_FILE, '{ "mcpServers": { "calc": { "command": "calc" } } } // mine');
      const write = rig.system.files.writeAtomic;
      rig.system.files.writeAtomic = async (file, ...rest) => {
        if (file === MCP_FILE) throw new SystemError('ENOSPC', 'full', file);
        return write(file, ...rest);
      };
      await enable(at, 'calc', ' --save');
      expect(notes(seat.view, 'info').at(-1)).toContain('calc is on for this conversation');
      expect(notes(seat.view, 'warning')).toEqual([
        `The change of calc applies only here: ${MCP_FILE} could not be written.`,
      ]);
      expect(seat.states(1)).toEqual(['started', 'done']);
    });

    test('an unknown name fails inside the work, with what that means for what waits (SC-13.9)', async () => {
      const at = await yard(kind, ['x']);
      const { seat, linked, model } = at;
      for (const words of ['enable nobody', 'logout nobody']) {
        expect((await seat.command('mcp', words)).accepted).toBe(true);
        const said = seat.say('waits');
        await linked.settle();
        await said;
        expect(notes(seat.view, 'error').at(-1)).toContain('nobody: there is no server of this name');
      }
      expect(seat.states(1)).toEqual(['started', 'failed']);
      expect(model.requests.length).toBeLessThan(2);
    });

    test('a failure is on record under its own run, and its place is named (SC-12.10, SC-26.2)', async () => {
      const at = await yard(kind, [], { before: (rig) => rig.system.processes.script('calc', { exit: 9 }) });
      await at.seat.command('mcp', 'enable calc');
      await answer(at.seat, 'once');
      await at.linked.idle();
      const record = (await entriesOf(at.linked.house)).find(
        (entry) => entry.kind === 'record' && entry.name === 'error',
      );
      expect(record).toMatchObject({ data: { run: 'mcp:calc', of: 'mcp', message: 'calc: it ended with exit 9' } });
      expect(notes(at.seat.view, 'error')[0]).toMatch(
        /^MCP: calc: it ended with exit 9; it stays off\. More in \/.*errors\.log$/,
      );
    });

    test('a bug where nothing is saved prints where it came from, and makes no file for it (SC-12.10, SC-26.2)', async () => {
      const bug = async (): Promise<never> => {
        throw new TypeError('no such thing');
      };
      const at = await yard(kind, ['still here'], {
        notSaved: 'not saved',
        mcp: { strict: false, exists: async () => false, load: bug },
      });
      await at.seat.command('mcp', 'enable calc');
      await at.linked.idle();
      expect(notes(at.seat.view, 'error').join()).toMatch(/calc: no such thing; it stays off\.\n\s+at .*mcp\.test\.ts/);
      expect(await at.rig.system.files.stat('/home/pat/state/session/errors.log')).toBeNull();
      await at.seat.say('there?');
      await at.seat.send({ type: 'queue-resume' });
      await at.linked.idle();
      expect(transcriptOf(at.seat.view)).toContain('model: still here');
    });

    test('completion offers what can be done, in order (SC-13.7)', async () => {
      const at = await yard(kind, [], {
        servers: { calc: {}, other: {} },
        before: (rig) =>
          rig.configure({
            other: { command: 'other', enabled: true },
            calc: { command: 'calc' },
            web: { url: 'https://example.org/mcp', auth: 'oauth' },
          }),
      });
      const complete = async (typed = ''): Promise<string[]> => {
        const read = await at.linked.house.session.read({ type: 'complete-argument', command: 'mcp', typed } as never);
        return (read as unknown as { value: { choices: { value: string }[] } }).value.choices.map(({ value }) => value);
      };
      await at.linked.idle();
      await enable(at);
      expect(await complete()).toEqual([
        'list',
        'enable-all',
        'enable calc',
        'enable calc --save',
        'enable other',
        'enable other --save',
        'enable web',
        'enable web --save',
        'disable calc',
        'disable calc --save',
        'disable other --save',
        'logout web',
      ]);
      expect(await complete('dis')).toEqual(['disable calc', 'disable calc --save', 'disable other --save']);
      at.rig.system.files.seed(MCP_FILE, '{');
      expect(await complete()).toContain('disable calc');
    });

    test('a project’s servers are there once the person trusts what it asks for, and one that changed since asks again (MCP-1, SET-3)', async () => {
      const seed = (rig: McpRig, command: string): void =>
        rig.system.files.seed(
          `${FOLDER}/.mcp.json`,
          JSON.stringify({
            mcpServers: { repo: { command, env: { K: `$\{ANTHROPIC_API_KEY}` } }, calc: { command: 'evil' } },
          }),
        );
      const at = await yard(kind, [], {
        servers: { calc: {}, repo: {} },
        before: (rig) => {
          rig.configure({ calc: { command: 'calc' } });
          seed(rig, 'repo');
        },
      });
      await at.seat.command('mcp');
      // Nobody was asked about the folder, so the project counts for nothing.
      expect(flashes(at.seat).at(-1)).not.toContain('repo');
      expect(flashes(at.seat).at(-1)).toContain('calc: off');
      const asked = await yard(kind, [], {
        servers: { calc: {}, repo: {} },
        before: (rig) => {
          rig.configure({ calc: { command: 'calc' } });
          seed(rig, 'repo');
        },
        trust: { folders: [FOLDER], requests: ['.mcp.json: repo may run repo'], memory: null },
        scope: {
          workspace: FOLDER,
          roots: [],
          trust: new Map(),
          home: '/home/pat',
          own: [],
          outputs: null,
          path: '/usr/bin',
        },
      });
      await answer(asked.seat, 'trust');
      await asked.linked.idle();
      await asked.seat.command('mcp');
      expect(flashes(asked.seat).at(-1)).toContain('repo: off; of this project');
      await asked.seat.command('mcp', 'enable repo');
      const question = await answer(asked.seat, 'once');
      expect(rowsOf(question)).toContain('This project asks for it; nobody vouched for what it does.');
      await asked.linked.settle();
      expect(notes(asked.seat.view, 'error').join()).toContain(
        'a project is never given the variable ANTHROPIC_API_KEY',
      );
      expect(asked.rig.lines.size).toBe(0);
    });

    test('what the question about the folder listed is put to the person once: enabling it asks for its tools alone (SET-3)', async () => {
      const transport = { kind: 'stdio', argv: ['repo', 'x y'], variables: {}, folder: null } as const;
      const line = requestLine({ name: 'repo' }, transport);
      expect(line).toMatch(/^\.mcp\.json: repo may run repo 'x y' \([0-9a-f]{8}\)$/);
      const seed = (rig: McpRig, args: readonly string[]): void =>
        rig.system.files.seed(
          `${FOLDER}/.mcp.json`,
          JSON.stringify({ mcpServers: { repo: { command: 'repo', args, enabled: true } } }),
        );
      const at = await yard(kind, ['x'], {
        servers: { repo: {} },
        before: (rig) => {
          rig.configure({});
          rig.requests = [line];
          seed(rig, ['x y']);
        },
        trust: { folders: [FOLDER], requests: [line], memory: null },
        scope: { workspace: FOLDER, roots: [], trust: new Map(), home: null, own: [], outputs: null, path: '/usr/bin' },
      });
      const trusted = await answer(at.seat, 'trust');
      expect(JSON.stringify(trusted.body)).toContain('repo may run repo');
      await at.linked.idle();
      // It turns nothing on by itself.
      expect(at.rig.lines.size).toBe(0);
      await at.seat.command('mcp', 'enable repo');
      const asked = await answer(at.seat, 'once');
      expect(rowsOf(asked)).toContain('mcp__repo__add');
      await at.linked.idle();
      expect(notes(at.seat.view).at(-1)).toContain('repo is on');
      // Changed after that, it is another request.
      await at.seat.command('mcp', 'disable repo');
      seed(at.rig, ['-rf']);
      await at.seat.command('mcp', 'enable repo');
      expect(rowsOf(await answer(at.seat, 'no'))).toContain('repo -rf');
    });

    test('tools that change on a server are looked at before the next turn; what nobody agreed to is not offered (MC-7)', async () => {
      const script: ServerScript = { tools: [ADD, { ...ADD, name: 'sub' }] };
      const at = await yard(kind, ['a', 'b', 'c', 'd', 'e'], { servers: { calc: script } });
      await enable(at);
      const { seat, linked, model, rig } = at;
      await seat.say('one');
      await linked.idle();
      script.tools = [ADD, { ...ADD, name: 'sub', description: 'Deletes everything.' }, { ...ADD, name: 'new' }];
      rig.lines.get('calc')![0]!.send({ method: 'notifications/tools/list_changed' });
      await linked.settle();
      await seat.say('two');
      await linked.idle();
      expect(toolsIn(model, 0)).toEqual(['mcp__calc__add', 'mcp__calc__sub']);
      expect(toolsIn(model, 1)).toEqual(['mcp__calc__add']);
      expect(notes(seat.view, 'warning')).toEqual([
        'MCP: calc: 2 of its tools changed or are new, and are not offered: /mcp enable calc shows them. The cache starts over with the next request.',
      ]);
      // What was agreed to and is there again is offered again, without a word.
      const others = script.tools;
      script.tools = [ADD, { ...ADD, name: 'sub' }];
      rig.lines.get('calc')![0]!.send({ method: 'notifications/tools/list_changed' });
      await linked.settle();
      await seat.say('again');
      await linked.idle();
      expect(toolsIn(model, 2)).toEqual(['mcp__calc__add', 'mcp__calc__sub']);
      expect(notes(seat.view, 'warning')).toHaveLength(1);
      script.tools = others;
      rig.lines.get('calc')![0]!.send({ method: 'notifications/tools/list_changed' });
      await linked.settle();
      await seat.say('and again');
      await linked.idle();
      await seat.command('mcp', 'enable calc');
      const asked = await answer(seat, 'once');
      expect(rowsOf(asked)).toContain('You agreed to its tools before; the list has changed since.');
      await linked.settle();
      await seat.say('three');
      await linked.idle();
      expect(toolsIn(model, 4)).toEqual(['mcp__calc__add', 'mcp__calc__new', 'mcp__calc__sub']);
    });

    test('what was agreed to is remembered by what it is: another command asks again (MCP-1)', async () => {
      const servers = { calc: {} };
      const before = agreedBefore(servers, ['calc']);
      const at = await yard(kind, [], { servers, before });
      await at.seat.command('mcp', 'enable calc');
      await at.linked.idle();
      expect(at.seat.view.asks).toEqual([]);
      expect(notes(at.seat.view).at(-1)).toContain('calc is on');
      for (const changed of [{ args: ['-x'] }, { env: { A: 'b' } }, { cwd: '/' }]) {
        const again = await yard(kind, [], {
          servers,
          before: async (rig) => {
            await before(rig);
            rig.configure({ calc: { command: 'calc', ...changed } });
          },
        });
        await again.seat.command('mcp', 'enable calc');
        const asked = await answer(again.seat, 'no');
        expect(rowsOf(asked)).toContain('You agreed to it before; what it starts has changed since.');
      }
    });

    test('one that wants a sign-in says so, asks to finish it in the browser, and is forgotten by logout (SC-12.11, SC-13.6, SC-12.12)', async () => {
      const at = await yard(kind, ['x', 'y'], {
        before: (rig) => rig.configure({ web: { url: SERVER, auth: 'oauth' }, calc: { command: 'calc' } }),
      });
      const { seat, linked, model, rig } = at;
      const oauth = mcpOAuth(rig.system);
      await seat.command('mcp', 'enable web');
      await answer(seat, 'remember');
      const browse = async (): Promise<void> => {
        const { asks } = await seat.until((view) => view.asks.some(({ body }) => body.kind === 'questions'));
        const [ask] = asks;
        const question = ask?.body.kind === 'questions' ? (ask.body.questions[0]?.question ?? '') : '';
        expect(question).toContain('Sign in to web in the browser: https://login.example.org/authorize?');
        await linked.house.system.clock.runUntil(oauth.browse(/https:\S+/.exec(question)![0]));
      };
      await browse();
      await answer(seat, 'remember');
      await linked.idle();
      expect(seat.view.asks).toEqual([]);
      expect(notes(seat.view)).toEqual([
        'Enabling the MCP server web. Signing in happens in the browser now: finish it there. Ctrl-C cancels it. No request is made for it.',
        'web is on for this conversation, with one tool. What they do is done with the server’s own permissions. The sign-in is kept for later sessions; /mcp logout web forgets it.',
      ]);
      await seat.say('go');
      await linked.idle();
      expect(toolsIn(model, 0)).toEqual(['mcp__web__find']);
      await seat.command('mcp', 'logout web');
      await linked.idle();
      expect(seat.states(3)).toEqual(['started', 'done']);
      expect(notes(seat.view).at(-1)).toBe(
        'web is off, and its sign-in is forgotten here: the next /mcp enable web opens the browser again. The grant at the service itself is not revoked. The cache starts over with the next request.',
      );
      await seat.say('again');
      await linked.idle();
      expect(toolsIn(model, 1)).toEqual([]);
      await seat.command('mcp', 'enable web');
      // Where the browser cannot come back, where it ended is pasted.
      const { asks } = await seat.until((view) => view.asks.length > 0);
      const address = /https:\S+/.exec(JSON.stringify(asks[0]!.body))![0].split('\\n')[0]!;
      const answers = [[oauth.redirectOf(address)]];
      await seat.send({ type: 'answer', ask: asks[0]!.id, answer: { kind: 'answers', answers } });
      await linked.idle();
      expect(notes(seat.view).at(-1)).toContain('web is on');
      await seat.command('mcp', 'logout calc');
      await linked.idle();
      expect(notes(seat.view, 'error').at(-1)).toContain('calc: it has no sign-in to forget');
      // No word of a secret is written down.
      const written = JSON.stringify(await entriesOf(linked.house));
      expect(written).not.toContain('code_challenge');
      for (const secret of oauth.secrets) expect(written).not.toContain(secret);
    });

    test('a default that wants a sign-in never opens a browser: it is named with its command (SC-12.7)', async () => {
      const at = await yard(kind, [], {
        before: async (rig) => {
          rig.configure({ web: { url: SERVER, auth: 'oauth', enabled: true } });
          const oauth = mcpOAuth(rig.system);
          const servers = await rig.servers();
          await rig.system.clock.runUntil(
            servers.enable(
              'web',
              async () => 'remember',
              new AbortController().signal,
              async (_name, url) => oauth.redirectOf(url),
            ),
          );
          await servers.logout('web');
          await servers.close();
        },
      });
      await at.linked.idle();
      expect(at.seat.view.asks).toEqual([]);
      expect(notes(at.seat.view)).toEqual(['MCP: web: it wants you to sign in: /mcp enable web.']);
    });

    test('a session that is gone on with, and one that had no model at first, have their defaults too (SC-12.7)', async () => {
      const servers = { calc: {} };
      const before = agreedBefore(servers, ['calc']);
      const at = await yard(kind, ['one'], { servers, fields: { calc: { enabled: true } }, before });
      await at.linked.idle();
      await at.linked.house.system.clock.runUntil(at.linked.house.session.close());
      const model = scriptedModel(['two']);
      const again = await openLinked(kind, { script: model, system: at.rig.system, mcp: at.rig.source });
      const seat = await again.sit('two');
      await again.idle();
      await seat.say('go on');
      await again.idle();
      expect(toolsIn(model, 0)).toEqual(['mcp__calc__add']);
      const without = await yard(kind, ['three'], {
        servers,
        fields: { calc: { enabled: true } },
        before,
        problem: { identifier: 'no-model', message: 'none' },
      });
      await without.linked.idle();
      await without.seat.say('when there is one');
      await without.seat.send({ type: 'set-model', model: without.model.ref, effort: null });
      await without.linked.idle();
      expect(toolsIn(without.model, 0)).toEqual(['mcp__calc__add']);
    });

    test('the end of the session ends its servers, and is nobody’s cancelling (INV-23)', async () => {
      const at = await yard(kind, []);
      await enable(at);
      await at.seat.command('mcp', 'enable-all');
      await at.linked.house.system.clock.runUntil(at.linked.house.session.close());
      expect(at.rig.system.processes.running).toEqual([]);
      const all = await entriesOf(at.linked.house).catch(() => []);
      expect(JSON.stringify(all)).not.toContain('cancelled');
    });
  });
}
