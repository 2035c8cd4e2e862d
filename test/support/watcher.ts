import type { Intent } from '../../src/protocol/intent.ts';
import type { LinkedSession } from '../../src/protocol/link.ts';
import { apply, emptyHead, emptyView } from '../../src/protocol/reduce.ts';
import type { Attachment, AttachOptions } from '../../src/protocol/session.ts';
import type { Update } from '../../src/protocol/update.ts';
import type { View } from '../../src/protocol/view.ts';

export const CANCEL: Intent = { type: 'cancel', queue: 'go-on' };

/** A client that only looks: folds what it is told and remembers how it was told. */
export interface Watcher {
  readonly view: View;
  readonly updates: readonly Update[];
  readonly snapshots: number;
  readonly attachment: Attachment;
  /** Resolves with the View as soon as `holds` is true of it; at once when it already is. */
  until(holds: (view: View) => boolean): Promise<View>;
}

/** Throws where numbers do not follow each other, or where the first update is not one that may be first. */
export function watch(
  session: LinkedSession,
  options: Omit<AttachOptions, 'client'> = {},
  view: View = emptyView(emptyHead('', '', '')),
): Watcher {
  const updates: Update[] = [];
  const waiting = new Set<() => void>();
  let snapshots = 0;
  let last = options.after ?? null;

  const attachment = session.attach({ client: session.client, ...options }, (update) => {
    const isSnapshot = update.changes[0]?.type === 'snapshot';
    if (isSnapshot) snapshots++;
    else if (last === null) throw new Error(`update ${update.seq} came before a snapshot`);
    else if (update.seq !== last + 1) throw new Error(`update ${update.seq} came after ${last}`);
    last = update.seq;
    updates.push(update);
    apply(view, update);
    for (const check of [...waiting]) check();
  });

  return {
    view,
    updates,
    get snapshots() {
      return snapshots;
    },
    attachment,
    until(holds) {
      if (holds(view)) return Promise.resolve(view);
      const { promise, resolve } = Promise.withResolvers<View>();
      const check = () => {
        if (!holds(view)) return;
        waiting.delete(check);
        resolve(view);
      };
      waiting.add(check);
      return promise;
    },
  };
}

export function isIdle(view: View): boolean {
  return view.activity.phase === 'idle' && view.queue.rows.length === 0;
}

/** What the person said, as the transcript and the queue hold it. */
export function saidTexts(view: View): string[] {
  const taken = view.transcript.items.flatMap((item) => (item.kind === 'user' ? [item.text] : []));
  return [...taken, ...view.queue.rows.map((row) => row.text)];
}

/** What the model answered, whole messages only. */
export function answeredTexts(view: View): string[] {
  return view.transcript.items.flatMap((item) => (item.kind === 'assistant' ? [item.text] : []));
}
