import { EMPTY_LINE, type Line, lineOf } from './editor/editor.ts';
import { isBlank, NO_PROMPT, type PromptState, withRecalled, withText } from './prompt-state.ts';
import type { Screen } from './screen.ts';
import type { ScreenEvent } from './screen-event.ts';

type Drafts = Parameters<typeof withRecalled>[1];

/** The box with this line given back; null when it would be too long. */
export function withLineBack(prompt: PromptState, line: Line): PromptState | null {
  const back = withText(prompt, line);
  return back === null ? null : { ...back, givenBack: { line, over: false } };
}

/**
 * What a command gave back: above a draft, in place of a prompt that was given back before and stands unchanged. Nothing,
 * where that has gone into the conversation again, takes it out of the box; one undo brings it back.
 */
export function withGivenBack(prompt: PromptState, drafts: Drafts): PromptState | null {
  const { givenBack } = prompt;
  const stands = isUnchanged(prompt);
  if (givenBack?.over === true || stands) {
    const fresh = withRecalled(NO_PROMPT, drafts);
    if (fresh === null) return null;
    const next = drafts.length === 0 ? null : { line: lineOf(fresh.editor.buffer), over: !stands };
    const shown = stands ? withText(prompt, next?.line ?? EMPTY_LINE) : prompt;
    return shown === null ? null : { ...shown, givenBack: next };
  }
  if (drafts.length === 0) return prompt;
  const joined = withRecalled(prompt, drafts);
  if (joined === null || !isBlank(prompt)) return joined;
  return { ...joined, givenBack: { line: lineOf(joined.editor.buffer), over: false } };
}

/** Before what begins with a slash goes into the box: a prompt that was given back makes room for it. */
export function makingRoom(screen: Screen, event: ScreenEvent): Screen {
  if (event.type !== 'input' || screen.modals.length > 0 || screen.focus === 'question') return screen;
  const { input } = event;
  const begins =
    input.type === 'key'
      ? input.key.kind !== 'release' && input.key.text === '/' && !input.key.ctrl && !input.key.alt
      : input.type === 'paste' && COMMAND.test(input.text);
  if (!begins || !isUnchanged(screen.prompt)) return screen;
  const { buffer } = screen.prompt.editor;
  if (buffer.caret < buffer.text.length || buffer.anchor !== null) return screen;
  const empty = withText(screen.prompt, EMPTY_LINE);
  const { givenBack } = screen.prompt;
  return empty === null || givenBack === null
    ? screen
    : { ...screen, prompt: { ...empty, givenBack: { ...givenBack, over: true } } };
}

/** After anything that happened: an empty box whose command is sent or gone has its prompt again. */
export function comingBack(screen: Screen): Screen {
  const { prompt } = screen;
  const { givenBack } = prompt;
  if (givenBack?.over !== true) return screen;
  if (prompt.editor.buffer.text.is(givenBack.line.text))
    return { ...screen, prompt: { ...prompt, givenBack: { ...givenBack, over: false } } };
  // What was sent may take it into the conversation again: its answer is waited for.
  if (!isBlank(prompt) || prompt.shell !== 'off' || screen.unanswered > 0) return screen;
  const back = withLineBack(prompt, givenBack.line);
  return back === null ? screen : { ...screen, prompt: back, completion: null };
}

/** A command as it is written; a path such as `/usr/bin` is none. */
const COMMAND = /^\/[a-z][a-z0-9-]*(\s|$)/;

function isUnchanged({ givenBack, editor, shell }: PromptState): boolean {
  return givenBack !== null && !givenBack.over && shell === 'off' && editor.buffer.text.is(givenBack.line.text);
}
