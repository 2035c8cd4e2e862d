import type { RewindFile, RewindPoint } from '../../../protocol/query.ts';
import { age, plural } from '../figures.ts';
import type { ListModal, ListRow } from './list.ts';

/** `/rewind`: the points one can go back to, and what of the files would come along. */
export function rewindList(): ListModal {
  return {
    kind: 'list',
    of: 'rewind',
    title: 'Back to before a prompt',
    rows: null,
    cursor: 0,
    filter: null,
    keys: [
      { chord: 'enter', label: 'Enter', words: 'Words and files', does: 'both' },
      { chord: 'c', label: 'c', words: 'Words only', does: 'conversation' },
      { chord: 'f', label: 'f', words: 'Files only', does: 'files' },
    ],
    none: 'Nothing was said yet',
  };
}

export function rewindRows(points: readonly RewindPoint[], folder: string, now: number): ListRow[] {
  return points.map((point, index) => ({
    value: point.entry,
    indent: 0,
    here: index === 0,
    mark: `${index + 1} back`,
    text: point.text.trim().split('\n', 1)[0] ?? '',
    detail: `${point.files.length === 0 ? 'no files' : plural(point.files.length, 'file')} · ${age(now - point.time)}`,
    below: previewOf(point, folder),
  }));
}

const WORDS: Readonly<Record<RewindFile['becomes'], string>> = {
  restored: 'Put back',
  removed: 'Removed again',
  made: 'Made again',
  already: 'As it was already',
  changed: 'Left: changed since by another hand',
  'not-kept': 'Left: what it held before is not kept any more',
  unsafe: 'Left: no ordinary file now',
  failed: 'Left: could not be written',
  'not-reached': 'Left: not reached',
};
const ORDER: readonly RewindFile['becomes'][] = [
  'changed',
  'not-kept',
  'unsafe',
  'restored',
  'removed',
  'made',
  'already',
];

function previewOf({ files, ranCommands }: RewindPoint, folder: string): string {
  const lines = ORDER.flatMap((becomes) => {
    const names = files.filter((file) => file.becomes === becomes).map((file) => shortPath(file.path, folder));
    return names.length === 0 ? [] : [`${WORDS[becomes]}: ${names.join(', ')}`];
  });
  if (lines.length === 0) lines.push('Our tools wrote no file since.');
  if (ranCommands) lines.push('Commands ran since: what they changed is not undone.');
  return lines.join('\n');
}

function shortPath(path: string, folder: string): string {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}
