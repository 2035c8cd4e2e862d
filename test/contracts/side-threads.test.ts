// Questions beside the conversation, seen from the door.
import { describe, expect, test } from 'bun:test';
import type { Message, ModelRequest } from '../../src/core/models/model.ts';
import type { Intent, Sent } from '../../src/protocol/intent.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import {
  CTRL_C,
  type House,
  type HouseOptions,
  lookTool,
  openHouse,
  type Seat,
  transcriptOf,
} from '../support/controller.ts';
import { gate, type ScriptedModel, scriptedModel } from '../support/script.ts';
import { flashes } from '../support/what-was-said.ts';

let refs = 0;
function btw(seat: Seat, argument: string): Promise<Sent> {
  return seat.send({ type: 'command', ref: `b-${++refs}`, name: 'btw', argument });
}
function withAside(
  seat: Seat,
  id: number,
  action: Extract<Intent, { type: 'aside' }>['action'],
  focus = '',
): Promise<Sent> {
  return seat.send({ type: 'aside', id, action, focus, ref: `a-${++refs}` });
}

async function opened(script: ScriptedModel, more: Partial<HouseOptions> = {}): Promise<{ house: House; seat: Seat }> {
  const house = await openHouse({ script, tools: [lookTool], ...more });
  const seat = house.seat('one');
  await seat.until((view) => view.head.ready);
  return { house, seat };
}

async function say(house: House, seat: Seat, text: string): Promise<void> {
  await seat.say(text);
  await house.idle();
}

const settled = (seat: Seat) =>
  seat.until((view) => view.asides.length > 0 && view.asides.every((one) => one.exchanges.at(-1)?.state !== 'running'));

/** Whether the session was ever shown busy with a summary. */
const summarising = (seat: Seat): boolean =>
  seat.updates.some(({ changes }) =>
    changes.some((change) => change.type === 'activity' && change.activity.phase === 'compacting'),
  );

function textIn(message: Message): string {
  if (message.role === 'results') return message.results.map(({ text }) => text).join('\n');
  return message.parts.map((part) => ('text' in part ? part.text : '')).join('\n');
}
function saidIn(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).map((message) => `${message.role}: ${textIn(message)}`);
}
async function tree(house: House) {
  const answer = await house.session.read({ type: 'tree' });
  return answer.ok ? answer.value : { nodes: [], leaf: null, here: null };
}

const other = (replies: readonly string[], facts = {}): ScriptedModel =>
  scriptedModel(replies, { ref: { provider: 'script', model: 'two' }, facts });

describe('/btw', () => {
  test('is answered beside the running turn from what is settled, and nothing of it joins the conversation (SC-23.3, SC-23.7, SC-23.11)', async () => {
    const hold = gate();
    const model = scriptedModel([
      [{ tool: 'look', input: { at: 'a' } }],
      [{ tool: 'look', input: { at: 'b', ms: 50_000 } }],
      'the answer',
      [{ wait: hold.opened }, 'done'],
      'later',
    ]);
    const { house, seat } = await opened(model);
    await seat.say('work');
    await model.received(2);
    await seat.until((view) => view.transcript.items.some((item) => item.kind === 'call' && item.title === 'Look b'));
    expect(await btw(seat, 'why a?')).toMatchObject({ accepted: true });
    await model.received(3);
    const asked = model.requests[2]!;
    expect(saidIn(asked).slice(0, -1)).toEqual(['user: work', 'assistant: ', 'results: saw a']);
    expect(saidIn(asked).at(-1)).toContain('why a?');
    expect(asked.calls).toBe('forbidden');
    expect([asked.system, asked.tools]).toEqual([model.requests[1]!.system, model.requests[1]!.tools]);
    expect(flashes(seat)[0]).toContain('/btw shows the answer');
    expect(seat.view.queue.rows).toEqual([]);
    hold.open();
    await house.idle();
    await settled(seat);
    expect(seat.view.asides[0]!.exchanges).toMatchObject([
      { question: 'why a?', answer: 'the answer', state: 'answered' },
    ]);
    expect(transcriptOf(seat.view)).toEqual([
      'prompt: work',
      'call Look a: ok',
      'call Look b: ok',
      'model: done',
      'end: done',
    ]);
    expect(JSON.stringify(await tree(house))).not.toContain('why a?');
    await say(house, seat, 'next');
    expect(saidIn(model.requests.at(-1)).join()).not.toContain('the answer');
    expect(seat.view.head.totals.requests).toBe(model.requests.length);
  });

  test('the answer arrives bit by bit (SC-23.18)', async () => {
    const hold = gate();
    const model = scriptedModel(['hello', [{ text: 'one two', piece: 4 }, { wait: hold.opened }]]);
    const { house, seat } = await opened(model);
    await say(house, seat, 'first');
    await btw(seat, 'what?');
    await model.received(2);
    await seat.until((view) => view.asides[0]?.exchanges[0]?.answer === 'one two');
    expect(seat.view.asides[0]!.exchanges[0]!.state).toBe('running');
    hold.open();
    await settled(seat);
  });

  test('a bad name or level fails the whole command before anything is asked (SC-23.2, SC-44.11)', async () => {
    const model = scriptedModel(['hello', 'no']);
    const second = other(['no']);
    const { house, seat } = await opened(model, { others: [second] });
    await say(house, seat, 'first');
    expect(await btw(seat, '$script:two $bad:model q')).toMatchObject({ accepted: false });
    expect(await btw(seat, '$script:two +enormous q')).toMatchObject({ accepted: false });
    expect(await btw(seat, '$script:two')).toMatchObject({ refusal: { identifier: 'argument-missing' } });
    await house.settle();
    expect([model.requests.length, second.requests.length, seat.view.asides.length]).toEqual([1, 0, 0]);
  });

  test('one question a target, repeats collapse; a note names those that pay for all of it (SC-23.3, SC-23.4, SC-23.17)', async () => {
    const model = scriptedModel(['hello', 'mine']);
    const second = other(['theirs', 'theirs again']);
    const { house, seat } = await opened(model, { others: [second] });
    await say(house, seat, 'first');
    await btw(seat, '$script:two $script:two $script:two+high +low q');
    await settled(seat);
    expect(seat.view.asides.map(({ label, effort }) => `${label} ${effort}`)).toEqual([
      'two default',
      'two+high high',
      'one+low low',
    ]);
    expect(second.requests.map(({ effort }) => effort)).toEqual(['default', 'high']);
    // With a level of its own it goes to the conversation's model, and begins as that one's requests do.
    const [own, beside] = model.requests;
    expect([beside!.effort, beside!.system, beside!.tools]).toEqual(['low', own!.system, own!.tools]);
    expect(flashes(seat)[0]).toContain('two, two+high pay for the whole conversation');
    const base = seat.view.asides[0]!.base;
    expect(base).not.toBeNull();
    expect(seat.view.asides.every((one) => one.base === base)).toBe(true);
  });

  test('going on in a thread: its words up to the newest answer, the same model and level (SC-23.8, SC-23.19)', async () => {
    const failed = { failure: { category: 'request-rejected', message: 'no' } } as const;
    const model = scriptedModel(['hello', 'A1', failed, 'A3', 'A4', 'A5']);
    const second = other(['B1', 'B2'], { efforts: ['high'] });
    const { house, seat } = await opened(model, { others: [second] });
    await say(house, seat, 'first');
    await btw(seat, '+low Q1');
    await settled(seat);
    await btw(seat, '#1 Q2');
    await settled(seat);
    expect(seat.view.asides[0]!.exchanges[1]).toMatchObject({ state: 'failed' });
    await btw(seat, '#1 Q3');
    await settled(seat);
    const said = saidIn(model.requests[3]);
    expect(said.slice(0, 2)).toEqual(['user: first', 'assistant: hello']);
    expect(said.slice(3)).toEqual(['assistant: A1', 'user: Q3']);
    expect(model.requests[3]!.effort).toBe('low');
    await btw(seat, '#1 Q4');
    await settled(seat);
    expect(saidIn(model.requests[4]).slice(3)).toEqual(['assistant: A1', 'user: Q3', 'assistant: A3', 'user: Q4']);
    expect(await btw(seat, '#7 Q')).toMatchObject({ refusal: { identifier: 'no-such-aside' } });
    // A level alone stays on the thread's model; the conversation's, named, is meant; several at once never are.
    await btw(seat, '$script:two Q1');
    await settled(seat);
    await btw(seat, '#2 +high Q2');
    await settled(seat);
    expect(second.requests.map(({ effort }) => effort)).toEqual(['default', 'high']);
    expect(await btw(seat, '#2 $script:one $script:two Q3')).toMatchObject({
      refusal: { identifier: 'too-many-models' },
    });
    expect(await btw(seat, '#2 +enormous Q3')).toMatchObject({ refusal: { identifier: 'effort-unknown' } });
    await btw(seat, '#2 $script:one Q3');
    await settled(seat);
    expect(seat.view.asides[1]).toMatchObject({ model: model.ref, label: 'one' });
    expect(seat.view.asides[1]!.exchanges.at(-1)).toMatchObject({ question: 'Q3', answer: 'A5' });
  });

  test('while the newest answer arrives nothing is asked on (SC-23.15); stopping ends one, Ctrl-C all when nothing else runs (SC-23.21, SC-23.5)', async () => {
    const hold = gate();
    const model = scriptedModel([
      'hello',
      [{ wait: hold.opened }, 'x'],
      [{ wait: hold.opened }, 'y'],
      [{ wait: hold.opened }, 'z'],
    ]);
    const { house, seat } = await opened(model);
    await say(house, seat, 'first');
    await btw(seat, 'a');
    await btw(seat, 'b');
    await btw(seat, 'c');
    await model.received(4);
    expect(await btw(seat, '#1 more')).toMatchObject({ refusal: { identifier: 'aside-running' } });
    await withAside(seat, 1, 'stop');
    await seat.until((view) => view.asides[0]?.exchanges[0]?.state === 'stopped');
    await house.settle();
    expect(flashes(seat)).toContain('#1 one: stopped.');
    await seat.send(CTRL_C);
    await settled(seat);
    expect(seat.view.asides.map(({ exchanges }) => exchanges[0]!.state)).toEqual(['stopped', 'stopped', 'stopped']);
    expect(flashes(seat)).toContain('2 questions beside the conversation were stopped.');
    hold.open();
  });

  test('a failure is a warning with the name of the question; five minutes are the limit (SC-23.5, SC-23.10)', async () => {
    const system = createMemorySystem();
    const slow = [{ text: 'so slow', piece: 1, every: 60_000 }];
    const broken = { failure: { category: 'server-error', message: 'broken' } } as const;
    const model = scriptedModel(['hello', broken, slow], { clock: system.clock });
    const { house, seat } = await opened(model, { system });
    await say(house, seat, 'first');
    await btw(seat, 'a');
    await settled(seat);
    expect(flashes(seat).at(-1)).toContain('#1 one: ');
    expect(model.requests).toHaveLength(2);
    await btw(seat, 'b');
    await model.received(3);
    await settled(seat);
    expect(seat.view.asides[1]!.exchanges[0]).toMatchObject({
      state: 'failed',
      answer: 'so s',
      message: 'no answer within five minutes',
    });
  });

  test('threads are there again after a resume; what was running is stopped (SES-2)', async () => {
    const model = scriptedModel(['hello', 'A1']);
    const { house, seat } = await opened(model);
    await say(house, seat, 'first');
    await btw(seat, 'Q1');
    await settled(seat);
    await house.session.close();
    const again = await openHouse({ system: house.system, script: scriptedModel(['A2']) });
    const back = again.seat('two');
    await back.until((view) => view.head.ready);
    expect(back.view.asides[0]!.exchanges).toMatchObject([{ question: 'Q1', answer: 'A1', state: 'answered' }]);
    await btw(back, '#1 Q2');
    await settled(back);
    expect(back.view.asides[0]!.exchanges[1]!.answer).toBe('A2');
    await btw(back, 'new');
    expect(back.view.asides.map(({ id }) => id)).toEqual([1, 2]);
    await again.session.close();
  });
});

test('a summary that fails or is stopped leaves the conversation and the thread as they were (SC-14.3)', async () => {
  const hold = gate();
  const broken = { failure: { category: 'request-rejected', message: 'no' } } as const;
  const model = scriptedModel(['hello', 'A1', broken, [{ wait: hold.opened }, 'x']]);
  const { house, seat } = await opened(model);
  await say(house, seat, 'first');
  await btw(seat, 'Q1');
  await settled(seat);
  const before = transcriptOf(seat.view);
  await withAside(seat, 1, 'summarize');
  await house.idle();
  expect(seat.view.outcomes.at(-1)?.state).toBe('failed');
  await withAside(seat, 1, 'summarize');
  await model.received(4);
  await seat.send(CTRL_C);
  hold.open();
  await house.idle();
  expect(seat.view.outcomes.at(-1)?.state).toBe('stopped');
  expect(transcriptOf(seat.view)).toEqual(before);
  expect(seat.view.asides[0]!.exchanges[0]!.state).toBe('answered');
});

test('without a model, or before the session is ready, nothing is asked (SC-23.1)', async () => {
  const house = await openHouse({
    script: scriptedModel(['no']),
    problem: { identifier: 'no-model', message: 'there is none' },
  });
  const seat = house.seat('one');
  expect((await btw(seat, 'why?')).accepted).toBe(false);
  await house.settle();
  expect(await btw(seat, 'why?')).toMatchObject({ accepted: false });
  expect(seat.view.asides).toEqual([]);
  // With one it waits until everything is there, and is asked then.
  const opening = gate();
  const model = scriptedModel(['because']);
  const starting = await openHouse({ script: model, instructions: () => opening.opened.then(() => []) });
  const early = starting.seat('two');
  expect((await btw(early, 'why?')).accepted).toBe(true);
  await starting.settle();
  expect([model.requests.length, early.view.asides.length]).toEqual([0, 0]);
  opening.open();
  await settled(early);
  expect(early.view.asides[0]!.exchanges).toMatchObject([{ question: 'why?', answer: 'because' }]);
});

test('completion: levels by their beginning after +, models by any part of their name after $ (SC-23.9)', async () => {
  const { house } = await opened(scriptedModel([]), { others: [other([])] });
  const complete = async (typed: string) => {
    const answer = await house.session.read({ type: 'complete-argument', command: 'btw', typed });
    return answer.ok ? answer.value.choices.map(({ value }) => value) : [];
  };
  expect(await complete('+m')).toEqual(['+medium', '+max']);
  expect(await complete('$wo')).toEqual(['$script:two']);
  expect(await complete('$script:two+h')).toEqual(['$script:two+high']);
  expect(await complete('why')).toEqual([]);
});

describe('bringing a thread into the conversation', () => {
  test('merge: when nothing happened since, the conversation goes on from its exchanges (SC-24.2, SC-24.4, SC-24.6)', async () => {
    const model = scriptedModel(['hello', 'A1', 'A2', 'go']);
    const { house, seat } = await opened(model);
    await say(house, seat, 'first');
    await btw(seat, 'Q1');
    await settled(seat);
    await btw(seat, '#1 Q2');
    await settled(seat);
    const sent = await withAside(seat, 1, 'merge');
    expect(sent).toMatchObject({ accepted: true });
    await house.idle();
    expect(seat.view.asides[0]!.exchanges.map(({ state }) => state)).toEqual(['answered', 'merged']);
    expect(transcriptOf(seat.view).slice(3)).toEqual([
      'wake: [btw:] Q1',
      'model: A1',
      'end: done',
      'wake: [btw:] Q2',
      'model: A2',
      'end: done',
    ]);
    const marked = seat.updates.findIndex(({ changes }) =>
      changes.some((change) => change.type === 'aside' && change.aside.exchanges[1]?.state === 'merged'),
    );
    const shown = seat.updates.findIndex(({ changes }) =>
      changes.some((change) => change.type === 'entry' && change.entry.kind === 'taken' && change.entry.as === 'wake'),
    );
    expect(marked).toBeLessThan(shown);
    expect(seat.view.outcomes.at(-1)?.messages[0]?.text).toContain('2 questions');
    await say(house, seat, 'next');
    expect(saidIn(model.requests.at(-1))).toEqual([
      'user: first',
      'assistant: hello',
      'user: [btw:] Q1',
      'assistant: A1',
      'user: [btw:] Q2',
      'assistant: A2',
      'user: next',
    ]);
  });

  test('merge: when it went on since, a branch is added and the conversation stays (SC-24.2, SC-24.6)', async () => {
    const model = scriptedModel(['hello', 'A1', 'second answer']);
    const { house, seat } = await opened(model);
    await say(house, seat, 'first');
    await btw(seat, 'Q1');
    await settled(seat);
    await say(house, seat, 'second');
    const before = transcriptOf(seat.view);
    await withAside(seat, 1, 'merge');
    await house.idle();
    expect(transcriptOf(seat.view)).toEqual(before);
    expect(seat.view.outcomes.at(-1)?.messages[0]?.text).toContain('/tree');
    const { nodes, here } = await tree(house);
    const asked = nodes.find(({ text }) => text === '[btw:] Q1');
    expect(nodes.find(({ id }) => id === asked?.parent)?.text).toBe('hello');
    expect(nodes.find(({ id }) => id === here)?.text).toBe('second answer');
  });

  test('summarize: a history task: asked in the thread, one exchange is added (SC-24.3, SC-14.3)', async () => {
    const model = scriptedModel(['hello', 'A1', 'IN SHORT', 'go']);
    const { house, seat } = await opened(model);
    await say(house, seat, 'first');
    await btw(seat, 'Q1');
    await settled(seat);
    expect(await withAside(seat, 7, 'summarize')).toMatchObject({ refusal: { identifier: 'no-answer' } });
    expect(summarising(seat)).toBe(false);
    await withAside(seat, 1, 'summarize', 'the costs');
    await house.idle();
    expect(summarising(seat)).toBe(true);
    const asked = saidIn(model.requests[2]);
    expect(asked.at(-2)).toBe('assistant: A1');
    expect(asked.at(-1)).toContain('the costs');
    expect(seat.view.asides[0]!.exchanges[0]!.state).toBe('summarized');
    await say(house, seat, 'next');
    const said = saidIn(model.requests[3]);
    expect(said[2]).toContain('- Q1');
    expect(said.slice(3)).toEqual(['assistant: IN SHORT', 'user: next']);
  });

  test('refusals in order: what runs, then no answer (SC-24.1, SC-24.5)', async () => {
    const hold = gate();
    const model = scriptedModel([
      'hello',
      { failure: { category: 'server-error', message: 'no' } },
      [{ wait: hold.opened }, 'x'],
    ]);
    const { house, seat } = await opened(model);
    await say(house, seat, 'first');
    await btw(seat, 'Q1');
    await settled(seat);
    expect(await withAside(seat, 1, 'merge')).toMatchObject({ refusal: { identifier: 'no-answer' } });
    await seat.say('work');
    await model.received(3);
    expect(await withAside(seat, 1, 'merge')).toMatchObject({ refusal: { identifier: 'busy' } });
    hold.open();
    await house.idle();
    await withAside(seat, 1, 'close');
    expect(seat.view.asides).toEqual([]);
  });
});

test('of an answer one window alone tells, the one with a box used last; read in one window it is new in none (SC-28.3.5)', async () => {
  const first = gate();
  const second = gate();
  const model = scriptedModel(['hello', [{ wait: first.opened }, 'A1'], [{ wait: second.opened }, 'A2']]);
  const { house, seat } = await opened(model);
  await say(house, seat, 'hi');
  const other = house.seat('two');
  const script = house.seat('script');
  await btw(seat, 'Q1');
  const draft = { type: 'draft', draft: { text: 'x', caret: 1, folded: [], shell: false } } as const;
  await seat.send(draft);
  await other.send(draft);
  // Used later still, but no person sits there.
  await script.send({ type: 'set-mode', mode: 'edits' });
  first.open();
  await settled(seat);
  for (const each of [seat, other, script])
    expect(each.view.asides[0]).toMatchObject({ client: 'one', teller: 'two', unread: true });
  expect((await withAside(other, 1, 'read')).accepted).toBe(true);
  await house.settle();
  for (const each of [seat, other, script]) expect(each.view.asides[0]!.unread).toBe(false);
  // The window used last went away: the next one tells.
  await btw(seat, '#1 Q2');
  await seat.send(draft);
  await other.send(draft);
  other.detach();
  second.open();
  await settled(seat);
  expect(seat.view.asides[0]).toMatchObject({ teller: 'one', unread: true });
  expect(await withAside(seat, 9, 'read')).toMatchObject({ refusal: { identifier: 'no-such-aside' } });
});
