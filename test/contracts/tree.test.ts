// Moving about in the conversation's tree, seen from the door.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import type { Message, ModelRequest } from '../../src/core/models/model.ts';
import type { TreeNode } from '../../src/protocol/query.ts';
import { CTRL_C, type House, lookTool, openHouse, type Seat, transcriptOf } from '../support/controller.ts';
import { gate, type ScriptedModel, scriptedModel } from '../support/script.ts';
import { flashes } from '../support/what-was-said.ts';

// A busy machine takes its time over what is tried many times.
setDefaultTimeout(60_000);

let refs = 0;
async function command(house: House, seat: Seat, name: string, argument = ''): Promise<string> {
  const ref = `c-${++refs}`;
  const sent = await seat.send({ type: 'command', ref, name, argument });
  if (!sent.accepted) return `refused: ${sent.refusal.identifier}`;
  await house.idle();
  const outcome = seat.outcome(ref);
  return `${outcome?.state}: ${outcome?.messages.map(({ text }) => text).join(' ') ?? ''}`;
}

async function say(house: House, seat: Seat, text: string): Promise<void> {
  await seat.say(text);
  await house.idle();
}

async function tree(house: House): Promise<{ nodes: TreeNode[]; here: string | null }> {
  const answer = await house.session.read({ type: 'tree' });
  if (!answer.ok) throw new Error(answer.refusal.message);
  return answer.value;
}

async function node(house: House, text: string): Promise<string> {
  const found = (await tree(house)).nodes.find((one) => one.text === text);
  if (found === undefined) throw new Error(`no row says ${text}`);
  return found.id;
}

function textIn(message: Message): string {
  if (message.role === 'results') return message.results.map(({ text }) => text).join('\n');
  return message.parts.map((part) => ('text' in part ? part.text : '')).join('\n');
}

function saidIn(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).map((message) => `${message.role}: ${textIn(message)}`);
}

async function twoTurns(model: ScriptedModel): Promise<{ house: House; seat: Seat }> {
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  await say(house, seat, 'first');
  await say(house, seat, 'second');
  return { house, seat };
}

describe('going elsewhere in the tree', () => {
  test('a prompt leads to before it, with its words for the box; the other branch stays (SC-25.1, SC-25.2, SC-25.5)', async () => {
    const model = scriptedModel(['one', 'two', 'three']);
    const { house, seat } = await twoTurns(model);
    const before = seat.view.transcript.generation;
    const sent = await seat.send({ type: 'navigate', entry: await node(house, 'second'), edit: true });
    expect(sent).toEqual({
      accepted: true,
      value: { kind: 'recalled', drafts: [{ text: 'second', attachments: [] }] },
    });
    expect(transcriptOf(seat.view)).toEqual(['prompt: first', 'model: one', 'end: done']);
    expect(seat.view.transcript.generation).toBe(before + 1);
    expect(flashes(seat).at(-1)).toContain('not undone');
    await say(house, seat, 'other');
    expect(saidIn(model.requests.at(-1))).toEqual(['user: first', 'assistant: one', 'user: other']);
    const { nodes } = await tree(house);
    expect(nodes.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'root /yard',
      'prompt first',
      'response one',
      'prompt second',
      'response two',
      'prompt other',
      'response three',
    ]);
  });

  test('a reply leads to after it, the root to nothing said at all (SC-25.2)', async () => {
    const model = scriptedModel(['one', 'two', 'three', 'four']);
    const { house, seat } = await twoTurns(model);
    expect(await seat.send({ type: 'navigate', entry: await node(house, 'one'), edit: true })).toEqual({
      accepted: true,
      value: null,
    });
    await say(house, seat, 'third');
    expect(saidIn(model.requests.at(-1))).toEqual(['user: first', 'assistant: one', 'user: third']);
    await seat.send({ type: 'navigate', entry: await node(house, '/yard'), edit: true });
    expect(transcriptOf(seat.view)).toEqual([]);
    await say(house, seat, 'anew');
    expect(saidIn(model.requests.at(-1))).toEqual(['user: anew']);
  });

  test('refused while something runs or waits, and then nothing has changed (SC-25.1, SC-25.5)', async () => {
    const hold = gate();
    const model = scriptedModel(['one', 'two', [{ wait: hold.opened }, 'three']]);
    const { house, seat } = await twoTurns(model);
    const entry = await node(house, 'second');
    await seat.say('long');
    await model.received(3);
    await house.settle();
    const before = transcriptOf(seat.view);
    const sent = await seat.send({ type: 'navigate', entry, edit: true });
    expect(sent).toMatchObject({ accepted: false, refusal: { identifier: 'busy' } });
    expect(transcriptOf(seat.view)).toEqual(before);
    expect(seat.view.transcript.generation).toBe(0);
    // Nothing runs any more, and something is held.
    await seat.say('waits', 'queue');
    await seat.send(CTRL_C);
    await house.idle();
    expect(await seat.send({ type: 'navigate', entry, edit: true })).toEqual(sent);
    expect(seat.view.transcript.generation).toBe(0);
    await seat.send({ type: 'queue-discard', inputs: 'all' });
    expect(await seat.send({ type: 'navigate', entry: 'nowhere', edit: true })).toMatchObject({
      refusal: { identifier: 'no-such-entry' },
    });
  });

  test('sent as a command mid-turn it waits in line, and its prompt comes back with the outcome', async () => {
    const hold = gate();
    const model = scriptedModel(['one', 'two', [{ wait: hold.opened }, 'three']]);
    const { house, seat } = await twoTurns(model);
    const entry = await node(house, 'second');
    await seat.say('long');
    await model.received(3);
    await seat.send({ type: 'command', ref: 'go', name: 'tree', argument: entry });
    expect(seat.view.queue.rows.map(({ text }) => text)).toEqual([`/tree ${entry}`]);
    hold.open();
    await house.idle();
    expect(seat.outcome('go')).toMatchObject({ state: 'done', recalled: [{ text: 'second', attachments: [] }] });
    expect(transcriptOf(seat.view)).toEqual(['prompt: first', 'model: one', 'end: done']);
  });

  test('the place is on the disk at once: the session opens there again (SC-25.4)', async () => {
    const { house, seat } = await twoTurns(scriptedModel(['one', 'two']));
    await seat.send({ type: 'navigate', entry: await node(house, 'one'), edit: false });
    const before = transcriptOf(seat.view);
    // As after a crash: what was never flushed is gone.
    const { system } = house;
    await house.session.close();
    const again = await openHouse({ system, script: scriptedModel(['three']) });
    const other = again.seat('two');
    await other.until((view) => view.head.ready);
    expect(transcriptOf(other.view)).toEqual(before);
    expect((await tree(again)).here).toBe(await node(again, 'one'));
    expect(other.view.head.totals.requests).toBe(2);
  });

  test('list of things to do and context follow the path; what was used stays the session’s (SC-25.3)', async () => {
    const model = scriptedModel([
      { parts: ['one'], usage: { input: 100 } },
      { parts: ['two'], usage: { input: 900 } },
    ]);
    const { house, seat } = await twoTurns(model);
    expect(seat.view.head.contextTokens).toBe(900);
    const { totals } = seat.view.head;
    await seat.send({ type: 'navigate', entry: await node(house, 'one'), edit: false });
    expect(seat.view.head.contextTokens).toBe(100);
    expect(seat.view.head.totals).toEqual(totals);
    expect(model.requests).toHaveLength(2);
  });

  test('a compaction is a place of its own; before it the whole conversation is there (SC-25.4)', async () => {
    const model = scriptedModel(['one', 'two', `long ${'word '.repeat(12_000)}`, 'SUMMARY', 'three']);
    const { house, seat } = await twoTurns(model);
    await say(house, seat, 'at length');
    expect(await command(house, seat, 'compact')).toStartWith('done');
    const { nodes } = await tree(house);
    const row = nodes.find(({ kind }) => kind === 'compaction');
    expect(row?.text).toContain('SUMMARY');
    await seat.send({ type: 'navigate', entry: await node(house, 'two'), edit: false });
    await say(house, seat, 'third');
    expect(saidIn(model.requests.at(-1))).toContain('assistant: one');
    await seat.send({ type: 'navigate', entry: row!.id, edit: false });
    expect(transcriptOf(seat.view).at(-1)).toBe('compaction');
  });

  test('a failed turn is marked, and goes on from there', async () => {
    const model = scriptedModel(['one', { failure: { category: 'request-rejected', message: 'no' } }, 'three']);
    const { house, seat } = await twoTurns(model);
    expect((await tree(house)).nodes.map(({ kind }) => kind)).toEqual([
      'root',
      'prompt',
      'response',
      'prompt',
      'failed',
    ]);
    await seat.send({ type: 'queue-discard', inputs: 'all' });
    await seat.send({ type: 'navigate', entry: await node(house, 'one'), edit: false });
    await say(house, seat, 'again');
    expect(saidIn(model.requests.at(-1))).toEqual(['user: first', 'assistant: one', 'user: again']);
  });
});

describe('what a branch came to', () => {
  test('a summary of what is left is asked over that branch and stands where one goes', async () => {
    const model = scriptedModel(['one', 'two', 'tried X, found Y', 'three']);
    const { house, seat } = await twoTurns(model);
    const place = await node(house, 'one');
    expect(await command(house, seat, 'tree', `${place} summary`)).toStartWith('done');
    expect(saidIn(model.requests[2]).slice(0, 4)).toEqual([
      'user: first',
      'assistant: one',
      'user: second',
      'assistant: two',
    ]);
    expect(model.requests[2]?.calls).toBe('forbidden');
    await say(house, seat, 'third');
    const said = saidIn(model.requests[3]);
    expect(said).toHaveLength(5);
    expect(said[2]).toContain('“second”');
    expect(said[3]).toBe('assistant: tried X, found Y');
    expect(seat.view.head.totals.requests).toBe(4);
  });

  test('a summary that fails leaves everything as it is', async () => {
    const model = scriptedModel(['one', 'two', { failure: { category: 'request-rejected', message: 'no' } }]);
    const { house, seat } = await twoTurns(model);
    const before = transcriptOf(seat.view);
    expect(await command(house, seat, 'tree', `${await node(house, 'one')} summary`)).toStartWith('failed');
    expect(transcriptOf(seat.view)).toEqual(before);
  });

  test('a reply of another branch is brought here word for word, without a request', async () => {
    const model = scriptedModel(['one', 'two', 'three', 'four']);
    const { house, seat } = await twoTurns(model);
    await seat.send({ type: 'navigate', entry: await node(house, 'second'), edit: false });
    await say(house, seat, 'other');
    expect(await command(house, seat, 'bring', await node(house, 'two'))).toStartWith('done');
    expect(model.requests).toHaveLength(3);
    await say(house, seat, 'go on');
    const said = saidIn(model.requests[3]);
    expect(said.slice(0, 4)).toEqual(['user: first', 'assistant: one', 'user: other', 'assistant: three']);
    expect(said[4]).toContain('second');
    expect(said[5]).toBe('assistant: two');
    expect(await command(house, seat, 'bring', await node(house, 'three'))).toStartWith('refused');
  });

  test('a place keeps the name it was given', async () => {
    const { house, seat } = await twoTurns(scriptedModel(['one', 'two']));
    await command(house, seat, 'label', 'works so far');
    await command(house, seat, 'label', `${await node(house, 'one')} start`);
    const labels = (await tree(house)).nodes.flatMap(({ text, label }) =>
      label === undefined ? [] : [`${text}: ${label}`],
    );
    expect(labels).toEqual(['one: start', 'two: works so far']);
    await command(house, seat, 'label', '');
    expect((await tree(house)).nodes.filter(({ label }) => label !== undefined)).toHaveLength(1);
  });
});

test('whatever the walk, every entry is kept, and a request says what its branch says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), fc.nat(50)), { minLength: 1, maxLength: 10 }), async (steps) => {
      const model = scriptedModel([(_request, index) => `reply ${index}`], { repeatLast: true });
      const house = await openHouse({ script: model, tools: [lookTool] });
      const seat = house.seat('one');
      /** Where each reply stands: the messages that lead there, its own last. */
      const paths = new Map<string, readonly string[]>();
      let path: readonly string[] = [];
      let said = 0;
      for (const [talks, pick] of steps) {
        const { nodes } = await tree(house);
        if (talks || nodes.length < 2) {
          const text = `prompt ${said++}`;
          await say(house, seat, text);
          expect(saidIn(model.requests.at(-1))).toEqual([...path, `user: ${text}`]);
          path = [...path, `user: ${text}`, `assistant: reply ${model.requests.length - 1}`];
          paths.set(`reply ${model.requests.length - 1}`, path);
          paths.set(text, path.slice(0, -2));
        } else {
          const there = nodes[pick % nodes.length]!;
          const known = new Set((await everyId(house)).values());
          expect(await seat.send({ type: 'navigate', entry: there.id, edit: false })).toMatchObject({ accepted: true });
          path = there.kind === 'root' ? [] : paths.get(there.text)!;
          for (const id of await everyId(house)) known.delete(id);
          expect(known.size).toBe(0);
        }
        const shown = seat.view.transcript.items.flatMap((item) =>
          item.kind === 'user' ? [`user: ${item.text}`] : item.kind === 'assistant' ? [`assistant: ${item.text}`] : [],
        );
        expect(shown).toEqual([...path]);
        const page = await house.session.read({ type: 'page', from: 0, count: 1000 });
        expect(page.ok && page.value.items.map(({ id }) => id)).toEqual(seat.view.transcript.items.map(({ id }) => id));
      }
      await house.session.close();
      const again = await openHouse({ system: house.system, script: model });
      const other = again.seat('two');
      await other.until((view) => view.head.ready);
      expect(transcriptOf(other.view)).toEqual(transcriptOf(seat.view));
      await again.session.close();
    }),
    { numRuns: 25 },
  );
});

async function everyId(house: House): Promise<string[]> {
  const ids: string[] = [];
  for await (const entry of house.journal.all()) ids.push(entry.id);
  return ids;
}
