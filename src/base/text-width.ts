import { eastAsianWidth } from 'get-east-asian-width';
import { eachCluster, isPrintableAscii } from './graphemes.ts';

/**
 * How many cells text takes when drawn. Nothing is ever zero cells wide: what would not be seen by itself is drawn as a
 * mark, so that a caret can stand on it and no hidden character goes unnoticed.
 */

const TAB_SIZE = 4;
/** Stands for a character that has no shape of its own, and carries a combining mark that has nothing to sit on. */
const NOTHING = '\u25cc';
/** Stands for a character that would turn the direction of the text around it. */
const DIRECTION = '\u21c4';
const UNKNOWN = '\ufffd';

const COMBINING_AT_START = /^[\p{Mn}\p{Me}]/u;
const LONE_JAMO_AT_START = /^[\u1160-\u11ff\ud7b0-\ud7fb]/;
const PICTOGRAPH = /\p{Extended_Pictographic}/u;
const IDEOGRAPH = /\p{Unified_Ideograph}/u;
/** Scripts in which joiners shape the letters beside them. */
const JOINING_SCRIPT = /[\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1800-\u18af]/;

/**
 * The text as it may be drawn: control, direction and invisible characters become visible marks of one cell, except
 * where they shape what is seen (joiners inside emoji and some scripts, variation selectors behind their base).
 */
export function visible(text: string): string {
  if (isPrintableAscii(text)) return text;
  if (!holdsHidden(text)) return onBase(text);
  let shown = '';
  let before = '';
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at)!;
    const size = point > 0xffff ? 2 : 1;
    const drawn = drawnAs(point, before, text, at + size);
    // A mark is no base for what combines with the character it stands for.
    shown += drawn ?? text.slice(at, at + size);
    if (drawn !== null) before = '';
    else if (!isModifier(point)) before = text.slice(at, at + size);
    at += size;
  }
  return onBase(shown);
}

function holdsHidden(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (mayHide(text.charCodeAt(at))) return true;
  return false;
}

/** UTF-16 units that may have to be replaced: a quick test, `drawnAs` decides. */
function mayHide(unit: number): boolean {
  if (unit < 0x300) return unit < 0x20 || (unit >= 0x7f && unit < 0xa0) || unit === 0xad;
  if (unit < 0x2000) {
    return (
      unit === 0x34f ||
      unit === 0x61c ||
      unit === 0x115f ||
      unit === 0x1160 ||
      unit === 0x17b4 ||
      unit === 0x17b5 ||
      (unit >= 0x180b && unit <= 0x180f)
    );
  }
  if (unit < 0x2070) return (unit >= 0x200b && unit <= 0x200f) || (unit >= 0x2028 && unit <= 0x202e) || unit >= 0x2060;
  if (unit < 0xd800) return unit === 0x3164;
  // Surrogates: emoji pass, tags and lone halves do not.
  if (unit <= 0xdfff) return true;
  return (unit >= 0xfe00 && unit <= 0xfe0f) || unit === 0xfeff || unit === 0xffa0 || (unit >= 0xfff0 && unit <= 0xfffb);
}

function onBase(text: string): string {
  if (text.charCodeAt(0) < 0x300) return text;
  if (LONE_JAMO_AT_START.test(text)) return NOTHING + text.slice(1);
  return COMBINING_AT_START.test(text) ? NOTHING + text : text;
}

/** The mark for a character that must not be drawn as itself; null when it may. */
function drawnAs(point: number, before: string, text: string, next: number): string | null {
  if (point < 0x20) return String.fromCharCode(0x2400 + point);
  if (point < 0x7f) return null;
  if (point === 0x7f) return '\u2421';
  if (point < 0xa0) return UNKNOWN;
  if (point >= 0xd800 && point <= 0xdfff) return UNKNOWN;
  if (point === 0x200d) {
    const after = next < text.length ? String.fromCodePoint(text.codePointAt(next)!) : '';
    const joins = (PICTOGRAPH.test(before) && PICTOGRAPH.test(after)) || JOINING_SCRIPT.test(before);
    return joins ? null : NOTHING;
  }
  if (point === 0x200c) return JOINING_SCRIPT.test(before) ? null : NOTHING;
  if (point >= 0xfe00 && point <= 0xfe0f) return before === '' || before === ' ' ? NOTHING : null;
  if (point >= 0xe0100 && point <= 0xe01ef) return IDEOGRAPH.test(before) ? null : NOTHING;
  if (point >= 0xe0000 && point <= 0xe0fff) return isFlagTag(point, before) ? null : NOTHING;
  if (isDirectional(point)) return DIRECTION;
  if (point === 0x2028 || point === 0x2029) return '\u240a';
  if (point >= 0x180b && point <= 0x180f && JOINING_SCRIPT.test(before)) return null;
  return mayHide(point) ? NOTHING : null;
}

function isDirectional(point: number): boolean {
  return (
    point === 0x061c ||
    point === 0x200e ||
    point === 0x200f ||
    (point >= 0x202a && point <= 0x202e) ||
    (point >= 0x2066 && point <= 0x2069)
  );
}

/** Tag characters spell the region of a flag behind the black flag; anywhere else they are hidden text. */
function isFlagTag(point: number, before: string): boolean {
  return before === '\u{1f3f4}' && ((point >= 0xe0030 && point <= 0xe007a) || point === 0xe007f);
}

/** Characters that belong to the one before them, so that what follows still has that one as its base. */
function isModifier(point: number): boolean {
  return (
    (point >= 0xfe00 && point <= 0xfe0f) ||
    (point >= 0x1f3fb && point <= 0x1f3ff) ||
    (point >= 0xe0020 && point <= 0xe01ef) ||
    isCombining(point)
  );
}

const COMBINING = /^[\p{Mn}\p{Me}\p{Mc}]$/u;

function isCombining(point: number): boolean {
  return point >= 0x300 && COMBINING.test(String.fromCodePoint(point));
}

/** True where every UTF-16 unit is drawn as itself in one cell of its own: nearly all text of a frame, so told quickly. */
export function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit <= 0x7e ? unit < 0x20 : !isPlainSign(unit)) return false;
  }
  return true;
}

/** Letters of Latin; dashes, quotes, bullets and dots; arrows; box drawing, blocks and shapes but for the last, wide ones. */
function isPlainSign(unit: number): boolean {
  if (unit < 0x300) return unit > 0xa0 && unit !== 0xad;
  if (unit < 0x2190) return unit >= 0x2010 && unit <= 0x2027;
  return unit <= 0x21ff || (unit >= 0x2500 && unit <= 0x25fc);
}

/** Cells of one cluster of visible text: 1 or 2. */
export function clusterWidth(cluster: string): 1 | 2 {
  const first = cluster.codePointAt(0)!;
  const size = first > 0xffff ? 2 : 1;
  if (cluster.length === size) return first < 0x1100 ? 1 : eastAsianWidth(first);
  let width = 0;
  for (let at = 0; at < cluster.length && width < 2; ) {
    const point = cluster.codePointAt(at)!;
    at += point > 0xffff ? 2 : 1;
    if (point === 0xfe0f) width = 2;
    else if (at <= size || addsWidth(point)) width += point < 0x1100 ? 1 : eastAsianWidth(point);
  }
  return width >= 2 ? 2 : 1;
}

function addsWidth(point: number): boolean {
  if (point < 0x300 || (point >= 0x1160 && point <= 0x11ff) || (point >= 0xd7b0 && point <= 0xd7fb))
    return point < 0x300;
  return point !== 0x200c && point !== 0x200d && !(point >= 0xe0000 && point <= 0xe0fff) && !isCombining(point);
}

/** Cells of one cluster as it stands in text, hidden characters drawn as their marks; a tab depends on its column. */
export function widthInText(cluster: string, column: number): number {
  if (cluster.length === 1) {
    const unit = cluster.charCodeAt(0);
    if (unit === 0x09) return TAB_SIZE - (column % TAB_SIZE);
    if (unit < 0x300) return 1;
  }
  return textWidth(cluster);
}

/** Cells of a line of text as it is drawn (control characters as their marks, a tab too). */
export function textWidth(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  eachCluster(visible(text), (cluster) => {
    width += clusterWidth(cluster);
    return undefined;
  });
  return width;
}

/** Tabs as spaces up to the next multiple of four columns. */
export function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let out = '';
  let column = 0;
  for (const [index, piece] of line.split('\t').entries()) {
    if (index > 0) {
      const gap = TAB_SIZE - (column % TAB_SIZE);
      out += ' '.repeat(gap);
      column += gap;
    }
    out += piece;
    column += textWidth(piece);
  }
  return out;
}

/** The beginning of `text` that fits `width` cells, with `ending` in place of what was cut. */
export function cutToWidth(text: string, width: number, ending = '…'): string {
  if (text.length <= width && isPlain(text)) return text;
  if (width <= 0) return '';
  const shown = visible(text);
  const room = width - textWidth(ending);
  let used = 0;
  let cut = 0;
  let whole = true;
  eachCluster(shown, (cluster, offset) => {
    const size = clusterWidth(cluster);
    if (used + size > width) {
      whole = false;
      return false;
    }
    used += size;
    if (used <= room) cut = offset + cluster.length;
    return undefined;
  });
  if (whole) return shown;
  return room < 0 ? ending.slice(0, width) : shown.slice(0, cut) + ending;
}
