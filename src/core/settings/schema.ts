import type { Json } from '../../base/json.ts';
import { faultsOfProviders, PROVIDER_SCHEMA, type ProviderSetting, readProviders } from './provider-schema.ts';
import { isRecord } from './record.ts';

/**
 * One setting. `scope`: `person` keys are ignored (and named) in a project's files; `project` keys may stand in either.
 * `owner`: `terminal` keys are read where the person sits, `session` keys where the session runs.
 */
export interface Setting<T> {
  readonly key: string;
  readonly scope: 'person' | 'project';
  /** Of a `person` key: the values a project may ask for all the same, since they only narrow. */
  readonly projectMay?: readonly Json[];
  readonly owner: 'terminal' | 'session';
  readonly initial: T;
  readonly description: string;
  /** JSON schema of the value, for `houston config schema`. */
  readonly schema: Json;
  /** The value as used, or undefined when it is not acceptable. */
  readonly read: (value: Json) => T | undefined;
  /** What in a value that can be used all the same cannot, in words. */
  readonly faults?: (value: Json) => readonly string[];
  /** How layers join: the strongest wins, entries by name, all together, what all name, or `true` in any of them holds. */
  readonly join: 'strongest' | 'by-name' | 'together' | 'common' | 'any';
}

function flag(key: string, initial: boolean, owner: Setting<boolean>['owner'], description: string): Setting<boolean> {
  return {
    key,
    initial,
    owner,
    description,
    scope: 'person',
    join: 'strongest',
    schema: { type: 'boolean' },
    read: (value) => (typeof value === 'boolean' ? value : undefined),
  };
}

function whole(
  key: string,
  initial: number | null,
  range: readonly [number, number],
  owner: Setting<number>['owner'],
  description: string,
): Setting<number | null> {
  return {
    key,
    initial,
    owner,
    description,
    scope: 'person',
    join: 'strongest',
    schema: { type: 'integer', minimum: range[0], maximum: range[1] },
    read: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= range[0] && value <= range[1]
        ? value
        : undefined,
  };
}

/** US dollars, cents and less included; null for none. */
function dollars(key: string, owner: Setting<number>['owner'], description: string): Setting<number | null> {
  return {
    key,
    initial: null,
    owner,
    description,
    scope: 'person',
    join: 'strongest',
    schema: { type: 'number', minimum: 0 },
    read: (value) => (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined),
  };
}

function choice<C extends string>(
  key: string,
  initial: C,
  choices: readonly C[],
  owner: Setting<C>['owner'],
  description: string,
): Setting<C> {
  return {
    key,
    initial,
    owner,
    description,
    scope: 'person',
    join: 'strongest',
    schema: { enum: choices },
    read: (value) => choices.find((one) => one === value),
  };
}

function text(key: string, owner: Setting<string>['owner'], description: string): Setting<string | null> {
  return {
    key,
    initial: null,
    owner,
    description,
    scope: 'person',
    join: 'strongest',
    schema: { type: 'string' },
    read: (value) => (typeof value === 'string' && value.trim() !== '' ? value : undefined),
  };
}

/** A list of texts from every layer together; an entry of another type costs itself only. */
function texts(
  key: string,
  scope: Setting<string>['scope'],
  owner: Setting<string>['owner'],
  description: string,
): Setting<readonly string[]> {
  return {
    key,
    initial: [],
    owner,
    description,
    scope,
    join: 'together',
    schema: { type: 'array', items: { type: 'string' } },
    read: (value) => (Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : undefined),
  };
}

const PROVIDERS: Setting<Readonly<Record<string, ProviderSetting>>> = {
  key: 'providers',
  scope: 'person',
  owner: 'session',
  initial: {},
  join: 'by-name',
  description: 'Named model services: {api, baseUrl, apiKeyEnv, label, dialect, catalogue, headers, models}.',
  schema: { type: 'object', additionalProperties: PROVIDER_SCHEMA },
  read: (value) => (isRecord(value) ? readProviders(value) : undefined),
  faults: (value) => (isRecord(value) ? faultsOfProviders(value) : []),
};

/** Null: never; the word for it in a file is `off`, and what is neither is as if it were not there. */
const HOST_IDLE: Setting<number | null> = {
  ...whole(
    'session.hostIdleSeconds',
    15,
    [0, 86_400],
    'session',
    'Seconds a host outlives its last reason to run; "off": it stays until it is stopped.',
  ),
  schema: { anyOf: [{ type: 'integer', minimum: 0, maximum: 86_400 }, { const: 'off' }] },
  read: (value) =>
    value === 'off'
      ? null
      : typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 86_400
        ? value
        : undefined,
};

/** Which program gives the byte stream: the person's alone, since it runs with all they may do. */
const PLACEMENTS: Setting<Readonly<Record<string, { readonly bridge: readonly string[] }>>> = {
  key: 'placements',
  scope: 'person',
  owner: 'terminal',
  initial: {},
  join: 'by-name',
  description: 'Where houston attach NAME:// leads: {"NAME": {"bridge": ["ssh", "-T", "box", "houston", "bridge"]}}.',
  schema: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      required: ['bridge'],
      properties: { bridge: { type: 'array', items: { type: 'string' }, minItems: 1 } },
    },
  },
  read: (value) =>
    isRecord(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([name, entry]) => {
            const bridge = isRecord(entry) && Array.isArray(entry.bridge) ? entry.bridge : [];
            const words = bridge.filter((word): word is string => typeof word === 'string');
            return words.length > 0 && words.length === bridge.length ? [[name, { bridge: words }]] : [];
          }),
        )
      : undefined,
};

const LEVELS = ['low', 'medium', 'high', 'xhigh', 'max', 'default'] as const;
type Level = (typeof LEVELS)[number];

const EFFORTS_OF: Setting<Readonly<Record<string, Level>>> = {
  key: 'efforts',
  scope: 'person',
  owner: 'session',
  initial: {},
  join: 'by-name',
  description: 'Thinking effort by model, such as {"anthropic:claude-opus-4-8": "high"}; /effort writes it.',
  schema: { type: 'object', additionalProperties: { enum: LEVELS as unknown as Json } },
  read: (value) =>
    isRecord(value)
      ? Object.fromEntries(
          Object.entries(value).filter((pair): pair is [string, Level] => LEVELS.some((level) => level === pair[1])),
        )
      : undefined,
};

const KEYBINDINGS: Setting<Readonly<Record<string, string>>> = {
  key: 'keybindings',
  scope: 'project',
  owner: 'terminal',
  initial: {},
  join: 'by-name',
  description: 'Chords by action name, such as {"editor": "ctrl-e"}.',
  schema: { type: 'object', additionalProperties: { type: 'string' } },
  read: (value) =>
    isRecord(value)
      ? Object.fromEntries(
          Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
        )
      : undefined,
};

const PANEL_LAYOUT: Setting<Readonly<Record<string, Json>> | null> = {
  key: 'interface.tui.panelLayout',
  scope: 'person',
  owner: 'terminal',
  initial: null,
  join: 'strongest',
  description:
    'Panels that open with the window: {open: ["tree", "files", "summary"], pinned, unpinCloses}; written as they are opened and closed.',
  schema: {
    type: 'object',
    properties: {
      open: { type: 'array', items: { enum: ['tree', 'files', 'summary'] } },
      pinned: { type: 'boolean' },
      unpinCloses: { type: 'boolean' },
    },
  },
  read: (value) => (isRecord(value) && Array.isArray(value.open) ? value : undefined),
};

/** Every setting there is: reading, merging, the JSON schema and the documentation all come from this table. */
export const SETTINGS = {
  model: text('model', 'session', 'Model of new sessions, as provider:model.'),
  effort: choice(
    'effort',
    'default',
    ['low', 'medium', 'high', 'xhigh', 'max', 'default'],
    'session',
    'Thinking effort of new sessions.',
  ),
  efforts: EFFORTS_OF,
  sideModel: text('side.model', 'session', 'Model of new side conversations (/side); unset: that of the session.'),
  thinking: choice(
    'thinking',
    'transcript',
    ['off', 'status', 'transcript'],
    'session',
    'How readable thinking is shown: not at all, its newest line while it streams, or in the transcript; /thinking writes it.',
  ),
  providers: PROVIDERS,
  enabledModels: texts(
    'models.enabled',
    'person',
    'session',
    'Models that pickers and completion offer, as provider:model; none named: all that are known.',
  ),
  contextWindow: whole(
    'contextWindow',
    null,
    [1_000, 100_000_000],
    'session',
    'Tokens the model can hold, where nobody says.',
  ),
  deny: texts(
    'permissions.deny',
    'project',
    'session',
    'Rules that refuse, in every mode: Read(...), Edit(...), Bash(...).',
  ),
  ask: texts('permissions.ask', 'project', 'session', 'Rules that always ask.'),
  allow: texts(
    'permissions.allow',
    'person',
    'session',
    'Rules that stop the asking. Ignored in project files unless granted.',
  ),
  additionalFolders: texts(
    'permissions.additionalDirectories',
    'person',
    'session',
    'Folders a session may reach beside its own.',
  ),
  readsStayInWorkspace: {
    ...flag(
      'permissions.readsStayInWorkspace',
      false,
      'session',
      'Refuses to read anything outside the workspace; true in any file holds.',
    ),
    scope: 'project',
    join: 'any',
  } as Setting<boolean>,
  mode: choice('permissions.mode', 'ask', ['ask', 'edits', 'plan'], 'session', 'Permission mode sessions open in.'),
  bypassUnreachable: flag('permissions.bypassUnreachable', false, 'session', 'Forbids --dangerously-skip-permissions.'),
  commandOutput: choice(
    'safety.commandOutput',
    'class',
    ['class', 'aside'],
    'session',
    'What the model sees of a command: by class, or always kept aside.',
  ),
  sandbox: {
    ...choice(
      'sandbox.mode',
      'standard',
      ['standard', 'strict', 'off'],
      'session',
      'Confinement of commands. Where it is set and this system cannot do it, no command runs.',
    ),
    projectMay: ['strict'],
  } as Setting<'standard' | 'strict' | 'off'>,
  network: {
    ...choice(
      'run.network',
      'open',
      ['open', 'closed'],
      'session',
      'Whether commands reach the network; closing it needs a sandbox.',
    ),
    projectMay: ['closed'],
  } as Setting<'open' | 'closed'>,
  scrubEnvironment: texts(
    'run.scrubEnv',
    'project',
    'session',
    'Further variables taken from the environment of commands.',
  ),
  commandSeconds: whole(
    'run.defaultSeconds',
    300,
    [1, 600],
    'session',
    'Seconds a command may run when the call names none.',
  ),
  stallSeconds: whole(
    'requests.stallSeconds',
    120,
    [1, 3_600],
    'session',
    'Seconds without a byte after which a reply counts as cut.',
  ),
  retries: whole('requests.retries', 5, [0, 20], 'session', 'Tries after a failure that may pass.'),
  claudeIdleProcesses: whole(
    'claude.idleProcesses',
    1,
    [0, 8],
    'session',
    'How many claude programs of claude-subscription are kept between turns, a conversation each.',
  ),
  claudeIdleMinutes: whole('claude.idleMinutes', 10, [1, 1440], 'session', 'Minutes one of them is kept.'),
  fast: flag('agent.fast.enabled', false, 'session', 'Asks for the faster, dearer service where a model has one.'),
  primaryAgent: text(
    'agent.primary',
    'session',
    'Whom new sessions talk with: the name of a primary agent of agents/NAME.md; "none", or unset: Houston itself.',
  ),
  delegateModels: {
    ...texts(
      'agents.models',
      'project',
      'session',
      'Models a delegate may be given by the call that starts it, as provider:model; none named: any. /subagents writes it.',
    ),
    join: 'common',
  } as Setting<readonly string[]>,
  agentsDisabled: texts(
    'agents.disabled',
    'person',
    'session',
    'Names of agent definitions that are switched off; /agent off writes it.',
  ),
  spendingSession: dollars(
    'limits.spending.session',
    'session',
    'US dollars one session may cost: a warning at 80 %, a question before the first request beyond.',
  ),
  spendingDay: dollars('limits.spending.day', 'session', 'US dollars all sessions together may cost in a day.'),
  sleeps: whole(
    'limits.sleeps',
    3,
    [0, 100],
    'session',
    'How often a turn sleeps until a usage limit is lifted, then goes on by itself.',
  ),
  searchFiles: whole('search.maxFiles', 50_000, [1, 10_000_000], 'session', 'Files a search looks at.'),
  autoVetting: flag(
    'vetting.auto',
    false,
    'session',
    'Lets a check that finds content safe answer the question whether the model may read it.',
  ),
  searchSeconds: whole('search.maxSeconds', 20, [1, 600], 'session', 'Seconds a search may take.'),
  autocompact: flag(
    'compaction.automatic',
    true,
    'session',
    'Summarises the earlier conversation before it outgrows the model.',
  ),
  autocompactTokens: whole(
    'compaction.tokens',
    null,
    [50_000, 100_000_000],
    'session',
    'Tokens at which that happens; unset: about 90 % of what the model holds.',
  ),
  jobsLifetime: choice(
    'jobs.lifetime',
    'detached',
    ['detached', 'session', 'turn'],
    'session',
    'How long a command in the background may live: past everything, or until its session or its turn ends.',
  ),
  mcpStrictStartup: flag(
    'mcp.strictStartup',
    false,
    'session',
    'Lets nothing start before every MCP server that is on by default is there.',
  ),
  jobsWake: flag('jobs.wake', true, 'session', 'Lets a job that ends while nothing runs begin a turn.'),
  naming: flag('session.naming', false, 'session', 'Asks the model for a title beside the first turn of a session.'),
  pruneDays: whole(
    'session.pruneDays',
    0,
    [0, 36_500],
    'session',
    'Days after which a session nobody went on with is removed, at the next start; 0: never.',
  ),
  worktree: flag('session.worktree', false, 'session', 'Gives each new session a git worktree of its own.'),
  worktreeExit: choice(
    'session.worktreeExit',
    'ask',
    ['ask', 'merge', 'keep'],
    'terminal',
    'What becomes of commits of such a worktree that are not merged when its session is quit.',
  ),
  host: flag('session.host', true, 'session', 'Runs sessions in a host process of their own.'),
  hostIdleSeconds: HOST_IDLE,
  placements: PLACEMENTS,
  hooks: flag(
    'automation.hooks.enabled',
    false,
    'session',
    'Runs hooks: yours of hooks.json, and those of a project once you said yes to them.',
  ),
  hooksInTui: flag('automation.hooks.show_in_tui', false, 'terminal', 'Shows a row for each hook under its tool.'),
  injection: flag(
    'automation.hooks.injected_content.enabled',
    false,
    'session',
    'Lets hooks that ask for it tell the model what they print.',
  ),
  injectedInTranscript: flag(
    'automation.hooks.injected_content.show_in_transcript',
    false,
    'terminal',
    'Shows in the transcript what hooks told the model.',
  ),
  injectedInTree: flag(
    'automation.hooks.injected_content.show_in_activity_tree',
    false,
    'terminal',
    'Shows it in the activity tree.',
  ),
  injectedStyle: choice(
    'automation.hooks.injected_content.style',
    'content',
    ['content', 'metadata'],
    'terminal',
    'Shows its words, or only what there is of it.',
  ),
  sendMode: choice(
    'interface.sendMode',
    'steering',
    ['steering', 'queue', 'interrupt'],
    'terminal',
    'What Enter does while a turn runs.',
  ),
  theme: text('interface.theme', 'terminal', 'Theme id; light or dark follows the terminal when unset.'),
  reducedMotion: flag('interface.reducedMotion', false, 'terminal', 'No moving indicators.'),
  noColor: flag('interface.noColor', false, 'terminal', 'No colours at all, as NO_COLOR does.'),
  terminalTitle: flag('interface.terminalTitle', true, 'terminal', 'Writes the session name into the terminal title.'),
  notifications: flag(
    'interface.notifications',
    true,
    'terminal',
    'Notifies the desktop of turns that end out of sight (OSC 9).',
  ),
  wheelRows: whole('interface.tui.wheelRows', 3, [1, 100], 'terminal', 'Rows one wheel step scrolls.'),
  panelLayout: PANEL_LAYOUT,
  subagentCardRows: whole(
    'interface.tui.subagentCardRows',
    16,
    [1, 50],
    'terminal',
    'Rows of recent activity on a delegate card.',
  ),
  editorMode: text('editor.mode', 'terminal', 'Editing in the prompt: vim, or anything else for the ordinary one.'),
  editorChoice: text('editor.choice', 'terminal', 'What /config chose, vi or ordinary; it goes before editor.mode.'),
  editorRows: whole('editor.maxRows', 10, [1, 50], 'terminal', 'Rows the prompt box grows to.'),
  keybindings: KEYBINDINGS,
  keymap: choice(
    'keymap',
    'houston',
    ['houston', 'mission-control', 'bravebot', 'pcode'],
    'terminal',
    'Preset of chords.',
  ),
  updateCheck: flag('updates.check', true, 'terminal', 'Looks for a newer version after the first frame.'),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type SettingValue<N extends SettingName> = (typeof SETTINGS)[N]['initial'] extends infer _T
  ? Exclude<ReturnType<(typeof SETTINGS)[N]['read']>, undefined> | (typeof SETTINGS)[N]['initial']
  : never;
export type Settings = { readonly [N in SettingName]: SettingValue<N> };

/** The JSON schema of a settings file, printed by `houston config schema`. */
export function settingsSchema(): Json {
  const root: { [key: string]: Json } = {};
  for (const setting of Object.values(SETTINGS)) {
    const path = setting.key.split('.');
    let level = root;
    for (const name of path.slice(0, -1)) {
      const found = level[name] as { properties: { [key: string]: Json } } | undefined;
      const next = found ?? { type: 'object', properties: {} };
      level[name] = next as unknown as Json;
      level = next.properties as { [key: string]: Json };
    }
    level[path.at(-1)!] = { ...(setting.schema as { [key: string]: Json }), description: setting.description };
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Houston settings',
    type: 'object',
    properties: root,
  };
}
