import { cutToWidth } from '../../../base/text-width.ts';
import { drawLine, drawRight, lineWidth } from '../draw.ts';
import type { Painter, Target } from '../frame/painter.ts';
import { rect } from '../frame/rect.ts';
import { currentAsk } from '../modals/ask-state.ts';
import { PANELS, type PanelName, panelAfter } from '../panels/stack.ts';
import { facts, type Line, piece, SEPARATOR } from '../piece.ts';
import type { Scene } from '../scene.ts';
import { sideLine } from '../side-area.ts';
import { MODE_WORDS } from './hint-parts.ts';

/** Session and branch at the left, the chords in force at the right, above the separator (LA-3, LA-5). */
export function drawHeader(painter: Painter, scene: Scene): void {
  const { header, separator } = scene.layout;
  const { theme, view, keymap, screen } = scene;
  const { head } = view;
  if (header.height === 0) return;
  painter.hit(header, { region: 'header' });
  const width = header.width - 2;
  const x = header.x + 1;

  const open = screen.panels.stack.open.length > 0;
  const roomFor = (line: Line): boolean =>
    lineWidth(line) + lineWidth(sideLine(scene.side?.status ?? 'none')) <= width - 24;
  const keys: Line = facts([
    [piece(`[${keymap.label('help') ?? '/help'}]`, 'accent'), piece(' Help', 'quiet')],
    [piece(`[${keymap.label('focus') ?? 'Tab'}]`, 'accent'), piece(` ${nextFocusWord(scene)}`, 'quiet')],
  ]);
  const toggles = screen.panels.offered ? panelToggles(scene) : [];
  const entries = toggles.flatMap(({ line }) => line);
  // The panels' entries stand beside the keys where both fit, and in their place while a panel is open.
  const both = toggles.length > 0 && roomFor([...keys, SEPARATOR, ...entries]);
  const shown: Line = both ? [...keys, SEPARATOR, ...entries] : open && lineWidth(entries) <= width ? entries : keys;
  const place = placeLine(scene);
  const fits = header.height > 1 && (roomFor(shown) || (open && !both));
  // A side conversation that runs or waits comes before all of them (SI-4).
  const side = sideLine(scene.side?.status ?? 'none');
  const edge = drawRight(painter, theme, x, header.y, side, width);
  const rest = width - (edge > 0 ? edge + 3 : 0);
  const keysUsed = drawRight(painter, theme, x, header.y, fits ? shown : [], rest);
  if (keysUsed > 0 && shown !== keys) hitToggles(painter, toggles, x + rest, header.y);
  const used = keysUsed + width - rest;
  const room = width - used - (used > 0 ? 2 : 0);
  const title = head.title === '' ? 'New session' : head.title;
  const left = drawLine(
    painter,
    theme,
    x,
    header.y,
    [piece('▲ ', 'accent'), piece(cutToWidth(title, room - 2), 'strong')],
    room,
  );
  if (header.height === 1) {
    drawRight(painter, theme, x + left + 2, header.y, place, rest - left - 2);
  } else {
    const mode: Line = [
      ...agentWords(scene),
      piece(`[${keymap.label('next-mode') ?? ''}]`, 'accent'),
      piece(' Mode: ', 'quiet'),
      piece(MODE_WORDS[head.mode], head.mode === 'ask' ? 'text' : 'strong'),
    ];
    const right = drawRight(painter, theme, x, header.y + 1, lineWidth(mode) <= width - 20 ? mode : [], width);
    drawLine(painter, theme, x, header.y + 1, fitPlace(place, width - right - 2), width - right - 2);
  }
  if (separator.height > 0) painter.fill(rect(separator.x, separator.y, separator.width, 1), theme.styles.line, '─');
}

interface Toggle {
  readonly line: Line;
  readonly target: Target | null;
}

const PANEL_WORDS: Readonly<Record<PanelName, string>> = { tree: 'Activities', files: 'Files', summary: 'Summary' };

/** `[Alt+1-3] [ ] Activities, [ ] Files, [ ] Summary • [Alt-A] Pin`: what is open is marked (LA-3, LA-4). */
function panelToggles({ keymap, screen }: Scene): Toggle[] {
  const { stack } = screen.panels;
  const chords = PANELS.map((name) => keymap.label(`panel-${name}`) ?? '');
  const together = chords.every((chord, at) => chord === `Alt-${at + 1}`);
  const pin = keymap.label('pin');
  return [
    { line: [piece(together ? '[Alt+1-3]' : `[${chords.join(' ')}]`, 'accent')], target: null },
    ...PANELS.map((name, at): Toggle => {
      const open = stack.open.includes(name);
      const words = `${open ? '[•]' : '[ ]'} ${PANEL_WORDS[name]}`;
      const comma = at < PANELS.length - 1 ? ',' : '';
      return {
        line: [piece(' '), piece(words, open ? 'signal' : 'quiet'), piece(comma, 'quiet')],
        target: { region: 'header', action: 'toggle', item: name },
      };
    }),
    { line: [SEPARATOR], target: null },
    {
      line: [piece(pin === null ? '' : `[${pin}] `, 'accent'), piece('Pin', stack.pinned ? 'signal' : 'quiet')],
      target: { region: 'header', action: 'pin' },
    },
  ];
}

/** What a press on them means, from the right end on. */
function hitToggles(painter: Painter, toggles: readonly Toggle[], end: number, y: number): void {
  let x = end;
  for (const { line, target } of toggles.toReversed()) {
    const width = lineWidth(line);
    x -= width;
    if (target !== null) painter.hit(rect(x, y, width, 1), target);
  }
}

/** Whom the person talks with, where it is not Houston itself. */
function agentWords({ view, keymap }: Scene): Line {
  const { agent } = view.head;
  if (agent === undefined || agent === null) return [];
  const chord = keymap.label('next-agent');
  return [
    ...(chord === null ? [] : [piece(`[${chord}]`, 'accent'), piece(' ', 'quiet')]),
    piece('Agent: ', 'quiet'),
    piece(cutToWidth(agent, 24), 'strong'),
    piece('   ', 'quiet'),
  ];
}

function nextFocusWord({ view, screen }: Scene): string {
  if (screen.focus === 'prompt') return currentAsk(view, screen.client) === null ? 'Transcript' : 'Question';
  if (screen.focus === 'question') return 'Transcript';
  const next = panelAfter(screen.panels.stack, screen.focus);
  return next === 'prompt' ? 'Prompt' : PANEL_WORDS[next];
}

/** `Cwd: ~/code/app • Branch: main`, and what keeps words from reaching the disk. */
function placeLine(scene: Scene): Line {
  const { head } = scene.view;
  return facts([
    // First, so that no long folder ever hides it; why, where there is room.
    head.notSaved === null ? [] : [piece('Not saved', 'warn')],
    head.folder === '' ? [] : [piece('Cwd: ', 'quiet'), piece(shortFolder(head.folder, head.home), 'text')],
    head.gitBranch === null ? [] : [piece('Branch: ', 'quiet'), piece(head.gitBranch, 'signal')],
    head.notSaved === null ? [] : [piece(head.notSaved, 'warn')],
  ]);
}

/** A path too long loses its beginning, the part that says least. */
function fitPlace(line: Line, width: number): Line {
  const total = line.reduce((sum, each) => sum + each.text.length, 0);
  if (total <= width) return line;
  const folder = line.findIndex((each) => each.text === 'Cwd: ') + 1;
  return line.map((each, index) => {
    const spare = width - (total - each.text.length);
    if (index !== folder || spare >= each.text.length || spare < 4) return each;
    return { ...each, text: `…${each.text.slice(-(spare - 1))}` };
  });
}

export function shortFolder(folder: string, home: string | null): string {
  if (home !== null && folder === home) return '~';
  return home !== null && folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
}
