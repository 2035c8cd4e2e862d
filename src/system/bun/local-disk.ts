import { readFileSync } from 'node:fs';

/**
 * Kept by this machine itself: what is asked of them is answered in microseconds, mostly out of memory. Anything else may be
 * at the other end of a network, or a program of somebody's, and take any time.
 */
const LOCAL = new Set(['ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'f2fs', 'bcachefs', 'zfs', 'tmpfs', 'overlay']);

/** A table read so long ago may lack what was mounted since, in milliseconds. */
const TABLE_MS = 5_000;

/** Whoever waits in this process for something else waits no longer than this for files, in milliseconds. */
const TURN_MS = 5;

interface Mount {
  readonly place: string;
  readonly local: boolean;
}

/**
 * Whether what lies at a path may be asked for on the spot: a thread that does it meanwhile takes many times as long to
 * wake, and to wake us, as the answer takes. False once this turn of the event loop has lasted, so that a long row of
 * questions lets everything else have its turn; and false wherever it cannot be told.
 */
export function createLocalDisk(readTable: () => string | null = mountTable, now = () => performance.now()) {
  let mounts: readonly Mount[] = [];
  let read = Number.NEGATIVE_INFINITY;
  let turn: number | null = null;

  const inTime = (): boolean => {
    const time = now();
    if (turn !== null) return time - turn < TURN_MS;
    turn = time;
    setImmediate(() => {
      turn = null;
    });
    if (time - read > TABLE_MS) {
      mounts = mountsOf(readTable() ?? '');
      read = time;
    }
    return true;
  };
  return {
    answersAtOnce: (path: string): boolean =>
      inTime() && (mounts.find(({ place }) => liesIn(path, place))?.local ?? false),
  };
}

export type LocalDisk = ReturnType<typeof createLocalDisk>;

function mountTable(): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return null;
  }
}

/** The deepest first; of two at one place the later one, which hides the other. */
function mountsOf(table: string): readonly Mount[] {
  const mounts = table.split('\n').flatMap((line): Mount[] => {
    const place = line.split(' ')[4];
    const type = / - (\S+) /.exec(line)?.[1];
    return place === undefined || type === undefined ? [] : [{ place: unescaped(place), local: LOCAL.has(type) }];
  });
  return mounts.reverse().toSorted((a, b) => b.place.length - a.place.length);
}

/** Spaces and the like stand in the table as octal numbers. */
function unescaped(place: string): string {
  return place.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

function liesIn(path: string, place: string): boolean {
  return place === '/' || path === place || (path.startsWith(place) && path[place.length] === '/');
}
