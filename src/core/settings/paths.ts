import path from 'node:path';
import type { Environment } from '../../system/environment.ts';

/** Houston's own places. `null` everywhere when there is no home: then nothing is read from or saved to any. */
export interface Places {
  readonly config: string | null;
  readonly state: string | null;
  /** Where sockets go. */
  readonly runtime: string | null;
}

/**
 * `HOUSTON_HOME` (absolute) puts both under one folder; else the XDG folders, else their defaults under HOME
 * (decisions §2). A relative value counts as unset, as the XDG specification says.
 */
export function places(environment: Environment): Places {
  const absolute = (name: string): string | null => {
    const value = environment.get(name);
    return value !== undefined && path.isAbsolute(value) ? value : null;
  };
  const own = absolute('HOUSTON_HOME');
  if (own !== null) {
    return {
      config: path.join(own, 'config'),
      state: path.join(own, 'state'),
      runtime: path.join(own, 'state', 'run'),
    };
  }
  const home = environment.home;
  const config = absolute('XDG_CONFIG_HOME') ?? (home === null ? null : path.join(home, '.config'));
  const state = absolute('XDG_STATE_HOME') ?? (home === null ? null : path.join(home, '.local', 'state'));
  const runtime = absolute('XDG_RUNTIME_DIR');
  return {
    config: config === null ? null : path.join(config, 'houston'),
    state: state === null ? null : path.join(state, 'houston'),
    runtime:
      runtime !== null ? path.join(runtime, 'houston') : state === null ? null : path.join(state, 'houston', 'run'),
  };
}
