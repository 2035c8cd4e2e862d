import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBunSystem } from '../../system/bun/system.ts';
import { createBubblewrap, probeSandbox } from './bubblewrap.ts';
import { type Confinement, NO_SANDBOX } from './sandbox.ts';

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
  const hidden = [
    { path: join(top, 'keys'), kind: 'folder' },
    { path: join(top, 'token'), kind: 'file' },
  ] as const;
  confinement = { folder: join(top, 'ws'), writable: [join(top, 'ws')], hidden, network: 'closed' };
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

async function run(line: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  const argv = createBubblewrap(program!).wrap(['/bin/sh', '-c', line], confinement);
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
    expect(await probeSandbox(processes, createBubblewrap(program!), confinement)).toBeNull();
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
    expect(await probeSandbox(processes, createBubblewrap('/nowhere/bwrap'), confinement)).not.toBeNull();
    expect(NO_SANDBOX.description).toBe('off');
  });
});
