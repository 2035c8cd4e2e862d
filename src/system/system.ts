import type { Clock } from './clock.ts';
import type { Environment, Ids } from './environment.ts';
import type { Files } from './files.ts';
import type { Images } from './images.ts';
import type { Network } from './network.ts';
import type { Processes } from './processes.ts';
import type { Terminal } from './terminal.ts';

/** Every side effect a part of Houston may use. Passed in, never imported: `bun/` is real, `memory/` is for tests. */
export interface System {
  readonly files: Files;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly network: Network;
  readonly images: Images;
  readonly environment: Environment;
  readonly ids: Ids;
}

/** What a front end in a terminal needs besides. */
export interface TerminalSystem extends System {
  readonly terminal: Terminal;
}
