import type { View } from '../../../protocol/view.ts';
import { drawLine } from '../draw.ts';
import type { Painter } from '../frame/painter.ts';
import type { Rect } from '../frame/rect.ts';
import { type Line, piece } from '../piece.ts';
import type { Scene } from '../scene.ts';
import type { Role } from '../theme.ts';
import { shortFolder } from './header.ts';
import { MODE_WORDS } from './hint-parts.ts';

/** What an empty session shows: what it will fly with, and what to try. Gone with the first prompt (§20). */
export function drawPreflight(painter: Painter, scene: Scene, area: Rect): void {
  const lines = preflightLines(scene);
  const room = area.height - lines.length;
  const from = area.y + Math.max(0, Math.min(Math.floor(room / 3), 6));
  lines.slice(0, area.height).forEach((line, index) => {
    drawLine(painter, scene.theme, area.x + (area.width > 60 ? 4 : 0), from + index, line, area.width);
  });
}

function preflightLines(scene: Scene): Line[] {
  const { view, keymap, screen } = scene;
  const { head } = view;
  const ready = head.ready && head.startupProblem === null;
  const model = head.model === null ? null : `${head.model.provider}:${head.model.model}`;
  const title: Line = [
    piece('▲ ', 'accent'),
    piece('HOUSTON', 'heading'),
    piece(`  ${head.version === '' ? '' : `v${head.version}`}`, 'quiet'),
  ];
  const checks: Line[] = [
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
    check(head.notSaved === null, 'saved', head.notSaved ?? 'every word, as it is said', screen.attached),
  ];
  const problem: Line[] =
    head.startupProblem === null ? [] : [[], [piece('✗ ', 'bad'), piece(head.startupProblem.message, 'text')]];
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
  return [
    title,
    [],
    ...checks,
    ...problem,
    [],
    status,
    [],
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
}

const CURES = [
  { name: '/model', words: 'chooses a model' },
  { name: '/login', words: 'signs in' },
  { name: '/settings', words: 'changes settings' },
] as const;

/** The commands that may cure a start that failed; none where there is no session that could run them. */
export function cures({ head }: View): readonly (typeof CURES)[number][] {
  return CURES.filter(({ name }) => head.commands.some((command) => `/${command.name}` === name));
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

/** `off` alone was wanted; with a reason behind it, it was not. */
function confinedWords(sandbox: string): string {
  if (!sandbox.startsWith('off')) return sandbox;
  return `no: commands run with your own rights${sandbox.slice('off'.length).replace(/^: /, '; ')}`;
}

function check(good: boolean, name: string, words: string, known: boolean): Line {
  const [mark, role]: [string, Role] = !known ? ['◌ ', 'quiet'] : good ? ['● ', 'good'] : ['○ ', 'warn'];
  return [piece(mark, role), piece(name.padEnd(10), 'quiet'), piece(known ? words : '', 'text')];
}
