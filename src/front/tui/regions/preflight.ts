import type { View } from '../../../protocol/view.ts';
import { textRows } from '../blocks/prose.ts';
import { INDENT } from '../blocks/row.ts';
import { cutLine, drawLine } from '../draw.ts';
import type { Painter } from '../frame/painter.ts';
import type { Rect } from '../frame/rect.ts';
import { type Line, piece } from '../piece.ts';
import type { Scene } from '../scene.ts';
import type { Role } from '../theme.ts';
import { shortFolder } from './header.ts';
import { MODE_WORDS } from './hint-parts.ts';

/** What an empty session shows: what it will fly with, and what to try. Gone with the first prompt (§20). */
export function drawPreflight(painter: Painter, scene: Scene, area: Rect): void {
  const indent = area.width > 60 ? 4 : 0;
  const lines = fitting(preflightLines(scene, area.width - indent), area.height);
  const room = area.height - lines.length;
  const from = area.y + Math.max(0, Math.min(Math.floor(room / 3), 6));
  lines.forEach((line, index) => {
    drawLine(painter, scene.theme, area.x + indent, from + index, cutLine(line, area.width - indent), area.width);
  });
}

/** A row of the list and what it is worth: where there are too few rows, those of the highest number go first. */
type Ranked = readonly [line: Line, rank: number];

const RANK = { problem: 0, status: 1, unmet: 2, met: 3, title: 4, tip: 5, gap: 6 } as const;

/** The rows that matter most, in their own order. */
function fitting(rows: readonly Ranked[], height: number): Line[] {
  const worth = rows.map((_, index) => index).sort((a, b) => rows[a]![1] - rows[b]![1] || a - b);
  return worth
    .slice(0, height)
    .sort((a, b) => a - b)
    .map((index) => rows[index]![0]);
}

function preflightLines(scene: Scene, width: number): Ranked[] {
  const { view, keymap, screen } = scene;
  const { head } = view;
  const ready = head.ready && head.startupProblem === null;
  const model = head.model === null ? null : `${head.model.provider}:${head.model.model}`;
  const title: Line = [
    piece('▲ ', 'accent'),
    piece('HOUSTON', 'heading'),
    piece(`  ${head.version === '' ? '' : `v${head.version}`}`, 'quiet'),
  ];
  const checks: Ranked[] = [
    check(
      model !== null,
      'model',
      model ?? (screen.attached ? 'none yet: /model chooses one' : 'connecting'),
      screen.attached,
    ),
    check(
      head.folder !== '',
      'folder',
      shortFolder(head.folder, head.home) + (head.gitBranch === null ? '' : ` on ${head.gitBranch}`),
      true,
    ),
    check(true, 'mode', modeWords(scene), true),
    check(
      !/^(?:off|commands are refused)/.test(head.sandbox),
      'confined',
      confinedWords(head.sandbox),
      screen.attached,
    ),
    ...toldRows(head),
    check(head.notSaved === null, 'saved', head.notSaved ?? 'every word, as it is said', screen.attached),
  ];
  const gap: Ranked = [[], RANK.gap];
  const options = { width, expanded: true, openKey: '' };
  const problem =
    head.startupProblem === null
      ? []
      : textRows(head.startupProblem.message, [INDENT], 'text', options).map(
          ({ line }, index): Ranked => [[piece(index === 0 ? '✗ ' : '  ', 'bad'), ...line], RANK.problem],
        );
  const ways = cures(view).flatMap(({ name, words }): Line => [piece(name, 'accent'), piece(` ${words}   `, 'quiet')]);
  const status: Line = ready
    ? [piece('Ready. ', 'good'), piece('Say what you want done.', 'text')]
    : head.startupProblem !== null
      ? ways.length > 0
        ? [piece('Not started. ', 'bad'), ...ways]
        : [piece('Not started. ', 'bad'), piece('Cure it, leave with Ctrl-D, and start again.', 'quiet')]
      : [
          piece(screen.attached ? 'Getting ready. ' : 'Reaching the session. ', 'signal'),
          piece('You can already type; it is sent when everything stands.', 'quiet'),
        ];
  const tips: Line[] = [
    [
      piece('@', 'accent'),
      piece(' names a file   ', 'quiet'),
      piece('/', 'accent'),
      piece(' commands   ', 'quiet'),
      piece('!', 'accent'),
      piece(' your own shell', 'quiet'),
    ],
    [
      piece(keymap.label('newline') ?? 'Ctrl-J', 'accent'),
      piece(' new line   ', 'quiet'),
      piece('?', 'accent'),
      piece(' every key', 'quiet'),
    ],
  ];
  return [
    [title, RANK.title],
    gap,
    ...checks,
    ...(problem.length > 0 ? [gap, ...problem] : []),
    gap,
    [status, RANK.status],
    gap,
    ...tips.map((tip): Ranked => [tip, RANK.tip]),
  ];
}

/** Where a broken agent keeps turns from starting. */
const AGENT_CURES = [
  { name: '/reload', words: 'reads it again' },
  { name: '/agent', words: 'chooses another' },
];

const CURES = [
  { name: '/model', words: 'chooses a model' },
  { name: '/login', words: 'signs in' },
  { name: '/settings', words: 'changes settings' },
];

/** The commands that may cure a start that failed; none where there is no session that could run them. */
export function cures({ head }: View): readonly (typeof CURES)[number][] {
  const ways = head.startupProblem?.identifier === 'agent-broken' ? AGENT_CURES : CURES;
  return ways.filter(({ name }) => head.commands.some((command) => `/${command.name}` === name));
}

function modeWords(scene: Scene): string {
  const { mode } = scene.view.head;
  const what = {
    ask: 'what changes things is asked',
    edits: 'file edits are not asked',
    plan: 'nothing is changed',
    bypass: 'nothing is asked',
  };
  return `${MODE_WORDS[mode]}: ${what[mode]}`;
}

/** What the model is told by files; nothing where there are none. */
function toldRows({ told, folder, home }: View['head']): Ranked[] {
  const short = (path: string): string =>
    path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : shortFolder(path, home);
  const { instructions = [], skills = [] } = told ?? {};
  return [
    ...(instructions.length === 0 ? [] : [check(true, 'told', instructions.map(short).join(', '), true)]),
    ...(skills.length === 0 ? [] : [check(true, 'skills', skills.join(', '), true)]),
  ];
}

/** `off` alone was wanted; with a reason behind it, it was not. */
function confinedWords(sandbox: string): string {
  if (!sandbox.startsWith('off')) return sandbox;
  return `no: commands run with your own rights${sandbox.slice('off'.length).replace(/^: /, '; ')}`;
}

function check(good: boolean, name: string, words: string, known: boolean): Ranked {
  const [mark, role]: [string, Role] = !known ? ['◌ ', 'quiet'] : good ? ['● ', 'good'] : ['○ ', 'warn'];
  const line: Line = [piece(mark, role), piece(name.padEnd(10), 'quiet'), piece(known ? words : '', 'text')];
  return [line, good || !known ? RANK.met : RANK.unmet];
}
