import type { AskRow } from '../../protocol/ask.ts';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import { SystemError } from '../../system/files.ts';
import { trusts } from '../policy/trust.ts';
import type { ToolOutcome } from '../tools/tool.ts';
import { type KeyTrace, traceKeys } from '../values/find-keys.ts';
import type { Allowed } from './allowed.ts';
import { ownWords, type Presented } from './present.ts';
import type { CallPart } from './runtime.ts';
import type { SideTurn } from './side-request.ts';

const MOST_BYTES = 1024 * 1024;
const MOST_FILES = 50;
const SHOWN_ROWS = 12;
/** Effects of tools that show what files hold. */
const READS: ReadonlySet<string> = new Set(['read', 'walk', 'service']);
/** What a search puts before a line of a file. */
const NUMBER = /^\d+[:-] /gm;

/**
 * A trusted file that holds what looks like keys is shown to the model only after a yes, once a file and session; the
 * question shows where they are and a few signs of each. Null where nothing is held. The model is told that the person
 * said no, and not why they were asked (CRED-3).
 */
export async function holdKeys(
  { runtime, terms, progress }: SideTurn,
  call: CallPart,
  allowed: Allowed,
  outcome: ToolOutcome,
): Promise<Presented | null> {
  const { keyHold, gate, canAsk, ask } = runtime.calls;
  if (keyHold === null || !outcome.ok || !allowed.effects.every(({ kind }) => READS.has(kind))) return null;
  const found = await findIn({ runtime, terms, progress }, allowed, outcome);
  for (const { path, traces } of found) await keyHold.findings.add(path, traces);
  const held = found.filter(({ path }) => !keyHold.allowed.has(path));
  if (held.length === 0 || gate.mode() === 'bypass') return null;
  if (!canAsk) return ownWords('denied', 'Not shown: this file needs a yes, and nobody is there to ask.');
  const { title, effects } = allowed;
  const rows = held.flatMap(({ path, traces }) => [
    row('path', path),
    ...traces.map(({ kind, line, mask }) => row('warning', `line ${line}: ${kind}, ${mask}`)),
  ]);
  runtime.publish({ type: 'call', call: call.call, state: 'asking', title, effects });
  progress.phase('asking', title);
  const answer = await ask(
    {
      for: null,
      origin: '',
      call: call.call,
      body: {
        kind: 'permission',
        title,
        why: call.why,
        effects,
        rows: [
          ...rows.slice(0, SHOWN_ROWS),
          ...(rows.length > SHOWN_ROWS ? [row('warning', `and ${rows.length - SHOWN_ROWS} more`)] : []),
          row('reason', 'the model would be shown what looks like keys'),
        ],
        diffs: [],
        choices: [
          { key: 'y', name: 'session', label: 'Show it, in this session', approves: true },
          { key: 'n', name: 'no', label: 'Keep it from the model', approves: false },
        ],
      },
    },
    terms.signal,
  );
  const choice = answer?.kind === 'choice' ? answer.choice : 'none';
  gate.audit({ event: 'answer', call: call.call, choice, output: null });
  if (choice !== 'session') return ownWords('denied', 'Not shown: the person said no.');
  for (const { path } of held) keyHold.allowed.add(path);
  return null;
}

interface Found {
  readonly path: string;
  readonly traces: readonly KeyTrace[];
}

/** A file that is read is looked through as a whole; of a search only what it would show, then the files it is from. */
async function findIn(
  { runtime }: SideTurn,
  { file, facts }: Allowed,
  outcome: Extract<ToolOutcome, { ok: true }>,
): Promise<readonly Found[]> {
  const { provenance, text } = outcome;
  if (provenance?.from !== 'files') return [];
  const { keyHold, gate } = runtime.calls;
  const { findings } = keyHold!;
  const salt = await findings.salt();
  if (file === null && traceKeys(text.replace(NUMBER, ''), salt).length === 0) return [];
  const trusted = (path: string): boolean => {
    const fact = facts.paths.find((known) => known.path === path);
    return fact === undefined ? trusts(gate.trust.map, path) : fact.trusted && !fact.output;
  };
  const found: Found[] = [];
  for (const path of (file === null ? provenance.paths : [file]).filter(trusted).slice(0, MOST_FILES)) {
    try {
      const bytes = await runtime.system.files.read(path, MOST_BYTES);
      const traces = traceKeys(new TextDecoder().decode(bytes), salt);
      if (traces.length > 0) found.push({ path, traces });
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
    }
  }
  return found;
}

function row(role: AskRow['role'], text: string): AskRow {
  return { role, shown: { text, label: TRUSTED_PUBLIC } };
}
