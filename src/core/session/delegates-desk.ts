import { done, type Outcome, refuse } from '../../base/refusal.ts';
import {
  ACTS_KEPT,
  DELEGATES_KEPT,
  type DelegateAct,
  type DelegateRow,
  type DelegateWord,
  isAtWork,
  isLost,
} from '../../protocol/delegate.ts';
import type { Intent, Sent } from '../../protocol/intent.ts';
import type { AnswerTo } from '../../protocol/query.ts';
import type { ClientId } from '../../protocol/session.ts';
import type { Clock } from '../../system/clock.ts';
import type { DelegateEar, DelegateWatch } from '../runtime/delegate-watch.ts';
import type { Publisher } from './publish.ts';
import { accepted, refused } from './sent.ts';

/** What people see of the delegates of this session, and how they speak to one. Nothing of it is written down (VIEW-13). */
export interface DelegatesDesk extends DelegateWatch {
  act(intent: Extract<Intent, { type: 'tell-delegate' | 'recall-delegate' }>, client: ClientId): Promise<Sent>;
  read(name: string): Outcome<AnswerTo<'delegate'>>;
  /** One that did not come to its end holds words nobody read: what waits must not begin before they are taken back (SA-14). */
  readonly holdsWords: boolean;
}

export interface DelegatesDeskParts {
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly redact: (text: string) => string;
  /** Words that held the next turn back are gone. */
  readonly onFree: () => void;
}

/** Said to one delegate and not read yet, in UTF-16 units. */
const MOST_UNREAD = 256 * 1024;

type Told = Omit<DelegateRow, 'acts' | 'count'>;

interface Known {
  row: Told;
  readonly ear: DelegateEar;
  readonly acts: DelegateAct[];
  total: number;
}

export function createDelegatesDesk({ publisher, clock, redact, onFree }: DelegatesDeskParts): DelegatesDesk {
  let known: Known[] = [];

  const find = (name: string): Known | undefined => known.findLast(({ row }) => row.name === name);
  const tell = (one: Known, change: Partial<Told>): void => {
    one.row = { ...one.row, ...change };
    publisher.publish({ type: 'delegate', delegate: one.row });
  };
  const holding = (): boolean => known.some(({ row }) => isLost(row));

  const say = async (one: Known, word: DelegateWord): Promise<Sent> => {
    if (one.row.unread.some(({ client, ref }) => client === word.client && ref === word.ref)) return accepted();
    if (!isAtWork(one.row)) return refused('delegate-ended', `${one.row.name} has ended: nobody reads it any more.`);
    const before = one.row.unread.reduce((sum, { text }) => sum + text.length, 0);
    if (before + word.text.length > MOST_UNREAD)
      return refused('delegate-full', `${one.row.name} has more to read than it may be told at once.`);
    tell(one, { unread: [...one.row.unread, word] });
    try {
      await one.ear.tell(word);
      return accepted();
    } catch (error) {
      tell(one, { unread: one.row.unread.filter((other) => other !== word) });
      throw error;
    }
  };

  return {
    begin: (delegate, ear) => {
      const row: Told = {
        ...delegate,
        task: redact(delegate.task),
        state: 'running',
        started: clock.now(),
        ended: null,
        ending: '',
        unread: [],
      };
      const one: Known = { row, ear, acts: [], total: 0 };
      // The oldest goes, but never words that nobody read.
      const gone = known.length < DELEGATES_KEPT ? -1 : known.findIndex(({ row }) => !isAtWork(row) && !isLost(row));
      known = [...known.filter((_, at) => at !== gone), one];
      publisher.publish({ type: 'delegate', delegate: row });
      return {
        act: (act) => {
          const clean = { ...act, text: redact(act.text) };
          one.total++;
          one.acts.push(clean);
          if (one.acts.length > ACTS_KEPT) one.acts.shift();
          publisher.publish({ type: 'delegate-act', name: row.name, act: clean });
        },
        read: ({ client, ref }) =>
          tell(one, { unread: one.row.unread.filter((word) => word.client !== client || word.ref !== ref) }),
        end: (state, ending) => {
          // What has failed for good is not begun again by anything that is told late (SA-6).
          if (isAtWork(one.row)) tell(one, { state, ending: redact(ending), ended: clock.now() });
        },
      };
    },
    act: async (intent, client) => {
      const one = find(intent.delegate);
      if (one === undefined) return refused('no-such-delegate', `There is no delegate ${intent.delegate}.`);
      if (intent.type === 'tell-delegate') return say(one, { client, ref: intent.ref, text: intent.text });
      if (one.row.unread.length === 0) return refused('nothing-unread', `${one.row.name} has read all it was told.`);
      const held = isLost(one.row);
      const back = await one.ear.recall();
      const isBack = (word: DelegateWord): boolean =>
        back.some(({ client, ref }) => client === word.client && ref === word.ref);
      const words = one.row.unread.filter(isBack);
      if (words.length === 0) return refused('being-read', `${one.row.name} is reading it right now.`);
      tell(one, { unread: one.row.unread.filter((word) => !isBack(word)) });
      if (held && !holding()) onFree();
      const drafts = words.map(({ text }) => ({ text, attachments: [] }));
      return intent.discard === true
        ? accepted({ kind: 'discarded', count: words.length })
        : accepted({ kind: 'recalled', drafts });
    },
    read: (name) => {
      const one = find(name);
      if (one === undefined) return refuse('no-such-delegate', `There is no delegate ${name}.`);
      return done({ total: one.total, acts: [...one.acts] });
    },
    get holdsWords() {
      return holding();
    },
  };
}
