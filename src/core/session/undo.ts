import nodePath from 'node:path';
import type { EntryBody, EntryOf, FileLeft, FileStep } from '../../protocol/entry.ts';
import { SystemError } from '../../system/files.ts';
import { hashNow, lookAhead, type Outlook, putBack, waysBack } from '../changes/put-back.ts';
import { isWithin } from '../policy/paths.ts';
import type { SessionParts } from './parts.ts';
import { lastUndo, type Point, pointsOf } from './rewind-points.ts';
import type { CommandEnd } from './turn-loop.ts';

/** What goes back: the words, the files our tools wrote, or both. */
type Scope = 'both' | 'conversation' | 'files';

const USAGE = '/rewind N [conversation|files]: N is how many prompts to go back, 1 for the last one';

/** `/undo`, `/rewind N [conversation|files] [rest]`. `rest`: files another hand changed are left without asking. */
export async function goBack(parts: SessionParts, argument: string, signal: AbortSignal): Promise<CommandEnd> {
  const words = argument.split(/\s+/).filter((word) => word !== '');
  const rest = words.includes('rest');
  const scopes = words.filter((word): word is Scope => word === 'both' || word === 'conversation' || word === 'files');
  const names = words.filter((word) => word !== 'rest' && !(scopes as readonly string[]).includes(word));
  if (names.length > 1 || scopes.length > 1) return refusedEnd('argument-unknown', USAGE);
  const points = await pointsOf(parts.journal);
  if (points.length === 0) return refusedEnd('nothing-to-undo', 'Nothing was said here yet.');
  const name = names[0] ?? '1';
  const point = /^[1-9]\d{0,5}$/.test(name)
    ? points[Number(name) - 1]
    : points.find(({ entry }) => name.length >= 8 && entry.startsWith(name));
  if (point === undefined)
    return /^\d+$/.test(name)
      ? refusedEnd(
          'too-far',
          `It can go back ${points.length === 1 ? 'one prompt' : `${points.length} prompts`} at most.`,
        )
      : refusedEnd('argument-unknown', USAGE);
  return undo(parts, point, scopes[0] ?? 'both', rest, signal);
}

async function undo(
  parts: SessionParts,
  point: Point,
  scope: Scope,
  rest: boolean,
  signal: AbortSignal,
): Promise<CommandEnd> {
  const { journal, system, images, canAsk } = parts;
  const stood = journal.leaf;
  if (stood === null) return refusedEnd('nothing-to-undo', 'Nothing was said here yet.');
  const ways = scope === 'conversation' ? [] : waysBack(point.changes);
  const looked = await Promise.all(
    ways.map(async (way) => ({ way, outlook: await lookAhead({ files: system.files, images }, way) })),
  );
  const left = looked.flatMap(({ way, outlook }) => (isLeft(outlook) ? [{ path: way.step.path, why: outlook }] : []));
  if (left.length > 0 && !rest) {
    const named = left.map((one) => leftText(parts, one)).join('; ');
    if (!canAsk) return refusedEnd('files-changed', `Nothing was undone. ${named}`);
    const answer = await askAboutLeft(parts, named, signal);
    if (answer !== GO_ON)
      return { state: 'stopped', messages: [{ level: 'info', identifier: 'not-undone', text: 'Nothing was undone.' }] };
  }
  const to = scope === 'files' ? stood : point.leaf;
  const steps = looked.flatMap(({ way, outlook }) => (WORKS.has(outlook) ? [way.step] : []));
  const came = await carryOut(parts, { kind: 'undo-start', what: 'undo', from: stood, to, files: steps }, left);
  const before = `“${excerpt(point.said.text)}”`;
  const said = [
    scope === 'files' ? `Files as they were before ${before}.` : came.moved ? `Back before ${before}.` : '',
    report(parts, came),
    scope !== 'conversation' && point.ranCommands ? 'What commands and other programs changed is not undone.' : '',
  ];
  const text = said.filter((one) => one !== '').join(' ');
  const { text: prompt, attachments } = point.said;
  return {
    state: came.trouble === null ? 'done' : 'failed',
    messages: [message(came, text)],
    ...(point.own && scope !== 'files' && came.moved ? { recalled: [{ text: prompt, attachments }] } : {}),
  };
}

/** `/redo`: takes the last going back back, where nothing was said since. */
export async function goForward(parts: SessionParts): Promise<CommandEnd> {
  const { journal } = parts;
  const last = await lastUndo(journal);
  const stood = journal.leaf;
  if (last === null || stood === null)
    return refusedEnd('nothing-to-redo', 'There is nothing to redo: nothing was undone, or more was said since.');
  const { start, end } = last;
  const restored = new Set(end.restored);
  const steps = start.files
    .filter(({ path }) => restored.has(path))
    .map(({ path, from, to }): FileStep => ({ path, from: to, to: from }));
  const to = start.from === start.to ? stood : start.from;
  const came = await carryOut(parts, { kind: 'undo-start', what: 'redo', from: stood, to, files: steps }, []);
  const text = ['As it was before the undo.', report(parts, came)].filter((one) => one !== '').join(' ');
  // The prompt the undo gave back is in the conversation again.
  const recalled = came.moved ? { recalled: [] } : {};
  return { state: came.trouble === null ? 'done' : 'failed', messages: [message(came, text)], ...recalled };
}

interface Came {
  readonly restored: readonly FileStep[];
  readonly left: readonly { readonly path: string; readonly why: FileLeft }[];
  readonly moved: boolean;
  readonly trouble: string | null;
}

/** First the word that it begins, then the files, then its end and the new position as one. */
async function carryOut(
  parts: SessionParts,
  begin: Extract<EntryBody, { kind: 'undo-start' }>,
  leftBefore: Came['left'],
): Promise<Came> {
  const { recorder, mover, system, images } = parts;
  const [start] = await recorder.write([begin]);
  const restored: FileStep[] = [];
  const left = [...leftBefore];
  for (const step of begin.files) {
    const why = await putBack({ files: system.files, images }, step, parts.mayKeepImage(step.path));
    if (why === null) restored.push(step);
    else left.push({ path: step.path, why });
  }
  const end: EntryBody = {
    kind: 'undo-end',
    start: start!.id,
    whole: true,
    restored: restored.map(({ path }) => path),
    left,
  };
  try {
    if (begin.from === begin.to) await recorder.write([end]);
    else await mover.move(begin.to, [end]);
    return { restored, left, moved: begin.from !== begin.to, trouble: null };
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    await recorder.write([{ ...end, whole: false }], { onFailure: 'keep' });
    return { restored, left, moved: false, trouble: error.message };
  }
}

/** An undo that the end of the session cut short: says which files it reached. Nothing is gone on with by itself. */
export async function closeCutUndo(
  parts: Pick<SessionParts, 'recorder' | 'folder'> & { readonly files: SessionParts['system']['files'] },
  start: EntryOf<'undo-start'>,
): Promise<void> {
  const restored: string[] = [];
  const left: { path: string; why: FileLeft }[] = [];
  for (const { path, from, to } of start.files) {
    const now = await hashNow(parts.files, path);
    if (now === to) restored.push(path);
    else left.push({ path, why: now === 'unsafe' ? 'unsafe' : now === from ? 'not-reached' : 'changed' });
  }
  const said = [
    `${start.what === 'undo' ? 'An undo' : 'A redo'} was cut short; the conversation stayed where it was.`,
    restored.length > 0 ? `Put back: ${names(parts, restored)}.` : '',
    left.length > 0 ? `${left.map((one) => leftText(parts, one)).join('; ')}.` : '',
    start.what === 'undo' ? '/undo does the rest.' : '',
  ];
  await parts.recorder.write(
    [
      { kind: 'undo-end', start: start.id, whole: false, restored, left },
      {
        kind: 'note',
        level: 'warning',
        identifier: 'undo-cut-short',
        text: said.filter((one) => one !== '').join(' '),
      },
    ],
    { onFailure: 'keep' },
  );
}

const WORKS = new Set<Outlook>(['restored', 'removed', 'made']);

function isLeft(outlook: Outlook): outlook is FileLeft {
  return !WORKS.has(outlook) && outlook !== 'already';
}

const GO_ON = 'Undo the rest';

async function askAboutLeft(parts: SessionParts, named: string, signal: AbortSignal): Promise<string | null> {
  const question = `Not everything can be put back. ${named}. Those stay as they are.`;
  const answer = await parts.asks.ask(
    {
      for: null,
      origin: '',
      call: null,
      body: { kind: 'questions', questions: [{ question, options: [GO_ON, 'Undo nothing'], many: false }] },
    },
    signal,
  );
  return answer?.kind === 'answers' ? (answer.answers[0]?.[0] ?? null) : null;
}

function report(parts: Pick<SessionParts, 'folder'>, { restored, left, trouble }: Came): string {
  const back = restored.filter(({ to }) => to !== null).map(({ path }) => path);
  const gone = restored.filter(({ to }) => to === null).map(({ path }) => path);
  return [
    back.length > 0 ? `Put back: ${names(parts, back)}.` : '',
    gone.length > 0 ? `Removed: ${names(parts, gone)}.` : '',
    left.length > 0 ? `Left as they are: ${left.map((one) => leftText(parts, one)).join('; ')}.` : '',
    trouble === null ? '' : `The conversation could not be moved: ${trouble}.`,
  ]
    .filter((one) => one !== '')
    .join(' ');
}

function message({ left, trouble }: Came, text: string): CommandEnd['messages'][number] {
  return { level: trouble !== null ? 'error' : left.length > 0 ? 'warning' : 'info', identifier: 'undone', text };
}

const WHY: Readonly<Record<FileLeft, string>> = {
  changed: 'was changed since by another hand',
  'not-kept': 'is left: what it held before is not kept any more',
  unsafe: 'is left: it is no ordinary file now',
  failed: 'could not be written',
  'not-reached': 'was not reached',
};

function leftText(parts: Pick<SessionParts, 'folder'>, { path, why }: Came['left'][number]): string {
  return `${names(parts, [path])} ${WHY[why]}`;
}

function names({ folder }: Pick<SessionParts, 'folder'>, paths: readonly string[]): string {
  return paths.map((path) => (isWithin(path, folder) ? nodePath.relative(folder, path) : path)).join(', ');
}

const EXCERPT = 60;

function excerpt(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length <= EXCERPT ? line : `${line.slice(0, EXCERPT).toWellFormed()}…`;
}

function refusedEnd(identifier: string, text: string): CommandEnd {
  return { state: 'refused', messages: [{ level: 'warning', identifier, text }] };
}
