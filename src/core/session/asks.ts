import type { Ask, AskAnswer } from '../../protocol/ask.ts';
import type { ClientId } from '../../protocol/session.ts';
import type { Clock } from '../../system/clock.ts';
import type { Ids } from '../../system/environment.ts';
import type { AskPerson, AskWish, Recorder } from '../runtime/runtime.ts';
import type { Publisher } from './publish.ts';

export interface Asks {
  readonly ask: AskPerson;
  /**
   * `closed`: nobody waits for this answer any more; `elsewhere`: the question is for another client alone; `unfitting`:
   * it does not fit the question.
   */
  answer(ask: string, answer: AskAnswer, client: ClientId): 'taken' | 'closed' | 'elsewhere' | 'unfitting';
  /** Questions for one client end with it. */
  lost(client: ClientId): void;
}

interface Open {
  readonly ask: Ask;
  readonly settle: (answer: AskAnswer | null, by: string) => void;
}

/**
 * Questions to the person are state of the View. The first answer wins; whoever asked is told once it is on the disk. A
 * question ends without an answer when its asker stops, or when the one client it is for is gone.
 */
export function createAsks(parts: { publisher: Publisher; recorder: Recorder; clock: Clock; ids: Ids }): Asks {
  const open = new Map<string, Open>();

  const ask = async (wish: AskWish, signal: AbortSignal): Promise<AskAnswer | null> => {
    if (signal.aborted) return null;
    const question: Ask = { id: parts.ids.uuid(), time: parts.clock.now(), ...wish };
    const { promise, resolve } = Promise.withResolvers<{ answer: AskAnswer | null; by: string }>();
    const settle = (answer: AskAnswer | null, by: string): void => {
      if (!open.delete(question.id)) return;
      parts.publisher.publish({
        type: 'ask-closed',
        ask: question.id,
        by,
        answer: wish.unkept === true ? 'answered' : describeAnswer(answer),
      });
      resolve({ answer, by });
    };
    open.set(question.id, { ask: question, settle });
    const stop = (): void => settle(null, 'session');
    signal.addEventListener('abort', stop, { once: true });
    parts.publisher.publish({ type: 'ask', ask: question });
    const stood = parts.recorder.write([
      { kind: 'ask', ask: question.id, call: question.call, title: titleOf(question) },
    ]);
    const [{ answer, by }] = await Promise.all([promise, stood]);
    signal.removeEventListener('abort', stop);
    await parts.recorder.write(
      [{ kind: 'answer', ask: question.id, answer: wish.unkept === true ? null : answer, by }],
      KEEP,
    );
    return answer;
  };

  return {
    ask,
    answer: (id, answer, client) => {
      const found = open.get(id);
      if (found === undefined) return 'closed';
      if (found.ask.for !== null && found.ask.for !== client) return 'elsewhere';
      if (!fits(found.ask, answer)) return 'unfitting';
      found.settle(answer, client);
      return 'taken';
    },
    lost: (client) => {
      for (const { ask: question, settle } of [...open.values()]) if (question.for === client) settle(null, 'session');
    },
  };
}

/** The question stood and was answered, whatever the disk says. */
const KEEP = { onFailure: 'keep' } as const;

function fits(ask: Ask, answer: AskAnswer): boolean {
  if (ask.body.kind === 'questions')
    return answer.kind === 'answers' && answer.answers.length === ask.body.questions.length;
  return answer.kind === 'choice' && ask.body.choices.some((choice) => choice.name === answer.choice);
}

function titleOf(ask: Ask): string {
  if (ask.unkept === true) return 'Question';
  switch (ask.body.kind) {
    case 'permission':
      return ask.body.title;
    case 'questions':
      return ask.body.questions[0]?.question ?? 'Question';
    case 'trust':
      return `Trust ${ask.body.folder}`;
  }
}

/** What the other clients are told about an answer given elsewhere. */
function describeAnswer(answer: AskAnswer | null): string {
  if (answer === null) return 'withdrawn';
  return answer.kind === 'choice' ? answer.choice : answer.answers.map((list) => list.join(', ')).join('; ');
}
