import { describe, expect, test } from 'bun:test';
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import * as make from '../../../test/support/entries.ts';
import { growBodies } from '../../../test/support/random-entries.ts';
import type { Entry, EntryBody } from '../../protocol/entry.ts';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import { NO_TOTALS } from '../../protocol/message.ts';
import { createBunSystem } from '../../system/bun/system.ts';
import { SystemError } from '../../system/files.ts';
import { createMemorySystem, type MemorySystem } from '../../system/memory/system.ts';
import { createJournal, openJournal } from '../journal/file-journal.ts';
import type { Journal } from '../journal/journal.ts';
import { createModelContext } from '../journal/model-context.ts';
import { recover } from '../journal/recover.ts';
import { createCheckpointer, keepCheckpoint } from './checkpointer.ts';
import { foldKept } from './fold-journal.ts';
import type { Follower } from './follower.ts';

const FOLDER = '/state/sessions/s';
const PATH = `${FOLDER}/journal.jsonl`;
const PLACE = `${FOLDER}/checkpoint`;
const BUILD = '1.2.3';
const first = make.sessionBody();

/** Counts entries by kind, on whatever branch. */
function counter(): Follower & { readonly counts: Record<string, number> } {
  let counts: Record<string, number> = {};
  return {
    name: 'counter',
    get counts() {
      return counts;
    },
    see: ({ kind }) => {
      counts[kind] = (counts[kind] ?? 0) + 1;
    },
    save: () => JSON.stringify(counts),
    restore: (saved) => {
      counts = JSON.parse(saved) as Record<string, number>;
    },
  };
}

/** Kinds of which `growBodies` knows nothing, and one that nobody knows. */
const OTHERS: readonly EntryBody[] = [
  { kind: 'name', name: 'n', by: 'person' },
  { kind: 'name', name: 'p', by: 'prompt' },
  { kind: 'mode', mode: 'plan' },
  { kind: 'model', model: make.OTHER_MODEL, effort: 'high' },
  { kind: 'usage', purpose: 'retry', model: make.MODEL, usage: { ...make.NO_USAGE, input: 7 }, cost: 0.5 },
  { kind: 'active-time', duration: 3 },
  { kind: 'file-change', call: 'c1', path: '/yard/a', before: null, after: 'h' },
  { kind: 'decision', decision: { about: 'trust', path: '/yard', trusted: true, by: 'person' } },
  { kind: 'todo', items: [{ text: 't', state: 'doing' } as never] },
  { kind: 'record', name: 'kept-aside', data: 'ref:7' },
  { kind: 'record', name: 'autocompact', data: { automatic: false, cap: 5 } },
  { kind: 'ask', ask: 'a', call: null, title: 't' },
  { kind: 'from-tomorrow', more: [1] } as unknown as EntryBody,
  { ...make.resultBody(1, 'c1'), ref: 'ref:3', label: TRUSTED_PUBLIC, output: 'o' },
  { ...make.turnEndBody(2, 'stopped'), usage: NO_TOTALS },
];

/** A journal of every kind, with branches, and lines that are torn, lost, said twice or no entries at all. */
async function randomLines(seed: fc.GeneratorValue, count: number): Promise<string[]> {
  const system = createMemorySystem();
  const made = await createJournal({ ...system, folder: FOLDER, session: first.session, first });
  if (!made.ok) throw new Error(made.refusal.message);
  const journal = made.value;
  const entries: Entry[] = [];
  for (let number = 0; number < count; number++) {
    const which = seed(fc.nat, { max: 9 });
    if (which === 0)
      entries.push(...journal.append([{ kind: 'position', leaf: seed(fc.constantFrom, ...journal.branch()) }]).entries);
    else if (which < 4) entries.push(...journal.append([seed(fc.constantFrom, ...OTHERS)]).entries);
    else
      growBodies(
        seed,
        1,
        () => entries,
        (body) => void entries.push(...journal.append([body]).entries),
      );
  }
  await journal.close();
  const lines = system.files.textOf(PATH).split('\n').slice(0, -1);
  return lines.flatMap((line, at) => {
    const harm = seed(fc.nat, { max: 40 });
    if (harm === 0) return [line.slice(0, seed(fc.nat, { max: line.length }))];
    if (harm === 1) return at === 0 ? [line] : [];
    if (harm === 2) return [line, line];
    if (harm === 3) return [line, '{"no":"entry"}'];
    if (harm === 4) return [` ${line} `, line.replace('"kind":', '"kind" : ')];
    if (harm === 5) return [line.replace(/"time":\d+/, '"time":"never"')];
    return [line];
  });
}

async function open(system: MemorySystem, build?: string): Promise<Journal> {
  const opened = await openJournal({ ...system, folder: FOLDER, ...(build === undefined ? {} : { build }) });
  if (!opened.ok) throw new Error(opened.refusal.message);
  return opened.value;
}

/** All that opening a session learns of its journal. */
async function learned(
  system: MemorySystem,
  build?: string,
): Promise<{ readonly known: unknown; readonly began: boolean }> {
  const journal = await open(system, build);
  const began = journal.covered !== null;
  const repairs = await recover(journal);
  const follower = counter();
  const { recollection, transcript } = await foldKept(journal, '/elsewhere', BUILD, undefined, follower);
  const { prompts, gauge, cache, ...rest } = recollection;
  const entries = await Array.fromAsync(journal.all());
  const ids = entries.map((entry) => entry.id);
  const context = createModelContext(journal);
  const page = await transcript.page(0, 1_000);
  const known = {
    rest,
    repairs,
    entries,
    counts: follower.counts,
    seen: [
      gauge.read({ system: [], tools: [], messages: [] } as never),
      (cache as unknown as { save(): unknown }).save(),
      ids.filter((id) => prompts.hides(id)),
    ],
    journal: [journal.session, journal.leaf, journal.size, journal.damaged, journal.branch(), journal.ofKind('note')],
    parents: ids.map((id) => [journal.kindOf(id), journal.parentOf(id)]),
    page,
    messages: await context.build({ target: make.MODEL, images: true, loadAttachment: async () => null } as never),
  };
  await journal.close();
  return { known, began };
}

function systemWith(journal: string, checkpoint: Uint8Array | null): MemorySystem {
  const system = createMemorySystem();
  system.files.seed(PATH, journal, 0o600);
  if (checkpoint !== null) system.files.seed(PLACE, checkpoint, 0o600);
  return system;
}

/** The checkpoint of a journal, null when none could be kept. */
async function checkpointOf(journal: string): Promise<Uint8Array | null> {
  const system = systemWith(journal, null);
  return (await keepCheckpoint(system.files, FOLDER, BUILD, counter())) ? await system.files.read(PLACE) : null;
}

function longJournal(turns: number): Promise<string> {
  return (async () => {
    const system = createMemorySystem();
    const made = await createJournal({ ...system, folder: FOLDER, session: first.session, first });
    if (!made.ok) throw new Error(made.refusal.message);
    for (let turn = 1; turn <= turns; turn++) {
      const [input] = made.value.append([make.inputBody(`prompt ${turn}`)]).entries;
      await made.value.append([
        make.takenBody(input!.id, turn),
        make.turnStartBody(turn),
        make.assistantBody(turn, [make.textPart(`reply ${turn}`), make.callPart(`c${turn}`)]),
        make.callBody(turn, `c${turn}`),
        make.resultBody(turn, `c${turn}`),
        make.turnEndBody(turn),
      ]).durable;
    }
    await made.value.close();
    return system.files.textOf(PATH);
  })();
}

describe('a checkpoint', () => {
  test('and what stands behind it come to what the whole journal comes to, wherever it was kept', async () => {
    let used = 0;
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.nat(24), async (seed, count) => {
        const lines = await randomLines(seed, count);
        const end = seed(fc.constantFrom, '\n', '\n', '', '\n{"id":"torn');
        const whole = lines.join('\n') + end;
        const plain = await learned(systemWith(whole, null));
        for (let cut = 1; cut <= lines.length; cut++) {
          const checkpoint = await checkpointOf(`${lines.slice(0, cut).join('\n')}\n`);
          if (checkpoint === null) continue;
          const { known, began } = await learned(systemWith(whole, checkpoint), BUILD);
          if (began) used++;
          expect(known).toEqual(plain.known);
        }
      }),
      { numRuns: 40, endOnFailure: true },
    );
    expect(used).toBeGreaterThan(150);
  }, 60_000);

  test('kept again and again, each from the one before, stays as good as the first', async () => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.nat(24), async (seed, count) => {
        const lines = await randomLines(seed, count);
        const whole = `${lines.join('\n')}\n`;
        const system = systemWith(whole, null);
        for (let cut = 1; cut <= lines.length; cut += 1 + seed(fc.nat, { max: 5 })) {
          system.files.seed(PATH, `${lines.slice(0, cut).join('\n')}\n`, 0o600);
          await keepCheckpoint(system.files, FOLDER, BUILD, counter());
        }
        system.files.seed(PATH, whole, 0o600);
        expect((await learned(system, BUILD)).known).toEqual((await learned(systemWith(whole, null))).known);
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });

  test('is left aside when a single byte of it or of what it covers is another, or anything of either is missing', async () => {
    const whole = await longJournal(8);
    const checkpoint = (await checkpointOf(whole))!;
    const plain = await learned(systemWith(whole, null));
    expect((await learned(systemWith(whole, checkpoint), BUILD)).began).toBe(true);
    for (let at = 0; at < checkpoint.length; at += 211) {
      const spoiled = checkpoint.slice();
      spoiled[at] = spoiled[at]! ^ 1;
      for (const bytes of [spoiled, checkpoint.slice(0, at)]) {
        const { known, began } = await learned(systemWith(whole, bytes), BUILD);
        expect(began).toBe(false);
        expect(known).toEqual(plain.known);
      }
    }
    for (const at of [20, whole.indexOf('prompt 4') + 7, whole.length - 20]) {
      const changed = `${whole.slice(0, at)}9${whole.slice(at + 1)}`;
      const { known, began } = await learned(systemWith(changed, checkpoint), BUILD);
      expect(began).toBe(false);
      expect(known).toEqual((await learned(systemWith(changed, null))).known);
    }
    const shorter = `${whole.split('\n').slice(0, -3).join('\n')}\n`;
    const { known, began } = await learned(systemWith(shorter, checkpoint), BUILD);
    expect(began).toBe(false);
    expect(known).toEqual((await learned(systemWith(shorter, null))).known);
  });

  test('of another build, of another session or in the place of a link is left aside', async () => {
    const whole = await longJournal(3);
    const checkpoint = (await checkpointOf(whole))!;
    expect((await learned(systemWith(whole, checkpoint), '1.2.4')).began).toBe(false);
    const other = whole.replaceAll('prompt 1', 'prompt 7');
    expect((await learned(systemWith(other, checkpoint), BUILD)).began).toBe(false);
    const system = systemWith(whole, null);
    system.files.seed('/other', checkpoint, 0o600);
    await system.files.makeLink('/other', PLACE);
    expect((await learned(system, BUILD)).began).toBe(false);
  });

  test('is private, and is not written on a full disk', async () => {
    const whole = await longJournal(3);
    const system = systemWith(whole, null);
    expect(await keepCheckpoint(system.files, FOLDER, BUILD)).toBe(true);
    expect((await system.files.stat(PLACE))?.mode).toBe(0o600);
    const full = systemWith(whole, null);
    const files = {
      ...full.files,
      writeAtomic: () => Promise.reject(new SystemError('ENOSPC', 'no space left')),
    };
    expect(await keepCheckpoint(files, FOLDER, BUILD)).toBe(false);
    expect((await learned(full, BUILD)).began).toBe(false);
  });
});

describe('a checkpoint of a real file', () => {
  test('is taken as it is while nothing touched the journal, and byte by byte otherwise, also after a session added a little', async () => {
    const { files, clock, ids } = createBunSystem();
    const folder = await mkdtemp(join(tmpdir(), 'checkpoint-'));
    const path = join(folder, 'journal.jsonl');
    await writeFile(path, await longJournal(40));
    expect(await keepCheckpoint(files, folder, BUILD, counter())).toBe(true);
    /** Bytes of the journal that opening reads. */
    async function opened(use: (journal: Journal) => Promise<void> = async () => {}) {
      let read = 0;
      const counting = {
        ...files,
        readRange: async (...range: Parameters<typeof files.readRange>) => {
          const bytes = await files.readRange(...range);
          read += bytes.length;
          return bytes;
        },
      };
      const result = await openJournal({ files: counting, clock, ids, folder, build: BUILD });
      if (!result.ok) throw new Error(result.refusal.message);
      const journal = result.value;
      const seen = { read, began: journal.covered !== null };
      await use(journal);
      await journal.close();
      return seen;
    }
    const size = (await stat(path)).size;
    expect(await opened()).toEqual({ read: 0, began: true });
    await opened(async (journal) => {
      const checkpoints = createCheckpointer({ files, clock, journal, isQuiet: () => true });
      await journal.append([make.noteBody('added')]).durable;
      await checkpoints.close();
    });
    const added = (await stat(path)).size - size;
    expect(await opened()).toEqual({ read: added, began: true });
    await appendFile(path, '\n');
    expect(await opened()).toEqual({ read: size + added + 1, began: true });
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('prompt 3', 'prompt 8'));
    expect((await opened()).began).toBe(false);
    await rm(folder, { recursive: true });
  });
});

describe('when it is kept', () => {
  async function running(turns: number, isQuiet: () => boolean) {
    const system = systemWith(await longJournal(turns), null);
    const journal = await open(system, BUILD);
    const { files, clock } = system;
    const checkpoints = createCheckpointer({ files, clock, journal, isQuiet, follower: counter });
    const isThere = async () => (await files.linkStat(PLACE)) !== null;
    return { system, journal, checkpoints, isThere };
  }

  test('a while after the last turn, if nothing runs then; a short session has none and no timer', async () => {
    let quiet = true;
    const { system, checkpoints, isThere } = await running(40, () => quiet);
    quiet = false;
    checkpoints.rest();
    await system.clock.advance(60_000);
    expect(await isThere()).toBe(false);
    quiet = true;
    checkpoints.rest();
    await system.clock.advance(4_000);
    expect(await isThere()).toBe(false);
    await system.clock.advance(2_000);
    await system.clock.settle();
    expect(await isThere()).toBe(true);
    const short = await running(3, () => true);
    short.checkpoints.rest();
    await short.system.clock.advance(60_000);
    await short.journal.close();
    await short.checkpoints.close();
    expect(await short.isThere()).toBe(false);
  });

  test('at the end, unless so much would have to be read that somebody waits for it', async () => {
    const some = await running(40, () => true);
    await some.journal.close();
    await some.checkpoints.close();
    expect(await some.isThere()).toBe(true);
    const much = await running(700, () => true);
    await much.journal.close();
    await much.checkpoints.close();
    expect(await much.isThere()).toBe(false);
  });
});
