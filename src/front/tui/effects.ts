import type { Refusal } from '../../base/refusal.ts';
import type { ModelRef } from '../../protocol/message.ts';
import type { Answered } from '../../protocol/query.ts';
import type { ClientId, Session } from '../../protocol/session.ts';
import type { View } from '../../protocol/view.ts';
import type { Clock } from '../../system/clock.ts';
import type { Environment } from '../../system/environment.ts';
import type { Processes } from '../../system/processes.ts';
import type { Terminal } from '../../system/terminal.ts';
import { type ClipboardParts, holdsPicture, readClipboard } from './clipboard.ts';
import { PATH_LIMIT } from './completion.ts';
import { editExternally } from './external-editor.ts';
import { clipboardSequence } from './frame/screen-modes.ts';
import { performHostEffect } from './host-effects.ts';
import type { HostsDoor } from './hosts-door.ts';
import { HOLD } from './modals/ask-state.ts';
import type { ListOf } from './modals/list.ts';
import { CHUNK_LINES, type PickerItem } from './modals/modal.ts';
import { rewindRows } from './modals/rewind.ts';
import { sessionRows } from './modals/sessions.ts';
import { treeRows } from './modals/tree.ts';
import { openBrowser } from './open-browser.ts';
import type { PanelStack } from './panels/stack.ts';
import type { Dropped, ScreenEffect, ScreenEvent } from './screen-event.ts';
import type { SessionsDoor } from './sessions-door.ts';
import type { SettingsDoor } from './settings-door.ts';
import { performSettingsEffect } from './settings-effects.ts';

/** What carrying out an effect needs. */
export interface EffectParts {
  readonly session: Session;
  readonly client: ClientId;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly processes: Processes;
  readonly environment: Environment;
  readonly view: View;
  readonly dispatch: (event: ScreenEvent) => void;
  /** Gives the terminal away, waits for `work`, takes it back and draws everything anew. */
  readonly handOver: (work: () => Promise<void>, keepRaw: boolean) => Promise<void>;
  readonly redraw: () => void;
  readonly update?: () => void;
  readonly chooseEditing?: (vi: boolean) => void;
  readonly readLook: () => void;
  readonly openSide: () => void;
  readonly leave: (how: 'quit' | 'detach' | 'switch') => void;
  /** Absent where no other session can be opened. */
  readonly sessions?: SessionsDoor | undefined;
  /** Absent where the session runs in this window's own process. */
  readonly hosts?: HostsDoor | undefined;
  /** Absent where they lie elsewhere. */
  readonly settings?: SettingsDoor | undefined;
  /** Files of the machine this window is on; absent where none are carried. */
  readonly readDropped?: ((paths: readonly string[]) => Promise<Dropped>) | undefined;
  readonly savePanels?: ((stack: PanelStack) => void) | undefined;
  readonly remember: (text: string) => void;
  readonly forget: (text: string) => void;
  readonly write: (text: string) => void;
}

/** What is answered sooner, as nearly everything is, is never shown as on its way. */
const ANSWER_MS = 300;
/** The newest decisions; `houston audit` has them all. */
const TRAIL_ROWS = 500;

/** Carries out one effect. Whatever it comes to arrives as an event; nothing here throws for what can go wrong outside. */
export function performEffect(parts: EffectParts, effect: ScreenEffect): void {
  const { session, client, dispatch } = parts;
  switch (effect.kind) {
    case 'send': {
      const { intent } = effect;
      const line = effect.line ?? null;
      const remember = effect.remember ?? null;
      session.send(intent, client).then(
        (sent) => dispatch({ type: 'sent', intent, sent, line, remember }),
        () =>
          dispatch({
            type: 'sent',
            intent,
            line,
            remember,
            sent: {
              accepted: false,
              refusal: { identifier: 'out-of-reach', message: 'The session is out of reach: not sent' },
            },
          }),
      );
      return;
    }
    case 'read-paths': {
      const { typed, forText, from, to } = effect;
      void quietly(session.read({ type: 'complete-path', typed, limit: PATH_LIMIT }, client)).then((answer) => {
        if (answer?.ok) dispatch({ type: 'paths', forText, from, to, paths: answer.value.paths });
      });
      return;
    }
    case 'read-arguments': {
      const { command, typed, forText, from, to } = effect;
      void quietly(session.read({ type: 'complete-argument', command, typed }, client)).then((answer) => {
        if (answer?.ok) dispatch({ type: 'arguments', command, forText, from, to, choices: answer.value.choices });
      });
      return;
    }
    case 'hold':
      parts.clock.after(HOLD, () => dispatch({ type: 'held', ask: effect.ask }));
      return;
    case 'await-answer':
      parts.clock.after(ANSWER_MS, () => dispatch({ type: 'answer-slow', ref: effect.ref }));
      return;
    case 'read-models':
      void quietly(session.read({ type: 'complete-argument', command: 'model', typed: '' }, client)).then((answer) => {
        const choices = answer?.ok ? answer.value.choices : [];
        dispatch({ type: 'picker-items', items: choices.map((choice) => modelItem(choice, parts.view.head.model)) });
      });
      return;
    case 'read-trail':
      void quietly(session.read({ type: 'trail', from: null, count: TRAIL_ROWS }, client)).then((answer) => {
        dispatch({ type: 'trail', rows: answer?.ok ? answer.value.rows : [] });
      });
      return;
    case 'read-files':
      void quietly(session.read({ type: 'session-files' }, client)).then((answer) => {
        if (answer?.ok) dispatch({ type: 'session-files', files: answer.value.files });
      });
      return;
    case 'save-panels':
      parts.savePanels?.(effect.stack);
      return;
    case 'read-tree':
      void quietly(session.read({ type: 'tree' }, client)).then((answer) => {
        const rows = answer?.ok ? treeRows(answer.value.nodes, answer.value.here, parts.clock.now()) : null;
        dispatch(rows === null ? listFailed('tree', answer) : { type: 'list-rows', of: 'tree', rows });
      });
      return;
    case 'read-sessions': {
      const listed = parts.sessions?.list(effect.all) ?? Promise.resolve([]);
      void quietly(listed).then((sessions) => {
        const rows = sessions === null ? null : sessionRows(sessions, parts.view.head.session, parts.clock.now());
        dispatch(rows === null ? listFailed('sessions', null) : { type: 'list-rows', of: 'sessions', rows });
      });
      return;
    }
    case 'switch-session': {
      const opened = parts.sessions?.open(effect.wish) ?? Promise.resolve('Other sessions cannot be opened from here');
      void opened.then(
        (problem) => {
          if (problem === null) parts.leave('switch');
          else dispatch({ type: 'note', level: 'error', text: problem });
        },
        (error: unknown) => dispatch(failed('Opening the session', error)),
      );
      return;
    }
    case 'read-rewind':
      void quietly(session.read({ type: 'rewind' }, client)).then((answer) => {
        const { folder } = parts.view.head;
        const rows = answer?.ok ? rewindRows(answer.value.points, folder, parts.clock.now()) : null;
        dispatch(rows === null ? listFailed('rewind', answer) : { type: 'list-rows', of: 'rewind', rows });
      });
      return;
    case 'read-output': {
      const { call, from } = effect;
      void quietly(session.read({ type: 'output', call, from, count: CHUNK_LINES }, client)).then((answer) => {
        if (answer?.ok) {
          const { lines, totalLines, label } = answer.value;
          dispatch({ type: 'output', call, from, lines, totalLines, fogged: label.integrity === 'untrusted' });
        } else
          dispatch({ type: 'output-failed', call, message: answer?.refusal.message ?? 'The session is out of reach' });
      });
      return;
    }
    case 'read-delegate': {
      const { name } = effect;
      void quietly(session.read({ type: 'delegate', name }, client)).then((answer) => {
        if (answer?.ok) dispatch({ type: 'delegate', name, ...answer.value });
      });
      return;
    }
    case 'read-status':
      void quietly(session.read({ type: 'status' }, client)).then((answer) => {
        if (answer?.ok) dispatch({ type: 'status', rows: answer.value.rows });
        else dispatch({ type: 'note', level: 'error', text: answer?.refusal.message ?? 'The session is out of reach' });
      });
      return;
    case 'read-usage': {
      // What is known is shown at once; what a service has to be asked for comes after it.
      const show = (answer: Answered<'usage'> | null): void => {
        if (answer?.ok) dispatch({ type: 'usage', report: answer.value });
      };
      void quietly(session.read({ type: 'usage', fresh: false }, client)).then((answer) => {
        show(answer);
        if (answer?.ok) void quietly(session.read({ type: 'usage', fresh: true }, client)).then(show);
        else dispatch({ type: 'note', level: 'error', text: answer?.refusal.message ?? 'The session is out of reach' });
      });
      return;
    }
    case 'read-providers':
      void quietly(session.read({ type: 'providers', look: effect.look }, client)).then((answer) => {
        if (answer?.ok) dispatch({ type: 'providers', rows: answer.value.providers });
        else dispatch({ type: 'note', level: 'error', text: answer?.refusal.message ?? 'The session is out of reach' });
      });
      return;
    case 'open-browser':
      void openBrowser(clipboardParts(parts), effect.url).then((opened) => {
        if (!opened)
          dispatch({ type: 'note', level: 'warning', text: 'No browser here could be opened: copy the address' });
      });
      return;
    case 'copy':
      // Raw also inside tmux: its own wrapping is off by default, and it takes the raw form (UP-17).
      parts.write(clipboardSequence(effect.text));
      return;
    case 'copy-to-file':
      void writePrivateFile(parts, effect.text, 'copy.txt').then((path) => {
        dispatch(
          path === null
            ? { type: 'note', level: 'error', text: 'The file could not be written' }
            : { type: 'note', level: 'info', text: `Written to ${path}` },
        );
      });
      return;
    case 'read-clipboard':
      void readClipboard(clipboardParts(parts)).then((found) => dispatch({ type: 'clipboard', found }));
      return;
    case 'read-dropped': {
      const { paths, from, words } = effect;
      const found = parts.readDropped?.(paths) ?? Promise.resolve({ kind: 'none' } as const);
      void quietly(found).then((read) => dispatch({ type: 'dropped', from, words, found: read ?? { kind: 'none' } }));
      return;
    }
    case 'look-clipboard':
      void holdsPicture(clipboardParts(parts)).then((holds) => {
        if (holds) dispatch({ type: 'picture-waits' });
      });
      return;
    case 'edit':
    case 'show':
      edit(parts, effect.text, effect.kind === 'edit').catch((error: unknown) => dispatch(failed('The editor', error)));
      return;
    case 'remember':
      parts.remember(effect.text);
      return;
    case 'forget':
      parts.forget(effect.text);
      return;
    case 'suspend':
      parts
        .handOver(() => parts.terminal.suspend(), false)
        .catch((error: unknown) => dispatch(failed('Stopping', error)));
      return;
    case 'update':
      parts.update?.();
      return;
    case 'choose-editing':
      parts.chooseEditing?.(effect.vi);
      return;
    case 'redraw':
      parts.redraw();
      return;
    case 'read-look':
      parts.readLook();
      return;
    case 'open-side':
      parts.openSide();
      return;
    case 'open-settings':
    case 'read-settings-models':
    case 'save-settings':
      performSettingsEffect(parts, effect);
      return;
    case 'read-hosts':
    case 'switch':
    case 'start-session':
    case 'stop-session':
    case 'restart-host':
      performHostEffect(parts, effect);
      return;
    case 'leave':
      parts.leave(effect.how);
      return;
  }
}

function listFailed(of: ListOf, answer: { readonly ok: boolean; readonly refusal?: Refusal } | null): ScreenEvent {
  return { type: 'list-failed', of, message: answer?.refusal?.message ?? 'The session is out of reach' };
}

function clipboardParts(parts: EffectParts): ClipboardParts {
  return {
    run: (argv) => run(parts, argv, null),
    environment: (name) => parts.environment.get(name),
    mac: parts.environment.platform === 'darwin',
  };
}

function failed(what: string, error: unknown): ScreenEvent {
  return {
    type: 'note',
    level: 'error',
    text: `${what} failed: ${error instanceof Error ? error.message : String(error)}`,
  };
}

function modelItem(choice: { value: string; description: string }, current: ModelRef | null): PickerItem {
  const now = current === null ? '' : `${current.provider}:${current.model}`;
  return { value: choice.value, label: choice.value, detail: choice.description, current: choice.value === now };
}

async function quietly<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch {
    return null;
  }
}

/** The line in the person's own editor, on a terminal of its own that stands in for ours meanwhile (EDITR-1..EDITR-10). */
async function edit(parts: EffectParts, text: string, takesBack: boolean): Promise<void> {
  const { terminal, processes, environment } = parts;
  let result: Awaited<ReturnType<typeof editExternally>> = { text: null, problem: null };
  await parts.handOver(async () => {
    result = await editExternally(text, {
      environment: (name) => environment.get(name),
      find: (program) => processes.find(program, environment.get('PATH') ?? '/usr/local/bin:/usr/bin:/bin'),
      writeFile: (content) => writePrivateFile(parts, content, takesBack ? 'prompt.md' : 'transcript.txt'),
      readFile: async (path) => {
        const { code, out } = await run(parts, ['cat', '--', path], null);
        return code === 0 ? new TextDecoder().decode(out) : null;
      },
      removeFile: async (path) => {
        await run(parts, ['rm', '-rf', '--', path.slice(0, path.lastIndexOf('/'))], null);
      },
      runInTerminal: async (argv) => {
        const decoder = new TextDecoder();
        const { columns, rows } = terminal.size();
        const child = await processes.spawnTerminal({
          argv,
          folder: environment.folder,
          environment: environment.all(),
          columns,
          rows,
          onOutput: (bytes) => parts.write(decoder.decode(bytes, { stream: true })),
        });
        const deaf = terminal.onInput((bytes) => void child.write(bytes).catch(() => undefined));
        const fixed = terminal.onResize(() => {
          const size = terminal.size();
          child.resize(size.columns, size.rows);
        });
        const { code } = await child.exited;
        deaf();
        fixed();
        return code;
      },
    });
  }, true);
  if (takesBack) parts.dispatch({ type: 'edited', ...result });
  else if (result.problem !== null) parts.dispatch({ type: 'note', level: 'error', text: result.problem });
}

/** A file only its owner can read, in a folder of its own in the system's temp folder; null when that failed. */
async function writePrivateFile(parts: EffectParts, text: string, name: string): Promise<string | null> {
  const script = 'umask 077; d=$(mktemp -d "$0/houston-XXXXXXXX") && cat > "$d/$1" && printf %s "$d/$1"';
  const { code, out } = await run(
    parts,
    ['sh', '-c', script, parts.environment.temp, name],
    new TextEncoder().encode(text),
  );
  const path = new TextDecoder().decode(out);
  return code === 0 && path !== '' ? path : null;
}

/** Runs a small program to its end; code null when it could not start, was ended, or took longer than five seconds. */
async function run(
  parts: EffectParts,
  argv: readonly string[],
  input: Uint8Array | null,
): Promise<{ code: number | null; out: Uint8Array }> {
  const pieces: Uint8Array[] = [];
  const { processes, environment, clock } = parts;
  try {
    const child = await processes.spawn({
      argv,
      folder: environment.folder,
      environment: environment.all(),
      input,
      output: 'pieces',
      onOutput: (bytes, stream) => {
        if (stream === 'out') pieces.push(bytes);
      },
    });
    const late = clock.after(5000, () => child.signal('KILL'));
    const exit = await child.exited;
    late();
    return { code: exit.code, out: joined(pieces) };
  } catch {
    return { code: null, out: new Uint8Array() };
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    out.set(piece, at);
    at += piece.length;
  }
  return out;
}
