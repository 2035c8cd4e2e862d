import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBunSystem } from '../../system/bun/system.ts';
import { createBubblewrap } from './bubblewrap.ts';
import { probe } from './probe.ts';
import type { Confinement } from './sandbox.ts';

const { processes } = createBunSystem();
const program = await processes.find('bwrap', process.env.PATH ?? '');
let top = '';
let confinement: Confinement;

beforeAll(() => {
  // Not below the temporary folder, which stays writable inside.
  top = realpathSync(mkdtempSync('/var/tmp/houston-sandbox-'));
  mkdirSync(join(top, 'ws'));
  mkdirSync(join(top, 'keys'));
  writeFileSync(join(top, 'keys/id'), 'canary-key');
  writeFileSync(join(top, 'token'), 'canary-token');
  const places = [
    { path: '/tmp', kind: 'folder', access: 'write' },
    { path: join(top, 'keys'), kind: 'folder', access: 'none' },
    { path: join(top, 'token'), kind: 'file', access: 'none' },
    { path: join(top, 'ws'), kind: 'folder', access: 'write' },
  ] as const;
  confinement = { folder: join(top, 'ws'), places, network: 'closed' };
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const sandbox = () => createBubblewrap(program!, process.getuid!() === 0);

async function run(line: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  const argv = sandbox().wrap(['/bin/sh', '-c', line], confinement, null);
  const options = {
    argv,
    folder: confinement.folder,
    environment: { PATH: '/usr/bin:/bin', MARK: top },
    input: null,
    output: 'pieces',
  } as const;
  const child = await processes.spawn({ ...options, onOutput: (bytes) => void pieces.push(bytes) });
  await child.exited;
  return Buffer.concat(pieces).toString();
}

describe.skipIf(program === null)('bubblewrap', () => {
  test('SBX-3: writes in the workspace only and sees no keys', async () => {
    expect(await probe({ processes }, sandbox(), confinement, top)).toBeNull();
    await run(`echo in > here; echo out > ${top}/outside; echo out > /etc/houston-test`);
    expect(readFileSync(join(top, 'ws/here'), 'utf8')).toBe('in\n');
    expect(existsSync(join(top, 'outside'))).toBe(false);
    expect(existsSync('/etc/houston-test')).toBe(false);
    expect(await run(`cat ${top}/keys/id ${top}/token; ls ${top}/keys`)).not.toContain('canary');
  });

  test('UP-39: processes see only each other and end with the first of them', async () => {
    expect(Number(await run('ls /proc | grep -c "^[0-9]*$"'))).toBeLessThan(6);
    await run('setsid sleep 61.5 & echo');
    expect(await processes.findMarked('MARK', top)).toEqual([]);
  });

  test('SBX-4: says why when it cannot confine', async () => {
    expect(await probe({ processes }, createBubblewrap('/nowhere/bwrap', false), confinement, top)).not.toBeNull();
  });
});
