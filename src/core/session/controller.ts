import { done, type Refusal } from '../../base/refusal.ts';
import { UNTRUSTED_PRIVATE } from '../../protocol/label.ts';
import type { Effort, PermissionMode, ThinkingShown } from '../../protocol/message.ts';
import type { Answered, QueryType } from '../../protocol/query.ts';
import type { ClientId, Session } from '../../protocol/session.ts';
import type { SessionCommand } from '../../protocol/view.ts';
import type { System } from '../../system/system.ts';
import { createBeforeImages } from '../changes/before-images.ts';
import { createLedger } from '../changes/ledger.ts';
import { writeChange } from '../changes/write-change.ts';
import type { Skills } from '../extensions/skills.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { RunHelper, RunLine } from '../jobs/line.ts';
import type { Drafts } from '../journal/drafts.ts';
import type { Journal } from '../journal/journal.ts';
import { keepWindow } from '../journal/kept-window.ts';
import { createModelContext } from '../journal/model-context.ts';
import { recover } from '../journal/recover.ts';
import type { Models } from '../models/catalog.ts';
import type { Connections } from '../models/sign-in/connections.ts';
import type { UsageWatch } from '../models/usage-watch.ts';
import type { Audit } from '../policy/audit.ts';
import { createEntryAudit } from '../policy/audit-entries.ts';
import type { FactScope } from '../policy/facts.ts';
import type { KeyFindings } from '../policy/key-findings.ts';
import { createLiveTrust, type TrustDecision, trustDecisionJson } from '../policy/live-trust.ts';
import type { AnsweredLine, AnsweredTool } from '../policy/policy.ts';
import { createQuarantine } from '../policy/quarantine.ts';
import type { RememberedAnswers } from '../policy/remembered.ts';
import { mergeRules, NO_RULES, type Rules } from '../policy/rules.ts';
import { trusts } from '../policy/trust.ts';
import { type CompactionWish, compactionBudget } from '../runtime/compact-budget.ts';
import { withDelegates } from '../runtime/delegate.ts';
import { createGate } from '../runtime/gate.ts';
import { hookSide } from '../runtime/hook-side.ts';
import { createInbox } from '../runtime/inbox.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { SpendingLimits } from '../runtime/spending.ts';
import { type InstructionText, systemPrompt } from '../runtime/system-prompt.ts';
import { withoutHidden } from '../runtime/unanswered-prompts.ts';
import type { LanguageServers } from '../tools/language-servers.ts';
import { spawnAgentWith } from '../tools/spawn-agent.ts';
import { TOOL_LIMITS, type Tool, type ToolLimits } from '../tools/tool.ts';
import { seal } from '../values/sealed.ts';
import { answerQuery } from './answer-query.ts';
import { createAnswers } from './answers.ts';
import { createAsks } from './asks.ts';
import { createAttachments } from './attachments.ts';
import { createBranchMemory } from './branch-memory.ts';
import { createCheckpointer } from './checkpointer.ts';
import { openChildJournal } from './child-journal.ts';
import { createContextAhead } from './context-ahead.ts';
import { type CurrentModelParts, createCurrentModel } from './current-model.ts';
import { ANY_MODEL, type DelegateModels } from './delegate-models.ts';
import { createDelegatesDesk } from './delegates-desk.ts';
import { gitBranch } from './directory.ts';
import { followDisk, tryingDisk, waitingText } from './disk-trouble.ts';
import { createErrorLog } from './error-log.ts';
import { findDraft } from './find-draft.ts';
import { foldKept, KEPT_ASIDE } from './fold-journal.ts';
import { forbiddenBy } from './forbidden-line.ts';
import { createHandBacks } from './hand-backs.ts';
import { createIntentHandler, ENDED } from './handle-intent.ts';
import { createHooksDesk, type LoadHooks } from './hooks-desk.ts';
import { createJobsDesk } from './jobs-desk.ts';
import { createLatestWindow } from './latest-window.ts';
import { createMcpDesk, type McpSource } from './mcp-desk.ts';
import { createBranchMover } from './move-branch.ts';
import { titleOf } from './naming.ts';
import { createOfferedModels } from './offered-models.ts';
import { oneQuestion } from './one-question.ts';
import { createOutcomes } from './outcomes.ts';
import type { FastMode, SessionMemory, SessionParts, ThinkingMode } from './parts.ts';
import { type AgentsStart, createPrimaryAgent, type PrimaryAgent } from './primary-agent.ts';
import { createPublisher } from './publish.ts';
import { createRecorder } from './recorder.ts';
import { createReload } from './reload.ts';
import { createSameFile } from './same-file.ts';
import { createSavedEfforts, type SaveEffort } from './saved-efforts.ts';
import { dropStale } from './self-prompt.ts';
import { carryOutCommand, SESSION_COMMANDS } from './session-commands.ts';
import { createSessionExport } from './session-export.ts';
import type { SettingsAgain } from './settings-again.ts';
import { createShellLines } from './shell-line.ts';
import { createSideThreads } from './side-threads.ts';
import { createSignInDesk } from './sign-in-desk.ts';
import { skillCommands } from './skill-commands.ts';
import { createSlowWork } from './slow-work.ts';
import { createStandingOrders } from './standing-orders.ts';
import { type InstructionsFound, noteOnce, skippedWords, toldBy } from './start-lines.ts';
import { findSurroundings } from './surroundings.ts';
import { createThinkingForwarded } from './thinking-forwarded.ts';
import { createTitleRequest } from './title-request.ts';
import { beginsOtherwise, toldAgain } from './told-again.ts';
import type { Trail } from './trail.ts';
import type { TrustMemory } from './trust-memory.ts';
import { settleTrust, type TrustStart } from './trust-question.ts';
import { createTurnLoop } from './turn-loop.ts';
import { createUncut } from './uncut.ts';
import { closeCutUndo } from './undo.ts';
import { createUsageDesk, underSpending } from './usage-desk.ts';
import { createWakeUp } from './wake-up.ts';

export interface ControllerOptions {
  readonly system: System;
  /** Opened for writing; the controller flushes and closes it. */
  readonly journal: Journal;
  readonly models: Pick<Models, 'parse' | 'open' | 'configured' | 'list'> & Partial<Pick<Models, 'refresh'>>;
  /** Of the models known, those that are offered (`models.enabled`); none named: all. */
  readonly enabledModels?: readonly string[];
  readonly tools: readonly Tool[];
  readonly settings: SessionSettings;
  readonly rules: Rules;
  /** What else is decided in advance. */
  readonly permissions?: {
    /** What the project asks for: in force once the person, who saw it, trusts the workspace (RULE-7). */
    readonly project: Rules;
    /** What holds for the person's own lines too; absent: nothing. */
    readonly managed?: Rules;
    readonly earlierAnswers: readonly AnsweredLine[];
    readonly earlierKeyFolders?: readonly string[];
    readonly earlierTools?: readonly AnsweredTool[];
    readonly remembered: RememberedAnswers | null;
    readonly commandOutput: 'class' | 'aside';
    /** What the person should know about their rules, one line each (RULE-8). */
    readonly notes: readonly string[];
  };
  /** What facts are judged in; its `workspace` is where the session works: absolute, links resolved. */
  readonly scope: FactScope;
  /** Read once it is known whether the workspace is trusted: those of a project count only then. */
  readonly instructions:
    | readonly InstructionText[]
    | ((trusted: boolean) => Promise<readonly InstructionText[] | InstructionsFound>);
  /** What of the settings may change while the session runs, as it is now; absent: nothing of them is read again. */
  readonly settingsAgain?: () => Promise<SettingsAgain>;
  /** How it comes to be trusted; absent: as `scope.trust` says, and nobody is asked. */
  readonly trust?: TrustStart;
  /** Where an answer about it is remembered; null or absent where none may be. */
  readonly trustMemory?: TrustMemory | null;
  /** The trail of decisions, closed with the session; absent: none is kept. */
  readonly trail?: Trail;
  readonly version: string;
  /** As named on the command line; null to choose by session, settings and environment. */
  readonly model: string | null;
  /** As named on the command line or in the settings; a session that has one of its own keeps that where this is null. */
  readonly mode: PermissionMode | null;
  /** Whether bypass was asked for on the command line. */
  readonly bypassOffered: boolean;
  /** False in a one-shot run: nobody is there to answer, to choose a model or to go on after a failure. */
  readonly canAsk: boolean;
  /** Rounds of one turn; null for no limit. */
  readonly roundLimit: number | null;
  readonly drafts: Drafts;
  /** Session folders, absolute; null when nothing is saved. */
  readonly attachments: string | null;
  readonly beforeImages: string | null;
  /** Why nothing is saved, shown as long as the session runs; null when it is. */
  readonly notSaved: string | null;
  /** Runs the model's lines, confined; the person's own lines; and our helper programs. */
  readonly runLine: RunLine;
  readonly runOwnLine: RunLine;
  readonly runHelper: RunHelper;
  /** What runs on by itself; its lines are those of `runLine` and `runOwnLine`. Absent: a command ends with its call. */
  readonly jobs?: Jobs;
  /** Whether a job that ends while nothing runs begins a turn; default true. */
  readonly jobsWake?: boolean;
  /** How commands are confined, for the header; where that is still being found out, once it is known. */
  readonly sandbox: string | Promise<string>;
  /** The session's folder for throw-away files; left out where the system's temporary folder serves. */
  readonly scratch?: string | null;
  /** Takes secrets out of text before it is kept, shown or sent. */
  readonly redact: (text: string) => string;
  /** Language servers for the session; absent: none can be started. */
  readonly languages?: LanguageServers;
  /** Agents as files describe them, and who of them is chosen; absent: there are none. */
  readonly agents?: AgentsStart;
  /** Models a call may give a delegate; absent: any. */
  readonly delegateModels?: DelegateModels;
  /** Read once it is known whether the workspace is trusted: those of a project count only then. */
  readonly skills?: (trusted: boolean) => Promise<Skills>;
  readonly limits?: ToolLimits;
  /** Whether a check that finds content safe answers the questions about releasing it (SEC-31); default false. */
  readonly autoVet?: boolean;
  /** What is wanted of automatic compaction where this session was told nothing else; default on, without a cap. */
  readonly autocompact?: CompactionWish;
  /** Whether the model is asked for a title beside the first turn; default false. */
  readonly naming?: boolean;
  /** What may be spent, and where that is written down; absent: as much as there is, and nowhere. */
  readonly usage?: {
    /** Folder of Houston's state; null: nothing is kept. */
    readonly state: string | null;
    readonly limits: SpendingLimits;
    /** How often a turn may sleep until a usage limit is lifted. */
    readonly sleeps: number;
    /** Whether the faster service is asked for where there is one. */
    readonly fast: boolean;
    readonly watch?: UsageWatch;
  };
  /** How providers are connected; absent: they cannot be. */
  readonly connections?: Connections;
  /** Keeps choices for sessions to come, by the names of settings; absent: they can not be kept. */
  readonly saveDefaults?: SessionParts['saveDefaults'];
  /** Levels once chosen, by model, and where new ones go. */
  readonly efforts?: { readonly known: Readonly<Record<string, Effort>>; readonly save: SaveEffort };
  /** Where exports go; null or absent: there are none. */
  readonly exports?: string | null;
  /** Where the sessions of this project say which files they change; null or absent: they do not. */
  readonly editing?: string | null;
  /** Whether other code is installed by now than the code that runs; absent: nobody looks. */
  readonly codeChanged?: () => boolean;
  /** The address a provider was given; null where it has its vendor's. Absent: nobody knows. */
  readonly addressOf?: (provider: string) => string | null;
  /** Whether another session works in a folder; absent: none does. */
  readonly isOpenElsewhere?: SessionParts['isOpenElsewhere'];
  /** Hooks of the person, and of the project where they said yes to them; absent: none ever run. */
  readonly hooks?: LoadHooks;
  /** Whether the person is offered to vouch for a file that a read keeps aside; default false. */
  readonly offersVouching?: boolean;
  /** Where it is written down which files hold what looks like keys; absent: reads are not looked through. */
  readonly keyFindings?: KeyFindings;
  /** MCP servers; absent: there are none. */
  readonly mcp?: McpSource;
}

export interface SessionSettings {
  readonly effort: Effort;
  /** How readable thinking is shown; absent: in the transcript. */
  readonly thinking?: ThinkingShown;
  /** Further tries after a failure that may pass. */
  readonly retries: number;
  /** Milliseconds without a byte after which a reply counts as cut. */
  readonly stallMs: number;
}

/** Milliseconds closing waits for what runs to end and be written down. */
const CLOSE_LIMIT_MS = 10_000;

export interface SessionController extends Session {
  /**
   * Puts `text` into quarantine, as (untrusted, private), and answers the sentence that stands for it in a prompt. Its
   * reference is recorded, so that no later one, also after a resume, ever takes the same number.
   */
  keepAside(text: string, origin: string): Promise<string>;
  /** What was answered about the workspace; null until it was. */
  workspaceTrust(): TrustDecision | null;
  /** This client will not come back: what was asked of it alone resolves to nothing. */
  clientLost(client: ClientId): void;
  /** Settles when the session is started and nothing runs or may start. */
  idle(): Promise<void>;
  /** Stops what runs, writes everything down, tells every client. May be called more than once. */
  close(): Promise<void>;
  /** Settles when nothing is under way that must not be cut: whoever ends without having closed waits for this. */
  uncut(): Promise<void>;
  /** Settles once the session is closed, also when a client asked for it. */
  readonly ended: Promise<void>;
}

/**
 * Opens one conversation on its journal: closes what a crash left open, folds the entries, and goes on with what waits.
 * Resolves as soon as prompts are taken; the model and the surroundings are found meanwhile.
 */
export async function createController(options: ControllerOptions): Promise<SessionController> {
  const { system, journal, scope, redact } = options;
  const { clock, files, ids } = system;
  const folder = scope.workspace;

  const repairs = await recover(journal);
  if (repairs.length > 0) await journal.append(repairs, { onFailure: 'keep' }).durable;
  const usage = createUsageDesk({
    system,
    state: options.usage?.state ?? null,
    session: journal.session,
    ...(options.usage?.watch === undefined ? {} : { watch: options.usage.watch }),
  });
  const { recollection: past, transcript } = await foldKept(journal, folder, options.version, undefined, usage);
  const { view } = past;
  const thinking: ThinkingMode = { mode: options.settings.thinking ?? 'transcript' };
  const modeBefore = past.modeChosen ? view.head.mode : 'ask';
  Object.assign(view.head, {
    home: system.environment.home,
    mode: openingMode(options, past.modeChosen ? view.head.mode : null),
    bypassOffered: options.bypassOffered,
    thinking: thinking.mode,
    notSaved: journal.trouble ?? options.notSaved,
    waitsForDisk: waitingText(journal.trouble, journal, system.environment.home),
    sandbox: typeof options.sandbox === 'string' ? options.sandbox : 'being checked',
    commands: SESSION_COMMANDS,
  });

  const publisher = createPublisher({
    view,
    clock,
    draftOf: (client, readOnly) =>
      findDraft(options.drafts, journal, client, (other) => readOnly || publisher.attached(other).length > 0),
  });
  const audit: Audit = options.trail?.audit ?? (() => {});
  const auditedOf = createEntryAudit();
  let { named } = past;
  const branch = createBranchMemory(past);
  const recorder = createRecorder(journal, publisher, (entry) => {
    branch.prompts.see(entry);
    branch.gauge.see(entry);
    const notice = branch.cache.see(entry);
    if (notice !== null) void recorder.write([notice], { onFailure: 'keep' });
    if (entry.kind === 'name') named ||= entry.by !== 'prompt';
    standing.see(entry);
    errors.see(entry);
    usage.see(entry);
    desk.see(entry);
    forwarded.see(entry);
    if (entry.kind === 'model' || entry.kind === 'position') ahead.soon();
    const audited = auditedOf(entry);
    if (audited !== null) audit(audited);
    if (entry.kind === 'result' && entry.ref === null && entry.output !== null) quarantine.showOutput(entry.output);
  });
  let folderTrust = past.trust.get(folder) ?? null;
  const trust = createLiveTrust(
    new Map([...scope.trust, ...[...past.trust.values()].map((one) => [one.path, one.trusted] as const)]),
    async (decision) => {
      if (decision.path === folder) folderTrust = decision;
      audit({ event: 'trust', path: decision.path, trusted: decision.trusted, by: decision.by });
      await recorder.write([{ kind: 'decision', decision: trustDecisionJson(decision) }], { onFailure: 'keep' });
    },
  );
  const quarantine = createQuarantine(
    { shown: past.shown, lastRef: past.lastRef, released: past.released, outputs: past.outputs },
    { files, trust: () => trust.map },
  );
  followDisk(journal, publisher, { home: system.environment.home, otherwise: options.notSaved });
  void Promise.resolve(options.sandbox).then((sandbox) => {
    const { deny, ask, allow } = options.rules;
    audit({ event: 'session', sandbox, deny: deny.length, ask: ask.length, allow: allow.length });
    if (sandbox !== view.head.sandbox) publisher.publish({ type: 'head', head: { sandbox } });
  });
  const asks = createAsks({ publisher, recorder, clock, ids });
  const ask = oneQuestion(asks.ask);
  const answers = createAnswers(recorder, () => loop.running === 'turn');
  const outcomes = createOutcomes(publisher);
  const latestWindow = createLatestWindow(publisher);
  const handBacks = createHandBacks(publisher, outcomes);
  const inbox = createInbox(view.queue, past.held);
  let runtime: Runtime | null = null;
  let startFailed: Refusal | null = null;
  /** Makes the runtime anew where somebody else is to speak; nothing before there is one. */
  let dress = (): void => {};
  const autocompact = { wish: past.autocompact ?? options.autocompact ?? { automatic: true, cap: null } };
  const wakeUp = createWakeUp(past);
  // Where nobody looks no figure is asked for.
  if (options.canAsk)
    options.usage?.watch?.serve({
      show: (quota) => publisher.publish({ type: 'head', head: { quota } }),
      isBusy: () => loop.running !== null,
    });
  const limits = { session: null, day: null, ...options.usage?.limits };
  const spending = usage.open({ recorder, ask, canAsk: options.canAsk, limits });
  const fast: FastMode = { on: options.usage?.fast ?? false };
  const models = createOfferedModels(options.models, options.enabledModels);
  const guarded: CurrentModelParts['models'] = {
    configured: options.models.configured,
    open: async (ref) => {
      const opened = await options.models.open(ref);
      return opened.ok ? done(underSpending(opened.value, spending)) : opened;
    },
  };
  // A choice that is being written into the settings is written, whatever else ends (EX-4).
  const uncut = createUncut();
  const { save: saveEffort = async () => true, known = {} } = options.efforts ?? {};
  const efforts = createSavedEfforts(known, (...choice) => uncut.run(() => saveEffort(...choice)));
  const model = createCurrentModel({
    models: guarded,
    fast: () => fast.on,
    publisher,
    recorder,
    effort: options.settings.effort,
    effortOf: (ref) => efforts.of(ref),
    isStarted: () => runtime !== null && agents.problem === null,
    startFailed: () => startFailed ?? agents.problem,
    budget: (facts) => compactionBudget(facts, autocompact.wish),
  });
  const agents = createPrimaryAgent({
    start: options.agents ?? null,
    chosen: past.agent,
    hasTurns: past.lastTurn > 0,
    journal,
    recorder,
    publisher,
    models: { parse: options.models.parse, open: guarded.open },
    model,
    canAsk: options.canAsk,
    loop: () => loop,
    dress: () => dress(),
  });
  let delegateModels = options.delegateModels ?? ANY_MODEL;
  const ledger = createLedger(async (change) => {
    await recorder.write([{ kind: 'file-change', ...change }], { onFailure: 'keep' });
    void sameFile.changed(change.path);
  }, past.fileChanges);
  const images = createBeforeImages(files, options.beforeImages);
  const attachments = createAttachments(files, options.attachments);
  const delegatesDesk = createDelegatesDesk({ publisher, clock, redact, onFree: () => loop.wake() });
  let managed = options.permissions?.managed ?? NO_RULES;
  const forbids = (line: string) => forbiddenBy(managed, line, { gate: runtime?.calls.gate ?? null, system });
  const desk = createJobsDesk({
    forbids,
    jobs: options.jobs ?? null,
    system,
    publisher,
    recorder,
    inbox,
    loop: () => loop,
    redact,
    audit,
    folder,
    wakes: options.jobsWake ?? true,
    canWake: () => runtime !== null && model.model !== null && options.canAsk && closing === null,
    adopts: options.canAsk,
  });
  const checkpoints = createCheckpointer({
    files,
    clock,
    journal,
    isQuiet: () => view.activity.turn === null,
    follower: () => createUsageDesk({ system, state: null, session: journal.session }),
  });
  const sent = withoutHidden(journal, branch.prompts);
  const ahead = createContextAhead({
    clock,
    journal: sent,
    runtime: () => runtime,
    model: () => model.model,
    isQuiet: () => loop.running === null,
  });
  const memory: SessionMemory = {
    said: past.said,
    lastInput: past.lastInput,
    lastTurnFailed: past.lastEnd !== null && past.lastEnd.reason !== 'done',
  };
  const version = options.version;
  const asides = createSideThreads(
    () => parts,
    past.view.asides,
    () => quarantine.context.trusted,
  );
  const sameFile = createSameFile({
    system,
    folder: options.editing ?? null,
    session: journal.session,
    title: () => view.head.title,
    workspace: folder,
    warn: (text) =>
      void recorder.write([{ kind: 'note', level: 'warning', identifier: 'same-file', text }], { onFailure: 'keep' }),
  });
  const errors = createErrorLog({
    system,
    folder: options.notSaved === null ? journal.folder : null,
    recorder,
    redact,
    version: options.version,
    model: () => model.model?.ref ?? null,
    codeChanged: options.codeChanged ?? (() => false),
    advise: (text) => publisher.publish({ type: 'flash', client: null, level: 'warning', text }),
    addressOf: options.addressOf ?? (() => null),
  });
  const exporting = createSessionExport({
    system,
    journal,
    exports: options.exports ?? null,
    title: () => view.head.title,
    version,
    uncut,
  });
  const forwarded = createThinkingForwarded({
    model: () => model.model,
    mode: () => thinking.mode,
    addressOf: options.addressOf ?? (() => null),
    warn: (text) =>
      void recorder.write([{ kind: 'note', level: 'warning', identifier: 'thinking-not-forwarded', text }], {
        onFailure: 'keep',
      }),
  });
  const standing = createStandingOrders({
    system,
    folder,
    recorder,
    publisher,
    inbox,
    ledger,
    model,
    loop: () => loop,
    runtime: () => runtime,
  });
  const hooks = createHooksDesk(options.hooks ?? null);
  let hooksGranted = false;

  const reload = createReload({
    readHooks: (again) => hooks.load(hooksGranted, again),
    countHooks: () => hooks.count,
    files,
    recorder,
    readInstructions: () => instructionsOf(options, trusts(trust.map, folder)),
    readSkills: async () => options.skills?.(trusts(trust.map, folder)),
    readAgents: (settings) => agents.reload(trusts(trust.map, folder), settings?.agentsDisabled ?? null),
    readSettings: options.settingsAgain ?? null,
  });
  const slow = createSlowWork({ clock, publisher, recorder, outcomes, errors, loop: () => loop });
  const mcp = createMcpDesk({
    source: options.mcp ?? null,
    clock,
    recorder,
    slow,
    inbox,
    errors,
    loop: () => loop,
    ask,
    canAsk: options.canAsk,
    closing: () => closing !== null,
    hasAsked: () => view.head.totals.requests > 0,
    projectCounts: () => options.trust !== undefined && options.canAsk && trusts(trust.map, folder),
    onLetSteer: () => {
      if (loop.running === 'turn' && inbox.rows.some(({ delivery }) => delivery === 'steering'))
        options.jobs?.releaseWaits();
    },
  });
  const mover = createBranchMover({ journal, publisher, recorder, memory, branch, folder, version });
  const shell = createShellLines({
    recorder,
    publisher,
    clock,
    folder,
    redact,
    runLine: options.runOwnLine,
    usedCalls: past.usedCalls,
    forbids,
    hooks: () => {
      const now = runtime;
      const own = now?.calls.hooks;
      return now && own ? { hooks: own, side: (turn, signal) => hookSide(now, { turn, signal }) } : null;
    },
  });
  const starting = new AbortController();
  const random = (): number => Number.parseInt(ids.hex(4), 16) / 0x1_0000_0000;

  const loop = createTurnLoop({
    publisher,
    recorder,
    inbox,
    outcomes,
    model,
    shell,
    runCommand: (row, signal) => carryOutCommand(parts, row, signal),
    runtime: () => runtime,
    roundLimit: options.roundLimit,
    dropsAfterFailure: !options.canAsk,
    lastTurn: past.lastTurn,
    onTaken: (input) => {
      if (view.head.title === '') void nameAfter(input.text);
      // Only what is saved has a title, and only where somebody will see it (SC-21.2).
      const { delivery, text } = input;
      const asks = options.naming === true && options.canAsk && journal.folder !== null;
      // What is asked again, and what the session says by itself, is nobody's first prompt (SC-10.10).
      const first = past.firstPrompt ?? (delivery === 'resend' || delivery === 'wake' ? null : text);
      if (asks && model.model !== null && first !== null) titles.ask(first, model.model);
    },
    asleep: wakeUp.of,
    blocked: () => agents.problem,
    beforeTurn: async () => {
      await reload.instructions();
      await mcp.beforeTurn();
      await agents.beforeTurn();
      await images.beginPoint();
    },
    mayStart: () => !mcp.holds,
    beside: () => slow.activity,
    isHeld: () => delegatesDesk.holdsWords,
    onFailed: (because) => intents.holdArriving(because),
    onSettled: (input, report) => {
      agents.adopt();
      answers.move();
      memory.lastInput = input;
      memory.lastTurnFailed = report.reason !== 'done';
      standing.settled(input.id, report.reason);
      void showBranch();
      void options.jobs?.turnEnded();
      if (report.reason === 'stopped') desk.stopped();
      desk.rest();
      checkpoints.rest();
      ahead.soon();
    },
  });

  const titles = createTitleRequest({
    system,
    session: journal.session,
    recorder,
    redact,
    random,
    isNamed: () => named,
  });
  const nameAfter = async (prompt: string): Promise<void> => {
    const title = titleOf(prompt);
    if (title !== null) await recorder.write([{ kind: 'name', name: title, by: 'prompt' }], { onFailure: 'keep' });
  };
  const showBranch = async (): Promise<void> => {
    const branch = await gitBranch(files, folder);
    if (branch !== view.head.gitBranch) publisher.publish({ type: 'head', head: { gitBranch: branch } });
  };

  /** Nobody is asked twice; the first frame and what is typed wait for nothing (TRUST-1). */
  const settleStart = async (): Promise<boolean | null> => {
    if (options.trust === undefined) return trusts(trust.map, folder);
    const { canAsk } = options;
    const earlier = past.trust.get(folder) ?? null;
    const parts = { start: options.trust, trust, earlier, ask: asks.ask, canAsk, signal: starting.signal };
    const outcome = await settleTrust(parts);
    return outcome === 'leave' ? null : outcome === 'trusted';
  };

  const start = async (): Promise<void> => {
    const finding = findSurroundings(system, folder, scope.roots, options.scratch ?? null);
    // Nice to see, and nothing to wait for (ST-10).
    void showBranch().catch(() => undefined);
    await model.start(options.model, past.model, options.canAsk);
    const trusted = await settleStart();
    if (trusted === null) return void close();
    if (past.openUndo !== null) await closeCutUndo({ recorder, files, folder }, past.openUndo);
    const [surroundings, found, skills] = await Promise.all([
      finding,
      instructionsOf(options, trusted),
      options.skills?.(trusted),
      agents.load(trusted),
    ]);
    publisher.publish({ type: 'head', head: { told: toldBy(found, skills), commands: commandsWith(skills) } });
    hooksGranted = grantsProject(options.trust, options.canAsk, trusted);
    await noteOnce(journal, recorder, 'hooks', await hooks.load(hooksGranted, null));
    await noteOnce(journal, recorder, 'settings', options.permissions?.notes ?? []);
    await noteOnce(journal, recorder, 'instructions', found.skipped.map(skippedWords));
    let skillsNow = skills;
    let own: Runtime = {
      session: journal.session,
      system,
      random,
      journal: sent,
      context: createModelContext(sent),
      gauge: branch.gauge,
      failuresIn: () => errors.place,
      compaction: () => autocompact.wish,
      recorder,
      publish: publisher.publish,
      inbox,
      notices: desk.notices,
      hooks: hooks.hooks,
      systemPrompt: systemPrompt(surroundings, found.instructions, skills?.list),
      usedCalls: past.usedCalls,
      refusedAttachments: new Set(),
      sentImages: new Set(),
      loadAttachment: async (attachment) => {
        const bytes = await attachments.load(attachment);
        return bytes === null ? null : Buffer.from(bytes).toString('base64');
      },
      fast: () => fast.on,
      readsThinking: () => thinking.mode !== 'off',
      // Nobody watches a one-shot run: one that slept for hours would only look as if it hung.
      sleeps: options.canAsk ? (options.usage?.sleeps ?? 0) : 0,
      retryLimits: { tries: options.settings.retries + 1, stallMs: options.settings.stallMs },
      calls: {
        tools: mcp.withTools(toolsOf(options, skills, agents, delegateModels)),
        gate: createGate({
          ...options.permissions,
          rules: rulesInForce(options, trusted, options),
          scope,
          sources: system,
          trust,
          quarantine,
          mode: () => view.head.mode,
          canAsk: options.canAsk,
          audit,
        }),
        ask,
        canAsk: options.canAsk,
        folder,
        home: system.environment.home,
        standing: options.canAsk ? standing : null,
        outputs: scope.outputs,
        runLine: options.runLine,
        ...(options.jobs === undefined ? {} : { jobs: options.jobs }),
        runHelper: options.runHelper,
        write: (write) => writeChange({ files, images, ledger }, write),
        ledger,
        todo: () => view.todo,
        network: system.network,
        languages: options.languages ?? null,
        skills: skills?.list ?? [],
        loadSkill: async (name) => (await skills?.load(name)) ?? null,
        limits: options.limits ?? TOOL_LIMITS,
        autoVet: options.autoVet ?? false,
        offersVouching: options.offersVouching ?? false,
        keyHold: options.keyFindings === undefined ? null : { allowed: new Set(), findings: options.keyFindings },
        redact,
        hooks: hooks.hooks,
        delegates: null,
        delegateWatch: delegatesDesk,
      },
    };
    // What was decided about the queue before this moment counts before anything of it starts (QU-5).
    await intents.decided();
    // Closed meanwhile: what waits was not begun, and runs where the session is gone on with.
    if (starting.signal.aborted) return;
    const delegates = {
      openJournal: () => openChildJournal(system, journal, folder, options.version),
      numbers: { last: past.lastDelegate },
      openModel: async (named: string) => {
        const ref = options.models.parse(named);
        const opened = ref.ok ? await guarded.open(ref.value) : ref;
        return opened.ok ? opened.value : null;
      },
    };
    dress = () => {
      own = {
        ...own,
        calls: { ...own.calls, tools: mcp.withTools(toolsOf(options, skillsNow, agents, delegateModels)) },
      };
      runtime = withDelegates(agents.wear(own), delegates, own);
    };
    dress();
    mcp.started((tools) => {
      own.calls.tools = tools;
      if (runtime !== null) runtime.calls.tools = agents.narrow(tools);
    });
    reload.started({ found, skills }, (told, settings) => {
      const before = runtime ?? own;
      skillsNow = told.skills;
      delegateModels = settings?.delegateModels ?? delegateModels;
      own = toldAgain(own, {
        systemPrompt: systemPrompt(surroundings, told.found.instructions, told.skills?.list),
        skills: told.skills,
        tools: mcp.withTools(toolsOf(options, told.skills, agents, delegateModels)),
        settings,
        hooks: hooks.hooks,
      });
      if (settings !== null) {
        const { project, commandOutput } = settings;
        managed = settings.managed;
        own.calls.gate.adopt(rulesInForce(options, trusted, { rules: settings.rules, project }), commandOutput);
        Object.assign(limits, settings.spending);
        models.offer(settings.enabledModels);
      }
      dress();
      publisher.publish({
        type: 'head',
        head: { told: toldBy(told.found, told.skills), commands: commandsWith(told.skills) },
      });
      return beginsOtherwise(before, runtime ?? own);
    });
    await dropStale({ inbox, recorder });
    if (options.canAsk) await wakeUp.arm({ inbox, recorder });
    const servers = await mcp.startDefaults(starting.signal);
    if (starting.signal.aborted) return;
    if (!servers.ok && !options.canAsk) {
      startFailed = servers.refusal;
      publisher.publish({ type: 'head', head: { startupProblem: startFailed } });
      return;
    }
    model.show();
    loop.wake();
    ahead.soon();
    await desk.start();
  };
  // Also while the person is still asked something before anything may start.
  checkpoints.rest();
  const started = start().catch((error: unknown) => {
    startFailed = {
      identifier: 'internal',
      message: `Could not start: ${error instanceof Error ? error.message : String(error)}`,
    };
    publisher.publish({ type: 'head', head: { startupProblem: startFailed } });
  });

  const { promise: ended, resolve: tellEnded } = Promise.withResolvers<void>();
  let closing: Promise<void> | null = null;
  const shut = async (): Promise<void> => {
    // A full disk may keep the last words waiting for ever: closing waits for them only so long.
    const finished = new AbortController();
    starting.abort();
    standing.close();
    ahead.close();
    const finish = async (): Promise<void> => {
      await started;
      await Promise.all([loop.close(), asides.close(), titles.close(), slow.close()]);
      await mcp.close();
      await desk.close();
      await hooks.close();
      await intents.settled();
      await options.drafts.settle();
      await Promise.all([errors.settle(), sameFile.close()]);
      await recorder.written();
      await usage.close();
      finished.abort();
    };
    await Promise.race([finish(), clock.sleep(CLOSE_LIMIT_MS, finished.signal)]);
    await uncut.settled();
    publisher.close('ended');
    await journal.flush().catch(() => undefined);
    await journal.close();
    await checkpoints.close();
    if (journal.folder !== null && journal.build !== null)
      await keepWindow(system.files, journal.folder, journal.build, publisher.view);
    await options.trail?.close();
    tellEnded();
  };
  const close = (): Promise<void> => (closing ??= shut());

  const parts: SessionParts = {
    system,
    folder,
    bypassOffered: options.bypassOffered,
    journal,
    publisher,
    recorder,
    mover,
    asides,
    standing,
    inbox,
    outcomes,
    handBacks,
    asks,
    answers,
    models,
    model,
    agents,
    delegateModels: () => delegateModels,
    loop,
    desk,
    delegates: delegatesDesk,
    slow,
    mcp,
    latestWindow,
    runtime: () => runtime,
    autocompact,
    fast,
    thinking,
    forwarded,
    reload,
    usage,
    efforts,
    saveDefaults: (values) => uncut.run(async () => (await options.saveDefaults?.(values)) ?? false),
    errors,
    exporting,
    isOpenElsewhere: options.isOpenElsewhere ?? (async () => false),
    canAsk: options.canAsk,
    attachments,
    drafts: options.drafts,
    transcript,
    ledger,
    images,
    mayKeepImage: (path) => trusts(trust.map, path),
    outputs: scope.outputs,
    trail: options.trail ?? null,
    memory,
    trustMemory: options.trustMemory ?? null,
    signIn: createSignInDesk(options.connections ?? null, { explicit: options.model, session: past.model }),
    closing: () => closing !== null,
    end: () => void close(),
  };
  // The mode it was opened in is its own from here on: whoever goes on with it finds it in the journal.
  if (view.head.mode !== modeBefore)
    void recorder.write([{ kind: 'mode', mode: view.head.mode }], { onFailure: 'keep' });
  const intents = createIntentHandler(parts);
  const send = tryingDisk(journal, latestWindow.watching(intents.send));

  return {
    keepAside: async (text, origin) => {
      const kept = quarantine.present({
        sealed: seal(text, UNTRUSTED_PRIVATE),
        origin,
        ending: '',
        display: { kind: 'none' },
      });
      await recorder.write([{ kind: 'record', name: KEPT_ASIDE, data: kept.ref }], { onFailure: 'keep' });
      audit({ event: 'present', call: KEPT_ASIDE, label: kept.label, ref: kept.ref });
      return kept.text;
    },
    workspaceTrust: () => folderTrust,
    attach: publisher.attach,
    send: (intent, client) => (closing === null ? send(intent, client) : Promise.resolve(ENDED)),
    read: async <K extends QueryType>(query: { readonly type: K }) =>
      (await answerQuery(parts, query as never)) as Answered<K>,
    clientLost: (client) => {
      asks.lost(client);
      handBacks.lost(client);
    },
    idle: async () => {
      await started;
      await intents.settled();
      await mcp.settled();
      await loop.idle();
      await recorder.written();
    },
    close,
    uncut: uncut.settled,
    ended,
  };
}

/** Trusting the workspace grants what its settings ask for: the question named it. Where nobody is asked, nobody granted it. */
function rulesInForce(
  { permissions, trust, canAsk }: ControllerOptions,
  trusted: boolean,
  { rules, project = permissions?.project }: { readonly rules: Rules; readonly project?: Rules },
): Rules {
  return grantsProject(trust, canAsk, trusted) && project !== undefined ? mergeRules([rules, project]) : rules;
}

/** Whether the person was shown what the project asks for, and said yes. */
function grantsProject(trust: TrustStart | undefined, canAsk: boolean, trusted: boolean): boolean {
  return trusted && canAsk && trust !== undefined;
}

/** What a session can not serve is not offered. */
function toolsOf(
  { tools, jobs, canAsk }: ControllerOptions,
  skills: Skills | undefined,
  { enabled }: Pick<PrimaryAgent, 'enabled'>,
  { names }: DelegateModels,
): readonly Tool[] {
  const served = tools.filter(
    ({ needs }) =>
      (needs !== 'skills' || (skills?.list.length ?? 0) > 0) &&
      (needs !== 'jobs' || jobs !== undefined) &&
      (needs !== 'standing' || canAsk),
  );
  const delegates = enabled.flatMap(({ kind, ...rest }) => (kind === 'primary' ? [] : [{ ...rest, kind }]));
  if (delegates.length === 0 && names.length === 0) return served;
  return served.map((tool) => (tool.needs === 'delegates' ? spawnAgentWith(delegates, names) : tool));
}

/** The session's own commands, and behind them the skills. */
function commandsWith(skills: Skills | undefined): SessionCommand[] {
  return [...SESSION_COMMANDS, ...skillCommands(skills?.list ?? [], SESSION_COMMANDS)];
}

async function instructionsOf({ instructions }: ControllerOptions, trusted: boolean): Promise<InstructionsFound> {
  const found = typeof instructions === 'function' ? await instructions(trusted) : instructions;
  return 'instructions' in found ? found : { instructions: found, skipped: [] };
}

/** Bypass is never taken over from an earlier run: it has to be asked for each time. */
function openingMode({ mode, bypassOffered }: ControllerOptions, earlier: PermissionMode | null): PermissionMode {
  const wanted = mode ?? earlier ?? 'ask';
  return wanted === 'bypass' && !bypassOffered ? 'ask' : wanted;
}
