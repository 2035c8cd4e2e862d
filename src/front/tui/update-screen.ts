import { completionArrived } from './completion.ts';
import { takeDropped } from './dropped.ts';
import { draftContent } from './editor/editor-state.ts';
import { comingBack, makingRoom } from './given-back.ts';
import { noteDrawn } from './modals/ask-state.ts';
import { connectAnswered, providersArrived } from './modals/connect-provider-keys.ts';
import { usageArrived } from './modals/usage.ts';
import { withAnswer } from './open-card.ts';
import { withPanels } from './panels/update-panels.ts';
import { imageFrom, pasteInto } from './pasting.ts';
import { editedLine, isBlank, withText } from './prompt-state.ts';
import { runCommand } from './run-command.ts';
import { type Screen, withNote } from './screen.ts';
import type { Context, ScreenEvent } from './screen-event.ts';
import { answerIsSlow, intentAnswered } from './sending.ts';
import { noted, type Step, stay, step } from './step.ts';
import { choiceItems, outputArrived, outputFailed, statusOpened } from './update-answers.ts';
import { delegateAnswered, delegateArrived } from './update-delegates.ts';
import { jobPrinted, jobsResized, terminalStarted } from './update-jobs.ts';
import { heldLongEnough, turnedAway, updateKey } from './update-key.ts';
import { listArrived } from './update-list.ts';
import { modalPaste } from './update-modal.ts';
import { updateMouse } from './update-mouse.ts';
import { settingsNews } from './update-settings.ts';
import { viSettled, withEditing } from './update-vi.ts';
import { updateView } from './update-view.ts';

/** Everything that can happen to the screen, as one pure step: the next screen, and what is to be done. */
export function updateScreen(screen: Screen, context: Context, event: ScreenEvent): Step {
  const after = react(makingRoom(screen, event), context, event);
  return handingOn({ ...after, screen: viSettled(screen, comingBack(after.screen)) });
}

/** A command handed back to this window is over once what it opened is closed again: until then nothing starts (SC-4.9). */
function handingOn({ screen, effects }: Step): Step {
  const { handedBack, modals } = screen;
  if (handedBack === null || modals.length > handedBack.under) return { screen, effects };
  const done = { kind: 'send', intent: { type: 'command-done', ref: handedBack.ref } } as const;
  return { screen: { ...screen, handedBack: null }, effects: [...effects, done] };
}

function react(screen: Screen, context: Context, event: ScreenEvent): Step {
  switch (event.type) {
    case 'input':
      return updateInput(screen, context, event);
    case 'resize':
      return jobsResized({ ...screen, columns: event.columns, rows: event.rows, exit: null });
    case 'view':
      return updateView(screen, context, event);
    case 'page':
      return stay(screen);
    case 'drawn': {
      if (screen.ask === null || screen.ask.id !== event.ask.id) return stay(screen);
      const ask = noteDrawn(screen.ask, event.ask.from, event.ask.to, event.ask.total, context.now);
      return stay(ask === screen.ask ? screen : { ...screen, ask });
    }
    case 'held':
      return heldLongEnough(screen, context, event.ask);
    case 'answer-slow':
      return stay(answerIsSlow(screen, event.ref));
    case 'sent':
      return connectAnswered(screen, event) ?? delegateAnswered(screen, event) ?? answered(screen, context, event);
    case 'flash':
      return event.text.trimEnd().includes('\n')
        ? longAnswer(screen, context, event.text)
        : noted(screen, event.text.trimEnd(), event.level);
    case 'note':
      return noted(screen, event.text, event.level);
    case 'job-output':
      return stay(jobPrinted(screen, context, event));
    case 'delegate':
      return stay(delegateArrived(screen, event));
    case 'your-turn': {
      const ran = runCommand(screen, context, event.name, event.argument);
      return { ...ran, screen: { ...ran.screen, handedBack: { ref: event.ref, under: screen.modals.length } } };
    }
    case 'link':
      return event.link === 'ended'
        ? step({ ...screen, link: 'ended' }, { kind: 'leave', how: 'detach' })
        : stay({ ...screen, link: event.link });
    case 'paths':
    case 'arguments':
      return stay(completionArrived(screen, event));
    case 'trail':
      return stay(withPanels(screen, { trail: event.rows }));
    case 'session-files':
      return stay(withPanels(screen, { files: event.files }));
    case 'picker-items':
      return stay(choiceItems(screen, event.items));
    case 'list-rows':
      return stay(listArrived(screen, event.of, event.rows));
    case 'list-failed': {
      const modals = screen.modals.filter((modal) => modal.kind !== 'list' || modal.of !== event.of);
      return noted({ ...screen, modals }, event.message, 'error');
    }
    case 'output':
      return outputArrived(screen, context, event);
    case 'output-failed':
      return stay(outputFailed(screen, event));
    case 'usage':
      return stay(usageArrived(screen, event.report, context.now));
    case 'providers':
      return providersArrived(screen, event);
    case 'settings':
      return settingsNews(screen, event);
    case 'settings-failed':
      return noted({ ...screen, modals: screen.modals.filter(({ kind }) => kind !== 'settings') }, event.text, 'error');
    case 'status':
      return stay(statusOpened(screen, event.rows));
    case 'edited':
      return externallyEdited(screen, event);
    case 'clipboard':
      return fromClipboard(screen, context, event.found);
    case 'dropped':
      return takeDropped(screen, context, event);
    case 'picture-waits': {
      const chord = context.keymap.label('paste');
      const offers = chord !== null && screen.note === null && screen.modals.length === 0;
      return offers ? noted(screen, `The clipboard holds a picture: ${chord} takes it`) : stay(screen);
    }
    case 'update-ready':
      return noted(
        { ...screen, update: event.version },
        `Houston ${event.version} is out: /update installs it and comes back here`,
      );
    case 'editing':
      return stay(withEditing(screen, event.vi));
    case 'history':
      return stay({
        ...screen,
        workspace: event.workspace,
        prompt: { ...screen.prompt, sent: [...event.sent, ...screen.prompt.sent] },
      });
  }
}

function answered(screen: Screen, context: Context, event: Extract<ScreenEvent, { type: 'sent' }>): Step {
  const taken = intentAnswered(screen, event);
  const opened = terminalStarted(taken.screen, context, event);
  return opened === null ? taken : { ...opened, effects: [...taken.effects, ...opened.effects] };
}

function updateInput(screen: Screen, context: Context, event: Extract<ScreenEvent, { type: 'input' }>): Step {
  const { input, target } = event;
  switch (input.type) {
    case 'key':
      return updateKey(screen, context, input);
    case 'paste': {
      const calm: Screen = screen.exit === null ? screen : { ...screen, exit: null };
      if (screen.modals.length > 0) return modalPaste(calm, context, input.text);
      const before = calm.ask?.held != null ? turnedAway(calm, context).screen : calm;
      const pasted = pasteInto(before, context, input.text, input.joins === true);
      // A newline that would have sent, had it come by itself: the text stays, and the row below says why (BOX-4).
      const held = input.burst === true && input.text.endsWith('\n');
      return held
        ? { ...pasted, screen: withNote(pasted.screen, 'Kept as pasted text: Enter by itself sends it') }
        : pasted;
    }
    case 'mouse':
      return updateMouse(screen, context, input, target);
    case 'focus': {
      const back = input.on && !screen.focused;
      const seen: Screen = { ...screen, focused: input.on };
      return back && screen.prompt.shell === 'off' ? step(seen, { kind: 'look-clipboard' }) : stay(seen);
    }
    case 'reply':
      if (input.reply.kind === 'background')
        return stay({ ...screen, colors: { ...screen.colors, background: input.reply.color } });
      if (input.reply.kind === 'foreground')
        return stay({ ...screen, colors: { ...screen.colors, foreground: input.reply.color } });
      return stay(screen);
  }
}

/** An answer of several lines opens when nothing is being typed; else it waits behind the key that opens cards. */
function longAnswer(screen: Screen, context: Context, text: string): Step {
  const quiet = isBlank(screen.prompt) && screen.modals.length === 0 && screen.focus === 'prompt';
  if (quiet) return stay(withAnswer(screen, text));
  return noted({ ...screen, answer: text }, `An answer is here: ${context.keymap.label('open') ?? '/'} opens it`);
}

/** Text back from the person's editor replaces the line; nothing saved, or an editor that failed, leaves it as it was (EDITR-2). */
function externallyEdited(screen: Screen, event: Extract<ScreenEvent, { type: 'edited' }>): Step {
  const told = event.problem === null ? screen : withNote(screen, event.problem, 'error');
  // The editor was given folded pastes in full: saved as it was, they stay folded.
  if (event.text === null || event.text === draftContent(screen.prompt.editor).text) return stay(told);
  const prompt = withText(screen.prompt, editedLine(screen.prompt.editor.buffer, event.text));
  return prompt === null
    ? noted(screen, 'Too long for the prompt', 'warning')
    : stay({ ...told, prompt, completion: null, keyList: false });
}

function fromClipboard(
  screen: Screen,
  context: Context,
  found: Extract<ScreenEvent, { type: 'clipboard' }>['found'],
): Step {
  switch (found.kind) {
    case 'text':
      return pasteInto(screen, context, found.text, false);
    case 'image':
      return imageFrom(screen, found);
    case 'none':
      return noted(screen, found.why, isBlank(screen.prompt) ? 'info' : 'warning');
  }
}
