import path from 'node:path';
import type { DelegateModels } from '../core/session/delegate-models.ts';
import type { SettingsAgain } from '../core/session/settings-again.ts';
import { type LoadedSettings, loadSettings, problemText, settingsLayers } from '../core/settings/load.ts';
import { projectRequests } from '../core/settings/project-requests.ts';
import { SETTINGS, type SettingName, type Settings } from '../core/settings/schema.ts';
import { TOOL_LIMITS, type ToolLimits } from '../core/tools/tool.ts';
import type { System } from '../system/system.ts';
import type { SessionRequest } from './session-request.ts';
import { sessionRules } from './session-rules.ts';

/** What may change while a session runs; everything else is given to it once. */
/** Whether a changed value holds in sessions that run. */
export function isLive(name: SettingName): boolean {
  return LIVE.has(name);
}

const LIVE: ReadonlySet<SettingName> = new Set<SettingName>([
  ...(['deny', 'ask', 'allow', 'readsStayInWorkspace', 'commandOutput', 'autoVetting'] as const),
  ...(['retries', 'stallSeconds', 'sleeps', 'spendingSession', 'spendingDay'] as const),
  ...([
    'commandSeconds',
    'searchFiles',
    'enabledModels',
    'agentsDisabled',
    'delegateModels',
    'hooks',
    'injection',
  ] as const),
]);

/** How long one use of a tool may take, as the settings say. */
export function toolLimits(settings: Settings): ToolLimits {
  return {
    commandSeconds: settings.commandSeconds ?? TOOL_LIMITS.commandSeconds,
    searchFiles: settings.searchFiles ?? TOOL_LIMITS.searchFiles,
    searchSeconds: settings.searchSeconds ?? TOOL_LIMITS.searchSeconds,
  };
}

/** Further tries after a failure, and the silence after which a reply counts as cut. */
export function patience(settings: Settings): { retries: number; stallMs: number } {
  return { retries: settings.retries ?? 5, stallMs: (settings.stallSeconds ?? 120) * 1000 };
}

/** Models delegates may be given, and the project's file that has a say in it. */
export function delegateModelsOf({ settings, sources }: LoadedSettings, project: string): DelegateModels {
  const source = sources.get('delegateModels') ?? '';
  const inProject = source.startsWith(path.join(project, '.houston') + path.sep);
  return { names: settings.delegateModels, project: inProject ? source : null };
}

/** Limits on what may be spent, and how often a turn sleeps through a usage limit. */
export function spendingOf(settings: Settings): Pick<SettingsAgain, 'spending' | 'sleeps'> {
  return {
    spending: { session: settings.spendingSession, day: settings.spendingDay },
    sleeps: settings.sleeps ?? 3,
  };
}

/**
 * Reads a session's settings again, each time anew. A file that cannot be read keeps what it last said (UP-37). What a
 * project asks for beyond what it asked for at the start waits until a session asks the person about it (RULE-7).
 */
export function rereadSettings(
  system: System,
  request: SessionRequest,
  first: LoadedSettings & { readonly texts: ReadonlyMap<string, string> },
  { folder, config, state }: { readonly folder: string; readonly config: string | null; readonly state: string | null },
): () => Promise<SettingsAgain> {
  let last = first;
  const shown = new Set(projectRequests(first, folder)?.allow.map(({ text }) => text) ?? []);
  return async () => {
    const before = last;
    const layers = settingsLayers({ config, project: folder, argument: request.settings });
    const loaded = await loadSettings(system.files, layers, before.texts);
    last = loaded;
    const decided = await sessionRules(system, request, loaded, { folder, state });
    const { settings } = loaded;
    const changed = (Object.keys(SETTINGS) as SettingName[]).filter(
      (name) =>
        SETTINGS[name].owner === 'session' && JSON.stringify(settings[name]) !== JSON.stringify(before.settings[name]),
    );
    const keys = (live: boolean): string[] =>
      changed.filter((name) => LIVE.has(name) === live).map((name) => SETTINGS[name].key);
    const isShown = ({ text }: { readonly text: string }): boolean => shown.has(text);
    const asked = projectRequests(loaded, folder)?.allow ?? [];
    const kept = loaded.problems.filter(
      ({ source, severity }) => severity === 'unreadable' && loaded.texts.has(source),
    );
    return {
      rules: decided.rules,
      managed: decided.managed,
      project: { ...decided.project, allow: decided.project.allow.filter(isShown) },
      commandOutput: settings.commandOutput,
      ...patience(settings),
      limits: toolLimits(settings),
      autoVet: settings.autoVetting,
      agentsDisabled: settings.agentsDisabled,
      delegateModels: delegateModelsOf(loaded, folder),
      ...spendingOf(settings),
      hooks: { enabled: settings.hooks, injects: settings.injection },
      enabledModels: settings.enabledModels,
      now: keys(true),
      later: [...keys(false), ...(asked.every(isShown) ? [] : ['what the project asks to allow'])],
      problems: [...loaded.problems, ...decided.problems].map((problem) =>
        kept.includes(problem as (typeof kept)[number])
          ? `${problemText(problem)}; what it last said stays in force`
          : problemText(problem),
      ),
    };
  };
}
