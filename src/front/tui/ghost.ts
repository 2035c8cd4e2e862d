import type { View } from '../../protocol/view.ts';
import { slashCommands } from '../commands/slash.ts';
import { selectionOf } from './editor/editor.ts';
import { isRecalled, type SentPrompt } from './prompt-state.ts';
import type { Screen } from './screen.ts';

/** Suggestions come from the newest of these, and from at most so many different prompts of a workspace (PE-22). */
const LOOKED_AT = 2000;
const KEPT = 200;
const LONGEST = 4096;

/** What names a place on this machine or looks like a secret is never suggested. */
const PLACE = /(?:^|[\s"'=(])(?:~?\/[^\s/]+\/|[A-Za-z]:\\)/;
const SECRET =
  /\b(?:sk|pk|ghp|gho|xox[abp]|AKIA|AIza)[-_A-Za-z0-9]{12,}|-----BEGIN|(?:password|passwd|secret|token|api_?key)\s*[=:]|[A-Za-z0-9+/_-]{40,}/i;

const ranked = new WeakMap<readonly SentPrompt[], Map<string, readonly string[]>>();

/** Prompts of a workspace worth suggesting, the most frequent first, then the most recent (PE-19, PE-21). */
function suggestions(sent: readonly SentPrompt[], workspace: string): readonly string[] {
  const known = ranked.get(sent)?.get(workspace);
  if (known !== undefined) return known;
  const uses = new Map<string, { count: number; last: number }>();
  for (const [at, prompt] of sent.slice(-LOOKED_AT).entries()) {
    const { text } = prompt;
    if (prompt.workspace !== workspace || text.length > LONGEST || text.includes('\n') || text.startsWith('!'))
      continue;
    if (PLACE.test(text) || SECRET.test(text)) continue;
    uses.set(text, { count: (uses.get(text)?.count ?? 0) + 1, last: at });
  }
  const newest = [...uses].sort(([, a], [, b]) => b.last - a.last).slice(0, KEPT);
  const texts = newest.sort(([, a], [, b]) => b.count - a.count || b.last - a.last).map(([text]) => text);
  ranked.set(sent, new Map(ranked.get(sent)).set(workspace, texts));
  return texts;
}

/** How the draft may go on, as something sent before did; empty where nothing is suggested (PE-19, PE-20). */
export function ghostOf(screen: Screen): string {
  const { prompt } = screen;
  const { text: draft, caret, atoms } = prompt.editor.buffer;
  if (draft.length === 0 || caret !== draft.length || draft.length > LONGEST || atoms.length > 0) return '';
  const text = draft.toString();
  if (text.includes('\n')) return '';
  if (prompt.shell !== 'off' || isRecalled(prompt) || screen.completion !== null || screen.ghostHidden === text)
    return '';
  if (selectionOf(prompt.editor.buffer) !== null || screen.focus !== 'prompt') return '';
  const found = suggestions(prompt.sent, screen.workspace).find(
    (each) => each.length > text.length && each.startsWith(text),
  );
  return found === undefined ? '' : found.slice(text.length);
}

/** The words a whole command still wants, right behind it (COMP-1); empty once one was typed. */
export function argumentHint(screen: Screen, view: View): string {
  const { text, caret } = screen.prompt.editor.buffer;
  if (screen.prompt.shell !== 'off' || caret !== text.length) return '';
  const name = /^\/([a-z][a-z0-9-]*) $/.exec(text.length > 64 ? '' : text.toString())?.[1];
  return name === undefined ? '' : (commandNamed(view, name)?.argument ?? '');
}

/** Columns of a whole command at the start of the draft; 0 where there is none (COMP-1). */
export function commandLength(screen: Screen, view: View): number {
  if (screen.prompt.shell !== 'off') return 0;
  const name = /^\/([a-z][a-z0-9-]*)(?=\s|$)/.exec(screen.prompt.editor.buffer.text.slice(0, 64))?.[1];
  return name === undefined || commandNamed(view, name) === undefined ? 0 : name.length + 1;
}

function commandNamed(view: View, name: string) {
  return slashCommands(view.head.commands).find((command) => command.name === name || command.aliases.includes(name));
}
