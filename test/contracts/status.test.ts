// What `/status` says of a session, the same for everybody who asks.
import { expect, test } from 'bun:test';
import { createTools } from '../../src/core/tools/registry.ts';
import { type House, openHouse, type Seat } from '../support/controller.ts';
import { LINKS, openLinked } from '../support/linked-house.ts';
import { scriptedModel } from '../support/script.ts';

async function rowsOf(house: House): Promise<Map<string, string>> {
  const read = await house.session.read({ type: 'status' });
  if (!read.ok) throw new Error(read.refusal.message);
  return new Map(read.value.rows.map(({ name, value }) => [name, value]));
}

async function open(options: Partial<Parameters<typeof openHouse>[0]> = {}): Promise<{ house: House; seat: Seat }> {
  const script = scriptedModel(['one', 'two', 'three'], { repeatLast: true });
  const house = await openHouse({ script, tools: createTools(), ...options });
  const seat = house.seat('one');
  await house.idle();
  return { house, seat };
}

for (const kind of LINKS)
  test(`${kind}: typed or read, it is the same rows in the same order; name and title lead (SC-26.4)`, async () => {
    const script = scriptedModel(['one'], { repeatLast: true });
    const linked = await openLinked(kind, { script, tools: createTools() });
    const seat = await linked.sit('one');
    await seat.say('fix the parser');
    await linked.idle();
    await seat.command('rename', 'My name for it');
    await seat.command('status');
    await linked.settle();
    const typed = seat.changes.flatMap((change) => (change.type === 'flash' ? [change.text] : [])).at(-1) ?? '';
    const read = await linked.house.session.read({ type: 'status' });
    const rows = read.ok ? read.value.rows : [];
    expect(typed).toBe(rows.map(({ name, value }) => `${name}: ${value}`).join('\n'));
    expect(rows.slice(0, 3)).toEqual([
      { name: 'Name', value: 'My name for it' },
      { name: 'Title', value: 'fix the parser' },
      { name: 'Model', value: 'script:one' },
    ]);
    const order = rows.map(({ name }) => name.trim());
    const wanted = [
      'Effort',
      'Workspace',
      'Turns',
      'Tokens',
      'Cache',
      'Tools',
      'Prompt overhead',
      'Compaction',
      'Session',
      'Directory',
      'Started',
      'Updated',
    ];
    expect(order.filter((name) => wanted.includes(name))).toEqual(wanted);
  });

test('what is not there yet is said or left out: a name, branches, a saved place, a window (SC-26.4)', async () => {
  const { house, seat } = await open();
  const fresh = await rowsOf(house);
  for (const name of ['Name', 'Title', 'Branches', 'Directory', 'Started', 'Loop', 'Goal', 'Watches', 'Next model'])
    expect(fresh.has(name)).toBe(false);
  expect(fresh.get('Saved')).toBe('from the first prompt on');
  expect(fresh.get('Turns')).toBe('0');
  await seat.say('hello');
  await house.idle();
  await seat.send({ type: 'command', ref: 'u', name: 'undo', argument: '' });
  await house.idle();
  await seat.say('hello again');
  await house.idle();
  const later = await rowsOf(house);
  expect(later.get('Turns')).toBe('1');
  expect(later.get('Branches')).toBe('2, see /tree');
  expect(later.get('Tokens')).toBe('200 in, 20 out');
  expect(later.get('Cache')).toBe('0 read, 0 written, 200 not cached');
  expect(later.get('Tools')).toMatch(/^\d+, sandbox on$/);
  expect(later.get('Started')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
  expect(later.get('Directory')).toContain('/home/pat/state/session');

  const unsaved = await open({
    notSaved: 'Nothing of this session is saved: it was started with --no-save',
    sandbox: 'off',
  });
  const rows = await rowsOf(unsaved.house);
  expect(rows.get('Saved')).toContain('--no-save');
  expect(rows.get('Tools')).toEndWith('no sandbox');
});

test('without a model it says so and how to start one; a preview counts its own turns (SC-26.4)', async () => {
  const { house } = await open({ problem: { identifier: 'no-model', message: 'no model is configured' } });
  const rows = await rowsOf(house);
  expect(rows.get('Model')).toBe('none (no model is configured): choose one with /model, or sign in with /login');
  expect(rows.get('Effort')).toBe('n/a');
  const preview = await open({
    script: scriptedModel(['hello'], { ref: { provider: 'demo', model: 'pilot' }, repeatLast: true }),
  });
  await preview.seat.say('hi');
  await preview.house.idle();
  const shown = await rowsOf(preview.house);
  expect(shown.get('Model')).toContain('a preview: choose one with /model');
  expect(shown.get('Preview turns')).toBe('1');
});

test('the overhead is that of the last request, against the window or the cap, whichever is less (SC-26.5)', async () => {
  const { house, seat } = await open();
  expect((await rowsOf(house)).get('Prompt overhead')).toBe('known after the first request');
  await seat.say('hello');
  await house.idle();
  const first = (await rowsOf(house)).get('Prompt overhead') ?? '';
  expect(first).toMatch(/^about [\d.]+k tokens, [\d.]+% of 1[\d.]+k$/);
  // Also where nobody knows the window, and nothing measures for a compaction.
  const unknown = await open({ script: scriptedModel(['one'], { facts: { contextWindow: null } }) });
  await unknown.seat.say('hello');
  await unknown.house.idle();
  expect((await rowsOf(unknown.house)).get('Prompt overhead')).toMatch(/^about [\d.]+k tokens$/);
  await seat.send({ type: 'command', ref: 'a', name: 'autocompact', argument: '60k' });
  await house.idle();
  const capped = await rowsOf(house);
  expect(capped.get('Prompt overhead')).toEndWith('of 60k');
  expect(capped.get('Compaction')).toBe('on, at 60k tokens; /autocompact changes it, /compact does it now');
  await seat.send({ type: 'command', ref: 'b', name: 'autocompact', argument: 'off' });
  await house.idle();
  const off = await rowsOf(house);
  expect(off.get('Prompt overhead')).toEndWith('of 200k');
  expect(off.get('Compaction')).toStartWith('off; ');
  const part = (name: string): number => {
    const [, count, thousands] = /about ([\d.]+)(k?)/.exec(off.get(name) ?? '') ?? [];
    return Number(count) * (thousands === 'k' ? 1 : 0.001);
  };
  expect(part('Prompt overhead')).toBeCloseTo(part('  instructions') + part('  tools'), -0.5);
});

test('it names the loop, the goal and what is watched', async () => {
  const { house, seat } = await open();
  house.system.files.seed('/yard/a.log', 'x');
  await seat.send({ type: 'command', ref: 'w', name: 'watch', argument: 'a.log' });
  expect((await rowsOf(house)).get('Watches')).toBe('1 a.log');
  await seat.send({ type: 'command', ref: 'g', name: 'goal', argument: 'all green' });
  await house.idle();
  expect((await rowsOf(house)).get('Goal')).toBe('all green (active, 0 rounds)');
});
