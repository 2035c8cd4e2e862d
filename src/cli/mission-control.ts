import { done, type Outcome, refuse } from '../base/refusal.ts';
import type { KeptWindow } from '../core/journal/kept-window.ts';
import { loadSettings, settingsLayers } from '../core/settings/load.ts';
import { type Places, places } from '../core/settings/paths.ts';
import type { Settings } from '../core/settings/schema.ts';
import type { UpdateWatch } from '../core/updates/update-watch.ts';
import type { ExitReport, PromptHistoryDoor } from '../front/tui/app.ts';
import type { RestWork } from '../front/tui/rest.ts';
import type { SettingsDoor } from '../front/tui/settings-door.ts';
import type { UpdatesDoor } from '../front/tui/updates-door.ts';
import { createLazySession } from '../link/lazy-session.ts';
import type { LinkedSession } from '../protocol/link.ts';
import type { ModelRef } from '../protocol/message.ts';
import type { TurnNews } from '../protocol/turn-news.ts';
import type { Head } from '../protocol/view.ts';
import { createStartFiles } from '../system/bun/start-files.ts';
import { createBunSystem } from '../system/bun/system.ts';
import type { TerminalSystem } from '../system/system.ts';
import type { CommandLine } from './arguments.ts';
import { codeName, VERSION } from './build.ts';
import { runningSessions } from './hosts-door.ts';
import { type KeptPanels, keptPanels } from './kept-panels.ts';
import { lookOf, readLook } from './look.ts';
import { otherSessions } from './other-sessions.ts';
import { writeErr, writeOut } from './output.ts';
import { pruneLater } from './prune-later.ts';
import { asItWas, type SessionRequest } from './session-request.ts';
import type { findUpdate } from './updates.ts';

/** Where the session comes from, and whether leaving this window leaves it running. */
interface Opening {
  readonly session: Promise<Outcome<LinkedSession>>;
  /** Ends what lies in this process. */
  readonly close: () => Promise<void>;
}

/** `houston [PROMPT]`: the first frame at once, the session as soon as it is there. Resolves to the exit code. */
export async function runInTerminal(line: CommandLine, folder: string): Promise<number> {
  const real = createBunSystem();
  const system = { ...real, files: createStartFiles(real.files) };
  if (line.attach !== null) {
    if (!isInteractive(system)) return noTerminal('houston attach', 'houston -p TEXT --attach NAME');
    return attachInTerminal(system, line, folder, line.attach === true ? null : line.attach);
  }
  if (!isInteractive(system)) return noTerminal('Mission Control', 'houston -p TEXT');
  if (line.files.length > 0 && line.prompt === null) {
    writeErr('houston: bad-value: --file goes with a prompt\n');
    return 2;
  }
  const own = places(system.environment);
  let place = line.demo ? await (await import('./demo.ts')).makeDemoProject(system) : folder;
  const prompt = line.demo && line.prompt === null ? (await import('./demo.ts')).tourPrompt() : line.prompt;
  const loaded = await loadSettings(
    system.files,
    settingsLayers({ config: own.config, project: place, argument: line.settings }),
  );
  const broken = loaded.problems.find(
    (problem) => problem.severity === 'unreadable' && problem.source === line.settings,
  );
  if (broken !== undefined) {
    writeErr(`houston: settings-unreadable: ${broken.source}: ${broken.message}\n`);
    return 3;
  }
  if (line.worktree !== false && (line.worktree !== null || loaded.settings.worktree)) {
    const { startWorktree } = await import('./worktree-start.ts');
    const byDefault = loaded.settings.worktree;
    const made = await startWorktree(system, line, {
      byDefault,
      folder: place,
      own,
      say: (text) => writeErr(`${text}\n`),
    });
    if (!made.ok) {
      writeErr(`houston: ${made.refusal.identifier}: ${made.refusal.message}\n`);
      return 2;
    }
    place = made.value?.folder ?? place;
  }
  if (line.hint !== null) writeErr(`houston: note: ${line.hint}\n`);
  const { chooseSession } = await import('./choose-session.ts');
  const chosen = await chooseSession(system, line, place);
  if (!chosen.ok) {
    writeErr(`houston: ${chosen.refusal.identifier}: ${chosen.refusal.message}\n`);
    return 2;
  }
  const { place: lies, ...which } = chosen.value;
  const request: SessionRequest = {
    folder: place,
    ...which,
    save: line.save,
    model: line.demo ? (line.model ?? 'demo:pilot') : line.model,
    effort: line.effort,
    mode: line.mode,
    settings: line.settings,
    sandbox: line.sandbox,
    addFolders: line.addFolders,
    allow: line.allow,
    canAsk: true,
    roundLimit: null,
    demo: line.demo,
  };
  pruneLater(system, own.state, loaded.settings);
  const client = `tui-${system.ids.hex(4)}`;
  const hosted = line.host && loaded.settings.host && line.save && own.state !== null;
  // Of a session that goes on there is something to see as soon as its host stands.
  const hostMay =
    request.open === 'new' ? afterFirstFrame(system, prompt === null ? FIRST_KEYS_MS : 0) : Promise.resolve();
  const opening = hosted
    ? openInHost(system, own.state ?? '', request, client, loaded.settings, hostMay)
    : openHere(system, request, client);
  const window = lies === null ? null : await lastWindow(system, lies);
  return drawAndWait(system, line, {
    settings: loaded.settings,
    opening,
    client,
    prompt,
    request,
    hosted,
    places: own,
    ...(window === null ? {} : { window }),
  });
}

/** What a session that goes on looked like when it ended; null where it may look otherwise by now. */
async function lastWindow({ files }: TerminalSystem, place: string): Promise<KeptWindow | null> {
  const { readWindow } = await import('../core/journal/kept-window.ts');
  return readWindow(files, place, codeName());
}

function isInteractive(system: TerminalSystem): boolean {
  const { input, output } = system.terminal.isInteractive;
  return input && output;
}

function noTerminal(what: string, instead: string): number {
  writeErr(`houston: no-terminal: ${what} needs a terminal for input and output; ${instead} works without one\n`);
  return 2;
}

/** `houston attach [HOST]`: an open session, wherever it runs. */
async function attachInTerminal(
  system: TerminalSystem,
  line: CommandLine,
  folder: string,
  name: string | null,
): Promise<number> {
  const own = places(system.environment);
  const layers = settingsLayers({ config: own.config, project: folder, argument: line.settings });
  const { settings } = await loadSettings(system.files, layers);
  const client = `tui-${system.ids.hex(4)}`;
  const refuseWith = (identifier: string, message: string): number => {
    writeErr(`houston: ${identifier}: ${message}\n`);
    return 2;
  };
  const { plainRequest, reachSession } = await import('./reach-session.ts');
  const drawing = { settings, client, prompt: line.prompt, readOnly: line.readOnly, places: own };
  if (name?.includes('://')) {
    const { readPlacement } = await import('../link/placement.ts');
    const placement = readPlacement(name, settings.placements);
    if (!placement.ok) return refuseWith(placement.refusal.identifier, placement.refusal.message);
    const { connectPlacement } = await import('../link/remote-link.ts');
    const session = connectPlacement(system, placement.value, {
      client,
      build: VERSION,
      readOnly: line.readOnly,
      report: () => {},
    });
    const opening: Opening = { session, close: async () => {} };
    // Which session and folder is known there is told by its first snapshot.
    const request = plainRequest({ folder: '', session: placement.value.session ?? '', open: 'resume' });
    return drawAndWait(system, line, { ...drawing, opening, request, hosted: true, elsewhere: name });
  }
  const reached = await reachSession(system, own.state, name, folder);
  if (!reached.ok) return refuseWith(reached.refusal.identifier, reached.refusal.message);
  if (reached.value.kind === 'start') {
    const { request } = reached.value;
    const opening = openInHost(system, own.state ?? '', request, client, settings);
    return drawAndWait(system, line, { ...drawing, opening, request, hosted: true });
  }
  const { host } = reached.value;
  const { attachToHost } = await import('./host-link.ts');
  const opening: Opening = {
    session: attachToHost(system, own.state ?? '', host, client, line.readOnly),
    close: async () => {},
  };
  const request = plainRequest({ folder: host.folder, session: host.session, open: 'resume' });
  return drawAndWait(system, line, { ...drawing, opening, request, hosted: true });
}

function openInHost(
  system: TerminalSystem,
  state: string,
  request: SessionRequest,
  client: string,
  settings: Settings,
  after?: Promise<void>,
): Opening {
  let close = async (): Promise<void> => {};
  const open = async (): Promise<Outcome<LinkedSession>> => {
    await after;
    const { openHosted } = await import('./host-link.ts');
    const hosted = await openHosted(system, state, request, client, settings.hostIdleSeconds);
    if (hosted.ok || hosted.refusal.identifier !== 'not-private') return hosted;
    // No place for a host to listen at, such as a home that cannot be written to: then the session runs here.
    const here = openHere(system, request, client);
    close = here.close;
    return here.session;
  };
  return { session: open(), close: () => close() };
}

const loadScreen = (): Promise<typeof import('../front/tui/app.ts')> => import('../front/tui/app.ts');

/** How long a screen that has nothing to show and nothing to send is left alone with whoever types into it already. */
const FIRST_KEYS_MS = 30;

/**
 * A process that starts takes memory and processor time from the one beside it, most where both are scarce: in small
 * virtual machines the first typed character stood a third later while a host started. So the screen comes first.
 */
async function afterFirstFrame(system: TerminalSystem, ms: number): Promise<void> {
  await loadScreen();
  await system.clock.sleep(ms);
}

/** In this process: loaded after the first frame has been drawn. */
function openHere(system: TerminalSystem, request: SessionRequest, client: string): Opening {
  let close = async (): Promise<void> => {};
  const open = async (): Promise<Outcome<LinkedSession>> => {
    await afterFirstFrame(system, 0);
    const here = await import('./open-here.ts');
    const opened = await here.openHere(request, client);
    if (!opened.ok) return opened;
    close = opened.value.close;
    return done(opened.value.session);
  };
  return { session: open(), close: () => close() };
}

interface Drawing {
  readonly settings: Settings;
  readonly opening: Opening;
  readonly client: string;
  readonly prompt: string | null;
  readonly request: SessionRequest;
  readonly hosted: boolean;
  readonly places: Places;
  readonly readOnly?: boolean;
  /** As the person named it, when the session runs elsewhere. */
  readonly elsewhere?: string;
  /** What the first frame shows of the transcript. */
  readonly window?: KeptWindow;
  /** The session this window showed before. */
  readonly previous?: string;
  readonly notice?: string;
}

/** Shows one session after the other, as the person goes from one to the next. */
async function drawAndWait(system: TerminalSystem, line: CommandLine, first: Drawing): Promise<number> {
  const updates = updatesLater(system, first);
  const panels = keptPanels(system, first.settings, line.save ? first.places.config : null);
  for (let drawing = first; ; ) {
    const next = await drawOne(system, line, drawing, panels, updates);
    if (typeof next === 'number') {
      await panels.written();
      return next;
    }
    drawing = next;
  }
}

/** Resolves to the exit code, or to the session to show next. */
async function drawOne(
  system: TerminalSystem,
  line: CommandLine,
  drawing: Drawing,
  panels: KeptPanels,
  updates: Updates,
): Promise<number | Drawing> {
  const { settings, opening, client, request } = drawing;
  const session = createLazySession(opening.session, client, () => {});
  let giveBack = async (): Promise<void> => {};
  const onBug = async (error: unknown): Promise<void> => {
    await giveBack();
    writeErr(`houston: internal: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  };
  process.on('uncaughtException', onBug);
  process.on('unhandledRejection', onBug);
  let next: Drawing | null = null;
  let goesOn = false;
  const { state } = drawing.places;
  // Elsewhere is another machine: what runs on this one is no way to go from there.
  const hosts =
    state === null || drawing.elsewhere !== undefined
      ? null
      : runningSessions({
          ...{ system, state, request, hosted: drawing.hosted },
          idleSeconds: settings.hostIdleSeconds,
          previous: drawing.previous ?? null,
          open: async (wanted) => {
            const opening = openInHost(system, state, wanted, client, settings);
            const opened = await opening.session;
            if (!opened.ok) return opened.refusal.message;
            const { window: _, ...kept } = drawing;
            next = { ...kept, opening, request: wanted, prompt: null, hosted: true, previous: request.session };
            goesOn = drawing.hosted;
            return null;
          },
        });
  const sessions = otherSessions({
    system,
    state: drawing.places.state,
    request,
    open: async (wanted, note) => {
      const opening = drawing.hosted
        ? openInHost(system, drawing.places.state ?? '', wanted, client, settings)
        : openHere(system, wanted, client);
      const opened = await opening.session;
      if (!opened.ok) return opened.refusal.message;
      const { notice: _, window: __, ...kept } = drawing;
      const said = note === null ? {} : { notice: note };
      next = { ...kept, ...said, opening, request: wanted, prompt: null, previous: request.session };
      return null;
    },
  });
  if (line.files.length > 0 && drawing.prompt !== null) {
    const { attachFiles } = await import('./attach-files.ts');
    const attachments = await attachFiles(system.files, request.folder, line.files);
    if (!attachments.ok) {
      writeErr(`houston: ${attachments.refusal.identifier}: ${attachments.refusal.message}\n`);
      return 2;
    }
    void session.send(
      { type: 'say', ref: system.ids.uuid(), text: drawing.prompt, attachments: attachments.value, delivery: 'queue' },
      client,
    );
  }
  const turnNews = settings.notifications && state !== null ? turnNewsLater(system, state) : null;
  const { runMissionControl } = await loadScreen();
  const { createRehearsal } = await import('../front/tui/rehearsal.ts');
  const head = knownHead(line, drawing);
  const look = lookOf(settings, line.theme);
  const layers = { config: drawing.places.config, project: request.folder, argument: line.settings };
  const report = await runMissionControl({
    session,
    link: session,
    client,
    terminal: system.terminal,
    clock: system.clock,
    processes: system.processes,
    environment: system.environment,
    options: {
      head,
      ...(drawing.window === undefined ? {} : { transcript: drawing.window.transcript }),
      ...look,
      ...panels.options(),
      // Once a process.
      ...(drawing.previous === undefined
        ? { atRest: thenTidy(createRehearsal({ ...system, options: look, head }, system.terminal.size())) }
        : {}),
      ...(drawing.prompt !== null && line.files.length === 0 ? { prompt: drawing.prompt } : {}),
      readLook: () => readLook(system.files, layers, line.theme),
      saveEditing: (vi) => saveEditing(system, drawing.places.config, vi),
      terminalTitle: settings.terminalTitle && line.save,
      ...(line.save && drawing.places.state !== null
        ? { history: historyOf(system, drawing.places.state, request.folder) }
        : {}),
      ...(drawing.elsewhere === undefined ? { sessions } : {}),
      ...(hosts === null ? {} : { hosts }),
      ...(drawing.elsewhere === undefined ? { settings: settingsLater(system, layers) } : {}),
      ...(drawing.hosted ? {} : { inThisProcess: true }),
      ...(drawing.readOnly === true ? { readOnly: true } : {}),
      ...(drawing.notice === undefined ? {} : { notice: drawing.notice }),
      ...(turnNews === null ? {} : { turnNews }),
      ...(drawing.elsewhere === undefined ? { updates: updates.door } : {}),
      readDropped: async (paths) => (await import('./dropped-files.ts')).readDroppedFiles(system.files, paths),
      onTerminalTaken: (take) => {
        giveBack = take;
      },
    },
  });
  panels.focused(report.panelFocus);
  process.off('uncaughtException', onBug);
  process.off('unhandledRejection', onBug);
  // What is left for another one is ended like one that is quit: it lies on the disk, and nothing of it runs on.
  if (next !== null && report.reason === 'switched' && !goesOn)
    await session.send({ type: 'end' }, client).catch(() => undefined);
  const refusal = await startRefusal(opening.session);
  await session.close();
  await opening.close();
  if (next !== null && report.reason === 'switched') {
    if (goesOn || !(await mayBeWorktree(system, request.folder))) return next;
    const { tidyLeft } = await import('./switch-worktree.ts');
    return tidyLeft(system, drawing, next);
  }
  if (report.reason === 'detached' && !drawing.hosted && state !== null && request.save) {
    // It ran in this process, which is about to end: first it moves to where it can stay.
    const moved: SessionRequest = { ...asItWas(request), session: report.session };
    const opening = openInHost(system, state, moved, client, settings);
    const notice = 'The session runs in a host now: /detach once more leaves it there';
    const { window: _, ...kept } = drawing;
    return { ...kept, opening, request: moved, prompt: null, hosted: true, notice };
  }
  if (report.reason === 'updating') return update(await updates.found(), line, drawing, report);
  if (report.reason === 'terminal-gone') return 0;
  const code = sayGoodbye(report, drawing, refusal);
  if (report.reason === 'quit' && (await mayBeWorktree(system, request.folder))) await leave(system, drawing);
  return code;
}

interface Updates {
  readonly door: UpdatesDoor;
  /** What the person was told would be installed. */
  readonly found: () => ReturnType<typeof findUpdate>;
}

/** Newer releases: loaded a while after the first frame, and not at all where nobody looks for them. */
function updatesLater(system: TerminalSystem, { settings }: Pick<Drawing, 'settings'>): Updates {
  const releases = () => import('./updates.ts');
  let known: Promise<UpdateWatch> | null = null;
  let found: ReturnType<typeof findUpdate> | null = null;
  const door: UpdatesDoor = {
    watch(tell) {
      if (!settings.updateCheck) return () => {};
      let stop: (() => void) | null = null;
      let stopped = false;
      known ??= system.clock
        .sleep(CALM_AFTER_MS)
        .then(releases)
        .then(({ watchReleases }) => watchReleases(system));
      void known.then((watch) => {
        if (!stopped) stop = watch.watch(tell);
      });
      return () => {
        stopped = true;
        stop?.();
      };
    },
    ready: async () => {
      found = (await releases()).findUpdate(system);
      const outcome = await found;
      return outcome.ok ? done(outcome.value.version) : outcome;
    },
  };
  return { door, found: async () => (await found) ?? refuse('newest', 'There is nothing to install') };
}

/** The package manager has the terminal; then this session again, on the new code, and nothing of the first prompt (UP-3). */
async function update(
  found: Awaited<ReturnType<typeof findUpdate>>,
  line: CommandLine,
  { request }: Drawing,
  { session, title }: ExitReport,
): Promise<number> {
  const { installUpdate, launcher, reopening, runHere } = await import('./updates.ts');
  if (!found.ok) {
    writeErr(`houston: ${found.refusal.identifier}: ${found.refusal.message}\n`);
    return 1;
  }
  const kept = title === '' || !line.save ? null : session;
  const back = kept === null ? null : `houston --resume ${kept.slice(0, 13)}`;
  return installUpdate(found.value, runHere, [launcher(), ...reopening(line, request.folder, kept)], back);
}

/** Loaded when the settings are first looked at. */
function settingsLater(system: TerminalSystem, layers: Parameters<typeof settingsLayers>[0]): SettingsDoor {
  const opened = (): Promise<SettingsDoor> =>
    import('./settings-door.ts').then(({ createSettingsDoor }) => createSettingsDoor(system, layers));
  return { read: async () => (await opened()).read(), save: async (edits) => (await opened()).save(edits) };
}

/** What `/config` chose, among the person's own settings. */
async function saveEditing(system: TerminalSystem, config: string | null, vi: boolean): Promise<boolean> {
  if (config === null) return false;
  const { settingsSavers } = await import('./save-settings.ts');
  return settingsSavers(system, config).saveDefaults({ editorChoice: vi ? 'vi' : 'ordinary' });
}

/** Most folders are none, and need no git to be told so. */
async function mayBeWorktree({ files }: TerminalSystem, folder: string): Promise<boolean> {
  if (folder.includes('/.worktrees/')) return true;
  const stat = await files.stat(`${folder}/.git`).catch(() => null);
  return stat?.kind === 'file';
}

async function leave(system: TerminalSystem, { request, settings, places: own }: Drawing): Promise<void> {
  const [{ leaveWorktree }, { createGit }, { askYes }, { openElsewhere }] = await Promise.all([
    import('./worktree-exit.ts'),
    import('../core/session/worktree-git.ts'),
    import('./ask-yes.ts'),
    import('./open-elsewhere.ts'),
  ]);
  const text = await leaveWorktree({
    git: createGit(system),
    folder: request.folder,
    how: settings.worktreeExit,
    isOpen: (path) => openElsewhere(system, own.state, request.session, path),
    ask: (question) => askYes(system.terminal, question),
    resume: `houston --resume ${request.session.slice(0, 13)}`,
  });
  if (text !== null) writeOut(`${text}\n`);
}

/** What is known before the session is there. */
function knownHead(line: CommandLine, { settings, request, window }: Drawing): Partial<Head> {
  // A session that goes on has a model and an effort of its own.
  const model = parseQuickly(request.model ?? (request.open === 'new' ? settings.model : null));
  return {
    ...window?.head,
    folder: request.folder,
    version: VERSION,
    ...(model === null ? {} : { model }),
    mode: request.mode ?? settings.mode,
    effort: line.effort ?? window?.head.effort ?? settings.effort,
  };
}

function parseQuickly(text: string | null): ModelRef | null {
  const colon = text?.indexOf(':') ?? -1;
  return text === null || colon <= 0 ? null : { provider: text.slice(0, colon), model: text.slice(colon + 1) };
}

/** The first frame stands and the first keys are drawn: what was put off is done, such as reading earlier prompts. */
const CALM_AFTER_MS = 100;

/** Turns that end in this session or another one; looked after once the screen is calm. */
function turnNewsLater(system: TerminalSystem, state: string): TurnNews {
  const opened = system.clock.sleep(CALM_AFTER_MS).then(async () => {
    const [{ openHostFiles }, { createTurnNews }] = await Promise.all([
      import('../link/host-files.ts'),
      import('../link/turn-news.ts'),
    ]);
    return createTurnNews(await openHostFiles(system, state));
  });
  return {
    watch(listener) {
      let stop: (() => void) | null = null;
      let closed = false;
      void opened.then((news) => {
        if (!closed) stop = news.watch(listener);
      });
      return () => {
        closed = true;
        stop?.();
      };
    },
    claim: async (finished) => (await opened).claim(finished),
  };
}

/** Prompts are kept under their project, so that linked worktrees of a repository share them (PE-21). */
function historyOf(system: TerminalSystem, state: string, folder: string): PromptHistoryDoor {
  const calm = system.clock.sleep(CALM_AFTER_MS);
  const workspace = calm
    .then(() => import('../core/journal/project.ts'))
    .then(({ projectFolder }) => projectFolder(system.files, folder).catch(() => folder));
  const opened = calm
    .then(() => import('../core/journal/prompt-history.ts'))
    .then(({ openPromptHistory }) => openPromptHistory(system, `${state}/history.jsonl`));
  const added = new Map<string, Promise<string | null>>();
  return {
    workspace,
    load: async () => (await opened).records,
    add: (text) => {
      const record = Promise.all([opened, workspace]).then(([history, place]) => history.add(text, place));
      added.set(
        text,
        record.then((answer) => (answer.ok ? (answer.value?.id ?? null) : null)),
      );
    },
    remove: (text) => {
      const id = added.get(text);
      if (id === undefined || !added.delete(text)) return;
      void Promise.all([opened, id]).then(([history, known]) => (known === null ? null : history.remove(known)));
    },
  };
}

/** Why there was never a session; null when there was one or it is still on its way. */
async function startRefusal(
  opening: Promise<Outcome<LinkedSession>>,
): Promise<{ identifier: string; message: string } | null> {
  const now = await Promise.race([opening, Promise.resolve(null)]);
  return now !== null && !now.ok ? now.refusal : null;
}

function sayGoodbye(
  report: ExitReport,
  drawing: Drawing,
  refusal: { identifier: string; message: string } | null,
): number {
  if (report.reason === 'crashed') {
    const { error } = report;
    writeErr(`houston: internal: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  }
  if (refusal !== null) writeErr(`houston: ${refusal.identifier}: ${refusal.message}\n`);
  const { session } = drawing.request;
  const short = session.slice(0, 13);
  const { elsewhere } = drawing;
  if (elsewhere !== undefined) {
    if (report.reason === 'detached') writeOut(`The session goes on. Come back: houston attach ${elsewhere}\n`);
  } else if (report.reason === 'detached' && drawing.hosted)
    writeOut(`The session goes on. Come back: houston attach ${short}\n`);
  else if (report.title !== '' && drawing.request.save !== false)
    writeOut(`Go on with this session: houston --resume ${short}\n`);
  if (report.reason === 'crashed' || refusal !== null) return 1;
  return report.reason === 'signal' ? 130 : 0;
}

/** What loading and a rehearsal left behind is cleared away before the first key would have to wait for it. */
function thenTidy(work: RestWork): RestWork {
  return () => {
    const more = work();
    if (!more) Bun.gc(true);
    return more;
  };
}
