import type { Json } from '../../base/json.ts';
import { type Aside, type AsideExchange, isAnswered, isRunningAside } from '../../protocol/aside.ts';
import type { Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import { messagesAt, settledLeaf } from '../journal/settled-leaf.ts';
import type { Message, Model } from '../models/model.ts';
import { askBeside } from '../runtime/beside-request.ts';
import { addText, contextOptions } from '../runtime/request.ts';
import { exchangeEntries } from './add-exchange.ts';
import { ASIDE, MOST_ASIDES } from './aside-record.ts';
import { EFFORTS } from './one-turn-target.ts';
import type { SessionParts, SideThreads } from './parts.ts';
import { accepted, refused } from './sent.ts';
import { type SideTarget, sideTargets } from './side-targets.ts';
import type { CommandEnd } from './turn-loop.ts';

const LIMIT_MS = 300_000;

export function createSideThreads(
  parts: () => SessionParts,
  earlier: readonly Aside[],
  mayKeepAnswers: () => boolean,
): SideThreads {
  let last = earlier.reduce((most, { id }) => Math.max(most, id), 0);
  const running = new Map<number, AbortController>();
  const work = new Set<Promise<void>>();

  const find = (id: number): Aside | null => parts().publisher.view.asides.find((one) => one.id === id) ?? null;
  const show = (aside: Aside): void => parts().publisher.publish({ type: 'aside', aside });
  const flash = (client: string | null, level: 'info' | 'warning', text: string): void =>
    parts().publisher.publish({ type: 'flash', client, level, text });

  const keep = async (aside: Aside): Promise<void> => {
    const exchanges = mayKeepAnswers() ? aside.exchanges : aside.exchanges.map(withoutAnswer);
    const data = { ...aside, exchanges } as unknown as Json;
    await parts().recorder.write([{ kind: 'record', name: ASIDE, data }], { onFailure: 'keep' });
  };

  const settle = async (
    id: number,
    change: Partial<AsideExchange>,
    more: Pick<Aside, 'unread' | 'teller'> = {},
  ): Promise<Aside | null> => {
    const aside = find(id);
    const exchange = aside?.exchanges.at(-1);
    if (aside === null || exchange === undefined) return null;
    const settled: Aside = {
      ...aside,
      ...more,
      exchanges: [...aside.exchanges.slice(0, -1), { ...exchange, ...change }],
    };
    show(settled);
    await keep(settled);
    return settled;
  };

  const run = async (id: number, model: Model, messages: Message[]): Promise<void> => {
    const { system, publisher } = parts();
    const runtime = parts().runtime();
    const aside = find(id);
    if (runtime === null || aside === null) return;
    const abort = new AbortController();
    running.set(id, abort);
    let late = false;
    const cancelLimit = system.clock.after(LIMIT_MS, () => {
      late = true;
      abort.abort('stopped');
    });
    try {
      const terms = { model, effort: aside.effort, signal: abort.signal };
      const reply = await askBeside(runtime, terms, messages, 'aside', 1, (text) =>
        publisher.publish({ type: 'aside-text', id, text }),
      );
      running.delete(id);
      const name = `#${id} ${aside.label}`;
      if (reply.outcome === 'done') {
        const news = { unread: true, teller: parts().latestWindow.of(aside.client) };
        await settle(id, { answer: reply.text, state: 'answered' }, news);
      } else if (reply.outcome === 'stopped' && !late) {
        await settle(id, { answer: reply.partial, state: 'stopped' });
        flash(aside.client, 'info', `${name}: stopped.`);
      } else {
        const message = reply.outcome === 'failed' ? reply.message : 'no answer within five minutes';
        await settle(id, { answer: reply.partial, state: 'failed', message });
        flash(aside.client, 'warning', `${name}: ${message}`);
      }
    } catch (error) {
      await settle(id, { state: 'failed', message: error instanceof Error ? error.message : String(error) });
    } finally {
      running.delete(id);
      cancelLimit();
    }
  };

  const begin = (id: number, model: Model, messages: Message[]): void => {
    const done: Promise<void> = run(id, model, messages).finally(() => work.delete(done));
    work.add(done);
  };

  /** The oldest settled one goes whole when there are too many (SC-23.10). */
  const makeRoom = (): void => {
    const { asides } = parts().publisher.view;
    const oldest = asides.length > MOST_ASIDES ? asides.find((one) => !isRunningAside(one)) : undefined;
    if (oldest !== undefined) parts().publisher.publish({ type: 'aside-gone', id: oldest.id });
  };

  const askNew = async (typed: string, client: ClientId): Promise<Sent> => {
    const aimed = await sideTargets(parts(), typed);
    if (!aimed.ok) return { accepted: false, refusal: aimed.refusal };
    const { question, targets } = aimed.value;
    const { journal, system } = parts();
    const runtime = parts().runtime()!;
    const base = await settledLeaf(journal);
    for (const { model, effort, label } of targets) {
      const messages = await messagesAt(runtime.journal, base, contextOptions(runtime, model));
      addText(messages, framed(question));
      const id = ++last;
      show({ id, client, model: model.ref, effort, label, base, exchanges: [asked(question, system.clock.now())] });
      makeRoom();
      begin(id, model, messages);
    }
    flash(client, 'info', startedText(targets));
    return accepted();
  };

  const askOn = async (id: number, typed: string, client: ClientId): Promise<Sent> => {
    const aside = find(id);
    if (aside === null) return refused('no-such-aside', `There is no question #${id}.`);
    if (isRunningAside(aside)) return refused('aside-running', `The answer to #${id} is still arriving.`);
    const until = aside.exchanges.findLastIndex(isAnswered);
    if (until < 0) return refused('no-answer', `#${id} has no answer to go on from.`);
    const prefix = /^[$+]/.test(typed.trim()) ? '' : `$${aside.model.provider}:${aside.model.model} `;
    const aimed = await sideTargets(parts(), `${prefix}${onlyEffort(typed, aside)}`);
    if (!aimed.ok) return { accepted: false, refusal: aimed.refusal };
    const [target, ...more] = aimed.value.targets;
    if (target === undefined || more.length > 0) return refused('too-many-models', 'One model at a time goes on.');
    const { question } = aimed.value;
    const runtime = parts().runtime()!;
    const effort = prefix === '' ? target.effort : aside.effort;
    const label = prefix === '' ? target.label : aside.label;
    const messages = await threadMessages(aside, until + 1, target.model);
    addText(messages, question);
    const exchange = asked(question, runtime.system.clock.now());
    show({ ...aside, client, model: target.model.ref, effort, label, exchanges: [...aside.exchanges, exchange] });
    begin(id, target.model, messages);
    return accepted();
  };

  /** What the conversation knew when it was asked, and the thread's first `count` exchanges. */
  const threadMessages = async (aside: Aside, count: number, model: Model): Promise<Message[]> => {
    const runtime = parts().runtime()!;
    const messages = await messagesAt(runtime.journal, aside.base, contextOptions(runtime, model));
    for (const [at, exchange] of aside.exchanges.slice(0, count).entries()) {
      if (!isAnswered(exchange)) continue;
      addText(messages, at === 0 ? framed(exchange.question) : exchange.question);
      messages.push({ role: 'assistant', parts: [{ type: 'text', text: exchange.answer }], from: aside.model });
    }
    return messages;
  };

  const mark = async (aside: Aside, state: 'merged' | 'summarized'): Promise<void> => {
    const at = aside.exchanges.findLastIndex(isAnswered);
    const exchanges = aside.exchanges.map((one, index) => (index === at ? { ...one, state } : one));
    show({ ...aside, exchanges });
    await keep({ ...aside, exchanges });
  };

  return {
    find,
    ask: async (argument, client) => {
      if (parts().runtime() === null) return refused('not-ready', 'The session is still starting.');
      const [, number, rest = ''] = /^#(\d{1,6})(?:\s+([\s\S]*))?$/.exec(argument.trim()) ?? [];
      return number === undefined ? askNew(argument, client) : askOn(Number(number), rest, client);
    },
    stop: (id) => {
      const found = running.get(id);
      found?.abort('stopped');
      return found !== undefined;
    },
    stopAll: () => {
      for (const abort of running.values()) abort.abort('stopped');
      return running.size;
    },
    read: async (id) => {
      const aside = find(id);
      if (aside?.unread !== true) return;
      show({ ...aside, unread: false });
      await keep({ ...aside, unread: false });
    },
    forget: (id) => {
      running.get(id)?.abort('stopped');
      parts().publisher.publish({ type: 'aside-gone', id });
    },
    merge: async (id) => {
      const aside = find(id);
      const answered = aside?.exchanges.filter(isAnswered) ?? [];
      if (aside === null || answered.length === 0) return refusedEnd('no-answer', `#${id} has no answer to bring in.`);
      const { journal, recorder, mover } = parts();
      const stood = journal.leaf;
      const entries = answered.flatMap(({ question, answer }) =>
        exchangeEntries(parts(), { asked: `[btw:] ${question}`, answered: answer, model: aside.model }),
      );
      await mark(aside, 'merged');
      const count = answered.length === 1 ? 'one question' : `${answered.length} questions`;
      if (aside.base === null || aside.base === stood) {
        await recorder.write(entries);
        return doneEnd('merged', `The conversation goes on from ${count} asked beside it.`);
      }
      await mover.move(stood!, [{ kind: 'position', leaf: aside.base }, ...entries]);
      return doneEnd('merged', `A branch was added with ${count}, where it was asked: /tree leads there.`);
    },
    summarize: async (id, focus, signal) => {
      const aside = find(id);
      const runtime = parts().runtime();
      const answered = aside?.exchanges.filter(isAnswered) ?? [];
      if (aside === null || answered.length === 0 || runtime === null)
        return refusedEnd('no-answer', `#${id} has no answer to bring in.`);
      const { models, journal, mover, recorder } = parts();
      const opened = await models.open(aside.model);
      if (!opened.ok) return refusedEnd(opened.refusal.identifier, opened.refusal.message);
      const model = opened.value;
      const messages = await threadMessages(aside, aside.exchanges.length, model);
      const wish = focus.trim() === '' ? '' : ` Look after this above all: ${focus.trim()}.`;
      addText(
        messages,
        `[Houston: write down in at most 300 words what these questions beside the conversation came to, for whoever works on in it.${wish} Call no tool and write only that.]`,
      );
      const reply = await askBeside(runtime, { model, effort: aside.effort, signal }, messages, 'aside', 3);
      if (reply.outcome === 'stopped') return { state: 'stopped', messages: [] };
      if (reply.outcome === 'failed') {
        const text = `The summary failed: ${reply.message}. The conversation is as it was.`;
        return { state: 'failed', messages: [{ level: 'error', identifier: 'not-summarised', text }] };
      }
      const questions = answered.map(({ question }) => `- ${question}`).join('\n');
      const asked = `[btw:] What came of what I asked beside the conversation:\n${questions}${wish === '' ? '' : `\n${wish.trim()}`}`;
      const entries = exchangeEntries(parts(), { asked, answered: reply.text, model: model.ref });
      await mark(aside, 'summarized');
      const stood = journal.leaf;
      if (aside.base === null || aside.base === stood) await recorder.write(entries);
      else await mover.move(stood!, [{ kind: 'position', leaf: aside.base }, ...entries]);
      const where =
        aside.base === null || aside.base === stood ? 'to the conversation' : 'as a branch: /tree leads there';
      return doneEnd('summarized', `The summary was added ${where}.`);
    },
    close: async () => {
      for (const abort of running.values()) abort.abort('closing');
      await Promise.all(work);
    },
  };
}

function asked(question: string, time: number): AsideExchange {
  return { question, answer: '', state: 'running', message: null, asked: time };
}

function withoutAnswer(exchange: AsideExchange): AsideExchange {
  return isAnswered(exchange) ? { ...exchange, answer: '', state: 'kept-question' } : { ...exchange, answer: '' };
}

function framed(question: string): string {
  return `[Houston: the person asks this beside the conversation. The work goes on without it. Answer from what is known here, briefly; call no tool.]\n\n${question}`;
}

/** A level alone stays on the thread's own model (SC-23.19). */
function onlyEffort(typed: string, { model }: Aside): string {
  return typed
    .trim()
    .replace(/^\$?\+([a-z]+)(?=\s)/, (word, level: string) =>
      EFFORTS.some((one) => one === level) ? `$${model.provider}:${model.model}+${level}` : word,
    );
}

function startedText(targets: readonly SideTarget[]): string {
  const others = [...new Set(targets.filter((one) => one.elsewhere).map((one) => one.label))];
  const cost =
    others.length === 0
      ? ''
      : ` ${others.join(', ')} ${others.length === 1 ? 'pays' : 'pay'} for the whole conversation.`;
  return `Asked beside the conversation, which goes on without it. /btw shows the answer.${cost}`;
}

function doneEnd(identifier: string, text: string): CommandEnd {
  return { state: 'done', messages: [{ level: 'info', identifier, text }] };
}

function refusedEnd(identifier: string, text: string): CommandEnd {
  return { state: 'refused', messages: [{ level: 'warning', identifier, text }] };
}
