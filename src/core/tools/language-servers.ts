import { extname } from 'node:path';
import type { Clock } from '../../system/clock.ts';
import type { Processes } from '../../system/processes.ts';
import type { Confine } from '../jobs/line.ts';
import { type LanguageServer, startLanguageServer } from './language-server.ts';

/** A server Houston knows how to start: nothing a project says adds one or changes one. */
export interface KnownServer {
  readonly language: string;
  readonly program: string;
  readonly arguments: readonly string[];
  /** File endings, and what the protocol calls their language. */
  readonly endings: Readonly<Record<string, string>>;
}

const KNOWN: readonly KnownServer[] = [
  { language: 'Rust', program: 'rust-analyzer', arguments: [], endings: { '.rs': 'rust' } },
  {
    language: 'TypeScript',
    program: 'typescript-language-server',
    arguments: ['--stdio'],
    endings: {
      '.ts': 'typescript',
      '.mts': 'typescript',
      '.cts': 'typescript',
      '.tsx': 'typescriptreact',
      '.js': 'javascript',
      '.mjs': 'javascript',
      '.cjs': 'javascript',
      '.jsx': 'javascriptreact',
    },
  },
  {
    language: 'Python',
    program: 'pyright-langserver',
    arguments: ['--stdio'],
    endings: { '.py': 'python', '.pyi': 'python' },
  },
  { language: 'Go', program: 'gopls', arguments: [], endings: { '.go': 'go' } },
];

/** The server for a file by its ending; null when there is none. */
export function knownServer(path: string): KnownServer | null {
  const ending = extname(path).toLowerCase();
  return KNOWN.find((server) => Object.hasOwn(server.endings, ending)) ?? null;
}

export function knownLanguages(): string {
  return KNOWN.map(({ language }) => language).join(', ');
}

/** The language servers of one session: at most one a language, started by the first call that may, kept until the end. */
export interface LanguageServers {
  /** Where the program is; null when it is not installed. */
  find(server: KnownServer): Promise<string | null>;
  /** Whether this language was started before: the person was asked about it then. */
  wasStarted(language: string): boolean;
  /** The running server, started when none runs; null when it does not answer as one. */
  get(server: KnownServer, program: string, signal: AbortSignal): Promise<LanguageServer | null>;
  close(): void;
}

export interface LanguageServersParts {
  readonly processes: Pick<Processes, 'spawn' | 'find'>;
  readonly clock: Clock;
  readonly environment: () => Record<string, string>;
  /** Absolute, links resolved. */
  readonly folder: string;
  readonly path: string;
  /** Puts an argv into the sandbox, as for any other command. */
  readonly confine: Confine;
}

export function createLanguageServers(parts: LanguageServersParts): LanguageServers {
  const running = new Map<string, Promise<LanguageServer | null>>();
  const started = new Set<string>();
  let closed = false;

  async function start(argv: readonly string[], signal: AbortSignal): Promise<LanguageServer | null> {
    const { processes, clock, folder } = parts;
    const confined = await parts.confine(argv, { line: argv.join(' '), folder }, null);
    const environment = { ...parts.environment(), ...confined.added };
    for (const name of confined.removed) delete environment[name];
    const rootUri = fileUri(folder);
    return startLanguageServer({ processes, clock, argv: confined.argv, folder, environment, rootUri }, signal);
  }

  return {
    find: ({ program }) => parts.processes.find(program, parts.path),
    wasStarted: (language) => started.has(language),
    async get({ language, arguments: rest }, program, signal) {
      const found = await running.get(language)?.catch(() => null);
      if (found?.alive) return found;
      const starting = start([program, ...rest], signal);
      started.add(language);
      running.set(language, starting);
      const server = await starting;
      if (closed) server?.end();
      return server;
    },
    close() {
      closed = true;
      for (const starting of running.values())
        void starting.then(
          (server) => server?.end(),
          () => {},
        );
      running.clear();
    },
  };
}

/** `file:` address of an absolute path. */
export function fileUri(path: string): string {
  return `file://${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** The path of a `file:` address; null for anything else, as servers also name what lies inside archives. */
export function pathOfUri(uri: string): string | null {
  if (!uri.startsWith('file:///')) return null;
  try {
    return decodeURIComponent(uri.slice('file://'.length));
  } catch {
    return null;
  }
}
