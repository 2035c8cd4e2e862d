import type { Skills } from '../extensions/skills.ts';
import type { Hooks } from '../runtime/hooks.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Tool } from '../tools/tool.ts';
import type { SettingsAgain } from './settings-again.ts';

/**
 * A session's runtime with what was read again in place of what its start read. A new value: a turn goes on with the one
 * it began with, so nothing is exchanged under a request (INV-12).
 */
export function toldAgain(
  runtime: Runtime,
  again: {
    readonly systemPrompt: readonly string[];
    readonly skills: Skills | undefined;
    readonly tools: readonly Tool[];
    readonly settings: SettingsAgain | null;
    readonly hooks: Hooks | null;
  },
): Runtime {
  const { systemPrompt, skills, tools, settings, hooks } = again;
  const calls: Runtime['calls'] = {
    ...runtime.calls,
    tools,
    hooks,
    skills: skills?.list ?? [],
    loadSkill: async (name) => (await skills?.load(name)) ?? null,
  };
  if (settings === null) return { ...runtime, systemPrompt, hooks, calls };
  return {
    ...runtime,
    systemPrompt,
    hooks,
    sleeps: calls.canAsk ? settings.sleeps : 0,
    retryLimits: { tries: settings.retries + 1, stallMs: settings.stallMs },
    calls: { ...calls, limits: settings.limits, autoVet: settings.autoVet },
  };
}

/** Whether requests begin with other words or other tools: then no service remembers the beginning. */
export function beginsOtherwise(before: Runtime, now: Runtime): boolean {
  const beginning = ({ systemPrompt, calls }: Runtime): string =>
    JSON.stringify([systemPrompt, calls.tools.map(({ name, description, input }) => [name, description, input])]);
  return beginning(before) !== beginning(now);
}
