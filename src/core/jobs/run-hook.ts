import { onAbort } from '../../base/abort.ts';
import { joinBytes } from '../../base/json-lines.ts';
import type { Clock } from '../../system/clock.ts';
import type { Child, Processes } from '../../system/processes.ts';
import { CALL_MARK } from './child-environment.ts';
import { endTree } from './end-tree.ts';

export interface HookOrder {
  /** Program and arguments. */
  readonly argv: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly input: Uint8Array;
  readonly timeoutMs: number;
  /** The most that is kept of what it prints, and of its complaints. */
  readonly mostBytes: number;
}

export interface HookEnd {
  readonly ended: 'exit' | 'signal' | 'timeout' | 'stopped' | 'not-started';
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
  /** Bytes it printed in all. */
  readonly outBytes: number;
  /** Settles once nothing of it runs any more, whatever it started. Never rejects. */
  readonly gone: Promise<void>;
}

/**
 * Runs one program to its end, its time limit or a stop, whichever comes first: whoever waits for it waits no longer than
 * that. What is left of it then is ended meanwhile, also after a success (HR-3).
 */
export async function runHook(
  { processes, clock }: { readonly processes: Processes; readonly clock: Clock },
  order: HookOrder,
  signal: AbortSignal,
): Promise<HookEnd> {
  if (signal.aborted) return nothing('stopped', '');
  const out = capped(order.mostBytes);
  const err = capped(order.mostBytes);
  let child: Child;
  try {
    child = await processes.spawn({
      argv: order.argv,
      folder: order.folder,
      environment: order.environment,
      input: order.input,
      output: 'pieces',
      onOutput: (bytes, stream) => (stream === 'out' ? out : err).add(bytes),
    });
  } catch (error) {
    return nothing('not-started', error instanceof Error ? error.message : String(error));
  }
  const cut = Promise.withResolvers<'timeout' | 'stopped'>();
  const forget = onAbort(signal, () => cut.resolve('stopped'));
  const forgetDeadline = clock.after(order.timeoutMs, () => cut.resolve('timeout'));
  const ended = await Promise.race([child.exited, cut.promise]);
  forget();
  forgetDeadline();
  // What took the marks off its environment is still of its group; and what a hook leaves behind is owed no grace.
  const endGroup = (): void => void processes.signalGroup(child.pid, 'KILL');
  const over = typeof ended !== 'string';
  if (over) endGroup();
  const gone = endTree({ processes, clock }, child, order.environment[CALL_MARK] ?? '')
    .then(() => (over ? undefined : endGroup()))
    .catch(() => {});
  const printed = { out: out.text(), err: err.text(), outBytes: out.total() };
  if (typeof ended === 'string') return { ended, exit: null, ...printed, gone };
  return { ended: ended.code === null ? 'signal' : 'exit', exit: ended.code, ...printed, gone };
}

function nothing(ended: HookEnd['ended'], err: string): HookEnd {
  return { ended, exit: null, out: '', err, outBytes: 0, gone: Promise.resolve() };
}

/** The beginning of a stream; the rest is read and dropped, so that whoever writes is not held up. */
function capped(most: number): { add(bytes: Uint8Array): void; text(): string; total(): number } {
  const pieces: Uint8Array[] = [];
  let total = 0;
  return {
    add: (bytes) => {
      const room = most - total;
      total += bytes.length;
      if (room > 0) pieces.push(bytes.slice(0, room));
    },
    text: () => new TextDecoder().decode(joinBytes(pieces)),
    total: () => total,
  };
}
