import { fileDiff } from '../changes/patch.ts';
import { planRelease } from '../policy/release.ts';
import type { PlanContext, RefPlans } from '../tools/tool.ts';
import { remarkRows } from './aside-world.ts';
import type { Gate } from './gate.ts';
import type { Runtime } from './runtime.ts';

/** What a tool may look at while it plans. */
export function planContext({ calls, system }: Runtime): PlanContext {
  const { gate } = calls;
  const { trusted, privateShown, released } = gate.quarantine.context;
  return {
    // Arguments are no better than what the model has seen (SEC-10).
    label: { integrity: trusted ? 'trusted' : 'untrusted', confidentiality: privateShown ? 'private' : 'public' },
    folder: calls.folder,
    files: system.files,
    lastSeen: calls.ledger.lastSeen,
    home: calls.home,
    outputs: calls.outputs,
    isKeptAside: gate.keepsAside,
    // Names of references are arguments too: a planner that saw untrusted content can name none (SEC-10).
    refs: trusted ? refsOf(gate) : null,
    ...(calls.languages === null ? {} : { languages: calls.languages }),
    instructionPrivate: released,
    skills: calls.skills,
    limits: calls.limits,
    nameDelegate: calls.delegates?.name ?? null,
  };
}

/** What references stand for, for plans: enough to show the person what would be written, nothing to read. */
function refsOf({ quarantine }: Gate): RefPlans {
  return {
    find: quarantine.find,
    fileOf: (ref) => quarantine.fileOf(ref)?.path ?? null,
    write: async (ref, path, before) => {
      const slot = quarantine.find(ref);
      const sealed = await quarantine.content(ref);
      if (slot === null || sealed === null) return null;
      return { ...planRelease(sealed, path, before, fileDiff), rows: remarkRows(slot) };
    },
  };
}
