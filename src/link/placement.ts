import { done, type Outcome, refuse } from '../base/refusal.ts';

/** How a session elsewhere is reached: a program that gives a byte stream, and which session is wanted there. */
export interface Placement {
  /** As the person wrote it. */
  readonly name: string;
  /** The program that gives the stream to `session` there: an id or the beginning of one, `new`, or null for the newest. */
  argv(session: string | null): readonly string[];
  readonly session: string | null;
}

/** `placements` of the settings: the program to which the session's name is added. */
export type Placements = Readonly<Record<string, { readonly bridge: readonly string[] }>>;

const SCHEME = /^([A-Za-z][\w.+-]*):\/\/(.*)$/s;
const SESSION = /^(?:[0-9a-f]{8}[0-9a-f-]{0,28}|new)$/;
/** A name or an address; never anything a program could take for one of its options. */
const HOST = /^(?:[\w][\w.-]*|\[[0-9A-Fa-f:.%\w]+\])$/;
const USER = /^[\w][\w.+-]*$/;
const NAME = /^[\w][\w.-]*$/;

/** Whether a word names a place elsewhere, such as `ssh://box`. */
export function isPlacement(word: string): boolean {
  return SCHEME.test(word);
}

/**
 * `ssh://[user@]host[:port][/SESSION]`, `docker://container[/SESSION]`, `kubectl://[namespace:]pod[/SESSION]`, or
 * `NAME://[SESSION]` for a placement of the settings, which goes first. Refusals: `bad-placement`, `no-such-placement`.
 */
export function readPlacement(word: string, placements: Placements): Outcome<Placement> {
  const [, scheme = '', rest = ''] = SCHEME.exec(word) ?? [];
  const own = Object.hasOwn(placements, scheme) ? placements[scheme]! : null;
  if (own !== null) return place(word, rest.replace(/^\//, ''), (session) => [...own.bridge, ...session]);
  const slash = rest.indexOf('/');
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const session = slash < 0 ? '' : rest.slice(slash + 1);
  switch (scheme) {
    case 'ssh': {
      const at = authority.lastIndexOf('@');
      const user = at < 0 ? '' : authority.slice(0, at);
      const [, host = '', port = ''] = /^(.*?)(?::(\d{1,5}))?$/.exec(authority.slice(at + 1)) ?? [];
      if (!HOST.test(host) || (at >= 0 && !USER.test(user))) return badPlacement(word);
      const bare = host.replace(/^\[|\]$/g, '');
      const to = user === '' ? bare : `${user}@${bare}`;
      const options = [...ALIVE, ...(port === '' ? [] : ['-p', port])];
      return place(word, session, (named) => ['ssh', '-T', ...options, '--', to, 'houston', 'bridge', ...named]);
    }
    case 'docker':
      if (!NAME.test(authority)) return badPlacement(word);
      return place(word, session, (named) => ['docker', 'exec', '-i', authority, 'houston', 'bridge', ...named]);
    case 'kubectl': {
      const [pod = '', namespace = null] = authority.split(':').reverse();
      if (!NAME.test(pod) || (namespace !== null && !NAME.test(namespace))) return badPlacement(word);
      const within = namespace === null ? [] : ['-n', namespace];
      return place(word, session, (named) => [
        ...['kubectl', 'exec', '-i', ...within, pod, '--', 'houston', 'bridge'],
        ...named,
      ]);
    }
    default:
      return refuse(
        'no-such-placement',
        `${scheme}:// is neither ssh, docker, kubectl nor a placement of your settings`,
      );
  }
}

/** A wire that was cut is noticed, though nobody writes on it: after a laptop slept, or a network changed. */
const ALIVE = ['-o', 'ServerAliveInterval=15', '-o', 'ServerAliveCountMax=3'];

function place(
  name: string,
  session: string,
  argv: (named: readonly string[]) => readonly string[],
): Outcome<Placement> {
  if (session !== '' && !SESSION.test(session))
    return refuse('bad-placement', `${name}: a session is named by its id, by at least eight characters of it, or new`);
  return done({
    name,
    session: session === '' ? null : session,
    argv: (wanted) => argv(wanted === null ? [] : [wanted]),
  });
}

function badPlacement(word: string): Outcome<never> {
  return refuse(
    'bad-placement',
    `${word} is not like ssh://user@host:port/SESSION, docker://container or kubectl://pod`,
  );
}
