import { sha256 } from '../../base/sha256.ts';
import { KEY_SHAPES } from './key-shapes.ts';

/** What a text about to be written gives away. The kinds only, for sentences: a value never leaves this file. */
export interface FoundKeys {
  /** Keys that say themselves what they are: never written (CRED-1). */
  readonly declared: readonly string[];
  /** Values that may well be keys, by their name or by standing alone: asked about. */
  readonly likely: readonly string[];
}

interface Finding {
  readonly kind: string;
  readonly value: string;
  readonly declared: boolean;
}

/**
 * Looks through `text` here on this machine. What `before` (what the file holds already, where the person vouched for it)
 * held is not blamed on whoever writes now (CRED-2). Undefined where nothing is found.
 */
export function findKeys(text: string, before = ''): FoundKeys | undefined {
  const found = [...declaredKeys(text), ...namedValues(text), ...loneValue(text)].filter(
    ({ value }) => !before.includes(value),
  );
  if (found.length === 0) return undefined;
  const kinds = (declared: boolean) => [
    ...new Set(found.filter((one) => one.declared === declared).map(({ kind }) => kind)),
  ];
  return { declared: kinds(true), likely: kinds(false) };
}

function* declaredKeys(text: string): Generator<Finding> {
  for (const { kind, shape } of KEY_SHAPES)
    for (const [value] of text.matchAll(shape)) if (!FILLER.test(value)) yield { kind, value, declared: true };
  for (const [value] of text.matchAll(ARMOUR)) yield { kind: 'a private key', value, declared: true };
  for (const { groups } of text.matchAll(URL_PASSWORD)) {
    const { user = '', value = '' } = groups ?? {};
    if (user !== value && value.length >= 5 && !isPlaceholder(value))
      yield { kind: 'a password in an address', value, declared: true };
  }
}

/** The head alone is talked about in code and documents; with a body behind it, perhaps written with `\n`, it is a key. */
const ARMOUR =
  /(?:-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|\bPuTTY-User-Key-File-\d:)(?:\\[rn]|[^\\<>{}]){0,400}?[A-Za-z0-9+/]{24}/g;
/** What is filled in later (`${…}`, `<…>`, `%s`) is no password. */
const URL_PASSWORD =
  /\b[a-z][a-z0-9+.-]{1,15}:\/\/(?<user>[^\s:@/?#'"`<>{}$%*\\]{0,64}):(?<value>[^\s:@/'"`<>{}$*\\]{1,128})@[\w[]/gi;

const NAMES =
  '(?:(?:api|access|secret|private|auth|client|account|signing|encryption|master|service)[_-]?key|password|passwd|passphrase|pwd|secret|token|credentials?)';
/** `password: "…"`, `"apiKey" = '…'`, `const token: string = "…"`. */
const QUOTED = new RegExp(
  `${NAMES}["'\`]?\\]?(?:\\s?:\\s?string)?\\s{0,8}(?::=|=>|=|:)\\s{0,8}(["'\`])(?<value>[^"'\`\\s\\\\]{10,256})\\1`,
  'gi',
);
/** `password: …` alone on its line, as in environment files and YAML. */
const ALONE = new RegExp(
  `^[ \\t]*(?:export[ \\t]+|-[ \\t]+)?[\\w.-]{0,60}?${NAMES}[ \\t]*[:=][ \\t]*(?<value>[^\\s"'\`(){}[\\]<>$;,\\\\]{10,256})[ \\t]*\\r?$`,
  'gim',
);
/** `API_KEY=…` anywhere, and options of programs: `--password …`. */
const INLINE = new RegExp(
  `(?:(?<![\\w.-])[A-Z0-9_]{0,60}?${NAMES.replace(/[a-z]/g, (letter) => letter.toUpperCase())}=|(?<![\\w-])--?(?:[a-z]{1,20}-){0,4}?${NAMES}[= ])["']?(?<value>[^\\s"'\`(){}[\\]<>$;,\\\\]{10,256})`,
  'g',
);
const BEARER = /\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token)\s+(?<value>[\w.~+/=-]{16,2048})/gi;

function* namedValues(text: string): Generator<Finding> {
  for (const pattern of [QUOTED, ALONE, INLINE, BEARER])
    for (const { groups } of text.matchAll(pattern)) {
      const value = groups?.value ?? '';
      if (isRare(value)) yield { kind: 'a value named like a password or key', value, declared: false };
    }
}

/** Key files often hold the key and nothing else. */
function* loneValue(text: string): Generator<Finding> {
  const value = text.length > 1024 ? '' : text.trim();
  const isOne = value.length >= 20 && /^[\w+/=.~-]+$/.test(value) && !/^[\d.]+$/.test(value);
  if (isOne && !/^(?:[a-f0-9]{40}|[a-f0-9]{64})$/.test(value) && isRare(value))
    yield { kind: 'nothing but one value that looks like a key', value, declared: false };
}

/** A shape shown rather than a key. */
const FILLER = /x{6,}|\*{3,}|\.{3,}|(.)\1{7,}/i;

const PLACEHOLDER =
  /example|sample|dummy|placeholder|change.?me|replace|your|redacted|removed|todo|mock|fake|test|x{4,}|\*{3,}|\.{3,}|(.)\1{5,}|^(?:pass(?:word|wd)?|secret|postgres|root|admin|user(?:name)?|token|guest|none|null|undefined)$/i;

/** What people write where a secret will stand. */
function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value);
}

/** No word, name, path, version or placeholder: something that was drawn by lot. */
function isRare(value: string): boolean {
  if (!/[A-Za-z]/.test(value) || !/\d/.test(value)) return false;
  if (isPlaceholder(value) || /^\w+:\/\//.test(value) || entropy(value) < 2.75) return false;
  // Words, perhaps with a number behind: `sha256`, `v2`, `2024`, `next.token1`.
  return !value.split(/[^A-Za-z0-9]+/).every((part) => /^(?:[A-Za-z]*\d{0,4}|\d+)$/.test(part));
}

/** Bits a character. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** A finding to talk about and to recognise again, without its value. */
export interface KeyTrace {
  readonly kind: string;
  /** From 1. */
  readonly line: number;
  /** A few signs out of the middle: neither how it begins nor how it ends. */
  readonly mask: string;
  /** The same for the same value under the same salt, and of no use to find it. */
  readonly fingerprint: string;
}

export function traceKeys(text: string, salt: string): readonly KeyTrace[] {
  const found = new Map(
    [...declaredKeys(text), ...namedValues(text), ...loneValue(text)].map((one) => [one.value, one]),
  );
  return [...found.values()].map(({ kind, value }) => ({
    kind,
    line: text.slice(0, text.indexOf(value)).split('\n').length,
    mask: maskOf(value),
    fingerprint: sha256(`${salt}\0${value}`).slice(0, 32),
  }));
}

function maskOf(value: string): string {
  const shown = Math.min(4, Math.floor(value.length / 5));
  const from = Math.floor((value.length - shown) / 2);
  return `…${value.slice(from, from + shown).replace(/[^\x21-\x7e]/g, '·')}…`;
}
