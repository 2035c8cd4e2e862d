import { isRunning } from '../../commands/facts.ts';
import { drawBox, firstThatFits, lineWidth } from '../draw.ts';
import type { Layout as TextLayout } from '../editor/layout.ts';
import { type EditorStyles, paintEditor } from '../editor/paint-editor.ts';
import { clockTime } from '../figures.ts';
import type { Painter } from '../frame/painter.ts';
import { promptInner } from '../layout.ts';
import { modelText } from '../modals/modal.ts';
import { facts, type Line, piece } from '../piece.ts';
import { orbit, type Scene } from '../scene.ts';
import { footerFigures } from './footer-figures.ts';

/** The box one types into, with the figures of the session on its border. Answers the first visible row (FO-1, FO-2, FO-15). */
export function drawPrompt(painter: Painter, scene: Scene, textLayout: TextLayout): number {
  const { layout, theme, screen, view } = scene;
  const { prompt: area } = layout;
  const { prompt } = screen;
  const shell = prompt.shell !== 'off';
  const role = shell ? 'muse' : screen.focus === 'prompt' ? 'accent' : 'line';
  painter.hit(area, { region: 'prompt' });
  if (layout.promptBorder) {
    const version: Line = [piece(`HOUSTON${view.head.version === '' ? '' : ` v${view.head.version}`}`, 'quiet')];
    const narrow = area.width < 60;
    const room = area.width - 6 - (narrow ? 0 : lineWidth(version) + 3);
    const status = statusLines(scene);
    const model = modelLine(scene);
    const topRoom = area.width - 6;
    const left = firstThatFits(status, topRoom);
    drawBox(painter, theme, area, role, {
      topLeft: left,
      topRight: firstThatFits(model, topRoom - lineWidth(left) - 3),
      bottomLeft: firstThatFits(footerFigures(view, scene.now), room),
      bottomRight: narrow ? [] : version,
    });
  }
  const inner = promptInner(layout);
  const mark = prompt.shell === 'private' ? '‼' : shell ? '!' : '❯';
  painter.text(inner.x - 2, inner.y, mark, theme.styles[shell ? 'muse' : 'accent']);
  const styles: EditorStyles = {
    text: theme.styles.text,
    selection: theme.styles.selection,
    atom: theme.styles.signal,
    atomAtCaret: theme.styles.selection,
    placeholder: theme.styles.ghost,
  };
  const invitation = shell
    ? {}
    : { placeholder: isRunning(view) ? 'Steer it, or queue what comes next' : 'What shall be done?' };
  // The real cursor stands in the box also while something else has the keys: input methods look for it there.
  return paintEditor(painter, inner, prompt.editor.buffer, textLayout, styles, {
    top: prompt.top,
    focused: screen.modals.length === 0,
    ...invitation,
  });
}

const PHASES = {
  starting: 'Getting ready',
  idle: '',
  waiting: 'Waiting for the model',
  thinking: 'Thinking',
  writing: 'Writing',
  tools: 'At work',
  asking: 'Asks you',
  retrying: 'Trying again',
  compacting: 'Compacting',
  shell: 'Your shell',
  stopping: 'Stopping',
} as const;

/** Upper left: what runs, for how long, and the key that stops it; from whole to least. */
function statusLines(scene: Scene): Line[] {
  const { view, screen, keymap, now } = scene;
  const { activity, live } = view;
  if (screen.prompt.shell !== 'off') {
    const words = screen.prompt.shell === 'private' ? 'Shell, for your eyes only' : 'Shell';
    return [[piece(words, 'muse'), piece(' • your own, unasked • [Esc] leaves it', 'quiet')], [piece(words, 'muse')]];
  }
  if (activity.phase === 'idle') return [[piece(screen.prompt.walk === null ? 'Ready' : historyWords(scene), 'quiet')]];
  const glyph = piece(`${orbit(scene)} `, activity.phase === 'asking' ? 'warn' : 'signal');
  if (activity.phase === 'retrying' && activity.retry !== null) {
    const { at, attempt, attempts, failure } = activity.retry;
    const left = clockTime(Math.max(0, at - now) + 999);
    return [
      [
        glyph,
        piece(failure.message, 'warn'),
        ...[piece(` • again in ${left} • try ${attempt} of ${attempts}`, 'text')],
        stopWords(scene),
      ],
      [glyph, piece(`again in ${left} • try ${attempt} of ${attempts}`, 'text'), stopWords(scene)],
      [glyph, piece(`again in ${left}`, 'text')],
    ];
  }
  const words = activity.detail !== '' ? activity.detail : PHASES[activity.phase];
  const time = activity.since === null ? '' : clockTime(now - activity.since);
  const tokens = live === null || live.tokens < 1 ? [] : [piece(`${Math.round(live.tokens)} tokens`, 'quiet')];
  const waiting =
    view.queue.rows.length > 0 && keymap.label('recall') !== null
      ? [piece(`[${keymap.label('recall')}]`, 'accent'), piece(' edits what waits', 'quiet')]
      : [];
  const timed = time === '' ? [] : [piece(time, 'text')];
  return [
    [glyph, ...facts([[piece(words, 'text')], timed, tokens, waiting]), stopWords(scene)],
    [glyph, ...facts([[piece(words, 'text')], timed]), stopWords(scene)],
    [glyph, ...facts([[piece(words, 'text')], timed])],
    [glyph, piece(words, 'text')],
  ];
}

function stopWords({ view }: Scene) {
  return piece(view.activity.phase === 'starting' || view.activity.phase === 'stopping' ? '' : ' • Esc stops', 'quiet');
}

function historyWords({ screen, keymap }: Scene): string {
  const { walk, sent } = screen.prompt;
  const search = keymap.label('history');
  return `Sent before: ${(walk?.at ?? 0) + 1} of ${sent.length}${search === null ? '' : ` • [${search}] searches`}`;
}

/** Upper right: the model, how hard it thinks, and at rest the key that changes it (FO-14). */
function modelLine({ view, keymap }: Scene): Line[] {
  const { model, pendingModel, effort } = view.head;
  if (model === null && pendingModel === null) {
    // Where one can sign in, that is what is missing.
    const way = view.head.commands.some((command) => command.name === 'login') ? '/login' : '/model';
    return [[piece('no model', 'warn'), piece(`  ${way}`, 'accent')], [piece(way, 'accent')]];
  }
  const name = modelText((pendingModel ?? model)!, effort);
  const next: Line = pendingModel === null ? [] : [piece(' from the next turn', 'quiet')];
  const chord = keymap.label('model');
  const key: Line = isRunning(view) || chord === null ? [] : [piece(` [${chord}]`, 'accent')];
  const short = (pendingModel ?? model)!.model;
  return [[piece(name, 'text'), ...next, ...key], [piece(name, 'text')], [piece(short, 'text')]];
}
