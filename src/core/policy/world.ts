import { dirname } from 'node:path';
import { sha256 } from '../../base/sha256.ts';
import type { Effect } from '../../protocol/effect.ts';
import { combineLabels, type Label, UNTRUSTED_PRIVATE } from '../../protocol/label.ts';
import { type Files, type OpenFile, SystemError } from '../../system/files.ts';
import type { Sealed } from '../values/sealed.ts';
import type { FactSources, PathFact } from './facts.ts';
import { consume, type Grant } from './grant.ts';
import { findChange } from './line-facts.ts';
import { opener } from './opener.ts';
import { isWithin } from './paths.ts';
import { resolvePath } from './resolve-path.ts';
import { deniesPath, type Rules } from './rules.ts';

type Run = Extract<Effect, { kind: 'run' }>;

/** A write that was granted, ready for `changes/write-change.ts`. */
export interface GrantedWrite {
  readonly call: string;
  readonly path: string;
  /** Where it really goes: links resolved when the decision was made. */
  readonly real: string;
  readonly bytes: Uint8Array;
  /** SHA-256 (hex) of what the person was shown as the present content; null for a new file. */
  readonly expected: string | null;
  /** Of the bytes: with it the write table says what becomes of the file's trust. */
  readonly label: Label;
  /** Whether what the file holds now was vouched for when the decision was made: else it is not kept for undoing. */
  readonly keepsImage: boolean;
}

export interface WorldParts<Line, Helper> {
  readonly grant: Grant;
  readonly call: string;
  readonly files: Files;
  /** Programs are looked up once more before a line starts. */
  readonly processes: FactSources['processes'];
  readonly rules: Rules;
  readonly signal: AbortSignal;
  readonly runLine: (
    order: {
      call: string;
      line: string;
      folder: string;
      timeoutMs: number;
      input?: Uint8Array;
      background?: boolean;
      terminal?: boolean;
    },
    signal: AbortSignal,
    onOutput: (text: string) => void,
  ) => Promise<Line>;
  readonly runHelper: (
    argv: readonly string[],
    folder: string,
    maxBytes: number,
    signal: AbortSignal,
  ) => Promise<Helper>;
  readonly write: (write: GrantedWrite) => Promise<void>;
  /** What a reference stands for; null for nothing. Absent: no references here. */
  readonly content?: (ref: string) => Promise<Sealed<Uint8Array> | null>;
}

/** The half of a tool's world that its grant guards. Every refusal is a `SystemError` with code `EPERM`. */
export interface GuardedWorld<Line, Helper> {
  readonly files: Pick<Files, 'stat' | 'linkStat' | 'list' | 'read' | 'readRange'> & {
    covers(path: string): boolean;
    write(path: string, bytes: Uint8Array, expected: string | null): Promise<void>;
    writeRef(path: string, ref: string, expected: string | null): Promise<void>;
  };
  runLine(onOutput: (text: string) => void): Promise<Line>;
  runHelper(program: 'rg', argv: readonly string[], place: string, maxBytes: number): Promise<Helper>;
}

/** Takes the grant (once: a used or forged one throws) and gives exactly what it covers. */
export function openWorld<Line, Helper>(parts: WorldParts<Line, Helper>): GuardedWorld<Line, Helper> {
  const { grant, files, rules } = parts;
  if (!consume(grant)) throw new SystemError('EPERM', 'this permission was already used');
  const { effects, facts } = grant;
  const scope = { workspace: facts.workspace, home: facts.home, ignoreCase: facts.ignoreCase ?? false };
  const spent = new Set<Effect>();

  function factOf(path: string): PathFact | null {
    return facts.paths.find((fact) => fact.path === path) ?? null;
  }

  /** The fact that lets `path` be read: its own, or that of the folder a walk was granted for. */
  function readable(path: string, contents: boolean): PathFact | null {
    for (const effect of effects) {
      if (effect.kind === 'read' && effect.path === path) return factOf(path);
      if (effect.kind === 'walk' && isWithin(path, effect.path) && (effect.contents || !contents) && covers(path))
        return factOf(effect.path);
    }
    return null;
  }

  function covers(path: string): boolean {
    const fact = facts.paths.find((known) => isWithin(path, known.path));
    if (fact === undefined) return false;
    if (deniesPath(rules, 'Read', path, scope)) return false;
    const rest = path.slice(fact.path.length);
    if ((facts.hidden ?? []).some((place) => isWithin(fact.real + rest, place) && !isWithin(fact.real, place)))
      return false;
    return fact.protected !== null || !isGuardedBelow(rest);
  }

  /** What the granted path really is must still be what it was when it was decided on. */
  async function check(path: string, contents: boolean): Promise<void> {
    const fact = readable(path, contents);
    if (fact === null) throw refused(path);
    const real = await files.realPath(path);
    if (real !== null && !isSame(real, path, fact)) throw moved(path);
  }

  async function openGranted(path: string): Promise<OpenFile> {
    const fact = readable(path, true);
    if (fact === null) throw refused(path);
    const file = await files.open(path, { write: false, follow: true });
    const real = (await file.realPath()) ?? (await files.realPath(path));
    if (real === null || !isSame(real, path, fact)) {
      await file.close();
      throw moved(path);
    }
    return file;
  }

  /** Exactly the bytes that were decided on, to exactly the place. */
  async function writeGranted(
    path: string,
    bytes: Uint8Array,
    expected: string | null,
    labels: readonly Label[] = [],
  ): Promise<void> {
    const effect = effects.find((one) => one.kind === 'write' && one.path === path && !spent.has(one));
    const fact = factOf(path);
    if (effect?.kind !== 'write' || fact === null) throw refused(path);
    const exact = effect.content.before === expected && effect.content.after === sha256(bytes);
    if (!exact) throw new SystemError('EPERM', 'these are not the bytes that were approved', path);
    spent.add(effect);
    if ((await resolvePath(files, path)) !== fact.real) throw moved(path);
    const { call } = parts;
    // An edit keeps most of what was there: nobody vouches for the whole by vouching for the words put in.
    const rest = effect.content.change === 'edit' && !fact.trusted ? [UNTRUSTED_PRIVATE] : [];
    const label = combineLabels([effect.label, ...labels, ...rest]);
    await parts.write({ call, path, real: fact.real, bytes, expected, label, keepsImage: fact.trusted });
  }

  return {
    files: {
      async stat(path) {
        await check(path, false);
        return files.stat(path);
      },
      async linkStat(path) {
        await check(path, false);
        return files.linkStat(path);
      },
      async list(path) {
        await check(path, false);
        return files.list(path);
      },
      async read(path, maxBytes) {
        const file = await openGranted(path);
        try {
          return await file.readAll(maxBytes);
        } finally {
          await file.close();
        }
      },
      async readRange(path, from, bytes) {
        await check(path, true);
        return files.readRange(path, from, bytes);
      },
      covers,
      write: (path, bytes, expected) => writeGranted(path, bytes, expected),
      async writeRef(path, ref, expected) {
        const sealed = (await parts.content?.(ref)) ?? null;
        if (sealed === null) throw new SystemError('EPERM', `${ref} stands for nothing`, path);
        await writeGranted(path, opener.open(sealed), expected, [sealed.label]);
      },
    },
    async runLine(onOutput) {
      const effect = effects.find((one): one is Run => one.kind === 'run' && !spent.has(one));
      if (effect === undefined) throw new SystemError('EPERM', 'no command was approved for this call');
      spent.add(effect);
      const changed = facts.line === null ? null : await findChange(facts.line, { files, processes: parts.processes });
      if (changed !== null) throw new SystemError('EPERM', changed);
      const { line, folder, timeoutMs, background, terminal } = effect;
      const goesOn = { ...(background ? { background } : {}), ...(terminal ? { terminal } : {}) };
      const order = { call: parts.call, line, folder, timeoutMs, ...goesOn };
      if (effect.input === undefined) return parts.runLine(order, parts.signal, onOutput);
      const { ref } = effect.input;
      const input = (await parts.content?.(ref)) ?? null;
      if (input === null) throw new SystemError('EPERM', `${ref} stands for nothing`);
      return parts.runLine({ ...order, input: opener.open(input) }, parts.signal, onOutput);
    },
    async runHelper(_program, argv, place, maxBytes) {
      await check(place, false);
      const folder = (await files.stat(place))?.kind === 'folder' ? place : dirname(place);
      return parts.runHelper(argv, folder, maxBytes, parts.signal);
    },
  };
}

/** Names that are never shown by walking over them; asking for such a file by name is another question. */
function isGuardedBelow(rest: string): boolean {
  return rest.split('/').includes('.git');
}

function isSame(real: string, path: string, fact: PathFact): boolean {
  return path === fact.path ? real === fact.real : isWithin(real, fact.real);
}

function refused(path: string): SystemError {
  return new SystemError('EPERM', 'not covered by the permission of this call', path);
}

function moved(path: string): SystemError {
  return new SystemError('EPERM', 'the path now leads elsewhere than when it was decided', path);
}
