import { age, plural } from '../figures.ts';
import type { SessionRow } from '../sessions-door.ts';
import type { ListModal, ListRow } from './list.ts';

/** Bare `/resume`: sessions to go on with; typing narrows them. */
export function sessionsList(all: boolean): ListModal {
  return {
    kind: 'list',
    of: 'sessions',
    title: all ? 'Sessions of all projects' : 'Sessions of this project',
    rows: null,
    cursor: 0,
    filter: '',
    keys: [
      { chord: 'enter', label: 'Enter', words: 'Go on with it', does: 'resume' },
      { chord: 'ctrl-f', label: 'Ctrl-F', words: 'Copy and go on', does: 'fork' },
      all
        ? { chord: 'tab', label: 'Tab', words: 'This project', does: 'project' }
        : { chord: 'tab', label: 'Tab', words: 'All projects', does: 'all' },
    ],
    none: 'No session',
  };
}

export function sessionRows(sessions: readonly SessionRow[], current: string, now: number): ListRow[] {
  return sessions.map(({ id, title, folder, updated, turns, firstPrompt, open }) => ({
    value: id,
    indent: 0,
    here: id === current,
    mark: '',
    text: title === '' ? 'without a title' : title,
    detail: `${open ? 'open · ' : ''}${plural(turns, 'turn')} · ${age(now - updated)}`,
    below: `${id === current ? 'This session. ' : ''}${folder} · ${id.slice(0, 13)}\n${firstPrompt.slice(0, 400)}`,
  }));
}
