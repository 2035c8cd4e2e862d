// Kills a real host (SIGKILL) at many different writes of its journal, in a session with edits, running commands, an open
// ask and a second prompt waiting; then opens the session again. Nothing said or done may be lost, nothing done twice.
import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Entry, EntryOf } from '../../src/protocol/entry.ts';
import { entryClass } from '../../src/protocol/entry.ts';
import { apply, emptyHead, emptyView } from '../../src/protocol/reduce.ts';
import { type CrashPoint, linkTo, startCrashHost } from '../support/crash-rig.ts';
import { type FakePart, type FakeReply, type FakeRequest, startFakeAnthropic } from '../support/fake-anthropic.ts';

/** Journal writes looked at; the session of this script makes more than there are points. */
const POINTS = Number(process.env.HOUSTON_CRASH_POINTS ?? 210);
const BESIDE = 2;
const EDITS = 8;
const COMMANDS = 5;

/** What the scripted service answers: decided from the conversation alone, so that it goes on wherever a host died. */
function reply(request: FakeRequest): FakeReply {
  let prompt = '';
  let round = 0;
  for (const message of request.body.messages as { role: string; content: unknown }[]) {
    const text =
      typeof message.content === 'string'
        ? message.content
        : JSON.stringify((message.content as { type: string; text?: string }[]).filter((part) => part.type === 'text'));
    const said = /(FIRST|SECOND|THIRD)-PROMPT/.exec(text)?.[1];
    if (message.role === 'user' && said !== undefined) {
      prompt = said;
      round = 0;
    } else if (message.role === 'assistant') round++;
  }
  if (prompt === 'FIRST') return first(round);
  if (prompt === 'SECOND') return round === 0 ? [shell('echo second >> log.txt', 'second')] : 'SECOND-DONE';
  return 'THIRD-DONE';
}

function first(round: number): FakeReply {
  if (round === 0) return [{ tool: 'read_file', input: { path: 'counter.txt', why: 'look' } }];
  if (round <= EDITS)
    return [
      {
        tool: 'edit_file',
        input: {
          path: 'counter.txt',
          why: 'count',
          edits: [{ old_text: `count = ${round - 1}`, new_text: `count = ${round}` }],
        },
      },
    ];
  const command = round - EDITS;
  if (command <= COMMANDS)
    return [shell(`echo line-${command} >> log.txt; sleep 0.02; echo said-${command}`, `step ${command}`)];
  return 'FIRST-DONE';
}

function shell(command: string, why: string): FakePart {
  return { tool: 'run_shell', input: { command, why } };
}

interface Place {
  readonly root: string;
  readonly project: string;
  readonly home: string;
  readonly journal: () => string | null;
}

function makePlace(): Place {
  const root = mkdtempSync(path.join(tmpdir(), 'houston-crash-'));
  const project = path.join(root, 'project');
  const home = path.join(root, 'home');
  mkdirSync(project);
  mkdirSync(home);
  writeFileSync(path.join(project, 'counter.txt'), 'count = 0\n');
  return {
    root,
    project,
    home,
    journal: () =>
      [...new Bun.Glob('state/sessions/*/*/journal.jsonl').scanSync({ cwd: home, absolute: true })][0] ?? null,
  };
}

function entriesOf(file: string | null): Entry[] {
  if (file === null || !existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Entry];
      } catch {
        return [];
      }
    });
}

/** What one life of the session told its client. */
interface Life {
  readonly accepted: Set<string>;
  /** Flushed entries the client was shown. */
  readonly shown: Set<string>;
}

/** Drives the session until it is idle with everything said, or until its host dies. */
async function live(
  place: Place,
  url: string,
  session: string,
  open: 'new' | 'resume',
  crash: CrashPoint | null,
  life: Life,
): Promise<'done' | 'died'> {
  const host = await startCrashHost({ project: place.project, home: place.home, url, session, open, crash });
  const client = 'crash-client';
  try {
    const linked = await linkTo(host, client);
    if (linked === null) return 'died';
    const view = emptyView(emptyHead('', '', ''));
    const moved = { wake: (): void => {} };
    linked.attach({ client }, (update) => {
      apply(view, update);
      for (const change of update.changes) {
        if (change.type === 'entry' && entryClass(change.entry.kind).durability === 'flushed')
          life.shown.add(change.entry.id);
      }
      moved.wake();
    });
    const say = async (ref: string, text: string): Promise<void> => {
      const sent = await linked.send({ type: 'say', ref, text, attachments: [], delivery: 'queue' }, client);
      if (sent.accepted) life.accepted.add(ref);
    };
    const until = async (holds: () => boolean): Promise<boolean> => {
      while (!holds()) {
        if (host.died()) return false;
        await Promise.race([
          new Promise<void>((wake) => {
            moved.wake = wake;
          }),
          host.exited,
        ]);
      }
      return true;
    };
    void say('first', 'FIRST-PROMPT');
    void say('second', 'SECOND-PROMPT');
    void say('third', 'THIRD-PROMPT');
    const seen = new Set<string>();
    const settled = (): boolean => {
      for (const ask of view.asks) {
        if (seen.has(ask.id)) continue;
        seen.add(ask.id);
        void linked.send(
          {
            type: 'answer',
            ask: ask.id,
            answer: { kind: 'choice', choice: ask.body.kind === 'trust' ? 'trust' : 'once' },
          },
          client,
        );
      }
      if (view.queue.paused !== null) void linked.send({ type: 'queue-resume' }, client);
      return (
        life.accepted.size === 3 &&
        view.activity.phase === 'idle' &&
        view.queue.rows.length === 0 &&
        view.asks.length === 0
      );
    };
    if (!(await until(settled))) return 'died';
    await linked.send({ type: 'end' }, client);
    await host.exited;
    return 'done';
  } finally {
    await host.kill();
  }
}

/** Everything that must hold of a session that was killed once and then brought to its end. */
function check(place: Place, life: Life, when: string): void {
  const entries = entriesOf(place.journal());
  const of = <K extends Entry['kind']>(kind: K): EntryOf<K>[] =>
    entries.filter((entry) => entry.kind === kind) as EntryOf<K>[];
  const inputs = of('input');
  for (const ref of ['first', 'second', 'third']) {
    const mine = inputs.filter((entry) => entry.ref === ref);
    expect(`${when}: ${ref} said ${mine.length} times`).toBe(`${when}: ${ref} said 1 times`);
    const taken = of('taken').filter((entry) => entry.input === mine[0]?.id);
    expect(`${when}: ${ref} taken ${taken.length} times`).toBe(`${when}: ${ref} taken 1 times`);
  }
  expect(of('dropped')).toEqual([]);
  const calls = of('assistant').flatMap((entry) =>
    entry.parts.flatMap((part) => (part.type === 'call' ? [part.call] : [])),
  );
  const results = of('result');
  expect(new Set(calls).size).toBe(calls.length);
  for (const call of calls) {
    const mine = results.filter((entry) => entry.call === call);
    expect(`${when}: ${call} has ${mine.length} results`).toBe(`${when}: ${call} has 1 results`);
    expect(of('call').filter((entry) => entry.call === call).length).toBeLessThanOrEqual(1);
  }
  // Every turn that took something has one end. Its start may be missing: a write torn between the two leaves only the first.
  for (const turn of new Set(of('taken').map((entry) => entry.turn))) {
    const ends = of('turn-end').filter((entry) => entry.turn === turn).length;
    const starts = of('turn-start').filter((entry) => entry.turn === turn).length;
    expect(`${when}: turn ${turn} ended ${ends} times, started ${Math.max(starts, 1)}`).toBe(
      `${when}: turn ${turn} ended 1 times, started 1`,
    );
  }
  // Effects: each at most once, and exactly once where the journal says that it succeeded.
  const log = existsSync(path.join(place.project, 'log.txt'))
    ? readFileSync(path.join(place.project, 'log.txt'), 'utf8').trim().split('\n')
    : [];
  expect(`${when}: ${log.join(',')}`).toBe(`${when}: ${[...new Set(log)].join(',')}`);
  for (const result of results) {
    const line = /said-(\d+)/.exec(result.text)?.[1];
    if (result.tool === 'run_shell' && result.outcome === 'ok' && line !== undefined)
      expect(log).toContain(`line-${line}`);
  }
  const count = Number(/count = (\d+)/.exec(readFileSync(path.join(place.project, 'counter.txt'), 'utf8'))?.[1]);
  const edited = results.filter((entry) => entry.tool === 'edit_file');
  const sure = edited.filter((entry) => entry.outcome === 'ok').length;
  const unsure = edited.filter((entry) => entry.outcome === 'unknown').length;
  expect(count).toBeGreaterThanOrEqual(sure);
  expect(count).toBeLessThanOrEqual(sure + unsure);
  const kept = new Set(entries.map((entry) => entry.id));
  for (const id of life.shown)
    if (!kept.has(id)) throw new Error(`${when}: entry ${id} was shown and is not on the disk`);
}

async function fly(crash: CrashPoint | null): Promise<{ operations: number }> {
  const place = makePlace();
  const fake = await startFakeAnthropic([reply], { repeatLast: true });
  const session = Bun.randomUUIDv7();
  const life: Life = { accepted: new Set(), shown: new Set() };
  const when = crash === null ? 'no crash' : `${crash.how} write ${crash.at}`;
  try {
    const outcome = await live(place, fake.url, session, 'new', crash, life);
    const operations = Number(
      existsSync(path.join(place.home, 'count')) ? readFileSync(path.join(place.home, 'count'), 'utf8') : 0,
    );
    if (crash !== null) {
      expect(`${when}: ${outcome}`).toBe(`${when}: died`);
      // What was acknowledged before the kill is on the disk as it lies there.
      const refs = entriesOf(place.journal()).flatMap((entry) => (entry.kind === 'input' ? [entry.ref] : []));
      for (const ref of life.accepted) expect(refs).toContain(ref);
      life.accepted.clear();
      const again =
        place.journal() !== null && entriesOf(place.journal()).some((entry) => entry.kind === 'session')
          ? 'resume'
          : 'new';
      expect(await live(place, fake.url, session, again, null, life)).toBe('done');
    }
    check(place, life, when);
    expect(fake.requests.filter((request) => request.refused !== null).map((request) => request.refused)).toEqual([]);
    return { operations };
  } finally {
    await fake.close();
    rmSync(place.root, { recursive: true, force: true });
  }
}

test('a host killed at any of 200 journal writes loses nothing and does nothing twice (INV-26)', async () => {
  const { operations } = await fly(null);
  const points: CrashPoint[] = [];
  for (let at = 1; at <= operations; at++)
    for (const how of ['before', 'torn', 'after'] as const) points.push({ at, how });
  expect(points.length).toBeGreaterThanOrEqual(200);
  // Evenly over the whole session, and no two the same.
  const wanted = Math.min(POINTS, points.length);
  const chosen = Array.from({ length: wanted }, (_, index) => points[Math.floor((index * points.length) / wanted)]!);
  expect(new Set(chosen).size).toBe(wanted);
  const next = chosen.values();
  const worker = async (): Promise<void> => {
    for (const point of next) await fly(point);
  };
  await Promise.all(Array.from({ length: BESIDE }, worker));
}, 900_000);
