import path from 'node:path';
import { done, type Outcome, refuse } from '../base/refusal.ts';
import { discoverProfiles } from '../core/extensions/agent-profiles.ts';
import { discoverSkills } from '../core/extensions/skills.ts';
import { childEnvironment } from '../core/jobs/child-environment.ts';
import { createJobs } from '../core/jobs/job-registry.ts';
import { createLineRunner } from '../core/jobs/run-line.ts';
import { createHelperRunner, findRipgrep } from '../core/jobs/run-ripgrep.ts';
import { findSession, sessionFolder, sideFolder } from '../core/journal/catalog.ts';
import { createDrafts } from '../core/journal/drafts.ts';
import { createJournal, openJournal } from '../core/journal/file-journal.ts';
import { forkSession } from '../core/journal/fork.ts';
import type { Journal } from '../core/journal/journal.ts';
import { createMemoryJournal } from '../core/journal/memory-journal.ts';
import { projectFolder } from '../core/journal/project.ts';
import { type Lock, takeSessionLock } from '../core/journal/session-lock.ts';
import type { AuditLine } from '../core/policy/audit.ts';
import { ignoresCase } from '../core/policy/case-folding.ts';
import { createKeyFindings } from '../core/policy/key-findings.ts';
import { createRedactor, REMOVED } from '../core/policy/redact.ts';
import { createController, type SessionController } from '../core/session/controller.ts';
import { createTrail } from '../core/session/trail.ts';
import { EXPORTS_FOLDER } from '../core/session/write-export.ts';
import { readInstructions } from '../core/settings/instructions.ts';
import {
  type LoadedSettings,
  loadSettings,
  problemText,
  type SettingsProblem,
  settingsLayers,
} from '../core/settings/load.ts';
import { type Places, places } from '../core/settings/paths.ts';
import { createLanguageServers } from '../core/tools/language-servers.ts';
import { createTools, TOOL_NAMES } from '../core/tools/registry.ts';
import type { EntryBody } from '../protocol/entry.ts';
import type { System } from '../system/system.ts';
import { TRAIL_FILE } from './audit.ts';
import { codeName, ROOT, VERSION, watchCode } from './build.ts';
import { confineSession, ownFolders } from './confine-session.ts';
import { openElsewhere } from './open-elsewhere.ts';
import { openHooks } from './open-hooks.ts';
import { openMcp } from './open-mcp.ts';
import { learnLater, openModels, warmSoon } from './open-models.ts';
import { providerAddress } from './provider-address.ts';
import { settingsSavers } from './save-settings.ts';
import { offersBypass, type SessionRequest } from './session-request.ts';
import { sessionRules } from './session-rules.ts';
import { delegateModelsOf, patience, rereadSettings, spendingOf, toolLimits } from './settings-again.ts';
import { startTrust } from './start-trust.ts';

export interface OpenedSession {
  readonly session: SessionController;
  readonly settings: LoadedSettings;
  close(): Promise<void>;
}

/**
 * Wires one session: settings, journal, models, tools, policy. `onTrail` hears every decision. Refusals: those of finding,
 * locking and reading a session.
 */
export async function openSession(
  system: System,
  request: SessionRequest,
  onTrail?: (line: AuditLine) => void,
): Promise<Outcome<OpenedSession>> {
  const { environment, files } = system;
  const own = places(environment);
  const folder = (await files.realPath(request.folder)) ?? request.folder;
  const loaded = await loadSettings(
    files,
    settingsLayers({ config: own.config, project: folder, argument: request.settings }),
  );
  const { settings } = loaded;
  const opened = await openPlace(system, own, folder, request);
  if (!opened.ok) return opened;
  const { journal, lock, place, notSaved } = opened.value;
  const inPlace = (name: string): string | null => (place === null ? null : path.join(place, name));

  const roots = (
    await Promise.all(
      [...settings.additionalFolders, ...request.addFolders].map((one) => files.realPath(path.resolve(folder, one))),
    )
  ).filter((one) => one !== null);
  const ours = await ownFolders(system, own);
  const jobsRoot = own.state === null ? null : path.join(own.state, 'jobs');
  const confinement = await confineSession(system, request, loaded, { folder, roots, own: ours, jobs: jobsRoot });
  const decided = await sessionRules(system, request, loaded, { folder, state: own.state });
  const problems = [...loaded.problems, ...decided.problems, ...forbiddenBypass(request, settings)];
  const trust = await startTrust(system, request, loaded, { folder, roots, state: own.state });
  if (!request.canAsk && trust.servers.length > 0) problems.push(unaskedServers(folder));
  const providerKeys = Object.values(settings.providers).flatMap((provider) =>
    provider.apiKeyEnv === null ? [] : [provider.apiKeyEnv],
  );
  const secretNames = [...providerKeys, ...settings.scrubEnvironment];
  let redactor = createRedactor(environment.all(), secretNames);
  const lines = {
    files,
    processes: system.processes,
    clock: system.clock,
    environment: environment.all(),
    secretNames,
    session: journal.session,
    outputs: inPlace('outputs'),
    scratch: confinement.scratch,
  };
  // Without a place for their records commands only run while somebody waits for them.
  const jobs =
    jobsRoot === null
      ? null
      : createJobs({
          ...lines,
          ids: system.ids,
          root: jobsRoot,
          // Nobody sees what a one-shot run would leave behind.
          lifetime: request.canAsk ? settings.jobsLifetime : 'session',
          confine: confinement.confine,
        });
  const searchPath = environment.get('PATH') ?? '/usr/local/bin:/usr/bin:/bin';
  const ripgrep = await findRipgrep(files, system.processes, {
    from: ROOT,
    platform: environment.platform,
    path: searchPath,
  });
  const languages = createLanguageServers({
    processes: system.processes,
    clock: system.clock,
    environment: () =>
      childEnvironment(environment.all(), { session: journal.session, call: 'lsp' }, lines.secretNames),
    folder,
    path: searchPath,
    confine: confinement.confine,
  });
  // Nobody watches a one-shot run, so the pilot need not take its time.
  const { models, connections, accounts, watch } = await openModels(system, settings, {
    demo: { tour: request.demo, ...(request.canAsk ? {} : { pace: 0 }) },
    onKeyVariable: (name) => {
      secretNames.push(name);
      redactor = createRedactor(environment.all(), secretNames);
    },
  });
  const stopWarming = warmSoon(system, models, { explicit: request.model, watched: request.canAsk });
  const session = await createController({
    system,
    journal,
    models,
    connections,
    tools: createTools(),
    settings: {
      effort: request.effort ?? settings.effort,
      thinking: settings.thinking,
      ...patience(settings),
    },
    rules: decided.rules,
    permissions: {
      project: decided.project,
      managed: decided.managed,
      // A one-shot run goes by rules alone (decisions §10.2).
      earlierAnswers: request.canAsk ? decided.earlierAnswers : [],
      earlierKeyFolders: request.canAsk ? decided.earlierKeyFolders : [],
      earlierTools: request.canAsk ? decided.earlierTools : [],
      remembered: decided.remembered,
      commandOutput: settings.commandOutput,
      notes: problems.map(problemText),
    },
    scope: {
      workspace: folder,
      roots,
      trust: trust.trust,
      home: environment.home,
      own: ours,
      outputs: inPlace('outputs'),
      path: searchPath,
      ignoreCase: await ignoresCase(files, folder),
    },
    ...(trust.start === undefined ? {} : { trust: trust.start }),
    trustMemory: trust.memory,
    settingsAgain: rereadSettings(system, request, loaded, { folder, config: own.config, state: own.state }),
    instructions: (trusted) => readInstructions(files, { config: own.config, project: folder, trusted }),
    version: VERSION,
    model: request.model,
    // Rules that forbid may be missing: then nothing is answered with yes in advance.
    mode:
      request.mode === 'bypass' && loaded.closed
        ? 'ask'
        : (request.mode ?? (request.open === 'new' ? settings.mode : null)),
    bypassOffered: offersBypass(request) && !settings.bypassUnreachable && !loaded.closed,
    canAsk: request.canAsk,
    roundLimit: request.roundLimit,
    drafts: createDrafts(
      files,
      own.state === null || place === null ? null : path.join(own.state, 'drafts', journal.session),
    ),
    attachments: inPlace('attachments'),
    beforeImages: inPlace('before-images'),
    notSaved,
    runLine: jobs?.runLine ?? createLineRunner({ ...lines, confine: confinement.confine }),
    runOwnLine: jobs?.runOwnLine ?? createLineRunner({ ...lines, forPerson: true }),
    ...(jobs === null ? {} : { jobs }),
    jobsWake: settings.jobsWake,
    runHelper: createHelperRunner(system.processes, system.clock, ripgrep, settings.searchSeconds ?? undefined),
    languages,
    skills: (trusted) => discoverSkills(files, { config: own.config, project: folder, trusted }),
    agents: {
      find: (trusted) => discoverProfiles(files, { config: own.config, project: folder, trusted, tools: TOOL_NAMES }),
      primary: settings.primaryAgent === 'none' ? null : settings.primaryAgent,
      disabled: settings.agentsDisabled,
      named: { model: request.model !== null, effort: request.effort !== null },
    },
    delegateModels: delegateModelsOf(loaded, folder),
    limits: toolLimits(settings),
    autoVet: settings.autoVetting,
    autocompact: { automatic: settings.autocompact, cap: settings.autocompactTokens },
    naming: settings.naming,
    enabledModels: settings.enabledModels,
    usage: {
      // A session that leaves nothing behind leaves no figures either.
      state: place === null ? null : own.state,
      limits: spendingOf(settings).spending,
      sleeps: spendingOf(settings).sleeps,
      fast: settings.fast,
      watch,
    },
    // A session that leaves nothing behind changes no default.
    ...(own.config === null || place === null ? {} : { saveDefaults: settingsSavers(system, own.config).saveDefaults }),
    efforts: {
      // A level named on the command line counts for whatever model there is.
      known: request.effort === null ? settings.efforts : {},
      save: own.config === null || place === null ? async () => true : settingsSavers(system, own.config).saveEffort,
    },
    exports: own.state === null || place === null ? null : path.join(own.state, EXPORTS_FOLDER),
    editing:
      own.state === null || place === null ? null : path.join(own.state, 'editing', path.basename(path.dirname(place))),
    codeChanged: watchCode(),
    addressOf: (provider) => providerAddress(settings.providers, environment, provider),
    isOpenElsewhere: (path) => openElsewhere(system, own.state, journal.session, path),
    offersVouching: true,
    keyFindings: createKeyFindings({
      ...system,
      file:
        own.state === null || place === null
          ? null
          : path.join(own.state, 'findings', `${path.basename(path.dirname(place))}.jsonl`),
    }),
    hooks: openHooks(
      { system, session: journal.session, folder, config: own.config, place, secretNames, requested: trust.hooks },
      settings,
    ),
    mcp: openMcp(
      {
        system,
        session: journal.session,
        version: VERSION,
        folder,
        config: own.config,
        state: own.state,
        place,
        secretNames,
        confine: confinement.confine,
        redact: (text) => redactor(text),
        requests: trust.servers,
      },
      settings.mcpStrictStartup,
    ),
    sandbox: confinement.description,
    scratch: confinement.scratch,
    trail: createTrail({
      files,
      clock: system.clock,
      file: inPlace(TRAIL_FILE),
      ...(onTrail === undefined ? {} : { onLine: onTrail }),
    }),
    // A token that came by signing in is no less secret than a key of the environment.
    redact: (text) => withoutTokens(redactor(text), accounts.secrets()),
  });
  confinement.settle();
  const stopLearning = request.canAsk ? learnLater(system, models, settings) : () => {};
  return done({
    session,
    settings: { ...loaded, problems },
    close: async () => {
      stopLearning();
      stopWarming();
      await session.close();
      languages.close();
      // What goes on works on in it.
      if (jobs?.all.some(({ state }) => state === 'running') !== true) await confinement.close();
      await lock?.release();
      // Opened and left without a word: nothing worth listing.
      if (request.open === 'new' && place !== null && journal.ofKind('input').length === 0)
        await files.remove(place, { recursive: true });
    },
  });
}

function withoutTokens(text: string, tokens: readonly string[]): string {
  return tokens.reduce((clean, token) => clean.replaceAll(token, REMOVED), text);
}

/** What was asked for on the command line and is not given is said, not passed over (PR-4). */
function forbiddenBypass(
  { mode }: SessionRequest,
  { bypassUnreachable }: LoadedSettings['settings'],
): SettingsProblem[] {
  if (mode !== 'bypass' || !bypassUnreachable) return [];
  const message = 'not in force: the setting permissions.bypassUnreachable forbids it';
  return [{ source: '--dangerously-skip-permissions', line: null, severity: 'ignored', message }];
}

/** What a project asks for is granted by a person or not at all (UP-51). */
function unaskedServers(folder: string): SettingsProblem {
  const message = 'the MCP servers it asks for are left out: nobody is there to agree to them';
  return { source: path.join(folder, '.mcp.json'), line: null, severity: 'ignored', message };
}

interface OpenedPlace {
  readonly journal: Journal;
  readonly lock: Lock | null;
  /** The session's folder; null when nothing is saved. */
  readonly place: string | null;
  readonly notSaved: string | null;
}

async function openPlace(
  system: System,
  own: Places,
  folder: string,
  request: SessionRequest,
): Promise<Outcome<OpenedPlace>> {
  const { clock, files, ids } = system;
  const first: Extract<EntryBody, { kind: 'session' }> = {
    kind: 'session',
    version: 1,
    session: request.session,
    folder,
    build: VERSION,
    forkedFrom: null,
  };
  const unsaved = (why: string): Outcome<OpenedPlace> =>
    done({
      journal: createMemoryJournal({ clock, ids, session: request.session, first }),
      lock: null,
      place: null,
      notSaved: why,
    });
  if (!request.save) {
    if (request.open !== 'new') return refuse('bad-value', 'a session that goes on is saved; leave --no-save out');
    return unsaved('Nothing of this session is saved: it was started with --no-save');
  }
  if (own.state === null) return unsaved('Nothing is saved: neither HOME nor HOUSTON_HOME is set');
  const project = await projectFolder(files, folder);
  let place =
    request.side === true ? sideFolder(own.state, request.session) : sessionFolder(own.state, project, request.session);
  if (request.open === 'resume') {
    const found = await findSession(system, own.state, null, request.session);
    if (!found.ok) return found;
    place = found.value.place;
  }
  if (request.open === 'fork') {
    const original = await findSession(system, own.state, null, request.forkOf ?? '');
    if (!original.ok) return original;
    const copied = await forkSession({
      files,
      clock,
      ids,
      from: original.value.place,
      to: place,
      session: request.session,
      build: VERSION,
    });
    if (!copied.ok) return copied;
  }
  if (request.open === 'new') {
    const made = await createJournal({
      files,
      clock,
      ids,
      folder: place,
      build: codeName(),
      session: request.session,
      first,
    });
    if (!made.ok)
      return made.refusal.identifier === 'session-unwritable'
        ? unsaved(`Nothing is saved: ${made.refusal.message}`)
        : made;
    const lock = await takeSessionLock(system, place);
    return lock.ok ? done({ journal: made.value, lock: lock.value, place, notSaved: null }) : lock;
  }
  const lock = await takeSessionLock(system, place);
  if (!lock.ok) return lock;
  const journal = await openJournal({ files, clock, ids, folder: place, build: codeName() });
  if (!journal.ok) {
    await lock.value.release();
    return journal;
  }
  return done({ journal: journal.value, lock: lock.value, place, notSaved: null });
}
