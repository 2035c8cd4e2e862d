import nodePath from 'node:path';
import { done, type Outcome, refuse } from '../base/refusal.ts';
import { childEnvironment } from '../core/jobs/child-environment.ts';
import { openTrustMemory } from '../core/session/trust-memory.ts';
import { createGit } from '../core/session/worktree-git.ts';
import { type MadeWorktree, makeWorktree } from '../core/session/worktree-make.ts';
import type { Places } from '../core/settings/paths.ts';
import type { System } from '../system/system.ts';
import type { CommandLine } from './arguments.ts';

const SETUP_FILE = 'worktree-setup';
const SETUP_LIMIT_MS = 15 * 60_000;
const MOST_SAID = 2_000;

/**
 * The folder a new session works in, made for it where that was asked for: by the command line, or by the settings where
 * one can be made. Null: the folder it was started in. Refusals: those of `makeWorktree`, and `setup-failed`.
 */
export async function startWorktree(
  system: System,
  line: Pick<CommandLine, 'worktree' | 'continueSession' | 'resume' | 'fork' | 'demo'>,
  { byDefault, folder, own, say }: { byDefault: boolean; folder: string; own: Places; say: (text: string) => void },
): Promise<Outcome<MadeWorktree | null>> {
  const { worktree } = line;
  const asked = worktree !== null && worktree !== false;
  const isNew = line.continueSession === null && line.resume === null && line.fork === null && !line.demo;
  if (asked && !isNew)
    return refuse('bad-value', '--worktree is for a new session: one that goes on has its folder already');
  if (!asked && (!byDefault || worktree === false || !isNew)) return done(null);
  const made = await makeWorktree(
    { git: createGit(system), files: system.files, freshName: () => freshName(system) },
    folder,
    typeof worktree === 'string' ? worktree : null,
    (one) => setUp(system, own, one, say),
  );
  // Nobody asked for it here: where none can be made the session works where it was started.
  if (!made.ok && !asked && ['no-repository', 'in-a-worktree'].includes(made.refusal.identifier)) return done(null);
  if (made.ok) say(`Working in ${made.value.path}, branch ${made.value.branch}`);
  return made;
}

function freshName({ clock, ids }: Pick<System, 'clock' | 'ids'>): string {
  return `${new Date(clock.now()).toISOString().slice(5, 10)}-${ids.hex(3)}`;
}

/** The person's own setup always, the repository's only where the person trusts the repository. */
async function setUp(
  system: System,
  own: Places,
  made: MadeWorktree,
  say: (text: string) => void,
): Promise<Outcome<null>> {
  const { environment, files } = system;
  const repository = nodePath.join(made.path, '.houston', SETUP_FILE);
  const programs = own.config === null ? [] : [nodePath.join(own.config, SETUP_FILE)];
  if ((await files.stat(repository))?.kind === 'file') {
    const memory =
      own.state === null ? null : await openTrustMemory(files, own.state, made.main, environment.home, false);
    if ((await memory?.recall())?.trusted === true) programs.push(repository);
    else say(`Not run, since nobody trusts this repository yet: .houston/${SETUP_FILE}`);
  }
  for (const program of programs) {
    if ((await files.stat(program))?.kind !== 'file') continue;
    const ran = await run(system, program, made);
    if (!ran.ok) return ran;
  }
  return done(null);
}

async function run(
  { processes, clock, environment }: System,
  program: string,
  made: MadeWorktree,
): Promise<Outcome<null>> {
  let said = '';
  const decoder = new TextDecoder();
  try {
    const child = await processes.spawn({
      argv: [program],
      folder: made.path,
      environment: {
        ...childEnvironment(environment.all(), { session: 'worktree', call: 'setup' }, []),
        HOUSTON_MAIN: made.main,
        HOUSTON_WORKTREE: made.path,
        HOUSTON_BRANCH: made.branch,
      },
      input: null,
      output: 'pieces',
      onOutput: (bytes) => {
        said = `${said}${decoder.decode(bytes)}`.slice(-MOST_SAID);
      },
    });
    const forget = clock.after(SETUP_LIMIT_MS, () => child.signal('KILL'));
    const { code } = await child.exited;
    forget();
    if (code === 0) return done(null);
    const last = said.trim().split('\n').at(-1) ?? '';
    return refuse(
      'setup-failed',
      `${program} ended with ${code ?? 'a signal'}${last === '' ? '' : `: ${last}`}; the worktree was removed`,
    );
  } catch (error) {
    return refuse(
      'setup-failed',
      `${program}: ${error instanceof Error ? error.message : String(error)}; the worktree was removed`,
    );
  }
}
