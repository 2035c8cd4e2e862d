import type { Outcome, Refusal } from '../../base/refusal.ts';
import type { Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import { type AgentProfile, type AgentProfiles, NO_PROFILES } from '../extensions/agent-profiles.ts';
import type { Journal } from '../journal/journal.ts';
import type { Models } from '../models/catalog.ts';
import type { Model } from '../models/model.ts';
import { CACHE_RESTARTS } from '../runtime/cache-watch.ts';
import type { Recorder, Runtime } from '../runtime/runtime.ts';
import type { Tool } from '../tools/tool.ts';
import { type ChosenAgent, PRIMARY_AGENT } from './agent-record.ts';
import type { CurrentModel, WornModel } from './current-model.ts';
import { effortProblem } from './one-turn-target.ts';
import type { Publisher } from './publish.ts';
import { CACHE_WORDS } from './reload.ts';
import { accepted, refused } from './sent.ts';
import { noteOnce } from './start-lines.ts';
import type { TurnLoop } from './turn-loop.ts';

/** Where profiles come from, and what the settings say of them. */
export interface AgentsStart {
  readonly find: (trusted: boolean) => Promise<AgentProfiles>;
  /** Of sessions that made no choice of their own; null for None. */
  readonly primary: string | null;
  readonly disabled: readonly string[];
  /** Whether model and effort were named for this run: then no profile's count at its start. */
  readonly named?: { readonly model: boolean; readonly effort: boolean };
}

export interface PrimaryAgentParts {
  readonly start: AgentsStart | null;
  readonly chosen: ChosenAgent | null;
  /** Whether the conversation had turns before. */
  readonly hasTurns: boolean;
  readonly journal: Journal;
  readonly recorder: Recorder;
  readonly publisher: Publisher;
  readonly models: Pick<Models, 'parse' | 'open'>;
  readonly model: CurrentModel;
  /** Whether somebody is there to type a command. */
  readonly canAsk: boolean;
  readonly loop: () => Pick<TurnLoop, 'running' | 'wake'>;
  /** Puts what is worn now in force for the turns that follow. */
  readonly dress: () => void;
}

/**
 * Whom the person talks with: a primary profile or none, and the profiles there are. What is chosen while a turn runs holds
 * from the next one on; a profile that has to be there and is broken keeps every turn from starting (ST-7, ST-8).
 */
export interface PrimaryAgent {
  /** Those that count: neither broken nor switched off. */
  readonly enabled: readonly AgentProfile[];
  readonly profiles: AgentProfiles;
  readonly disabled: ReadonlySet<string>;
  readonly selected: string | null;
  /** Why no turn may start. */
  readonly problem: Refusal | null;
  /** At the start of the session, before its first turn. */
  load(trusted: boolean): Promise<void>;
  /** Everything again; one that is broken now stays as it was. Lines of what is wrong. */
  reload(trusted: boolean, disabled: readonly string[] | null): Promise<readonly string[]>;
  /** Null for None. */
  choose(name: string | null, client: ClientId): Promise<Sent>;
  /** The next of those that may be chosen; behind the last one, None. */
  cycle(client: ClientId): Promise<Sent>;
  /** Switches a definition off or on, here and at once. */
  enable(name: string, on: boolean): void;
  /** Puts on what was chosen while a turn ran. */
  adopt(): void;
  /** Says that the cache starts over where another one speaks than in the turn before. */
  beforeTurn(): Promise<void>;
  /** Of these tools, those that whoever is worn holds. */
  narrow(tools: readonly Tool[]): readonly Tool[];
  /** The session's runtime as the one who is worn has it. */
  wear(runtime: Runtime): Runtime;
}

interface Wants {
  readonly model: boolean;
  readonly effort: boolean;
}

const BOTH: Wants = { model: true, effort: true };
const KEEP = { onFailure: 'keep' } as const;

export function createPrimaryAgent(parts: PrimaryAgentParts): PrimaryAgent {
  const { start, recorder, publisher, model } = parts;
  let profiles = NO_PROFILES;
  /** Before that nothing is known to be wrong. */
  let looked = false;
  const disabled = new Set(start?.disabled ?? []);
  let selected = parts.chosen === null ? (start?.primary ?? null) : parts.chosen.name;
  /** What turns go by from now on. */
  let worn: AgentProfile | null = null;
  let turnedAs = '';
  let hasTurns = parts.hasTurns;

  const isPrimary = (one: { readonly kind: string | null }): boolean => one.kind === 'primary';
  const enabled = (): AgentProfile[] => profiles.list.filter(({ name }) => !disabled.has(name));
  const find = (name: string | null): AgentProfile | null =>
    enabled().find((one) => one.name === name && isPrimary(one)) ?? null;
  const known = (): string =>
    enabled()
      .filter(isPrimary)
      .map(({ name }) => name)
      .join(', ');

  /** Why `name` can not be worn. */
  const selectionFault = (name: string): string | null => {
    if (find(name) !== null) return null;
    const fault = profiles.broken.find((one) => one.name === name);
    if (fault !== undefined) return `the agent ${name} is broken: ${fault.path} ${fault.why}`;
    const other = profiles.list.find((one) => one.name === name);
    if (other === undefined) return `there is no agent ${cleaned(name)}`;
    return isPrimary(other) ? `the agent ${name} is switched off` : `${name} is a ${other.kind}, for delegates only`;
  };
  const delegateFault = (): string | null => {
    const fault = profiles.broken.find((one) => !isPrimary(one) && one.name !== selected && !disabled.has(one.name));
    return fault === undefined ? null : `${fault.path} ${fault.why}`;
  };
  const problem = (): Refusal | null => {
    if (!looked) return null;
    const chosen = selected === null ? null : selectionFault(selected);
    if (chosen !== null)
      return {
        identifier: 'agent-broken',
        message: `No turn can start: ${chosen}. ${parts.canAsk ? 'Mend it and /reload, or go on without: /agent none' : 'Mend it, or set agent.primary to "none" in the settings'}`,
      };
    const fault = delegateFault();
    if (fault === null) return null;
    const name = profiles.broken.find((one) => `${one.path} ${one.why}` === fault)!.name;
    return {
      identifier: 'agent-broken',
      message: `No turn can start: the agent definition ${fault}. ${parts.canAsk ? `Mend it and /reload, or switch it off: /agent off ${name}` : `Mend it, or name ${name} under agents.disabled in the settings`}`,
    };
  };
  /** What is wrong and keeps nothing from starting (ST-9). */
  const warnings = (): string[] => [
    ...profiles.broken
      .filter((one) => one.name !== selected && (isPrimary(one) || disabled.has(one.name)))
      .map((one) => `${one.path} ${one.why}: the agent ${one.name} can not be used.`),
    ...profiles.remarks,
  ];

  /** As it is by now; a model or effort the person chose meanwhile stays where the profile asks for the same as before. */
  const again = (): Promise<string> => {
    const profile = find(selected);
    const before = pending?.profile ?? worn;
    const same = profile?.name === before?.name;
    return putOn(profile, {
      model: !same || profile?.model !== before?.model,
      effort: !same || profile?.effort !== before?.effort,
    });
  };
  const show = (): void => {
    publisher.publish({ type: 'head', head: { agent: selected } });
    model.show();
  };
  /** What waits for the end of the turn; `model` null: that of the conversation stays as it is. */
  let pending: { readonly profile: AgentProfile | null; readonly model: WornModel | null } | null = null;
  const adopt = (): void => {
    if (pending === null) return;
    worn = pending.profile;
    if (pending.model !== null) model.wear(pending.model);
    pending = null;
    parts.dress();
  };

  /** Puts `profile` on, with as much of its model as is wanted; answers what of that could not be had. */
  const putOn = async (profile: AgentProfile | null, wants: Wants): Promise<string> => {
    let lacking = '';
    let opened: Model | null = null;
    if (wants.model && profile !== null && profile.model !== null) {
      const found = await open(profile.model);
      if (found.ok) opened = found.value;
      else lacking = ` Its model ${profile.model} can not be had (${found.refusal.message}): it runs on yours.`;
    }
    const level = wants.effort ? (profile?.effort ?? null) : null;
    const facts = (opened ?? model.own)?.facts ?? null;
    const unfit = level === null || facts === null ? null : effortProblem(facts, level);
    if (unfit !== null) lacking += ` ${unfit}`;
    pending = {
      profile,
      model: wants.model || wants.effort ? { model: opened, effort: unfit === null ? level : null } : null,
    };
    if (parts.loop().running !== 'turn') adopt();
    return lacking;
  };
  const open = async (text: string): Promise<Outcome<Model>> => {
    const ref = parts.models.parse(text);
    if (!ref.ok) return ref;
    return parts.models.open(ref.value);
  };

  /** One choice after the other, whoever makes it: a step is made from where the one before led. */
  let line: Promise<unknown> = Promise.resolve();
  const inLine = <T>(work: () => Promise<T>): Promise<T> => {
    const result = line.then(work);
    line = result.catch(() => undefined);
    return result;
  };

  const choose = async (name: string | null, client: ClientId): Promise<Sent> => {
    const fault = name === null ? null : selectionFault(name);
    if (fault !== null) {
      const names = known();
      const others = names === '' ? 'There is none to choose.' : `There are: ${names}, none.`;
      return {
        accepted: false,
        refusal: {
          identifier: 'no-such-agent',
          message: `${fault.charAt(0).toUpperCase()}${fault.slice(1)}. ${others}`,
        },
      };
    }
    // Written first: who goes on with the session talks with the same one.
    await recorder.write([{ kind: 'record', name: PRIMARY_AGENT, data: { name } }]);
    selected = name;
    const lacking = await putOn(find(name), BOTH);
    show();
    const when = pending !== null ? ' from the next turn on' : '';
    const who = name === null ? 'Agent: None' : `Agent: ${name}`;
    const text = `${who}${when}.${lacking}`;
    publisher.publish({ type: 'flash', client, level: lacking === '' ? 'info' : 'warning', text });
    parts.loop().wake();
    return accepted();
  };

  const narrow = (tools: readonly Tool[]): readonly Tool[] => {
    const named = worn?.tools ?? null;
    return named === null ? tools : tools.filter(({ name }) => named.includes(name));
  };

  return {
    get enabled() {
      return enabled();
    },
    get profiles() {
      return profiles;
    },
    disabled,
    get selected() {
      return selected;
    },
    get problem() {
      return problem();
    },
    load: async (trusted) => {
      if (start === null) return;
      profiles = await start.find(trusted);
      looked = true;
      const profile = find(selected);
      const overruled = parts.chosen?.overruled === true;
      const { named } = start;
      const wants = { model: !overruled && named?.model !== true, effort: !overruled && named?.effort !== true };
      const lacking = profile === null ? '' : await putOn(profile, wants);
      turnedAs = spoken(worn);
      if (selected !== null || problem() !== null) show();
      const fault = problem();
      const lines = [
        // Where there are cards no other place is left to read all of it.
        ...(fault === null || !hasTurns ? [] : [fault.message]),
        ...warnings(),
        ...(lacking === '' ? [] : [`Agent ${selected}:${lacking}`]),
      ];
      await noteOnce(parts.journal, recorder, 'agents', lines);
    },
    reload: async (trusted, off) => {
      if (start === null) return [];
      const before = profiles;
      const now = await start.find(trusted);
      if (off !== null) {
        disabled.clear();
        for (const name of off) disabled.add(name);
      }
      // One that is being written just now stays what it was.
      const kept = before.list.filter(({ name }) => now.broken.some((one) => one.name === name));
      const isKept = ({ name }: { readonly name: string }): boolean => kept.some((one) => one.name === name);
      const lines = now.broken.filter(isKept).map(({ path, why }) => `${path} ${why}: it stays as it was.`);
      profiles = {
        list: [...now.list, ...kept].sort((one, other) => (one.name < other.name ? -1 : 1)),
        broken: now.broken.filter((one) => !isKept(one)),
        remarks: now.remarks,
      };
      const lacking = await again();
      show();
      const fault = problem();
      return [
        ...lines,
        ...warnings(),
        ...(lacking === '' ? [] : [`Agent ${selected}:${lacking}`]),
        ...(fault === null ? [] : [fault.message]),
      ];
    },
    choose: (name, client) => inLine(() => choose(name, client)),
    cycle: (client) =>
      inLine(async () => {
        if (start === null) return refused('no-such-agent', 'There are no agents here.');
        const names = enabled().filter(isPrimary);
        const at = names.findIndex(({ name }) => name === selected);
        if (names.length === 0 && selected === null)
          return refused(
            'no-such-agent',
            'There is no primary agent: agents/NAME.md in the configuration describes one.',
          );
        return choose(names[at + 1]?.name ?? null, client);
      }),
    enable: (name, on) => {
      if (on) disabled.delete(name);
      else disabled.add(name);
      pending ??= { profile: worn, model: null };
      if (parts.loop().running !== 'turn') adopt();
      show();
    },
    adopt,
    beforeTurn: async () => {
      const now = spoken(worn);
      const other = hasTurns && now !== turnedAs;
      turnedAs = now;
      hasTurns = true;
      if (!other) return;
      const text = `${worn === null ? 'No agent of your own speaks' : `The agent ${worn.name} speaks`} from here on: ${CACHE_WORDS}.`;
      await recorder.write([{ kind: 'note', level: 'info', identifier: CACHE_RESTARTS, text }], KEEP);
    },
    narrow,
    wear: (runtime) => {
      if (worn === null) return runtime;
      return {
        ...runtime,
        systemPrompt: worn.body === '' ? runtime.systemPrompt : [...runtime.systemPrompt, told(worn)],
        calls: { ...runtime.calls, tools: narrow(runtime.calls.tools) },
      };
    },
  };
}

/** Last in the system prompt, so that all before it stays remembered when another one speaks. */
function told({ name, body }: AgentProfile): string {
  return `# Who you are here\nThe person chose the agent "${name}" for this conversation. It is told:\n\n${body}`;
}

/** What of a profile the beginning of a request depends on. */
function spoken(profile: AgentProfile | null): string {
  return profile === null ? '' : JSON.stringify([profile.body, profile.tools]);
}

/** A name somebody typed, fit to be drawn. */
function cleaned(name: string): string {
  return name.replace(/\p{C}/gu, '\ufffd').slice(0, 64);
}
