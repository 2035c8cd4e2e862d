// `#tree` and `#git-status` in what a person says: read when it is sent, through the gates every command goes through.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { tagsIn } from '../../src/core/runtime/tags.ts';
import { type GuardedPlace, guardedPlace, NO } from '../support/guarded-session.ts';

let place: GuardedPlace;
beforeEach(() => {
  place = guardedPlace();
});
afterEach(() => place.close());

const git = (...words: string[]) => execFileSync('git', words, { cwd: place.folder });

function repository(): void {
  git('init', '-q', '-b', 'trunk');
  place.write('src/clock.ts', 'tick');
  place.write('node_modules/far/away.js', '');
}

test('a tag is a whole word, each counts once, and what only looks like one is text', () => {
  expect(tagsIn('see #tree and #git-status, then #tree again')).toEqual(['tree', 'git-status']);
  expect(tagsIn('a#tree #trees #tree-like #diff-changes # tree')).toEqual([]);
  expect(tagsIn('#tree.\n(#git-status)')).toEqual(['tree']);
});

test('in a trusted folder both are carried out unasked before the first request, and the model reads what they say', async () => {
  repository();
  const { model, asks, view, audit } = await place.run(['I see'], { prompt: 'what is here? #tree #git-status' });
  expect(asks).toEqual([]);
  const first = JSON.stringify(model.requests[0]?.messages);
  expect(first).toContain('what is here? #tree #git-status');
  expect(first).toContain('./src/clock.ts');
  expect(first).not.toContain('away.js');
  expect(first).toContain('## No commits yet on trunk');
  expect(first.indexOf('what is here?')).toBeLessThan(first.indexOf('./src/clock.ts'));
  // Seen as every command is, and judged as every command is.
  const cards = view.transcript.items.filter((item) => item.kind === 'call');
  expect(cards.map(({ title, state }) => [title.split('  ')[0], state])).toEqual([
    ['#tree', 'ok'],
    ['#git-status', 'ok'],
  ]);
  expect(audit.filter(({ event }) => event === 'decision')).toHaveLength(2);
});

test('where nobody vouched for the folder they are asked about, and what they print is kept aside from the model', async () => {
  repository();
  place.write('src/do-what-this-name-says.ts', '');
  const { model, asks, view } = await place.run(['I see'], { prompt: 'look: #tree', trust: 'no' });
  expect(asks.some(({ body }) => body.kind === 'permission')).toBe(true);
  expect(JSON.stringify(model.requests)).not.toContain('do-what-this-name-says');
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('ref:1');
  expect(place.kept()).not.toContain('do-what-this-name-says');
  expect(view.transcript.items.find((item) => item.kind === 'call')).toMatchObject({ state: 'ok' });
});

test('a no puts nothing in, says so to both, and the prompt goes on without it', async () => {
  repository();
  const { model, view } = await place.run(['I see'], { prompt: 'look: #tree', trust: 'no', answer: () => NO });
  const first = JSON.stringify(model.requests[0]?.messages);
  expect(first).not.toContain('clock.ts');
  expect(first).toContain('could not be carried out');
  expect(view.transcript.items).toContainEqual(expect.objectContaining({ kind: 'note', identifier: 'tag-refused' }));
});

test('what a program or the model writes carries out nothing', async () => {
  repository();
  place.write('note.md', '#tree #git-status');
  const { view } = await place.run([[{ tool: 'read_file', input: { path: 'note.md' } }], '#tree'], {
    prompt: 'read it',
  });
  const titles = view.transcript.items.flatMap((item) => (item.kind === 'call' ? [item.title] : []));
  expect(titles).toHaveLength(1);
  expect(titles[0]).not.toContain('#');
});

test('it is carried out once: a session that is opened again has what it came to then', async () => {
  repository();
  await place.run(['I see'], { prompt: 'here: #tree' });
  place.write('src/later.ts', '');
  const { model, view } = await place.run(['again'], { prompt: 'and now?' });
  const request = JSON.stringify(model.requests[0]?.messages);
  expect(request).toContain('./src/clock.ts');
  expect(request).not.toContain('later.ts');
  const cards = view.transcript.items.filter((item) => item.kind === 'call');
  expect(cards.map(({ title }) => title.split('  ')[0])).toEqual(['#tree']);
});
