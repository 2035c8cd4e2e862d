// Throws intents, faults, kills and restarts at a session, in any order, and checks after each what must hold of a queue
// whatever happens: no message lost or doubled, each owner told once, in order, on the disk before it is acknowledged,
// nothing that is held started, nothing left waiting that may start.
import fc from 'fast-check';
import { waitingOf } from '../../src/core/journal/recover.ts';
import type { Model, ModelEvent, ModelRequest } from '../../src/core/models/model.ts';
import type { Delivery, Entry, EntryId } from '../../src/protocol/entry.ts';
import type { Intent, Sent } from '../../src/protocol/intent.ts';
import { applyEntry } from '../../src/protocol/reduce.ts';
import type { Update } from '../../src/protocol/update.ts';
import type { InputOutcome, QueueRow, View } from '../../src/protocol/view.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';
import { type House, openHouse, type Seat, scriptedLine } from './controller.ts';

type Said = Extract<Intent, { type: 'say' }>['delivery'];
type Reply = 'text' | 'call' | 'fail' | 'empty';

export type QueueStep =
  | { readonly do: 'say'; readonly client: Client; readonly delivery: Said; readonly together: boolean }
  | { readonly do: 'command'; readonly client: Client; readonly name: 'compact' | 'rename' | 'resend' | 'status' }
  | { readonly do: 'cancel'; readonly queue: 'pause' | 'go-on' }
  | { readonly do: 'take'; readonly how: 'recall' | 'queue-discard'; readonly row: number | 'all' }
  | { readonly do: 'edit'; readonly row: number; readonly before: number | null; readonly delivery: Said }
  | { readonly do: 'resume' }
  | { readonly do: 'retry' }
  | { readonly do: 'withdraw' }
  | { readonly do: 'reply'; readonly reply: Reply }
  /** Full from the next write on, or only after some more. */
  | { readonly do: 'disk'; readonly full: boolean; readonly after: number }
  | { readonly do: 'pass'; readonly ms: number }
  /** What was sent so far has not been answered when the next step comes, unless this stands between. */
  | { readonly do: 'settle' }
  | { readonly do: 'die'; readonly how: 'kill' | 'power' | 'close'; readonly torn: number };

type Client = 'one' | 'two';

const client = fc.constantFrom<Client>('one', 'two');
const said = fc.constantFrom<Said>('steering', 'steering', 'queue', 'queue', 'interrupt', 'shell');
const place = fc.nat(4);

export const queueSteps: fc.Arbitrary<QueueStep[]> = fc.array(
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc.record({ do: fc.constant('say' as const), client, delivery: said, together: fc.constant(false) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('say' as const),
        client,
        delivery: fc.constant('interrupt' as const),
        together: fc.constant(true),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('command' as const),
        client,
        name: fc.constantFrom('compact', 'rename', 'resend', 'status'),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('cancel' as const), queue: fc.constantFrom('pause', 'go-on') }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('take' as const),
        how: fc.constantFrom('recall', 'queue-discard'),
        row: fc.oneof(place, fc.constant('all' as const)),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('edit' as const), row: place, before: fc.option(place), delivery: said }),
    },
    { weight: 2, arbitrary: fc.constant<QueueStep>({ do: 'resume' }) },
    { weight: 1, arbitrary: fc.constant<QueueStep>({ do: 'retry' }) },
    { weight: 1, arbitrary: fc.constant<QueueStep>({ do: 'withdraw' }) },
    {
      weight: 7,
      arbitrary: fc.record({
        do: fc.constant('reply' as const),
        reply: fc.constantFrom<Reply>('text', 'call', 'call', 'call', 'fail', 'empty'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('disk' as const), full: fc.boolean(), after: fc.nat(3) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(3000) }) },
    { weight: 8, arbitrary: fc.constant<QueueStep>({ do: 'settle' }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('die' as const),
        how: fc.constantFrom('kill', 'power', 'close'),
        torn: fc.nat(40),
      }),
    },
  ),
  { minLength: 4, maxLength: 60, size: 'max' },
);

/** A prompt or command as the one who sent it knows it. */
interface Word {
  readonly text: string;
  readonly client: Client;
  readonly ref: string;
  /** Null while there is no answer; a session that died never gives one. */
  answer: Sent | null;
}

/** A model that answers when it is told to, each request once. */
function createDirector() {
  const requests: ModelRequest[] = [];
  const open: ((reply: Reply) => void)[] = [];
  let calls = 0;
  let onRequest: (request: ModelRequest) => void = () => {};
  const model: Model = {
    ref: { provider: 'script', model: 'one' },
    facts: { contextWindow: null, maxOutput: null, images: false, thinking: false, efforts: [], price: null },
    async *stream(request, signal): AsyncIterable<ModelEvent> {
      requests.push(request);
      onRequest(request);
      const { promise, resolve } = Promise.withResolvers<Reply | 'aborted'>();
      open.push(resolve);
      const abort = (): void => resolve('aborted');
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      const reply = await promise;
      signal.removeEventListener('abort', abort);
      const at = open.indexOf(resolve);
      if (at >= 0) open.splice(at, 1);
      const usage = { input: 1, output: 1, cacheRead: null, cacheWrite: null, reasoning: null };
      const end = { type: 'end', usage, requestId: null } as const;
      if (reply === 'aborted') return yield { ...end, result: { outcome: 'aborted' }, parts: [] };
      if (reply === 'fail') {
        const failure = {
          category: 'server-error',
          message: 'it broke',
          status: 400,
          requestId: null,
          detail: null,
          retryAfterMs: null,
          retryable: false,
          attempts: 1,
        } as const;
        return yield { ...end, result: { outcome: 'failed', failure }, parts: [] };
      }
      yield { type: 'begin', requestId: null };
      if (reply === 'call') {
        const call = `call-${++calls}`;
        const part = {
          type: 'call',
          call,
          tool: 'look',
          title: '',
          why: null,
          input: { at: call, ms: calls % 3 === 0 ? 200 : 0 },
        } as const;
        yield { type: 'call', part: 0, call, tool: 'look', inputBytes: 0 };
        return yield { ...end, result: { outcome: 'complete', stop: 'calls' }, parts: [part] };
      }
      const text = reply === 'empty' ? '' : 'answered';
      if (text !== '') yield { type: 'text', part: 0, text };
      yield {
        ...end,
        result: { outcome: 'complete', stop: 'end' },
        parts: text === '' ? [] : [{ type: 'text', text }],
      };
    },
  };
  return {
    model,
    requests,
    get waiting() {
      return open.length;
    },
    reply(reply: Reply): void {
      open.shift()?.(reply);
    },
    watch(listener: (request: ModelRequest) => void): void {
      onRequest = listener;
    },
  };
}

/** Runs the steps on a fresh session; throws with what did not hold, and when. */
export async function flyQueue(steps: readonly QueueStep[]): Promise<void> {
  const flight = await createFlight();
  for (const [index, step] of steps.entries()) {
    flight.now = `step ${index} (${JSON.stringify(step)})`;
    await flight.step(step);
  }
  flight.now = 'the end';
  await flight.finish();
}

async function createFlight() {
  const system: MemorySystem = createMemorySystem();
  const words: Word[] = [];
  const refs = new Map<string, Word>();
  let director = createDirector();
  let number = 0;
  let emptied: (() => void) | null = null;
  let house!: House;
  let seats!: Record<Client, Seat>;
  let watcher!: Watcher;
  const flight = { now: 'the start', step, finish };

  const wrong = (what: string): never => {
    throw new Error(`${flight.now}: ${what}`);
  };

  async function open(): Promise<void> {
    director = createDirector();
    director.watch((request) => {
      const texts = textsOf(request);
      const twice = texts.find((text, index) => texts.indexOf(text) !== index);
      if (twice !== undefined) wrong(`${twice} stands twice in one request`);
    });
    house = await openHouse({
      system,
      script: director.model,
      runLine: scriptedLine(system.clock),
      runOwnLine: scriptedLine(system.clock),
    });
    seats = { one: house.seat('one'), two: house.seat('two') };
    watcher = createWatcher(seats.one.view, wrong);
    watcher.follow(house);
    await house.settle();
  }

  function send(client: Client, intent: Intent, word: Word | null): void {
    const mine = house;
    void mine.session.send(intent, client).then((sent) => {
      if (word !== null) word.answer = sent;
    });
  }

  function say(client: Client, delivery: Said, together: boolean): void {
    const ref = `r${++number}`;
    const text = delivery === 'shell' ? `echo w${number};` : `w${number};`;
    const word: Word = { text, client, ref, answer: null };
    words.push(word);
    refs.set(`${client}/${ref}`, word);
    send(client, { type: 'say', ref, text, attachments: [], delivery, ...(together ? { together } : {}) }, word);
  }

  const rowAt = (view: View, at: number): QueueRow | undefined => view.queue.rows[at];

  async function step(one: QueueStep): Promise<void> {
    const { view } = seats.one;
    switch (one.do) {
      case 'say':
        say(one.client, one.delivery, one.together);
        break;
      case 'command': {
        const ref = `r${++number}`;
        const argument = one.name === 'rename' ? `title ${number}` : '';
        send(one.client, { type: 'command', ref, name: one.name, argument }, null);
        break;
      }
      case 'cancel':
        send('one', { type: 'cancel', queue: one.queue }, null);
        break;
      case 'take': {
        const row = one.row === 'all' ? null : rowAt(view, one.row);
        if (row !== undefined) send('one', { type: one.how, inputs: row === null ? 'all' : [row.id] }, null);
        break;
      }
      case 'edit': {
        const row = rowAt(view, one.row);
        const before = one.before === null ? null : (rowAt(view, one.before)?.id ?? null);
        if (row === undefined) break;
        // The words stay: it is by them that a message is known again.
        const delivery = row.delivery === 'command' ? {} : { delivery: one.delivery };
        send('one', { type: 'queue-edit', input: row.id, ...delivery, before }, null);
        break;
      }
      case 'resume':
        send('one', { type: 'queue-resume' }, null);
        break;
      case 'retry':
        send('one', { type: 'retry' }, null);
        break;
      case 'withdraw': {
        const last = words.at(-1);
        if (last !== undefined) send(last.client, { type: 'withdraw', ref: last.ref }, null);
        break;
      }
      case 'reply':
        director.reply(one.reply);
        break;
      case 'disk':
        emptied?.();
        emptied = one.full ? system.files.fail({ operation: 'append', code: 'ENOSPC', after: one.after }) : null;
        // What could not be written is tried again after a while.
        if (!one.full) await system.clock.advance(60_000);
        break;
      case 'pass':
        await system.clock.advance(one.ms);
        break;
      case 'settle':
        await house.settle();
        await check();
        break;
      case 'die':
        await die(one);
        break;
    }
  }

  async function die({ how, torn }: Extract<QueueStep, { do: 'die' }>): Promise<void> {
    emptied?.();
    emptied = null;
    watcher.stop();
    if (how === 'close') await system.clock.runUntil(house.session.close());
    else {
      system.files.crash(how === 'kill' ? { kill: true } : { tornBytes: torn });
      system.clock.dropTimers();
    }
    await open();
    await check();
  }

  async function entries(): Promise<Entry[]> {
    const found: Entry[] = [];
    for await (const entry of house.journal.all()) found.push(entry);
    return found;
  }

  /** What must hold whenever nothing more happens by itself. */
  async function check(): Promise<void> {
    if (emptied !== null) return;
    const all = await entries();
    const { view } = seats.one;
    const inputs = new Map(
      all.flatMap((entry) => (entry.kind === 'input' ? [[`${entry.client}/${entry.ref}`, entry] as const] : [])),
    );
    const fates = new Map<EntryId, number>();
    for (const entry of all)
      if (entry.kind === 'taken' || entry.kind === 'dropped') fates.set(entry.input, (fates.get(entry.input) ?? 0) + 1);
    for (const word of words) {
      if (word.answer?.accepted !== true || word.answer.value === null) continue;
      const input = inputs.get(`${word.client}/${word.ref}`);
      if (input === undefined) {
        wrong(`${word.text} was accepted and is not in the journal`);
        return;
      }
      const waits = view.queue.rows.filter((row) => row.id === input.id).length;
      const over = fates.get(input.id) ?? 0;
      if (waits + over !== 1) wrong(`${word.text} waits ${waits} times and left ${over} times`);
    }
    const onDisk = waitingOf(all);
    const mirror = view.queue.rows.map((row) => row.id).join();
    if (onDisk.inputs.map((input) => input.id).join() !== mirror) wrong('the rows shown are not those in the journal');
    if (JSON.stringify(onDisk.paused) !== JSON.stringify(view.queue.paused))
      wrong('the pause shown is not that in the journal');
    watcher.check();
    const free = view.queue.rows.filter((row) => row.held !== true);
    const idle = view.activity.phase === 'idle';
    if (idle && director.waiting > 0) wrong('a request is out and nothing seems to run');
    if (idle !== (await isAtRest()))
      wrong(idle ? 'something runs and nothing seems to' : `it seems to be ${view.activity.phase}`);
    if (idle && free.length > 0) wrong(`nothing runs and ${free.map((row) => row.text).join()} waits unheld`);
    if (view.queue.paused === null && free.length < view.queue.rows.length) wrong('rows are held by no pause');
  }

  /** Whether nothing runs and nothing may start, now and without time passing. */
  async function isAtRest(): Promise<boolean> {
    let rests = false;
    void house.session.idle().then(() => {
      rests = true;
    });
    await house.settle();
    return rests;
  }

  /** Lets everything come to its end: what was said is then taken or was taken back, each exactly once. */
  async function finish(): Promise<void> {
    emptied?.();
    emptied = null;
    await system.clock.advance(60_000);
    for (let turn = 0; turn < 400; turn++) {
      await system.clock.advance(1000);
      director.reply('text');
      await house.settle();
      if (seats.one.view.queue.paused !== null) send('one', { type: 'queue-resume' }, null);
      await house.settle();
      if (seats.one.view.activity.phase === 'idle' && seats.one.view.queue.rows.length === 0) break;
    }
    await check();
    if (seats.one.view.queue.rows.length > 0) wrong('something waits for ever');
    watcher.checkEnds();
    const all = await entries();
    const ends = new Map<number, number>();
    for (const entry of all) if (entry.kind === 'turn-end') ends.set(entry.turn, (ends.get(entry.turn) ?? 0) + 1);
    const turns = new Set(all.flatMap((entry) => (entry.kind === 'taken' && entry.as !== 'shell' ? [entry.turn] : [])));
    for (const turn of turns) if (ends.get(turn) !== 1) wrong(`turn ${turn} ended ${ends.get(turn) ?? 0} times`);
    const names = all.flatMap((entry) => (entry.kind === 'name' && entry.by === 'person' ? [entry.name] : []));
    if (new Set(names).size < names.length) wrong('a command was carried out twice');
    await system.clock.runUntil(house.session.close());
  }

  await open();
  return flight;
}

function textsOf(request: ModelRequest): string[] {
  return request.messages.flatMap((message) =>
    message.role === 'user'
      ? message.parts.flatMap((part) =>
          part.type === 'text' ? [...part.text.matchAll(/\bw\d+;/g)].map(([text]) => text) : [],
        )
      : [],
  );
}

type Watcher = ReturnType<typeof createWatcher>;

/** Looks at every update of one run: what is taken must have been next, and each owner hears of each end once. */
function createWatcher(view: View, wrong: (what: string) => never) {
  let heard = new Map<string, InputOutcome['state'][]>();
  let detach = (): void => {};
  const faults: string[] = [];
  /** Before an entry is folded into it. */
  let before: View | null = null;

  const look = (update: Update): void => {
    for (const change of update.changes) {
      if (change.type === 'snapshot') {
        before = structuredClone(change.view);
        heard = new Map();
      } else if (change.type === 'branch') before = structuredClone(change.view);
      else if (change.type === 'entry') {
        if (before !== null) {
          leaves(before, change.entry);
          applyEntry(before, structuredClone(change.entry));
        }
      } else if (change.type === 'outcome') hear(change.outcome);
    }
  };

  const leaves = ({ queue }: View, entry: Entry): void => {
    const starts = entry.kind === 'taken' || (entry.kind === 'dropped' && entry.reason === 'carried-out');
    if (!starts) return;
    const row = queue.rows.find((one) => one.id === entry.input);
    if (row === undefined) return void faults.push('something started that did not wait');
    if (row.held === true) return void faults.push(`${row.text} was held and started`);
    const free = queue.rows.filter((one) => one.held !== true);
    const ahead = free.slice(0, free.indexOf(row));
    const steering = entry.kind === 'taken' && entry.as === 'steering';
    const passes = steering
      ? ahead.every((one) => !ENDS.has(one.delivery) && one.delivery !== 'steering')
      : ahead.length === 0;
    if (!passes) faults.push(`${row.text} started ahead of ${ahead.map((one) => one.text).join()}`);
  };

  const hear = ({ client, ref, state }: InputOutcome): void => {
    const key = `${client}/${ref}`;
    const states = heard.get(key) ?? [];
    const last = states.at(-1);
    if (last !== undefined && OVER.has(last)) faults.push(`${key} was ${last} and then ${state}`);
    if (state === 'started' && states.includes('started')) faults.push(`${key} heard twice that it started`);
    if (state === 'dropped' && states.includes('started')) faults.push(`${key} had started and was dropped`);
    heard.set(key, [...states, state]);
  };

  return {
    follow(house: House): void {
      const attachment = house.session.attach({ client: 'watcher' }, look);
      detach = () => attachment.close();
    },
    stop: () => detach(),
    /** When nothing runs and nothing waits any more. */
    checkEnds(): void {
      for (const [key, states] of heard)
        if (!OVER.has(states.at(-1)!)) wrong(`${key} never heard how it ended: ${states.join()}`);
    },
    check(): void {
      if (faults.length > 0) wrong(faults.join('; '));
      if (view.queue.paused !== null && view.queue.paused.message === '') wrong('a pause without a reason');
    },
  };
}

const ENDS = new Set<Delivery>(['command', 'shell']);
const OVER = new Set<InputOutcome['state']>(['done', 'failed', 'stopped', 'dropped', 'refused']);
