import type { AskRow } from '../../protocol/ask.ts';
import { type Label, TRUSTED_PUBLIC } from '../../protocol/label.ts';
import type { CommandFact, LineFact, PathFact } from './facts.ts';
import type { Reason } from './policy.ts';
import { makeVisible } from './visible-text.ts';

/** Rows in our own words. */
export function reasonRows(reasons: readonly Reason[]): AskRow[] {
  return reasons.map((reason) => row('reason', reason.text, TRUSTED_PUBLIC));
}

/** The path that is decided on, and where it really leads when that is elsewhere. */
export function pathRows(fact: PathFact, label: Label): AskRow[] {
  const rows = [row('path', fact.path, label)];
  if (fact.real !== fact.path) rows.push(row('path', `leads to ${fact.real}`, label));
  return withWarning(rows, [fact.path, fact.real]);
}

/** Every row of the line, then where and by what it would run. */
export function lineRows(fact: LineFact, label: Label, workspace: string): AskRow[] {
  const lines = fact.line.split('\n');
  const rows = lines.map((line) => row('line', line, label));
  if (lines.length > 1) rows.push(row('warning', `${lines.length} lines`, TRUSTED_PUBLIC));
  if (fact.folder !== workspace) rows.push(row('path', `in ${fact.folder}`, label));
  for (const command of fact.commands) rows.push(...stepRows(command, fact.commands.length > 1, label));
  return withWarning(rows, lines);
}

/** Which program a step would start, and the files its redirections open. */
function stepRows(command: CommandFact, several: boolean, label: Label): AskRow[] {
  const rows: AskRow[] = [];
  const name = command.words[0];
  if (name !== undefined && (several || command.program?.endsWith(`/${name}`) !== true)) {
    rows.push(row('path', `${name}: ${command.program ?? 'part of the shell, or not found'}`, label));
  }
  for (const file of command.redirected) {
    const where = file.unclear === undefined ? file.real : `${file.unclear}, known only when it runs`;
    rows.push(row('path', `${file.writes ? 'writes' : 'reads'} ${where}`, label));
  }
  return rows;
}

function row(role: AskRow['role'], text: string, label: Label): AskRow {
  return { role, shown: { text: makeVisible(text).text, label } };
}

function withWarning(rows: AskRow[], texts: readonly string[]): AskRow[] {
  if (!texts.some((text) => makeVisible(text).changed)) return rows;
  return [row('warning', 'holds control or invisible characters, written out here', TRUSTED_PUBLIC), ...rows];
}
