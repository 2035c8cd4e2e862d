import type { Change } from '../../protocol/update.ts';
import type { View } from '../../protocol/view.ts';

/**
 * Of a change that states how things are, what is new: fields of the head that differ from what was told last and from
 * what an entry made of them since, an activity or a list of jobs that is another one, by value; null where nothing is.
 * All other changes say that something happened, and pass whole.
 */
export function createOnlyChanged(view: View): (change: Change) => Change | null {
  const told = new Map<string, unknown>();

  const isNew = (name: string, value: unknown): boolean => {
    const before: Readonly<Record<string, unknown>> = { ...view.head };
    const fresh = !sameValue(before[name], value) || !told.has(name) || !sameValue(told.get(name), value);
    if (fresh) told.set(name, structuredClone(value));
    return fresh;
  };

  return (change) => {
    switch (change.type) {
      case 'head': {
        const fields = Object.entries(change.head);
        const fresh = fields.filter(([name, value]) => isNew(name, value));
        if (fresh.length === fields.length) return fields.length === 0 ? null : change;
        return fresh.length === 0 ? null : { type: 'head', head: Object.fromEntries(fresh) };
      }
      case 'activity':
        return sameValue(view.activity, change.activity) ? null : change;
      case 'jobs':
        return sameValue(view.jobs, change.jobs) ? null : change;
      default:
        return change;
    }
  };
}

/** Everything on the door is plain JSON: what reads alike is alike. */
function sameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  return JSON.stringify(one) === JSON.stringify(other);
}
