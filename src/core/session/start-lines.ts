import type { Head } from '../../protocol/view.ts';
import type { Skills } from '../extensions/skills.ts';
import type { Journal } from '../journal/journal.ts';
import type { Recorder } from '../runtime/runtime.ts';
import type { InstructionText } from '../runtime/system-prompt.ts';

/** Standing instructions as they were found; `skipped`: files of them that could not be read. */
export interface InstructionsFound {
  readonly instructions: readonly InstructionText[];
  readonly skipped: readonly string[];
}

/** What the model is told by files, for people: each of them once, skills in one line (SC-20.2, SC-20.13). */
export function toldBy({ instructions }: InstructionsFound, skills: Skills | undefined): NonNullable<Head['told']> {
  return {
    instructions: [...new Set(instructions.map(({ source }) => source))],
    skills: (skills?.list ?? []).map(({ name }) => name),
  };
}

export function skippedWords(source: string): string {
  return `${source} can not be read as text: its instructions are left out.`;
}

/** Warnings of a start. A session that is opened again does not say the same again. */
export async function noteOnce(
  journal: Journal,
  recorder: Recorder,
  identifier: string,
  texts: readonly string[],
): Promise<void> {
  if (texts.length === 0) return;
  const earlier = await journal.load(journal.ofKind('note')).catch(() => []);
  for (const text of texts) {
    if (earlier.some((note) => note.kind === 'note' && note.text === text)) continue;
    await recorder.write([{ kind: 'note', level: 'warning', identifier, text }], { onFailure: 'keep' });
  }
}
