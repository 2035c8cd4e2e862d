import { expect, test } from 'bun:test';
import type { HostEntry } from '../link/host-files.ts';
import { fingerprint } from './build.ts';
import { chooseHosts, hostLine } from './hosts.ts';

const HOST: HostEntry = {
  ...{ host: 'a1b2c3d4', session: '01a22de3-edcc-742f-a63c-ad91dad53548', pid: 7, startTime: '1' },
  ...{ folder: '/yard', title: 'Paint\u001b[2J it', model: 'm:n', state: 'idle', started: 1, updated: 2 },
  ...{ attached: 1, unseen: true, protocol: 1, build: '1', fingerprint: fingerprint(), socket: '/s', log: '/l' },
};

test('a host of other code, or of none that is known, is listed as old code (SC-28.1.5)', () => {
  expect(hostLine(HOST, fingerprint())).not.toContain('old code');
  expect(hostLine({ ...HOST, fingerprint: '0.0.9-x' }, fingerprint())).toContain('old code');
  expect(hostLine({ ...HOST, fingerprint: '' }, fingerprint())).toContain('old code');
  expect(hostLine({ ...HOST, fingerprint: '', state: 'stopped' }, fingerprint())).not.toContain('old code');
});

test('a name holds nothing a terminal would obey', () => {
  expect(hostLine(HOST, fingerprint())).not.toContain('\u001b');
});

test('only hosts that do nothing and that no window shows are unwatched; the others are named with the reason', () => {
  const hosts: HostEntry[] = [
    { ...HOST, host: 'alone', attached: 0 },
    { ...HOST, host: 'seen', attached: 2 },
    { ...HOST, host: 'busy', attached: 0, state: 'working' },
    { ...HOST, host: 'gone', attached: 0, state: 'stopped' },
  ];
  const chosen = chooseHosts(hosts, 'unwatched');
  expect(chosen.ok && chosen.value.chosen.map(({ host }) => host)).toEqual(['alone']);
  expect(chosen.ok && chosen.value.skipped).toEqual([
    'seen  left alone: 2 windows on it; houston hosts stop seen ends it',
    'busy  left alone: working',
  ]);
  const idle = chooseHosts(hosts, 'idle');
  expect(idle.ok && idle.value.chosen.map(({ host }) => host)).toEqual(['alone', 'seen']);
});
