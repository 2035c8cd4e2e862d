import type { TextRole } from '../../base/styled-line.ts';
import { readable, tint } from './color.ts';
import { contrast, isLight } from './frame/color.ts';
import type { Style } from './frame/painter.ts';

/** What a piece of the screen is; the theme alone knows how that looks (docs/screen-style.md). */
export type Role =
  | TextRole
  | 'strong'
  | 'quiet'
  | 'accent'
  | 'signal'
  | 'good'
  | 'bad'
  | 'warn'
  | 'muse'
  | 'said'
  | 'struck'
  | 'addedRow'
  | 'removedRow'
  | 'hunk'
  | 'quarantine'
  | 'selection'
  | 'chosen'
  | 'match'
  | 'ghost';

export type ThemeChoice = 'auto' | 'dark' | 'light';

export interface Theme {
  readonly kind: 'dark' | 'light';
  /** False under NO_COLOR: attributes alone tell things apart. */
  readonly color: boolean;
  readonly styles: Readonly<Record<Role, Style>>;
}

interface Palette {
  readonly text: number;
  readonly quiet: number;
  readonly line: number;
  readonly accent: number;
  readonly signal: number;
  readonly good: number;
  readonly bad: number;
  readonly warn: number;
  readonly muse: number;
  readonly string: number;
  readonly name: number;
}

const DARK: Palette = {
  text: 0xdfe5ec,
  quiet: 0x93a0ae,
  line: 0x66717f,
  accent: 0xffb454,
  signal: 0x5cc8d7,
  good: 0x7fd081,
  bad: 0xff7b72,
  warn: 0xf2a03d,
  muse: 0xc3a6ff,
  string: 0xa9d184,
  name: 0x82b6ff,
};

const LIGHT: Palette = {
  text: 0x1f2328,
  quiet: 0x57606a,
  line: 0x868e97,
  accent: 0x9a5200,
  signal: 0x0b6b7d,
  good: 0x1f7a33,
  bad: 0xb42318,
  warn: 0xa34700,
  muse: 0x6a3dbd,
  string: 0x3f6f13,
  name: 0x1258b0,
};

const TEXT_CONTRAST = 4.5;
const LINE_CONTRAST = 3;

/** What the terminal answered about itself; null where it said nothing. */
export interface TerminalColors {
  readonly background: number | null;
  readonly foreground: number | null;
}

/** The theme for a terminal: `auto` follows the luminance of the real background, unknown counts as dark (TERM-6). */
export function makeTheme(choice: ThemeChoice, terminal: TerminalColors, color: boolean): Theme {
  const measured = terminal.background !== null && isLight(terminal.background) ? 'light' : 'dark';
  const kind = choice === 'auto' ? measured : choice;
  if (!color) return { kind, color: false, styles: PLAIN };
  const palette = kind === 'dark' ? DARK : LIGHT;
  const ground = terminal.background ?? (kind === 'dark' ? 0x16191d : 0xffffff);
  const raised = tint(ground, palette.accent, 0.1);
  const sunk = tint(ground, palette.text, 0.07);
  const plus = tint(ground, palette.good, 0.14);
  const minus = tint(ground, palette.bad, 0.14);
  const picked = tint(ground, palette.signal, 0.28);
  // One tone a role, readable on every ground it may be drawn on.
  const known = new Map<number, number>();
  const on = (wanted: number): number => {
    const tone = known.get(wanted) ?? readable(wanted, [ground, raised, sunk, plus, minus], TEXT_CONTRAST);
    known.set(wanted, tone);
    return tone;
  };
  // A person's own text colour is kept unless it cannot be read on the background the terminal really has.
  const own = terminal.foreground;
  const text = own === null || contrast(own, ground) >= TEXT_CONTRAST ? null : on(palette.text);
  const solid = readable(own ?? palette.text, [ground, raised, sunk, plus, minus, picked], TEXT_CONTRAST);
  const accent = on(palette.accent);
  const signal = on(palette.signal);
  return {
    kind,
    color: true,
    styles: {
      text: { fg: text },
      strong: { fg: text, bold: true },
      quiet: { fg: on(palette.quiet) },
      line: { fg: readable(palette.line, [ground, sunk], LINE_CONTRAST) },
      accent: { fg: accent },
      signal: { fg: signal },
      good: { fg: on(palette.good) },
      bad: { fg: on(palette.bad) },
      warn: { fg: on(palette.warn) },
      muse: { fg: on(palette.muse) },
      said: { fg: solid, bg: raised },
      struck: { fg: on(palette.quiet), strike: true },
      heading: { fg: accent, bold: true },
      link: { fg: signal, underline: true },
      url: { fg: on(palette.quiet), underline: true },
      quote: { fg: on(palette.quiet), italic: true },
      marker: { fg: accent },
      'table-head': { fg: text, bold: true },
      code: { fg: on(palette.name) },
      'code-block': { fg: solid, bg: sunk },
      keyword: { fg: on(palette.muse) },
      string: { fg: on(palette.string) },
      number: { fg: on(palette.warn) },
      comment: { fg: on(palette.quiet), italic: true },
      function: { fg: on(palette.name) },
      type: { fg: signal },
      variable: { fg: solid },
      operator: { fg: on(palette.quiet) },
      attribute: { fg: signal },
      meta: { fg: on(palette.quiet) },
      added: { fg: on(palette.good) },
      removed: { fg: on(palette.bad) },
      addedRow: { fg: solid, bg: plus },
      removedRow: { fg: solid, bg: minus },
      hunk: { fg: on(palette.quiet) },
      quarantine: { fg: on(palette.warn) },
      selection: { fg: solid, bg: picked },
      chosen: { fg: solid, bg: raised },
      match: { fg: solid, bg: picked, bold: true },
      ghost: { fg: on(palette.quiet) },
    },
  };
}

const PLAIN: Readonly<Record<Role, Style>> = {
  text: {},
  strong: { bold: true },
  quiet: { dim: true },
  line: { dim: true },
  accent: { bold: true },
  signal: {},
  good: {},
  bad: { bold: true },
  warn: { bold: true },
  muse: { italic: true },
  said: { bold: true },
  struck: { strike: true },
  heading: { bold: true, underline: true },
  link: { underline: true },
  url: { underline: true },
  quote: { italic: true },
  marker: { bold: true },
  'table-head': { bold: true },
  code: {},
  'code-block': {},
  keyword: { bold: true },
  string: {},
  number: {},
  comment: { dim: true },
  function: {},
  type: {},
  variable: {},
  operator: {},
  attribute: {},
  meta: { dim: true },
  added: { bold: true },
  removed: {},
  addedRow: { bold: true },
  removedRow: {},
  hunk: { dim: true },
  quarantine: { bold: true },
  selection: { inverse: true },
  chosen: { inverse: true },
  match: { inverse: true },
  ghost: { dim: true },
};
