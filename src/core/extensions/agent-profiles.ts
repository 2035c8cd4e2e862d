import path from 'node:path';
import { frontMatterOf, listed } from '../../base/front-matter.ts';
import type { Effort } from '../../protocol/message.ts';
import { type Files, SystemError } from '../../system/files.ts';
import { MOST_ROUNDS, ROUNDS } from '../tools/delegate-rounds.ts';
import type { DelegateKind } from '../tools/tool.ts';

/** What an agent is: the one a person talks with, or a delegate of some kind. */
export type ProfileKind = 'primary' | DelegateKind;

/** An agent as a file describes it: `agents/<name>.md`. */
export interface AgentProfile {
  readonly name: string;
  readonly description: string;
  readonly kind: ProfileKind;
  /** Where it is asked for, such as `anthropic:some-model`; null for the one in force. */
  readonly model: string | null;
  /** Names of the tools it may hold at most; null for all of its kind. */
  readonly tools: readonly string[] | null;
  readonly rounds: number | null;
  readonly effort: Effort | null;
  /** What it is told. */
  readonly body: string;
  readonly path: string;
}

/** A file that should describe one and does not. */
export interface BrokenProfile {
  readonly name: string;
  /** Null where the file does not tell. */
  readonly kind: ProfileKind | null;
  readonly path: string;
  /** What is wrong with it, as the end of a sentence. */
  readonly why: string;
}

export interface AgentProfiles {
  readonly list: readonly AgentProfile[];
  readonly broken: readonly BrokenProfile[];
  /** What stands in files that count and does nothing, one line each. */
  readonly remarks: readonly string[];
}

export const NO_PROFILES: AgentProfiles = { list: [], broken: [], remarks: [] };

const KINDS: readonly ProfileKind[] = ['primary', 'reader', 'checker', 'worker'];
const DELEGATE_KINDS: readonly DelegateKind[] = ['reader', 'checker', 'worker'];
const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max', 'default'];
/** Words that `/agent` takes in place of a name. */
const TAKEN: readonly string[] = [...KINDS, 'none', 'on', 'off'];
const MOST_FILES = 100;
const MOST_BYTES = 64 * 1024;
const MOST_DESCRIPTION = 500;
const FIELDS = ['name', 'description', 'kind', 'model', 'tools', 'rounds', 'effort'];
const NOT_SERVED = ['skills', 'mcpServers', 'memory', 'isolation'];
/** Where a project keeps them. */
const PROJECT_FOLDER = ['.houston', 'agents'];

type ProfileFiles = Pick<Files, 'list' | 'stat' | 'read' | 'realPath'>;
type Reading = { readonly profile: AgentProfile; readonly remarks: readonly string[] } | BrokenProfile;

/**
 * Finds the definitions in the person's own `agents/` and, in a trusted workspace, in the project's. Of a name that both
 * have the person's counts, and the project's can only take away from it (DEL-5).
 */
export async function discoverProfiles(
  files: ProfileFiles,
  where: {
    readonly config: string | null;
    readonly project: string;
    readonly trusted: boolean;
    readonly tools: readonly string[];
  },
): Promise<AgentProfiles> {
  const { config, project, trusted, tools } = where;
  const own = config === null ? [] : await readFolder(files, path.join(config, 'agents'), tools, null);
  const theirs = trusted ? await readFolder(files, path.join(project, ...PROJECT_FOLDER), tools, project) : [];
  const found = new Map<string, Reading>(own.map((reading) => [nameOf(reading), reading]));
  for (const reading of theirs) {
    const before = found.get(nameOf(reading));
    found.set(nameOf(reading), before === undefined ? foreign(reading) : narrowed(before, reading));
  }
  const all = [...found.values()].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const good = all.filter((one) => 'profile' in one);
  return {
    list: good.map(({ profile }) => profile),
    broken: all.filter((one) => 'why' in one),
    remarks: good.flatMap(({ remarks }) => remarks),
  };
}

async function readFolder(
  files: ProfileFiles,
  folder: string,
  tools: readonly string[],
  /** What its files may not lie outside of; null: anywhere the person linked them from. */
  within: string | null,
): Promise<Reading[]> {
  const entries = await files.list(folder).catch(() => []);
  const names = entries
    .map(({ name }) => name)
    .filter((name) => /^[^.].*\.md$/.test(name) && !/^readme\.md$/i.test(name));
  const readings: Reading[] = [];
  for (const name of names.sort().slice(0, MOST_FILES)) {
    const place = path.join(folder, name);
    const text = await readText(files, place, within);
    readings.push('why' in text ? broken(place, null, text.why) : readProfile(text.text, place, tools));
  }
  const rest = names.length - MOST_FILES;
  if (rest > 0) {
    const first = names.sort()[MOST_FILES]!;
    readings.push(
      broken(path.join(folder, first), null, `is one of ${rest} too many: a folder holds at most ${MOST_FILES}`),
    );
  }
  return readings;
}

async function readText(
  files: ProfileFiles,
  place: string,
  within: string | null,
): Promise<{ readonly text: string } | { readonly why: string }> {
  try {
    if (within !== null) {
      const [real, inside] = [await files.realPath(place), (await files.realPath(within)) ?? within];
      if (real === null || !real.startsWith(`${inside}${path.sep}`)) return { why: 'leads out of the project' };
    }
    const stat = await files.stat(place);
    if (stat?.kind !== 'file') return { why: 'is no file that can be read' };
    if (stat.size > MOST_BYTES) return { why: `is larger than ${MOST_BYTES / 1024} KiB` };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await files.read(place, MOST_BYTES));
    return text.includes('\0') ? { why: 'is no text' } : { text };
  } catch (error) {
    if (error instanceof SystemError) return { why: `can not be read (${error.code})` };
    return { why: 'is no text' };
  }
}

/** What a file describes. Any text at all is either a profile or is broken, and then says what is wrong with it. */
export function readProfile(text: string, place: string, tools: readonly string[]): Reading {
  const front = frontMatterOf(text);
  if (front === null) return broken(place, null, 'does not begin with front matter between two lines of ---');
  const { fields, body } = front;
  const field = (name: string): string | null => {
    const value = fields.get(name)?.trim() ?? '';
    return value === '' ? null : value;
  };
  const kind = KINDS.find((one) => one === field('kind')) ?? null;
  const wrong = (why: string): Reading => broken(place, kind, why);
  const stem = stemOf(place);
  const name = field('name');
  if (name === null) return wrong('has no name');
  const unfit = nameFault(name);
  if (unfit !== null) return wrong(unfit);
  if (name !== stem) return wrong(`is named ${name} inside: file and name have to be the same`);
  const description = shownText(field('description') ?? '').slice(0, MOST_DESCRIPTION);
  if (description === '') return wrong('has no description');
  if (kind === null)
    return wrong(
      field('kind') === null ? `has no kind (${KINDS.join(', ')})` : `has a kind that is none of ${KINDS.join(', ')}`,
    );
  const effort = field('effort');
  if (effort !== null && !EFFORTS.some((one) => one === effort))
    return wrong(`has an effort that is none of ${EFFORTS.join(', ')}`);
  const model = field('model');
  if (model !== null && !/^[\w.-]+[:/]\S+$/.test(model)) return wrong('has a model that is not written provider:model');
  const rounds = field('rounds');
  const most = kind === 'primary' ? null : MOST_ROUNDS[kind];
  if (rounds !== null && most === null) return wrong('has rounds, which only delegates have');
  if (rounds !== null && (!/^[1-9]\d{0,5}$/.test(rounds) || Number(rounds) > most!))
    return wrong(`has rounds that are not between 1 and ${most}, the most for a ${kind}`);
  const wanted = fields.has('tools') ? listed(fields.get('tools')!) : null;
  // What a server offers is known only once it is on.
  const isKnown = (tool: string): boolean => tools.includes(tool) || /^mcp__[\w-]+__[\w-]+$/.test(tool);
  const known = wanted?.filter(isKnown) ?? null;
  const unknown = wanted?.filter((tool) => !isKnown(tool)) ?? [];
  const unserved = NOT_SERVED.filter((one) => fields.has(one));
  const strange = [...fields.keys()].filter((one) => !FIELDS.includes(one) && !NOT_SERVED.includes(one));
  const say = (what: string): string => `${shownText(place)} ${what}`;
  return {
    profile: {
      name,
      description,
      kind,
      model,
      tools: known,
      rounds: rounds === null ? null : Number(rounds),
      effort: EFFORTS.find((one) => one === effort) ?? null,
      body,
      path: place,
    },
    remarks: [
      ...(unknown.length === 0 ? [] : [say(`names tools there are not, which give it nothing: ${quoted(unknown)}.`)]),
      ...(unserved.length === 0 ? [] : [say(`sets ${unserved.join(', ')}, which does nothing yet.`)]),
      ...(strange.length === 0 ? [] : [say(`sets what no profile has: ${quoted(strange)}.`)]),
    ],
  };
}

function nameFault(name: string): string | null {
  const shown = shownText(name).slice(0, 64);
  if (name.startsWith('-')) return `has a name that begins with a dash: ${shown}`;
  if (name.includes(':')) return `has a name with a colon: ${shown}`;
  if (TAKEN.includes(name)) return `is named ${shown}, which means something else`;
  return /^\w[\w.-]{0,63}$/.test(name) ? null : `has a name that is not of letters, digits, - and _: ${shown}`;
}

function broken(place: string, kind: ProfileKind | null, why: string): BrokenProfile {
  return { name: shownText(stemOf(place)).slice(0, 64), kind, path: place, why };
}

function stemOf(place: string): string {
  return path.basename(place, '.md');
}

function nameOf(reading: Reading): string {
  return 'profile' in reading ? reading.profile.name : reading.name;
}

/** Of a project alone: where its words go and what that costs is the person's to say. */
function foreign(reading: Reading): Reading {
  if ('why' in reading) return reading;
  const { profile, remarks } = reading;
  const left = (['model', 'effort'] as const).filter((one) => profile[one] !== null);
  if (left.length === 0) return reading;
  return {
    profile: { ...profile, model: null, effort: null },
    remarks: [...remarks, `${shownText(profile.path)} sets ${left.join(' and ')}, which a project may not.`],
  };
}

/** The person's own with what a project takes away from it. */
function narrowed(own: Reading, project: Reading): Reading {
  if ('why' in own) return own;
  if ('why' in project) return { ...project, kind: own.profile.kind };
  const { profile } = own;
  const other = project.profile;
  const kind = narrowerKind(profile.kind, other.kind);
  if (kind === null)
    return broken(other.path, profile.kind, `is of kind ${other.kind}, but yours of that name is ${profile.kind}`);
  return {
    profile: {
      ...profile,
      kind,
      tools:
        other.tools === null || profile.tools === null
          ? (other.tools ?? profile.tools)
          : profile.tools.filter((tool) => other.tools!.includes(tool)),
      rounds: kind === 'primary' ? null : fewerRounds(kind, profile, other),
    },
    remarks: [...own.remarks, ...project.remarks],
  };
}

/** Null where both leave it at what every delegate of the kind has. */
function fewerRounds(kind: DelegateKind, own: AgentProfile, project: AgentProfile): number | null {
  if (own.rounds === null && project.rounds === null) return null;
  const roundsOf = (one: AgentProfile): number => one.rounds ?? ROUNDS[one.kind === 'primary' ? kind : one.kind];
  return Math.min(MOST_ROUNDS[kind], roundsOf(own), project.rounds ?? Number.POSITIVE_INFINITY);
}

function narrowerKind(one: ProfileKind, other: ProfileKind): ProfileKind | null {
  if (one === 'primary' || other === 'primary') return one === other ? one : null;
  return DELEGATE_KINDS.find((kind) => kind === one || kind === other) ?? null;
}

/** In one line and without anything that moves a cursor. */
function shownText(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replace(/\p{C}/gu, '\ufffd');
}

function quoted(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((name) => shownText(name).slice(0, 64));
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ');
}
