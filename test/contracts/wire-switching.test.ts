// One conversation handed between all wires in any order, with anything in it: no service may ever refuse what the others
// left there.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { CallResult, Message, Model, UserPart } from '../../src/core/models/model.ts';
import type { AssistantPart } from '../../src/protocol/message.ts';
import { ALL_RIGS } from '../support/claude-rig.ts';
import type { FakePart, FakeStep } from '../support/fake-service.ts';
import { pngHeader } from '../support/image-size.ts';
import { anyEffort, anyText } from '../support/random-conversations.ts';
import { collectReply, plainRequest } from '../support/wire-asking.ts';
import type { AnyFake } from '../support/wire-rigs.ts';

interface Served {
  readonly fake: AnyFake;
  readonly model: Model;
  next: FakeStep;
}

const served: Served[] = [];
beforeAll(async () => {
  for (const rig of ALL_RIGS) {
    const one: { next: FakeStep } = { next: { parts: [] } };
    const fake = await rig.start([() => one.next], { repeatLast: true });
    served.push(Object.assign(one, { fake, model: rig.connect(fake) }));
  }
});
afterAll(async () => {
  for (const { fake } of served.splice(0)) await fake.close();
});

const PICTURE: Extract<UserPart, { type: 'image' }> = {
  type: 'image',
  mediaType: 'image/png',
  base64: pngHeader(40, 30).toString('base64'),
  name: 'a.png',
};

/** What a model says in one reply: each kind of part, in any order a service gives them. */
const replyParts: fc.Arbitrary<FakePart[]> = fc
  .record({
    thinking: fc.option(fc.constantFrom('hm', 'über 🚀', 'long '.repeat(50))),
    redacted: fc.boolean(),
    text: fc.option(fc.constantFrom('I look.', 'ü🚀', ' ', 'a\n\nb')),
    calls: fc.array(fc.record({ at: fc.constantFrom('x', 'ü/🚀', ''), id: fc.option(fc.constantFrom('1', 'same')) }), {
      maxLength: 3,
    }),
  })
  .map(({ thinking, redacted, text, calls }) => {
    const parts: FakePart[] = [
      ...(thinking === null ? [] : [{ thinking }]),
      ...(redacted ? [{ redacted: 'c2VhbGVk' }] : []),
      ...(text === null ? [] : [text]),
      ...calls.map(({ at }) => ({ tool: 'look', input: { at } })),
    ];
    // A reply of nothing at all is a fault of its own kind.
    return parts.length > 0 ? parts : ['well'];
  });

const step = fc.record({
  wire: fc.nat({ max: ALL_RIGS.length - 1 }),
  reply: replyParts,
  /** How the reply ended for us: whole, cut by Esc after so many of its parts, or without what was sealed. */
  keeps: fc.option(fc.nat({ max: 4 }), { freq: 4 }),
  says: fc.option(anyText),
  shows: fc.boolean(),
  result: anyText,
  showsResult: fc.boolean(),
  fails: fc.boolean(),
  effort: anyEffort,
});

test('a picture without a word, in the middle of a conversation, is taken by each of them (UP-24)', async () => {
  for (const one of served) {
    one.next = { parts: ['well'] };
    const before = one.fake.requests.length;
    const messages: Message[] = [{ role: 'user', parts: [{ type: 'text', text: 'go' }] }];
    for (let round = 0; round < 2; round++) {
      const { end } = await collectReply(one.model, plainRequest(messages));
      messages.push({ role: 'assistant', parts: end.parts, from: one.model.ref });
      messages.push({ role: 'user', parts: [{ type: 'text', text: '' }, PICTURE] });
    }
    expect(one.fake.requests.slice(before).map(({ refused }) => refused)).toEqual([null, null]);
  }
});

test('a call that answered nothing is taken by each of them', async () => {
  for (const one of served) {
    const before = one.fake.requests.length;
    const messages: Message[] = [{ role: 'user', parts: [{ type: 'text', text: 'go' }] }];
    one.next = { parts: [{ tool: 'look', input: { at: 'x' } }] };
    const { end } = await collectReply(one.model, plainRequest(messages));
    const results = end.parts.flatMap((part): CallResult[] =>
      part.type === 'call' ? [{ call: part.call, tool: part.tool, text: '', error: false, images: [PICTURE] }] : [],
    );
    messages.push({ role: 'assistant', parts: end.parts, from: one.model.ref }, { role: 'results', results });
    one.next = { parts: ['well'] };
    await collectReply(one.model, plainRequest(messages));
    expect(one.fake.requests.slice(before).map(({ refused }) => refused)).toEqual([null, null]);
  }
});

test('a reply of blanks alone, with a call or without one, is taken by each of them (UP-24)', async () => {
  for (const one of served)
    for (const call of [[], [{ tool: 'look', input: { at: 'x' } }]]) {
      const before = one.fake.requests.length;
      const messages: Message[] = [{ role: 'user', parts: [{ type: 'text', text: 'go' }] }];
      one.next = { parts: [' ', ...call] };
      const { end } = await collectReply(one.model, plainRequest(messages));
      messages.push({ role: 'assistant', parts: end.parts, from: one.model.ref });
      const results = end.parts.flatMap((part): CallResult[] =>
        part.type === 'call' ? [{ call: part.call, tool: part.tool, text: 'x', error: false, images: [] }] : [],
      );
      if (results.length > 0) messages.push({ role: 'results', results });
      else messages.push({ role: 'user', parts: [{ type: 'text', text: 'more' }] });
      one.next = { parts: ['well'] };
      await collectReply(one.model, plainRequest(messages));
      expect(one.fake.requests.slice(before).map(({ refused }) => refused)).toEqual([null, null]);
    }
});

test('any sequence of wires, replies, cuts and pictures stays valid on each of them (UP-24)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
      const messages: Message[] = [{ role: 'user', parts: [{ type: 'text', text: 'go' }] }];
      let number = 0;
      for (const { wire, reply, keeps, says, shows, result, showsResult, fails, effort } of steps) {
        const one = served[wire]!;
        one.next = { parts: reply };
        const before = one.fake.requests.length;
        const { end } = await collectReply(one.model, plainRequest(messages, { effort }));
        expect(one.fake.requests.slice(before).map(({ refused }) => refused)).toEqual([null]);
        expect(end.result.outcome).toBe('complete');
        const whole = end.parts.map(
          (part): AssistantPart => (part.type === 'call' ? { ...part, call: `${part.call}:${number++}` } : part),
        );
        const parts = keeps === null ? whole : whole.slice(0, keeps);
        if (parts.length > 0) messages.push({ role: 'assistant', parts, from: one.model.ref });
        const results = parts.flatMap((part): CallResult[] =>
          part.type === 'call'
            ? [
                {
                  call: part.call,
                  tool: part.tool,
                  text: result,
                  error: fails,
                  images: showsResult ? [PICTURE] : [],
                },
              ]
            : [],
        );
        if (results.length > 0) messages.push({ role: 'results', results });
        // Without calls somebody has to say something before a model is asked again; nobody can send blanks alone.
        if (says !== null || shows || results.length === 0) {
          const words = [
            { type: 'text' as const, text: 'and?' },
            { type: 'text' as const, text: says ?? '' },
          ];
          messages.push({ role: 'user', parts: [...words, ...(shows ? [PICTURE] : [])] });
        }
      }
    }),
    { numRuns: 25 },
  );
}, 60_000);
