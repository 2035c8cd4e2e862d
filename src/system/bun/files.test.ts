// What only the real file system can show: writes that the system itself refuses.
import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBunFiles } from './files.ts';

/** Runs `body` in a process that may not write files past 16 KiB, with `files`, `folder` and `codeOf` at hand. */
async function withFileLimit(folder: string, body: string): Promise<unknown> {
  const program = `
    import { createBunFiles } from ${JSON.stringify(join(import.meta.dir, 'files.ts'))};
    const files = createBunFiles();
    const folder = ${JSON.stringify(folder)};
    const codeOf = (work) => work.then(() => 'fine', (error) => error.code);
    const result = await (async () => { ${body} })();
    console.log(JSON.stringify(result));`;
  const argv = ['bash', '-c', 'ulimit -f 16; exec "$@"', 'bash', process.execPath, '-e', program];
  const child = Bun.spawn(argv, { stdout: 'pipe', stderr: 'inherit' });
  return JSON.parse(await new Response(child.stdout).text());
}

function inFolder(work: (folder: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bun-files-'));
    try {
      await work(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}

test(
  'a file that cannot be overwritten keeps its old bytes',
  inFolder(async (folder) => {
    const old = 'old line\n'.repeat(1000);
    writeFileSync(join(folder, 'a'), old);
    const result = await withFileLimit(
      folder,
      `const open = await files.open(folder + '/a', { write: true, follow: false });
       const code = await codeOf(open.overwrite(new Uint8Array(100_000)));
       await open.close();
       return code;`,
    );
    expect(result).toBe('EFBIG');
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe(old);
  }),
);

test(
  'a file that cannot be written whole leaves nothing, and what it should have replaced',
  inFolder(async (folder) => {
    writeFileSync(join(folder, 'a'), 'old');
    const result = await withFileLimit(
      folder,
      `const big = new Uint8Array(100_000);
       return [
         await codeOf(files.writeAtomic(folder + '/a', big, { mode: 0o600, flush: true })),
         await codeOf(files.createNew(folder + '/b', big, 0o600)),
       ];`,
    );
    expect(result).toEqual(['EFBIG', 'EFBIG']);
    expect(readdirSync(folder)).toEqual(['a']);
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('old');
  }),
);

test(
  'an append that fails half way can be cut off again',
  inFolder(async (folder) => {
    const result = await withFileLimit(
      folder,
      `const log = await files.openAppend(folder + '/log', 0o600);
       await log.append(new Uint8Array(10_000).fill(97));
       const code = await codeOf(log.append(new Uint8Array(10_000).fill(98)));
       const torn = await log.size();
       await log.truncate(10_000);
       await log.append(new Uint8Array(10).fill(99));
       await log.flush();
       return [code, torn, await log.size()];`,
    );
    expect(result).toEqual(['EFBIG', 16_384, 10_010]);
    expect(readFileSync(join(folder, 'log'), 'utf8').slice(9_998)).toBe(`aa${'c'.repeat(10)}`);
  }),
);

test(
  'files whose size lies are read whole; the mode asked for is kept whatever the mask',
  inFolder(async (folder) => {
    const files = createBunFiles();
    if (process.platform === 'linux') {
      expect((await files.read('/proc/self/status')).length).toBeGreaterThan(100);
    }
    await files.writeAtomic(join(folder, 'open'), new Uint8Array(1), { mode: 0o666, flush: false });
    expect(statSync(join(folder, 'open')).mode & 0o777).toBe(0o666);
    const longest = 'n'.repeat(255);
    await files.writeAtomic(join(folder, longest), new Uint8Array(1), { mode: 0o600, flush: true });
    expect(readdirSync(folder).sort()).toEqual([longest, 'open']);
  }),
);
