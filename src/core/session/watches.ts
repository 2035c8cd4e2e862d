import { isAbsolute, resolve } from 'node:path';
import { done, type Outcome, refuse } from '../../base/refusal.ts';
import type { EntryId, TurnEndReason } from '../../protocol/entry.ts';
import type { WatchState } from '../../protocol/standing.ts';
import type { Clock } from '../../system/clock.ts';
import type { FileStat, Files } from '../../system/files.ts';
import { hashBytes } from '../changes/hash.ts';
import type { Ledger } from '../changes/ledger.ts';
import { oneLine } from '../tools/tool-paths.ts';
import { DAY } from './loop-line.ts';
import type { SelfPrompts } from './self-prompt.ts';

export const MOST_WATCHES = 8;
/** Between two looks at one file, and between two turns that watches start. */
const REST_MS = 5_000;
/** Where the system tells of changes, a look all the same: of a folder that is moved away it says nothing. */
const SLOW_MS = 600_000;
/** A program that saves writes more than once. */
const DEBOUNCE_MS = 300;
const LONGEST_LIFE = 7 * DAY;
/** What is larger is not compared with what our tools wrote. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Files whose change starts a turn. */
export interface Watches {
  readonly state: readonly WatchState[];
  /** Refusals: `no-such-file`, `not-a-file`, `too-many-watches`. */
  add(path: string, prompt: string): Promise<Outcome<WatchState>>;
  stop(number: number): WatchState | null;
  stopAll(): readonly WatchState[];
  settled(input: EntryId, reason: TurnEndReason): void;
  /** What waited has gone without being said. */
  gone(inputs: readonly EntryId[]): void;
  look(): void;
  close(): void;
}

export interface WatchParts {
  readonly clock: Clock;
  readonly files: Pick<Files, 'stat' | 'realPath' | 'watch' | 'read'>;
  readonly folder: string;
  readonly ledger: Pick<Ledger, 'changes'>;
  readonly prompts: SelfPrompts;
  readonly onChange: () => void;
  readonly onTrouble: (message: string) => void;
  readonly onEnd: (watch: WatchState, why: string) => void;
}

interface Live {
  readonly number: number;
  readonly path: string;
  readonly real: string;
  readonly prompt: string;
  known: FileStat;
  fired: number;
  /** It changed and its turn has not begun. */
  due: boolean;
  missing: boolean;
  lookedAt: number;
  looking: { readonly at: number; readonly cancel: () => void } | null;
  readonly stopLife: () => void;
  watcher: { close(): void } | null;
}

/** A watch whose turn is on its way or runs. */
interface Firing {
  readonly watch: Live;
  input: EntryId | null;
}

export function createWatches(parts: WatchParts): Watches {
  const { clock, files, prompts } = parts;
  let live: Live[] = [];
  let last = 0;
  let firedAt: number | null = null;
  let firing: Firing | null = null;
  let resting: (() => void) | null = null;

  const stateOf = ({ number, path, fired }: Live): WatchState => ({ number, path, fired });
  const drop = (watch: Live): void => {
    live = live.filter((other) => other !== watch);
    watch.watcher?.close();
    watch.looking?.cancel();
    watch.stopLife();
    parts.onChange();
  };
  const end = (watch: Live, why: string): void => {
    if (!live.includes(watch)) return;
    drop(watch);
    parts.onEnd(stateOf(watch), why);
  };

  const lookSoon = (watch: Live, ms = DEBOUNCE_MS): void => {
    if (!live.includes(watch)) return;
    const now = clock.ticks();
    const at = Math.max(now + ms, watch.lookedAt + REST_MS);
    if (watch.looking !== null && watch.looking.at <= at) return;
    watch.looking?.cancel();
    const cancel = clock.after(at - now, () => {
      watch.looking = null;
      void lookAt(watch);
    });
    watch.looking = { at, cancel };
  };
  const lookAt = async (watch: Live): Promise<void> => {
    watch.lookedAt = clock.ticks();
    const stat = await files.stat(watch.real).catch(() => null);
    if (!live.includes(watch)) return;
    if (stat === null || stat.kind !== 'file') {
      // Many programs save by putting another file in its place: it gets one more look.
      if (watch.missing) return end(watch, 'the file is gone');
      watch.missing = true;
      return lookSoon(watch, REST_MS);
    }
    watch.missing = false;
    if (stat.size !== watch.known.size || stat.modifiedMs !== watch.known.modifiedMs) {
      watch.known = stat;
      if (!(await isOurs(watch))) watch.due = true;
    }
    if (!live.includes(watch)) return;
    lookSoon(watch, watch.watcher === null ? REST_MS : SLOW_MS);
    fire();
  };
  /** Whether it holds just what our own tools wrote last. */
  const isOurs = async ({ real }: Live): Promise<boolean> => {
    const change = parts.ledger.changes.findLast(({ path }) => path === real);
    if (change === undefined || change.after === null) return false;
    const bytes = await files.read(real, MOST_BYTES).catch(() => null);
    return bytes !== null && hashBytes(bytes) === change.after;
  };

  const fire = (): void => {
    const watch = live.find(({ due }) => due);
    if (watch === undefined || firing !== null || !prompts.quiet) return;
    const rest = firedAt === null ? 0 : firedAt + REST_MS - clock.ticks();
    if (rest > 0) {
      resting ??= clock.after(rest, () => {
        resting = null;
        fire();
      });
      return;
    }
    watch.due = false;
    firedAt = clock.ticks();
    const own: Firing = { watch, input: null };
    firing = own;
    void speak(own);
  };
  const speak = async (own: Firing): Promise<void> => {
    const { number, path, prompt } = own.watch;
    const sentence = `[Houston: watch ${number}: the file ${oneLine(path)} changed.]`;
    try {
      own.input = await prompts.say(prompt === '' ? sentence : `${sentence}\n\n${prompt}`, 'wake');
      own.watch.fired++;
      parts.onChange();
    } catch (error) {
      if (firing === own) firing = null;
      parts.onTrouble(error instanceof Error ? error.message : String(error));
    }
  };

  return {
    get state() {
      return live.map(stateOf);
    },
    add: async (path, prompt) => {
      if (live.length >= MOST_WATCHES)
        return refuse('too-many-watches', `No more than ${MOST_WATCHES} files are watched at once: /watch stop N.`);
      const absolute = isAbsolute(path) ? path : resolve(parts.folder, path);
      const real = await files.realPath(absolute).catch(() => null);
      const stat = real === null ? null : await files.stat(real).catch(() => null);
      if (real === null || stat === null)
        return refuse('no-such-file', `There is no file ${oneLine(path)}: one file that is there can be watched.`);
      if (stat.kind !== 'file')
        return refuse('not-a-file', `${oneLine(path)} is not a file: one file can be watched, no folder.`);
      const known = live.find((watch) => watch.real === real && watch.prompt === prompt);
      if (known !== undefined) return done(stateOf(known));
      if (live.length >= MOST_WATCHES)
        return refuse('too-many-watches', `No more than ${MOST_WATCHES} files are watched at once: /watch stop N.`);
      const watch: Live = {
        number: ++last,
        path,
        real,
        prompt,
        known: stat,
        fired: 0,
        due: false,
        missing: false,
        lookedAt: clock.ticks(),
        looking: null,
        stopLife: clock.after(LONGEST_LIFE, () => end(watch, 'it is seven days old')),
        watcher: null,
      };
      live.push(watch);
      watch.watcher = files.watch(real, () => lookSoon(watch));
      lookSoon(watch, watch.watcher === null ? REST_MS : SLOW_MS);
      parts.onChange();
      return done(stateOf(watch));
    },
    stop: (number) => {
      const watch = live.find((one) => one.number === number);
      if (watch === undefined) return null;
      drop(watch);
      return stateOf(watch);
    },
    stopAll: () => {
      const all = live;
      for (const watch of all) drop(watch);
      return all.map(stateOf);
    },
    settled: (input, reason) => {
      const own = firing?.input === input ? firing : null;
      if (own !== null) {
        firing = null;
        if (reason === 'stopped' || reason === 'interrupted') end(own.watch, 'the turn it started was stopped');
      }
      void prompts.idle().then(fire);
    },
    gone: (inputs) => {
      if (firing !== null && firing.input !== null && inputs.includes(firing.input)) firing = null;
    },
    look: fire,
    close: () => {
      resting?.();
      for (const watch of live) {
        watch.watcher?.close();
        watch.looking?.cancel();
        watch.stopLife();
      }
      live = [];
    },
  };
}
