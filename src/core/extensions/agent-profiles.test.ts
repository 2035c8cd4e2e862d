import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { trickyText } from '../../../test/support/tricky-text.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import { discoverProfiles, readProfile } from './agent-profiles.ts';

const TOOLS = ['read_file', 'search_text', 'write_file', 'run_shell'];
const CONFIG = '/home/pat/.config/houston';
const PROJECT = '/work/shop';

const definition = (name: string, kind: string, more = '', body = 'Be careful.'): string =>
  `---\nname: ${name}\ndescription: About ${name}.\nkind: ${kind}\n${more}---\n${body}\n`;

async function house(texts: Readonly<Record<string, string | Uint8Array>>) {
  const { files } = createMemorySystem();
  for (const [place, text] of Object.entries(texts)) {
    await files.makeFolder(place.slice(0, place.lastIndexOf('/')), 0o700);
    const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    await files.writeAtomic(place, bytes, { mode: 0o600, flush: false });
  }
  const find = (trusted = true) => discoverProfiles(files, { config: CONFIG, project: PROJECT, trusted, tools: TOOLS });
  return { files, find };
}

const mine = (name: string): string => `${CONFIG}/agents/${name}.md`;
const theirs = (name: string): string => `${PROJECT}/.houston/agents/${name}.md`;

describe('definitions of agents', () => {
  test('DEL-5: a file with name, description and kind is one; model, tools, rounds and effort may stand beside', async () => {
    const { find } = await house({
      [mine('tester')]: definition(
        'tester',
        'checker',
        'model: anthropic:small\ntools: [read_file, "run_shell"]\nrounds: 160\neffort: high\n',
      ),
      [mine('plain')]: definition('plain', 'primary'),
    });
    const found = await find();
    expect(found.broken).toEqual([]);
    expect(found.remarks).toEqual([]);
    expect(found.list).toEqual([
      {
        ...{ name: 'plain', description: 'About plain.', kind: 'primary', model: null, tools: null, rounds: null },
        ...{ effort: null, body: 'Be careful.', path: mine('plain') },
      },
      {
        ...{ name: 'tester', description: 'About tester.', kind: 'checker', model: 'anthropic:small' },
        ...{
          tools: ['read_file', 'run_shell'],
          rounds: 160,
          effort: 'high',
          body: 'Be careful.',
          path: mine('tester'),
        },
      },
    ]);
  });

  test.each([
    ['-x', definition('-x', 'reader'), 'begins with a dash'],
    ['reader', definition('reader', 'reader'), 'is named reader, which means something else'],
    ['worker', definition('worker', 'primary'), 'is named worker, which means something else'],
    ['a', definition('a:b', 'reader'), 'has a name with a colon: a:b'],
    ['a', definition('b', 'reader'), 'is named b inside: file and name have to be the same'],
    ['a', definition('a', 'boss'), 'has a kind that is none of primary, reader, checker, worker'],
    ['a', '---\nname: a\nkind: reader\n---\n', 'has no description'],
    ['a', '---\nname: a\ndescription: x\n---\n', 'has no kind'],
    ['a', '---\ndescription: x\nkind: reader\n---\n', 'has no name'],
    ['a', definition('a', 'reader', 'rounds: 121\n'), 'has rounds that are not between 1 and 120'],
    ['a', definition('a', 'reader', 'rounds: many\n'), 'has rounds that are not between 1 and 120'],
    ['a', definition('a', 'primary', 'rounds: 5\n'), 'has rounds, which only delegates have'],
    ['a', definition('a', 'reader', 'effort: huge\n'), 'has an effort that is none of'],
    ['a', definition('a', 'reader', 'model: big\n'), 'has a model that is not written provider:model'],
    ['a', 'Just words.', 'does not begin with front matter'],
    ['a', '', 'does not begin with front matter'],
  ])('DEL-5: what is no definition says why: %p %#', async (name, text, why) => {
    const { find } = await house({ [mine(name)]: text });
    const { list, broken } = await find();
    expect(list).toEqual([]);
    expect(broken).toHaveLength(1);
    expect(broken[0]?.path).toBe(mine(name));
    expect(broken[0]?.why).toContain(why);
  });

  test('DEL-5: names of tools there are not, * among them, select nothing and are reported', async () => {
    const { find } = await house({
      [mine('a')]: definition('a', 'reader', 'tools:\n  - read_file\n  - "*"\n  - read_flie\n'),
      [mine('b')]: definition('b', 'reader', 'tools: "*"\n'),
      [mine('c')]: definition('c', 'reader', 'tools:\n'),
    });
    const { list, remarks } = await find();
    expect(list.map(({ tools }) => tools)).toEqual([['read_file'], [], []]);
    expect(remarks).toEqual([
      `${mine('a')} names tools there are not, which give it nothing: *, read_flie.`,
      `${mine('b')} names tools there are not, which give it nothing: *.`,
    ]);
  });

  test('DEL-5: a file of the project with the same name only takes away', async () => {
    const { find } = await house({
      [mine('a')]: definition('a', 'checker', 'tools: read_file, run_shell\nmodel: own:model\nrounds: 100\n', 'Mine.'),
      [theirs('a')]: definition(
        'a',
        'worker',
        'tools: read_file, write_file\nmodel: their:model\nrounds: 200\neffort: max\n',
        'Theirs.',
      ),
      [mine('b')]: definition('b', 'worker'),
      [theirs('b')]: definition('b', 'reader', 'rounds: 7\ntools: read_file\n'),
      [mine('c')]: definition('c', 'reader'),
      [theirs('c')]: definition('c', 'reader', 'rounds: 119\n'),
      [mine('d')]: definition('d', 'reader'),
      [theirs('d')]: definition('d', 'primary'),
      [theirs('e')]: definition('e', 'reader', 'model: their:model\neffort: max\n'),
    });
    const { list, broken, remarks } = await find();
    expect(
      list.map(({ name, kind, tools, model, effort, rounds, body }) => [
        name,
        kind,
        tools,
        model,
        effort,
        rounds,
        body,
      ]),
    ).toEqual([
      ['a', 'checker', ['read_file'], 'own:model', null, 100, 'Mine.'],
      ['b', 'reader', ['read_file'], null, null, 7, 'Be careful.'],
      // What every reader has, not what the project would like.
      ['c', 'reader', null, null, null, 60, 'Be careful.'],
      ['e', 'reader', null, null, null, null, 'Be careful.'],
    ]);
    expect(broken.map(({ name, why }) => `${name} ${why}`)).toEqual([
      'd is of kind primary, but yours of that name is reader',
    ]);
    expect(remarks).toEqual([`${theirs('e')} sets model and effort, which a project may not.`]);
    // Nothing of a project counts before somebody vouched for it.
    const alone = await find(false);
    expect(alone.list.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'a checker',
      'b worker',
      'c reader',
      'd reader',
    ]);
  });

  test('DEL-5: a broken file of the project does not leave the person with more than it wanted to leave', async () => {
    const { find } = await house({ [mine('a')]: definition('a', 'worker'), [theirs('a')]: 'kind: reader' });
    const { list, broken } = await find();
    expect(list).toEqual([]);
    expect(broken.map(({ name, kind, path }) => [name, kind, path])).toEqual([['a', 'worker', theirs('a')]]);
  });

  test('what is not served yet is said in one line', async () => {
    const { find } = await house({
      [mine('a')]: definition('a', 'worker', 'skills: x\nisolation: checkout\ncolour: red\n'),
    });
    const { remarks } = await find();
    expect(remarks).toEqual([
      `${mine('a')} sets skills, isolation, which does nothing yet.`,
      `${mine('a')} sets what no profile has: colour.`,
    ]);
  });

  test('a huge file, bytes that are no text, a folder and a link out of the project are broken, each by name', async () => {
    const { files, find } = await house({
      [mine('huge')]: definition('huge', 'reader', '', 'x'.repeat(70_000)),
      [mine('bytes')]: new Uint8Array([0x2d, 0x2d, 0x2d, 0xff, 0xfe]),
      [mine('nul')]: definition('nul', 'reader', '', 'a\0b'),
      [`${CONFIG}/agents/folder.md/x`]: 'x',
      '/etc/secret.md': definition('out', 'reader'),
      [`${PROJECT}/.houston/agents/.keep`]: '',
      [`${CONFIG}/agents/README.md`]: 'What lies here.',
      [`${CONFIG}/agents/notes.txt`]: 'Notes.',
    });
    await files.makeLink('/etc/secret.md', theirs('out'));
    await files.makeLink('/nowhere', theirs('gone'));
    const { list, broken } = await find();
    expect(list).toEqual([]);
    expect(broken.map(({ name, why }) => `${name} ${why}`)).toEqual([
      'bytes is no text',
      'folder is no file that can be read',
      'gone leads out of the project',
      'huge is larger than 64 KiB',
      'nul is no text',
      'out leads out of the project',
    ]);
  });

  test('what a file says about itself is drawn without anything that moves a cursor', async () => {
    const { find } = await house({
      [`${CONFIG}/agents/a\x1b[2J.md`]: definition('a\x1b[2J', 'reader'),
      [mine('b')]: definition('b', 'reader', 'tools: x\x1b]0;y\x07\n').replace('About', '\x1b[31mAbout'),
    });
    const found = await find();
    const said = JSON.stringify([
      found.remarks,
      found.broken.map(({ name, why }) => name + why),
      found.list.map((one) => one.description),
    ]);
    expect(said).not.toContain('\\u001b');
    expect(said).not.toContain('\\u0007');
  });

  test('any text at all is a profile or broken, and never more', () => {
    const words = fc.constantFrom(
      ...[
        '---',
        '\n',
        '\r\n',
        'name: a',
        'kind: reader',
        'kind:',
        'description: x',
        'tools: *',
        '[',
        ']',
        ':',
        '-',
        '"',
      ],
      ...['\0', '\u202e', '\ud800', 'rounds: 1e9', 'model: a:b', 'constructor: x', '__proto__: y', "'", 'effort: low'],
    );
    const line = fc
      .tuple(fc.oneof({ weight: 4, arbitrary: words }, trickyText), fc.constantFrom('', '\n'))
      .map((two) => two.join(''));
    const text = fc.array(line, { maxLength: 14 }).map((lines) => lines.join(''));
    const framed = fc.tuple(text, text).map(([fields, body]) => `---\n${fields}\n---\n${body}`);
    fc.assert(
      fc.property(fc.oneof(text, framed), (whole) => {
        const reading = readProfile(whole, mine('a'), TOOLS);
        if ('why' in reading) expect(reading.why).not.toBe('');
        else expect([reading.profile.name, reading.profile.description === '']).toEqual(['a', false]);
      }),
      { numRuns: 2_000 },
    );
  });
});
