import type { AskRow } from '../../protocol/ask.ts';
import type { EntryBody } from '../../protocol/entry.ts';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import { SystemError } from '../../system/files.ts';
import { linesForPerson, openReleased } from '../policy/declassify.ts';
import { trusts } from '../policy/trust.ts';
import { fetchOut } from '../tools/egress.ts';
import type { ToolWorld } from '../tools/tool.ts';
import type { Slot } from '../values/slot.ts';
import type { Allowed } from './allowed.ts';
import { runProcessor } from './processor.ts';
import type { CallPart, Runtime, TurnTerms } from './runtime.ts';
import type { TurnProgress } from './turn-progress.ts';

export type AsideWorld = Pick<
  ToolWorld,
  'fetchPage' | 'languageServer' | 'process' | 'delegate' | 'released' | 'skill' | 'keepAside' | 'trusts'
>;

/** Whose turn the call belongs to. */
interface GrantedTurn {
  readonly runtime: Runtime;
  readonly terms: TurnTerms;
  readonly progress: TurnProgress;
}

/** Names the entry that says something kept aside was shown. */
export const RELEASED = 'released';

/** What a granted call may do beyond files and commands; each refuses with `EPERM` what its effects do not name. */
export function asideWorld(side: GrantedTurn, call: CallPart, allowed: Allowed, before: EntryBody[]): AsideWorld {
  const { runtime, terms } = side;
  const { calls, system } = runtime;
  const { gate } = calls;
  const { signal } = terms;
  return {
    async fetchPage() {
      const effect = allowed.effects.find((one) => one.kind === 'network');
      const { network } = calls;
      if (effect?.kind !== 'network' || network === null) throw notGranted('no address was approved');
      const hop = async (url: URL): Promise<string | null> => {
        const again = { ...effect, url: url.href, host: url.host };
        const { decision } = await gate.judge([again], call.call);
        return decision.verdict === 'deny' ? 'a rule forbids this host' : null;
      };
      return fetchOut({ fetch: network.fetch, clock: system.clock, gate: hop }, new URL(effect.url), signal);
    },
    async languageServer(server, program) {
      const granted = allowed.effects.some((one) => one.kind === 'service' && one.program === program);
      const { languages } = calls;
      if (languages === null || !(granted || languages.wasStarted(server.language)))
        throw notGranted('this program was not approved');
      return languages.get(server, program, signal);
    },
    async process(order) {
      if (!allowed.effects.some((one) => one.kind === 'session' && one.what === 'processor'))
        throw notGranted('no processor was approved');
      const made = await runProcessor(side, order);
      const document = made.ok ? (made.document?.ref ?? null) : null;
      gate.audit({ event: 'processor', call: call.call, refs: order.refs, document });
      return made;
    },
    async delegate(orders) {
      const granted = allowed.effects.flatMap((effect) => (effect.kind === 'delegate' ? [effect.task] : []));
      const { delegates } = calls;
      if (delegates === null || orders.some(({ task }) => !granted.includes(task)))
        throw notGranted('no such delegate was approved');
      const reports = await delegates.run(orders, { call: call.call, terms, progress: side.progress });
      // What was released to one of them is released to whoever reads its report.
      if (reports.some(({ released }) => released)) {
        gate.quarantine.noteReleased();
        before.push({ kind: 'record', name: RELEASED, data: { ref: null } });
      }
      return reports;
    },
    released() {
      if (allowed.released === null) throw notGranted('nothing was released');
      const effect = allowed.effects.find((one) => one.kind === 'release');
      gate.audit({ event: 'release', call: call.call, ref: effect?.ref ?? '', to: 'model', path: null });
      // From now on what the model writes may repeat it.
      gate.quarantine.noteReleased();
      before.push({ kind: 'record', name: RELEASED, data: { ref: effect?.ref ?? null } });
      return openReleased(allowed.released);
    },
    skill: calls.loadSkill,
    keepAside: (slot) => gate.quarantine.keep(slot),
    trusts(path) {
      // Where the granted place really is, its links resolved when it was decided on.
      const fact = allowed.facts.paths.find((known) => path === known.path || path.startsWith(`${known.path}/`));
      return trusts(gate.trust.map, fact === undefined ? path : fact.real + path.slice(fact.path.length));
    },
  };
}

/** Rows of a remark before it is cut: enough to read, too few to push the change off the screen (SEC-26). */
const REMARK_ROWS = 12;

/** What a processor said about a document, for the question that would write it. */
export function remarkRows({ remark }: Slot): readonly AskRow[] {
  if (remark === null) return [];
  const { lines, hidden } = linesForPerson(remark, REMARK_ROWS);
  const rows = lines.map((shown): AskRow => ({ role: 'content', shown }));
  if (hidden > 0)
    rows.push({
      role: 'reason',
      shown: { text: `${hidden} more lines of this remark are not shown`, label: TRUSTED_PUBLIC },
    });
  return rows;
}

function notGranted(message: string): SystemError {
  return new SystemError('EPERM', message);
}
