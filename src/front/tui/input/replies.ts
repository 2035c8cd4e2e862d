import type { TerminalReply } from './event.ts';

/** `OSC 10/11/4` colour answers; null for anything else. */
export function oscReply(content: string): TerminalReply | null {
  const match = /^(10|11|4;(\d{1,3}));(.*)$/.exec(content);
  if (match === null) return null;
  const color = parseColor(match[3]!);
  if (color === null) return null;
  if (match[1] === '10') return { kind: 'foreground', color };
  if (match[1] === '11') return { kind: 'background', color };
  return { kind: 'palette', index: Number(match[2]), color };
}

/** `rgb:RRRR/GGGG/BBBB` with one to four digits each, `rgba:` likewise, or `#RRGGBB`. */
export function parseColor(text: string): number | null {
  const hash = /^#([0-9a-f]{6})$/i.exec(text);
  if (hash !== null) return Number.parseInt(hash[1]!, 16);
  const parts = /^rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})(?:\/[0-9a-f]{1,4})?$/i.exec(text);
  if (parts === null) return null;
  const channel = (digits: string): number =>
    Math.round((Number.parseInt(digits, 16) / (16 ** digits.length - 1)) * 255);
  return (channel(parts[1]!) << 16) | (channel(parts[2]!) << 8) | channel(parts[3]!);
}

/** `DCS > | name ST`, the answer to XTVERSION. */
export function dcsReply(content: string): TerminalReply | null {
  return content.startsWith('>|') ? { kind: 'version', text: content.slice(2) } : null;
}

/** Answers that begin with `CSI ?`: kitty's keyboard flags, device attributes, the state of a mode. */
export function privateReply(parameters: string, final: string): TerminalReply | null {
  if (final === 'u') return { kind: 'kitty-keyboard', flags: Number.parseInt(parameters, 10) || 0 };
  if (final === 'c') return { kind: 'device', text: parameters };
  const mode = final === 'y' ? /^(\d+);(\d)\$$/.exec(parameters) : null;
  return mode === null ? null : { kind: 'mode', mode: Number(mode[1]), value: Number(mode[2]) };
}
