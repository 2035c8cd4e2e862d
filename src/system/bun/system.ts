import type { TerminalSystem } from '../system.ts';
import { createBunClock } from './clock.ts';
import { createBunEnvironment, createBunIds } from './environment.ts';
import { createBunFiles } from './files.ts';
import { createBunImages } from './images.ts';
import { createLocalFiles } from './local-files.ts';
import { createBunNetwork } from './network.ts';
import { createBunProcesses } from './processes.ts';
import { createBunTerminal } from './terminal.ts';

/** The real system. Making it costs next to nothing: sockets and child processes are loaded when first used. */
export function createBunSystem(): TerminalSystem {
  return {
    files: createLocalFiles(createBunFiles()),
    processes: createBunProcesses(),
    clock: createBunClock(),
    network: createBunNetwork(),
    images: createBunImages(),
    environment: createBunEnvironment(),
    ids: createBunIds(),
    terminal: createBunTerminal(),
  };
}
