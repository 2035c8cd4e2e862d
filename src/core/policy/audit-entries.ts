import type { Entry } from '../../protocol/entry.ts';
import type { PermissionMode } from '../../protocol/message.ts';

/** What the trail takes from the journal: what the person asserted, and in which mode a turn began (AUD-2). */
export type PersonEvent =
  | { readonly event: 'turn'; readonly turn: number; readonly mode: PermissionMode }
  | { readonly event: 'mode'; readonly mode: PermissionMode }
  /** What the person said counts as trusted: a prompt, an interjection, a line for the shell; never its text. */
  | {
      readonly event: 'said';
      readonly as: string;
      readonly turn: number;
      readonly input: string;
      /** How many files, pictures and pastes came with it. */
      readonly attachments: number;
    }
  /** Who or what answered a question that stood before the person. */
  | { readonly event: 'answered'; readonly ask: string; readonly call: string | null; readonly by: string };

/** Sees each entry as it is written, and gives what of it belongs in the trail. */
export function createEntryAudit(): (entry: Entry) => PersonEvent | null {
  const attached = new Map<string, number>();
  const asked = new Map<string, string | null>();
  return (entry) => {
    switch (entry.kind) {
      case 'turn-start':
        return { event: 'turn', turn: entry.turn, mode: entry.mode };
      case 'mode':
        return { event: 'mode', mode: entry.mode };
      case 'input':
        attached.set(entry.id, entry.attachments.length);
        return null;
      case 'dropped':
        attached.delete(entry.input);
        return null;
      case 'taken': {
        const attachments = attached.get(entry.input) ?? 0;
        attached.delete(entry.input);
        return { event: 'said', as: entry.as, turn: entry.turn, input: entry.input, attachments };
      }
      case 'ask':
        asked.set(entry.ask, entry.call);
        return null;
      case 'answer': {
        const call = asked.get(entry.ask) ?? null;
        asked.delete(entry.ask);
        return { event: 'answered', ask: entry.ask, call, by: entry.by };
      }
      default:
        return null;
    }
  };
}
