import { NOTHING_STANDS } from '../../../protocol/standing.ts';
import type { View } from '../../../protocol/view.ts';
import type { Keymap } from '../../commands/keymap.ts';
import { displayRows } from '../blocks/display.ts';
import { textRows } from '../blocks/prose.ts';
import { INDENT, type Row } from '../blocks/row.ts';
import { count, money, plural } from '../figures.ts';
import { modelText } from '../model-text.ts';
import { type Line, piece } from '../piece.ts';
import { shortFolder } from '../regions/header.ts';
import { contextReading, MODE_WORDS, standingWords } from '../regions/hint-parts.ts';
import { tailOf } from './file-rows.ts';

/** A name takes three rows at most (PAN-3). */
const NAME_ROWS = 3;

/**
 * What the session is: its name and place, what starts turns by itself, how full the context is and what it cost, what is
 * to be done. Only what a person typed, the list of things to do and counters; nothing of replies, results or files (PAN-4).
 */
export function summaryRows(view: View, width: number, keymap: Keymap): Row[] {
  const options = { width, expanded: true, openKey: '' };
  const { head } = view;
  const value = (name: string, line: Line): Row => ({ margin: [piece(name.padEnd(9), 'quiet')], line, join: '\n' });
  const text = (name: string, words: string): Row => value(name, [piece(words, 'text')]);
  const session = [
    ...textRows(head.title === '' ? 'New session' : head.title, [], 'strong', options).slice(0, NAME_ROWS),
    ...(head.folder === '' ? [] : [text('Folder', tailOf(shortFolder(head.folder, head.home), width - 9))]),
    ...(head.gitBranch === null ? [] : [value('Branch', [piece(tailOf(head.gitBranch, width - 9), 'signal')])]),
    ...(head.model === null ? [] : [text('Model', tailOf(modelText(head.model, head.effort), width - 9))]),
    text('Mode', MODE_WORDS[head.mode]),
  ];
  const standing = standingWords(head.standing ?? NOTHING_STANDS);
  const goal = head.standing?.goal ?? null;
  const loop = head.standing?.loop ?? null;
  const wanted = [
    ...(standing === '' ? [] : [value('Standing', [piece(standing, 'accent')])]),
    ...(goal === null ? [] : textRows(goal.text, [INDENT], 'text', options)),
    ...(loop === null ? [] : textRows(loop.text, [INDENT], 'text', options)),
  ];
  const { totals } = head;
  const figures = [
    text('Context', contextReading(view).words.replace(/^context /, '')),
    ...(head.contextTokens === null
      ? []
      : [
          text(
            'Tokens',
            `${count(Math.max(0, head.contextTokens))} of ${head.contextWindow === null ? '—' : count(head.contextWindow)}`,
          ),
        ]),
    text('In, out', `${count(totals.input + totals.cacheRead + totals.cacheWrite)}, ${count(totals.output)}`),
    text('Cost', money(totals.cost)),
  ];
  const running = view.jobs.filter((job) => job.state === 'running' || job.state === 'stopping').length;
  const work = running === 0 ? [] : [text('Jobs', plural(running, 'command'))];
  const plan = displayRows({ kind: 'todo', items: view.todo }, options);
  const chord = keymap.label('panel');
  const hide: Row[] =
    chord === null
      ? []
      : [{ margin: [], line: [piece(`[${chord}]`, 'accent'), piece(' hides the panels', 'quiet')], join: '\n' }];
  return [
    section('Session'),
    ...session,
    ...(wanted.length === 0 ? [] : [section('Goal'), ...wanted]),
    section('Context'),
    ...figures,
    ...work,
    ...(plan.length === 0 ? [] : [section('Plan'), ...plan]),
    ...hide,
  ];
}

export function section(words: string): Row {
  return { margin: [], line: [piece(words, 'accent')], join: '\n', rule: true };
}
