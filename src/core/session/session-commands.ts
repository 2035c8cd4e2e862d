import type { Refusal } from '../../base/refusal.ts';
import type { Intent, Sent } from '../../protocol/intent.ts';
import type { Effort, PermissionMode } from '../../protocol/message.ts';
import type { ClientId } from '../../protocol/session.ts';
import type { SessionCommand } from '../../protocol/view.ts';
import { modelRefText } from '../models/model-ref.ts';
import type { Waiting } from '../runtime/inbox.ts';
import { AGENT_COMMAND, completeAgent } from './agent-command.ts';
import { KEEP_ASIDE, keepAside } from './aside-intent.ts';
import { chooseAutocompact } from './autocompact.ts';
import { chooseModel } from './choose-model.ts';
import { compactNow, refusesCompaction } from './compact-command.ts';
import { completeSignIn } from './complete-sign-in.ts';
import { failedText } from './error-log.ts';
import { exportNow, refusesExport } from './export-command.ts';
import { chooseFast, fastAtOnce } from './fast-command.ts';
import { completeJobs, jobsCommand } from './jobs-command.ts';
import { completeMcp, mcpCommand } from './mcp-command.ts';
import { modelChoices } from './offered-models.ts';
import { EFFORTS } from './one-turn-target.ts';
import type { SessionParts } from './parts.ts';
import { queueCommand } from './queue-command.ts';
import { resumeQueue } from './queue-intents.ts';
import { rename } from './rename.ts';
import { resend } from './resend.ts';
import type { Arriving, Sending } from './say.ts';
import { accepted, refused } from './sent.ts';
import { setMode } from './set-mode.ts';
import { carryOutSignIn, carryOutSignOut, refusesSignIn } from './sign-in.ts';
import { runSkill, skillOf } from './skill-commands.ts';
import { beginLoop, goalAtOnce, loopAtOnce, refusesLoop, setGoal, watchFile } from './standing-commands.ts';
import { statusRows } from './status.ts';
import { completeSubagents, SUBAGENTS_COMMAND } from './subagents-command.ts';
import { chooseThinking, THINKING_MODES } from './thinking-command.ts';
import { bringBack, goInTree, labelPlace, refusesTree } from './tree-moves.ts';
import type { TrustMemory } from './trust-memory.ts';
import type { CommandEnd } from './turn-loop.ts';
import { goBack, goForward } from './undo.ts';
import { doWorktree, refusesWorktree, WORKTREE_ACTIONS, worktreeAtOnce } from './worktree-command.ts';

/** A command the session itself runs: what is known of it, and what it does. */
type Command = NowCommand | IdleCommand;

interface KnownCommand extends SessionCommand {
  /** Values its argument can have; the first word counts. Absent: free text, or none. */
  readonly choices?: readonly string[];
  /** Values that are offered where others are taken too. */
  readonly suggestions?: readonly string[];
  /** Never typed: it stands for what a dialog does. */
  readonly hidden?: boolean;
}

/** Runs as it is sent, also beside a turn, unless something it has to wait for stands in line (`waits`). */
interface NowCommand extends KnownCommand {
  /** At once, whatever runs, waits or failed: it only shows, lets go on, or says what is allowed. */
  readonly always?: true;
  /** Waits behind what waits, so that what is typed in an order happens in it (QUE-6). */
  readonly behind?: true;
  /** A way out of a failed start (SC-5.5). */
  readonly cures?: true;
  /** A stop in the same breath takes it back (INV-3). */
  readonly takenBack?: true;
  /** `begun`: it goes on by itself and says when it has ended. */
  run(parts: SessionParts, argument: string, client: ClientId, sending?: Sending): Promise<Sent | 'begun'>;
}

/** Needs the session to itself: it waits in line until its turn comes. */
interface IdleCommand extends KnownCommand {
  /** Sent while nothing is under way, it runs ahead of what was said since (SC-5.8). */
  readonly ahead: boolean;
  /** A way to a model: where there is none, it runs ahead of what waits for one (decisions §10.7). */
  readonly cures?: true;
  /** A way out where a broken agent keeps turns from starting (ST-8). */
  readonly curesAgents?: true;
  /** Why it can not be carried out whatever it waits for; null when it may wait. */
  refuses(parts: SessionParts, argument: string): Refusal | null;
  carryOut(parts: SessionParts, argument: string, signal: AbortSignal, row: Waiting): Promise<CommandEnd>;
  /** What needs no idle session after all: answered as it is sent, or begun beside what runs; null where it has to wait. */
  atOnce?(parts: SessionParts, argument: string, client: ClientId, ref: string): Sent | 'begun' | null;
}

const MODES: readonly PermissionMode[] = ['ask', 'edits', 'plan', 'bypass'];

const COMMANDS: readonly Command[] = [
  {
    name: 'btw',
    group: 'Inspect',
    argument: '[$model] question',
    description: 'Ask beside the conversation; it goes on and does not hear of it',
    during: 'now',
    run: (parts, argument, client) => parts.asides.ask(argument, client),
  },
  {
    name: KEEP_ASIDE,
    argument: 'N merge|summarize',
    description: '',
    during: 'after',
    hidden: true,
    ahead: true,
    refuses: () => null,
    carryOut: keepAside,
  },
  {
    name: 'model',
    group: 'Model',
    argument: 'provider:model',
    description: 'Choose the model of this conversation',
    during: 'now',
    cures: true,
    run: async (parts, argument, client) => {
      if (argument === '') return refused('argument-missing', 'Which one? /model provider:model');
      const ref = parts.models.parse(argument);
      if (!ref.ok) return { accepted: false, refusal: ref.refusal };
      return chooseModel(parts, { model: ref.value, effort: null }, client);
    },
  },
  {
    name: 'effort',
    group: 'Model',
    argument: EFFORTS.join('|'),
    choices: EFFORTS,
    description: 'Choose how hard the model thinks',
    during: 'now',
    behind: true,
    run: (parts, argument, client) => chooseModel(parts, { model: null, effort: argument as Effort }, client),
  },
  {
    name: 'thinking',
    group: 'Model',
    argument: `[${THINKING_MODES.join('|')}]`,
    suggestions: THINKING_MODES,
    description: 'Choose how the thinking of the model is shown',
    during: 'now',
    always: true,
    run: chooseThinking,
  },
  {
    name: 'fast',
    group: 'Model',
    argument: '[on|off|status]',
    suggestions: ['on', 'off', 'status'],
    description: 'Choose the faster, dearer service where the model has one',
    during: 'after',
    ahead: false,
    atOnce: fastAtOnce,
    refuses: () => null,
    carryOut: chooseFast,
  },
  {
    name: 'mode',
    group: 'Safety',
    argument: MODES.join('|'),
    choices: MODES,
    description: 'Choose what may be done without a question',
    during: 'now',
    always: true,
    run: (parts, argument) => setMode(parts, argument as PermissionMode),
  },
  AGENT_COMMAND,
  SUBAGENTS_COMMAND,
  {
    name: 'login',
    group: 'Model',
    argument: '<provider>',
    description: 'Sign in to a model service',
    during: 'after',
    ahead: true,
    cures: true,
    refuses: refusesSignIn,
    carryOut: carryOutSignIn,
  },
  {
    name: 'logout',
    group: 'Model',
    argument: '[provider]',
    description: 'Sign out of model services',
    during: 'after',
    ahead: true,
    cures: true,
    refuses: (parts) => refusesSignIn(parts, 'any'),
    carryOut: carryOutSignOut,
  },
  {
    name: 'forget-trust',
    group: 'Safety',
    argument: '',
    description: 'Forget the remembered answer whether this folder is trusted',
    during: 'now',
    behind: true,
    run: async ({ trustMemory, publisher }, _argument, client) => {
      publisher.publish({ type: 'flash', client, level: 'info', text: await forgetTrust(trustMemory) });
      return accepted();
    },
  },
  {
    name: 'reload',
    argument: '',
    description: 'Read settings, instructions, skills, agents and keys again',
    during: 'after',
    ahead: false,
    curesAgents: true,
    refuses: () => null,
    carryOut: ({ reload }) => reload.all(),
  },
  {
    name: 'rename',
    argument: '[name|-]',
    description: 'Give this conversation a title',
    during: 'now',
    behind: true,
    run: rename,
  },
  {
    name: 'export',
    argument: '',
    alone: true,
    description: 'Write this session to a private ZIP, to keep or to show',
    during: 'after',
    ahead: false,
    refuses: refusesExport,
    carryOut: (parts, _argument, signal) => exportNow(parts, signal),
  },
  {
    name: 'worktree',
    argument: '[status|merge|resolve|finish|remove|list|clean]',
    suggestions: WORKTREE_ACTIONS.map(({ value }) => value),
    description: 'Look after the worktree of this session',
    during: 'now',
    ahead: false,
    atOnce: worktreeAtOnce,
    refuses: refusesWorktree,
    carryOut: doWorktree,
  },
  {
    name: 'compact',
    argument: '[focus]',
    description: 'Summarise the earlier conversation to make room',
    during: 'after',
    ahead: true,
    refuses: (parts) => refusesCompaction(parts),
    carryOut: compactNow,
  },
  {
    name: 'autocompact',
    argument: '[on|off|TOKENS|auto]',
    suggestions: ['on', 'off', 'auto'],
    description: 'Choose whether and when that happens by itself',
    during: 'now',
    run: chooseAutocompact,
  },
  {
    name: 'resend',
    argument: '',
    description: 'Ask the model again with the last prompt; an answer it gave stays on a branch',
    during: 'after',
    ahead: true,
    refuses: () => null,
    carryOut: (parts, _argument, _signal, row) => resend(parts, row),
  },
  {
    name: 'tree',
    argument: 'ID [summary]',
    description: 'Go to another place in this conversation; every branch is kept',
    during: 'after',
    ahead: false,
    refuses: refusesTree,
    carryOut: goInTree,
  },
  {
    name: 'bring',
    argument: '<ID>',
    description: 'Bring the reply of another branch here',
    during: 'after',
    ahead: false,
    refuses: () => null,
    carryOut: bringBack,
  },
  {
    name: 'label',
    argument: '[ID] [text]',
    description: 'Name this place in the tree',
    during: 'now',
    run: labelPlace,
  },
  {
    name: 'undo',
    argument: '[conversation|files]',
    description: 'Take back the last prompt and what our tools wrote since',
    during: 'after',
    ahead: false,
    refuses: () => null,
    carryOut: (parts, argument, signal) => goBack(parts, `1 ${argument}`, signal),
  },
  {
    name: 'redo',
    argument: '',
    description: 'Take the last undo back',
    during: 'after',
    ahead: false,
    refuses: () => null,
    carryOut: goForward,
  },
  {
    name: 'rewind',
    argument: 'N [conversation|files]',
    description: 'Go back N prompts, with the files our tools wrote',
    during: 'after',
    ahead: false,
    refuses: () => null,
    carryOut: goBack,
  },
  {
    name: 'loop',
    argument: '[5m] [prompt]|stop',
    suggestions: ['stop'],
    description: 'Say a prompt again and again',
    during: 'now',
    ahead: false,
    atOnce: loopAtOnce,
    refuses: refusesLoop,
    carryOut: beginLoop,
  },
  {
    name: 'goal',
    argument: '[condition]|pause|resume|clear',
    suggestions: ['pause', 'resume', 'clear'],
    description: 'Go on until a condition is met; it is checked after each turn',
    during: 'now',
    ahead: false,
    atOnce: goalAtOnce,
    refuses: refusesLoop,
    carryOut: setGoal,
  },
  {
    name: 'watch',
    argument: '[path] [prompt]|stop N',
    suggestions: ['stop'],
    description: 'Start a turn when a file changes',
    during: 'now',
    run: watchFile,
  },
  {
    name: 'jobs',
    argument: '[stop ID|stop all|watch ID|unwatch]',
    description: 'Commands in the background: list them, stop or watch one',
    during: 'now',
    run: jobsCommand,
  },
  {
    name: 'terminal',
    argument: '<command>',
    description: 'Run a command of yours on a terminal of its own, to type into',
    during: 'now',
    run: async ({ desk }, argument) =>
      argument === '' ? refused('argument-missing', 'What should run? /terminal command') : desk.open(argument),
  },
  {
    name: 'mcp',
    group: 'Safety',
    argument: '[list|enable NAME|enable-all|disable NAME|logout NAME] [--save]',
    suggestions: ['list', 'enable', 'enable-all', 'disable', 'logout'],
    description: 'MCP servers: list them, turn them on or off',
    during: 'now',
    always: true,
    takenBack: true,
    run: mcpCommand,
  },
  {
    name: 'status',
    group: 'Inspect',
    argument: '',
    description: 'Show what this session is and what it has used',
    during: 'now',
    always: true,
    run: async (parts, _argument, client) => {
      const text = (await statusRows(parts)).map(({ name, value }) => `${name}: ${value}`).join('\n');
      parts.publisher.publish({ type: 'flash', client, level: 'info', text });
      return accepted();
    },
  },
  {
    name: 'resume-queue',
    argument: '',
    description: 'Go on with the prompts that are held',
    during: 'now',
    always: true,
    run: (parts) => resumeQueue(parts),
  },
];

/** For completion and help, in the order they are listed. */
export const SESSION_COMMANDS: readonly SessionCommand[] = COMMANDS.filter(({ hidden }) => hidden !== true).map(
  ({ name, group, argument, alone, description, during }) => ({
    name,
    ...(group === undefined ? {} : { group }),
    argument,
    ...(alone === undefined ? {} : { alone }),
    description,
    ...(during === undefined ? {} : { during }),
  }),
);

export async function runCommand(
  parts: SessionParts,
  intent: Extract<Intent, { type: 'command' }>,
  client: ClientId,
  arriving: Arriving,
): Promise<Sent> {
  const argument = intent.argument.trim();
  if (intent.here === true) return queueCommand(parts, { ...intent, argument }, client, arriving, false);
  const command = COMMANDS.find((one) => one.name === intent.name);
  if (command === undefined) {
    const skill = skillOf(parts, intent.name);
    if (skill !== null) return runSkill(parts, skill, intent, client, arriving);
    return refused('unknown-command', `There is no command /${intent.name}.`);
  }
  const refusal = refusalOf(parts, command, argument);
  if (refusal !== null) return { accepted: false, refusal };
  const heard = parts.answers.heard(parts, `/${intent.name} ${argument}`.trim(), client);
  const answered = 'carryOut' in command ? (command.atOnce?.(heard, argument, client, intent.ref) ?? null) : null;
  if (answered === 'begun') return accepted();
  if (answered !== null) {
    if (answered.accepted) parts.outcomes.set({ client, ref: intent.ref }, 'done');
    return answered;
  }
  if ('carryOut' in command || waits(parts, command))
    return queueCommand(
      parts,
      { ...intent, argument },
      client,
      arriving,
      'carryOut' in command && (command.ahead || curesNow(parts, command)),
      command.cures === true || curesNow(parts, command),
    );
  const sent = await command.run(heard, argument, client, { ref: intent.ref, arriving });
  if (sent === 'begun') return accepted();
  if (sent.accepted) parts.outcomes.set({ client, ref: intent.ref }, 'done');
  return sent;
}

/** Whether a stop that is sent in the same breath is meant for it: it waits for an idle session, or takes its time. */
export function isTakenBack(name: string): boolean {
  return COMMANDS.some((one) => one.name === name && ('carryOut' in one || one.takenBack === true));
}

function curesNow({ agents }: SessionParts, command: Command): boolean {
  return 'carryOut' in command && command.curesAgents === true && agents.problem !== null;
}

/** Why it can not run, whenever its turn comes; null when it may. */
function refusalOf(parts: SessionParts, command: Command, argument: string): Refusal | null {
  const { choices, name } = command;
  const unknown = choices !== undefined ? !choices.includes(argument) : command.argument === '' && argument !== '';
  if (unknown)
    return { identifier: 'argument-unknown', message: `Usage: /${name} ${(choices ?? []).join('|')}`.trim() };
  const { startupProblem } = parts.publisher.view.head;
  // What waits for the session is asked when its turn comes: by then there may be a model.
  const stays = 'carryOut' in command || command.always === true || command.cures === true;
  if (startupProblem !== null && !stays)
    return {
      identifier: startupProblem.identifier,
      message:
        parts.agents.problem === null
          ? `${startupProblem.message}. Choose another model with /model, or start again.`
          : `${startupProblem.message}.`,
    };
  return 'carryOut' in command ? command.refuses(parts, argument) : null;
}

/** Whether a command that may run beside a turn waits in line all the same. */
function waits({ runtime, loop, inbox, publisher }: SessionParts, command: NowCommand): boolean {
  if (command.always === true) return false;
  // Before the session is ready everything keeps the order it was typed in (SC-5.4).
  if (runtime() === null && publisher.view.head.startupProblem === null) return true;
  // A compaction goes by itself, and so does a command that has the session (QUE-8).
  if (loop.running === 'command' || publisher.view.activity.phase === 'compacting') return true;
  const line = inbox.rows.filter((row) => !inbox.held.includes(row.id));
  // Never past a line of the same command (QUE-9).
  const same = line.some((row) => row.delivery === 'command' && commandOf(row.text).name === command.name);
  return same || (command.behind === true && line.length > 0);
}

/** `/name  argument` in its parts: the name as it was written, since `/Name` is another (SC-43.12). */
export function commandOf(text: string): { readonly name: string; readonly argument: string } {
  const [, name = '', argument = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  return { name, argument };
}

/** Carries out a command whose turn in line has come. What is no more than a bug in it fails the command alone. */
export async function carryOutCommand(parts: SessionParts, row: Waiting, signal: AbortSignal): Promise<CommandEnd> {
  // It has the session: a window may stop it, and a host nobody looks at does not end under it.
  const detail = `/${commandOf(row.text).name}`;
  const since = parts.system.clock.now();
  parts.publisher.publish({ type: 'activity', activity: { phase: 'command', turn: null, since, detail, retry: null } });
  try {
    return await carryOut(parts, row, signal);
  } catch (error) {
    if (parts.closing()) throw error;
    const { name } = commandOf(row.text);
    const text = failedText(`/${name}`, error, await parts.errors.record('command', name, error));
    await parts.recorder.write([{ kind: 'note', level: 'error', identifier: 'internal', text }], { onFailure: 'keep' });
    return { state: 'failed', messages: [{ level: 'error', identifier: 'internal', text }] };
  }
}

async function carryOut(parts: SessionParts, row: Waiting, signal: AbortSignal): Promise<CommandEnd> {
  const { name, argument } = commandOf(row.text);
  if (parts.handBacks.isExpected(row.id)) return parts.handBacks.run(row, name, argument, signal);
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined)
    return refusedEnd({ identifier: 'unknown-command', message: `There is no command /${name} any more.` });
  const refusal = refusalOf(parts, command, argument);
  if (refusal !== null) return refusedEnd(refusal);
  if ('carryOut' in command) return command.carryOut(parts, argument, signal, row);
  const sent = await command.run(parts, argument, row.client);
  return sent === 'begun' || sent.accepted ? { state: 'done', messages: [] } : refusedEnd(sent.refusal);
}

function refusedEnd({ identifier, message }: Refusal): CommandEnd {
  return { state: 'refused', messages: [{ level: 'warning', identifier, text: message }] };
}

/** What became of the remembered answer; this session keeps what it was told (TRUST-2). */
async function forgetTrust(memory: TrustMemory | null): Promise<string> {
  if (memory?.writes === false)
    return `This session leaves nothing behind and changes nothing. The answer lies in ${memory.file}`;
  return (await memory?.forget()) === true
    ? 'Forgotten: the next session here asks again. This one keeps what was answered.'
    : 'Nothing is remembered about this folder.';
}

/** What an argument can be, by what was typed of it. */
export async function completeArgument(
  parts: Pick<SessionParts, 'models' | 'runtime' | 'desk' | 'signIn' | 'mcp' | 'agents'>,
  name: string,
  typed: string,
): Promise<{ value: string; description: string }[]> {
  const { models } = parts;
  if (name === '$') return completeTarget(parts, typed);
  if (name === '$skill') return completeSkill(parts, typed);
  if (name === 'jobs') return completeJobs(parts, typed);
  if (name === 'mcp') return completeMcp(parts.mcp, typed);
  if (name === AGENT_COMMAND.name) return completeAgent(parts, typed);
  if (name === SUBAGENTS_COMMAND.name) return completeSubagents(parts, typed);
  if (name === 'btw') return completeSideTarget(parts, typed);
  if (name === 'login' || name === 'logout') return completeSignIn(parts, typed, name === 'logout');
  if (name === 'model') return modelChoices(models.list()).filter((row) => row.value.includes(typed));
  if (name === 'worktree')
    return WORKTREE_ACTIONS.filter(({ value }) => value.startsWith(typed)).map((one) => ({ ...one }));
  const command = COMMANDS.find((one) => one.name === name);
  const choices = command?.choices ?? command?.suggestions ?? [];
  return choices.filter((choice) => choice.startsWith(typed)).map((value) => ({ value, description: '' }));
}

/** Whom a question beside the conversation goes to: models by any part of their name, levels by their beginning (SC-23.9). */
function completeSideTarget(
  parts: Pick<SessionParts, 'models' | 'runtime'>,
  typed: string,
): { value: string; description: string }[] {
  if (typed.startsWith('+'))
    return EFFORTS.filter((level) => level.startsWith(typed.slice(1))).map((level) => ({
      value: `+${level}`,
      description: 'effort',
    }));
  if (!typed.startsWith('$')) return [];
  const models = completeTarget({ models: parts.models, runtime: () => null }, typed.slice(1));
  return models.map(({ value, description }) => ({ value: `$${value}`, description }));
}

/** What a word after `$` at the start of a prompt can be: where this one turn runs, or a skill (decisions §4). */
function completeTarget(
  { models, runtime }: Pick<SessionParts, 'models' | 'runtime'>,
  typed: string,
): { value: string; description: string }[] {
  const [, named = '', effort] = /^([^+]*)(?:\+(\w*))?$/.exec(typed) ?? [];
  if (effort !== undefined)
    return EFFORTS.filter((level) => level.startsWith(effort)).map((level) => ({
      value: `${named}+${level}`,
      description: 'effort, for this turn',
    }));
  const usable = models.list().filter(({ ready, ref }) => ready && modelRefText(ref).includes(typed));
  return [
    ...usable.map(({ ref, provider }) => ({
      value: modelRefText(ref),
      description: `model, for this turn: ${provider}`,
    })),
    ...completeSkill({ runtime }, typed),
  ];
}

/** Skills a word after `$` can name, wherever it stands (AC-3). */
function completeSkill(
  { runtime }: Pick<SessionParts, 'runtime'>,
  typed: string,
): { value: string; description: string }[] {
  return (runtime()?.calls.skills ?? [])
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, description }) => ({ value: name, description: `skill: ${description}` }));
}
