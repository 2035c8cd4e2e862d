import type { Files } from '../../system/files.ts';
import type { Skills } from '../extensions/skills.ts';
import { CACHE_RESTARTS } from '../runtime/cache-watch.ts';
import type { Recorder } from '../runtime/runtime.ts';
import type { Skill } from '../tools/tool.ts';
import { ended } from './command-end.ts';
import type { SettingsAgain } from './settings-again.ts';
import { type InstructionsFound, skippedWords } from './start-lines.ts';
import type { CommandEnd } from './turn-loop.ts';

/** What the model is told by files. */
export interface Told {
  readonly found: InstructionsFound;
  readonly skills: Skills | undefined;
}

export interface ReloadParts {
  readonly files: Pick<Files, 'stat'>;
  readonly recorder: Recorder;
  readonly readInstructions: () => Promise<InstructionsFound>;
  readonly readSkills: () => Promise<Skills | undefined>;
  /** Agent profiles, as the settings name them by now; what is wrong with them, one line each. */
  readonly readAgents: (settings: SettingsAgain | null) => Promise<readonly string[]>;
  /** Hooks, once the settings that switch them on were read; lines about what is none. */
  readonly readHooks: (settings: SettingsAgain | null) => Promise<readonly string[]>;
  readonly countHooks: () => number;
  /** Null where there are none to read. */
  readonly readSettings: (() => Promise<SettingsAgain>) | null;
}

/** Puts it in force from the next turn on; true where that changes how requests begin. */
export type Adopt = (told: Told, settings: SettingsAgain | null) => boolean;

/** What is read when a session starts is read again: all of it by `/reload`, instructions before each turn (decisions §10.14). */
export interface Reload {
  /** The session has started with this. */
  started(told: Told, adopt: Adopt): void;
  /** Everything; what can not be read stays as it was and is named. */
  all(): Promise<CommandEnd>;
  /** Instruction files that changed since they were read. */
  instructions(): Promise<void>;
}

export const CACHE_WORDS = 'the cache starts over with the next request';

export function createReload(parts: ReloadParts): Reload {
  const { recorder } = parts;
  let told: Told | null = null;
  let adopt: Adopt = () => false;
  /** Said once, until the file can be read again. */
  let namedUnread: readonly string[] = [];

  const note = (level: 'info' | 'warning', identifier: string, text: string) =>
    ({ kind: 'note', level, identifier, text }) as const;

  const readFound = async (before: InstructionsFound): Promise<{ found: InstructionsFound; lines: string[] }> => {
    const read = await parts.readInstructions();
    const kept = read.skipped.filter((source) => before.instructions.some((one) => one.source === source));
    const lines = read.skipped
      .filter((source) => !namedUnread.includes(source))
      .map((source) =>
        kept.includes(source)
          ? `${source} can not be read as text any more: its instructions stay as they were.`
          : skippedWords(source),
      );
    namedUnread = read.skipped;
    const instructions = [...read.instructions];
    for (const [at, old] of before.instructions.entries())
      if (kept.includes(old.source)) instructions.splice(Math.min(at, instructions.length), 0, old);
    return { found: { instructions, skipped: read.skipped }, lines };
  };

  /** A skill that is still there and is none any more, such as while it is being written, stays what it was. */
  const readSkills = async (before: Skills | undefined): Promise<{ skills: Skills | undefined; lines: string[] }> => {
    const read = await parts.readSkills();
    if (read === undefined || before === undefined) return { skills: read ?? before, lines: [] };
    const kept: Skill[] = [];
    for (const skill of before.list) {
      if (read.list.some(({ name, path }) => name === skill.name || path === skill.path)) continue;
      if ((await parts.files.stat(skill.path).catch(() => null))?.kind === 'file') kept.push(skill);
    }
    const lines = kept.map(({ path }) => `${path} can not be read as a skill any more: it stays as it was.`);
    if (kept.length === 0) return { skills: read, lines };
    const load: Skills['load'] = (name) => (kept.some((one) => one.name === name) ? before : read).load(name);
    return { skills: { list: [...read.list, ...kept], load }, lines };
  };

  return {
    started(first, how) {
      told = first;
      adopt = how;
      namedUnread = first.found.skipped;
    },
    async all() {
      if (told === null) return ended('refused', 'warning', 'not-ready', 'The session is not ready yet.');
      const before = told;
      const [{ found, lines }, skills, settings] = await Promise.all([
        readFound(before.found),
        readSkills(before.skills),
        parts.readSettings?.() ?? null,
      ]);
      const hookLines = await parts.readHooks(settings);
      told = { found, skills: skills.skills };
      const agents = await parts.readAgents(settings);
      const restarts = adopt(told, settings);
      const problems = [...(settings?.problems ?? []), ...lines, ...skills.lines, ...agents, ...hookLines];
      const later = settings?.later ?? [];
      const text = [
        `Read again: ${counted(told, parts.countHooks())}.`,
        ...(settings !== null && settings.now.length > 0 ? [`In force now: ${settings.now.join(', ')}.`] : []),
        ...(later.length > 0 ? [`For sessions opened from now on: ${later.join(', ')}.`] : []),
        ...(restarts ? [`What the model is told changed: ${CACHE_WORDS}.`] : []),
        ...(restarts || later.length > 0 || (settings?.now.length ?? 0) > 0 ? [] : ['Nothing changed.']),
      ].join(' ');
      await recorder.write(
        [
          ...problems.map((problem) => note('warning', 'reload', problem)),
          note('info', restarts ? CACHE_RESTARTS : 'reload', text),
        ],
        { onFailure: 'keep' },
      );
      return { state: 'done', messages: problems.map((problem) => ({ ...WARNING, text: problem })) };
    },
    async instructions() {
      if (told === null) return;
      const before = told;
      const { found, lines } = await readFound(before.found);
      for (const line of lines) await recorder.write([note('warning', 'instructions', line)], { onFailure: 'keep' });
      const changed = changedSources(before.found, found);
      if (changed.length === 0) return;
      told = { ...before, found };
      if (!adopt(told, null)) return;
      const text = `Read again, since it changed: ${changed.join(', ')}; ${CACHE_WORDS}.`;
      await recorder.write([note('info', CACHE_RESTARTS, text)], { onFailure: 'keep' });
    },
  };
}

const WARNING = { level: 'warning', identifier: 'reload' } as const;

function counted({ found, skills }: Told, hooks: number): string {
  const some = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
  const told = `settings, ${some(found.instructions.length, 'instruction file')}, ${some(skills?.list.length ?? 0, 'skill')}`;
  return hooks === 0 ? told : `${told}, ${some(hooks, 'hook')}`;
}

function changedSources(before: InstructionsFound, now: InstructionsFound): string[] {
  const textIn = ({ instructions }: InstructionsFound, source: string): string | undefined =>
    instructions.find((one) => one.source === source)?.text;
  const all = [...before.instructions, ...now.instructions].map(({ source }) => source);
  return [...new Set(all)].filter((source) => textIn(before, source) !== textIn(now, source));
}
