import type { Environment } from '../../system/environment.ts';
import { SystemError } from '../../system/files.ts';
import type { Processes } from '../../system/processes.ts';
import { isWithin } from '../policy/paths.ts';
import { createBubblewrap } from './bubblewrap.ts';
import { commandPlaces, type PlaceScope, type PlaceSystem, settledPlaces } from './find-places.ts';
import { DOOR_NAMES, type Loan, loanOf } from './hidden-places.ts';
import { probe } from './probe.ts';
import type { Confinement, Sandbox, SandboxMode } from './sandbox.ts';
import { createSeatbelt } from './seatbelt.ts';

export interface SandboxWish {
  readonly mode: SandboxMode;
  /** Who asked for this mode, such as `--sandbox`; null when nobody did: then a system without one goes on without. */
  readonly asked: string | null;
  readonly network: 'open' | 'closed';
}

export interface SandboxSystem extends PlaceSystem {
  readonly processes: Pick<Processes, 'find' | 'spawn'>;
  readonly environment: Pick<Environment, 'platform' | 'userId'>;
}

/** A command as it is to be started. */
export interface Confined {
  readonly argv: readonly string[];
  /** Variables it gets besides, and those it must not get. */
  readonly added: Readonly<Record<string, string>>;
  readonly removed: readonly string[];
  /** Whether everything it starts ends with its first process. */
  readonly holdsTree: boolean;
}

/** Settled before a session opens and the same as long as it runs (SBX-1). */
export interface SettledSandbox {
  /** `enforced`: the system was seen to hold to it; `off`: commands run as the person's; `refused`: none runs. */
  readonly state: 'enforced' | 'off' | 'refused';
  /** One line for people: what is really enforced, never more, or why nothing is (SBX-4). */
  readonly description: string;
  /** Rejects with a `SystemError` when the command cannot be confined as it should be: then it must not run. */
  confine(
    argv: readonly string[],
    order: { readonly line: string; readonly folder: string; readonly terminal?: boolean },
    left: string | null,
  ): Promise<Confined>;
}

/**
 * Finds out what this system can do; takes a process start, so nothing but a command should wait for it. Never rejects:
 * what goes wrong on the way is a reason not to confine like any other.
 */
export async function settleSandbox(
  system: SandboxSystem,
  wish: SandboxWish,
  scope: Omit<PlaceScope, 'mode'>,
): Promise<SettledSandbox> {
  try {
    return await settle(system, wish, scope);
  } catch (error) {
    return without(wish, error instanceof Error ? error.message : String(error));
  }
}

async function settle(
  system: SandboxSystem,
  wish: SandboxWish,
  scope: Omit<PlaceScope, 'mode'>,
): Promise<SettledSandbox> {
  const { mode } = wish;
  if (mode === 'off')
    return wish.network === 'closed'
      ? refusing('run.network is closed, and only a sandbox can close it; sandbox.mode is off')
      : NOT_CONFINED;
  const all = [scope.workspace, ...scope.roots].find((folder) => folder === '/');
  if (all !== undefined) return without(wish, 'a workspace that is the whole machine leaves nothing to confine');
  const sandbox = await findSandbox(system, scope);
  if (typeof sandbox === 'string') return without(wish, sandbox);
  const placeScope: PlaceScope = { ...scope, mode };
  const settled = await settledPlaces(system.files, placeScope);
  if (!settled.some((place) => place.path === scope.workspace)) return without(wish, 'the workspace cannot be reached');
  const network = mode === 'strict' ? 'closed' : wish.network;
  const confinementFor = async (folder: string, line: string, loan: Loan | null): Promise<Confinement> => {
    const places = [...settled, ...(await commandPlaces(system, placeScope, line, loan))];
    return { folder, places, network };
  };
  const failure = await probe(system, sandbox, await confinementFor(scope.workspace, '', null), scope.home);
  if (failure !== null) return without(wish, `${sandbox.name} does not work here: ${failure}`);
  return {
    state: 'enforced',
    description: describe(sandbox, mode, network),
    confine: async (argv, order, left) => {
      const loan = mode === 'strict' ? null : await checkedLoan(system, placeScope, order.line);
      return {
        argv: sandbox.wrap(
          argv,
          { ...(await confinementFor(order.folder, order.line, loan)), terminal: order.terminal === true },
          left,
        ),
        added: mode === 'strict' ? { TMPDIR: '/tmp' } : {},
        removed: DOOR_NAMES.filter((name) => !loan?.variables.includes(name)),
        holdsTree: sandbox.holdsTree,
      };
    },
  };
}

/** Asked for and not possible: nothing runs. Asked for by nobody: it runs, and that is said. */
function without({ mode, asked, network }: SandboxWish, why: string): SettledSandbox {
  if (asked === null && network === 'open') return { ...NOT_CONFINED, description: `off: ${why}` };
  return refusing(`${asked === null ? 'run.network closed' : `${mode} (${asked})`} was asked for, but ${why}`);
}

const NOT_CONFINED: SettledSandbox = {
  state: 'off',
  description: 'off',
  confine: async (argv) => ({ argv, added: {}, removed: [], holdsTree: false }),
};

function refusing(why: string): SettledSandbox {
  return {
    state: 'refused',
    description: `commands are refused: ${why}`,
    confine: async () => {
      throw new SystemError('EPERM', `it cannot be confined: ${why}`);
    },
  };
}

/** What confines on this system, or why nothing does. */
async function findSandbox(
  { environment, processes }: SandboxSystem,
  { environment: variables }: Pick<PlaceScope, 'environment'>,
): Promise<Sandbox | string> {
  if (environment.platform === 'linux') {
    const program = await processes.find('bwrap', `/usr/bin:/bin:/usr/local/bin:${variables.PATH ?? ''}`);
    return program === null
      ? 'bubblewrap (bwrap) is not installed'
      : createBubblewrap(program, environment.userId === 0);
  }
  if (environment.platform === 'darwin') {
    const program = await processes.find('sandbox-exec', '/usr/bin');
    return program === null ? 'sandbox-exec is not there' : createSeatbelt(program);
  }
  return 'there is no sandbox for this system';
}

/** A program of the same name that lies where commands can write is lent nothing. */
async function checkedLoan({ processes }: SandboxSystem, scope: PlaceScope, line: string): Promise<Loan | null> {
  const loan = loanOf(line);
  if (loan === null) return null;
  const program = await processes.find(loan.program, scope.environment.PATH ?? '');
  const writable = [scope.workspace, ...scope.roots, scope.temp, '/tmp'];
  return program === null || writable.some((folder) => isWithin(program, folder)) ? null : loan;
}

function describe(sandbox: Sandbox, mode: 'standard' | 'strict', network: Confinement['network']): string {
  const online = network === 'open' ? 'network open' : 'no network';
  const apart = sandbox.holdsTree ? '; processes apart' : '';
  return mode === 'strict'
    ? `strict (${sandbox.name}): writes in the workspace only; home and temp hidden; ${online}${apart}`
    : `standard (${sandbox.name}): writes in workspace, temp and package caches only; keys hidden; ${online}${apart}`;
}
