import { age } from '../figures.ts';
import type { HostRow } from '../hosts-door.ts';
import type { ListModal, ListRow } from './list.ts';

/** Bare `/switch`: the sessions that run, what wants a person first. */
export function runningList(): ListModal {
  return {
    kind: 'list',
    of: 'running',
    title: 'Sessions that run',
    rows: null,
    cursor: 0,
    filter: '',
    keys: [
      { chord: 'enter', label: 'Enter', words: 'Show', does: 'show' },
      { chord: 'alt-n', label: 'Alt-N', words: 'New', does: 'new' },
      { chord: 'alt-x', label: 'Alt-X', words: 'Stop', does: 'stop' },
    ],
    none: 'No session runs in a host: /switch new starts one',
  };
}

const WORDS: Readonly<Record<HostRow['state'], string>> = {
  starting: 'starting',
  idle: 'idle',
  working: 'working',
  asking: 'asks something',
  stopped: 'ended',
};

export function runningRows(hosts: readonly HostRow[], now: number): ListRow[] {
  const rank = (host: HostRow): number =>
    host.unseen ? 0 : host.state === 'asking' ? 1 : host.state === 'working' ? 2 : host.state === 'idle' ? 3 : 4;
  const sorted = [...hosts].sort((a, b) => rank(a) - rank(b) || b.updated - a.updated);
  return sorted.map((host) => ({
    value: host.session,
    indent: 0,
    here: host.here,
    mark: host.unseen ? 'new reply' : WORDS[host.state],
    text: host.title === '' ? 'not named yet' : host.title,
    detail: `${host.here ? 'this window' : host.attached === 0 ? 'no window' : `${host.attached} attached`} · ${age(now - host.updated)}`,
    below: `${host.session}\n${host.folder}${host.old ? '\nIt runs older code: /restart there' : ''}`,
  }));
}
