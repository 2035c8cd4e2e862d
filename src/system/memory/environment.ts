import { sha256 } from '../../base/sha256.ts';
import type { Clock } from '../clock.ts';
import type { Environment, Ids } from '../environment.ts';

export interface MemoryEnvironmentOptions {
  readonly variables?: Readonly<Record<string, string>>;
  readonly home?: string | null;
  readonly folder?: string;
  readonly platform?: Environment['platform'];
  readonly userId?: number;
}

export function createMemoryEnvironment(options: MemoryEnvironmentOptions = {}): Environment {
  const home = options.home === undefined ? '/home/pat' : options.home;
  const variables = {
    PATH: '/usr/bin:/bin',
    TERM: 'xterm-256color',
    ...(home === null ? {} : { HOME: home }),
    ...options.variables,
  };
  return {
    get: (name) => (Object.hasOwn(variables, name) ? (variables as Record<string, string>)[name] : undefined),
    all: () => variables,
    home,
    folder: options.folder ?? '/yard',
    platform: options.platform ?? 'linux',
    userId: options.userId ?? 1000,
    temp: '/tmp',
  };
}

/** Valid version 7 UUIDs that sort by time, and hex that looks random; the same ones in every run. */
export function createMemoryIds(clock: Clock): Ids {
  let count = 0;
  return {
    uuid() {
      const time = clock.now().toString(16).padStart(12, '0');
      const serial = (count++).toString(16).padStart(12, '0');
      return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${serial}`;
    },
    hex(bytes) {
      let text = '';
      while (text.length < bytes * 2) text += sha256(`${count++}`);
      return text.slice(0, bytes * 2);
    },
  };
}
