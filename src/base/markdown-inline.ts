import type { Span, TextRole } from './styled-line.ts';

/**
 * Inline markdown as spans: code, emphasis, strike, links, bare addresses, escapes, entities. One pass with a stack of
 * delimiters, so that the cost grows with the text and with nothing else. HTML stays text. A newline stays a newline.
 */
export function parseInline(text: string, role: TextRole = 'text'): Span[] {
  const nodes = scan(text, role);
  matchEmphasis(nodes);
  return spansOf(nodes);
}

type Mark = 'bold' | 'italic' | 'strike';

interface Node {
  text: string;
  role: TextRole;
  /** `*`, `_` or `~` while the node is a run of delimiters that may still match. */
  delimiter: string;
  canOpen: boolean;
  canClose: boolean;
  /** Styles that begin behind this node, and that end before it. */
  readonly opens: Mark[];
  readonly closes: Mark[];
}

/** Brackets that may wait for their end: bounds the work in hostile text. */
const OPEN_BRACKETS = 32;
const SPECIAL = /[\\`*_~[\]!<&h\n]/g;
const PUNCTUATION = /^[!-/:-@[-`{-~\p{P}\p{S}]/u;
const ADDRESS = /https?:\/\/[^\s<>`]*[^\s<>`.,:;!?'")\]}*_~]/y;
const ANGLE_ADDRESS = /<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*)>/iy;
const TARGET = /\(\s*(?:<([^<>\n]*)>|((?:[^\s()\\]|\\.|\([^\s()]*\))*))(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?\s*\)/y;

function scan(text: string, role: TextRole): Node[] {
  const nodes: Node[] = [];
  const brackets: { node: number; image: boolean }[] = [];
  /** Lengths of backtick runs that were looked for in vain: looked for once only. */
  const unclosed = new Set<number>();
  let plainFrom = 0;
  let at = 0;
  const push = (content: string, as: TextRole = role): Node => {
    const node: Node = {
      text: content,
      role: as,
      delimiter: '',
      canOpen: false,
      canClose: false,
      opens: [],
      closes: [],
    };
    nodes.push(node);
    return node;
  };
  const flush = (to: number): void => {
    if (to > plainFrom) push(decodeEntities(text.slice(plainFrom, to)));
  };
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const found = SPECIAL.exec(text);
    if (found === null) break;
    at = found.index;
    const character = text.charAt(at);
    let end = at + 1;
    if (character === '\\') {
      const escaped = text.charAt(at + 1);
      if (!/^[!-/:-@[-`{-~\n]$/.test(escaped)) {
        at = end;
        continue;
      }
      flush(at);
      push(escaped);
      end = at + 2;
    } else if (character === '`') {
      while (text.charAt(end) === '`') end++;
      const close = unclosed.has(end - at) ? -1 : closingTicks(text, end, end - at);
      if (close < 0) {
        unclosed.add(end - at);
        at = end;
        continue;
      }
      flush(at);
      push(codeText(text.slice(end, close)), 'code');
      end = close + (end - at);
    } else if (character === '*' || character === '_' || character === '~') {
      while (text.charAt(end) === character) end++;
      flush(at);
      const node = push(text.slice(at, end));
      markDelimiter(node, character, text, at, end);
    } else if (character === '[' || (character === '!' && text.charAt(end) === '[')) {
      flush(at);
      if (character === '!') end++;
      if (brackets.length >= OPEN_BRACKETS) brackets.shift();
      brackets.push({ node: nodes.length, image: character === '!' });
      push(text.slice(at, end));
    } else if (character === ']') {
      const open = brackets.pop();
      TARGET.lastIndex = end;
      const target = open === undefined ? null : TARGET.exec(text);
      if (open === undefined || target === null) {
        at = end;
        continue;
      }
      flush(at);
      link(nodes, open.node, (target[1] ?? target[2] ?? '').replace(/\\([!-/:-@[-`{-~])/g, '$1'), push);
      // A link holds no link: brackets before it are only text.
      if (!open.image) brackets.length = 0;
      end = TARGET.lastIndex;
    } else if (character === '<' || character === 'h') {
      const pattern = character === '<' ? ANGLE_ADDRESS : ADDRESS;
      pattern.lastIndex = at;
      const address = character === 'h' && /\w/.test(text.charAt(at - 1)) ? null : pattern.exec(text);
      if (address === null) {
        at = end;
        continue;
      }
      flush(at);
      push(address[1] ?? address[0], 'link');
      end = pattern.lastIndex;
    } else if (character === '\n') {
      // Blanks at the end of a line, two for a hard break, are never seen.
      flush(trimmedEnd(text, plainFrom, at));
      push('\n');
    } else {
      at = end;
      continue;
    }
    plainFrom = end;
    at = end;
  }
  flush(text.length);
  return nodes;
}

function trimmedEnd(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && text.charAt(end - 1) === ' ') end--;
  return end;
}

function closingTicks(text: string, from: number, length: number): number {
  const ticks = '`'.repeat(length);
  for (let at = text.indexOf(ticks, from); at >= 0; ) {
    let end = at + length;
    while (text.charAt(end) === '`') end++;
    if (end - at === length) return at;
    at = text.indexOf(ticks, end);
  }
  return -1;
}

/** One blank inside each end is for writing backticks, not part of the code. */
function codeText(content: string): string {
  const line = content.replaceAll('\n', ' ');
  return line.length > 2 && line.startsWith(' ') && line.endsWith(' ') && line.trim() !== '' ? line.slice(1, -1) : line;
}

function link(nodes: Node[], open: number, href: string, push: (text: string, role: TextRole) => Node): void {
  nodes[open]!.text = '';
  let label = '';
  for (const node of nodes.slice(open + 1)) {
    label += node.text;
    if (node.role !== 'code') node.role = 'link';
  }
  if (label === '') push(href, 'link');
  // Where a link leads is always seen, unless its text says so already.
  else if (href !== '' && !href.startsWith('#') && href !== label && href !== `mailto:${label}`)
    push(` (${href})`, 'url');
}

function markDelimiter(node: Node, character: string, text: string, from: number, to: number): void {
  if (character === '~' && to - from > 2) return;
  const before = from === 0 ? ' ' : characterBefore(text, from);
  const after = to >= text.length ? ' ' : String.fromCodePoint(text.codePointAt(to)!);
  const blankBefore = /\s/.test(before);
  const blankAfter = /\s/.test(after);
  const signBefore = PUNCTUATION.test(before);
  const signAfter = PUNCTUATION.test(after);
  const left = !blankAfter && (!signAfter || blankBefore || signBefore);
  const right = !blankBefore && (!signBefore || blankAfter || signAfter);
  node.delimiter = character;
  // An underscore inside a word is part of a name.
  node.canOpen = left && (character !== '_' || !right || signBefore);
  node.canClose = right && (character !== '_' || !left || signAfter);
}

function characterBefore(text: string, offset: number): string {
  const unit = text.charCodeAt(offset - 1);
  return (unit & 0xfc00) === 0xdc00 && offset > 1 ? text.slice(offset - 2, offset) : text.charAt(offset - 1);
}

function matchEmphasis(nodes: readonly Node[]): void {
  const stack: Node[] = [];
  /** Below these heights no opener of a kind is left: keeps the search linear. */
  const bottoms: Record<string, number> = { '*': 0, _: 0, '~': 0 };
  for (const node of nodes) {
    if (node.delimiter === '') continue;
    while (node.canClose && node.text.length > 0) {
      let at = stack.length - 1;
      const bottom = bottoms[node.delimiter]!;
      while (at >= bottom && !matches(stack[at]!, node)) at--;
      if (at < bottom) {
        bottoms[node.delimiter] = stack.length;
        break;
      }
      const opener = stack[at]!;
      const size = node.delimiter === '~' ? node.text.length : Math.min(2, opener.text.length, node.text.length);
      const mark: Mark = node.delimiter === '~' ? 'strike' : size === 2 ? 'bold' : 'italic';
      opener.opens.push(mark);
      node.closes.push(mark);
      opener.text = opener.text.slice(size);
      node.text = node.text.slice(size);
      stack.length = opener.text.length > 0 ? at + 1 : at;
      for (const key of Object.keys(bottoms)) bottoms[key] = Math.min(bottoms[key]!, stack.length);
    }
    if (node.canOpen && node.text.length > 0) stack.push(node);
  }
}

function matches(opener: Node, closer: Node): boolean {
  if (opener.delimiter !== closer.delimiter) return false;
  return opener.delimiter !== '~' || opener.text.length === closer.text.length;
}

function spansOf(nodes: readonly Node[]): Span[] {
  const spans: Span[] = [];
  const depth: Record<Mark, number> = { bold: 0, italic: 0, strike: 0 };
  for (const node of nodes) {
    for (const mark of node.closes) depth[mark]--;
    if (node.text !== '') {
      const { bold, italic, strike } = depth;
      const last = spans.at(-1);
      const joins =
        last !== undefined &&
        last.role === node.role &&
        (last.bold ?? false) === bold > 0 &&
        (last.italic ?? false) === italic > 0 &&
        (last.strike ?? false) === strike > 0;
      if (joins) spans[spans.length - 1] = { ...last, text: last.text + node.text };
      else {
        spans.push({
          text: node.text,
          role: node.role,
          ...(bold > 0 ? { bold: true } : {}),
          ...(italic > 0 ? { italic: true } : {}),
          ...(strike > 0 ? { strike: true } : {}),
        });
      }
    }
    for (const mark of node.opens) depth[mark]++;
  }
  return spans;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  rarr: '→',
  larr: '←',
  times: '×',
};

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const point = decimal !== undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point === 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)
      ? '\ufffd'
      : String.fromCodePoint(point);
  });
}
