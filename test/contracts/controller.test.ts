import { expect, setDefaultTimeout, test } from 'bun:test';
import type { Message, ModelRequest } from '../../src/core/models/model.ts';
import { createTools } from '../../src/core/tools/registry.ts';
import { applyEntry, emptyHead, emptyView } from '../../src/protocol/reduce.ts';
import type { View } from '../../src/protocol/view.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { CTRL_C, ESCAPE, type House, openHouse, type Seat, scriptedLine, transcriptOf } from '../support/controller.ts';
import { gate, scriptedModel } from '../support/script.ts';
import { entriesOf } from '../support/what-was-said.ts';

// A busy machine takes its time over what is tried many times.
setDefaultTimeout(60_000);

/** What a request says, in short: texts of the person, of the model, and results. */
function saidIn(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).flatMap((message: Message) => {
    if (message.role === 'results') return message.results.map((result) => `result: ${result.text}`);
    return message.parts.flatMap((part) => {
      if (part.type === 'text') return [`${message.role}: ${part.text}`];
      return part.type === 'call' ? [`call: ${part.tool}`] : [];
    });
  });
}

const running = (view: View): boolean =>
  view.transcript.items.some((item) => item.kind === 'call' && item.state === 'running');
const texts = (view: View): string[] => view.queue.rows.map((row) => row.text);

async function answerYes(seat: Seat, choice: 'once' | 'session' | 'no' = 'once'): Promise<void> {
  await seat.until((view) => view.asks.length > 0);
  await seat.send({ type: 'answer', ask: seat.view.asks[0]!.id, answer: { kind: 'choice', choice } });
}

test('a prompt becomes a turn: written, sent, answered, ended', async () => {
  const model = scriptedModel(['hello there']);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  expect((await seat.say('hi')).accepted).toBe(true);
  await house.idle();
  expect(transcriptOf(seat.view)).toEqual(['prompt: hi', 'model: hello there', 'end: done']);
  expect(seat.outcome('one-1')).toMatchObject({ state: 'done', turn: 1, refusals: 0 });
  expect(seat.view.head).toMatchObject({ title: 'hi', contextTokens: 100, ready: true });
  expect(seat.view.activity.phase).toBe('idle');
  expect(saidIn(model.requests[0])).toEqual(['user: hi']);
});

test('a call goes through plan, decision and run, and its result into the next request', async () => {
  const model = scriptedModel([['looking', { tool: 'look', input: { at: 'a.ts', why: 'to see' } }], 'seen']);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  await seat.say('look');
  await house.idle();
  expect(transcriptOf(seat.view)).toEqual([
    'prompt: look',
    'model: looking',
    'call Look a.ts: ok',
    'model: seen',
    'end: done',
  ]);
  expect(saidIn(model.requests[1])).toEqual(['user: look', 'assistant: looking', 'call: look', 'result: saw a.ts']);
  expect(seat.view.transcript.items.find((item) => item.kind === 'call')).toMatchObject({
    why: 'to see',
    text: 'saw a.ts',
  });
});

test('a call is on the disk before it runs, and its result before it is shown', async () => {
  const system = createMemorySystem();
  let onDisk: string[] = [];
  const runLine = scriptedLine(system.clock);
  const house: House = await openHouse({
    system,
    script: scriptedModel([[{ tool: 'do', input: { line: 'make it' } }], 'made']),
    bypassOffered: true,
    mode: 'bypass',
    runLine: async (order, signal, onOutput) => {
      onDisk = (await entriesOf(house)).map((entry) => entry.kind);
      return runLine(order, signal, onOutput);
    },
  });
  const seat = house.seat('one');
  await seat.say('go');
  await house.idle();
  expect(onDisk.slice(-2)).toEqual(['assistant', 'call']);
  expect(transcriptOf(seat.view)).toContain('call Run make it: ok');
});

test('a question is state: it survives detaching, and the first answer wins', async () => {
  const model = scriptedModel([[{ tool: 'do', input: { line: 'rm -f x' } }], 'done']);
  const house = await openHouse({ script: model });
  const one = house.seat('one');
  await one.say('remove it');
  await one.until((view) => view.asks.length === 1);
  one.detach();
  const two = house.seat('two');
  const three = house.seat('three');
  await two.until((view) => view.asks.length === 1);
  await three.until((view) => view.asks.length === 1);
  expect(two.view.activity.phase).toBe('asking');
  const answer = { type: 'answer', ask: two.view.asks[0]!.id, answer: { kind: 'choice', choice: 'once' } } as const;
  const [first, second] = await Promise.all([
    two.send(answer),
    three.send({ ...answer, answer: { kind: 'choice', choice: 'no' } }),
  ]);
  expect(first.accepted).toBe(true);
  expect(second).toMatchObject({ accepted: false, refusal: { identifier: 'ask-closed' } });
  await house.idle();
  expect(two.view.asks).toEqual([]);
  expect(
    three.updates.flatMap((update) => update.changes).find((change) => change.type === 'ask-closed'),
  ).toMatchObject({ by: 'two', answer: 'once' });
  expect(transcriptOf(two.view)).toContain('call Run rm -f x: ok');
});

test('a no is told to the model with what the person said, and nothing runs', async () => {
  let ran = 0;
  const model = scriptedModel([[{ tool: 'do', input: { line: 'rm -f x' } }], 'as you wish']);
  const house = await openHouse({ script: model, runLine: async () => Promise.reject(new Error(`ran ${++ran}`)) });
  const seat = house.seat('one');
  await seat.say('remove it');
  await seat.until((view) => view.asks.length === 1);
  await seat.send({
    type: 'answer',
    ask: seat.view.asks[0]!.id,
    answer: { kind: 'choice', choice: 'no', note: 'keep x' },
  });
  await house.idle();
  expect(ran).toBe(0);
  expect(saidIn(model.requests[1]).at(-1)).toContain('keep x');
  expect(transcriptOf(seat.view)).toContain('call Run rm -f x: denied');
  expect(seat.outcome('one-1')).toMatchObject({ state: 'done', refusals: 0 });
});

test('where nobody can be asked, what would ask is refused and counted', async () => {
  const house = await openHouse({
    script: scriptedModel([[{ tool: 'do', input: { line: 'rm -f x' } }], 'then not']),
    canAsk: false,
  });
  const seat = house.seat('one');
  await seat.say('remove it');
  await house.idle();
  expect(seat.view.asks).toEqual([]);
  expect(seat.outcome('one-1')).toMatchObject({ state: 'done', refusals: 1 });
});

test('an answer for the session covers the same line from then on', async () => {
  const call = { tool: 'do', input: { line: 'make it' } };
  const house = await openHouse({ script: scriptedModel([[call], [call], 'made twice']) });
  const seat = house.seat('one');
  await seat.say('make it twice');
  await answerYes(seat, 'session');
  await house.idle();
  expect(transcriptOf(seat.view).filter((line) => line === 'call Run make it: ok')).toHaveLength(2);
});

test('calls that may run beside each other do, and their results stand in call order', async () => {
  const model = scriptedModel([
    [
      { tool: 'look', input: { at: 'slow', ms: 500 } },
      { tool: 'look', input: { at: 'quick', ms: 100 } },
    ],
    'seen',
  ]);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  await seat.say('look at both');
  await seat.until(running);
  const before = house.system.clock.now();
  await house.idle();
  expect(house.system.clock.now() - before).toBeLessThanOrEqual(520);
  expect(saidIn(model.requests[1]).slice(-2)).toEqual(['result: saw slow', 'result: saw quick']);
});

test('calls of which one must run alone run one after the other', async () => {
  const model = scriptedModel([
    [
      { tool: 'look', input: { at: 'first', ms: 500 } },
      { tool: 'do', input: { line: 'second' } },
    ],
    'done',
  ]);
  const house = await openHouse({ script: model, bypassOffered: true, mode: 'bypass' });
  const seat = house.seat('one');
  await seat.say('both');
  await house.idle();
  const kinds = (await entriesOf(house)).flatMap((entry) =>
    entry.kind === 'call' || entry.kind === 'result' ? [`${entry.kind} ${entry.tool}`] : [],
  );
  expect(kinds).toEqual(['call look', 'result look', 'call do', 'result do']);
});

test('an unknown tool, arguments that are no JSON, and a call id used twice all get their one result', async () => {
  const model = scriptedModel([
    [
      { tool: 'fly', call: 'same' },
      { tool: 'look', raw: '{"at":', call: 'other' },
    ],
    [{ tool: 'look', input: { at: 'b' }, call: 'same' }],
    'enough',
  ]);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  await seat.say('go');
  await house.idle();
  expect(saidIn(model.requests[1]).slice(-2)).toEqual([
    'result: There is no tool called fly.',
    'result: not run: the arguments were not a JSON object',
  ]);
  expect(saidIn(model.requests[2]).at(-1)).toBe('result: saw b');
  const calls = (await entriesOf(house)).flatMap((entry) => (entry.kind === 'result' ? [entry.call] : []));
  expect(new Set(calls).size).toBe(3);
});

test('what is said while a tool runs joins before the next request, and the tool is not stopped (UP-19, QUE-4)', async () => {
  const system = createMemorySystem();
  const model = scriptedModel([[{ tool: 'do', input: { line: 'sleep 5' } }], 'blue it is']);
  const house = await openHouse({
    system,
    script: model,
    bypassOffered: true,
    mode: 'bypass',
    runLine: scriptedLine(system.clock),
  });
  const seat = house.seat('one');
  await seat.say('start');
  await seat.until(running);
  await seat.say('use blue');
  await seat.say('and green');
  expect(texts(seat.view)).toEqual(['use blue', 'and green']);
  await house.idle();
  expect(saidIn(model.requests[1]).slice(-3)).toEqual(['result: sleep 5 ran\n', 'user: use blue', 'user: and green']);
  expect(transcriptOf(seat.view)).toEqual([
    'prompt: start',
    'call Run sleep 5: ok',
    'steering: use blue',
    'steering: and green',
    'model: blue it is',
    'end: done',
  ]);
  expect(seat.outcome('one-2')).toMatchObject({ state: 'done', turn: 1 });
});

test('interrupt and send: the tool ends, its result says so, and the message is next (UP-19)', async () => {
  const system = createMemorySystem();
  const model = scriptedModel([[{ tool: 'do', input: { line: 'sleep 5' } }], 'blue it is', 'and after']);
  const house = await openHouse({
    system,
    script: model,
    bypassOffered: true,
    mode: 'bypass',
    runLine: scriptedLine(system.clock),
  });
  const seat = house.seat('one');
  await seat.say('start');
  await seat.until(running);
  await seat.say('later', 'queue');
  await seat.say('use blue', 'interrupt');
  await house.idle();
  expect(saidIn(model.requests[1])).toEqual([
    'user: start',
    'call: do',
    'result: the command was stopped',
    'user: use blue',
  ]);
  expect(transcriptOf(seat.view).filter((line) => line.startsWith('prompt'))).toEqual([
    'prompt: start',
    'prompt: use blue',
    'prompt: later',
  ]);
  expect(system.clock.ticks()).toBeLessThan(5000);
});

test('two interrupts in a row stop the turn once and only the last one asks the model (INV-7)', async () => {
  const held = gate();
  const model = scriptedModel([{ parts: ['...', { wait: held.opened }] }, 'the last']);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  await seat.say('start');
  await seat.until((view) => view.live !== null);
  await Promise.all([seat.say('first', 'interrupt'), seat.say('second', 'interrupt')]);
  await house.idle();
  expect(model.requests).toHaveLength(2);
  expect(transcriptOf(seat.view)).toEqual([
    'prompt: start',
    'model: ...',
    'end: interrupted',
    'prompt: first (stopped)',
    'end: stopped',
    'prompt: second',
    'model: the last',
    'end: done',
  ]);
});

test('what waits when a turn ends without another round becomes a turn of its own, the rest waits (QUE-5)', async () => {
  const held = gate();
  const model = scriptedModel([{ parts: [{ wait: held.opened }, 'one'] }, 'two', 'three']);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  await seat.say('a');
  await seat.until((view) => view.live !== null);
  await seat.say('b');
  await seat.say('c');
  held.open();
  await house.idle();
  expect(model.requests.map((request) => saidIn(request).at(-1))).toEqual(['user: a', 'user: b', 'user: c']);
});

test('a prompt behind a waiting shell line is not handed to the running turn (QUE-20, SC-7.5)', async () => {
  const held = gate();
  const model = scriptedModel([
    [{ wait: held.opened }, { tool: 'look', input: { at: 'x' } }],
    'first done',
    'second done',
  ]);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  await seat.say('start');
  await seat.until((view) => view.live !== null);
  await seat.say('before');
  await seat.say('ls', 'shell');
  await seat.say('behind');
  held.open();
  await house.idle();
  expect(transcriptOf(seat.view)).toEqual([
    'prompt: start',
    'call Look x: ok',
    'steering: before',
    'model: first done',
    'end: done',
    'shell: ls',
    'call ls: ok',
    'prompt: behind',
    'model: second done',
    'end: done',
  ]);
});

test('a shell line runs unasked in order, with any exit, and rides the next request (SC-11.3, SC-44.6)', async () => {
  const model = scriptedModel(['I see']);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  await Promise.all([seat.say('false', 'shell'), seat.say('what was that?')]);
  await house.idle();
  expect(saidIn(model.requests[0])[0]).toContain('$ false');
  expect(saidIn(model.requests[0])[0]).toContain('[exit 1]');
  expect(saidIn(model.requests[0]).at(-1)).toBe('user: what was that?');
  expect(seat.outcome('one-1')?.state).toBe('done');
});

test('a private line is shown to the one who typed it and written nowhere', async () => {
  const house = await openHouse({ script: scriptedModel([]) });
  const seat = house.seat('one');
  const other = house.seat('two');
  await house.idle();
  await seat.send({ type: 'say', ref: 'p', text: 'secret thing', attachments: [], delivery: 'shell', private: true });
  await house.idle();
  const flash = seat.updates.flatMap((update) => update.changes).find((change) => change.type === 'flash');
  expect(flash).toMatchObject({ client: 'one', text: '$ secret thing\nsecret thing ran' });
  expect(seat.outcome('p')?.state).toBe('done');
  expect(JSON.stringify(await entriesOf(house))).not.toContain('secret thing');
  expect(transcriptOf(other.view)).toEqual([]);
});

test('Esc stops the turn and the next one starts; what was said stays (QUE-15)', async () => {
  const held = gate();
  const model = scriptedModel([{ parts: ['part', { wait: held.opened }] }, 'next']);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  await seat.say('first');
  await seat.until((view) => view.live !== null);
  await seat.say('second', 'queue');
  await seat.send(ESCAPE);
  await house.idle();
  expect(transcriptOf(seat.view)).toEqual([
    'prompt: first (stopped)',
    'model: part',
    'end: stopped',
    'prompt: second',
    'model: next',
    'end: done',
  ]);
  expect(seat.outcome('one-1')?.state).toBe('stopped');
});

test('Ctrl-C stops the turn and holds what waits, in order, until it may go on (INV-6)', async () => {
  const held = gate();
  const model = scriptedModel([{ parts: [{ wait: held.opened }] }, 'a done', 'b done']);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  await seat.say('first');
  await seat.until((view) => view.live !== null);
  await seat.say('a', 'queue');
  await seat.say('b', 'queue');
  await seat.send(CTRL_C);
  await house.idle();
  expect(texts(seat.view)).toEqual(['a', 'b']);
  expect(seat.view.queue.paused?.because).toBe('stopped');
  expect(model.requests).toHaveLength(1);
  await seat.send({ type: 'queue-resume' });
  await house.idle();
  expect(seat.view.queue).toEqual({ paused: null, rows: [] });
  expect(model.requests).toHaveLength(3);
});

test('while the queue is held, something new runs by itself and the held rows stay', async () => {
  const held = gate();
  const model = scriptedModel([{ parts: [{ wait: held.opened }] }, 'new done']);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  await seat.say('first');
  await seat.until((view) => view.live !== null);
  await seat.say('held', 'queue');
  await seat.send(CTRL_C);
  await house.idle();
  await seat.say('new');
  await house.idle();
  expect(saidIn(model.requests[1]).at(-1)).toBe('user: new');
  expect(texts(seat.view)).toEqual(['held']);
});

test('Enter and Ctrl-C in one batch: the prompt is sent and cancelled, nothing reaches the model (INV-3)', async () => {
  for (const stop of [CTRL_C, ESCAPE]) {
    const model = scriptedModel([]);
    const house = await openHouse({ script: model });
    await house.idle();
    const seat = house.seat('one');
    const said = seat.say('oops');
    const cancelled = seat.send(stop);
    expect((await said).accepted).toBe(true);
    expect((await cancelled).accepted).toBe(true);
    await house.idle();
    expect(model.requests).toEqual([]);
    expect(transcriptOf(seat.view)).toEqual(['prompt: oops (stopped)', 'end: stopped']);
    expect(seat.outcome('one-1')).toMatchObject({
      state: 'stopped',
      messages: [{ identifier: 'offered-back', text: 'oops' }],
    });
  }
});

test('what was stopped before its turn came asks the model nothing, whoever speaks meanwhile: no turn takes it along, and Ctrl-Enter sends nothing past it (INV-3)', async () => {
  for (const together of [false, true]) {
    const model = scriptedModel([[{ tool: 'look', input: { at: 'x' } }], 'done', 'more']);
    const house = await openHouse({ script: model });
    await house.idle();
    const [one, two] = [house.seat('one'), house.seat('two')];
    // The second of two waits for the first to be written; what another client says overtakes it.
    void two.say('w1');
    void one.send(CTRL_C);
    void two.say('w2');
    void one.send(CTRL_C);
    void one.say('w3');
    if (together)
      void one.send({ type: 'say', ref: 'w4', text: 'w4', attachments: [], delivery: 'interrupt', together });
    await house.idle();
    const lines = transcriptOf(one.view).filter((line) => line.startsWith('prompt'));
    expect(lines.filter((line) => line.endsWith('(stopped)'))).toEqual([
      'prompt: w1 (stopped)',
      'prompt: w2 (stopped)',
    ]);
    expect(JSON.stringify(model.requests.slice(0, 2))).not.toContain('w2');
    const order = lines.map((line) => /w\d/.exec(line)?.[0]);
    expect(order).toEqual(together ? ['w1', 'w3', 'w2', 'w4'] : ['w1', 'w3', 'w2']);
  }
});

test('a stop while one of three calls is done leaves three results in call order and a history the next request can use (UP-24)', async () => {
  const system = createMemorySystem();
  const model = scriptedModel([
    [
      { tool: 'look', input: { at: 'README' } },
      { tool: 'do', input: { line: 'sleep 30' } },
      { tool: 'do', input: { line: 'echo x' } },
    ],
    'next',
  ]);
  const house = await openHouse({
    system,
    script: model,
    bypassOffered: true,
    mode: 'bypass',
    runLine: scriptedLine(system.clock),
  });
  const seat = house.seat('one');
  await seat.say('go');
  await seat.until((view) =>
    view.transcript.items.some(
      (item) => item.kind === 'call' && item.title === 'Run sleep 30' && item.state === 'running',
    ),
  );
  await seat.send(ESCAPE);
  await house.idle();
  expect(transcriptOf(seat.view)).toEqual([
    'prompt: go (stopped)',
    'call Look README: ok',
    'call Run sleep 30: stopped',
    'call Run echo x: stopped',
    'end: stopped',
  ]);
  await seat.say('next');
  await house.idle();
  expect(saidIn(model.requests[1]).filter((line) => line.startsWith('result'))).toEqual([
    'result: saw README',
    'result: the command was stopped',
    'result: Not run: The person stopped the turn before its turn came.',
  ]);
  expect(system.clock.ticks()).toBeLessThan(30_000);
});

test('a stop ends an open question, and its call says it did not run', async () => {
  const model = scriptedModel([[{ tool: 'do', input: { line: 'rm -f x' } }], 'ok']);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  await seat.say('go');
  await seat.until((view) => view.asks.length === 1);
  await seat.send(ESCAPE);
  await house.idle();
  expect(seat.view.asks).toEqual([]);
  expect(transcriptOf(seat.view)).toEqual(['prompt: go (stopped)', 'call Run rm -f x: stopped', 'end: stopped']);
});

test('a service that says wait is waited for with a countdown, and Esc ends the wait at once (UP-26)', async () => {
  const wait = {
    failure: { category: 'rate-limited', retryable: true, retryAfterMs: 3000, status: 429, requestId: 'r1' },
  } as const;
  const model = scriptedModel([wait, 'there', wait]);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  await seat.say('hi');
  await seat.until((view) => view.activity.phase === 'retrying');
  const retry = seat.view.activity.retry!;
  expect(retry).toMatchObject({ attempt: 2, failure: { requestId: 'r1', status: 429 } });
  expect(retry.at - house.system.clock.now()).toBeGreaterThanOrEqual(3000);
  expect(retry.at - house.system.clock.now()).toBeLessThanOrEqual(3600);
  await house.idle();
  expect(transcriptOf(seat.view)).toEqual(['prompt: hi', 'model: there', 'end: done']);

  await seat.say('again');
  await seat.until((view) => view.activity.phase === 'retrying');
  const before = house.system.clock.now();
  await seat.send(ESCAPE);
  await house.idle();
  expect(house.system.clock.now() - before).toBeLessThan(200);
  expect(seat.outcome('one-2')?.state).toBe('stopped');
});

test('a stream that is cut is no finished turn: it starts over, its calls never ran (UP-25)', async () => {
  const cut = { category: 'stream-cut', retryable: true } as const;
  const call = { tool: 'do', input: { line: 'echo hi' }, call: 'c1' };
  let ran = 0;
  const line = scriptedLine();
  const model = scriptedModel([{ parts: ['half', call], failure: cut }, ['whole', call], 'end']);
  const house = await openHouse({
    script: model,
    bypassOffered: true,
    mode: 'bypass',
    runLine: async (order, signal, onOutput) => {
      ran++;
      return line(order, signal, onOutput);
    },
  });
  const seat = house.seat('one');
  await seat.say('hi');
  await house.idle();
  expect(ran).toBe(1);
  expect(transcriptOf(seat.view)).toEqual([
    'prompt: hi',
    'model: whole',
    'call Run echo hi: ok',
    'model: end',
    'end: done',
  ]);
  expect(seat.view.head.totals.requests).toBe(3);
});

test('a failed turn keeps what came, holds the queue with the reason, and can be tried again', async () => {
  const held = gate();
  const model = scriptedModel([
    { gate: held.opened, parts: ['half'], failure: { category: 'server-error', message: 'it broke' } },
    'whole',
    'b done',
  ]);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  await seat.say('a');
  await seat.say('b', 'queue');
  held.open();
  await house.idle();
  expect(transcriptOf(seat.view)).toEqual(['prompt: a', 'model: half', 'end: failed']);
  expect(seat.view.queue.paused).toEqual({ because: 'failed', message: 'it broke' });
  expect(seat.outcome('one-1')).toMatchObject({
    state: 'failed',
    messages: [{ identifier: 'server-error', text: 'it broke' }],
  });
  expect((await seat.send({ type: 'retry' })).accepted).toBe(true);
  await house.idle();
  expect(transcriptOf(seat.view).slice(3)).toEqual([
    'resend: a',
    'model: whole',
    'end: done',
    'prompt: b',
    'model: b done',
    'end: done',
  ]);
  expect(await seat.send({ type: 'retry' })).toMatchObject({ refusal: { identifier: 'nothing-to-retry' } });
});

test('a prompt that failed before anything came is marked, not sent along with the next one, and asked once when tried again (UP-18)', async () => {
  const broken = { failure: { category: 'server-error', message: 'it broke' } } as const;
  const model = scriptedModel([broken, 'z done', broken, 'x done', 'after']);
  const system = createMemorySystem();
  const house = await openHouse({ system, script: model });
  const seat = house.seat('one');
  await seat.say('lost');
  await house.idle();
  expect(seat.view.queue.paused?.because).toBe('failed');
  await seat.say('z');
  await house.idle();
  expect(seat.view.queue.paused).toBeNull();
  expect(saidIn(model.requests[1])).toEqual(['user: z']);
  await seat.say('x');
  await house.idle();
  await seat.send({ type: 'retry' });
  await house.idle();
  expect(saidIn(model.requests[3])).toEqual(['user: z', 'assistant: z done', 'user: x']);
  await system.clock.runUntil(house.session.close());
  const again = await openHouse({ system, script: model });
  await again.seat('two').say('and');
  await again.idle();
  expect(saidIn(model.requests[4])).toEqual([
    'user: z',
    'assistant: z done',
    'user: x',
    'assistant: x done',
    'user: and',
  ]);
});

test('headless: a failure drops what waits and tells its owners', async () => {
  const held = gate();
  const model = scriptedModel([{ gate: held.opened, failure: { category: 'server-error', message: 'it broke' } }]);
  const house = await openHouse({ script: model, canAsk: false });
  const seat = house.seat('one');
  await seat.say('a', 'queue');
  await seat.say('b', 'queue');
  held.open();
  await house.idle();
  expect(seat.outcome('one-1')?.state).toBe('failed');
  expect(seat.outcome('one-2')?.state).toBe('dropped');
  expect(seat.view.queue.rows).toEqual([]);
  expect(model.requests).toHaveLength(1);
});

test('the same call with the same result stops the turn at the fifth; one whose result changes goes on (UP-30)', async () => {
  const call = { tool: 'look', input: { at: 'zzz' } };
  const stuck = scriptedModel([[call]], { repeatLast: true });
  const house = await openHouse({ script: stuck });
  const seat = house.seat('one');
  await seat.say('search');
  await house.idle();
  expect(stuck.requests).toHaveLength(5);
  expect(transcriptOf(seat.view).at(-1)).toBe('end: repeating');
  expect(seat.outcome('one-1')).toMatchObject({ state: 'failed', messages: [{ identifier: 'turn-repeating' }] });

  let polls = 0;
  const polling = scriptedModel([
    ...Array.from({ length: 9 }, () => [{ tool: 'do', input: { line: 'poll' } }]),
    'grown',
  ]);
  const other = await openHouse({
    script: polling,
    bypassOffered: true,
    mode: 'bypass',
    runLine: async (order, signal, onOutput) => {
      const result = await scriptedLine()(order, signal, onOutput);
      return { ...result, head: `line ${++polls}` };
    },
  });
  await other.seat('one').say('poll');
  await other.idle();
  expect(polls).toBe(9);
});

test('on the limiting round no tool may be called, the model is told, and calls it still asks for are dropped (TURN-1, TURN-2)', async () => {
  const model = scriptedModel([
    [{ tool: 'look', input: { at: '1' } }],
    ['answer', { tool: 'look', input: { at: '2' } }],
  ]);
  const house = await openHouse({ script: model, roundLimit: 2 });
  const seat = house.seat('one');
  await seat.say('go');
  await house.idle();
  expect(model.requests[0]!.tools).toHaveLength(2);
  expect(model.requests.map((request) => request.calls)).toEqual(['allowed', 'forbidden']);
  // Still declared: a service refuses a conversation that holds calls to tools it was not told of.
  expect(model.requests[1]!.tools).toEqual(model.requests[0]!.tools);
  expect(saidIn(model.requests[1]).at(-1)).toContain('no tool calls left');
  expect(transcriptOf(seat.view)).toEqual(['prompt: go', 'call Look 1: ok', 'model: answer', 'end: limit']);
  expect(seat.outcome('one-1')).toMatchObject({ state: 'done', messages: [{ identifier: 'turn-limit' }] });
});

test('a turn that somebody watches has no limit of rounds, and a stop reaches it in the middle of one (TURN-1)', async () => {
  const system = createMemorySystem();
  const long = { at: 'long', ms: 60_000 };
  const model = scriptedModel(
    [(_request, index) => [{ tool: 'look', input: index < 205 ? { at: String(index) } : long }]],
    { repeatLast: true },
  );
  const house = await openHouse({ system, script: model });
  const seat = house.seat('one');
  await seat.say('go');
  await seat.until(({ transcript }) =>
    transcript.items.some((item) => item.kind === 'call' && item.title === 'Look long'),
  );
  const before = system.clock.now();
  await seat.send(ESCAPE);
  await house.idle();
  expect(system.clock.now() - before).toBeLessThan(1_000);
  expect(model.requests).toHaveLength(206);
  expect(transcriptOf(seat.view).at(-1)).toBe('end: stopped');
});

test('a refused picture is left out, said, and the request tried once more (UP-28)', async () => {
  const model = scriptedModel([{ failure: { category: 'image-rejected', message: 'no' } }, 'without it']);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  const picture = { kind: 'image', name: 'tall.png', mediaType: 'image/png', base64: 'aGVsbG8=' } as const;
  await seat.send({ type: 'say', ref: 'r', text: 'look at this', attachments: [picture], delivery: 'steering' });
  await house.idle();
  const images = model.requests.map(
    (request) =>
      request.messages
        .flatMap((message) => (message.role === 'user' ? message.parts : []))
        .filter((part) => part.type === 'image').length,
  );
  expect(images).toEqual([1, 0]);
  expect(transcriptOf(seat.view)).toEqual([
    'prompt: look at this',
    'note images-left-out',
    'model: without it',
    'end: done',
  ]);
});

test('saying the same thing twice says it once, also after a restart', async () => {
  const model = scriptedModel(['hello', 'again']);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  const intent = { type: 'say', ref: 'same', text: 'hi', attachments: [], delivery: 'queue' } as const;
  const [first, second] = await Promise.all([seat.send(intent), seat.send(intent)]);
  expect(second).toEqual(first);
  await house.idle();
  await house.system.clock.runUntil(house.session.close());
  const again = await openHouse({ script: model, system: house.system });
  expect(await again.seat('one').send(intent)).toEqual(first);
  expect((await again.seat('two').send(intent)).accepted).toBe(true);
  await again.idle();
  expect(model.requests).toHaveLength(2);
});

test('after a crash what waited runs exactly once, and the turn that ran is closed, not repeated (UP-18)', async () => {
  const system = createMemorySystem();
  const held = gate();
  const model = scriptedModel([{ parts: ['part', { wait: held.opened }] }, 'second done']);
  const house = await openHouse({ script: model, system });
  const seat = house.seat('one');
  await seat.say('first');
  await seat.until((view) => view.live !== null);
  await seat.say('second', 'queue');
  system.crash();
  const again = await openHouse({ script: model, system });
  const back = again.seat('one');
  await back.until((view) => view.activity.phase === 'idle');
  expect(transcriptOf(back.view)).toEqual(['prompt: first', 'end: interrupted']);
  expect(texts(back.view)).toEqual(['second']);
  expect(back.view.queue.paused?.because).toBe('restarted');
  await back.send({ type: 'queue-resume' });
  await again.idle();
  expect(transcriptOf(back.view).slice(2)).toEqual(['prompt: second', 'model: second done', 'end: done']);
  expect(model.requests).toHaveLength(2);
});

test('what waits before the session is ready is taken, shown and run in order once it is', async () => {
  const opened = gate();
  const system = createMemorySystem();
  const find = system.processes.find;
  const slow = {
    ...system,
    processes: {
      ...system.processes,
      find: (program: string, path: string) => opened.opened.then(() => find(program, path)),
    },
  };
  const model = scriptedModel(['one', 'two']);
  const house = await openHouse({ script: model, system: slow });
  const seat = house.seat('one');
  expect((await seat.say('a', 'queue')).accepted).toBe(true);
  expect((await seat.say('b', 'queue')).accepted).toBe(true);
  expect(texts(seat.view)).toEqual(['a', 'b']);
  expect(seat.view.head.ready).toBe(false);
  opened.open();
  await house.idle();
  expect(model.requests.map((request) => saidIn(request).at(-1))).toEqual(['user: a', 'user: b']);
});

test('without a model the session stays usable: prompts wait, and run once one was chosen (SC-44.9, SC-43.18)', async () => {
  const model = scriptedModel(['hello']);
  const house = await openHouse({ script: model, problem: { identifier: 'no-credential', message: 'no key' } });
  const seat = house.seat('one');
  await seat.say('ls', 'shell');
  await seat.say('hi');
  await house.idle();
  expect(seat.view.head).toMatchObject({ ready: false, startupProblem: { identifier: 'no-credential' }, model: null });
  expect(transcriptOf(seat.view)).toEqual(['shell: ls', 'call ls: ok']);
  expect(texts(seat.view)).toEqual(['hi']);
  expect((await seat.send({ type: 'set-model', model: model.ref, effort: null })).accepted).toBe(true);
  await house.idle();
  expect(seat.view.head).toMatchObject({ ready: true, startupProblem: null, model: model.ref });
  expect(transcriptOf(seat.view).slice(2)).toEqual(['prompt: hi', 'model: hello', 'end: done']);
});

test('headless without a model: the prompt fails with the reason (SC-44.9)', async () => {
  const house = await openHouse({
    script: scriptedModel([]),
    canAsk: false,
    problem: { identifier: 'no-credential', message: 'no key' },
  });
  const seat = house.seat('one');
  await seat.say('hi', 'queue');
  await house.idle();
  expect(seat.outcome('one-1')).toMatchObject({
    state: 'failed',
    messages: [{ identifier: 'no-credential', text: 'no key' }],
  });
});

test('a model chosen mid-turn is adopted when the turn is over; one that cannot be opened changes nothing (INV-12, INV-19, SC-44.8)', async () => {
  const held = gate();
  const model = scriptedModel([{ parts: [{ wait: held.opened }, 'old'] }]);
  const other = scriptedModel(['new'], { ref: { provider: 'script', model: 'two' } });
  const house = await openHouse({ script: model, others: [other] });
  const seat = house.seat('one');
  await seat.say('a');
  await seat.until((view) => view.live !== null);
  expect(
    await seat.send({ type: 'set-model', model: { provider: 'script', model: 'none' }, effort: null }),
  ).toMatchObject({ refusal: { identifier: 'unknown-model' } });
  await seat.send({ type: 'command', ref: 'c1', name: 'model', argument: 'script:two' });
  expect(seat.view.head).toMatchObject({ model: model.ref, pendingModel: other.ref });
  held.open();
  await house.idle();
  expect(seat.view.head).toMatchObject({ model: other.ref, pendingModel: null });
  await seat.say('b');
  await house.idle();
  expect([model.requests.length, other.requests.length]).toEqual([1, 1]);
});

test('waiting rows can be edited, moved, recalled and discarded; each owner hears it once (UP-18)', async () => {
  const held = gate();
  const model = scriptedModel([{ parts: [{ wait: held.opened }, 'x'] }, 'B', 'a']);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  await seat.say('run');
  await seat.until((view) => view.live !== null);
  for (const text of ['a', 'b', 'c', 'd']) await seat.say(text, 'queue');
  const id = (text: string) => seat.view.queue.rows.find((row) => row.text === text)!.id;
  await seat.send({ type: 'queue-edit', input: id('b'), text: 'B', before: id('a') });
  await seat.send({ type: 'queue-discard', inputs: [id('c')] });
  const recalled = await seat.send({ type: 'recall', inputs: [id('d')] });
  expect(recalled).toMatchObject({ accepted: true, value: { kind: 'recalled', drafts: [{ text: 'd' }] } });
  expect(texts(seat.view)).toEqual(['B', 'a']);
  held.open();
  await house.idle();
  expect(model.requests.map((request) => saidIn(request).at(-1))).toEqual(['user: run', 'user: B', 'user: a']);
  expect([seat.outcome('one-4')?.state, seat.outcome('one-5')?.state]).toEqual(['dropped', 'dropped']);
  expect(transcriptOf(seat.view).filter((line) => line.startsWith('prompt'))).toEqual([
    'prompt: run',
    'prompt: B',
    'prompt: a',
  ]);
});

test('a row that a turn has taken cannot be recalled any more (INV-1, QUE-16)', async () => {
  const held = gate();
  const model = scriptedModel([{ parts: [{ wait: held.opened }, 'x'] }]);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  const sent = await seat.say('run');
  const input = sent.accepted && sent.value?.kind === 'input' ? sent.value.input : '';
  expect(await seat.send({ type: 'recall', inputs: [input] })).toMatchObject({ value: { drafts: [] } });
  // Whatever still waits comes back in the order it was typed, however it was to go out.
  await seat.say('b', 'queue');
  await seat.say('c');
  await seat.say('ls', 'shell');
  expect(await seat.send({ type: 'recall', inputs: 'all' })).toMatchObject({
    value: { drafts: [{ text: 'b' }, { text: 'c' }, { text: 'ls' }] },
  });
  held.open();
  await house.idle();
  expect(seat.outcome('one-1')?.state).toBe('done');
});

test('bypass is reached only where it was offered; plan mode holds from the next call on', async () => {
  const model = scriptedModel([[{ tool: 'do', input: { line: 'rm x' } }], 'not']);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  expect(await seat.send({ type: 'set-mode', mode: 'bypass' })).toMatchObject({
    refusal: { identifier: 'bypass-not-offered' },
  });
  expect((await seat.send({ type: 'command', ref: 'c', name: 'mode', argument: 'plan' })).accepted).toBe(true);
  expect(seat.view.head.mode).toBe('plan');
  await seat.say('remove');
  await house.idle();
  expect(seat.outcome('one-1')).toMatchObject({ state: 'done', refusals: 1 });
  expect(await seat.send({ type: 'command', ref: 'd', name: 'nope', argument: '' })).toMatchObject({
    refusal: { identifier: 'unknown-command' },
  });
});

test('a bug in a tool costs its call only, one in the model its turn only, and both are noted', async () => {
  const model = scriptedModel([
    [{ tool: 'do', input: { line: 'x' } }],
    'on we go',
    () => {
      throw new Error('a bug');
    },
    'still here',
  ]);
  const house = await openHouse({
    script: model,
    bypassOffered: true,
    mode: 'bypass',
    runLine: async () => Promise.reject(new Error('boom')),
  });
  const seat = house.seat('one');
  for (const text of ['one', 'two', 'three']) {
    await seat.say(text);
    await house.idle();
  }
  expect(transcriptOf(seat.view)).toEqual([
    'prompt: one',
    'call Run x: error',
    'note tool-failed',
    'model: on we go',
    'end: done',
    'prompt: two',
    'end: failed',
    'prompt: three',
    'model: still here',
    'end: done',
  ]);
});

test('a full disk refuses what cannot be saved, runs nothing, and says so', async () => {
  const model = scriptedModel(['hello']);
  const house = await openHouse({ script: model });
  await house.idle();
  const seat = house.seat('one');
  const emptied = house.system.files.fail({ operation: 'append', code: 'ENOSPC' });
  expect(await seat.say('lost?')).toMatchObject({ accepted: false, refusal: { identifier: 'not-saved' } });
  expect(model.requests).toEqual([]);
  expect(seat.view.queue.rows).toEqual([]);
  emptied();
  expect((await seat.say('again')).accepted).toBe(true);
  await house.idle();
  expect(seat.outcome('one-2')?.state).toBe('done');
});

test('closing is not a stop by the person: the turn ends as interrupted, and it is all on disk (INV-23)', async () => {
  const held = gate();
  const model = scriptedModel([{ parts: ['part', { wait: held.opened }] }]);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  await seat.say('first');
  await seat.until((view) => view.live !== null);
  expect((await seat.send({ type: 'end' })).accepted).toBe(true);
  await house.system.clock.runUntil(house.session.ended);
  expect(transcriptOf(seat.view)).toEqual(['prompt: first', 'model: part', 'end: interrupted']);
  expect(seat.updates.at(-1)?.changes).toEqual([{ type: 'closed', why: 'ended' }]);
  expect(await seat.say('too late')).toMatchObject({ refusal: { identifier: 'session-closed' } });
});

/** A session with a bit of everything, by steps; `between` is called between any two of them. */
async function busySession(house: House, seat: Seat, between: () => Promise<void> | void): Promise<void> {
  await seat.say('look around');
  await between();
  await seat.until((view) => view.live !== null);
  await between();
  await seat.say('and there', 'steering');
  await between();
  await answerYes(seat);
  await between();
  await seat.say('ls', 'shell');
  await seat.say('third', 'queue');
  await between();
  await house.system.clock.advance(40);
  await between();
  await house.idle();
  await between();
  await seat.send({ type: 'command', ref: 'r', name: 'rename', argument: 'A busy one' });
}

const BUSY = [
  [
    { thinking: 'hm' },
    { text: 'looking around', piece: 3, every: 7 },
    { tool: 'look', input: { at: 'x', ms: 50 } },
    { tool: 'do', input: { line: 'rm y' } },
  ],
  [{ text: 'done with that', piece: 2, every: 5 }],
  [{ text: 'and the third', piece: 5, every: 11 }],
];

/** What can be told from entries alone, and what only the run knows, apart. */
function durable({ transcript, queue, todo, head }: View): unknown {
  const { title, model, effort, mode, totals, contextTokens, activeTime } = head;
  const items = transcript.items.map(({ revision: _revision, ...item }) => item);
  return {
    transcript: { ...transcript, items },
    queue,
    todo,
    head: { title, model, effort, mode, totals, contextTokens, activeTime },
  };
}

test('entries alone fold to what updates with deltas fold to', async () => {
  const system = createMemorySystem();
  const house = await openHouse({ system, script: scriptedModel(BUSY, { clock: system.clock }) });
  const seat = house.seat('one');
  await busySession(house, seat, () => {});
  const folded = emptyView(emptyHead('s1', '/yard', '0.0.0'));
  for (const entry of await entriesOf(house)) applyEntry(folded, entry);
  expect(durable(folded)).toEqual(durable(seat.view));
  await system.clock.runUntil(house.session.close());
  const again = await openHouse({ system, script: scriptedModel([]) });
  const back = again.seat('two');
  await again.idle();
  expect(durable(back.view)).toEqual(durable(seat.view));
});

test('attaching at any moment shows what watching throughout shows, by snapshot and by replay (INV-24)', async () => {
  const system = createMemorySystem();
  const house = await openHouse({ system, script: scriptedModel(BUSY, { clock: system.clock }) });
  const seat = house.seat('one');
  const late: Seat[] = [];
  const returning: { after: number; view: View }[] = [];
  await busySession(house, seat, async () => {
    late.push(house.seat(`late-${late.length}`));
    await house.settle();
    // Left here, with what was seen so far; comes back at the end.
    returning.push({ after: seat.view.seq, view: structuredClone(seat.view) });
  });
  await house.idle();
  expect(late.length).toBeGreaterThan(6);
  for (const other of late) expect(other.view).toEqual(seat.view);
  for (const { after, view } of returning) {
    const back = house.seat('back', after, view);
    await house.settle();
    expect(back.updates[0]?.changes[0]?.type ?? 'nothing').not.toBe('snapshot');
    expect(back.view).toEqual(seat.view);
  }
});

test('deltas are gathered into frames, and nothing overtakes them', async () => {
  const system = createMemorySystem();
  const house = await openHouse({
    system,
    script: scriptedModel([[{ text: 'x'.repeat(400), piece: 1, every: 1 }]], { clock: system.clock }),
  });
  const seat = house.seat('one');
  await seat.say('go');
  await house.idle();
  const withDeltas = seat.updates.filter((update) => update.changes.some((change) => change.type === 'delta'));
  expect(withDeltas.length).toBeLessThan(40);
  expect(withDeltas.length).toBeGreaterThan(15);
  expect(seat.updates.map((update) => update.seq)).toEqual(
    seat.updates.map((_, index) => seat.updates[0]!.seq + index),
  );
  expect(transcriptOf(seat.view)[1]).toBe(`model: ${'x'.repeat(400)}`);
  expect(system.clock.timers).toBe(0);
});

test('a draft comes back to its client, and to whoever comes after one that is gone (UP-14)', async () => {
  const house = await openHouse({ script: scriptedModel([]) });
  const one = house.seat('one');
  const draft = { text: 'three\nlines\nhere', caret: 4, folded: [], shell: false };
  await one.send({ type: 'draft', draft });
  const draftOf = async (client: string) => {
    const seat = house.seat(client);
    await house.settle();
    const [first] = seat.updates[0]!.changes;
    seat.detach();
    return first?.type === 'snapshot' ? first.draft : undefined;
  };
  expect(await draftOf('one')).toEqual(draft);
  expect(await draftOf('two')).toBeNull();
  one.detach();
  expect(await draftOf('three')).toEqual(draft);
});

test('outcomes stay until their client has seen them', async () => {
  const house = await openHouse({ script: scriptedModel(['x']) });
  const seat = house.seat('one');
  await seat.say('hi');
  await house.idle();
  await seat.send({ type: 'seen', refs: ['one-1'] });
  expect(seat.view.outcomes).toEqual([]);
});

test('with the real tools: a change is shown exactly, approved, made, kept for going back, and read back by the queries', async () => {
  const system = createMemorySystem();
  system.files.seed('/yard/a.txt', 'one\ntwo\n');
  const model = scriptedModel([
    [{ tool: 'read_file', input: { path: 'a.txt', why: 'to see' } }],
    [{ tool: 'edit_file', input: { path: 'a.txt', edits: [{ old_text: 'two', new_text: 'three' }], why: 'asked' } }],
    [{ tool: 'todo_write', input: { items: [{ text: 'check', state: 'active' }], why: 'plan' } }],
    'changed it',
  ]);
  const house = await openHouse({ system, script: model, tools: createTools() });
  const seat = house.seat('one');
  await seat.say('change two into three');
  await seat.until((view) => view.asks.length === 1);
  const { body } = seat.view.asks[0]!;
  if (body.kind !== 'permission') throw new Error('not a permission');
  expect(body.diffs[0]?.hunks[0]?.lines).toEqual([' one', '-two', '+three']);
  expect(system.files.textOf('/yard/a.txt')).toBe('one\ntwo\n');
  await answerYes(seat);
  await house.idle();
  expect(system.files.textOf('/yard/a.txt')).toBe('one\nthree\n');
  expect(seat.view.todo).toEqual([{ text: 'check', state: 'active' }]);
  expect(seat.outcome('one-1')?.state).toBe('done');

  const changes = await house.session.read({ type: 'changes', path: null });
  expect(changes).toMatchObject({
    ok: true,
    value: { files: [{ path: '/yard/a.txt', change: 'edit', added: 1, removed: 1 }] },
  });
  const page = await house.session.read({ type: 'page', from: 0, count: 3 });
  expect(page.ok && page.value.items.map((item) => item.id)).toEqual(
    seat.view.transcript.items.slice(0, 3).map((item) => item.id),
  );
  const call = seat.view.transcript.items.find((item) => item.kind === 'call')!;
  const output = await house.session.read({
    type: 'output',
    call: call.kind === 'call' ? call.call : '',
    from: 0,
    count: 10,
  });
  expect(output.ok && output.value.lines.join('\n')).toContain('one');
  const found = await house.session.read({ type: 'find', words: 'CHANGED it', limit: 5 });
  expect(found).toMatchObject({ ok: true, value: { hits: [{ excerpt: 'changed it' }] } });
  const paths = await house.session.read({ type: 'complete-path', typed: 'a', limit: 5 });
  expect(paths).toEqual({ ok: true, value: { paths: ['a.txt'], complete: true } });
  const status = await house.session.read({ type: 'status' });
  expect(status.ok && status.value.rows.find((row) => row.name === 'Model')?.value).toBe('script:one');
  expect((await house.session.read({ type: 'output', call: 'none', from: 0, count: 1 })).ok).toBe(false);
});
