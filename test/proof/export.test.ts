// The real program writes a session into a ZIP, and says on stdout where it is and nothing else.
import { afterAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { startFakeAnthropic } from '../support/fake-anthropic.ts';
import { makePlace } from '../support/houston-place.ts';
import { readZip } from '../support/read-zip.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

test('houston export writes the newest session here, or the one named; twice is two files', async () => {
  const fake = await startFakeAnthropic([{ parts: ['FIRST-REPLY'] }, { parts: ['SECOND-REPLY'] }]);
  const place = await makePlace(fake.url);
  closing.push(
    () => place.close(),
    () => fake.close(),
  );
  expect(await place.run(['export'])).toMatchObject({ code: 1, out: '' });
  await place.run(['-p', 'one', '-m', 'anthropic:mock']);
  const [first] = place.sessions();
  await place.run(['-p', 'two', '-m', 'anthropic:mock']);

  const newest = await place.run(['export']);
  expect(newest).toMatchObject({ code: 0 });
  expect(newest.err).toBe(
    'houston: note: It is not encrypted and may hold secrets: read it before you give it away.\n',
  );
  const named = await place.run(['export', path.basename(first!)]);
  const again = await place.run(['export', path.basename(first!).slice(0, 13)]);
  const textOf = (file: string): string =>
    new TextDecoder().decode(readZip(readFileSync(file)).find(({ name }) => name === 'transcript.md')?.bytes);
  expect(textOf(newest.out.trim())).toContain('> SECOND-REPLY');
  expect(textOf(named.out.trim())).toContain('> FIRST-REPLY');
  const exports = path.join(place.home, '.local', 'state', 'houston', 'exports');
  expect(readdirSync(exports).sort()).toEqual(
    [newest, named, again].map(({ out }) => path.basename(out.trim())).sort(),
  );
  expect(statSync(exports).mode & 0o777).toBe(0o700);
  expect(statSync(named.out.trim()).mode & 0o777).toBe(0o600);
  const unknown = await place.run(['export', '00000000']);
  expect(unknown).toMatchObject({
    code: 2,
    out: '',
    err: 'houston: session-not-found: there is no session 00000000\n',
  });
});
