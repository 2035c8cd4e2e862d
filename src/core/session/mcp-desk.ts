import { raceAbort } from '../../base/abort.ts';
import { done, type Outcome, refuse } from '../../base/refusal.ts';
import type { InputOutcome } from '../../protocol/view.ts';
import type { Clock } from '../../system/clock.ts';
import type { Agree, McpServers, ServerList, VisitFor } from '../mcp/servers.ts';
import { TOOLS_CHANGED } from '../runtime/cache-watch.ts';
import type { Inbox } from '../runtime/inbox.ts';
import type { AskPerson, Recorder } from '../runtime/runtime.ts';
import type { Tool } from '../tools/tool.ts';
import { type ErrorLog, failedText } from './error-log.ts';
import { CACHE_WORDS } from './reload.ts';
import type { SlowWork } from './slow-work.ts';
import type { TurnLoop } from './turn-loop.ts';

/** Where the MCP servers of a session come from. */
export interface McpSource {
  /** Whether anything is configured at all: without it nothing is loaded. */
  exists(): Promise<boolean>;
  /** `projectCounts`: whether the person, who saw what the project asks for, trusts it. */
  load(projectCounts: () => boolean): Promise<McpServers>;
  /** Whether the session is ready only once every server that is on by default is there. */
  readonly strict: boolean;
}

/** A change of which servers are on. */
export type McpChange =
  | { readonly kind: 'enable'; readonly name: string; readonly save: boolean }
  | { readonly kind: 'enable-all' }
  /** Those a skill wants. */
  | { readonly kind: 'enable-some'; readonly names: readonly string[] }
  | { readonly kind: 'logout'; readonly name: string }
  /** Those that are on in each new conversation. */
  | { readonly kind: 'defaults' };

/**
 * One change of MCP servers at a time, beside turns: what is said meanwhile waits for it, so that a request to use a server
 * arrives together with its tools (SC-12, SC-9).
 */
export interface McpDesk {
  /** What is being changed, as a person would say it; null for nothing. */
  readonly change: string | null;
  /** Whether what waits has to wait for it. */
  readonly holds: boolean;
  begin(change: McpChange, owner: Pick<InputOutcome, 'client' | 'ref'> | null): void;
  /** False when nothing was under way. */
  cancel(): boolean;
  /** All of them; null where there can be none. */
  readonly servers: (() => Promise<McpServers>) | null;
  /** Only those that are configured or on, and only where there are any. */
  list(): Promise<ServerList | null>;
  /** Names of those that are on. */
  readonly on: readonly string[];
  /** These tools, and behind them what servers offer. */
  withTools(own: readonly Tool[]): readonly Tool[];
  /** One was turned off: it is said, and no longer offered. */
  turnedOff(text: string): Promise<void>;
  /** Whether what the session waits for is still wanted. */
  lookAgain(): Promise<void>;
  /** The session is ready for changes: `apply` takes the tools of each request from now on. */
  started(apply: (tools: readonly Tool[]) => void): void;
  /** Starts what is on by default. Where nobody is there to wait, resolves once it is; else at once. */
  startDefaults(signal: AbortSignal): Promise<Outcome<null>>;
  /** Before each turn: what changed on a server is looked at. */
  beforeTurn(): Promise<void>;
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface McpDeskParts {
  readonly source: McpSource | null;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly slow: SlowWork;
  readonly inbox: Pick<Inbox, 'holdSteering' | 'letSteer' | 'rows'>;
  readonly errors: Pick<ErrorLog, 'record'>;
  readonly loop: () => Pick<TurnLoop, 'running' | 'wake' | 'holdBehind'>;
  readonly ask: AskPerson;
  readonly canAsk: boolean;
  readonly closing: () => boolean;
  readonly projectCounts: () => boolean;
  /** Whether a request was made in this conversation. */
  readonly hasAsked: () => boolean;
  /** What steers waits no more: a wait for a command ends for it. */
  readonly onLetSteer: () => void;
}

/** Milliseconds a turn waits at most for lists that changed. */
const REFRESH_MS = 5_000;
const CACHE_SENTENCE = `${CACHE_WORDS.charAt(0).toUpperCase()}${CACHE_WORDS.slice(1)}.`;
const GIVE_UP = 'Give it up';
const KEEP = { onFailure: 'keep' } as const;

export function createMcpDesk(parts: McpDeskParts): McpDesk {
  const { source, recorder, slow, inbox, canAsk } = parts;
  const loop = () => parts.loop();
  const { promise: ready, resolve: tellReady } = Promise.withResolvers<void>();
  let loading: Promise<McpServers> | null = null;
  let loaded: McpServers | null = null;
  let own: readonly Tool[] = [];
  /** What servers offered when that was last taken over. */
  let given: readonly Tool[] = [];
  let apply: (tools: readonly Tool[]) => void = () => {};
  let current: { readonly name: string; readonly holds: boolean; readonly over: Promise<void> } | null = null;
  let defaultsWait = false;
  /** Servers that are on by default and are not there, where the session waits for them. */
  let missing: ReadonlySet<string> = new Set();

  const servers = (): Promise<McpServers> => {
    loading ??= source!.load(parts.projectCounts).then(
      (there) => {
        loaded = there;
        return there;
      },
      (error: unknown) => {
        // The next one who asks tries again.
        loading = null;
        throw error;
      },
    );
    return loading;
  };
  const note = async (level: 'info' | 'warning' | 'error', text: string): Promise<void> => {
    await recorder.write([{ kind: 'note', level, identifier: 'mcp', text }], KEEP);
  };
  /** Says that other tools are offered from now on, and what that costs where something was asked before. */
  const changed = async (level: 'info' | 'warning', text: string): Promise<void> => {
    const cost = parts.hasAsked() ? ` ${CACHE_SENTENCE}` : '';
    await recorder.write([{ kind: 'note', level, identifier: TOOLS_CHANGED, text: `${text}${cost}` }], KEEP);
  };
  const offer = (): void => apply(desk.withTools(own));

  const agree: Agree = canAsk
    ? async ({ title, rows }, signal) => {
        const choices = [
          { key: 'y', name: 'once', label: 'Yes, this session', approves: true },
          { key: 'r', name: 'remember', label: 'Yes, remembered', approves: true },
          { key: 'n', name: 'no', label: 'No', approves: false },
        ] as const;
        const body = { kind: 'permission', title, why: null, effects: [], rows, diffs: [], choices } as const;
        const answer = await parts.ask({ for: null, origin: '', call: null, body }, signal);
        if (answer?.kind !== 'choice') return null;
        return answer.choice === 'once' || answer.choice === 'remember' ? answer.choice : 'no';
      }
    : null;

  /** The way to the browser, until it came back or the person gave it up; where it cannot come back, they paste where it ended. */
  const visit: VisitFor = canAsk
    ? async (name, url, signal) => {
        const question = `Sign in to ${name} in the browser: ${url}\nIf the browser cannot come back by itself, paste the address it ended at.`;
        const body = { kind: 'questions', questions: [{ question, options: [GIVE_UP], many: false }] } as const;
        const answer = await parts.ask({ for: null, origin: '', call: null, body, unkept: true }, signal);
        const [said] = answer?.kind === 'answers' ? (answer.answers[0] ?? []) : [];
        return said === undefined || said === GIVE_UP ? null : said;
      }
    : null;

  /** What went wrong with one of them, on the record too. Its words end with what that leaves. */
  const report = async (name: string, message: string, error?: unknown): Promise<string> => {
    const file = await parts.errors.record('mcp', name, error ?? new Error(message));
    const frames = file === null && error instanceof Error ? framesOf(error) : '';
    return `${failedText(`MCP: ${message.startsWith(name) ? message : `${name}: ${message}`}`, new Error('it stays off'), file).replace(' failed:', ';')}${frames}`;
  };

  const enableOne = async (
    change: Extract<McpChange, { kind: 'enable' }>,
    signal: AbortSignal,
  ): Promise<Outcome<null>> => {
    const { name, save } = change;
    const there = await servers();
    const beside = besideTurn();
    const enabled = await there.enable(name, agree, signal, visit);
    if (!enabled.ok) return refuse(enabled.refusal.identifier, enabled.refusal.message);
    offer();
    const signsIn = (await there.list()).rows.some((row) => row.name === name && row.signsIn);
    await changed('info', onText(enabled.value.name, enabled.value.tools, beside || besideTurn(), signsIn));
    for (const left of enabled.value.leftOut) await note('warning', `${name}: left out: ${left}.`);
    if (save) await saveDefault(there, name, true);
    return done(null);
  };

  const saveDefault = async (there: McpServers, name: string, on: boolean): Promise<void> => {
    const saved = await there.saveDefault(name, on);
    await (saved.ok
      ? note('info', `${name} is ${on ? 'on' : 'off'} in each new conversation: saved in ${saved.value}.`)
      : note('warning', `The change of ${name} applies only here: ${saved.refusal.message}.`));
  };

  /** One after the other; each that fails stays off by itself, and the whole succeeds (SC-12.6). */
  const enableSeveral = async (
    names: readonly string[],
    why: string,
    who: Agree,
    signal: AbortSignal,
  ): Promise<readonly string[]> => {
    const there = await servers();
    const failed: string[] = [];
    for (const name of names) {
      if (signal.aborted) break;
      const enabled = await there.enable(name, who, signal, who === null ? null : visit);
      if (enabled.ok) {
        offer();
        await changed('info', `${name} is on (${why}), with ${counted(enabled.value.tools)}.`);
        continue;
      }
      if (signal.aborted) break;
      failed.push(name);
      if (['mcp-not-agreed', 'mcp-sign-in-needed'].includes(enabled.refusal.identifier))
        await note('warning', `MCP: ${enabled.refusal.message}.`);
      else await note('error', await report(name, enabled.refusal.message));
    }
    return failed;
  };

  const enableAll = async (signal: AbortSignal): Promise<Outcome<null>> => {
    const { rows, broken } = await (await servers()).list();
    for (const line of broken) await note('error', `MCP: ${line}.`);
    const off = rows.filter(({ state }) => state === 'off').map(({ name }) => name);
    if (off.length === 0) await note('info', 'There is no MCP server left to enable.');
    else await note('info', `Enabling ${off.join(', ')}. ${abandonText()}`);
    await enableSeveral(off, 'enable-all', agree, signal);
    return done(null);
  };

  const enableSome = async (names: readonly string[], signal: AbortSignal): Promise<Outcome<null>> => {
    await note('info', `Enabling ${names.join(', ')}. ${abandonText()}`);
    await enableSeveral(names, 'a skill wants it', agree, signal);
    return done(null);
  };

  const enableDefaults = async (signal: AbortSignal): Promise<Outcome<null>> => {
    const there = await servers();
    const { rows, broken } = await there.list();
    for (const line of broken) await note('error', `MCP: ${line}.`);
    const wanted = rows.filter((row) => row.byDefault && row.state === 'off').map(({ name }) => name);
    const failed = await enableSeveral(wanted, 'default', null, signal);
    const left = signal.aborted ? wanted.filter((name) => !there.on.includes(name)) : failed;
    if (source?.strict !== true || (left.length === 0 && broken.length === 0)) return done(null);
    missing = new Set(left);
    const what =
      left.length > 0 ? `${left.join(', ')} ${left.length === 1 ? 'is' : 'are'} not there` : 'mcp.json is broken';
    const message = `${what}, and mcp.strictStartup waits for every server that is on by default. /mcp enable NAME starts it, /mcp disable NAME --save does without it`;
    // Where nobody is there the run ends with these words.
    if (left.length > 0 && canAsk) await note('error', `MCP: ${message}.`);
    return refuse('mcp-failed', message);
  };

  const logout = async (name: string): Promise<Outcome<null>> => {
    const out = await (await servers()).logout(name);
    offer();
    if (!out.ok) return refuse(out.refusal.identifier, out.refusal.message);
    await changed(
      'info',
      `${name} is off, and its sign-in is forgotten here: the next /mcp enable ${name} opens the browser again. The grant at the service itself is not revoked.`,
    );
    return done(null);
  };

  const carryOut = (change: McpChange, signal: AbortSignal): Promise<Outcome<null>> => {
    switch (change.kind) {
      case 'enable':
        return enableOne(change, signal);
      case 'enable-all':
        return enableAll(signal);
      case 'enable-some':
        return enableSome(change.names, signal);
      case 'logout':
        return logout(change.name);
      case 'defaults':
        return enableDefaults(signal);
    }
  };

  const besideTurn = (): boolean => loop().running !== null;
  const abandonText = (): string =>
    `Ctrl-C cancels it${besideTurn() ? ', along with what runs' : ''}. No request is made for it.`;

  const run = async (change: McpChange, beside: boolean, signal: AbortSignal): Promise<Outcome<readonly string[]>> => {
    const name = nameOf(change);
    if (change.kind === 'enable') {
      const list = await servers()
        .then((there) => there.list())
        .catch(() => null);
      const signsIn = list?.rows.some((row) => row.name === name && row.signsIn) === true;
      const browser = signsIn ? ' Signing in happens in the browser now: finish it there.' : '';
      await note('info', `Enabling the MCP server ${name}.${browser} ${abandonText()}`);
    }
    const waited = await raceAbort(ready, signal);
    let came: Outcome<null> = refuse('stopped', 'it was stopped');
    let error: unknown;
    try {
      if (!waited.aborted) came = await carryOut(change, signal);
    } catch (thrown) {
      error = thrown;
      came = refuse('mcp-failed', `${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
    // Nobody stopped what ends with the session (INV-23).
    if (parts.closing()) return done([]);
    if (signal.aborted) await note('warning', cancelText(change));
    const failed = !came.ok || signal.aborted;
    if (failed && !beside && change.kind !== 'defaults' && inbox.rows.length > 0)
      await loop().holdBehind(signal.aborted ? `Held: ${cancelText(change)}` : `Held: ${name} is not on.`);
    if (came.ok || signal.aborted || change.kind === 'defaults') return done([]);
    return refuse('mcp-failed', await report(name, came.refusal.message, error));
  };

  const begin: McpDesk['begin'] = (change, owner) => {
    const beside = besideTurn();
    const holds = change.kind !== 'defaults' || source?.strict === true;
    const { promise: over, resolve } = Promise.withResolvers<void>();
    current = { name: nameOf(change), holds, over };
    if (holds) inbox.holdSteering();
    slow.begin({
      label: labelOf(change),
      owner,
      note: 'mcp',
      refusal: 'error',
      quiet: true,
      run: async (signal) => {
        try {
          return await run(change, beside, signal);
        } finally {
          current = null;
          inbox.letSteer();
          parts.onLetSteer();
          if (missing.size > 0) missing = new Set([...missing].filter((name) => !(loaded?.on ?? []).includes(name)));
          resolve();
          loop().wake();
          if (defaultsWait) {
            defaultsWait = false;
            begin({ kind: 'defaults' }, null);
          }
        }
      },
    });
  };

  const desk: McpDesk = {
    get change() {
      return current?.name ?? null;
    },
    get holds() {
      return current?.holds === true || missing.size > 0;
    },
    begin,
    cancel: () => slow.stop('mcp'),
    servers: source === null ? null : servers,
    list: async () => {
      if (source === null || (loaded === null && !(await source.exists()))) return null;
      return (await servers()).list();
    },
    get on() {
      return loaded?.on ?? [];
    },
    withTools: (tools) => {
      own = tools;
      const more = loaded?.tools() ?? [];
      given = more;
      return more.length === 0 ? tools : [...tools, ...more];
    },
    lookAgain: async () => {
      if (missing.size === 0) return;
      const { rows } = await (await servers()).list();
      const wanted = rows.filter((row) => row.byDefault && row.state === 'off').map(({ name }) => name);
      missing = new Set([...missing].filter((name) => wanted.includes(name)));
      loop().wake();
    },
    turnedOff: async (text) => {
      offer();
      await changed('info', text);
    },
    started: (how) => {
      apply = how;
      tellReady();
    },
    startDefaults: async (signal) => {
      if (source === null || !(await source.exists())) return done(null);
      if (canAsk) {
        // Never beside another change (INV-4).
        if (current === null) begin({ kind: 'defaults' }, null);
        else defaultsWait = true;
        return done(null);
      }
      return enableDefaults(signal);
    },
    beforeTurn: async () => {
      if (loaded === null || loaded.on.length === 0) return;
      const limit = new AbortController();
      const forget = parts.clock.after(REFRESH_MS, () => limit.abort('late'));
      const said = await loaded.refresh(limit.signal);
      forget();
      // A server that was started again meanwhile may offer others too.
      const now = loaded.tools();
      if (now.length !== given.length || now.some((tool, at) => tool !== given[at])) offer();
      for (const line of said) await changed('warning', `MCP: ${line}`);
    },
    settled: async () => {
      while (current !== null) await current.over;
    },
    close: async () => {
      tellReady();
      await (await loading?.catch(() => null))?.close();
    },
  };
  return desk;
}

function nameOf(change: McpChange): string {
  switch (change.kind) {
    case 'enable':
    case 'logout':
      return change.name;
    case 'enable-all':
      return 'all';
    case 'enable-some':
      return change.names.join(', ');
    case 'defaults':
      return 'defaults';
  }
}

function labelOf(change: McpChange): string {
  switch (change.kind) {
    case 'enable':
      return `/mcp enable ${change.name}`;
    case 'logout':
      return `/mcp logout ${change.name}`;
    case 'enable-all':
      return '/mcp enable-all';
    case 'enable-some':
      return `/mcp enable ${change.names.join(', ')}`;
    case 'defaults':
      return '/mcp';
  }
}

/** What a cancelled change leaves (SC-12.12). */
export function cancelText(change: McpChange): string {
  switch (change.kind) {
    case 'enable':
      return `enabling ${change.name} was cancelled; it stays off.`;
    case 'logout':
      return `signing out of ${change.name} was cancelled.`;
    default:
      return 'enabling MCP servers was cancelled; what was not on yet stays off.';
  }
}

function onText(name: string, tools: number, beside: boolean, signsIn: boolean): string {
  const when = beside ? ' They are there from this turn’s next request.' : '';
  const kept = signsIn ? ` The sign-in is kept for later sessions; /mcp logout ${name} forgets it.` : '';
  return `${name} is on for this conversation, with ${counted(tools)}. What they do is done with the server’s own permissions.${when}${kept}`;
}

function counted(tools: number): string {
  return tools === 1 ? 'one tool' : `${tools} tools`;
}

function framesOf(error: Error): string {
  const frames = (error.stack ?? '').split('\n').filter((line) => line.trim().startsWith('at '));
  return frames.length === 0 ? '' : `\n${frames.slice(0, 6).join('\n')}`;
}
