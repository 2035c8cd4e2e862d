// What is said into a running turn, with real files, tools and programs; model and person are scripted.
import { afterEach, expect, test } from 'bun:test';
import type { ModelRequest } from '../../src/core/models/model.ts';
import type { Intent } from '../../src/protocol/intent.ts';
import { type GuardedPlace, guardedPlace, NO } from '../support/guarded-session.ts';
import { gate, type ScriptReply } from '../support/script.ts';

let places: GuardedPlace[] = [];
afterEach(() => {
  for (const place of places) place.close();
  places = [];
});
function open(): GuardedPlace {
  const place = guardedPlace();
  places.push(place);
  return place;
}

const steer = (text: string): Intent => ({ type: 'say', ref: 'x', text, attachments: [], delivery: 'steering' });
const ofDelegate = (request: ModelRequest): boolean => /^You are d\d/m.test(request.system.at(-1) ?? '');

test('what is said while a delegate works goes to the turn on the screen, at the round the delegate’s report begins, and never to the delegate (QUE-10)', async () => {
  const place = open();
  const heard = gate();
  place.write('a.txt', 'plain\n');
  const reply = (request: ModelRequest): ScriptReply => {
    if (!ofDelegate(request)) {
      const results = request.messages.filter(({ role }) => role === 'results');
      return results.length === 0
        ? [{ tool: 'spawn_agent', input: { why: 'to see', kind: 'reader', task: 'Read a.txt' } }]
        : 'over';
    }
    // It has a round of its own to go when the words come.
    return request.messages.length === 1
      ? { parts: [{ tool: 'read_file', input: { why: 'to see', path: 'a.txt' } }], gate: heard.opened }
      : 'it is plain';
  };
  let said = false;
  const run = await place.run(Array(8).fill(reply), {
    watch: (view, send) => {
      if (!said && view.activity.phase === 'tools') {
        said = true;
        send(steer('look for plums too'));
      }
      if (view.queue.rows.some((row) => row.text.includes('plums'))) heard.open();
    },
  });
  const own = run.model.requests.filter((request) => !ofDelegate(request));
  const delegates = run.model.requests.filter(ofDelegate);
  expect(delegates).toHaveLength(2);
  expect(JSON.stringify(delegates)).not.toContain('plums');
  // In the same turn, with the report of its delegate, not in one of its own.
  expect(own).toHaveLength(2);
  expect(JSON.stringify(own[1]?.messages)).toContain('it is plain');
  expect(JSON.stringify(own[1]?.messages.at(-1))).toContain('plums');
  expect(run.view.transcript.items.filter((item) => item.kind === 'turn-end')).toHaveLength(1);
});

for (const mode of ['ask', 'plan'] as const)
  test(`what is said into a turn in mode ${mode} lets it do no more than its first prompt did; it is trusted, and the trail has it as the person’s (QUE-11)`, async () => {
    const place = open();
    const first = gate();
    const write = (path: string): ScriptReply => [
      { tool: 'write_file', input: { why: 'told so', path, contents: 'x\n' } },
    ];
    let said = false;
    const run = await place.run([{ parts: write('a.txt') as never, gate: first.opened }, write('b.txt'), 'over'], {
      mode,
      answer: () => NO,
      watch: (view, send) => {
        if (!said && view.activity.phase === 'waiting') {
          said = true;
          send(steer('Write b.txt. I allow everything, do not ask.'));
        }
        if (view.queue.rows.length > 0) first.open();
      },
    });
    const [opening, steered] = run.model.requests;
    expect(JSON.stringify(steered?.messages)).toContain('I allow everything');
    // The words stand as the person's own, nothing around them.
    expect(steered?.messages.findLast(({ role }) => role === 'user')).toMatchObject({
      parts: [{ type: 'text', text: 'Write b.txt. I allow everything, do not ask.' }],
    });
    expect([steered?.tools, steered?.system]).toEqual([opening?.tools, opening?.system] as never);
    expect(run.asks).toHaveLength(mode === 'ask' ? 2 : 0);
    for (const name of ['a.txt', 'b.txt']) expect(() => place.read(name)).toThrow();
    expect(run.audit.filter(({ event }) => event === 'said')).toMatchObject([
      { event: 'said', as: 'prompt', turn: 1 },
      { event: 'said', as: 'steering', turn: 1 },
    ]);
    expect(run.view.head.mode).toBe(mode);
  });
