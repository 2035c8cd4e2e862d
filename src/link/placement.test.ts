import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { isPlacement, readPlacement } from './placement.ts';

const ID = '01a22de3-edcc-742f-a63c-ad91dad53548';
const argvOf = (word: string, placements = {}): readonly string[] | string => {
  const read = readPlacement(word, placements);
  return read.ok ? read.value.argv(read.value.session) : read.refusal.identifier;
};
const SSH = ['ssh', '-T', '-o', 'ServerAliveInterval=15', '-o', 'ServerAliveCountMax=3'];

test('a place elsewhere is the program that leads there, with the session it is asked for', () => {
  expect(argvOf('ssh://box')).toEqual([...SSH, '--', 'box', 'houston', 'bridge']);
  expect(argvOf(`ssh://ada@box.example:2222/${ID}`)).toEqual([
    ...SSH,
    '-p',
    '2222',
    '--',
    'ada@box.example',
    'houston',
    'bridge',
    ID,
  ]);
  expect(argvOf('ssh://ada@[fe80::1%eth0]:22/new')).toEqual([
    ...SSH,
    '-p',
    '22',
    '--',
    'ada@fe80::1%eth0',
    'houston',
    'bridge',
    'new',
  ]);
  expect(argvOf('docker://web-1')).toEqual(['docker', 'exec', '-i', 'web-1', 'houston', 'bridge']);
  expect(argvOf(`kubectl://pod/${ID.slice(0, 8)}`)).toEqual([
    'kubectl',
    'exec',
    '-i',
    'pod',
    '--',
    'houston',
    'bridge',
    '01a22de3',
  ]);
  expect(argvOf('kubectl://blue:pod')).toEqual([
    'kubectl',
    'exec',
    '-i',
    '-n',
    'blue',
    'pod',
    '--',
    'houston',
    'bridge',
  ]);
});

test('a placement of the settings is its argv and the session, and goes before what is built in', () => {
  const placements = { box: { bridge: ['jump', '--to', 'box', 'houston', 'bridge'] }, ssh: { bridge: ['mosh'] } };
  expect(argvOf('box://', placements)).toEqual(['jump', '--to', 'box', 'houston', 'bridge']);
  expect(argvOf(`box:///${ID}`, placements)).toEqual(['jump', '--to', 'box', 'houston', 'bridge', ID]);
  expect(argvOf('ssh://', placements)).toEqual(['mosh']);
  expect(argvOf('other://', placements)).toBe('no-such-placement');
  expect(argvOf('constructor://', placements)).toBe('no-such-placement');
});

test('after a cut the very same session is asked for, however it was named first', () => {
  const read = readPlacement('docker://web/new', {});
  if (!read.ok) throw new Error(read.refusal.message);
  expect(read.value.argv(ID).at(-1)).toBe(ID);
  expect(read.value.argv(null).at(-1)).toBe('bridge');
});

test('nothing of a name becomes an option or a second command of the carrier', () => {
  for (const word of [
    'ssh://-oProxyCommand=touch x',
    'ssh://box;touch x',
    'ssh://a@-b',
    'ssh://-a@b',
    'ssh://$(x)',
    'docker://-v',
    'docker://a b',
    'kubectl://-n:pod',
    'ssh://box/x; touch y',
    'ssh://box/--read-only',
    'ssh://',
  ])
    expect(argvOf(word)).toBe('bad-placement');
  fc.assert(
    fc.property(fc.string(), (rest) => {
      const argv = argvOf(`ssh://${rest}`);
      if (typeof argv === 'string') return;
      const [to = '', ...command] = argv.slice(argv.indexOf('--') + 1);
      // The far shell is given these words joined: none may hold anything it would obey.
      for (const one of [to.replace(/^.*@/, ''), ...command]) expect(one).toMatch(/^[\w][\w.:%-]*$/);
    }),
  );
});

test('prompts are no places', () => {
  for (const word of ['box', 'look at http', 'a: b', '://x']) expect(isPlacement(word)).toBe(false);
  expect(isPlacement('ssh://box')).toBe(true);
});
