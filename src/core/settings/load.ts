import path from 'node:path';
import type { Node, ParseError } from 'jsonc-parser';
// The parser alone: the whole package fills tables for formatting when it is loaded, which every start would pay for.
import { findNodeAtLocation, getNodeValue, parseTree } from 'jsonc-parser/lib/esm/impl/parser.js';
import type { Json } from '../../base/json.ts';
import type { Files } from '../../system/files.ts';
import { SETTINGS, type Setting, type SettingName, type Settings } from './schema.ts';

/** One settings file, weakest first in a list of layers. */
export interface Layer {
  readonly source: string;
  /** `managed`: of whoever looks after this machine; only what it denies counts. */
  readonly from: 'person' | 'project' | 'argument' | 'managed';
}

export interface SettingsProblem {
  readonly source: string;
  /** 1-based; null when it concerns the file as a whole. */
  readonly line: number | null;
  readonly severity: 'unreadable' | 'ignored' | 'unknown';
  readonly message: string;
}

export interface LoadedSettings {
  readonly settings: Settings;
  readonly problems: readonly SettingsProblem[];
  /** Where each value that is not the initial one came from. */
  readonly sources: ReadonlyMap<SettingName, string>;
  /** Allow rules and folders a project asks for: requests to the person, never in force by themselves (RULE-7). */
  readonly requests: readonly { readonly source: string; readonly key: string; readonly value: Json }[];
  /** The permission rules of each layer as written, weakest layer first; what a project allows is under `requests` alone. */
  readonly rules: readonly RuleList[];
  /** A file could not be read, so rules may be missing that forbid: no permission given in advance counts (UP-37). */
  readonly closed: boolean;
}

export interface RuleList {
  readonly source: string;
  readonly verdict: 'deny' | 'ask' | 'allow';
  readonly entries: readonly { readonly text: string; readonly line: number }[];
}

/** One line for people: where, then what. */
export function problemText({ source, line, message }: SettingsProblem): string {
  return `${source}${line === null ? '' : `:${line}`}: ${message}`;
}

/** Larger files are not settings (SET-2). */
const MAX_BYTES = 64 * 1024;

/** Where an administrator forbids things for every session of this machine, out of the reach of whoever uses it. */
export const MANAGED_SETTINGS = '/etc/houston/settings.json';

/** The layers of a session, weakest first (SET-1). */
export function settingsLayers(options: {
  config: string | null;
  project: string | null;
  argument: string | null;
}): Layer[] {
  const layers: Layer[] = [];
  if (options.config !== null) layers.push({ source: path.join(options.config, 'settings.json'), from: 'person' });
  if (options.project !== null) {
    layers.push({ source: path.join(options.project, '.houston', 'settings.json'), from: 'project' });
    layers.push({ source: path.join(options.project, '.houston', 'settings.local.json'), from: 'project' });
  }
  if (options.argument !== null) layers.push({ source: options.argument, from: 'argument' });
  layers.push({ source: MANAGED_SETTINGS, from: 'managed' });
  return layers;
}

/**
 * Reads and joins the layers. A file that cannot be read or parsed is named, and then no layer's allow rule counts: a
 * half-saved file must never open the gate (UP-37). `previous` keeps such a file's last good values in force instead.
 */
export async function loadSettings(
  files: Files,
  layers: readonly Layer[],
  previous?: ReadonlyMap<string, string>,
): Promise<LoadedSettings & { texts: ReadonlyMap<string, string> }> {
  const problems: SettingsProblem[] = [];
  const requests: { source: string; key: string; value: Json }[] = [];
  const values = new Map<SettingName, unknown>();
  const sources = new Map<SettingName, string>();
  const texts = new Map<string, string>();
  const rules: RuleList[] = [];
  let gateClosed = false;
  for (const layer of layers) {
    const read = await readLayer(files, layer);
    if (read === null) continue;
    let tree = read.tree;
    if (tree === null) {
      problems.push({ source: layer.source, line: read.line, severity: 'unreadable', message: read.message });
      const lastGood = previous?.get(layer.source);
      if (lastGood === undefined) {
        gateClosed = true;
        continue;
      }
      tree = parseTree(lastGood, [], { allowTrailingComma: true }) ?? null;
      texts.set(layer.source, lastGood);
      if (tree === null) continue;
    } else {
      texts.set(layer.source, read.text);
    }
    if (layer.from === 'managed') {
      problems.push(...unmanaged(layer, tree, texts.get(layer.source) ?? ''));
      rules.push(
        ...readRuleLists(layer, tree, texts.get(layer.source) ?? '').filter(({ verdict }) => verdict === 'deny'),
      );
      continue;
    }
    readValues(layer, tree, texts.get(layer.source) ?? '', values, sources, problems, requests);
    rules.push(...readRuleLists(layer, tree, texts.get(layer.source) ?? ''));
  }
  const settings = Object.fromEntries(
    (Object.keys(SETTINGS) as SettingName[]).map((name) => [
      name,
      values.has(name) ? values.get(name) : SETTINGS[name].initial,
    ]),
  ) as unknown as Settings;
  return {
    settings: gateClosed ? { ...settings, allow: [] } : settings,
    problems,
    sources,
    requests,
    rules: gateClosed ? rules.filter(({ verdict }) => verdict !== 'allow') : rules,
    closed: gateClosed,
    texts,
  };
}

function readRuleLists(layer: Layer, tree: Node, text: string): RuleList[] {
  return (['deny', 'ask', 'allow'] as const).flatMap((verdict) => {
    if (verdict === 'allow' && layer.from === 'project') return [];
    const node = findNodeAtLocation(tree, SETTINGS[verdict].key.split('.'));
    const entries = (node?.type === 'array' ? (node.children ?? []) : []).flatMap((child) =>
      child.type === 'string' ? [{ text: String(child.value), line: lineAt(text, child.offset) }] : [],
    );
    return entries.length === 0 ? [] : [{ source: layer.source, verdict, entries }];
  });
}

/** What stands in a managed file besides what it denies is said to have no effect, so that nobody relies on it. */
function unmanaged(layer: Layer, tree: Node, text: string): SettingsProblem[] {
  const permissions = findNodeAtLocation(tree, ['permissions']);
  const others = [...(tree.children ?? []), ...(permissions?.children ?? [])].flatMap((property) => {
    const [name] = property.children ?? [];
    return name === undefined || ['$schema', 'permissions', 'deny'].includes(String(name.value)) ? [] : [name];
  });
  return others.map((name) => ({
    source: layer.source,
    line: lineAt(text, name.offset),
    severity: 'ignored',
    message: `${String(name.value)} has no effect here: only permissions.deny does`,
  }));
}

interface ReadLayer {
  readonly text: string;
  readonly tree: Node | null;
  readonly line: number | null;
  readonly message: string;
}

async function readLayer(files: Files, layer: Layer): Promise<ReadLayer | null> {
  let text: string;
  try {
    if ((await files.stat(layer.source)) === null) {
      return layer.from === 'argument' ? { text: '', tree: null, line: null, message: 'no such file' } : null;
    }
    text = new TextDecoder('utf-8', { fatal: true }).decode(await files.read(layer.source, MAX_BYTES));
  } catch (error) {
    const code = (error as { code?: string }).code;
    const message =
      code === 'EFBIG'
        ? `larger than ${MAX_BYTES / 1024} KB`
        : code === undefined
          ? 'not UTF-8 text'
          : `cannot be read (${code})`;
    return { text: '', tree: null, line: null, message };
  }
  if (text.trim() === '') return { text, tree: parseTree('{}') ?? null, line: null, message: '' };
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const first = errors[0];
  if (first !== undefined || tree === undefined) {
    const { printParseErrorCode } = await import('jsonc-parser');
    const what = first === undefined ? 'not JSON' : spaced(printParseErrorCode(first.error));
    return { text, tree: null, line: lineAt(text, first?.offset ?? 0), message: `not valid JSON: ${what}` };
  }
  if (tree.type !== 'object') return { text, tree: null, line: 1, message: 'not a JSON object' };
  return { text, tree, line: null, message: '' };
}

function readValues(
  layer: Layer,
  tree: Node,
  text: string,
  values: Map<SettingName, unknown>,
  sources: Map<SettingName, string>,
  problems: SettingsProblem[],
  requests: { source: string; key: string; value: Json }[],
): void {
  const lineOf = (node: Node): number => lineAt(text, node.offset);
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const setting = SETTINGS[name] as Setting<unknown>;
    const node = findNodeAtLocation(tree, setting.key.split('.'));
    if (node === undefined) continue;
    const raw = getNodeValue(node) as Json;
    const mayAsk = setting.projectMay?.includes(raw) ?? false;
    if (setting.scope === 'person' && layer.from === 'project' && !mayAsk) {
      if (name === 'allow' || name === 'additionalFolders')
        requests.push({ source: layer.source, key: setting.key, value: raw });
      else
        problems.push({
          source: layer.source,
          line: lineOf(node),
          severity: 'ignored',
          message:
            setting.projectMay === undefined
              ? `${setting.key} can be set by you only, not by a project`
              : `a project can set ${setting.key} to ${setting.projectMay.join(' or ')} only`,
        });
      continue;
    }
    const value = setting.read(raw);
    if (value === undefined) {
      problems.push({
        source: layer.source,
        line: lineOf(node),
        severity: 'ignored',
        message: `${setting.key} has no usable value`,
      });
      continue;
    }
    for (const message of setting.faults?.(raw) ?? [])
      problems.push({ source: layer.source, line: lineOf(node), severity: 'ignored', message });
    if (setting.join === 'together' || setting.join === 'common') {
      (node.children ?? []).forEach((child) => {
        if (child.type !== 'string')
          problems.push({
            source: layer.source,
            line: lineOf(child),
            severity: 'ignored',
            message: `an entry of ${setting.key} is not a text`,
          });
      });
    }
    values.set(name, joined(setting, values.get(name), value));
    sources.set(name, layer.source);
  }
  for (const [key, line] of unknownKeys(tree, [], lineOf)) {
    problems.push({ source: layer.source, line, severity: 'unknown', message: `unknown setting ${key}` });
  }
}

function joined(setting: Setting<unknown>, before: unknown, now: unknown): unknown {
  if (before === undefined || setting.join === 'strongest') return now;
  // With nothing in common the weaker layer stands: an empty list would allow everything.
  if (setting.join === 'common') {
    const both = (now as string[]).filter((one) => (before as string[]).includes(one));
    return (before as string[]).length === 0 ? now : both.length === 0 ? before : both;
  }
  if (setting.join === 'any') return before === true || now === true;
  if (setting.join === 'together') return [...new Set([...(before as string[]), ...(now as string[])])];
  return { ...(before as object), ...(now as object) };
}

const KNOWN_KEYS = new Set(Object.values(SETTINGS).map((setting) => setting.key));
const KNOWN_GROUPS = new Set(
  [...KNOWN_KEYS].flatMap((key) =>
    key
      .split('.')
      .slice(0, -1)
      .map((_, index) =>
        key
          .split('.')
          .slice(0, index + 1)
          .join('.'),
      ),
  ),
);

function* unknownKeys(
  node: Node,
  prefix: readonly string[],
  lineOf: (node: Node) => number,
): Generator<[string, number]> {
  for (const property of node.children ?? []) {
    const [name, value] = property.children ?? [];
    if (name === undefined || typeof name.value !== 'string') continue;
    const key = [...prefix, name.value].join('.');
    if (key === '$schema' || KNOWN_KEYS.has(key)) continue;
    if (KNOWN_GROUPS.has(key) && value?.type === 'object') yield* unknownKeys(value, [...prefix, name.value], lineOf);
    else yield [key, lineOf(name)];
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function spaced(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}
