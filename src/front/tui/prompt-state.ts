import type { Attachment } from '../../protocol/message.ts';
import { type Atom, type Buffer, EMPTY_LINE, isEmpty, type Line, lineOf } from './editor/editor.ts';
import { type EditorState, NEW_EDITOR, replaceAll } from './editor/editor-state.ts';
import type { HistoryWalk } from './editor/prompt-history.ts';
import { onOtherLine, type ViState } from './editor/vi-state.ts';

/** What was sent, with when and where; null where that was not kept (HIST-4). */
export interface SentPrompt extends Line {
  readonly time: number | null;
  readonly workspace: string | null;
}

/**
 * A prompt that came back into the box by itself, from `/undo` or from a stop before anything was said to it. As long as
 * nobody changed it a slash at its end begins a command instead of joining it; once that is sent or taken away again the
 * prompt is back. It is a draft like any other from the first change on.
 */
export interface GivenBack {
  readonly line: Line;
  /** A command is being written in its place. */
  readonly over: boolean;
}

/** The prompt box: its editor, and what surrounds it. */
export interface PromptState {
  readonly editor: EditorState;
  /** First visible row, where the text is longer than the box. */
  readonly top: number;
  /** `!` armed: the line is for the person's own shell. `private` is the `!!` form. */
  readonly shell: 'off' | 'armed' | 'private';
  readonly stash: Line | null;
  readonly walk: HistoryWalk | null;
  /** What was sent before, oldest first. */
  readonly sent: readonly SentPrompt[];
  /** True while the editor holds something the session was not told of yet. */
  readonly unsaved: boolean;
  /** What came back into it by itself; null for nothing. */
  readonly givenBack: GivenBack | null;
  /** Null: the box is the ordinary one. */
  readonly vi: ViState | null;
}

export const NO_PROMPT: PromptState = {
  editor: NEW_EDITOR,
  top: 0,
  shell: 'off',
  stash: null,
  walk: null,
  sent: [],
  unsaved: false,
  givenBack: null,
  vi: null,
};

export function isBlank(prompt: PromptState): boolean {
  return isEmpty(prompt.editor.buffer);
}

/** Whether the box holds a prompt walked back to, as it was sent; once changed it is a draft like any other. */
export function isRecalled({ walk, sent, editor }: PromptState): boolean {
  const recalled = walk === null ? undefined : sent[walk.at];
  return recalled !== undefined && editor.buffer.text.is(recalled.text);
}

/** The prompt with another text, as one step of undo; null when the text would be too long. */
export function withText(prompt: PromptState, line: Line): PromptState | null {
  const result = replaceAll(prompt.editor, { text: line.text, atoms: line.atoms }, line.caret);
  if (result.effect !== null) return null;
  const vi = prompt.vi === null ? null : onOtherLine(prompt.vi, result.state);
  return { ...prompt, editor: result.state, unsaved: true, vi };
}

/** The box after its line left it: empty, its undo gone with the line unless it was only discarded. */
export function emptied(prompt: PromptState): PromptState {
  // The next line is begun as every one is: by typing it.
  const vi = prompt.vi === null ? null : { ...onOtherLine(prompt.vi, NEW_EDITOR), mode: 'insert' as const };
  return { ...prompt, editor: NEW_EDITOR, top: 0, shell: 'off', walk: null, unsaved: true, vi };
}

export function plainLine(text: string): Line {
  return { ...EMPTY_LINE, text, caret: text.length };
}

/** Text back from an editor: the labels of pictures and files that are still in it stand for what they stood for. */
export function editedLine(before: Buffer, text: string): Line {
  const atoms: Atom[] = [];
  for (const atom of before.atoms) {
    if (atom.attachment === null) continue;
    const label = before.text.slice(atom.from, atom.to);
    const from = text.indexOf(label);
    if (from >= 0) atoms.push({ ...atom, from, to: from + label.length });
  }
  return { ...plainLine(text), atoms: atoms.sort((a, b) => a.from - b.from) };
}

/** A kept prompt as it is walked to: plain text, whatever a marker in it looks like (MARK-7). */
export function sentBefore(
  kept: string | { readonly text: string; readonly time: number | null; readonly workspace: string | null },
): SentPrompt {
  const { text, time, workspace } = typeof kept === 'string' ? { text: kept, time: null, workspace: null } : kept;
  return { ...plainLine(text), time, workspace };
}

/** Sent prompts as the walk reads them; the same one twice in a row is one. */
export function remembered(sent: readonly SentPrompt[], line: SentPrompt): readonly SentPrompt[] {
  return sent.at(-1)?.text === line.text ? sent : [...sent, line];
}

/** Taken back lines above the half-typed one, where the caret stays (QUE-16). Attachments come back as markers. */
export function withRecalled(
  prompt: PromptState,
  drafts: readonly { readonly text: string; readonly attachments: readonly Attachment[] }[],
): PromptState | null {
  const own = lineOf(prompt.editor.buffer);
  const lines = drafts.map((draft) => draft.text);
  const head = lines.join('\n');
  const above = own.text === '' ? head : `${head}\n`;
  const text = above + own.text;
  const shift = above.length;
  const moved = own.atoms.map((atom) => ({ ...atom, from: atom.from + shift, to: atom.to + shift }));
  const markers = drafts.flatMap((draft, index) => {
    const start = lines.slice(0, index).reduce((sum, line) => sum + line.length + 1, 0);
    return draft.attachments.flatMap((attachment) => {
      const label = attachment.kind === 'image' ? /\[Image #\d+\]/ : /\[File #\d+ [^\]]*\]/;
      const found = label.exec(draft.text);
      return found === null
        ? []
        : [
            {
              from: start + found.index,
              to: start + found.index + found[0].length,
              kind: attachment.kind,
              payload: '',
              attachment: { kind: 'stored' as const, attachment },
            },
          ];
    });
  });
  const caret = own.text === '' ? text.length : own.caret + shift;
  return withText(prompt, { text, caret, anchor: null, atoms: [...markers.sort((a, b) => a.from - b.from), ...moved] });
}
