import type { Intent } from '../../protocol/intent.ts';
import { findCommand } from '../commands/command-table.ts';
import { factsOf } from '../commands/facts.ts';
import { parseSlash, slashCommands } from '../commands/slash.ts';
import { inWords } from './editor/atoms.ts';
import { type Line, lineOf } from './editor/editor.ts';
import { draftContent } from './editor/editor-state.ts';
import { withGivenBack } from './given-back.ts';
import { emptied, isBlank, plainLine, remembered, type SentPrompt, withRecalled, withText } from './prompt-state.ts';
import { FOLLOW } from './regions/transcript-scroll.ts';
import { runCommand } from './run-command.ts';
import { type Screen, type SendMode, withNote } from './screen.ts';
import type { Context, ScreenEffect, ScreenEvent } from './screen-event.ts';
import { noted, type Step, stay, step } from './step.ts';

/** Enter: sends the box as what it is: a shell line, a command, or a prompt. An empty box does nothing (BOX-2). */
export function sendPrompt(screen: Screen, context: Context, mode: SendMode | 'together' | null): Step {
  const { prompt } = screen;
  const { now } = context;
  const { text, attachments } = draftContent(prompt.editor);
  if (text.trim() === '' && attachments.length === 0) return stay(screen);
  if (prompt.shell !== 'off') {
    const shared = prompt.shell === 'armed';
    return say(screen, now, { delivery: 'shell', text, attachments: [], ...(shared ? {} : { private: true }) });
  }
  const parsed = parseSlash(text, slashCommands(context.view.head.commands));
  switch (parsed.kind) {
    case 'usage':
      return noted(screen, `/${parsed.command.name} needs ${parsed.command.argument}`, 'warning');
    case 'command': {
      const sent: Screen = {
        ...screen,
        prompt: {
          ...emptied(prompt),
          sent: remembered(prompt.sent, sentNow(screen, lineOf(prompt.editor.buffer), now)),
        },
        completion: null,
      };
      const line = lineOf(prompt.editor.buffer);
      const ref = `${screen.refPrefix}${screen.nextRef}`;
      const counted: Screen = { ...sent, nextRef: sent.nextRef + 1, unanswered: sent.unanswered + 1 };
      const { name } = parsed.command;
      const waits = findCommand(name)?.waits?.(factsOf(context.view, false), parsed.argument) === true;
      if (parsed.command.runs === 'front' && waits) {
        // The session runs what it knows itself; the rest it hands back when its turn has come.
        const known = parsed.argument !== '' && context.view.head.commands.some((one) => one.name === name);
        const here = known ? {} : { here: true };
        const intent: Intent = { type: 'command', ref, name, argument: parsed.argument, ...here };
        return step(counted, { kind: 'send', intent, line, remember: text });
      }
      if (parsed.command.runs === 'front') {
        const ran = runCommand(sent, context, parsed.command.name, parsed.argument);
        return { screen: ran.screen, effects: [{ kind: 'remember', text }, ...ran.effects] };
      }
      // A prompt in other words: it goes where a prompt would.
      const wanted = mode === 'together' ? 'interrupt' : (mode ?? screen.sendMode ?? screen.defaultSendMode);
      const delivery = parsed.command.says === true ? { delivery: wanted } : {};
      const intent: Intent = { type: 'command', ref, name, argument: parsed.argument, ...delivery };
      return step(parsed.command.says === true ? { ...counted, sendMode: null } : counted, {
        kind: 'send',
        intent,
        line,
        remember: text,
      });
    }
    case 'prompt':
      if (mode === 'together') return say(screen, now, { delivery: 'interrupt', text, attachments, together: true });
      return say(screen, now, { delivery: mode ?? screen.sendMode ?? screen.defaultSendMode, text, attachments });
  }
}

type Said = Pick<Extract<Intent, { type: 'say' }>, 'text' | 'attachments' | 'delivery' | 'private' | 'together'>;

function say(screen: Screen, now: number, said: Said): Step {
  const { prompt } = screen;
  const line = lineOf(prompt.editor.buffer);
  const ref = `${screen.refPrefix}${screen.nextRef}`;
  const isPrivate = said.private === true;
  const kept = sentNow(screen, said.delivery === 'shell' ? plainLine(`!${line.text}`) : line, now);
  const next: Screen = {
    ...screen,
    prompt: { ...emptied(prompt), sent: isPrivate ? prompt.sent : remembered(prompt.sent, kept) },
    completion: null,
    keyList: false,
    sendMode: null,
    scroll: FOLLOW,
    nextRef: screen.nextRef + 1,
    unanswered: screen.unanswered + 1,
    said: said.delivery === 'shell' ? screen.said : new Map(screen.said).set(ref, kept),
    onTheWay: isPrivate ? screen.onTheWay : new Map(screen.onTheWay).set(ref, { text: kept.text, slow: false }),
  };
  const intent: Intent = { type: 'say', ref, ...said };
  // The private form leaves no trace, in the history neither (DSH-3).
  if (isPrivate) return step(next, { kind: 'send', intent, line });
  const remember = said.delivery === 'shell' ? `!${said.text}` : inWords(line);
  return step(next, { kind: 'send', intent, line, remember }, { kind: 'await-answer', ref });
}

/** It takes its time: whoever said it sees where it is. */
export function answerIsSlow(screen: Screen, ref: string): Screen {
  const waiting = screen.onTheWay.get(ref);
  if (waiting === undefined) return screen;
  return { ...screen, onTheWay: new Map(screen.onTheWay).set(ref, { ...waiting, slow: true }) };
}

function withoutWaiting(screen: Screen, intent: Intent): Screen {
  if (intent.type !== 'say' || !screen.onTheWay.has(intent.ref)) return screen;
  const onTheWay = new Map(screen.onTheWay);
  onTheWay.delete(intent.ref);
  return { ...screen, onTheWay };
}

function sentNow(screen: Screen, line: Line, now: number): SentPrompt {
  return { ...line, time: now, workspace: screen.workspace };
}

/**
 * What became of an intent. A refused prompt comes back whole, markers and all (PE-10); a recall brings its lines. A refused
 * command leaves the box as every command does: its reason is said, and Up brings it, whole, for another try.
 */
export function intentAnswered(before: Screen, event: Extract<ScreenEvent, { type: 'sent' }>): Step {
  const { intent, sent, line, remember } = event;
  const screen = withoutWaiting(before, intent);
  const leaves = sent.accepted || intent.type === 'command';
  const keep: ScreenEffect[] = remember === null || !leaves ? [] : [{ kind: 'remember', text: remember }];
  const counts = intent.type === 'say' || intent.type === 'command';
  const counted: Screen = counts ? { ...screen, unanswered: Math.max(0, screen.unanswered - 1) } : screen;
  if (sent.accepted) {
    if (sent.value?.kind === 'discarded' && intent.type === 'queue-discard' && intent.inputs === 'all')
      return noted(counted, sent.value.count === 0 ? 'Nothing is waiting any more' : `${sent.value.count} discarded`);
    if (sent.value?.kind !== 'recalled') return step(counted, ...keep);
    if (sent.value.drafts.length === 0) return noted(counted, 'Nothing is waiting any more');
    const back = intent.type === 'navigate' ? withGivenBack : withRecalled;
    const prompt = back(counted.prompt, sent.value.drafts);
    return prompt === null
      ? noted(counted, 'Too long for the prompt together')
      : stay({ ...counted, prompt, keyList: false, completion: null });
  }
  // Something followed after all: the prompt stays where it is, marked stopped. Or another window ended the command.
  if (intent.type === 'withdraw' || intent.type === 'command-done') return stay(counted);
  const told = withNote(counted, sent.refusal.message, 'error');
  if (line === null || intent.type === 'command') return step(told, ...keep);
  const { prompt } = told;
  const shell =
    intent.type === 'say' && intent.delivery === 'shell' ? (intent.private ? 'private' : 'armed') : prompt.shell;
  const empty = isBlank(prompt);
  const restored = empty ? withText(prompt, line) : withText(prompt, joinAbove(line, lineOf(prompt.editor.buffer)));
  const said = new Map(told.said);
  if (intent.type === 'say') said.delete(intent.ref);
  return stay({ ...told, said, prompt: restored === null ? prompt : { ...restored, ...(empty ? { shell } : {}) } });
}

function joinAbove(line: Line, draft: Line): Line {
  const shift = line.text.length + 1;
  return {
    text: `${line.text}\n${draft.text}`,
    caret: draft.caret + shift,
    anchor: null,
    atoms: [...line.atoms, ...draft.atoms.map((atom) => ({ ...atom, from: atom.from + shift, to: atom.to + shift }))],
  };
}
