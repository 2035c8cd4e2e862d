import { sha256 } from '../../base/sha256.ts';
import type { AskBody, AskChoice, AskRow } from '../../protocol/ask.ts';
import { TRUSTED_PUBLIC, UNTRUSTED_PUBLIC } from '../../protocol/label.ts';
import type { LiveTrust, TrustBy, TrustDecision } from '../policy/live-trust.ts';
import { makeVisible } from '../policy/visible-text.ts';
import type { AskPerson } from '../runtime/runtime.ts';
import type { TrustMemory } from './trust-memory.ts';

/** How a session comes to trust the folders it is opened on (TRUST-1). */
export interface TrustStart {
  /** The workspace, then whatever was opened with it: absolute, links resolved. */
  readonly folders: readonly string[];
  /** What the project would start and what its settings ask for, one line each: part of the question. */
  readonly requests: readonly string[];
  /** Null where an answer may not be remembered (TRUST-3). */
  readonly memory: TrustMemory | null;
}

export type TrustOutcome = 'trusted' | 'declined' | 'leave';

interface TrustParts {
  readonly start: TrustStart;
  readonly trust: LiveTrust;
  /** What the journal of this session says about the workspace, if anything. */
  readonly earlier: TrustDecision | null;
  readonly ask: AskPerson;
  readonly canAsk: boolean;
  readonly signal: AbortSignal;
}

/**
 * Settles once, before the first turn, whether the workspace is trusted: by this session's own earlier answer, by a
 * remembered one, else by the person. Both earlier kinds are void when what the project asks for has changed since. Where
 * nobody can be asked, starting there is the person's word for the files, unless they said no before.
 */
export async function settleTrust(parts: TrustParts): Promise<TrustOutcome> {
  const { start, earlier, canAsk, ask, signal } = parts;
  const [workspace = ''] = start.folders;
  const requests = digestOf(start.requests);
  const settle = async (trusted: boolean, by: TrustBy): Promise<TrustOutcome> => {
    for (const path of start.folders) await parts.trust.set({ path, trusted, by, requests });
    return trusted ? 'trusted' : 'declined';
  };
  // What only being started there stood for is no answer of a person.
  const answered = earlier !== null && (earlier.by !== 'start' || !canAsk) ? earlier : null;
  if (answered !== null && (answered.requests === requests || !canAsk))
    return answered.trusted ? 'trusted' : 'declined';

  const remembered = (await start.memory?.recall()) ?? null;
  if (remembered !== null && (remembered.requests === requests || !remembered.trusted || !canAsk))
    return settle(remembered.trusted, 'remembered');
  if (!canAsk) return settle(true, 'start');

  const body = questionBody(start, workspace, remembered !== null || answered !== null);
  const answer = await ask({ for: null, origin: '', call: null, body }, signal);
  if (answer?.kind !== 'choice') return 'leave';
  switch (answer.choice) {
    case 'trust':
      return settle(true, 'person');
    case 'remember':
      await start.memory?.remember({ trusted: true, requests });
      return settle(true, 'person');
    case 'distrust':
      await start.memory?.remember({ trusted: false, requests });
      return settle(false, 'person');
    case 'leave':
      return 'leave';
    default:
      return settle(false, 'person');
  }
}

/** The same for the same requests in the same order. */
export function digestOf(requests: readonly string[]): string {
  return sha256(JSON.stringify(requests)).slice(0, 32);
}

function questionBody({ folders, requests, memory }: TrustStart, folder: string, changed: boolean): AskBody {
  const rows: AskRow[] = [
    ...folders.map((path) => row('path', path)),
    row('reason', 'Yes: the model reads what is here as text, and the instructions of this project count.'),
    row('reason', 'No: everything here is kept aside from the model, and nothing of this project counts or starts.'),
  ];
  if (changed) rows.push(row('warning', 'You were asked before; what the project asks for has changed since.'));
  if (requests.length > 0) {
    rows.push(row('warning', `This project asks for ${requests.length === 1 ? 'this' : `these ${requests.length}`}:`));
    for (const text of requests)
      rows.push({ role: 'content', shown: { text: makeVisible(text).text, label: UNTRUSTED_PUBLIC } });
  }
  const choices: AskChoice[] = [{ key: 'y', name: 'trust', label: 'Yes, this session', approves: true }];
  const keeps = memory?.writes === true;
  if (keeps) choices.push({ key: 'r', name: 'remember', label: 'Yes, remembered', approves: true });
  choices.push({ key: 'n', name: 'no', label: 'No', approves: false });
  if (keeps) choices.push({ key: 'd', name: 'distrust', label: 'No, remembered', approves: false });
  choices.push({ key: 'l', name: 'leave', label: 'Leave', approves: false });
  return { kind: 'trust', folder, rows, choices };
}

function row(role: AskRow['role'], text: string): AskRow {
  return { role, shown: { text: makeVisible(text).text, label: TRUSTED_PUBLIC } };
}
