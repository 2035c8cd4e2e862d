import { describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { emptyHead, emptyView } from '../../protocol/reduce.ts';
import { createBunClock } from '../../system/bun/clock.ts';
import { createBunProcesses } from '../../system/bun/processes.ts';
import { createMemoryEnvironment } from '../../system/memory/environment.ts';
import { createMemoryTerminal } from '../../system/memory/terminal.ts';
import { performEffect } from './effects.ts';
import { editExternally } from './external-editor.ts';
import type { ScreenEvent } from './screen-event.ts';

/** What is run for an editor chosen from these variables and these installed programs. */
async function chosen(variables: Record<string, string>, installed: readonly string[] = []): Promise<string> {
  let ran = '';
  const { problem } = await editExternally('a', {
    environment: (name) => variables[name],
    find: async (program) => (installed.includes(program) ? `/bin/${program}` : null),
    writeFile: async () => '/tmp/x/prompt.md',
    readFile: async () => 'a',
    removeFile: async () => {},
    runInTerminal: async (argv) => {
      ran = argv[2]!.replace(/ "\$1"$/, '');
      return 0;
    },
  });
  return problem ?? ran;
}

describe('the editor', () => {
  test('is VISUAL, else EDITOR, else the first installed of vim, vi, emacs, nano; empty counts as unset (EDITR-5)', async () => {
    expect(await chosen({ VISUAL: 'a', EDITOR: 'b' }, ['vi'])).toBe('a');
    expect(await chosen({ VISUAL: '', EDITOR: 'b' }, ['vi'])).toBe('b');
    expect(await chosen({ VISUAL: '', EDITOR: '' }, ['nano', 'emacs'])).toBe('emacs');
    expect(await chosen({}, ['nano', 'vi', 'vim'])).toBe('vim');
    expect(await chosen({}, [])).toContain('No editor found');
  });

  test('is told to wait where it has a window of its own and the person wrote no arguments (EDITR-9)', async () => {
    expect(await chosen({ EDITOR: 'code' })).toBe('code --wait');
    expect(await chosen({ EDITOR: '/opt/bin/subl' })).toBe('/opt/bin/subl --wait');
    expect(await chosen({ EDITOR: 'gvim' })).toBe('gvim -f');
    expect(await chosen({ EDITOR: 'code -n' })).toBe('code -n');
    expect(await chosen({ EDITOR: 'vim' })).toBe('vim');
  });

  test('is found under every spelling PATH may hold; a program of Windows is told the file’s own name there (EDITR-7)', async () => {
    const there = { WSL_DISTRO_NAME: 'Debian' };
    expect(await chosen(there, ['vim.exe', 'nano'])).toBe('vim.exe "$(wslpath -w "$1")"');
    expect(await chosen(there, ['vim', 'vim.exe'])).toBe('vim');
    expect(await chosen({ ...there, EDITOR: 'code' }, ['code.exe'])).toBe('code.exe --wait "$(wslpath -w "$1")"');
    expect(await chosen({ ...there, EDITOR: 'code.exe' }, ['code.exe'])).toBe('code.exe --wait "$(wslpath -w "$1")"');
    expect(await chosen({ ...there, EDITOR: 'ed -s' }, ['ed.exe'])).toBe('ed.exe -s "$(wslpath -w "$1")"');
    expect(await chosen({}, ['vim.exe'])).toContain('No editor found');
  });

  test('is started by the name it was asked for, also where that is a link; a link to nothing is passed over (EDITR-8)', async () => {
    const place = mkdtempSync(join(tmpdir(), 'houston-editor-'));
    try {
      const [one, two] = [join(place, 'one'), join(place, 'two')];
      for (const folder of [one, two]) mkdirSync(folder);
      const program = join(place, 'all-in-one');
      writeFileSync(program, `#!/bin/sh\nprintf %s "$0" > ${place}/name\n`);
      chmodSync(program, 0o755);
      symlinkSync(join(place, 'gone'), join(one, 'vi'));
      symlinkSync(program, join(two, 'vi'));
      const PATH = `${one}:${two}:/usr/bin:/bin`;
      for (const variables of [{ EDITOR: 'vi' }, {}] as Record<string, string>[]) {
        rmSync(join(place, 'name'), { force: true });
        await editExternally('a', {
          environment: (name) => variables[name],
          find: (name) => createBunProcesses().find(name, `${one}:${two}`),
          writeFile: async () => '/dev/null',
          readFile: async () => 'a',
          removeFile: async () => {},
          runInTerminal: ([file, ...rest]) => Bun.spawn([file!, ...rest], { env: { PATH } }).exited,
        });
        expect(readFileSync(join(place, 'name'), 'utf8')).toBe(join(two, 'vi'));
      }
    } finally {
      rmSync(place, { recursive: true });
    }
  });

  test('works on a file only its owner can read, in the system’s temp folder, gone however it ends (EDITR-4, EDITR-2)', async () => {
    const place = mkdtempSync(join(tmpdir(), 'houston-editor-'));
    try {
      for (const [name, ending, saved] of [
        ['saves', 'printf "better\\n" > "$1"', 'better'],
        ['fails', 'printf changed > "$1"; exit 3', null],
        ['is killed', 'printf changed > "$1"; kill -9 $$', null],
      ] as const) {
        const editor = join(place, 'editor');
        writeFileSync(
          editor,
          `#!/bin/sh\nprintf '%s\\n' "$1" > ${place}/path\nstat -c %a "$1" "$(dirname "$1")" > ${place}/modes\ncat "$1" > ${place}/given\n${ending}\n`,
        );
        chmodSync(editor, 0o755);
        const variables = { PATH: process.env.PATH ?? '', EDITOR: editor, TMPDIR: place };
        const environment = { ...createMemoryEnvironment({ folder: place, variables }), temp: place };
        const events: ScreenEvent[] = [];
        const { promise, resolve } = Promise.withResolvers<void>();
        performEffect(
          {
            session: { attach: never, send: never, read: never },
            client: 'me',
            terminal: createMemoryTerminal(),
            clock: createBunClock(),
            processes: createBunProcesses(),
            environment,
            view: emptyView(emptyHead('s', place, '1')),
            dispatch: (event) => {
              events.push(event);
              resolve();
            },
            handOver: (work) => work(),
            redraw: () => {},
            readLook: () => {},
            openSide: () => {},
            leave: () => {},
            remember: () => {},
            forget: () => {},
            write: () => {},
          },
          { kind: 'edit', text: 'the line' },
        );
        await promise;
        expect(events).toMatchObject([{ type: 'edited', text: saved }]);
        const path = readFileSync(join(place, 'path'), 'utf8').trim();
        expect([name, readFileSync(join(place, 'modes'), 'utf8')]).toEqual([name, '600\n700\n']);
        expect(readFileSync(join(place, 'given'), 'utf8')).toBe('the line');
        expect(dirname(dirname(path))).toBe(place);
        expect(existsSync(dirname(path))).toBe(false);
        expect(statSync(place).isDirectory()).toBe(true);
      }
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
});

function never(): never {
  throw new Error('no session is spoken to here');
}
