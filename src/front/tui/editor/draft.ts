import type { Draft } from '../../../protocol/intent.ts';
import { stopAtOrBefore } from './atoms.ts';
import type { Atom, Buffer, Line } from './editor.ts';
import { Text } from './text.ts';

/** The half-written prompt as it is kept in the host. */
export function draftOf(buffer: Buffer, shell: boolean): Draft {
  return {
    text: buffer.text.toString(),
    caret: buffer.caret,
    folded: buffer.atoms.map(({ from, to, kind, payload, attachment }) => ({
      at: from,
      length: to - from,
      kind,
      text: payload,
      attachment,
    })),
    shell,
  };
}

/** A draft read back; markers that do not fit its text stand for nothing and stay plain text. */
export function lineOfDraft(draft: Pick<Draft, 'text' | 'caret' | 'folded'>): Line {
  const atoms: Atom[] = [];
  let end = 0;
  for (const folded of [...draft.folded].sort((a, b) => a.at - b.at)) {
    const to = folded.at + folded.length;
    if (folded.at < end || folded.length <= 0 || to > draft.text.length) continue;
    atoms.push({ from: folded.at, to, kind: folded.kind, payload: folded.text, attachment: folded.attachment });
    end = to;
  }
  const buffer: Buffer = { text: Text.of(draft.text), caret: 0, anchor: null, atoms };
  const caret = stopAtOrBefore(buffer, Math.max(0, Math.min(draft.caret, draft.text.length)));
  return { text: draft.text, caret, anchor: null, atoms };
}
