// What holds up the end of a session, the next prompt, or the beginning, and what does not.
import { expect, test } from 'bun:test';
import type { Model, ModelEvent } from '../../src/core/models/model.ts';
import type { Tool } from '../../src/core/tools/tool.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { ESCAPE, openHouse, transcriptOf } from '../support/controller.ts';
import { gate, scriptedModel } from '../support/script.ts';

const EXPORTS = '/home/pat/state/exports';

const isTitle = ({ system }: { system: readonly string[] }): boolean =>
  system.join('').includes('You name conversations');

/** Asked for a title, it never answers and never hears that it should stop; everything else is scripted. */
function deafToTitles(script: Model): Model {
  return {
    ...script,
    ref: script.ref,
    facts: script.facts,
    async *stream(request, signal): AsyncIterable<ModelEvent> {
      if (isTitle(request)) await new Promise(() => {});
      yield* script.stream(request, signal);
    },
  };
}

test('a title that is still being made, deaf to being stopped, keeps nobody who leaves longer than a moment (EX-3)', async () => {
  const house = await openHouse({ script: deafToTitles(scriptedModel(['hello'])), naming: true });
  const seat = house.seat('one');
  await seat.say('name me');
  await seat.until((view) => view.transcript.items.some((item) => item.kind === 'turn-end'));
  const before = house.system.clock.now();
  await house.system.clock.runUntil(house.session.close());
  expect(house.system.clock.now() - before).toBeLessThanOrEqual(500);
  expect(house.journal.ofKind('turn-end')).toHaveLength(1);
  expect(house.system.clock.timers).toBe(0);
});

test('neither the name of the branch, nor a title, nor the sandbox being tried, nor an unfinished completion holds up readiness or a reply (ST-10)', async () => {
  const system = createMemorySystem();
  const never = new Promise<never>(() => {});
  const files: typeof system.files = Object.create(system.files, {
    list: { value: (path: string) => (path.startsWith('/yard') ? never : system.files.list(path)) },
    read: {
      value: (path: string, most?: number) => (path.includes('.git') ? never : system.files.read(path, most)),
    },
  });
  await system.files.makeFolder('/yard/.git', 0o755);
  await system.files.createNew('/yard/.git/HEAD', new TextEncoder().encode('ref: refs/heads/main'), 0o644);
  const house = await openHouse({
    script: deafToTitles(scriptedModel(['hello'])),
    naming: true,
    sandbox: never,
    system: { ...system, files } as never,
  });
  const seat = house.seat('one');
  void house.session.read({ type: 'complete-path', typed: 'a', limit: 5 } as never);
  await system.clock.advance(2_000);
  expect(seat.view.head).toMatchObject({ ready: true, gitBranch: null, sandbox: 'being checked' });
  await seat.say('go');
  await seat.until((view) => view.transcript.items.some((item) => item.kind === 'turn-end'));
  expect(transcriptOf(seat.view)).toEqual(['prompt: go', 'model: hello', 'end: done']);
});

test('a stopped turn settles where its tool does: what was begun is finished and recorded before the next prompt starts (EX-6)', async () => {
  const held = gate();
  const begun = gate();
  let ended = false;
  /** Once it has begun it hears nothing until it is through. */
  const stubborn: Tool<null> = {
    name: 'stubborn',
    description: 'Does one thing to its end.',
    input: { type: 'object' },
    routing: [],
    order: 'alone',
    title: () => 'Stubborn',
    plan: async () => ({ ok: true, title: 'Stubborn', effects: [], diffs: [], planned: null }),
    run: async () => {
      begun.open();
      await held.opened;
      ended = true;
      return { ok: true, text: 'all of it done', provenance: { from: 'houston' }, display: { kind: 'none' } };
    },
  };
  const model = scriptedModel([[{ tool: 'stubborn', input: {} }], 'next']);
  const house = await openHouse({ script: model, tools: [stubborn] });
  const seat = house.seat('one');
  await seat.say('first');
  await house.system.clock.runUntil(begun.opened);
  await seat.say('second', 'queue');
  await seat.send(ESCAPE);
  await house.system.clock.advance(5_000);
  // Accepted and waiting, not begun.
  expect(seat.outcome('one-2')?.state).toBe('waiting');
  expect(model.requests).toHaveLength(1);
  held.open();
  await house.idle();
  expect(ended).toBe(true);
  expect(seat.outcome('one-2')?.state).toBe('done');
  const lines = transcriptOf(seat.view);
  expect(lines.findIndex((line) => line.startsWith('call Stubborn'))).toBeLessThan(lines.indexOf('prompt: second'));
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('all of it done');
});

test('a choice that is being written into the settings is written to its end, however long the disk takes (EX-4)', async () => {
  const disk = gate();
  let written = false;
  const house = await openHouse({
    script: scriptedModel(['hello'], { facts: { fast: true } }),
    saveDefaults: async () => {
      await disk.opened;
      written = true;
      return true;
    },
  });
  const seat = house.seat('one');
  await seat.send({ type: 'command', ref: 'f', name: 'fast', argument: 'on' });
  await house.system.clock.settle();
  let closed = false;
  const closing = house.session.close().then(() => {
    closed = true;
  });
  await house.system.clock.advance(120_000);
  expect([closed, written]).toEqual([false, false]);
  disk.open();
  await house.system.clock.runUntil(closing);
  expect(written).toBe(true);
  await house.session.uncut();
});

test('an export under way is called off and waited for, however long the disk takes: once the session is closed nothing appears any more (EX-4)', async () => {
  for (const stuckIn of ['readRange', 'openAppend', 'linkStat'] as const) {
    const system = createMemorySystem();
    const disk = gate();
    const stuck = gate();
    let exporting = false;
    /** The disk answers when it likes, and knows nothing of signals. */
    const slow = async (path: string): Promise<void> => {
      if (!exporting) return;
      if (stuckIn === 'readRange' ? !path.endsWith('journal.jsonl') : !path.startsWith(EXPORTS)) return;
      // The last look before the file gets its name.
      if (stuckIn === 'linkStat' && system.files.paths(EXPORTS).length === 0) return;
      stuck.open();
      await disk.opened;
    };
    const files: typeof system.files = Object.create(system.files, {
      [stuckIn]: {
        value: async (path: string, ...rest: unknown[]) => {
          await slow(path);
          return (system.files[stuckIn] as (...all: unknown[]) => unknown)(path, ...rest);
        },
      },
    });
    const house = await openHouse({
      script: scriptedModel(['hello']),
      system: { ...system, files } as never,
      exports: EXPORTS,
    });
    const seat = house.seat('one');
    await seat.say('hello');
    await house.idle();
    exporting = true;
    await seat.send({ type: 'command', ref: 'e', name: 'export', argument: '' });
    await system.clock.runUntil(stuck.opened);
    let closed = false;
    const closing = house.session.close().then(() => {
      closed = true;
    });
    await system.clock.advance(120_000);
    expect([stuckIn, closed]).toEqual([stuckIn, false]);
    disk.open();
    await system.clock.runUntil(closing);
    await system.clock.advance(120_000);
    expect([stuckIn, ...system.files.paths(EXPORTS)]).toEqual([stuckIn]);
    expect(system.clock.timers).toBe(0);
  }
});
