// Delegates at work in whole sessions, with real files, tools and programs; the models and the person are scripted.
import { afterEach, describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ModelRequest } from '../../src/core/models/model.ts';
import type { Ask } from '../../src/protocol/ask.ts';
import { type GuardedPlace, type GuardedRun, guardedPlace, NO, YES } from '../support/guarded-session.ts';
import { gate, type ScriptEntry, type ScriptPart, type ScriptReply } from '../support/script.ts';

let places: GuardedPlace[] = [];
afterEach(() => {
  for (const place of places) place.close();
  places = [];
});

function open(): GuardedPlace {
  const place = guardedPlace();
  places.push(place);
  return place;
}

let calls = 0;
function one(tool: string, input: Record<string, unknown>): ScriptPart {
  return { tool, input: { why: 'to see', ...input } as never, call: `call-${++calls}` };
}
const call = (tool: string, input: Record<string, unknown>): ScriptReply => [one(tool, input)];
const shell = (command: string): ScriptReply => call('run_shell', { command });
const spawn = (kind: string, task: string, more: Record<string, unknown> = {}): ScriptPart =>
  one('spawn_agent', { kind, task, ...more });

type Lines = readonly (ScriptReply | ((request: ModelRequest) => ScriptReply))[];

/** Whose request it is: a delegate is told its name. */
function speaker(request: ModelRequest): string {
  return /^You are (d[\d.]+), a /m.exec(request.system.at(-1) ?? '')?.[1] ?? '';
}

/** What each of them says, turn by turn; `''` is the session's own model. A list that ran out ends with `done`. */
function play(parts: Readonly<Record<string, Lines>>): readonly ScriptEntry[] {
  const at = new Map<string, number>();
  const answer = (request: ModelRequest): ScriptReply => {
    // A check of what is to be released.
    if (request.tools.length === 0) return 'safe\nbecause';
    const who = speaker(request);
    const index = at.get(who) ?? 0;
    at.set(who, index + 1);
    const line = parts[who]?.[index];
    if (line === undefined) return 'done';
    return typeof line === 'function' ? line(request) : line;
  };
  return Array.from({ length: 400 }, () => answer);
}

const requestsOf = (run: GuardedRun, who: string): readonly ModelRequest[] =>
  run.model.requests.filter((request) => speaker(request) === who);
const toolsOf = (run: GuardedRun, who: string): readonly string[] =>
  (requestsOf(run, who)[0]?.tools ?? []).map(({ name }) => name);
const entries = (file: string) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('what a delegate is given', () => {
  test('SEC-34, SEC-37: the task is its whole input, and its report is all that comes back', async () => {
    const place = open();
    place.write('a.txt', 'the answer is 42\n');
    const run = await place.run(
      play({
        '': ['I remember plums', [spawn('reader', 'Find the answer in a.txt')], 'thanks'].slice(1) as Lines,
        d1: [call('read_file', { path: 'a.txt' }), 'It is 42, in a.txt:1'],
      }),
      { prompt: 'think of plums' },
    );
    const [first] = requestsOf(run, 'd1');
    expect(first?.messages).toEqual([{ role: 'user', parts: [{ type: 'text', text: 'Find the answer in a.txt' }] }]);
    expect(JSON.stringify(requestsOf(run, 'd1'))).not.toContain('plums');
    expect(run.told).toEqual(['[report of d1]\nIt is 42, in a.txt:1']);
    expect(JSON.stringify(requestsOf(run, ''))).not.toContain('the answer is 42');
  });

  test('DEL-3, SEC-35: it holds what its kind may and its parent does, whatever either asks for', async () => {
    const place = open();
    const run = await place.run(
      play({
        '': [[spawn('reader', 'look')], [spawn('checker', 'check')], [spawn('worker', 'work')]],
        d1: [[spawn('worker', 'change it')]],
      }),
    );
    const reading = ['read_file', 'list_files', 'find_files', 'search_text', 'lsp', 'spawn_agent'];
    expect(toolsOf(run, 'd1')).toEqual(reading);
    // A worker below a reader holds no more than the reader.
    expect(toolsOf(run, 'd1.1')).toEqual(reading);
    expect([...toolsOf(run, 'd2')].sort()).toEqual([...reading, 'run_shell', 'read_output'].sort());
    const working = [...reading, 'run_shell', 'read_output', 'edit_file', 'write_file', 'spawn_processor'];
    expect([...toolsOf(run, 'd3')].sort()).toEqual(working.sort());
    const told = requestsOf(run, 'd1')[0]?.system.at(-1) ?? '';
    for (const name of ['write_file', 'run_shell', 'fetch_url', 'ask_person', 'todo_write'])
      expect(told.split('You do not hold')[1]).toContain(name);
    expect(told.split('You do not hold')[1]).not.toContain('search_text');
  });

  test('SEC-38: a tool it does not hold is not listed, and refused when called all the same', async () => {
    const place = open();
    const run = await place.run(
      play({
        '': [[spawn('reader', 'look')]],
        d1: [
          call('write_file', { path: 'b.txt', contents: 'x' }),
          call('ask_person', { questions: [] }),
          (request) => JSON.stringify(request.messages.filter(({ role }) => role === 'results')),
        ],
      }),
    );
    expect(existsSync(join(place.folder, 'b.txt'))).toBe(false);
    expect(run.asks).toEqual([]);
    expect(run.told[0]).toContain('There is no tool called write_file');
    expect(run.told[0]).toContain('There is no tool called ask_person');
    expect(run.told[0]).toStartWith('[report of d1]\n');
  });

  test('DEL-3: the tree is three deep, and no deeper', async () => {
    const place = open();
    const deeper = [[spawn('reader', 'go deeper')], 'came back'] as const;
    const run = await place.run(play({ '': [...deeper], d1: [...deeper], 'd1.1': [...deeper], 'd1.1.1': [...deeper] }));
    expect(toolsOf(run, 'd1.1')).toContain('spawn_agent');
    expect(toolsOf(run, 'd1.1.1')).not.toContain('spawn_agent');
    expect(requestsOf(run, 'd1.1.1')).toHaveLength(2);
    expect(requestsOf(run, 'd1.1.1.1')).toEqual([]);
    expect(run.told).toEqual(['[report of d1]\ncame back']);
  });

  test('DEL-3: thirty-two a turn over the whole tree; the next turn has as many', async () => {
    const place = open();
    const each = Array.from({ length: 8 }, (_, index) => `part ${index}`);
    const eight = [spawn('reader', 'look', { each })];
    const run = await place.run(
      play({ '': [eight, eight, eight, eight, 'first is over'], d1: [[spawn('reader', 'one more')]] }),
    );
    // One of the first eight started another, so one of the last eight is too many.
    expect(
      run.told
        .slice(0, 3)
        .join('\n')
        .match(/^\[report of d/gm),
    ).toHaveLength(24);
    expect(run.told[3]?.match(/^\[report of d/gm)).toHaveLength(7);
    expect(run.told[3]).toContain('was not started: this turn has had 32 delegates');
    const again = await place.run(play({ '': [[spawn('reader', 'look')]] }));
    expect(again.told.at(-1)).toBe('[report of d32]\ndone');
  });

  test('DEL-2: one delegate for each of up to eight, all told the same task and their own part', async () => {
    const place = open();
    const nine = Array.from({ length: 9 }, () => 'x');
    const run = await place.run(
      play({
        '': [[spawn('reader', 'Count', { each: ['apples', 'pears'] })], [spawn('reader', 'Count', { each: nine })]],
        d1: ['3'],
        d2: ['4'],
      }),
    );
    expect(run.told[0]).toBe('[report of d1]\n3\n\n[report of d2]\n4');
    expect(run.told[1]).toContain('"each" must have at most 8 items');
    expect(JSON.stringify(requestsOf(run, 'd2')[0]?.messages)).toContain('Count\\n\\nYours is this one: pears');
    expect(requestsOf(run, 'd3')).toEqual([]);
  });

  test('DEL-2: a reader has sixty rounds; in the last it may only report, and says so', async () => {
    const place = open();
    place.write('a.txt', 'a\n');
    const looks = Array.from({ length: 80 }, (_, index) => (request: ModelRequest) => {
      if (request.calls === 'forbidden') return 'as far as I came';
      place.write(`${index}.txt`, `${index}\n`);
      return call('read_file', { path: `${index}.txt` });
    });
    const run = await place.run(play({ '': [[spawn('reader', 'look')]], d1: looks }));
    expect(requestsOf(run, 'd1')).toHaveLength(60);
    expect(run.told[0]).toContain('no rounds left after 60');
    expect(run.told[0]).toContain('as far as I came');
  });
});

describe('who may delegate', () => {
  test('SEC-34: nobody whose context is untrusted', async () => {
    const place = open();
    await place.run([call('ask_person', { questions: [{ question: 'Which?' }] })], {
      answer: () => ({ kind: 'answers', answers: [['this']] }),
    });
    // As a damaged or older record might have it: untrusted content stands in the conversation as text.
    const record = readFileSync(place.journal(), 'utf8');
    const tainted = record.replaceAll('"label":{"integrity":"trusted"', '"label":{"integrity":"untrusted"');
    expect(tainted).not.toBe(record);
    writeFileSync(place.journal(), tainted);
    const run = await place.run(play({ '': [[spawn('reader', 'look')]] }));
    expect(run.told.at(-1)).toContain('context-untrusted');
    expect(requestsOf(run, 'd1')).toEqual([]);
  });

  test('SEC-34: nobody who was shown what had been kept aside; no reference crosses', async () => {
    const place = open();
    writeFileSync(join(place.outside, 'page.html'), 'kept\n');
    const shown = (request: ModelRequest) => JSON.stringify(request.messages.at(-1));
    const run = await place.run(
      play({
        '': [
          shell('cat ../elsewhere/page.html'),
          [spawn('worker', 'write ref:1 to b.txt')],
          call('read_output', { ref: 'ref:1' }),
          [spawn('reader', 'look')],
        ],
        d1: [call('write_file', { path: 'b.txt', contents_ref: 'ref:1' }), shown],
      }),
    );
    expect(run.told[0]).toStartWith('[ref:1:');
    expect(run.told[1]).toContain('stands for nothing');
    expect(run.told[2]).toContain('kept');
    expect(run.told[3]).toContain('no task of yours goes to a delegate any more');
    expect(requestsOf(run, 'd2')).toEqual([]);
  });

  test('SEC-34, SEC-37: nor whoever reads the report of one that was shown it, also after a resume', async () => {
    const place = open();
    writeFileSync(join(place.outside, 'page.html'), 'kept\n');
    const run = await place.run(
      play({
        '': [[spawn('checker', 'look at the page')], [spawn('reader', 'look')]],
        d1: [shell('cat ../elsewhere/page.html'), call('read_output', { ref: 'ref:1' }), 'it says kept'],
      }),
    );
    expect(run.told[0]).toBe('[report of d1]\nit says kept');
    expect(run.told[1]).toContain('no task of yours goes to a delegate any more');
    const again = await place.run(play({ '': [[spawn('reader', 'look')]] }));
    expect(again.told.at(-1)).toContain('no task of yours goes to a delegate any more');
  });
});

describe('what happens meanwhile', () => {
  test('DEL-1: several of one message run beside each other; what is said meanwhile is for none of them', async () => {
    const place = open();
    const both = gate();
    let begun = 0;
    const waits = (): ScriptReply => {
      if (++begun === 2) both.open();
      return { parts: ['done'], gate: both.opened };
    };
    let said = false;
    const run = await place.run(
      play({
        '': [[spawn('reader', 'one'), spawn('reader', 'two')], 'and now?', 'over'],
        d1: [waits],
        d2: [waits],
      }),
      {
        watch: (view, send) => {
          if (said || view.activity.phase !== 'tools') return;
          said = true;
          send({ type: 'say', ref: 'x', text: 'look for plums too', attachments: [], delivery: 'steering' });
        },
      },
    );
    expect(run.told).toEqual(['[report of d1]\ndone', '[report of d2]\ndone']);
    for (const who of ['d1', 'd2']) expect(JSON.stringify(requestsOf(run, who))).not.toContain('plums');
    expect(JSON.stringify(requestsOf(run, '').at(-1)?.messages)).toContain('plums');
  });

  test('FO-8: children side by side count once, as part of their turn', async () => {
    const place = open();
    const slow = (): ScriptReply => ({ parts: ['done'], gate: Bun.sleep(300) });
    const began = performance.now();
    const run = await place.run(
      play({
        '': [['reader', 'reader', 'reader', 'reader'].map((kind) => spawn(kind, 'look')), 'over'],
        d1: [slow],
        d2: [slow],
        d3: [slow],
        d4: [slow],
      }),
    );
    const { activeTime } = run.view.head;
    expect(activeTime).toBeGreaterThan(280);
    expect(activeTime).toBeLessThanOrEqual(Math.ceil(performance.now() - began));
    const ends = run.view.transcript.items.flatMap((item) => (item.kind === 'turn-end' ? [item.duration] : []));
    expect(ends).toEqual([activeTime]);
  });

  test('VIEW-5: its call shows the last three actions and how many came before; then its report', async () => {
    const place = open();
    const seen = new Set<string>();
    const titles = new Set<string>();
    for (const name of ['a', 'b', 'c', 'd', 'e']) place.write(name, `${name}\n`);
    const read = (name: string) => call('read_file', { path: name });
    const run = await place.run(
      play({
        '': [[spawn('reader', 'Read them all\nand say what they are')]],
        d1: [read('a'), read('b'), read('c'), read('d'), read('e'), 'five letters'],
      }),
      {
        watch: (view) => {
          for (const item of view.transcript.items)
            if (item.kind === 'call') {
              seen.add(item.tail);
              titles.add(item.title);
            }
        },
      },
    );
    expect(seen).toContain('d1: 2 earlier actions\n  Read c\n  Read d\n  Read e');
    expect([...titles].at(-1)).toBe('reader d1: Read them all');
    const item = run.view.transcript.items.find(({ kind }) => kind === 'call');
    expect(item).toMatchObject({ tail: '', display: { kind: 'text', text: '[report of d1]\nfive letters' } });
  });
});

describe('what a delegate may do', () => {
  test('PR-5, UP-50: plan mode holds inside a worker, for its tools and its lines', async () => {
    const place = open();
    place.write('a.txt', 'a\n');
    const run = await place.run(
      play({
        '': [[spawn('worker', 'change it')]],
        d1: [
          call('write_file', { path: 'b.txt', contents: 'x' }),
          shell('touch c.txt'),
          shell('cat a.txt'),
          (request) => JSON.stringify(request.messages.filter(({ role }) => role === 'results')),
        ],
      }),
      { mode: 'plan' },
    );
    expect(readdirSync(place.folder)).toEqual(['a.txt']);
    expect(run.asks).toEqual([]);
    expect(run.told[0]?.match(/mode-plan/g)?.length).toBe(2);
    expect(run.audit).toContainEqual(expect.objectContaining({ event: 'turn', mode: 'plan' }));
  });

  test('PR-5: in a turn that accepts edits, so does its delegate', async () => {
    const place = open();
    const write = call('write_file', { path: 'b.txt', contents: 'x' });
    const run = await place.run(play({ '': [[spawn('worker', 'write')]], d1: [write] }), { mode: 'edits' });
    expect(run.asks).toEqual([]);
    expect(place.read('b.txt')).toBe('x');
  });

  test('SEC-36: each effect is asked about by itself; a lasting answer given to one holds for all', async () => {
    const place = open();
    const answer = (ask: Ask) => (ask.origin === 'd1' ? ({ kind: 'choice', choice: 'session' } as const) : NO);
    const run = await place.run(
      play({
        '': [[spawn('checker', 'check')], [spawn('checker', 'again')], shell('touch S1'), shell('touch S2')],
        d1: [shell('touch S1'), { failure: { category: 'credential-refused' } }],
        d2: [shell('touch S1'), shell('touch S3')],
      }),
      { answer },
    );
    expect(run.asks.map(({ origin }) => origin)).toEqual(['d1', 'd2', '']);
    // Though d1 failed: what was vouched for with it stays vouched for.
    expect(run.told[0]).toBe('The checker d1 failed (credential-refused) before it could report.');
    expect([existsSync(join(place.folder, 'S1')), existsSync(join(place.folder, 'S3'))]).toEqual([true, false]);
    expect(run.told.at(-1)).toContain('said no');
  });
});

describe('questions of delegates', () => {
  test('SEC-50, SEC-38, UP-52: one question at a time, each with who asks; the trail says who acted', async () => {
    const place = open();
    let most = 0;
    let standing = 0;
    const said: string[] = [];
    const run = await place.run(
      play({
        '': [[spawn('worker', 'one'), spawn('worker', 'two')], 'all done'],
        d1: [shell('touch S1')],
        d2: [[spawn('worker', 'deeper')], (request) => JSON.stringify(request.messages.at(-1))],
        'd2.1': [shell('touch S2'), (request) => JSON.stringify(request.messages.at(-1))],
      }),
      {
        answer: (ask) => {
          said.push(ask.origin);
          return ask.origin === 'd1' ? YES : NO;
        },
        watch: (view) => {
          standing = view.asks.length;
          most = Math.max(most, standing);
        },
      },
    );
    expect(most).toBe(1);
    expect([...said].sort()).toEqual(['d1', 'd2.1']);
    expect([existsSync(join(place.folder, 'S1')), existsSync(join(place.folder, 'S2'))]).toEqual([true, false]);
    // The one that was refused hears it, and so do those it reports to.
    expect(run.told[1]).toContain('The person said no to this');
    expect(run.view.transcript.items.at(-1)).toMatchObject({ kind: 'turn-end', reason: 'done' });
    const acted = run.audit.flatMap((event, index) => (event.event === 'answer' ? [run.actors[index]] : []));
    expect(acted.sort()).toEqual(['d1', 'd2.1']);
  });

  test('UP-52: where nobody can be asked they are denied at once', async () => {
    const place = open();
    const run = await place.run(
      play({
        '': [[spawn('worker', 'one')]],
        d1: [shell('touch S1'), (request) => JSON.stringify(request.messages.at(-1))],
      }),
      { canAsk: false },
    );
    expect(existsSync(join(place.folder, 'S1'))).toBe(false);
    expect(run.asks).toEqual([]);
    expect(run.told[0]).toContain('cannot-ask');
    expect(run.view.outcomes).toContainEqual(expect.objectContaining({ state: 'done', refusals: 1 }));
  });
});

describe('how a delegate ends', () => {
  test('UP-52, SEC-38: stopping the turn ends all of them, what they run and what they ask', async () => {
    const place = open();
    const seconds = `3${String(Math.random()).slice(2, 8)}`;
    const began = gate();
    const look = setInterval(() => {
      if (existsSync(join(place.folder, 'began'))) began.open();
    }, 10);
    const behind = (command: string) => ({ parts: [one('run_shell', { command })], gate: began.opened });
    const stood = new Set<string>();
    let sent = false;
    const run = await place.run(
      play({
        '': [[spawn('worker', 'one'), spawn('worker', 'two'), spawn('worker', 'three')]],
        d1: [shell(`touch began; sleep ${seconds}`)],
        d2: [behind('touch S2')],
        d3: [behind('touch S3')],
      }),
      {
        answer: (ask) => (ask.origin === 'd1' ? YES : null),
        watch: (view, send) => {
          for (const { origin } of view.asks) stood.add(origin);
          if (sent || !view.asks.some(({ origin }) => origin !== 'd1')) return;
          sent = true;
          send({ type: 'cancel', queue: 'go-on' });
        },
      },
    );
    clearInterval(look);
    expect(run.view.asks).toEqual([]);
    // Of the two that waited only one ever stood before the person.
    expect(stood.size).toBe(2);
    expect(run.view.transcript.items.at(-1)).toMatchObject({ kind: 'turn-end', reason: 'stopped' });
    expect(run.told.map((text) => text.replace(/^The worker d\d /, ''))).toEqual(
      Array.from({ length: 3 }, () => 'was stopped before it could report.'),
    );
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(`sleep ${seconds}`);
    expect(readdirSync(place.folder)).toEqual(['began']);
  });

  test('SEC-39: one that is stopped has its question declined, does nothing more, and still reports', async () => {
    const place = open();
    place.write('a.txt', 'a\n');
    const run = await place.run(
      play({
        '': [[spawn('worker', 'one')], 'the turn went on'],
        d1: [
          [one('run_shell', { command: 'touch S1' }), one('read_file', { path: 'a.txt' })],
          (request) => `${request.calls}: ${JSON.stringify(request.messages)}`,
          shell('touch S2'),
        ],
      }),
      {
        answer: () => null,
        watch: (view, send) => {
          if (view.asks.some(({ origin }) => origin === 'd1')) send({ type: 'stop-delegate', delegate: 'd1' });
        },
      },
    );
    expect(readdirSync(place.folder)).toEqual(['a.txt']);
    expect(run.view.asks).toEqual([]);
    expect(requestsOf(run, 'd1')).toHaveLength(2);
    expect(run.told[0]).toStartWith('[report of d1]\n[The person stopped it: ');
    expect(run.told[0]).toContain('forbidden: ');
    // The read behind it was not asked about, and is not permitted any more all the same.
    expect(run.told[0]).toContain('the person stopped you');
    expect(run.view.transcript.items.at(-1)).toMatchObject({ kind: 'turn-end', reason: 'done' });
  });

  test('UP-30: going in circles ends it, and its parent is told so and goes on', async () => {
    const place = open();
    const again = Array.from({ length: 50 }, () => call('find_files', { pattern: 'zzz' }));
    const run = await place.run(play({ '': [[spawn('reader', 'look')], 'went on'], d1: again }));
    expect(requestsOf(run, 'd1').length).toBeLessThanOrEqual(5);
    expect(run.told[0]).toMatch(/^The reader d1 was stopped, because it made the same call again and again/);
    expect(run.view.transcript.items.at(-1)).toMatchObject({ kind: 'turn-end', reason: 'done' });
  });

  test('SEC-37, SEC-42: a journal of its own holds the work; the parent has the report, the usage and nothing else', async () => {
    const place = open();
    place.write('a.txt', 'the answer is 42\n');
    const run = await place.run(
      play({
        '': [[spawn('reader', 'look')], 'fine'],
        d1: [call('read_file', { path: 'a.txt' }), 'found'],
      }),
    );
    const own = entries(place.journal());
    expect(JSON.stringify(own)).not.toContain('the answer is 42');
    const children = join(dirname(place.journal()), 'children');
    const [child] = readdirSync(children);
    expect(readFileSync(join(children, child!, 'journal.jsonl'), 'utf8')).toContain('the answer is 42');
    expect(own.filter(({ kind, purpose }) => kind === 'usage' && purpose === 'delegate')).toHaveLength(2);
    // Two requests of the session's own model and two of its delegate's.
    expect(run.view.head.totals).toMatchObject({ requests: 4, input: 400, output: 40 });
    const end = own.find(({ kind }) => kind === 'turn-end');
    expect(end.usage).toMatchObject({ requests: 4, input: 400 });
  });
});
