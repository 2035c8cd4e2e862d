import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unconfined } from '../../src/core/jobs/left-running.ts';
import { createLanguageServers, type LanguageServers } from '../../src/core/tools/language-servers.ts';
import { createBunSystem } from '../../src/system/bun/system.ts';
import { type GuardedPlace, guardedPlace, NO, YES } from '../support/guarded-session.ts';
import type { ScriptEntry } from '../support/script.ts';

const SCRIPTED = join(import.meta.dirname, '../support/language-server.mjs');

let place: GuardedPlace;
let servers: LanguageServers;
beforeEach(() => {
  place = guardedPlace();
  const programs = join(place.outside, 'programs');
  mkdirSync(programs);
  const program = join(programs, 'typescript-language-server');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${SCRIPTED}'\n`);
  chmodSync(program, 0o755);
  const { processes, clock } = createBunSystem();
  servers = createLanguageServers({
    processes,
    clock,
    environment: () => ({ PATH: process.env.PATH ?? '' }),
    folder: place.folder,
    path: programs,
    confine: unconfined,
  });
  place.write('a.ts', 'const x = used();\nfunction used() {}\n');
});
afterEach(() => {
  servers.close();
  place.close();
});

function ask(operation: string, more: Record<string, string | number> = {}): ScriptEntry {
  return [{ tool: 'lsp', input: { why: 'because', path: 'a.ts', operation, ...more } }];
}
const used = { line: 1, symbol: 'used' };

describe('language servers', () => {
  test('TOOL-7: one question a language; places are shown with their lines', async () => {
    const script = [ask('definition', used), ask('symbols'), ask('references', used)];
    const run = await place.run(script, { languages: servers });
    expect(run.told[0]).toBe('a.ts:2:10  function used() {}');
    expect(run.told[1]).toBe('a.ts:2:10 näme  function used() {}\na.ts:1:1 inner  const x = used();');
    expect(run.told[2]!.split('\n')).toHaveLength(201);
    expect(run.told[2]).toEndWith('[only the first 200 of 250]');
    expect(run.asks).toHaveLength(1);
    expect(JSON.stringify(run.asks[0]?.body)).toContain('TypeScript language server');
  });

  test('TOOL-7: what a server says is kept aside, and so are places in files nobody vouched for', async () => {
    const run = await place.run([ask('hover', used), ask('implementation', used), ask('type_definition', used)], {
      languages: servers,
    });
    expect(run.told[0]).toStartWith('[ref:1: words of the TypeScript language server');
    expect(run.told[1]).toBe(
      'a.ts:1:1  const x = used();\ndeep/other.ts:4:1\n[ref:2: 1 more in files nobody vouched for, kept aside]',
    );
    expect(run.told[2]).toBe('Nothing was found out: the language server answered with error -32603.');
    expect(run.planner).not.toContain('hover says');
    expect(run.planner).not.toContain('/usr/lib/x.ts');
    expect(run.planner).not.toContain('their words');
  });

  test('TOOL-7: a server that is missing is not an empty answer; a no starts nothing; an edit is seen', async () => {
    place.write('m.py', 'x = 1\n');
    place.write('t.txt', 'x\n');
    const missing = await place.run(
      [
        [{ tool: 'lsp', input: { why: 'b', path: 'm.py', operation: 'symbols' } }],
        [{ tool: 'lsp', input: { why: 'b', path: 't.txt', operation: 'symbols' } }],
        ask('definition', used),
      ],
      { languages: servers, answer: () => NO },
    );
    expect(missing.told[0]).toContain('pyright-langserver is not installed: nothing was asked');
    expect(missing.told[1]).toContain('No language server is known for this file');
    expect(missing.told[2]).toStartWith('The person said no');
    expect(servers.wasStarted('TypeScript')).toBe(false);
    const edit = { edits: [{ old_text: 'const x', new_text: '\nconst x' }] };
    const run = await place.run(
      [
        ask('definition', used),
        [{ tool: 'edit_file', input: { why: 'b', path: 'a.ts', ...edit } }],
        ask('definition', { line: 2, symbol: 'used' }),
      ],
      { languages: servers, answer: () => YES },
    );
    expect(run.told.at(-1)).toBe('a.ts:3:10  function used() {}');
  });

  test('plan mode starts none', async () => {
    const run = await place.run([ask('definition', used)], { languages: servers, mode: 'plan' });
    expect(run.told[0]).toContain('mode-plan');
  });
});
