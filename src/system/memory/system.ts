import type { TerminalSystem } from '../system.ts';
import { createMemoryClock, type MemoryClock, type MemoryClockOptions } from './clock.ts';
import { createMemoryEnvironment, createMemoryIds, type MemoryEnvironmentOptions } from './environment.ts';
import { createMemoryFiles, type MemoryFiles } from './files.ts';
import { createMemoryNetwork, type MemoryNetwork } from './network.ts';
import { createMemoryProcesses, type MemoryProcesses } from './processes.ts';
import { createMemoryTerminal, type MemoryTerminal, type MemoryTerminalOptions } from './terminal.ts';

/** A whole system in memory: every part is the interface the product uses plus the handles a test wants. */
export interface MemorySystem extends TerminalSystem {
  readonly files: MemoryFiles;
  readonly processes: MemoryProcesses;
  readonly clock: MemoryClock;
  readonly network: MemoryNetwork;
  readonly terminal: MemoryTerminal;
  /**
   * Ends the process that uses this system: timers never fire, connections end, open files are dead. Without `kill` the
   * machine stops too, and what was written but not flushed is lost. Programs it started go on. The system can be used
   * again, as by a process started afterwards.
   */
  crash(how?: { readonly tornBytes?: number; readonly kill?: boolean }): void;
}

export interface MemorySystemOptions {
  readonly clock?: MemoryClockOptions;
  readonly environment?: MemoryEnvironmentOptions;
  readonly terminal?: MemoryTerminalOptions;
}

/** Starts with the folders `/yard` (the working folder), the home folder and `/tmp`. */
export function createMemorySystem(options: MemorySystemOptions = {}): MemorySystem {
  const clock = createMemoryClock(options.clock);
  const environment = createMemoryEnvironment(options.environment);
  const files = createMemoryFiles(clock, environment.userId);
  const network = createMemoryNetwork(clock, files);
  for (const folder of [environment.folder, environment.temp, environment.home]) if (folder) files.seedFolder(folder);
  return {
    files,
    clock,
    network,
    // Nothing here can decode a picture: what does not fit is left out.
    images: { fit: async () => null },
    environment,
    processes: createMemoryProcesses(clock, files),
    ids: createMemoryIds(clock),
    terminal: createMemoryTerminal(options.terminal),
    crash(how) {
      clock.dropTimers();
      network.crash();
      files.crash(how);
    },
  };
}
