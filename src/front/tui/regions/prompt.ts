import { cutToWidth } from '../../../base/text-width.ts';
import type { LiveMessage } from '../../../protocol/view.ts';
import { isRunning } from '../../commands/facts.ts';
import { type BoxWords, drawBox, firstThatFits, lineWidth } from '../draw.ts';
import type { Layout as TextLayout } from '../editor/layout.ts';
import { type EditorStyles, type EditorView, paintEditor } from '../editor/paint-editor.ts';
import { visualRange } from '../editor/vi-state.ts';
import { clockTime, count } from '../figures.ts';
import type { Painter } from '../frame/painter.ts';
import { rect } from '../frame/rect.ts';
import { argumentHint, commandLength, ghostOf } from '../ghost.ts';
import { DRAWS_ALL, type Keeper } from '../kept-regions.ts';
import { promptInner } from '../layout.ts';
import { modelText } from '../model-text.ts';
import { oneLine } from '../one-line.ts';
import { facts, type Line, type Piece, piece } from '../piece.ts';
import { isRecalled, type PromptState } from '../prompt-state.ts';
import { orbit, type Scene } from '../scene.ts';
import { footerFigures, movingFigures } from './footer-figures.ts';
import { cures } from './preflight.ts';

/**
 * The box one types into, with the figures of the session on its border. Answers the first visible row (FO-1, FO-2, FO-15).
 * `settled` is `Ground.settled`: a stream changes the box as far as it changes its words.
 */
export function drawPrompt(
  painter: Painter,
  scene: Scene,
  textLayout: TextLayout,
  keeper: Keeper = DRAWS_ALL,
  settled = 0,
): number {
  const { layout, theme, screen, view, keymap } = scene;
  const { prompt, completion, ghostHidden, workspace, focus, modals } = screen;
  const from = [
    layout.promptBorder,
    prompt,
    completion,
    ghostHidden,
    workspace,
    screen.update,
    focus,
    modals.length,
    isRunning(view),
    theme,
    keymap,
    settled,
    ...(layout.promptBorder ? movingWords(scene) : []),
  ];
  return keeper.keep('prompt', layout.prompt, from, () =>
    drawInBox(painter, scene, textLayout, layout.promptBorder ? borderWords(scene) : {}),
  );
}

/** What stands on the border, already chosen for the room there is. */
function borderWords(scene: Scene): BoxWords {
  const { view } = scene;
  const { width } = scene.layout.prompt;
  const own = piece(`HOUSTON${view.head.version === '' ? '' : ` v${view.head.version}`}`, 'quiet');
  const version: Line =
    scene.screen.update === null ? [own] : [piece('/update ready', 'accent'), piece(' • ', 'quiet'), own];
  const narrow = width < 60;
  const room = width - 6 - (narrow ? 0 : lineWidth(version) + 3);
  const topRoom = width - 6;
  const status = statusLines(scene);
  const model = modelLine(scene);
  // While something runs its keys give way to the model's name: which one works matters more than a second way to stop it.
  const name = isRunning(view) && model.length > 0 ? lineWidth(model.at(-1)!) + 3 : 0;
  const beside = firstThatFits(status, topRoom - name);
  const left = beside.length > 0 ? beside : firstThatFits(status, topRoom);
  return {
    topLeft: left,
    topRight: firstThatFits(model, topRoom - lineWidth(left) - 3),
    bottomLeft: firstThatFits(footerFigures(view, scene.now), room),
    bottomRight: narrow ? [] : version,
  };
}

/** What the words on the border change with, beside what the box itself is drawn from: much less work than the words. */
function movingWords(scene: Scene): readonly unknown[] {
  const { view, screen, now } = scene;
  const { activity, head } = view;
  const { retry, since } = activity;
  return [
    activity,
    orbit(scene),
    since === null ? '' : clockTime(now - since),
    retry === null ? '' : clockTime(timeLeft(retry.at, now)),
    workWords(scene),
    tokenWords(view.live),
    // Both may come without a change of the session's.
    head.startupProblem,
    screen.attached,
    ...movingFigures(view, now),
  ];
}

function drawInBox(painter: Painter, scene: Scene, textLayout: TextLayout, words: BoxWords): number {
  const { layout, theme, screen, view } = scene;
  const { prompt: area } = layout;
  const { prompt } = screen;
  const shell = prompt.shell !== 'off';
  const role = shell ? 'muse' : screen.focus === 'prompt' ? 'accent' : 'line';
  painter.hit(area, { region: 'prompt' });
  if (layout.promptBorder) drawBox(painter, theme, area, role, words);
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
  const top = paintEditor(painter, inner, prompt.editor.buffer, textLayout, styles, {
    top: prompt.top,
    focused: screen.modals.length === 0,
    ...invitation,
    ...viLook(prompt),
  });
  const command = top === 0 ? commandLength(screen, view) : 0;
  const clip = painter.within(inner);
  if (command > 0) clip.restyle(rect(inner.x, inner.y, command, 1), theme.styles.accent);
  drawAfterCaret(clip, scene, textLayout, top);
  return top;
}

/** In vi the cursor says the mode, and the selection holds the cell it stands on. */
function viLook({ vi, editor }: PromptState): Pick<EditorView, 'cursor' | 'selection'> {
  if (vi === null || vi.mode === 'insert') return {};
  return { cursor: vi.mode === 'replace' ? 'underline' : 'block', selection: visualRange(vi, editor) };
}

/** Dim behind the caret, and never part of the text: what a command still wants, or how the line went on before. */
function drawAfterCaret(painter: Painter, scene: Scene, textLayout: TextLayout, top: number): void {
  const { screen, view, theme, layout } = scene;
  const words = argumentHint(screen, view) || ghostOf(screen);
  if (words === '') return;
  const inner = promptInner(layout);
  const { row, column } = textLayout.place(screen.prompt.editor.buffer.caret);
  const room = inner.width - column;
  painter.text(inner.x + column, inner.y + row - top, cutToWidth(words, room), theme.styles.ghost, room);
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
  sleeping: 'Asleep until the usage limit is lifted',
  compacting: 'Compacting',
  shell: 'Your shell',
  command: 'Working',
  stopping: 'Stopping',
} as const;

/** Upper left: what runs, for how long, and the key that stops it; from whole to least. */
function statusLines(scene: Scene): Line[] {
  const { view, screen, now } = scene;
  const { activity, live } = view;
  if (screen.prompt.shell !== 'off') {
    const words = screen.prompt.shell === 'private' ? 'Shell, for your eyes only' : 'Shell';
    return [[piece(words, 'muse'), piece(' • your own, unasked • [Esc] leaves it', 'quiet')], [piece(words, 'muse')]];
  }
  if (isRecalled(screen.prompt)) return historyWords(scene);
  if (view.head.startupProblem !== null && (activity.phase === 'starting' || activity.phase === 'idle'))
    return problemLines(scene, view.head.startupProblem.message);
  if (activity.phase === 'idle') return [[piece('Ready', 'quiet')]];
  const glyph = piece(`${orbit(scene)} `, activity.phase === 'asking' ? 'warn' : 'signal');
  if (activity.phase === 'retrying' && activity.retry !== null) {
    const { at, attempt, attempts, failure } = activity.retry;
    const left = clockTime(timeLeft(at, now));
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
  if (activity.phase === 'sleeping' && activity.retry !== null) {
    const left = clockTime(timeLeft(activity.retry.at, now));
    const lifted = piece(`asleep, goes on in ${left}`, 'text');
    return [
      [
        glyph,
        piece(activity.retry.failure.message, 'warn'),
        piece(' • ', 'quiet'),
        lifted,
        piece(' • Esc ends it', 'quiet'),
      ],
      [glyph, lifted, piece(' • Esc ends it', 'quiet')],
      [glyph, lifted],
    ];
  }
  const words = workWords(scene);
  const time = activity.since === null ? '' : clockTime(now - activity.since);
  const written = tokenWords(live);
  const tokens = written === '' ? [] : [piece(written, 'quiet')];
  const waiting = recallWords(scene);
  const timed = time === '' ? [] : [piece(time, 'text')];
  return [
    [glyph, ...facts([[piece(words, 'text')], timed, tokens, waiting]), stopWords(scene)],
    [glyph, ...facts([[piece(words, 'text')], timed]), stopWords(scene)],
    [glyph, ...facts([[piece(words, 'text')], timed])],
    [glyph, piece(words, 'text')],
  ];
}

/** What it is at. */
function workWords({ view, layout }: Scene): string {
  const { activity, live } = view;
  const thought = activity.phase === 'thinking' && view.head.thinking === 'status' ? newestThought(live) : '';
  if (thought !== '') return cutToWidth(thought, Math.floor(layout.prompt.width * THOUGHT_SHARE));
  return activity.detail !== '' ? activity.detail : (writingCall(live) ?? PHASES[activity.phase]);
}

function tokenWords(live: LiveMessage | null): string {
  const written = live === null ? 0 : live.tokens + callTokens(live);
  return written < 1 ? '' : `${count(written)} tokens`;
}

/** Until a try, rounded up to the second it will be shown as. */
function timeLeft(at: number, now: number): number {
  return Math.max(0, at - now) + 999;
}

/** What Alt-C does while something runs (KY-1). */
function recallWords({ view, keymap }: Scene): Line {
  const chord = keymap.label('recall');
  const { rows } = view.queue;
  if (chord === null || view.activity.phase === 'starting' || view.activity.phase === 'stopping') return [];
  const steers = rows.some((row) => row.delivery === 'steering');
  const words = rows.length === 0 ? 'to cancel' : steers ? 'to edit steering' : 'to edit what waits';
  return [piece(`[${chord}]`, 'accent'), piece(` ${words}`, 'quiet')];
}

/** Nothing runs and nothing will, until what is wrong is cured (decisions §10.7). */
function problemLines(scene: Scene, message: string): Line[] {
  const mark = piece('✗ ', 'bad');
  const cure = cures(scene.view)[0];
  const way: Line = cure === undefined ? [] : [piece(cure.name, 'accent'), piece(` ${cure.words}`, 'quiet')];
  return [
    [mark, ...facts([[piece(message, 'text')], way])],
    [mark, piece(message, 'text')],
    [mark, ...facts([[piece('Could not start', 'text')], way])],
    [mark, piece('Could not start', 'text')],
  ];
}

function stopWords({ view }: Scene) {
  return piece(view.activity.phase === 'starting' || view.activity.phase === 'stopping' ? '' : ' • Esc stops', 'quiet');
}

/** The call the model is writing right now, by its name (TR-3). */
function writingCall(live: LiveMessage | null): string | null {
  const last = live?.parts.at(-1);
  return last?.type === 'call' ? `Writing ${oneLine(last.title === '' ? last.tool : last.title)}` : null;
}

/** Of the border's width; the rest is for the clock, the key that stops it and the model. */
const THOUGHT_SHARE = 0.4;

/** The line of thinking that is being written; empty where the model is at something else. */
function newestThought(live: LiveMessage | null): string {
  const last = live?.parts.at(-1);
  if (last?.type !== 'thinking') return '';
  const text = last.text.trimEnd();
  return oneLine(text.slice(text.lastIndexOf('\n') + 1).trimStart());
}

/** About four bytes a token. */
function callTokens(live: LiveMessage): number {
  return live.parts.reduce((sum, part) => sum + (part.type === 'call' ? part.inputBytes / 4 : 0), 0);
}

/** While walking through what was sent: where one is, and the keys that search it; the narrowing one goes first (STASH-3). */
function historyWords({ screen, keymap }: Scene): Line[] {
  const { walk, sent } = screen.prompt;
  const place = [piece(`Sent before: ${(walk?.at ?? 0) + 1} of ${sent.length}`, 'text')];
  const key = (command: string, words: string): Line => {
    const chord = keymap.label(command);
    return chord === null ? [] : [piece(`[${chord}]`, 'accent'), piece(` ${words}`, 'quiet')];
  };
  const search = key('history', 'searches');
  return [facts([place, search, key('stash', 'in this workspace')]), facts([place, search]), place];
}

/** Upper right: the model, how hard it thinks, and at rest the key that changes it (FO-14). */
function modelLine({ view, screen, keymap }: Scene): Line[] {
  const { model, pendingModel, effort } = view.head;
  if (model === null && pendingModel === null) {
    // Before the session is there none may be known yet: then nothing is claimed.
    if (!screen.attached) return [];
    // Where one can sign in, that is what is missing.
    const way = view.head.commands.some((command) => command.name === 'login') ? '/login' : '/model';
    return [[piece('no model', 'warn'), piece(`  ${way}`, 'accent')], [piece(way, 'accent')]];
  }
  const shown = (pendingModel ?? model)!;
  // Fast mode is seen by the model's name alone, and without colour too (FA-6, FA-8).
  const quick = view.head.fast?.on === true && view.head.fast.offered && pendingModel === null;
  const label = (text: string): Piece => (quick ? { ...piece(text, 'link'), bold: true } : piece(text, 'text'));
  const whole = modelText(shown, 'default');
  const thinking = piece(modelText(shown, effort).slice(whole.length), 'text');
  const quota = quotaWords(view);
  const next: Line = pendingModel === null ? [] : [piece(' from the next turn', 'quiet')];
  const chord = keymap.label('model');
  const key: Line = isRunning(view) || chord === null ? [] : [piece(` [${chord}]`, 'accent')];
  const short = shown.model;
  return [
    [...quota, label(whole), thinking, ...next, ...key],
    [...quota, label(whole), thinking],
    [label(whole), thinking],
    [label(short)],
  ];
}

/** `Codex 72/100%(w) •`: what is used of an account's allowance, whatever model is chosen (FO-16). */
function quotaWords({ head }: Scene['view']): Line {
  const { quota } = head;
  if (quota === null || quota === undefined) return [];
  const { label, used, window } = quota;
  return [
    piece(`${label} `, 'quiet'),
    piece(`${used}/100%(${window})`, used >= 80 ? 'warn' : 'text'),
    piece(' • ', 'quiet'),
  ];
}
