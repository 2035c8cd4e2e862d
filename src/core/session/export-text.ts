import type { Json } from '../../base/json.ts';
import { visible } from '../../base/text-width.ts';
import type { Entry, EntryOf } from '../../protocol/entry.ts';
import type { Said } from '../../protocol/fold.ts';
import type { Label } from '../../protocol/label.ts';
import type { Attachment } from '../../protocol/message.ts';
import { modelRefText } from '../models/model-ref.ts';

/**
 * What one entry of the branch reads like in a transcript to take along, as Markdown; empty for what no reader misses.
 * Only Houston's own words begin a line: what anybody said is quoted or fenced, so that nothing can pass for a heading
 * or end its own label.
 */
export function entryText(entry: Entry, said: Said | null): string {
  switch (entry.kind) {
    case 'taken':
      return block(`${TAKEN[entry.as]}${atTime(entry.time)}`, [
        quoted(said?.text ?? entry.words ?? ''),
        ...attached(said?.attachments ?? []),
      ]);
    case 'assistant':
      return block(`Model ${inLine(modelRefText(entry.model))}${atTime(entry.time)}`, [
        ...entry.parts.map((part) => {
          if (part.type === 'text') return quoted(part.text);
          if (part.type === 'thinking') return part.text === '' ? '' : `Thinking:\n\n${quoted(part.text)}`;
          return `Calls ${inLine(part.tool)}:\n\n${fenced(part.raw ?? inputText(part.input))}`;
        }),
        entry.stop === 'end' || entry.stop === 'calls' ? '' : `The message ended early: ${entry.stop}.`,
      ]);
    case 'result':
      return resultText(entry);
    case 'hook':
      if (entry.injected === null) return '';
      return block(`What the hook ${inLine(entry.label)} told the model`, [
        `${entry.injected.ref === null ? labelText(entry.injected.label) : ''}${quoted(entry.injected.text)}`,
      ]);
    case 'note':
      return block(`Note (${entry.level})`, [quoted(entry.text)]);
    case 'compaction':
      return block('Everything before this was summarised for the model', [quoted(entry.summary)]);
    case 'turn-end':
      if (entry.reason === 'done') return '';
      return block(`The turn ended: ${entry.reason}`, [entry.message === null ? '' : quoted(entry.message)]);
    default:
      return '';
  }
}

const TAKEN: Readonly<Record<EntryOf<'taken'>['as'], string>> = {
  prompt: 'Prompt',
  steering: 'Said during the turn',
  shell: 'Line of the person’s own',
  wake: 'Houston woke the model',
  resend: 'Asked again',
};

function resultText(entry: EntryOf<'result'>): string {
  const { display } = entry;
  const files = display.kind === 'diff' ? display.files : [];
  // Where it was kept aside, the text is Houston's own sentence about it.
  const label = display.kind === 'quarantined' ? '' : labelText(entry.label);
  return block(`${inLine(entry.title)}: ${entry.outcome}`, [
    entry.text === '' ? '' : `${label}${fenced(entry.text)}`,
    ...files.map(({ path, change, hunks, label: own }) => {
      const lines = hunks.flatMap((hunk) => hunk.lines).join('\n');
      return `${labelText(own)}${change} ${inLine(path)}:\n\n${fenced(lines, 'diff')}`;
    }),
    entry.ref === null ? '' : `Kept aside as ${inLine(entry.ref)}: nobody vouched for it, and it is not in here.`,
    entry.output === null ? '' : `The whole output stays in the session’s own folder: outputs/${inLine(entry.output)}`,
    ...attached(entry.images),
  ]);
}

/** Before what nobody vouched for; nothing before what somebody did. */
function labelText({ integrity, confidentiality }: Label): string {
  return integrity === 'trusted' ? '' : `**Nobody vouched for this text** (${integrity}, ${confidentiality}):\n\n`;
}

function block(title: string, parts: readonly string[]): string {
  return [`## ${title}`, ...parts.filter((part) => part !== ''), ''].join('\n\n').replace(/\n{3,}$/, '\n\n');
}

function attached(attachments: readonly Attachment[]): string[] {
  return attachments.map(
    ({ name, mediaType, hash }) => `Attached: ${inLine(name)} (${inLine(mediaType)}, attachments/${inLine(hash)})`,
  );
}

function inputText(input: Json): string {
  return input === null ? '' : JSON.stringify(input, null, 2);
}

/** A title comes from a model or a file: one line, nothing hidden in it, and none of it is Markdown. */
export function inLine(text: string): string {
  return plainLine(text.replace(/\s+/g, ' ').trim()).replace(/[\\`*_[\]<>#|~!]/g, '\\$&');
}

function quoted(text: string): string {
  return lines(text)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** The fence is longer than any run of its sign inside, so that the text can not end it. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${lines(text).join('\n')}\n${fence}`;
}

function lines(text: string): string[] {
  return text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map(plainLine);
}

function plainLine(line: string): string {
  return line.split('\t').map(visible).join('\t');
}

function atTime(time: number): string {
  return ` · ${new Date(time).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}
