import { basename, dirname } from 'node:path';

/** Permission rules of all layers, merged (RULE-1..RULE-8). Deny, then ask, then allow; first match wins. */
export interface Rules {
  readonly deny: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly allow: readonly Rule[];
  /** Every path outside the workspace is refused for reading; the strictest layer wins (RULE-8). */
  readonly readsStayInWorkspace?: boolean;
}

export interface Rule {
  /** As written, such as `Bash(git status *)`. */
  readonly text: string;
  readonly family: Family;
  readonly spec: string | null;
  /** Where it was written: the absolute path of a settings file, or a name such as `--allow`. */
  readonly source: string;
}

export type Family = 'Read' | 'Edit' | 'Bash' | 'WebFetch' | 'Mcp';
export type Verdict = 'deny' | 'ask' | 'allow';

export const NO_RULES: Rules = { deny: [], ask: [], allow: [] };

/** What path patterns are anchored to. */
export interface RuleScope {
  readonly workspace: string;
  readonly home: string | null;
  /** The volume tells upper from lower case no apart. */
  readonly ignoreCase?: boolean;
}

const RULE = /^(Read|Edit|Bash|WebFetch|Mcp)(?:\((.+)\))?$/s;

/** Null when it cannot be read: such a rule is dropped and named, the others still apply (RULE-8). */
export function parseRule(text: string, source: string): Rule | null {
  const match = RULE.exec(text.trim());
  if (match === null) return null;
  const family = match[1] as Family;
  const spec = match[2]?.trim() ?? null;
  if (family === 'WebFetch' && spec !== null && !/^domain:[^\s:/]+$/.test(spec)) return null;
  return { text: text.trim(), family, spec, source };
}

/** Reads the lists of one layer. `unreadable` holds the rules that were dropped, as written. */
export function parseRules(
  lists: { readonly [V in Verdict]?: readonly string[] },
  source: string,
): { rules: Rules; unreadable: readonly string[] } {
  const unreadable: string[] = [];
  function read(texts: readonly string[] = []): Rule[] {
    return texts.flatMap((text) => {
      const rule = parseRule(text, source);
      if (rule === null) unreadable.push(text);
      return rule === null ? [] : [rule];
    });
  }
  return { rules: { deny: read(lists.deny), ask: read(lists.ask), allow: read(lists.allow) }, unreadable };
}

export function mergeRules(layers: readonly Rules[]): Rules {
  return {
    deny: layers.flatMap((layer) => layer.deny),
    ask: layers.flatMap((layer) => layer.ask),
    allow: layers.flatMap((layer) => layer.allow),
    readsStayInWorkspace: layers.some((layer) => layer.readsStayInWorkspace === true),
  };
}

/**
 * The first rule about any of `paths` (the path as named and where its links lead). An allow rule must cover them all:
 * a link can add a refusal, never a permission.
 */
export function findPathRule(
  rules: Rules,
  verdict: Verdict,
  family: 'Read' | 'Edit',
  paths: readonly string[],
  scope: RuleScope,
): Rule | null {
  for (const rule of rules[verdict]) {
    if (rule.family !== family) continue;
    const matches = (path: string) => matchesPath(rule, path, verdict, scope);
    if (verdict === 'allow' ? paths.every(matches) : paths.some(matches)) return rule;
  }
  return null;
}

export function deniesPath(rules: Rules, family: 'Read' | 'Edit', path: string, scope: RuleScope): boolean {
  return findPathRule(rules, 'deny', family, [path], scope) !== null;
}

/** The first rule about one simple command, given as its words. */
export function findCommandRule(rules: Rules, verdict: Verdict, words: readonly string[]): Rule | null {
  return (
    rules[verdict].find((rule) => rule.family === 'Bash' && (rule.spec === null || matchesCommand(rule.spec, words))) ??
    null
  );
}

/** The allow rule that covers one simple command; none covers a program whose name holds a blank. */
export function allowsCommand(rules: Rules, words: readonly string[]): Rule | null {
  return (
    rules.allow.find(
      (rule) => rule.family === 'Bash' && (rule.spec === null || rule.spec === '*' || matchesAllowed(rule.spec, words)),
    ) ?? null
  );
}

/** As `matchesCommand`, for permissions: words that were quoted together are not taken for several. */
export function matchesAllowed(spec: string, words: readonly string[]): boolean {
  const [name] = words;
  return name !== undefined && name !== '' && !/\s/.test(name) && matchesCommand(spec, words);
}

/** Whether a rule might speak of a command some of whose words are not known before it runs. */
export function mightMatchCommand(rule: Rule, words: readonly string[]): boolean {
  const [name = ''] = words;
  if (rule.spec === null || /[$`*?[{~<>]/.test(name)) return true;
  const start = /^[^*\s:]*/.exec(rule.spec)![0];
  return rule.spec.charAt(start.length) === '*' ? name.startsWith(start) : name === start;
}

/** A rule that names every command there is: the only kind that can speak for a line we could not read. */
export function findEveryCommandRule(rules: Rules, verdict: Verdict): Rule | null {
  return rules[verdict].find((rule) => rule.family === 'Bash' && (rule.spec === null || rule.spec === '*')) ?? null;
}

export function findHostRule(rules: Rules, verdict: Verdict, host: string): Rule | null {
  const name = host.toLowerCase().replace(/\.$/, '');
  return (
    rules[verdict].find((rule) => {
      if (rule.family !== 'WebFetch') return false;
      if (rule.spec === null) return true;
      const domain = rule.spec.slice('domain:'.length).toLowerCase().replace(/\.$/, '');
      return name === domain || name.endsWith(`.${domain}`);
    }) ?? null
  );
}

export function findServerRule(rules: Rules, verdict: Verdict, server: string, tool: string): Rule | null {
  const names = [null, server, `${server}:${tool}`];
  return rules[verdict].find((rule) => rule.family === 'Mcp' && names.includes(rule.spec)) ?? null;
}

/**
 * A command pattern against the words of one simple command (RULE-3): exact without `*`; a trailing ` *` or `:*` also
 * matches the bare command when it is the only wildcard.
 */
export function matchesCommand(spec: string, words: readonly string[]): boolean {
  const pattern = spec.endsWith(':*') ? `${spec.slice(0, -2)} *` : spec;
  const line = words.join(' ');
  if (!pattern.includes('*')) return line === pattern;
  const bare = pattern.endsWith(' *') ? pattern.slice(0, -2) : null;
  if (bare !== null && !bare.includes('*') && line === bare) return true;
  return new RegExp(`^${pattern.split('*').map(quoteForRegExp).join('.*')}$`, 's').test(line);
}

function matchesPath(rule: Rule, path: string, verdict: Verdict, scope: RuleScope): boolean {
  if (rule.spec === null) return true;
  const pattern = anchor(rule, verdict, scope);
  if (pattern === null) return false;
  if (pathPattern(pattern, verdict !== 'allow', scope.ignoreCase === true).test(path)) return true;
  // Written in `.houston/`, `/x` may be meant for the project: a refusal holds for both, a permission for what it says.
  const outer = verdict === 'allow' ? null : anchorAbove(rule);
  return outer !== null && pathPattern(outer, true, scope.ignoreCase === true).test(path);
}

function anchorAbove(rule: Rule): string | null {
  const folder = dirname(rule.source);
  const spec = rule.spec ?? '';
  if (!spec.startsWith('/') || spec.startsWith('//') || basename(folder) !== '.houston') return null;
  return `${literal(dirname(folder))}${spec.replace(/\/$/, '/**')}`;
}

/** The rule's pattern as an absolute one; null when its anchor does not exist. */
function anchor(rule: Rule, verdict: Verdict, scope: RuleScope): string | null {
  const spec = (rule.spec ?? '').replace(/\/$/, '/**');
  if (spec.startsWith('//')) return spec.slice(1);
  if (spec.startsWith('~/')) return scope.home === null ? null : `${literal(scope.home)}${spec.slice(1)}`;
  if (spec.startsWith('/')) return rule.source.startsWith('/') ? `${literal(dirname(rule.source))}${spec}` : spec;
  const relative = spec.replace(/^(\.\/)+/, '');
  const floats = verdict !== 'allow' && relative === spec && !relative.replace(/\/\*\*$/, '').includes('/');
  return floats ? `/**/${relative}` : `${literal(scope.workspace)}/${relative}`;
}

/** Keeps a folder's own name from being read as a pattern. */
function literal(path: string): string {
  return path.replace(/[*?\\]/g, '\\$&');
}

const patterns = new Map<string, RegExp>();

/** `*` and `?` stay within a segment, `**` crosses them; with `below`, what lies beneath a match is matched too. */
function pathPattern(pattern: string, below: boolean, ignoreCase: boolean): RegExp {
  const key = `${below} ${ignoreCase} ${pattern}`;
  let compiled = patterns.get(key);
  if (compiled === undefined) {
    const body = pattern.replace(/\\.|\/\*\*\/|\/\*\*$|\*+|\?|[^*?\\/]+|\/|\\/g, (token) => {
      if (token === '/**/') return '/(?:.*/)?';
      if (token === '/**') return '(?:/.*)?';
      if (token.startsWith('*')) return token === '*' ? '[^/]*' : '.*';
      if (token === '?') return '[^/]';
      return token.startsWith('\\') ? quoteForRegExp(token.slice(1)) : quoteForRegExp(token);
    });
    compiled = new RegExp(`^${body}${below ? '(?:/.*)?' : ''}$`, ignoreCase ? 'is' : 's');
    patterns.set(key, compiled);
  }
  return compiled;
}

function quoteForRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
