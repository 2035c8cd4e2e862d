import { editedDraft } from '../../protocol/draft-edit.ts';
import type { QueuePause } from '../../protocol/entry.ts';
import type { DraftEdit, Intent, Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import { SystemError } from '../../system/files.ts';
import { adjustEffort } from './adjust-effort.ts';
import { doWithAside } from './aside-intent.ts';
import { chooseModel } from './choose-model.ts';
import { failedText } from './error-log.ts';
import { draftSaid } from './find-draft.ts';
import type { SessionParts } from './parts.ts';
import { editQueue, resumeQueue, retry, takeOut } from './queue-intents.ts';
import { type Arriving, STOPPED, say } from './say.ts';
import { accepted, refused } from './sent.ts';
import { isTakenBack, runCommand } from './session-commands.ts';
import { setMode } from './set-mode.ts';
import { answerSignIn, connectProvider } from './sign-in.ts';
import { setThinking } from './thinking-command.ts';
import { navigate } from './tree-moves.ts';
import { withdraw } from './withdraw.ts';

/** The answer to whatever comes too late. */
export const ENDED = refused('session-closed', 'This session has ended.');

const DECISIONS = new Set<Intent['type']>(['recall', 'queue-discard', 'queue-edit', 'queue-resume']);

/** Whoever holds a session may hold a side conversation beside it; a session itself has none. */
const NO_SIDE = refused('no-side', 'A session that is not saved has no side conversation.');

export interface IntentHandler {
  /** Never rejects. `cancel` is carried out before this returns; everything else in the order its client sent it. */
  send(intent: Intent, client: ClientId): Promise<Sent>;
  /** What was sent before this failure and is not in line yet waits with what is, held for the same reason. */
  holdArriving(because: QueuePause): void;
  /** Settles once every intent sent so far was answered. */
  settled(): Promise<void>;
  /** Settles once every decision about what waits, sent so far, was answered. */
  decided(): Promise<void>;
}

export function createIntentHandler(parts: SessionParts): IntentHandler {
  const lines = new Map<ClientId, Promise<unknown>>();
  const arriving = new Set<Arriving>();
  const decisions = new Set<Promise<Sent>>();

  const cancel = (queue: 'pause' | 'go-on'): Sent => {
    const holds = queue === 'pause';
    // First the hold, then the stop: the queue must not move in between.
    if (holds) void parts.loop.pause(STOPPED);
    const inLoop = parts.loop.stop('stopped');
    // One press ends a turn and what is being enabled beside it (SC-12.8).
    if (inLoop && holds) parts.mcp.cancel();
    const stopped = inLoop || parts.standing.stopCheck() || parts.slow.stopAll() > 0;
    let free = !stopped;
    for (const one of arriving) {
      if (one.fate !== 'run') continue;
      if (free) one.fate = 'stillborn';
      else if (holds) one.fate = 'hold';
      free = false;
    }
    // A press that finds nothing else to stop ends the questions beside the conversation (SC-23.21).
    const nearer = stopped || arriving.size > 0;
    const ended = nearer ? 0 : parts.asides.stopAll();
    if (holds && !nearer && ended === 0) parts.standing.endNearest();
    if (ended > 0) parts.publisher.publish({ type: 'flash', client: null, level: 'info', text: endedText(ended) });
    return accepted();
  };

  const handle = async (
    intent: Exclude<Intent, { type: 'cancel' }>,
    client: ClientId,
    own: Arriving | null,
  ): Promise<Sent> => {
    try {
      return await handleIntent(parts, intent, client, own);
    } catch (error) {
      // What could not be written before the session ended was not done, and there is nothing left to note it in.
      if (parts.closing()) return ENDED;
      if (error instanceof SystemError)
        return refused('not-saved', `Not done, because it could not be saved: ${error.message}`);
      const command = intent.type === 'command';
      const name = command ? `/${intent.name}` : `Houston at "${intent.type}"`;
      const file = await parts.errors.record(
        command ? 'command' : 'intent',
        command ? intent.name : intent.type,
        error,
      );
      const text = failedText(name, error, file);
      await parts.recorder.write([{ kind: 'note', level: 'error', identifier: 'internal', text }], {
        onFailure: 'keep',
      });
      return refused('internal', text);
    } finally {
      if (own !== null) arriving.delete(own);
    }
  };

  return {
    send: (intent, client) => {
      const here = parts.publisher.attached(client);
      if (here.length > 0 && here.every((one) => one.readOnly))
        return Promise.resolve(refused('read-only', 'This screen may look only.'));
      if (intent.type === 'cancel') return Promise.resolve(cancel(intent.queue));
      const waits =
        intent.type === 'say' ||
        (intent.type === 'command' &&
          (intent.here === true || intent.delivery !== undefined || isTakenBack(intent.name)));
      const interrupts = intent.type === 'say' && intent.delivery === 'interrupt';
      const own: Arriving | null = waits ? { fate: 'run', interrupts } : null;
      if (own !== null) arriving.add(own);
      const before = lines.get(client) ?? Promise.resolve();
      const answer = before.then(() => handle(intent, client, own));
      lines.set(client, answer);
      if (DECISIONS.has(intent.type)) decisions.add(answer);
      void answer.then(() => {
        decisions.delete(answer);
        if (lines.get(client) === answer) lines.delete(client);
      });
      return answer;
    },
    holdArriving: (because) => {
      for (const one of arriving) {
        if (one.fate !== 'run' || one.interrupts === true) continue;
        one.fate = 'hold';
        one.because = because;
      }
    },
    settled: async () => {
      await Promise.all(lines.values());
    },
    decided: async () => {
      await Promise.all(decisions);
    },
  };
}

async function editDraft({ drafts }: SessionParts, edit: DraftEdit, client: ClientId): Promise<Sent> {
  const held = await drafts.get(client);
  const next = held === null ? null : editedDraft(held, edit);
  if (next === null) return refused('draft-out-of-step', 'Another draft is kept: send the whole.');
  drafts.set(client, next);
  return accepted();
}

function nameOf(unknown: never): string {
  return String((unknown as { type?: unknown }).type).slice(0, 40);
}

function endedText(count: number): string {
  return count === 1
    ? 'One question beside the conversation was stopped.'
    : `${count} questions beside the conversation were stopped.`;
}

/** One case a variant. */
async function handleIntent(
  parts: SessionParts,
  intent: Exclude<Intent, { type: 'cancel' }>,
  client: ClientId,
  own: Arriving | null,
): Promise<Sent> {
  switch (intent.type) {
    case 'say': {
      const sent = await say(parts, intent, client, own ?? { fate: 'run' });
      if (sent.accepted) await draftSaid(parts.drafts, client, intent);
      return sent;
    }
    case 'answer':
      switch (parts.asks.answer(intent.ask, intent.answer, client)) {
        case 'taken':
          return accepted();
        case 'closed':
          return refused('ask-closed', 'That question was answered or withdrawn already.');
        case 'elsewhere':
          return refused('ask-elsewhere', 'That question is for another window to answer.');
        case 'unfitting':
          return refused('answer-unfitting', 'That is not one of the answers to this question.');
      }
      break;
    case 'aside':
      return doWithAside(parts, intent, client);
    case 'stop-delegate':
      return parts.runtime()?.calls.delegates?.stop(intent.delegate) === true
        ? accepted()
        : refused('no-such-delegate', `No delegate ${intent.delegate} is running.`);
    case 'tell-delegate':
    case 'recall-delegate':
      return parts.delegates.act(intent, client);
    case 'command':
      return runCommand(parts, intent, client, own ?? { fate: 'run' });
    case 'draft':
      parts.drafts.set(client, intent.draft);
      return accepted();
    case 'draft-edit':
      return editDraft(parts, intent.edit, client);
    case 'set-mode':
      return setMode(parts, intent.mode);
    case 'set-model':
      return chooseModel(parts, intent, client);
    case 'adjust-effort':
      return adjustEffort(parts, intent.by > 0 ? 1 : -1, client);
    case 'cycle-agent':
      return parts.agents.cycle(client);
    case 'set-thinking':
      return setThinking(parts, intent.mode, client);
    case 'recall':
      return takeOut(parts, intent.inputs, 'recalled');
    case 'queue-discard':
      return takeOut(parts, intent.inputs, 'discarded');
    case 'queue-resume':
      return resumeQueue(parts);
    case 'queue-edit':
      return editQueue(parts, intent);
    case 'retry':
      return retry(parts, client);
    case 'side-open':
    case 'side-reset':
    case 'side':
      return NO_SIDE;
    case 'seen':
      parts.outcomes.seen(client, intent.refs);
      return accepted();
    case 'end':
      parts.end();
      return accepted();
    case 'command-done':
      return parts.handBacks.done(client, intent.ref)
        ? accepted()
        : refused('not-your-turn', 'No command of this client is waiting to be done.');
    case 'withdraw':
      return withdraw(parts, intent.ref, client);
    case 'sign-in':
      return answerSignIn(parts, intent);
    case 'connect-provider':
      return connectProvider(parts, intent);
    case 'job':
    case 'job-input':
    case 'job-size':
      return parts.desk.act(intent, client);
    case 'navigate':
      return navigate(parts, intent, client);
    case 'custom':
      return refused('unknown-name', `Nothing here answers to "${intent.name}".`);
    default:
      // Of a newer client, or of none at all.
      return refused('unknown-intent', `There is nothing a client may want here that is called "${nameOf(intent)}".`);
  }
}
