import type { Clock } from '../../../system/clock.ts';
import type { CliMessage } from './cli-message.ts';
import type { Conversation } from './conversation.ts';

/** The conversations of one Houston that a process holds. */
export interface Conversations {
  add(one: Pick<Conversation, 'cli' | 'setup' | 'mark'>): Conversation;
  /** The one used last that fits; null for none. */
  find(fits: (one: Conversation) => boolean): Conversation | null;
  /** It is in use. */
  take(one: Conversation): void;
  /** It may be of use again. */
  keep(one: Conversation, as: Pick<Conversation, 'seen' | 'calls' | 'state'>): void;
  end(one: Conversation): void;
}

/** What is kept at rest: each process holds some 200 MB. */
export interface IdleLimits {
  readonly processes: number;
  readonly minutes: number;
}

/** Those whose tools run are waited for: a question may stand for long. */
const MOST_CALLING = 8;
const KEPT_CALLING_MS = 60 * 60_000;

export function createConversations(clock: Pick<Clock, 'after'>, limits: IdleLimits): Conversations {
  /** Used last stands last. */
  let all: Conversation[] = [];

  const end = (one: Conversation): void => {
    one.stopTimer();
    if (one.state !== 'ended') one.cli.end();
    one.state = 'ended';
    all = all.filter((other) => other !== one);
  };
  const trim = (): void => {
    const calling = all.filter(({ state }) => state === 'calling');
    const idle = all.filter(({ state }) => state === 'idle' || state === 'settling');
    for (const one of calling.slice(0, -MOST_CALLING)) end(one);
    for (const one of idle.slice(0, Math.max(0, idle.length - limits.processes))) end(one);
  };
  /** Between two requests it has nothing to begin by itself: one that does is not where we believe it to be. */
  const heard = (one: Conversation, message: CliMessage): void => {
    if (message.type === 'exit') end(one);
    if (one.state === 'busy' || one.state === 'ended') return;
    if (message.type === 'result') {
      if (one.state !== 'settling' || message.is_error === true) end(one);
      else one.state = 'idle';
    }
    if (message.type === 'stream_event' && (message.event as CliMessage | null)?.type === 'message_start') end(one);
  };

  return {
    add(given) {
      const one: Conversation = { ...given, state: 'busy', seen: [], calls: [], stopTimer: () => {} };
      all.push(one);
      one.cli.watch((message) => heard(one, message));
      return one;
    },
    find: (fits) => all.findLast(fits) ?? null,
    take(one) {
      one.stopTimer();
      one.state = 'busy';
    },
    keep(one, as) {
      Object.assign(one, as);
      all = [...all.filter((other) => other !== one), one];
      one.stopTimer = clock.after(as.state === 'calling' ? KEPT_CALLING_MS : limits.minutes * 60_000, () => end(one));
      trim();
    },
    end,
  };
}
