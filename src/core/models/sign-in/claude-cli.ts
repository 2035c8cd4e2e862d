import path from 'node:path';
import type { Clock } from '../../../system/clock.ts';
import type { Environment } from '../../../system/environment.ts';
import type { Files } from '../../../system/files.ts';
import type { Processes } from '../../../system/processes.ts';
import { OWN_CREDENTIALS } from '../../values/credentials.ts';

export interface ClaudeCliParts {
  readonly processes: Pick<Processes, 'find' | 'spawn'>;
  readonly files: Pick<Files, 'stat'>;
  readonly environment: Environment;
  readonly clock: Clock;
}

export interface ClaudeSignIn {
  readonly signedIn: boolean;
  readonly email: string | null;
}

const LONGEST_MS = 5_000;
const MOST_BYTES = 64 * 1024;

/** The person's own `claude`: on PATH first, then where its installer puts it (PC-18). Null: it is not here. */
export async function findClaude({ processes, files, environment }: ClaudeCliParts): Promise<string | null> {
  const found = await processes.find('claude', environment.get('PATH') ?? '');
  if (found !== null || environment.home === null) return found;
  const own = path.join(environment.home, '.local', 'bin', 'claude');
  const stat = await files.stat(own).catch(() => null);
  return stat?.kind === 'file' && (stat.mode & 0o111) !== 0 ? own : null;
}

/** Asks it who is signed in to claude.ai; null where it does not say. Nothing of the sign-in itself is read. */
export async function claudeSignIn(parts: ClaudeCliParts, program: string): Promise<ClaudeSignIn | null> {
  const { processes, environment, clock } = parts;
  let text = '';
  const decoder = new TextDecoder();
  try {
    const child = await processes.spawn({
      argv: [program, 'auth', 'status'],
      folder: environment.home ?? environment.temp,
      environment: withoutKeys(environment.all()),
      input: null,
      output: 'pieces',
      onOutput: (bytes, stream) => {
        if (stream === 'out' && text.length < MOST_BYTES) text += decoder.decode(bytes, { stream: true });
      },
    });
    const late = clock.after(LONGEST_MS, () => child.signal('KILL'));
    await child.exited;
    late();
    const { loggedIn, authMethod, email } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const own = loggedIn === true && (authMethod === undefined || authMethod === 'claude.ai');
    return {
      signedIn: own,
      email: own && typeof email === 'string' && /^[^\s\p{C}]{1,200}$/u.test(email) ? email : null,
    };
  } catch {
    return null;
  }
}

/** With a key in sight it would bill that instead of the subscription. */
export function withoutKeys(all: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !OWN_CREDENTIALS.includes(name)));
}
