import { FRONT_COMMANDS } from '../commands/command-table.ts';
import { isRunning } from '../commands/facts.ts';
import { matchCommands, slashCommands } from '../commands/slash.ts';
import { EMPTY_PIECE } from './editor/editor.ts';
import { replaceRange } from './editor/editor-state.ts';
import type { Text } from './editor/text.ts';
import { notTyped } from './editor/vi-state.ts';
import type { Choice, CompletionState } from './regions/completion-rows.ts';
import type { Screen } from './screen.ts';
import type { Context, ScreenEffect, ScreenEvent } from './screen-event.ts';
import { type Step, stay } from './step.ts';

const LONGEST_PATH = 4096;
/** What is looked at behind the caret for the end of its word. */
const LONGEST_WORD = 4096;
const LONGEST_COMMAND = 1024;
/** Choices kept of what a query answered. */
export const PATH_LIMIT = 50;

/** The word being written at the caret behind a sign: `@` at the start or behind a blank, up to the caret (an address like a@b is none). */
function wordAt(text: Text, caret: number, sign: string): { from: number; typed: string } | null {
  // Read backwards from the caret: a key costs the same in a long draft.
  const start = Math.max(0, caret - LONGEST_PATH);
  const before = text.slice(start, caret);
  const at = before.lastIndexOf(sign);
  const typed = before.slice(at + 1);
  if (at < 0 || /\s/.test(typed)) return null;
  const begins = start + at === 0 || /\s/.test(text.charAt(start + at - 1));
  return begins ? { from: start + at + 1, typed } : null;
}

export function pathAt(text: Text, caret: number): { from: number; typed: string } | null {
  return wordAt(text, caret, '@');
}

/** What `#` stands for; said with the prompt, it is carried out before the model reads it. */
const TAGS = [
  { name: 'tree', detail: 'the files here, as they are when it is sent' },
  { name: 'git-status', detail: 'what git says of them then' },
] as const;

/**
 * What is offered for the draft as it is now. Commands are here at once; paths and arguments are asked for and arrive as
 * events, off the key path. Nothing is offered in shell mode (COMP-4).
 */
export function complete(screen: Screen, context: Context): Step {
  const { prompt } = screen;
  const { text, caret, anchor } = prompt.editor.buffer;
  if (prompt.shell !== 'off' || anchor !== null) return stay({ ...screen, completion: null });
  // No command with its argument is longer: a key costs the same in a long draft.
  const typed = caret <= LONGEST_COMMAND && text.startsWith('/') ? text.slice(0, caret) : '';
  const command = /^\/([a-z0-9-]*)$/.exec(typed);
  if (command !== null) {
    const choices = commandChoices(command[1]!, context);
    return stay({ ...screen, completion: offer('command', 1, wordEnd(text, caret), choices, text) });
  }
  // Before the question of /btw may stand several words that say whom to ask.
  const argument =
    /^\/(btw) (?:[$+]\S+ )+(\S*)$/.exec(typed) ??
    // The words before count for what is offered: none of them twice.
    /^\/(agent|subagents) ((?:\S+ )+\S*)$/.exec(typed) ??
    /^\/([a-z][a-z0-9-]*) (\S*)$/.exec(typed);
  if (argument !== null)
    return completeArgument(screen, context, argument[1]!, argument[2]!, typed.length - argument[2]!.length);
  // Where this one turn runs, or a skill: known to the session (decisions §4).
  const start = caret <= LONGEST_COMMAND && text.startsWith('$') ? /^\$(\S*)$/.exec(text.slice(0, caret)) : null;
  if (start !== null) return readArguments(screen, '$', start[1]!, 1);
  const tag = wordAt(text, caret, '#');
  if (tag !== null) {
    const choices = TAGS.filter(({ name }) => name.startsWith(tag.typed)).map(
      ({ name, detail }): Choice => ({ insert: `${name} `, label: `#${name}`, detail, when: '' }),
    );
    return stay({ ...screen, completion: offer('tag', tag.from, wordEnd(text, caret), choices, text) });
  }
  const skill = wordAt(text, caret, '$');
  if (skill !== null) return readArguments(screen, SKILLS, skill.typed, skill.from);
  const path = pathAt(text, caret);
  if (path === null) return stay({ ...screen, completion: null });
  const to = wordEnd(text, caret);
  // The old list stays until the new one is here, so that nothing flickers between two letters.
  const kept = screen.completion?.kind === 'path' && screen.completion.from === path.from ? screen.completion : null;
  const effect: ScreenEffect = { kind: 'read-paths', typed: path.typed, forText: text, from: path.from, to };
  const choices = kept?.choices.filter((choice) => choice.label.startsWith(path.typed)) ?? [];
  const meanwhile = kept === null || choices.length === 0 ? null : { ...kept, to, choices, cursor: 0 };
  return { screen: { ...screen, completion: meanwhile }, effects: [effect] };
}

function completeArgument(screen: Screen, context: Context, name: string, typed: string, from: number): Step {
  const { text, caret } = screen.prompt.editor.buffer;
  const to = wordEnd(text, caret);
  const command = slashCommands(context.view.head.commands).find(
    (each) => each.name === name || each.aliases.includes(name),
  );
  if (command === undefined || command.argument === '') return stay({ ...screen, completion: null });
  if (command.choices.length > 0) {
    const choices = command.choices
      .filter((value) => value.startsWith(typed))
      .map((value): Choice => ({ insert: value, label: value, detail: '', when: '' }));
    return stay({ ...screen, completion: offer('argument', from, to, choices, text) });
  }
  return readArguments(screen, command.name, typed, from);
}

/** The argument that names a skill, anywhere in a prompt (AC-3). */
const SKILLS = '$skill';

/** Asked of the session; the old list stays until the new one is here. */
function readArguments(screen: Screen, command: string, typed: string, from: number): Step {
  const { text, caret } = screen.prompt.editor.buffer;
  const effect: ScreenEffect = {
    kind: 'read-arguments',
    command,
    typed,
    forText: text,
    from,
    to: wordEnd(text, caret),
  };
  const kept =
    screen.completion?.kind === kindOf(command) && screen.completion.from === from ? screen.completion : null;
  return { screen: { ...screen, completion: kept }, effects: [effect] };
}

function kindOf(command: string | undefined): 'argument' | 'tag' {
  return command === SKILLS ? 'tag' : 'argument';
}

function commandChoices(typed: string, context: Context): Choice[] {
  const busy = isRunning(context.view);
  return matchCommands(typed, slashCommands(context.view.head.commands)).map(
    (command): Choice => ({
      insert: command.argument === '' ? command.name : `${command.name} `,
      label: `/${command.name}`,
      detail: command.description,
      when: busy ? (command.during === 'now' ? 'now' : 'after this turn') : '',
    }),
  );
}

function offer(
  kind: CompletionState['kind'],
  from: number,
  to: number,
  choices: readonly Choice[],
  forText: Text,
): CompletionState | null {
  return choices.length === 0 ? null : { kind, from, to, choices, cursor: 0, forText };
}

/** A list that was asked for is here: it counts only for the draft it was asked for. */
export function completionArrived(
  screen: Screen,
  event: Extract<ScreenEvent, { type: 'paths' | 'arguments' }>,
): Screen {
  if (!screen.prompt.editor.buffer.text.is(event.forText)) return screen;
  const kind = event.type === 'paths' ? 'path' : kindOf(event.command);
  const choices: Choice[] =
    event.type === 'paths'
      ? event.paths.slice(0, PATH_LIMIT).map((path) => ({
          insert: path.endsWith('/') ? path : `${path} `,
          label: path,
          detail: path.endsWith('/') ? 'folder' : '',
          when: '',
        }))
      : event.choices.map(({ value, description }) => ({
          insert: kind === 'tag' ? `${value} ` : value,
          label: value,
          detail: description,
          when: '',
        }));
  const completion = offer(kind, event.from, event.to, choices, event.forText);
  return { ...screen, completion };
}

/** Puts the highlighted choice into the draft, leaving what stands around it alone (COMP-2). */
export function accept(screen: Screen, context: Context, at = screen.completion?.cursor ?? 0): Step {
  const { completion, prompt } = screen;
  const choice = completion?.choices[at];
  if (completion === null || choice === undefined) return stay(screen);
  const { buffer } = prompt.editor;
  const blankFollows = /^\s/.test(buffer.text.charAt(completion.to));
  const insert = blankFollows ? choice.insert.trimEnd() : choice.insert;
  const result = replaceRange(prompt.editor, completion.from, completion.to, { ...EMPTY_PIECE, text: insert }, 'other');
  const vi = prompt.vi === null ? null : { ...notTyped(prompt.vi), text: result.state.buffer.text };
  const taken: Screen = { ...screen, prompt: { ...prompt, editor: result.state, unsaved: true, vi }, completion: null };
  // A folder goes on, and so does a command that wants words.
  return insert.endsWith('/') || (completion.kind === 'command' && insert.endsWith(' '))
    ? complete(taken, context)
    : stay(taken);
}

/** Whether Enter would take the highlighted choice rather than send: the word is not a whole choice yet (COMP-3, COMP-5). */
export function enterAccepts(screen: Screen): boolean {
  const { completion, prompt } = screen;
  if (completion === null) return false;
  const written = prompt.editor.buffer.text.slice(completion.from, completion.to);
  // An argument may be anything: only the beginning of what is highlighted is taken for it.
  // Another name of a command is whole as it stands.
  if (completion.kind === 'command' && FRONT_COMMANDS.some(({ aliases }) => aliases?.includes(written))) return false;
  const highlighted = completion.choices[completion.cursor]?.insert ?? '';
  if (completion.kind === 'argument' && (written === '' || !highlighted.startsWith(written))) return false;
  return !completion.choices.some((choice) => choice.insert.trimEnd() === written);
}

export function moveCursor(screen: Screen, by: number): Screen {
  const { completion } = screen;
  if (completion === null) return screen;
  const count = completion.choices.length;
  return { ...screen, completion: { ...completion, cursor: (completion.cursor + by + count) % count } };
}

function wordEnd(text: Text, from: number): number {
  const rest = /^\S*/.exec(text.slice(from, from + LONGEST_WORD))!;
  return from + rest[0].length;
}
