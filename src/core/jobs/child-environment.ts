import { ENGINE_OPTIONS } from '../../base/engine-options.ts';
import { OWN_CREDENTIALS } from '../values/credentials.ts';

/** Names by which processes are found again after their parent died. */
export const SESSION_MARK = 'HOUSTON_SESSION';
export const CALL_MARK = 'HOUSTON_CALL';
/** On what a hook started: a session that runs under one runs no hooks, so that none can start another (HR-3). */
export const HOOK_MARK = 'HOUSTON_HOOK';
/** Names the session's folder for throw-away files. */
export const SCRATCH = 'HOUSTON_SCRATCH';

const NO_EDITOR = "echo 'no editor can be opened here: commands have no keyboard' >&2; false";

/** What would make a program wait for a person, or draw as if one were looking. */
const WITHOUT_A_PERSON: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  EDITOR: NO_EDITOR,
  VISUAL: NO_EDITOR,
  GIT_EDITOR: NO_EDITOR,
  GIT_SEQUENCE_EDITOR: NO_EDITOR,
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  SUDO_ASKPASS: '/bin/false',
  GCM_INTERACTIVE: 'never',
  DEBIAN_FRONTEND: 'noninteractive',
  // Reading the state of a repository must not write its index.
  GIT_OPTIONAL_LOCKS: '0',
};

/** What would make bash do something before the line, or colour what nobody sees in colour. */
const REMOVED = new Set([
  'BASH_ENV',
  'ENV',
  'PROMPT_COMMAND',
  // A line begins in its folder by no other name than the one it was judged under.
  'PWD',
  'OLDPWD',
  'CDPATH',
  'PS4',
  'SHELLOPTS',
  'BASHOPTS',
  'FORCE_COLOR',
  'CLICOLOR_FORCE',
  // Where Bun keeps our own code, compiled: whoever writes there runs as us.
  'BUN_RUNTIME_TRANSPILER_CACHE_PATH',
]);

/** What the launcher sets for our own process. */
const OF_HOUSTON = new Set([
  'BUN_GC_TIMER_DISABLE',
  ...ENGINE_OPTIONS,
  'BUN_RUNTIME_TRANSPILER_CACHE_PATH',
  'HOUSTON_LAUNCHER',
]);

/** On a terminal of its own there may be a person: only what the terminal is has to be said. */
const WITH_A_TERMINAL: Readonly<Record<string, string>> = { TERM: 'xterm-256color' };

/** The whole environment of a command: the person's own, without our credentials, without a person to talk to, marked. */
export function childEnvironment(
  own: Readonly<Record<string, string>>,
  marks: { readonly session: string; readonly call: string },
  alsoSecret: readonly string[] = [],
  terminal = false,
): Record<string, string> {
  const secret = new Set([...OWN_CREDENTIALS, ...alsoSecret]);
  const kept = Object.entries(own).filter(
    ([name]) =>
      !(secret.has(name) || REMOVED.has(name) || OF_HOUSTON.has(name)) &&
      !name.startsWith('BASH_FUNC_') &&
      (!name.startsWith('HOUSTON_') || name === HOOK_MARK),
  );
  return {
    ...Object.fromEntries(kept),
    ...(terminal ? WITH_A_TERMINAL : WITHOUT_A_PERSON),
    [SESSION_MARK]: marks.session,
    [CALL_MARK]: callMark(marks),
  };
}

/**
 * For a line the person typed: their whole environment, with nothing that waits for a keyboard there is not, and nothing
 * that was set for Houston alone.
 */
export function personEnvironment(
  own: Readonly<Record<string, string>>,
  marks: { readonly session: string; readonly call: string },
  terminal = false,
): Record<string, string> {
  const theirs = Object.entries(own).filter(([name]) => !OF_HOUSTON.has(name));
  return {
    ...Object.fromEntries(theirs),
    ...(terminal ? WITH_A_TERMINAL : WITHOUT_A_PERSON),
    [SESSION_MARK]: marks.session,
    [CALL_MARK]: callMark(marks),
  };
}

/** Unique among all sessions of the machine. */
export function callMark(marks: { readonly session: string; readonly call: string }): string {
  return `${marks.session}/${marks.call}`;
}
