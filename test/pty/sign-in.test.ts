// A person signs in on a true terminal: true program, true listener, a sign-in service of the tests' own on loopback.
import { afterEach, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { CODEX } from '../../src/core/models/sign-in/codex.ts';
import { EMAIL, type ServedOAuth, startFakeOAuth } from '../support/fake-oauth.ts';
import { eventually, makePlace, type Place } from '../support/houston-place.ts';
import type { PtyProgram } from '../support/pty-program.ts';

const PROGRAM = path.join(import.meta.dir, '..', 'support', 'sign-in-program.ts');
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Seat {
  readonly place: Place;
  readonly oauth: ServedOAuth;
  readonly screen: PtyProgram;
  /** The person's browser at an address: it is led back to where we listen, and shows a page. */
  browse(address: string): Promise<string>;
}

async function sitDown(words: readonly string[]): Promise<Seat> {
  const oauth = startFakeOAuth(CODEX);
  const place = await makePlace();
  closing.push(
    () => place.close(),
    () => oauth.close(),
  );
  const portFile = path.join(place.root, 'port');
  const service = new URL(oauth.service(1).tokenUrl).origin;
  const screen = place.open([], {
    argv: [process.execPath, PROGRAM, service, portFile, ...words],
    columns: 110,
    rows: 40,
  });
  return {
    place,
    oauth,
    screen,
    browse: async (address) => {
      await eventually('the listener', () => existsSync(portFile));
      const back = oauth.browse(address).replace('localhost:1455', `127.0.0.1:${readFileSync(portFile, 'utf8')}`);
      return (await fetch(back)).text();
    },
  };
}

/** What the program put on the clipboard last. */
function copied(screen: PtyProgram): string {
  const found = [...screen.raw.matchAll(/\x1b\]52;c;([A-Za-z0-9+/=]+)/g)].at(-1)?.[1] ?? '';
  return Buffer.from(found, 'base64').toString('utf8');
}

function allFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

test('/login, Enter, Ctrl-Y, the browser: signed in, and the next prompt is answered by the account (PC-2, PC-4, PC-16)', async () => {
  const { place, oauth, screen, browse } = await sitDown(['--no-host']);
  await screen.until('Ready.');
  await screen.say('/login');
  await screen.until('Custom Provider');
  screen.write('\r');
  await screen.until('Open Browser');
  screen.write('\x19');
  await eventually('the address', () => copied(screen) !== '');
  const address = copied(screen);
  expect(address).toStartWith('https://auth.openai.com/oauth/authorize?');
  expect(await browse(address)).toContain('You are signed in');
  await screen.until(`signed in as ${EMAIL}`);
  screen.write('\r');
  await Bun.sleep(100);
  await screen.say('hello');
  await screen.until('from the account');
  const auth = path.join(place.home, '.local/state/houston/auth.json');
  expect(statSync(auth).mode & 0o777).toBe(0o600);
  const state = new URL(address).searchParams.get('state')!;
  for (const file of allFiles(place.home)) {
    if (file === auth) continue;
    const text = readFileSync(file, 'latin1');
    for (const mark of [state, ...oauth.secrets])
      expect({ file, holds: text.includes(mark) }).toEqual({ file, holds: false });
  }
}, 30_000);

test('houston login NAME: the address on the terminal, a pasted answer that is not shown, the outcome (PC-6, PC-15)', async () => {
  const { oauth, screen } = await sitDown(['login', 'openai-codex']);
  await screen.until('Ctrl-C gives it up');
  const address = /https:\/\/auth\.openai\.com\/\S+/.exec(screen.raw)![0];
  const back = oauth.browse(address);
  screen.write(`${back}\r`);
  await screen.until(`signed in as ${EMAIL}`);
  expect(await screen.exited).toBe(0);
  expect(screen.raw).not.toContain(new URL(back).searchParams.get('code')!);
  const again = await sitDown(['login', 'openai-codex']);
  await again.screen.until('Ctrl-C gives it up');
  again.screen.write('\x03');
  expect(await again.screen.exited).toBe(130);
  expect(existsSync(path.join(again.place.home, '.local/state/houston/auth.json'))).toBe(false);
}, 30_000);
