import { complete } from './completion.ts';
import { EMPTY_LINE, lineOf } from './editor/editor.ts';
import { applyAction, draftContent, type EditorResult, pasteAtCaret } from './editor/editor-state.ts';
import { newerPrompt, olderPrompt } from './editor/prompt-history.ts';
import { openHistory } from './modals/history.ts';
import { isBlank, isRecalled, withRecalled, withText } from './prompt-state.ts';
import { scrollBy } from './regions/transcript-scroll.ts';
import type { Screen, SendMode } from './screen.ts';
import type { Context } from './screen-event.ts';
import { noted, type Step, stay, step } from './step.ts';
import { transcriptRows } from './transcript-rows.ts';

const SEND_MODES: readonly SendMode[] = ['steering', 'queue', 'interrupt'];

/** Commands that act on the prompt box. A name that is none of them does nothing. */
export function runPromptAction(screen: Screen, context: Context, name: string): Step {
  const { prompt } = screen;
  switch (name) {
    case 'newline':
    case 'undo':
    case 'redo':
    case 'select-all': {
      const result = applyAction(prompt.editor, name, context.textLayout(prompt.editor.buffer.text));
      return edited(screen, context, result);
    }
    case 'send-mode': {
      const now = screen.sendMode ?? screen.defaultSendMode;
      const next = SEND_MODES[(SEND_MODES.indexOf(now) + 1) % SEND_MODES.length]!;
      return stay({ ...screen, sendMode: next === screen.defaultSendMode ? null : next });
    }
    case 'editor':
      return step(screen, { kind: 'edit', text: draftContent(prompt.editor).text });
    case 'paste':
      return step(screen, { kind: 'read-clipboard' });
    case 'stash':
      return stash(screen, context);
    default:
      return stay(screen);
  }
}

/** Opens the folded paste at the caret for editing (UP-11); null where there is none. Undo folds it again. */
export function unfoldPaste(screen: Screen, context: Context): Step | null {
  const { editor } = screen.prompt;
  if (screen.focus !== 'prompt' || pasteAtCaret(editor.buffer) === null) return null;
  return edited(screen, context, applyAction(editor, 'unfold', context.textLayout(editor.buffer.text)));
}

/** What an edit made of the box: completions follow the text, a refused edit says why. */
export function edited(screen: Screen, context: Context, result: EditorResult): Step {
  if (result.effect?.kind === 'refused') return noted(screen, result.effect.refusal.message, 'warning');
  const { editor } = screen.prompt;
  // Edits make new texts: which one it is tells what reading both would.
  const textMoved = result.state.buffer.text !== editor.buffer.text;
  const prompt = {
    ...screen.prompt,
    editor: result.state,
    unsaved: screen.prompt.unsaved || result.state.buffer !== editor.buffer,
  };
  const next: Screen = { ...screen, prompt };
  if (textMoved) return complete({ ...next, ghostHidden: null }, context);
  // A caret that only moved leaves nothing to complete at its old place.
  return stay(result.state.buffer.caret === editor.buffer.caret ? next : { ...next, completion: null });
}

/** Takes everything that waits back into the box (QUE-16); the answer brings the lines. What would not fit is left waiting (KY-3). */
export function recall(screen: Screen, { view }: Context): Step {
  if (withRecalled(screen.prompt, view.queue.rows) === null)
    return noted(screen, 'Too long for the prompt together: it goes on waiting', 'warning');
  return step(screen, { kind: 'send', intent: { type: 'recall', inputs: 'all' } });
}

/** Up past the first row, Down past the last: what waits, then what was sent, then the transcript (QUE-17). */
export function beyondEdge(screen: Screen, context: Context, edge: 'up' | 'down'): Step {
  const { prompt } = screen;
  if (edge === 'up' && context.view.queue.rows.length > 0) return recall(screen, context);
  const walked =
    edge === 'up'
      ? olderPrompt(prompt.walk, prompt.sent, lineOf(prompt.editor.buffer))
      : newerPrompt(prompt.walk, prompt.sent);
  if (walked === null) {
    const scroll = scrollBy({ ...context, screen }, edge === 'up' ? -1 : 1, transcriptRows(context.layout));
    return stay({ ...screen, scroll });
  }
  const restored = withText(prompt, walked.line);
  if (restored === null) return stay(screen);
  return stay({ ...screen, prompt: { ...restored, walk: walked.walk }, completion: null, keyList: false });
}

/** One slot: with text it puts the line away, empty it brings it back; on a walked-back prompt it opens the search (STASH-1, STASH-2). */
function stash(screen: Screen, context: Context): Step {
  const { prompt } = screen;
  if (isBlank(prompt)) {
    if (prompt.stash === null) return stay(screen);
    const back = withText(prompt, { ...prompt.stash, caret: prompt.stash.text.length, anchor: null });
    return back === null ? stay(screen) : stay({ ...screen, prompt: { ...back, stash: null }, keyList: false });
  }
  if (isRecalled(prompt)) {
    const modal = openHistory(prompt, screen.workspace, context.textLayout, 'workspace');
    return stay({ ...screen, modals: [...screen.modals, modal], completion: null, keyList: false });
  }
  const empty = withText(prompt, EMPTY_LINE);
  return empty === null
    ? stay(screen)
    : stay({ ...screen, prompt: { ...empty, stash: lineOf(prompt.editor.buffer) }, completion: null });
}
