import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Message, ModelRequest } from '../../src/core/models/model.ts';
import { sizeOf } from '../../src/core/runtime/context-size.ts';
import { createTrail } from '../../src/core/session/trail.ts';
import { createTools } from '../../src/core/tools/registry.ts';
import type { Entry } from '../../src/protocol/entry.ts';
import type { View } from '../../src/protocol/view.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { checkStrictly } from '../support/check-strictly.ts';
import {
  CTRL_C,
  doTool,
  ESCAPE,
  type House,
  type HouseOptions,
  lookTool,
  openHouse,
  type Seat,
  transcriptOf,
} from '../support/controller.ts';
import { gate, type ScriptEntry, type ScriptedModel, scriptedModel } from '../support/script.ts';
import { flashes } from '../support/what-was-said.ts';

/** A small model: 20,000 tokens, of which the conversation may take 18,000. */
const SMALL = { contextWindow: 20_000, maxOutput: 1_000 };
const FULL = { input: 18_500 };
const FILLER = 'word '.repeat(1_000);

function small(entries: readonly ScriptEntry[], facts: Partial<ScriptedModel['facts']> = SMALL): ScriptedModel {
  return scriptedModel(entries, { facts });
}

async function seated(options: HouseOptions): Promise<{ house: House; seat: Seat }> {
  const house = await openHouse(options);
  return { house, seat: house.seat('one') };
}

let refs = 0;
function command(seat: Seat, name: string, argument = '', ref = `command-${++refs}`) {
  return seat.send({ type: 'command', ref, name, argument });
}

/** Everything a request says, in one text. */
function textOf(request: ModelRequest | undefined): string {
  return (request?.messages ?? []).map(textIn).join('\n');
}

function textIn(message: Message): string {
  if (message.role === 'results') return message.results.map(({ text }) => text).join('\n');
  return message.parts.map((part) => ('text' in part ? part.text : JSON.stringify(part))).join('\n');
}

function isSummary(request: ModelRequest | undefined): boolean {
  return request?.calls === 'forbidden' && textOf(request).includes('Write the summary');
}

function summaries({ requests }: ScriptedModel): number {
  return requests.filter(isSummary).length;
}

async function entriesOf(house: House, kind: Entry['kind']): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of house.journal.all()) if (entry.kind === kind) entries.push(entry);
  return entries;
}

const notes = (view: View): string[] =>
  view.transcript.items.flatMap((item) => (item.kind === 'note' ? [`${item.identifier}: ${item.text}`] : []));

describe('by itself, before a round', () => {
  test('the newest task, rules, mode and list survive whatever the summary says (UP-31, CMP-1, CX-5)', async () => {
    const model = small([
      [{ tool: 'todo_write', input: { items: [{ text: 'write y.txt', state: 'pending' }], why: 'plan' } }],
      { parts: [`did TASK-X ${FILLER}`], usage: FULL },
      'Only TASK-X was ever asked for.',
      'made y',
      'thanks',
    ]);
    const { house, seat } = await seated({
      script: model,
      tools: createTools(),
      mode: 'plan',
      instructions: [{ source: 'AGENTS.md', text: 'RULE-9: always be brief' }],
    });
    await seat.say(`TASK-X: ${FILLER}`);
    await house.idle();
    await seat.say('TASK-Y: create y.txt');
    await house.idle();
    expect(isSummary(model.requests[2])).toBe(true);
    const next = model.requests[3]!;
    const text = textOf(next);
    expect(text).toContain('Only TASK-X was ever asked for.');
    expect(text).toContain('TASK-Y: create y.txt');
    expect(text).toContain('Permission mode: plan');
    expect(text).toContain('- pending: write y.txt');
    expect(next.system.join('\n')).toContain('RULE-9');
    expect(text).not.toContain(FILLER);
    // The transcript keeps everything, and nothing is summarised again before the context grew.
    expect(transcriptOf(seat.view)[0]).toStartWith('prompt: TASK-X');
    expect(transcriptOf(seat.view)).toContain('compaction');
    await seat.say('and?');
    await house.idle();
    expect(summaries(model)).toBe(1);
    expect(textOf(model.requests[4])).toContain('made y');
  });

  test('it looks at the coming request: what was measured, and what came since (FO-12, SC-36.2)', async () => {
    const model = small([{ parts: ['one'], usage: { input: 17_000 } }, 'two', 'summary', 'three']);
    const { house, seat } = await seated({ script: model });
    await seat.say(`first ${FILLER.repeat(2)}`);
    await house.idle();
    await seat.say('short');
    await house.idle();
    expect(summaries(model)).toBe(0);
    // The script counts 100 again: only what is said now makes it too much.
    const measured = small([{ parts: ['one'], usage: { input: 17_000 } }, 'summary', 'two']);
    const other = await seated({ script: measured });
    await other.seat.say(`first ${FILLER.repeat(2)}`);
    await other.house.idle();
    await other.seat.say(`long ${FILLER}`);
    await other.house.idle();
    expect(summaries(measured)).toBe(1);
  });

  test('an unknown window is never a reason, and off is off (CMP-2, SC-14.4)', async () => {
    const unknown = small(
      ['one', 'two'].map((text) => ({ parts: [text], usage: { input: 900_000 } })),
      {
        contextWindow: null,
      },
    );
    const { house, seat } = await seated({ script: unknown });
    await seat.say(FILLER);
    await seat.say('again', 'queue');
    await house.idle();
    expect(summaries(unknown)).toBe(0);
    expect(seat.view.head.compactAt).toBeNull();
    const off = small([{ parts: ['one'], usage: FULL }, 'two']);
    const other = await seated({ script: off, autocompact: { automatic: false, cap: null } });
    await other.seat.say(FILLER);
    await other.seat.say('again', 'queue');
    await other.house.idle();
    expect(summaries(off)).toBe(0);
    expect(other.seat.view.head.compactAt).toBeNull();
  });

  test('in a long turn earlier rounds give way, no call without its result; the prompt stays (CMP-3, SC-36.2)', async () => {
    const look = (at: string, usage = {}): ScriptEntry => ({ parts: [{ tool: 'look', input: { at } }], usage });
    const model = small([
      look(`a ${FILLER}`),
      look(`b ${FILLER}`),
      look(`c ${FILLER}`),
      look('d', FULL),
      'looked at a and b',
      'all seen',
    ]);
    const { house, seat } = await seated({ script: model });
    await seat.say('Look at everything: TASK-Z');
    await house.idle();
    expect(isSummary(model.requests[4])).toBe(true);
    const after = model.requests[5]!;
    checkStrictly(after.messages, model.ref);
    expect(textOf(after)).toContain('Look at everything: TASK-Z');
    expect(textOf(after)).toContain('saw d');
    expect(textOf(after)).not.toContain('saw a');
    expect(transcriptOf(seat.view).at(-1)).toBe('end: done');
    // More was summarised than kept.
    const [first] = after.messages;
    const kept = sizeOf({ system: [], tools: [], messages: after.messages.slice(1) }).total;
    const all = sizeOf({ system: [], tools: [], messages: model.requests[4]!.messages }).total;
    expect(first?.role).toBe('user');
    expect(kept).toBeLessThan(all / 2);
  });

  test('twice a message at most, then it goes on with a warning that names what fills the context (SC-36.2)', async () => {
    const look = (at: string): ScriptEntry => ({ parts: [{ tool: 'look', input: { at } }], usage: FULL });
    const model = small([
      look(`a ${FILLER}`),
      `summary one`,
      look(`b ${FILLER}`),
      `summary two`,
      look('c'),
      look('d'),
      { parts: ['done'], usage: FULL },
    ]);
    const { house, seat } = await seated({ script: model });
    await seat.say('work');
    await house.idle();
    expect(summaries(model)).toBe(2);
    expect(transcriptOf(seat.view).at(-1)).toBe('end: done');
    const warnings = notes(seat.view).filter((note) => note.startsWith('context-filling'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/over the 18k .*system prompt .*results of calls/);
  });

  test('where nothing can give way the turn stops before the request, with what fills the context (SC-36.2)', async () => {
    const model = small(['never'], { contextWindow: 2_000, maxOutput: 100 });
    const { house, seat } = await seated({ script: model });
    await seat.say(FILLER.repeat(3));
    await house.idle();
    expect(model.requests).toHaveLength(0);
    expect(seat.view.transcript.items.at(-1)).toMatchObject({
      kind: 'turn-end',
      reason: 'failed',
      message: expect.stringMatching(/No room is left.*what you said 4k.*system prompt/),
    });
  });

  test.each([
    // Asked for once more at once, as any empty reply is.
    ['empty', [' \n', ' \n']],
    ['cut off', [{ parts: ['half'], stop: 'length' }]],
    ['a call', [[{ tool: 'look', input: {} }]]],
    ['refused', [{ parts: ['no'], stop: 'refusal' }]],
    ['not smaller', [FILLER.repeat(6)]],
    ['a failure', [{ failure: { category: 'server-error' } }]],
  ] as [string, ScriptEntry[]][])(
    'a summary that is %s is not taken, and not asked for again in that turn (SC-36.2, CMP-3)',
    async (_what, bad) => {
      const model = small([
        { parts: [`one ${FILLER}`], usage: FULL },
        ...bad,
        { parts: [{ tool: 'look', input: { at: 'x' } }], usage: FULL },
        'went on',
      ]);
      const { house, seat } = await seated({ script: model });
      await seat.say(FILLER);
      await seat.say('next', 'queue');
      await house.idle();
      expect(summaries(model)).toBe(bad.length);
      expect(textOf(model.requests[1 + bad.length])).toContain(FILLER);
      expect(transcriptOf(seat.view)).not.toContain('compaction');
      expect(notes(seat.view).some((note) => note.startsWith('not-compacted'))).toBe(true);
      expect(transcriptOf(seat.view).at(-1)).toBe('end: done');
    },
  );

  test('a service that says it is too long is tried once more, shorter; then the turn stops and says why', async () => {
    const tooLong = { failure: { category: 'context-too-long' } } as const;
    const model = small([`one ${FILLER}`, tooLong, 'summary', 'fits now', tooLong, tooLong, tooLong], {
      contextWindow: null,
    });
    const { house, seat } = await seated({ script: model });
    await seat.say(FILLER);
    await seat.say('next', 'queue');
    await house.idle();
    expect(isSummary(model.requests[2])).toBe(true);
    // The summary was asked for with less detail than what had been refused.
    expect(textOf(model.requests[2]).length).toBeLessThan(textOf(model.requests[1]).length);
    expect(textOf(model.requests[3])).toContain('next');
    expect(transcriptOf(seat.view).at(-1)).toBe('end: done');
    await seat.say('more');
    await house.idle();
    expect(seat.view.transcript.items.at(-1)).toMatchObject({
      reason: 'failed',
      failure: { category: 'context-too-long' },
      message: expect.stringContaining('results of calls'),
    });
  });

  test('an oversized summary request is made again with less detail, then the history is left as it is (SC-36.3)', async () => {
    const tooLong = { failure: { category: 'context-too-long' } } as const;
    const model = small([{ parts: [`one ${FILLER}`], usage: { input: 181_000 } }, tooLong, tooLong, 'summary', 'two'], {
      contextWindow: 200_000,
      maxOutput: 10_000,
    });
    const { house, seat } = await seated({ script: model });
    await seat.say(FILLER);
    await seat.say('next', 'queue');
    await house.idle();
    const sizes = model.requests.slice(1, 4).map((request) => textOf(request).length);
    expect(sizes).toEqual([...sizes].sort((one, other) => other - one));
    expect(new Set(sizes).size).toBe(3);
    for (const request of model.requests.slice(1, 4)) checkStrictly(request.messages, model.ref);
    expect(transcriptOf(seat.view)).toContain('compaction');
  });

  test('stopping it works at once; the conversation is as it was and what waits starts (SC-14.1)', async () => {
    const model = small([
      { parts: [`one ${FILLER}`], usage: FULL },
      { gate: new Promise(() => {}) },
      'summary',
      'three',
    ]);
    const { house, seat } = await seated({ script: model });
    await seat.say(FILLER);
    await house.idle();
    await seat.say('next');
    await seat.until((view) => view.activity.phase === 'compacting');
    await seat.say('after', 'queue');
    await seat.send(ESCAPE);
    await house.idle();
    expect(notes(seat.view)).toContain('compaction-stopped: Stopped: the conversation is as it was.');
    expect(transcriptOf(seat.view)).toContain('end: stopped');
    expect(textOf(model.requests[2])).toContain('one word');
    expect(transcriptOf(seat.view).slice(-3)).toEqual(['compaction', 'model: three', 'end: done']);
  });

  test('its cost counts, its figures are written down, and what was won is a share of the budget of then (CTX-4, FO-4)', async () => {
    const model = small([
      { parts: [`one ${FILLER}`], usage: FULL },
      { parts: ['summary'], usage: { input: 18_600, output: 40 } },
      'two',
    ]);
    const { house, seat } = await seated({ script: model });
    await seat.say(FILLER);
    await seat.say('next', 'queue');
    await house.idle();
    expect(seat.view.head.totals).toMatchObject({ requests: 3, input: 18_500 + 18_600 + 100 });
    const [entry] = (await entriesOf(house, 'compaction')) as Extract<Entry, { kind: 'compaction' }>[];
    expect(entry).toMatchObject({ budget: 18_000 });
    expect(entry!.tokensBefore).toBeGreaterThan(18_500);
    expect(entry!.tokensAfter).toBeLessThan(entry!.tokensBefore! / 2);
    const item = seat.view.transcript.items.find((one) => one.kind === 'compaction');
    expect(item).toMatchObject({ budget: 18_000, tokensBefore: entry!.tokensBefore });
  });

  test('what the person answered and refused is said again word for word', async () => {
    const model = small([
      [
        {
          tool: 'ask_person',
          input: { questions: [{ question: 'Tabs or spaces?', options: ['tabs', 'spaces'] }], why: 'style' },
        },
      ],
      [{ tool: 'do', input: { line: 'make clean' } }],
      { parts: [`one ${FILLER}`], usage: FULL },
      'summary',
      'two',
    ]);
    const { house, seat } = await seated({ script: model, tools: [...createTools(), doTool] });
    await seat.say(FILLER);
    await seat.until((view) => view.asks.length > 0);
    await seat.send({ type: 'answer', ask: seat.view.asks[0]!.id, answer: { kind: 'answers', answers: [['tabs']] } });
    await seat.until((view) => view.asks[0]?.body.kind === 'permission');
    const no = { kind: 'choice', choice: 'no', note: 'never clean' } as const;
    await seat.send({ type: 'answer', ask: seat.view.asks[0]!.id, answer: no });
    await house.idle();
    await seat.say('next');
    await house.idle();
    expect(textOf(model.requests[4])).toContain('Tabs or spaces?\ntabs');
    expect(textOf(model.requests[4])).toContain('never clean');
  });
});

describe('/compact', () => {
  test('summarises now at any size; the focus goes to the summariser alone, its length to the trail (SC-14.2, CMD-10, CMP-5)', async () => {
    const system = createMemorySystem();
    const trail = createTrail({ files: system.files, clock: system.clock, file: null });
    const model = small([`one ${FILLER}`, 'summary', 'two'], { contextWindow: 200_000 });
    const { house, seat } = await seated({ system, trail, script: model });
    await seat.say('hello');
    await house.idle();
    const before = model.requests[0]!;
    await command(seat, 'compact', 'the database', 'c1');
    await house.idle();
    expect(isSummary(model.requests[1])).toBe(true);
    expect(textOf(model.requests[1])).toContain('the database');
    // The same beginning as the conversation itself, so that the service remembers it.
    expect(model.requests[1]).toMatchObject({ system: before.system, tools: before.tools, effort: before.effort });
    expect(seat.outcome('c1')).toMatchObject({ state: 'done' });
    const shown = seat.updates.flatMap(({ changes }) =>
      changes.flatMap((change) => (change.type === 'activity' ? [change.activity] : [])),
    );
    expect(shown).toContainEqual(expect.objectContaining({ phase: 'compacting', detail: 'Compacting: the database' }));
    expect(transcriptOf(seat.view).slice(-2)).toEqual(['note compacting', 'compaction']);
    await seat.say('next');
    await house.idle();
    expect(textOf(model.requests[2])).not.toContain('the database');
    expect(textOf(model.requests[2])).not.toContain(FILLER);
    const { lines } = await trail.read(0, 100);
    expect(lines.find((line) => line.event === 'compaction')).toMatchObject({ round: 0, focus: 12, summarised: 2 });
  });

  test('counts as session time, and keeps all items (CX-8, FO-7)', async () => {
    const system = createMemorySystem();
    const slow = scriptedModel([`one ${FILLER}`, [{ wait: 5_000 }, 'summary']], { clock: system.clock });
    const { house, seat } = await seated({ system, script: slow });
    await seat.say('hello');
    await house.idle();
    const { activeTime } = seat.view.head;
    await command(seat, 'compact');
    await house.idle();
    expect(seat.view.head.activeTime - activeTime).toBe(5_000);
    expect(transcriptOf(seat.view)[0]).toBe('prompt: hello');
  });

  test('sent mid-turn it waits as a row of the queue, and what is said behind it waits for it (SC-5.7, QUE-20, SC-4.1)', async () => {
    const held = gate();
    const summary = gate();
    const model = small([
      { parts: [`one ${FILLER}`], gate: held.opened },
      { parts: ['summary'], gate: summary.opened },
      'two',
    ]);
    const { house, seat } = await seated({ script: model });
    await seat.say(FILLER);
    await seat.until((view) => view.activity.phase === 'waiting');
    await command(seat, 'compact', 'x', 'c1');
    await seat.say('behind it');
    expect(seat.view.queue.rows.map((row) => [row.delivery, row.text])).toEqual([
      ['command', '/compact x'],
      ['steering', 'behind it'],
    ]);
    held.open();
    await seat.until((view) => view.activity.phase === 'compacting');
    await seat.say('interrupts nothing', 'interrupt');
    await house.settle();
    expect(model.requests).toHaveLength(2);
    summary.open();
    await house.idle();
    expect(seat.outcome('c1')).toMatchObject({ state: 'done' });
    expect(textOf(model.requests[2])).toContain('behind it');
    expect(transcriptOf(seat.view).indexOf('compaction')).toBeLessThan(
      transcriptOf(seat.view).indexOf('prompt: behind it'),
    );
  });

  test('sent while idle it runs ahead of what was said since and of what is held (SC-5.8)', async () => {
    const model = small([`one ${FILLER}`, 'summary', 'two']);
    const { house, seat } = await seated({ script: model });
    await seat.say('first');
    await house.idle();
    await Promise.all([command(seat, 'compact', '', 'c1'), seat.say('said right behind')]);
    await house.idle();
    expect(isSummary(model.requests[1])).toBe(true);
    expect(transcriptOf(seat.view).slice(-3)).toEqual(['prompt: said right behind', 'model: two', 'end: done']);

    const held = small([{ gate: new Promise(() => {}) }, 'summary']);
    const other = await seated({ script: held });
    await other.seat.say(FILLER);
    await other.seat.say(`held`, 'queue');
    await other.seat.send(CTRL_C);
    await other.house.idle();
    await command(other.seat, 'compact', '', 'c2');
    await other.house.idle();
    expect(other.seat.view.queue.rows.map((row) => row.text)).toEqual(['held']);
    expect(other.seat.outcome('c2')?.state).not.toBe('waiting');
  });

  test('while it waits it is taken back like a prompt, and survives a restart (SC-5.17, UP-18)', async () => {
    const system = createMemorySystem();
    const open = (script: ScriptedModel) => seated({ system, script });
    const first = await open(small([`one ${FILLER}`, { gate: new Promise(() => {}) }]));
    await first.seat.say(FILLER);
    await first.house.idle();
    await first.seat.say('next');
    await first.seat.until((view) => view.activity.phase === 'waiting');
    await command(first.seat, 'compact', 'kept');
    await command(first.seat, 'compact', 'taken back');
    const row = first.seat.view.queue.rows.find(({ text }) => text.includes('taken back'))!;
    const recalled = await first.seat.send({ type: 'recall', inputs: [row.id] });
    expect(recalled).toMatchObject({ value: { drafts: [{ text: '/compact taken back' }] } });
    await system.clock.runUntil(first.house.session.close());
    const model = small(['summary']);
    const second = await open(model);
    await second.house.idle();
    expect(textOf(model.requests[0])).toContain('kept');
    expect(transcriptOf(second.seat.view)).toContain('compaction');
  });

  test('Ctrl-C ends it at once and holds what waits; Enter and Ctrl-C together send nothing (SC-14.1, SC-4.3)', async () => {
    const model = small([`one ${FILLER}`, { gate: new Promise(() => {}) }, 'two']);
    const { house, seat } = await seated({ script: model });
    await seat.say(FILLER);
    await house.idle();
    await command(seat, 'compact', '', 'c1');
    await seat.until((view) => view.activity.phase === 'compacting');
    await seat.say('waits');
    await seat.send(CTRL_C);
    await house.idle();
    expect(seat.outcome('c1')).toMatchObject({ state: 'stopped' });
    expect(seat.view.queue).toMatchObject({ paused: { because: 'stopped' }, rows: [{ text: 'waits' }] });
    expect(transcriptOf(seat.view)).not.toContain('compaction');
    const requests = model.requests.length;
    const sent = command(seat, 'compact', '', 'c2');
    await seat.send(CTRL_C);
    await sent;
    await house.idle();
    expect(model.requests).toHaveLength(requests);
    expect(seat.outcome('c2')).toMatchObject({ state: 'stopped' });
  });

  test('a failure is said, leaves the conversation and holds what waits (SC-14.8)', async () => {
    const model = small([`one ${FILLER}`, { failure: { category: 'server-error' } }, 'two']);
    const { house, seat } = await seated({ script: model });
    await seat.say(FILLER);
    await house.idle();
    await Promise.all([command(seat, 'compact', '', 'c1'), seat.say('waits')]);
    await house.idle();
    expect(seat.outcome('c1')).toMatchObject({ state: 'failed', messages: [{ identifier: 'not-compacted' }] });
    expect(seat.outcome('c1')?.messages[0]?.text).toMatch(/^Compaction failed: .+ The conversation is as it was\.$/);
    expect(seat.view.queue).toMatchObject({ paused: { because: 'failed' }, rows: [{ text: 'waits' }] });
    await seat.send({ type: 'queue-resume' });
    await house.idle();
    expect(textOf(model.requests[2])).toContain(FILLER);
  });

  test('needs a model, something to summarise and, where nobody watches, an idle session (SC-14.2, SC-5.7)', async () => {
    const problem = { identifier: 'no-model', message: 'none' };
    const without = await seated({ script: small([]), problem });
    await without.house.idle();
    await command(without.seat, 'compact', '', 'c0');
    await without.house.idle();
    expect(without.seat.outcome('c0')).toMatchObject({ state: 'refused', messages: [{ identifier: 'no-model' }] });
    const empty = await seated({ script: small([]) });
    await command(empty.seat, 'compact', '', 'c1');
    await empty.house.idle();
    expect(empty.seat.outcome('c1')).toMatchObject({
      state: 'refused',
      messages: [{ identifier: 'nothing-to-compact' }],
    });
    const headless = await seated({ script: small([{ gate: new Promise(() => {}) }]), canAsk: false });
    await headless.seat.say('work');
    await headless.seat.until((view) => view.activity.phase === 'waiting');
    expect(await command(headless.seat, 'compact')).toMatchObject({ refusal: { identifier: 'busy' } });
  });
});

describe('/autocompact', () => {
  test('a cap switches it on, auto takes it away, off keeps it for later (SC-14.4, SC-14.5)', async () => {
    const model = small(['one'], { contextWindow: 200_000, maxOutput: 10_000 });
    const { house, seat } = await seated({ script: model, saveDefaults: async () => true });
    await house.idle();
    const at = (): number | null => seat.view.head.compactAt;
    expect(at()).toBe(0.9);
    await command(seat, 'autocompact', '100k');
    expect(at()).toBe(0.5);
    await command(seat, 'autocompact', 'OFF');
    expect(at()).toBeNull();
    await command(seat, 'autocompact', 'on');
    expect(at()).toBe(0.5);
    await command(seat, 'autocompact', 'auto');
    expect(at()).toBe(0.9);
    await command(seat, 'autocompact', 'off');
    expect(flashes(seat).at(-1)).toMatch(/^Automatic compaction is off\. .*on, off, auto/);
    await command(seat, 'autocompact', 'auto');
    expect(at()).toBeNull();
    await command(seat, 'autocompact', '150000');
    expect(at()).toBe(0.75);
    for (const wrong of ['49k', 'much', '-1', '1.5x'])
      expect(await command(seat, 'autocompact', wrong)).toMatchObject({ refusal: { identifier: 'argument-unknown' } });
    await command(seat, 'autocompact');
    expect(flashes(seat)).toHaveLength(8);
    expect(flashes(seat).at(-1)).toMatch(/on at 150k tokens.*on, off, auto/);
    expect(at()).toBe(0.75);
  });

  test('works mid-turn, stays with the session, and says when it could not be saved (SC-14.4, SC-14.9)', async () => {
    const system = createMemorySystem();
    const first = await seated({ system, script: small([{ gate: new Promise(() => {}) }]) });
    await first.seat.say('work');
    await first.seat.until((view) => view.activity.phase === 'waiting');
    await command(first.seat, 'autocompact', 'off');
    expect(flashes(first.seat).at(-1)).toContain('applies only here');
    await system.clock.runUntil(first.house.session.close());
    const second = await seated({ system, script: small([]) });
    await second.house.idle();
    expect(second.seat.view.head.compactAt).toBeNull();
  });

  test('with an unknown window on and a cap are refused, naming the setting; off and auto are not (SC-14.4)', async () => {
    const { house, seat } = await seated({ script: small([], { contextWindow: null }) });
    await house.idle();
    for (const argument of ['on', '200k'])
      expect(await command(seat, 'autocompact', argument)).toMatchObject({
        refusal: { identifier: 'window-unknown', message: expect.stringContaining('contextWindow') },
      });
    for (const argument of ['off', 'auto', ''])
      expect(await command(seat, 'autocompact', argument)).toMatchObject({ accepted: true });
  });
});

test('whatever was said, the request after a compaction is valid and smaller (CMP-3, SC-36.2)', async () => {
  const round = fc.record({
    calls: fc.array(fc.string({ maxLength: 400 }), { maxLength: 3 }),
    text: fc.string({ maxLength: 800 }),
  });
  const turn = fc.record({
    prompt: fc.string({ minLength: 1, maxLength: 600 }),
    shell: fc.boolean(),
    rounds: fc.array(round, { maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 4 }), async (turns) => {
      const steps: ScriptEntry[] = turns.flatMap(({ rounds }) => [
        ...rounds.map(({ calls, text }): ScriptEntry => {
          const parts = calls.map((at) => ({ tool: 'look', input: { at: `${at} ${'x'.repeat(at.length * 5)}` } }));
          return [text, ...(parts.length === 0 ? [{ tool: 'look', input: { at: '' } }] : parts)];
        }),
        'turn done',
      ]);
      const model = scriptedModel([...steps, 'S', 'end'], { facts: SMALL });
      const { house, seat } = await seated({ script: model, tools: [lookTool] });
      for (const { prompt, shell } of turns) {
        await seat.say(`p${prompt}`, 'queue');
        await house.idle();
        if (shell) await seat.say('echo hi', 'shell');
        await house.idle();
      }
      await command(seat, 'compact');
      await house.idle();
      const compacted = transcriptOf(seat.view).includes('compaction');
      await seat.say('next');
      await house.idle();
      const last = model.requests.at(-1)!;
      for (const request of model.requests) checkStrictly(request.messages, model.ref);
      expect(textOf(last)).toContain('next');
      expect(textOf(last)).toContain(`p${turns.at(-1)!.prompt}`.trim());
      if (compacted) expect(textOf(last).length).toBeLessThan(textOf(model.requests.at(-2)).length);
      await house.session.close();
    }),
    { numRuns: 40 },
  );
});
