import type { Draft } from '../../protocol/intent.ts';
import type { InputOutcome, View } from '../../protocol/view.ts';
import { inWords } from './editor/atoms.ts';
import { lineOfDraft } from './editor/draft.ts';
import { withGivenBack, withLineBack } from './given-back.ts';
import { currentAsk, mayListen, openAsk, QUIET } from './modals/ask-state.ts';
import { followSignIn } from './modals/connect-provider-keys.ts';
import { followPanels, withPanels } from './panels/update-panels.ts';
import { isBlank, withText } from './prompt-state.ts';
import { readShown } from './read-thread.ts';
import { type Screen, withNote } from './screen.ts';
import type { Context, ScreenEffect, ScreenEvent } from './screen-event.ts';
import { type Step, stay, step } from './step.ts';
import { followDelegates } from './update-delegates.ts';
import { followJobs } from './update-jobs.ts';
import { followAsides } from './update-list.ts';

/** The View moved: what this terminal makes of it. */
export function updateView(before: Screen, context: Context, event: Extract<ScreenEvent, { type: 'view' }>): Step {
  const { view, now } = context;
  let screen: Screen =
    before.attached && before.link === 'there' ? before : { ...before, attached: true, link: 'there' };
  // A snapshot of a session that was loaded; a window that only lost its way to it saw it live.
  if (event.draft !== undefined && !before.attached) screen = withPanels(screen, { liveFrom: view.transcript.total });
  if (event.draft !== undefined && event.draft !== null)
    screen = before.attached ? keepingOwn(screen, event.draft) : withDraft(screen, event.draft);
  if (event.dirty.has('asks') || event.dirty.has('all')) screen = followAsks(screen, context, now);
  const effects: ScreenEffect[] = [];
  if (event.dirty.has('asides') || event.dirty.has('all')) {
    const shown = readShown(screen, followAsides(screen, context), context);
    screen = shown.screen;
    effects.push(...shown.effects);
  }
  if (event.dirty.has('delegates')) effects.push(...followDelegates(screen, context));
  if (event.dirty.has('jobs') || event.dirty.has('delegates') || event.dirty.has('all'))
    screen = followJobs(screen, context);
  if (event.dirty.has('outcomes') || event.dirty.has('all')) {
    const own = view.outcomes.filter((outcome) => outcome.client === screen.client && OVER.has(outcome.state));
    for (const outcome of own) {
      // A prompt that was stopped leaves the history, the running one alone (STOP-7, HIST-8).
      const line = screen.said.get(outcome.ref);
      if (line !== undefined && outcome.state === 'stopped') effects.push({ kind: 'forget', text: inWords(line) });
      const noted = noteOutcome(screen, context, outcome);
      screen = noted.screen;
      effects.push(...noted.effects);
    }
    screen = followSignIn(screen, context);
    for (const { ref, recalled } of own) {
      if (recalled === undefined || before.seen.has(ref)) continue;
      const prompt = withGivenBack(screen.prompt, recalled);
      if (prompt !== null) screen = { ...screen, prompt, keyList: false, completion: null };
    }
    const news = own.filter((outcome) => !before.seen.has(outcome.ref)).flatMap((outcome) => outcome.messages);
    const last = news.findLast(
      (message) =>
        !IN_THE_BOX.has(message.identifier) &&
        message.identifier !== 'discarded' &&
        !isShown(screen, view, message.text),
    );
    if (last !== undefined) screen = withNote(screen, last.text, last.level);
    const refs = own.map((outcome) => outcome.ref).filter((ref) => !before.seen.has(ref));
    if (refs.length > 0) {
      screen = { ...screen, seen: new Set(own.map((outcome) => outcome.ref)) };
      effects.push({ kind: 'send', intent: { type: 'seen', refs } });
    }
  }
  if (screen.panels.stack.open.length > 0) {
    const followed = followPanels(screen, context);
    screen = followed.screen;
    effects.push(...followed.effects);
  }
  return { screen, effects };
}

/** Messages whose text is back in the box. */
const IN_THE_BOX = new Set(['recalled', 'offered-back']);
const OVER = new Set<InputOutcome['state']>(['done', 'failed', 'stopped', 'dropped', 'refused']);

/** Whether the end of the turn, or the note a command left, says the same where the person looks: then it is not said twice. */
function isShown(screen: Screen, { transcript }: View, text: string): boolean {
  const last = transcript.items.at(-1);
  const said =
    last?.kind === 'turn-end' ? (last.failure?.message ?? last.message) : last?.kind === 'note' ? last.text : null;
  return said === text && screen.scroll.follow && screen.modals.length === 0;
}

/** A host that came anew may hold what was sent or deleted here since: what is in this box counts, and is told again. */
function keepingOwn(screen: Screen, draft: Draft): Screen {
  return draft.text === '' ? screen : { ...screen, prompt: { ...screen.prompt, unsaved: true } };
}

/** The session's copy of the half-written line comes back, unless something was typed here meanwhile. */
function withDraft(screen: Screen, draft: Draft): Screen {
  if (!isBlank(screen.prompt) || draft.text === '') return screen;
  const prompt = withText(screen.prompt, lineOfDraft(draft));
  return prompt === null
    ? screen
    : { ...screen, keyList: false, prompt: { ...prompt, shell: draft.shell ? 'armed' : 'off', unsaved: false } };
}

/** Which question stands, and whether it may listen at once: only when nothing is being typed (UP-15). */
function followAsks(screen: Screen, context: Context, now: number): Screen {
  const ask = currentAsk(context.view, screen.client);
  if (ask === null)
    return screen.ask === null
      ? screen
      : { ...screen, ask: null, focus: screen.focus === 'question' ? 'prompt' : screen.focus };
  if (screen.ask?.id === ask.id) return screen;
  const quiet =
    isBlank(screen.prompt) && now - screen.typedAt >= QUIET && screen.modals.length === 0 && screen.focus === 'prompt';
  // The next of several questions keeps the focus its person gave, and has its own grace.
  const answering = screen.focus === 'question' && screen.ask !== null;
  const focus =
    mayListen(ask) && (quiet || answering) ? 'question' : screen.focus === 'question' ? 'prompt' : screen.focus;
  return { ...screen, ask: openAsk(ask), focus, keyList: false };
}

/** A prompt that was stopped before anything came of it goes back into the box; its line leaves the history (STOP-6, STOP-7). */
function noteOutcome(screen: Screen, context: Context, outcome: InputOutcome): Step {
  const line = screen.said.get(outcome.ref);
  if (line === undefined) return stay(screen);
  const said = new Map(screen.said);
  said.delete(outcome.ref);
  const without: Screen = { ...screen, said };
  if (outcome.state !== 'stopped') return stay(without);
  const { prompt } = without;
  const at = prompt.sent.lastIndexOf(line);
  const forgotten = { ...prompt, sent: at < 0 ? prompt.sent : prompt.sent.filter((_, index) => index !== at) };
  const items = context.view.transcript.items.slice(-2);
  const nothingFollowed = items[0]?.kind === 'user' && items[1]?.kind === 'turn-end';
  if (!nothingFollowed || context.view.queue.rows.length > 0 || !isBlank(prompt))
    return stay({ ...without, prompt: forgotten });
  const back = withLineBack(forgotten, { ...line, caret: line.text.length, anchor: null });
  if (back === null) return stay({ ...without, prompt: forgotten });
  const intent = { type: 'withdraw', ref: outcome.ref } as const;
  return step({ ...without, keyList: false, prompt: back }, { kind: 'send', intent });
}
