// Where hooks come from: the person's own file, and what a project asks for. The session and its programs are in memory.
import { describe, expect, test } from 'bun:test';
import { openHooks, readHookRequests } from '../../src/cli/open-hooks.ts';
import { NOTHING_TRUSTED } from '../../src/core/policy/trust.ts';
import { loadSettings } from '../../src/core/settings/load.ts';
import { projectRequests } from '../../src/core/settings/project-requests.ts';
import type { ProgramRecord } from '../../src/system/memory/processes.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';
import { FOLDER, openHouse, SESSION_FOLDER, transcriptOf } from '../support/controller.ts';
import { callsOf, notesOf } from '../support/jobs-house.ts';
import { scriptedModel } from '../support/script.ts';

const CONFIG = '/home/pat/.config/houston';
const ALL_SHOWN = { show_in_tui: true, injected_content: { show_in_transcript: true, show_in_activity_tree: true } };

function hook(label: string, command: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ hooks: [{ phase: 'after_tool', label, command, ...more }] });
}

/** A session as the command line wires it, as far as hooks go; the person answers the question about the folder. */
async function start(
  system: MemorySystem,
  hooks: Readonly<Record<string, unknown>>,
  answer: 'trust' | 'no' | null = 'trust',
  canAsk = true,
) {
  system.files.seed('/s.json', JSON.stringify({ automation: { hooks } }));
  const loaded = await loadSettings(system.files, [{ source: '/s.json', from: 'person' }]);
  const requested = await readHookRequests(system, loaded.settings, FOLDER);
  const lines = [...(projectRequests(loaded, FOLDER)?.lines ?? []), ...requested.requested.map(({ line }) => line)];
  const model = scriptedModel([[{ tool: 'look', input: {} }], 'done', [{ tool: 'look', input: {} }], 'done'], {
    clock: system.clock,
    repeatLast: true,
  });
  const { scope } = {
    scope: { workspace: FOLDER, roots: [], home: '/home/pat', own: [], outputs: null, path: '/usr/bin' },
  };
  const house = await openHouse({
    script: model,
    system,
    canAsk,
    scope: { ...scope, trust: NOTHING_TRUSTED },
    trust: { folders: [FOLDER], requests: lines, memory: null },
    hooks: openHooks(
      { system, session: 's1', folder: FOLDER, config: CONFIG, place: SESSION_FOLDER, secretNames: [], requested },
      loaded.settings,
    ),
    settingsAgain: async () => {
      throw new Error('not read here');
    },
  });
  const seat = house.seat('one');
  let asked = '';
  if (canAsk) {
    const view = await seat.until(({ asks }) => asks.length > 0);
    const [ask] = view.asks;
    asked = JSON.stringify(ask!.body);
    await seat.send({ type: 'answer', ask: ask!.id, answer: { kind: 'choice', choice: answer ?? 'no' } });
  }
  const go = async (): Promise<void> => {
    await seat.say('go');
    await house.idle();
  };
  return { house, seat, asked, go, model };
}

function scripted(system: MemorySystem, names: readonly string[], record: ProgramRecord = {}): () => string[] {
  const ran: string[] = [];
  for (const name of names)
    system.processes.script(name, ({ write }) => {
      ran.push(name);
      write(record.out ?? '');
      return 0;
    });
  return () => ran;
}

describe('where hooks come from', () => {
  test('HR-1: switched off, which is how it begins, none runs and none is asked about', async () => {
    const system = createMemorySystem();
    system.files.seed(`${CONFIG}/hooks.json`, hook('mine', 'mine'));
    system.files.seed(`${FOLDER}/.houston/hooks/a.json`, hook('theirs', 'theirs'));
    const ran = scripted(system, ['mine', 'theirs']);
    const { go, asked } = await start(system, {});
    await go();
    expect(ran()).toEqual([]);
    expect(asked).not.toContain('theirs');
  });

  test('RULE-7: what a project asks for is in the question about its folder, word for word, and runs only after a yes', async () => {
    for (const [answer, canAsk, expected] of [
      ['trust', true, ['mine', 'theirs']],
      ['no', true, ['mine']],
      [null, false, ['mine']],
    ] as const) {
      const system = createMemorySystem();
      system.files.seed(`${CONFIG}/hooks.json`, hook('mine', 'mine'));
      system.files.seed(`${FOLDER}/.houston/hooks/a.json`, hook('theirs', 'theirs'));
      const ran = scripted(system, ['mine', 'theirs']);
      const { go, asked, seat } = await start(system, { enabled: true }, answer, canAsk);
      await go();
      expect(ran()).toEqual([...expected]);
      if (canAsk) expect(asked).toContain('hook “theirs”, after_tool, runs theirs');
      expect(notesOf(seat.view, 'hooks').length).toBe(expected.length === 1 ? 1 : 0);
    }
  });

  test('RULE-7: a file or a script that is another one after the yes does not run, and says why', async () => {
    const system = createMemorySystem();
    system.files.seed(`${FOLDER}/.houston/hooks/a.json`, hook('theirs', 'sh ./tools/check.sh'));
    system.files.seed(`${FOLDER}/tools/check.sh`, 'true\n');
    const ran = scripted(system, ['sh ./tools/check.sh', 'evil']);
    const { go, seat, asked } = await start(system, { enabled: true });
    expect(asked).toContain('tools/check.sh');
    system.files.seed(`${FOLDER}/.houston/hooks/a.json`, hook('theirs', 'evil'));
    await go();
    expect(ran()).toEqual(['sh ./tools/check.sh']);
    system.files.seed(`${FOLDER}/tools/check.sh`, 'evil\n');
    await go();
    expect(ran()).toEqual(['sh ./tools/check.sh']);
    expect(notesOf(seat.view, 'hook')[0]).toContain('/yard/tools/check.sh changed since you said yes to it');
    expect(callsOf(seat.view).map(({ state }) => state)).toEqual(['ok', 'ok']);
  });

  test('HK-5: settings that show hooks let none of them tell the model anything; the one that does is its own', async () => {
    for (const [more, reaches] of [
      [ALL_SHOWN, false],
      [{ injected_content: { ...ALL_SHOWN.injected_content, enabled: true } }, true],
    ] as const) {
      const system = createMemorySystem();
      system.files.seed(`${CONFIG}/hooks.json`, hook('mine', 'mine', { inject: true }));
      scripted(system, ['mine'], { out: 'look at this' });
      const { go, model, seat } = await start(system, { enabled: true, ...more });
      await go();
      expect(JSON.stringify(model.requests[1]?.messages).includes('look at this')).toBe(reaches);
      expect(transcriptOf(seat.view).includes('hook mine')).toBe(reaches);
    }
  });

  test('HOOK-1: a bad entry is named when the session starts, and the others run', async () => {
    const system = createMemorySystem();
    const good = { phase: 'after_tool', label: 'mine', command: ['mine'] };
    system.files.seed(`${CONFIG}/hooks.json`, JSON.stringify({ hooks: [{ ...good, timeout: 0 }, good] }));
    const ran = scripted(system, ['mine']);
    const { go, seat } = await start(system, { enabled: true });
    await go();
    expect(ran()).toEqual(['mine']);
    expect(notesOf(seat.view, 'hooks')).toEqual([
      `${CONFIG}/hooks.json: hook 1: timeout is not a number of seconds from 1 to 600; it is no hook`,
    ]);
  });
});
