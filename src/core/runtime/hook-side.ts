import { combineLabels, TRUSTED_PRIVATE } from '../../protocol/label.ts';
import { seal } from '../values/sealed.ts';
import type { HookSide } from './hooks.ts';
import type { Runtime } from './runtime.ts';

/** The side of a turn's own calls. */
export function hookSide(runtime: Runtime, { turn, signal }: { turn: number; signal: AbortSignal }): HookSide {
  const { calls, publish, recorder } = runtime;
  const { gate, folder, redact } = calls;
  return {
    turn,
    signal,
    folder,
    publish,
    redact,
    recorder,
    said: () => {
      const { trusted, released, privateShown } = gate.quarantine.context;
      return {
        integrity: trusted && !released ? 'trusted' : 'untrusted',
        confidentiality: privateShown ? 'private' : 'public',
      };
    },
    // Here and not where hooks run: what is sealed in one bundle cannot be opened in another.
    present: (text, { label, origin, call }) => {
      const sealed = seal(text, combineLabels([label, TRUSTED_PRIVATE]));
      const shown = gate.quarantine.present({ sealed, origin, ending: '', display: { kind: 'none' } });
      gate.audit({ event: 'present', call, label: shown.label, ref: shown.ref });
      return shown;
    },
  };
}
