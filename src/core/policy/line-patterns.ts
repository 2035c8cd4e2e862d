import type { SimpleCommand } from './facts.ts';

/** Programs whose second word says what they do: a pattern without it would cover far more than was seen. */
const WITH_VERB = new Set(
  'git npm pnpm yarn bun npx cargo go docker kubectl make pip pip3 uv poetry gh dotnet gradle mvn rails rake composer brew apt systemctl'.split(
    ' ',
  ),
);

/** Programs that run whatever they are given: a pattern for them would be a pattern for everything. */
const RUNS_ANYTHING = new Set(
  'sh bash zsh dash fish ksh sudo su doas env xargs nohup setsid time timeout watch ssh eval exec perl ruby python python3 node deno php lua osascript rm dd mkfs chmod chown curl wget nc'.split(
    ' ',
  ),
);

const MOST_PATTERNS = 2;

/**
 * At most two patterns that cover the steps no rule covers yet and nothing more; none when a lone step has no safe one.
 * In a chain, a step without a safe pattern is offered word for word.
 */
export function suggestPatterns(steps: readonly SimpleCommand[], chained: boolean): readonly string[] {
  const patterns = new Set<string>();
  for (const { words } of steps) {
    const pattern = patternFor(words) ?? (chained ? words.join(' ') : null);
    if (pattern === null || pattern.split('*').length > 2) return [];
    patterns.add(pattern);
  }
  return patterns.size <= MOST_PATTERNS ? [...patterns] : [];
}

function patternFor(words: readonly string[]): string | null {
  const [name, ...rest] = words;
  if (name === undefined || name.includes('*') || RUNS_ANYTHING.has(name)) return null;
  if (!WITH_VERB.has(name)) return `${name} *`;
  const verb = rest[0];
  if (verb === undefined || !/^[a-z][\w:-]*$/.test(verb)) return null;
  const script = verb === 'run' || verb === 'exec' ? rest[1] : null;
  if (script === null) return `${name} ${verb} *`;
  return script !== undefined && /^[\w:-]+$/.test(script) ? `${name} ${verb} ${script} *` : null;
}
