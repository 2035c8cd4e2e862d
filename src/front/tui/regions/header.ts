import { cutToWidth } from '../../../base/text-width.ts';
import { drawLine, drawRight, lineWidth } from '../draw.ts';
import type { Painter } from '../frame/painter.ts';
import { rect } from '../frame/rect.ts';
import { currentAsk } from '../modals/ask-state.ts';
import { facts, type Line, piece } from '../piece.ts';
import type { Scene } from '../scene.ts';
import { MODE_WORDS } from './hint-parts.ts';

/** Session and branch at the left, the chords in force at the right, above the separator (LA-3, LA-5). */
export function drawHeader(painter: Painter, scene: Scene): void {
  const { header, separator } = scene.layout;
  const { theme, view, keymap } = scene;
  const { head } = view;
  if (header.height === 0) return;
  painter.hit(header, { region: 'header' });
  const width = header.width - 2;
  const x = header.x + 1;

  const help: Line = facts([
    [piece(`[${keymap.label('help') ?? '/help'}]`, 'accent'), piece(' Help', 'quiet')],
    [piece(`[${keymap.label('focus') ?? 'Tab'}]`, 'accent'), piece(` ${nextFocusWord(scene)}`, 'quiet')],
  ]);
  const place = placeLine(scene);
  const used = drawRight(
    painter,
    theme,
    x,
    header.y,
    header.height > 1 && lineWidth(help) <= width - 24 ? help : [],
    width,
  );
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
    drawRight(painter, theme, x + left + 2, header.y, place, width - left - 2);
  } else {
    const mode: Line = [
      piece(`[${keymap.label('next-mode') ?? ''}]`, 'accent'),
      piece(' Mode: ', 'quiet'),
      piece(MODE_WORDS[head.mode], head.mode === 'ask' ? 'text' : 'strong'),
    ];
    const right = drawRight(painter, theme, x, header.y + 1, lineWidth(mode) <= width - 20 ? mode : [], width);
    drawLine(painter, theme, x, header.y + 1, fitPlace(place, width - right - 2), width - right - 2);
  }
  if (separator.height > 0) painter.fill(rect(separator.x, separator.y, separator.width, 1), theme.styles.line, '─');
}

function nextFocusWord({ view, screen }: Scene): string {
  if (screen.focus === 'prompt') return currentAsk(view, screen.client) === null ? 'Transcript' : 'Question';
  return screen.focus === 'question' ? 'Transcript' : 'Prompt';
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
