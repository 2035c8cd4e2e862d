import { droppedPaths } from './dropped.ts';
import { normalisePaste } from './editor/atoms.ts';
import { insertImage, insertText, paste } from './editor/editor-state.ts';
import { edited } from './prompt-actions.ts';
import type { Screen } from './screen.ts';
import type { ClipboardContent, Context } from './screen-event.ts';
import { noted, type Step, stay, step } from './step.ts';

/** Larger pictures are refused with their size, never swapped for text (ADD-6). */
const IMAGE_LIMIT = 10 * 1024 * 1024;

/** Pasted text always goes to the draft: it answers no question and sends nothing (UP-11, UP-15). */
export function pasteInto(screen: Screen, context: Context, text: string, joins: boolean): Step {
  // An empty paste is how terminals say that the clipboard holds a picture (ADD-5).
  if (text === '') return step(screen, { kind: 'read-clipboard' });
  const { prompt, ask } = screen;
  // A paste into an armed shell line never folds (ADD-4).
  const result =
    prompt.shell === 'off' ? paste(prompt.editor, text, joins) : insertText(prompt.editor, normalisePaste(text));
  const typing: Screen = {
    ...screen,
    focus: 'prompt',
    typedAt: context.now,
    keyList: false,
    ask: ask === null || screen.focus !== 'question' ? ask : { ...ask, chosen: false },
  };
  const done = edited(typing, context, result);
  const paths = prompt.shell === 'off' && !joins && result.effect === null ? droppedPaths(text) : null;
  if (paths === null) return done;
  const { caret, anchor } = prompt.editor.buffer;
  const from = Math.min(caret, anchor ?? caret);
  const { text: now, caret: to } = result.state.buffer;
  return step(done.screen, ...done.effects, { kind: 'read-dropped', paths, from, words: now.slice(from, to) });
}

export function imageFrom(screen: Screen, image: Extract<ClipboardContent, { kind: 'image' }>): Step {
  if (screen.prompt.shell !== 'off') return noted(screen, 'A shell line takes no pictures', 'warning');
  if (image.bytes > IMAGE_LIMIT) {
    return noted(screen, `The picture has ${(image.bytes / 1024 / 1024).toFixed(1)} MB, 10 MB is the most`, 'warning');
  }
  const { mediaType, base64 } = image;
  const name = `pasted.${mediaType.split('/')[1] ?? 'png'}`;
  const result = insertImage(screen.prompt.editor, { kind: 'image', name, mediaType, base64 });
  if (result.effect?.kind === 'refused') return noted(screen, result.effect.refusal.message, 'warning');
  return stay({ ...screen, prompt: { ...screen.prompt, editor: result.state, unsaved: true }, focus: 'prompt' });
}
