import { type Aside, isAnswered, isRunningAside } from '../../../protocol/aside.ts';
import { age, plural } from '../figures.ts';
import { type ListModal, type ListRow, withRows } from './list.ts';

/** Bare `/btw`: what was asked beside the conversation. The chosen thread's words stand below the rows. */
export function threadsList(asides: readonly Aside[], now: number, at: number | null = null): ListModal {
  const list: ListModal = {
    kind: 'list',
    of: 'threads',
    title: 'Beside the conversation',
    rows: null,
    cursor: 0,
    filter: null,
    deep: true,
    keys: [
      { chord: 'enter', label: 'Enter', words: 'Read', does: 'read' },
      { chord: 'r', label: 'r', words: 'Ask on', does: 'reply' },
      { chord: 'm', label: 'm', words: 'Bring in', does: 'merge' },
      { chord: 's', label: 's', words: 'Bring in a summary', does: 'summarize' },
      { chord: 'c', label: 'c', words: 'Copy', does: 'copy' },
      { chord: 'x', label: 'x', words: 'Stop', does: 'stop' },
      { chord: 'd', label: 'd', words: 'Forget', does: 'close' },
    ],
    none: 'Nothing was asked yet: /btw question',
  };
  const rows = threadRows(asides, now);
  const cursor = rows.findIndex((row) => row.value === String(at ?? asides.at(-1)?.id));
  return { ...withRows(list, rows), cursor: Math.max(0, cursor) };
}

export function threadRows(asides: readonly Aside[], now: number): ListRow[] {
  return asides.map((aside) => {
    const last = aside.exchanges.at(-1);
    const more = aside.exchanges.length > 1 ? ` (${plural(aside.exchanges.length, 'question')})` : '';
    return {
      value: String(aside.id),
      indent: 0,
      here: isRunningAside(aside),
      mark: `#${aside.id}`,
      text: `${(last?.question ?? '').trim().split('\n', 1)[0] ?? ''}${more}`,
      detail: `${aside.label} · ${aside.unread === true ? 'new answer' : STATES[last?.state ?? 'stopped']} · ${age(now - (last?.asked ?? now))}`,
      below: threadText(aside),
    };
  });
}

const STATES: Readonly<Record<Aside['exchanges'][number]['state'], string>> = {
  running: 'being answered',
  answered: 'answered',
  stopped: 'stopped',
  failed: 'failed',
  merged: 'brought in',
  summarized: 'summarised',
  'kept-question': 'answer not kept',
};

/** The whole thread in words, newest exchange first, so that it stands where one looks. */
export function threadText({ exchanges }: Aside): string {
  return exchanges
    .map((one) => {
      const problem = one.message === null ? '' : `\n(${one.message})`;
      const answer = one.answer === '' && !isAnswered(one) ? STATES[one.state] : one.answer;
      return `? ${one.question}\n${answer}${problem}`;
    })
    .reverse()
    .join('\n\n');
}
