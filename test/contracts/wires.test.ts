// The contract of every wire, run over each against a counterpart as strict as the real service: the same script gives
// the same session, whatever the service is.
import { afterEach, describe, expect, test } from 'bun:test';
import { createMemoryJournal } from '../../src/core/journal/memory-journal.ts';
import type { Message, Model, ModelEnd, ModelEvent } from '../../src/core/models/model.ts';
import { streamWithRetry } from '../../src/core/models/retry.ts';
import type { SessionController } from '../../src/core/session/controller.ts';
import type { Entry } from '../../src/protocol/entry.ts';
import type { AssistantPart } from '../../src/protocol/message.ts';
import { createBunClock } from '../../src/system/bun/clock.ts';
import { createMemoryClock } from '../../src/system/memory/clock.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { ALL_RIGS } from '../support/claude-rig.ts';
import { ESCAPE, FOLDER, openHouse, type Seat } from '../support/controller.ts';
import type { FakeEntry, FakeOptions, FakePart } from '../support/fake-service.ts';
import { pngHeader } from '../support/image-size.ts';
import { gate } from '../support/script.ts';
import {
  plainRequest as ask,
  collect,
  collectReply as reply,
  resultsOf as resultsFor,
  SAY,
} from '../support/wire-asking.ts';
import type { AnyBody, AnyFake, WireRig } from '../support/wire-rigs.ts';

const fakes: AnyFake[] = [];
afterEach(async () => {
  for (const fake of fakes.splice(0)) await fake.close();
});

async function serve(rig: WireRig, entries: readonly FakeEntry<AnyBody>[], options?: FakeOptions) {
  const fake = await rig.start(entries, options);
  fakes.push(fake);
  return { fake, model: rig.connect(fake) };
}

/** A true session on a wire, in memory but for the loopback; waiting takes no time. */
async function openSession(models: readonly Model[], retries = 5) {
  const real = createBunClock();
  const clock = { ...real, sleep: (ms: number, signal?: AbortSignal) => real.sleep(Math.min(ms, 2), signal) };
  const system = { ...createMemorySystem(), clock };
  const first = {
    kind: 'session',
    version: 1,
    session: 's1',
    folder: FOLDER,
    build: 'test',
    forkedFrom: null,
  } as const;
  const journal = createMemoryJournal({ clock, ids: system.ids, session: 's1', first });
  const [script, ...others] = models;
  const { session, seat } = await openHouse({
    system: system as never,
    journal,
    script: script!,
    others,
    settings: { effort: 'default', retries, stallMs: 120_000 },
  });
  const person = seat('person');
  const entries = async (): Promise<Entry[]> => {
    const all: Entry[] = [];
    for await (const entry of journal.all()) all.push(entry);
    return all;
  };
  return { session, person, entries };
}

async function say(session: SessionController, person: Seat, text: string): Promise<void> {
  await person.say(text);
  await session.idle();
}

/** What a session said and did, without what belongs to one service: names of calls, sealed parts, ids and times. */
function essence(entries: readonly Entry[]): unknown[] {
  const names: string[] = [];
  const numberOf = (call: string) => {
    if (!names.includes(call)) names.push(call);
    return names.indexOf(call);
  };
  return entries.flatMap((entry): unknown[] => {
    switch (entry.kind) {
      case 'input':
        return [['input', entry.text]];
      case 'assistant':
        return [
          [
            'assistant',
            entry.stop,
            entry.parts.map((part) =>
              part.type === 'call' ? [part.tool, numberOf(part.call), part.input] : [part.type, part.text],
            ),
            entry.usage.input,
            entry.usage.output,
            entry.usage.cacheRead ?? 0,
          ],
        ];
      case 'call':
        return [['call', numberOf(entry.call), entry.tool]];
      case 'result':
        return [['result', numberOf(entry.call), entry.outcome, entry.text]];
      case 'turn-end':
        return [['end', entry.reason]];
      default:
        return [[entry.kind]];
    }
  });
}

const look = (at: string): FakePart => ({ tool: 'look', input: { at } });

const SESSION: readonly FakeEntry<AnyBody>[] = [
  { parts: [{ thinking: 'Two places …' }, 'I look at both.', look('a/ü.ts'), look('b.ts')], usage: { cacheRead: 900 } },
  { parts: [{ thinking: 'One more.' }, look('c')], usage: { input: 7, output: 31, thinking: 11 } },
  'All seen 🚀.',
  'Still here.',
];

test('the same script gives the same session over every wire', async () => {
  const sessions: unknown[][] = [];
  for (const rig of ALL_RIGS) {
    const { fake, model } = await serve(rig, SESSION);
    const { session, person, entries } = await openSession([model]);
    await say(session, person, 'Look around.');
    await say(session, person, 'And now?');
    expect(fake.requests.map((request) => request.refused)).toEqual([null, null, null, null]);
    sessions.push(essence(await entries()));
    await session.close();
  }
  const [first, ...rest] = sessions;
  expect(first).toContainEqual(['result', 1, 'ok', 'saw b.ts']);
  expect(first).toContainEqual(['assistant', 'end', [['text', 'All seen 🚀.']], 100, 10, 0]);
  for (const other of rest) expect(other).toEqual(first!);
});

test('a conversation handed from wire to wire in the middle of its calls stays valid on each (UP-24)', async () => {
  const served = [];
  const step = (name: string): FakePart[] => [{ thinking: `${name} thinks` }, `${name} speaks`, look('x'), look('y')];
  for (const rig of ALL_RIGS) served.push(await serve(rig, [step(rig.name)], { repeatLast: true }));
  const messages: Message[] = [SAY];
  for (let round = 0; round < 3 * served.length; round++) {
    // Each speaks twice in a row, so that its own sealed parts go back to it, then among those of others.
    const { fake, model } = served[Math.floor(round / 2) % served.length]!;
    const { end } = await reply(model, ask(messages));
    expect(fake.requests.at(-1)?.refused).toBeNull();
    expect(end.result).toEqual({ outcome: 'complete', stop: 'calls' });
    // Services may repeat an id; whoever keeps the session makes them unique.
    const parts = end.parts.map((part) => (part.type === 'call' ? { ...part, call: `${part.call}:${round}` } : part));
    messages.push({ role: 'assistant', parts, from: model.ref }, resultsFor(parts));
    if (round % 3 === 2) messages.push(SAY);
  }
});

test('switching by command between turns keeps one session over all wires', async () => {
  const served = [];
  for (const rig of ALL_RIGS) served.push(await serve(rig, [[{ thinking: 'hm' }, look('x')], `I am ${rig.name}.`]));
  const { session, person, entries } = await openSession(served.map(({ model }) => model));
  for (const { model } of served) {
    await person.send({ type: 'set-model', model: model.ref, effort: null });
    await say(session, person, 'Who are you?');
  }
  for (const { fake } of served) expect(fake.requests.map((request) => request.refused)).toEqual([null, null]);
  const said = (await entries()).flatMap((entry) => (entry.kind === 'assistant' ? entry.parts : []));
  const texts = said.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  expect(texts).toEqual(ALL_RIGS.map((rig) => `I am ${rig.name}.`));
  await session.close();
});

test('prompts aimed at one wire after the other, each with its rounds, keep one session valid on all of them (UP-24)', async () => {
  const served = [];
  for (const rig of ALL_RIGS)
    served.push(
      await serve(rig, [[{ thinking: 'hm' }, look('x'), look('y')], `I am ${rig.name}.`], { repeatLast: true }),
    );
  const { session, person, entries } = await openSession(served.map(({ model }) => model));
  await say(session, person, 'Who are you?');
  for (const { model } of served) await say(session, person, `$${model.ref.provider}:${model.ref.model} Who are you?`);
  await say(session, person, 'And you?');
  for (const { fake } of served) expect(fake.requests.every(({ refused }) => refused === null)).toBe(true);
  const said = (await entries()).flatMap((entry) => (entry.kind === 'assistant' ? entry.parts : []));
  const texts = said.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const [own = '', ...others] = ALL_RIGS.map((rig) => `I am ${rig.name}.`);
  expect(texts).toEqual([own, own, ...others, own]);
  expect(person.view.head.model).toEqual(served[0]!.model.ref);
  await session.close();
});

describe.each(ALL_RIGS.map((rig) => [rig.name, rig] as const))('%s', (_, rig) => {
  /** What only whoever speaks to the service itself can keep; `claude-wire.test.ts` says what holds in its place. */
  const testDirect: typeof test = rig.throughProgram ? (Object.assign(() => {}, test) as typeof test) : test;

  test('text, thinking and parallel calls arrive whole, streamed in order', async () => {
    const parts = [
      { thinking: 'Let me see …' },
      'I will look.',
      { tool: 'look', input: { at: 'a/ü.ts' } },
      { tool: 'look', input: { at: 'b', deep: [1, { x: null }] } },
    ];
    const usage = { input: 1_000, output: 50, cacheRead: 9_000, thinking: 7 };
    const { model } = await serve(rig, [{ parts, usage }]);
    const { events, end } = await reply(model);
    expect(events[0]?.type).toBe('begin');
    expect(end.result).toEqual({ outcome: 'complete', stop: 'calls' });
    expect(end.usage).toMatchObject({ input: 1_000, output: 50, cacheRead: 9_000, reasoning: 7 });
    expect(end.parts).toMatchObject([
      { type: 'thinking', text: 'Let me see …' },
      { type: 'text', text: 'I will look.' },
      { type: 'call', tool: 'look', input: { at: 'a/ü.ts' } },
      { type: 'call', tool: 'look', input: { at: 'b', deep: [1, { x: null }] } },
    ]);
    const streamed = (type: 'text' | 'thinking') =>
      events.flatMap((event) => (event.type === type ? [event.text] : [])).join('');
    expect(streamed('thinking')).toBe('Let me see …');
    expect(streamed('text')).toBe('I will look.');
    const calls = events.filter((event) => event.type === 'call');
    expect([...new Set(calls.map((event) => event.part))]).toEqual([2, 3]);
  });

  test('sealed thinking goes back exactly, round after round', async () => {
    const { fake, model } = await serve(rig, [
      [{ thinking: 'first' }, { redacted: 'c2VhbGVk' }, look('x'), look('y')],
      [{ thinking: 'second', signature: 'seal-of-two' }, 'and', look('z')],
      [{ thinking: 'third' }, 'done'],
      'still here',
    ]);
    const messages: Message[] = [SAY];
    for (let round = 0; round < 4; round++) {
      const { end } = await reply(model, ask(messages));
      expect(end.result.outcome).toBe('complete');
      const called = end.parts.some((part) => part.type === 'call');
      messages.push({ role: 'assistant', parts: end.parts, from: model.ref });
      messages.push(called ? resultsFor(end.parts) : SAY);
    }
    expect(fake.requests.map((request) => request.refused)).toEqual([null, null, null, null]);
    expect(fake.requests[2]?.raw).toContain('seal-of-two');
    expect(fake.requests[3]?.raw).toContain('c2VhbGVk');
  });

  test.each(rig.stops)('the stop %p means %p', async (stop, meaning) => {
    const { model } = await serve(rig, [{ parts: ['half'], stop }]);
    expect((await reply(model)).end.result).toEqual({ outcome: 'complete', stop: meaning });
  });

  test.each(['reset', 'quiet'] as const)('a stream that breaks off is cut, never complete: %p (UP-25)', async (cut) => {
    const { opened, open } = gate();
    const { model } = await serve(rig, [['twenty words', look('x'), { wait: opened }, { cut }]]);
    let end: ModelEvent | null = null;
    for await (const event of model.stream(ask(), new AbortController().signal)) {
      // The tear comes after all of it was seen: a reset may otherwise overtake what was written.
      if (event.type === 'call') open();
      end = event;
    }
    expect(end).toMatchObject({
      type: 'end',
      result: { outcome: 'failed', failure: { category: 'stream-cut', retryable: true } },
      parts: [{ text: 'twenty words' }, { type: 'call' }],
      usage: { input: rig.countsBroken ? 100 : null },
    });
  });

  test('a call of a reply that was cut off never runs; the one of the next try does, once (UP-25)', async () => {
    const { fake, model } = await serve(rig, [['a', look('x'), { cut: 'quiet' }], [look('x')], 'done']);
    const { session, person, entries } = await openSession([model]);
    await say(session, person, 'go');
    const all = await entries();
    expect(all.filter((entry) => entry.kind === 'call')).toHaveLength(1);
    expect(all.filter((entry) => entry.kind === 'assistant')).toHaveLength(2);
    expect(fake.requests.map((request) => request.refused)).toEqual([null, null, null]);
    await session.close();
  });

  test('a damaged event ends the reply as cut', async () => {
    const { model } = await serve(rig, [['a', { raw: 'data: {"type": "content_b\n\n' }, 'b']]);
    expect((await reply(model)).end).toMatchObject({
      result: { outcome: 'failed', failure: { category: 'stream-cut' } },
      parts: [{ type: 'text', text: 'a' }],
    });
  });

  testDirect('an error in mid-stream is a failure of its own kind', async () => {
    const [type, message] = rig.name === 'google' ? ['UNAVAILABLE', 'Overloaded'] : ['overloaded_error', 'Overloaded'];
    const { model } = await serve(rig, [['a', { error: { type, message } }]]);
    expect((await reply(model)).end.result).toMatchObject({
      outcome: 'failed',
      failure: { category: 'overloaded', retryable: true },
    });
  });

  test('silence is noticed and tried again, three times at most (UP-25)', async () => {
    const { opened, open } = gate();
    const { fake, model } = await serve(rig, [['a', { wait: opened }]], { repeatLast: true });
    const real = createBunClock();
    let tries = 0;
    const stallMs = 60;
    // Silence counts from when the service has the request: how long that takes on a busy machine is no matter here.
    const after = (ms: number, then: () => void): (() => void) => {
      if (ms !== stallMs) return real.after(ms, then);
      const wanted = ++tries;
      let stop = () => {};
      const watch = () => {
        stop = fake.requests.length < wanted ? real.after(5, watch) : real.after(ms, then);
      };
      watch();
      return () => stop();
    };
    const options = {
      signal: new AbortController().signal,
      clock: { ...real, after, sleep: async () => true },
      random: () => 0,
      limits: { stallMs },
    };
    const { end } = await collect(streamWithRetry(model, ask(), options));
    expect(end.result).toMatchObject({ outcome: 'failed', failure: { category: 'stalled', attempts: 3 } });
    expect(fake.requests).toHaveLength(3);
    open();
  });

  testDirect('the wait a service names is kept, then backoff; a refused key is not tried again (UP-26)', async () => {
    const { model } = await serve(rig, [
      { status: 429, headers: { 'retry-after': '3' } },
      { status: 429, headers: { 'retry-after-ms': '1500' } },
      { status: 500 },
      { status: 529 },
      'at last',
      { status: 401 },
    ]);
    const waits: number[] = [];
    const options = {
      signal: new AbortController().signal,
      clock: { ...createMemoryClock(), sleep: async (ms: number) => waits.push(ms) > 0 },
      random: () => 0,
    };
    expect((await collect(streamWithRetry(model, ask(), options))).end.result.outcome).toBe('complete');
    expect(waits).toEqual([3_000, 1_500, 750, waits[3]!]);
    const { end } = await collect(streamWithRetry(model, ask(), options));
    expect(end.result).toMatchObject({
      outcome: 'failed',
      failure: { category: 'credential-refused', status: 401, attempts: 1 },
    });
    expect(waits).toHaveLength(4);
  });

  test('the key is sent, and no failure repeats it', async () => {
    const { model } = await serve(rig, [{ status: 400, message: 'bad test-key-123456' }], { key: 'test-key-123456' });
    const { end } = await reply(model);
    expect(end.result).toMatchObject({ outcome: 'failed', failure: { category: 'request-rejected', status: 400 } });
    expect(JSON.stringify(end)).not.toContain('test-key-123456');
    const { model: stranger } = await serve(rig, [], { key: 'another' });
    expect((await reply(stranger)).end.result).toMatchObject({ failure: { category: 'credential-refused' } });
  });

  test('a service that is not there is unreachable; too long a prompt is said to be one', async () => {
    const { fake, model } = await serve(rig, [], { limits: { promptBytes: 2_000 } });
    const long: Message = { role: 'user', parts: [{ type: 'text', text: 'x'.repeat(3_000) }] };
    expect((await reply(model, ask([long]))).end.result).toMatchObject({ failure: { category: 'context-too-long' } });
    await fake.close();
    const { result } = (await reply(model)).end;
    expect(result).toMatchObject({ failure: { category: 'unreachable', retryable: true } });
    // Whoever mistyped an address is told which one was tried; a program that carries the request has its own.
    if (!rig.throughProgram)
      expect(result).toMatchObject({ failure: { message: expect.stringContaining(new URL(fake.url).host) } });
  });

  test('an abort ends a stream at once and keeps what came; one before the first byte too (UP-24)', async () => {
    const { opened, open } = gate();
    const { fake, model } = await serve(rig, [
      ['half a sentence', { wait: opened }, 'never'],
      { before: opened, parts: ['late'] },
    ]);
    const stop = new AbortController();
    const events: ModelEvent[] = [];
    for await (const event of model.stream(ask(), stop.signal)) {
      events.push(event);
      if (event.type === 'text') stop.abort();
    }
    expect(events.at(-1)).toMatchObject({ type: 'end', result: { outcome: 'aborted' } });
    expect((events.at(-1) as ModelEnd).parts[0]?.type).toBe('text');
    const early = new AbortController();
    const done = reply(model, ask(), early.signal);
    await fake.received(2);
    early.abort();
    expect((await done).end.result).toEqual({ outcome: 'aborted' });
    open();
  });

  test('after Esc in the middle of thinking and calls the next prompt is accepted (UP-24)', async () => {
    const { opened, open } = gate();
    const { fake, model } = await serve(rig, [
      [{ thinking: 'one' }, look('x')],
      [{ thinking: 'two' }, { redacted: 'c2VhbGVk' }, { wait: opened }, look('never')],
      'fine',
    ]);
    const { session, person, entries } = await openSession([model]);
    await person.say('go');
    await fake.received(2);
    while (!JSON.stringify(person.updates).includes('"two"')) await Bun.sleep(1);
    await person.send(ESCAPE);
    await session.idle();
    await say(session, person, 'and now?');
    expect(fake.requests.map((request) => request.refused)).toEqual([null, null, null]);
    expect(essence(await entries())).toContainEqual(['assistant', 'end', [['text', 'fine']], 100, 10, 0]);
    await session.close();
    open();
  });

  test('half a character anywhere in a request is mended before it is sent (UP-29)', async () => {
    const { fake, model } = await serve(rig, ['ok']);
    const half = 'cut \ud83d';
    const parts: AssistantPart[] = [
      { type: 'text', text: half },
      { type: 'call', call: 'c1', tool: 'look', title: '', why: null, input: { at: half, list: [half] } },
    ];
    const messages: Message[] = [
      { role: 'user', parts: [{ type: 'text', text: half }] },
      { role: 'assistant', parts, from: model.ref },
      { role: 'results', results: [{ call: 'c1', tool: 'look', text: half, error: false, images: [] }] },
    ];
    expect((await reply(model, ask(messages, { system: [half] }))).end.result.outcome).toBe('complete');
    expect(fake.requests[0]?.refused).toBeNull();
  });

  testDirect('where no call may be made the tools stay declared and calling is forbidden', async () => {
    const { fake, model } = await serve(rig, ['ok', 'ok']);
    await reply(model, ask([SAY], { calls: 'forbidden' }));
    await reply(model);
    expect(fake.requests.map(({ body }) => [rig.forbidsCalls(body), rig.toolsOf(body)])).toEqual([
      [true, ['look']],
      [false, ['look']],
    ]);
  });

  test('a picture the service refuses after all is left out, once tried again, and the next prompt works (UP-28)', async () => {
    const { fake, model } = await serve(rig, ['seen', 'fine', 'still fine']);
    const { session, person, entries } = await openSession([model]);
    const base64 = pngHeader(1_500, 40).toString('base64');
    const attachments = [{ kind: 'image', name: 'wide.png', mediaType: 'image/png', base64 }] as const;
    const show = async (ref: string) => {
      await person.send({ type: 'say', ref, text: 'see', attachments, delivery: 'steering' });
      await session.idle();
    };
    await show('one');
    fake.limits.imageSide = 1_000;
    await say(session, person, 'and now?');
    await say(session, person, 'next');
    expect(fake.requests.map((request) => request.refused === null)).toEqual([true, false, true, true]);
    expect(fake.requests[0]?.raw).toContain(base64);
    expect(fake.requests[2]?.raw).not.toContain(base64);
    const ends = (await entries()).flatMap((entry) => (entry.kind === 'turn-end' ? [entry.reason] : []));
    expect(ends).toEqual(['done', 'done', 'done']);
    await session.close();
  });

  test('what the entries say was used is what the service billed, retries included (UP-56)', async () => {
    const usage = { input: 1_000, cacheRead: 9_000, output: 100 };
    const { fake, model } = await serve(rig, [
      { parts: ['broken', { cut: 'quiet' }], usage: rig.countsBroken ? usage : { input: 0, output: 0 } },
      ...Array.from({ length: 9 }, (_, at) => ({ parts: [look(`${at}`)], usage })),
      { parts: ['done'], usage },
    ]);
    const priced = {
      ...model,
      facts: { ...model.facts, price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3 } },
    };
    const { session, person, entries } = await openSession([
      { ...priced, stream: (request, signal) => model.stream(request, signal), ref: model.ref },
    ]);
    await say(session, person, 'go');
    const sum = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    let cost = 0;
    for (const entry of await entries()) {
      if (entry.kind !== 'assistant' && entry.kind !== 'usage') continue;
      sum.input += entry.usage.input ?? 0;
      sum.output += entry.usage.output ?? 0;
      sum.cacheRead += entry.usage.cacheRead ?? 0;
      sum.cacheWrite += entry.usage.cacheWrite ?? 0;
      cost += entry.cost ?? Number.NaN;
    }
    expect(sum).toEqual(fake.billed);
    expect(sum.input).toBe(rig.countsBroken ? 11_000 : 10_000);
    const { input, output, cacheRead } = sum;
    expect(cost).toBeCloseTo((input * 3 + output * 15 + cacheRead * 0.3) / 1e6, 9);
    expect(person.view.head.totals).toMatchObject(sum);
    await session.close();
  });
});
