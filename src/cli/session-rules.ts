import path from 'node:path';
import { underLock } from '../core/journal/session-lock.ts';
import type { AnsweredLine, AnsweredTool } from '../core/policy/policy.ts';
import { readRules, type UnreadableRule } from '../core/policy/read-rules.ts';
import { openRememberedAnswers, type RememberedAnswers } from '../core/policy/remembered.ts';
import type { Rules } from '../core/policy/rules.ts';
import { type LoadedSettings, MANAGED_SETTINGS, type SettingsProblem } from '../core/settings/load.ts';
import { projectRequests } from '../core/settings/project-requests.ts';
import type { System } from '../system/system.ts';

/** What is decided in advance in a session: by rules, and by answers of earlier sessions. */
export interface SessionRules {
  readonly rules: Rules;
  /** What whoever looks after this machine denies: it holds for the person's own lines too. */
  readonly managed: Rules;
  /** What the project asks for: in force once the person, who saw it, trusts the workspace (RULE-7). */
  readonly project: Rules;
  readonly earlierAnswers: readonly AnsweredLine[];
  /** Folders in whose files values that look like credentials may be written. */
  readonly earlierKeyFolders: readonly string[];
  /** Tools of MCP servers that are called unasked. */
  readonly earlierTools: readonly AnsweredTool[];
  /** Where further answers are kept; null where nothing is saved. */
  readonly remembered: RememberedAnswers | null;
  /** Rules that could not be read, each named with its place. */
  readonly problems: readonly SettingsProblem[];
}

/** How long another session may hold the remembered answers, in milliseconds. */
const LOCK_WAIT_MS = 2000;

/** `allow`: the rules of `--allow`. `save`: false for a session that leaves nothing behind. */
export async function sessionRules(
  system: System,
  { allow, save }: { readonly allow: readonly string[]; readonly save: boolean },
  loaded: LoadedSettings,
  places: { readonly folder: string; readonly state: string | null },
): Promise<SessionRules> {
  const given = allow.map((text) => ({ text }));
  const stays = loaded.settings.readsStayInWorkspace;
  const lists = loaded.closed ? [] : [{ source: '--allow', verdict: 'allow', entries: given } as const];
  const { rules, unreadable } = readRules([...loaded.rules, ...lists], stays);
  const requested = projectRequests(loaded, places.folder)?.allow ?? [];
  const project = readRules(
    requested.map(({ source, text }) => ({ source, verdict: 'allow', entries: [{ text }] })),
    stays,
  );
  const store = places.state === null ? null : openStore(system, places.state);
  return {
    rules,
    managed: readRules(
      loaded.rules.filter(({ source }) => source === MANAGED_SETTINGS),
      false,
    ).rules,
    project: project.rules,
    earlierAnswers: loaded.closed ? [] : ((await store?.load()) ?? []),
    earlierKeyFolders: loaded.closed ? [] : ((await store?.loadKeyFolders()) ?? []),
    earlierTools: loaded.closed ? [] : ((await store?.loadTools()) ?? []),
    remembered: save ? store : null,
    problems: [...unreadable, ...project.unreadable].map(asProblem),
  };
}

function openStore(system: System, state: string): RememberedAnswers {
  const file = path.join(state, 'remembered.json');
  return openRememberedAnswers(system.files, file, async (work) => {
    await system.files.makeFolder(state, 0o700);
    return underLock(system, `${file}.lock`, LOCK_WAIT_MS, work);
  });
}

function asProblem({ source, line, verdict, text }: UnreadableRule): SettingsProblem {
  return { source, line, severity: 'ignored', message: `permissions.${verdict}: the rule “${text}” cannot be read` };
}
