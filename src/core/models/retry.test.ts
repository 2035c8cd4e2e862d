import { expect, test } from 'bun:test';
import { gate, type ScriptEntry, type ScriptOptions, scriptedModel } from '../../../test/support/script.ts';
import { createMemoryClock } from '../../system/memory/clock.ts';
import type { Model, ModelEnd, ModelEvent, ModelRequest } from './model.ts';
import { type RetryInfo, type RetryLimits, streamWithRetry } from './retry.ts';

const REQUEST: ModelRequest = {
  system: [],
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
  tools: [],
  effort: 'default',
  maxOutput: null,
  cacheMarks: [],
  session: 's',
};

/** Starts a retried stream and writes down all it says, in order. */
function run(model: Model, limits: Partial<RetryLimits> = {}, random = 0) {
  const clock = createMemoryClock();
  const stop = new AbortController();
  const retries: RetryInfo[] = [];
  const log: string[] = [];
  const events: ModelEvent[] = [];
  const done = (async () => {
    const options = {
      signal: stop.signal,
      clock,
      random: () => random,
      limits,
      onRetry: (info: RetryInfo) => {
        retries.push(info);
        log.push(`retry ${info.attempt}/${info.attempts} in ${info.at - clock.now()}`);
      },
      onVoid: () => log.push('void'),
    };
    for await (const event of streamWithRetry(model, REQUEST, options)) {
      events.push(event);
      log.push(event.type === 'text' ? event.text : event.type);
    }
    return events.at(-1) as ModelEnd;
  })();
  return { clock, stop, retries, log, events, done };
}

const scripted = (entries: readonly ScriptEntry[], options?: ScriptOptions) => scriptedModel(entries, options);
const OVERLOADED = { category: 'overloaded', retryable: true } as const;

test('a good reply passes through as it is', async () => {
  const flight = run(scripted(['fine']));
  const end = await flight.done;
  expect(end.result).toEqual({ outcome: 'complete', stop: 'end' });
  expect(flight.log).toEqual(['begin', 'fine', 'end']);
  expect(flight.clock.timers).toBe(0);
});

test('waits grow from one second and end at sixty, five retries in all (UP-26)', async () => {
  const flight = run(scripted([{ failure: OVERLOADED }], { repeatLast: true }), {}, 1);
  const end = await flight.clock.runUntil(flight.done);
  expect(flight.log).toEqual([
    'retry 2/6 in 1000',
    'retry 3/6 in 2000',
    'retry 4/6 in 4000',
    'retry 5/6 in 8000',
    'retry 6/6 in 16000',
    'end',
  ]);
  expect(end.result).toMatchObject({ outcome: 'failed', failure: { category: 'overloaded', attempts: 6 } });
  const long = run(scripted([{ failure: OVERLOADED }], { repeatLast: true }), { tries: 9 }, 1);
  await long.clock.runUntil(long.done);
  expect(long.log.at(-2)).toBe('retry 9/9 in 60000');
});

test.each([0, 0.5, 1])('a wait the service names is kept, and at most a fifth longer (UP-26)', async (random) => {
  const flight = run(
    scripted([{ failure: { category: 'rate-limited', retryable: true, retryAfterMs: 3_000 } }, 'ok']),
    {},
    random,
  );
  await flight.clock.advance(2_999);
  expect(flight.log).toHaveLength(1);
  await flight.clock.advance(601);
  expect((await flight.done).result.outcome).toBe('complete');
});

test('ten minutes are waited for, more are not', async () => {
  const asked = (retryAfterMs: number) => run(scripted([{ failure: { ...OVERLOADED, retryAfterMs } }, 'ok']));
  const patient = asked(600_000);
  expect((await patient.clock.runUntil(patient.done)).result.outcome).toBe('complete');
  expect((await asked(600_001).done).result.outcome).toBe('failed');
});

test('what cannot pass is not tried again (UP-26)', async () => {
  const flight = run(scripted([{ failure: { category: 'credential-refused', status: 401 } }]));
  expect((await flight.done).result).toMatchObject({
    outcome: 'failed',
    failure: { category: 'credential-refused', attempts: 1 },
  });
  expect(flight.retries).toEqual([]);
});

test('a cut makes what was streamed void, and its call never gets out (UP-25)', async () => {
  const cut = { category: 'stream-cut', retryable: true } as const;
  const call = { tool: 'run_shell', input: { line: 'echo hi >> log.txt' } };
  const model = scripted([{ parts: ['half', call], failure: cut }, { parts: [call] }]);
  const flight = run(model);
  const end = await flight.clock.runUntil(flight.done);
  expect(flight.log).toEqual(['begin', 'half', 'call', 'void', 'retry 2/3 in 750', 'begin', 'call', 'end']);
  expect(end.parts.filter((part) => part.type === 'call')).toHaveLength(1);

  const hopeless = run(scripted([{ parts: ['half', call], failure: cut }], { repeatLast: true }));
  const failed = await hopeless.clock.runUntil(hopeless.done);
  expect(failed.result).toMatchObject({ outcome: 'failed', failure: { attempts: 3 } });
  expect(failed.parts).toEqual([{ type: 'text', text: 'half' }]);
});

test('silence counts as a cut, three numbered tries at most (UP-25)', async () => {
  const silent = { parts: ['so', { wait: new Promise(() => {}) }] };
  const model = scripted([silent], { repeatLast: true });
  const flight = run(model, { stallMs: 2_000 });
  await flight.clock.advance(2_000);
  expect(flight.log).toEqual(['begin', 'so', 'void', 'retry 2/3 in 750']);
  const end = await flight.clock.runUntil(flight.done);
  expect(end.result).toMatchObject({ outcome: 'failed', failure: { category: 'stalled', attempts: 3 } });
  expect(model.requests).toHaveLength(3);
  expect(flight.clock.timers).toBe(0);
});

test('signs of life without content keep a quiet stream alive', async () => {
  const clock = createMemoryClock();
  const model: Model = {
    ...scripted([]),
    async *stream() {
      for (let second = 0; second < 5; second++) {
        await clock.sleep(1_500);
        yield { type: 'alive' };
      }
      yield { type: 'text', part: 0, text: 'at last' };
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: null };
      yield {
        type: 'end',
        result: { outcome: 'complete', stop: 'end' },
        parts: [{ type: 'text', text: 'at last' }],
        usage,
        requestId: null,
      };
    },
  };
  const types: string[] = [];
  const options = { signal: new AbortController().signal, clock, random: () => 0, limits: { stallMs: 2_000 } };
  const done = (async () => {
    for await (const event of streamWithRetry(model, REQUEST, options)) types.push(event.type);
  })();
  await clock.runUntil(done);
  expect(types).toEqual(['text', 'end']);
});

test('an abort ends the wait between two tries at once (UP-25, UP-26)', async () => {
  const flight = run(scripted([{ parts: ['half'], failure: { ...OVERLOADED, retryAfterMs: 60_000 } }]));
  await flight.clock.settle();
  expect(flight.retries).toHaveLength(1);
  flight.stop.abort();
  const end = await flight.done;
  expect(end).toMatchObject({ result: { outcome: 'aborted' }, parts: [] });
  expect(flight.clock.timers).toBe(0);
});

test('an abort in mid-stream keeps what came', async () => {
  const { opened } = gate();
  const flight = run(scripted([['half a', { wait: opened }]]));
  await flight.clock.settle();
  flight.stop.abort();
  expect(await flight.done).toMatchObject({
    result: { outcome: 'aborted' },
    parts: [{ type: 'text', text: 'half a' }],
  });
});

test('a model that does not listen to an abort is left behind within 200 ms (UP-25)', async () => {
  const deaf: Model = {
    ...scripted([]),
    async *stream() {
      yield { type: 'begin', requestId: 'r1' };
      yield { type: 'text', part: 0, text: 'stuck' };
      await new Promise(() => {});
    },
  };
  const flight = run(deaf);
  await flight.clock.settle();
  flight.stop.abort();
  await flight.clock.advance(200);
  expect(await flight.done).toMatchObject({
    result: { outcome: 'aborted' },
    parts: [{ type: 'text', text: 'stuck' }],
    requestId: 'r1',
  });
});

test('an empty reply is tried once more, twice in a row fails (TURN-6)', async () => {
  const healed = run(scripted([[], 'something']));
  expect((await healed.clock.runUntil(healed.done)).result.outcome).toBe('complete');
  const thought = run(scripted([[{ thinking: 'hm' }]], { repeatLast: true }));
  const end = await thought.clock.runUntil(thought.done);
  expect(end.result).toMatchObject({ outcome: 'failed', failure: { category: 'empty-reply', attempts: 2 } });
});

test('a refusal is an answer and not tried again', async () => {
  const flight = run(scripted([{ parts: [], stop: 'refusal' }]));
  expect((await flight.done).result).toEqual({ outcome: 'complete', stop: 'refusal' });
});

test('tokens of failed tries are reported, so that counters add up (UP-56)', async () => {
  const flight = run(scripted([{ parts: ['x'], failure: OVERLOADED, usage: { input: 700, output: 1 } }, 'ok']));
  const end = await flight.clock.runUntil(flight.done);
  expect(flight.retries.map((info) => info.usage)).toMatchObject([{ input: 700, output: 1 }]);
  expect(end.usage.input).toBe(100);
});

test('a model with a bug fails instead of throwing', async () => {
  const broken: Model = {
    ...scripted([]),
    stream: () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('oops')) }),
    }),
  };
  expect((await run(broken).done).result).toMatchObject({
    outcome: 'failed',
    failure: { category: 'internal', detail: 'oops' },
  });
});
