import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { checkStrictly } from '../../../test/support/check-strictly.ts';
import * as make from '../../../test/support/entries.ts';
import { growBodies } from '../../../test/support/random-entries.ts';
import type { Entry, EntryBody } from '../../protocol/entry.ts';
import type { Said } from '../../protocol/fold.ts';
import type { Attachment } from '../../protocol/message.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import type { Message } from '../models/model.ts';
import { NOT_PARSED, NOT_RUN, OUTCOME_UNKNOWN } from './interrupted.ts';
import type { Journal } from './journal.ts';
import { createMemoryJournal } from './memory-journal.ts';
import { buildMessages, type ContextOptions, createModelContext } from './model-context.ts';

const HELD: Readonly<Record<string, string>> = { h1: btoa('first'), h2: btoa('second') };
const OPTIONS: ContextOptions = {
  target: make.MODEL,
  images: true,
  loadAttachment: async ({ hash }) => HELD[hash] ?? null,
};

function newJournal(): Journal {
  const { clock, ids } = createMemorySystem();
  return createMemoryJournal({ clock, ids, session: 's', first: make.sessionBody() });
}

/** Appends bodies; a text stands for a prompt that is said and taken. */
function write(journal: Journal, ...bodies: (EntryBody | string)[]): Entry[] {
  return bodies.flatMap((body) => {
    if (typeof body !== 'string') return [...journal.append([body]).entries];
    return [...journal.append([make.takenBody(journal.append([make.inputBody(body)]).entries[0]!.id, 1)]).entries];
  });
}

async function messagesOf(bodies: (EntryBody | string)[], options: Partial<ContextOptions> = {}): Promise<Message[]> {
  const journal = newJournal();
  write(journal, ...bodies);
  return await createModelContext(journal).build({ ...OPTIONS, ...options });
}

/** Messages in short: `u:` user texts, `a:` assistant parts, `r:` results. */
function short(messages: readonly Message[]): string[] {
  return messages.map((message) => {
    if (message.role === 'results')
      return `r: ${message.results.map(({ call, text, error }) => `${call}=${text}${error ? '!' : ''}`).join(' | ')}`;
    if (message.role === 'user')
      return `u: ${message.parts.map((part) => (part.type === 'text' ? part.text : `<${part.name}>`)).join(' | ')}`;
    return `a: ${message.parts.map((part) => (part.type === 'call' ? `${part.call}(${JSON.stringify(part.input)})` : part.text)).join(' | ')}`;
  });
}

describe('an ordinary conversation', () => {
  test('prompts, replies, calls and results in their order; results in the order of the calls', async () => {
    const messages = await messagesOf([
      'first',
      make.turnStartBody(1),
      make.assistantBody(1, [make.textPart('looking'), make.callPart('a'), make.callPart('b')]),
      make.callBody(1, 'a'),
      make.callBody(1, 'b'),
      make.resultBody(1, 'b'),
      make.resultBody(1, 'a', 'no such file', 'error'),
      make.assistantBody(1, [make.textPart('done')]),
      make.turnEndBody(1),
      'second',
    ]);
    expect(short(messages)).toEqual([
      'u: first',
      'a: looking | a({"path":"a"}) | b({"path":"a"})',
      'r: a=no such file! | b=result of b',
      'a: done',
      'u: second',
    ]);
  });

  test('what was said mid-turn goes after the results, and prompts in a row are one message', async () => {
    const messages = await messagesOf([
      'one',
      'two',
      make.assistantBody(1, [make.callPart('a')]),
      make.callBody(1, 'a'),
      'rather this',
      make.resultBody(1, 'a'),
    ]);
    expect(short(messages)).toEqual(['u: one | two', 'a: a({"path":"a"})', 'r: a=result of a', 'u: rather this']);
  });

  test('last words for one request only', async () => {
    const journal = newJournal();
    const context = createModelContext(journal);
    write(journal, 'go', make.assistantBody(1, [make.textPart('done')]));
    expect(short(await context.build({ ...OPTIONS, lastly: 'Summarise.' }))).toEqual([
      'u: go',
      'a: done',
      'u: Summarise.',
    ]);
    write(journal, 'more');
    expect(short(await context.build({ ...OPTIONS, lastly: 'Summarise.' })).at(-1)).toBe('u: more | Summarise.');
    expect(short(await context.build(OPTIONS)).at(-1)).toBe('u: more');
  });

  test('a prompt that was rewritten while it waited is sent as rewritten', async () => {
    const journal = newJournal();
    const [input] = journal.append([make.inputBody('before')]).entries;
    journal.append([
      { kind: 'queue', order: [], edited: [{ input: input!.id, text: 'after', delivery: 'queue' }], paused: null },
    ]);
    journal.append([make.takenBody(input!.id, 1)]);
    expect(short(await createModelContext(journal).build(OPTIONS))).toEqual(['u: after']);
  });

  test("a person's own shell line rides with the next message once it has its output", async () => {
    const journal = newJournal();
    const context = createModelContext(journal);
    const [input] = journal.append([make.inputBody('ls', 'shell')]).entries;
    write(journal, 'hi', make.assistantBody(1, [make.textPart('yes?')]), make.turnEndBody(1));
    journal.append([make.takenBody(input!.id, 2, 'shell'), make.callBody(2, 's', '!')]);
    expect(short(await context.build(OPTIONS))).toHaveLength(3);
    journal.append([make.resultBody(2, 's', 'a.txt', 'ok', '!')]);
    write(journal, 'which files?');
    expect(short(await context.build(OPTIONS))).toEqual([
      'u: hi',
      'a: yes?',
      'u: I ran this in my own shell:\n$ ls\na.txt | which files?',
    ]);
  });

  test('pictures and text files go along; what cannot is named', async () => {
    const attachment = (kind: Attachment['kind'], hash: string, mediaType: string): Attachment => ({
      kind,
      name: `${hash}.x`,
      mediaType,
      bytes: 5,
      hash,
    });
    const attachments = [
      attachment('image', 'h1', 'image/png'),
      attachment('file', 'h2', 'text/plain'),
      attachment('file', 'h2', 'application/pdf'),
      attachment('image', 'gone', 'image/png'),
    ];
    const options = { ...OPTIONS, said: (): Said => ({ text: 'see', attachments }) };
    const entries: Entry[] = [{ id: 't', parent: null, time: 0, ...make.takenBody('i', 1) }];
    const [message] = short(await buildMessages(entries, options));
    expect(message).toBe(
      'u: see | <h1.x> | file "h2.x":\nsecond | [file "h2.x" attached: application/pdf, 5 bytes, not shown] | [image "gone.x" left out: its bytes are no longer there]',
    );
    expect(short(await buildMessages(entries, { ...options, images: false }))[0]).toContain(
      '[image "h1.x" left out: this model takes no images]',
    );
    expect(short(await buildMessages(entries, { ...options, dropped: new Set(['h1']) }))[0]).toContain(
      '[image "h1.x" left out: the model service refused it]',
    );
  });
});

describe('repairs', () => {
  test('UP-24 calls cut by an interrupt get their results in call order: real, interrupted, not run', async () => {
    const messages = await messagesOf([
      'go',
      make.assistantBody(1, [make.callPart('a'), make.callPart('b'), make.callPart('c')]),
      make.callBody(1, 'b'),
      make.callBody(1, 'a'),
      make.resultBody(1, 'a'),
      make.turnEndBody(1, 'stopped'),
      'next',
    ]);
    expect(short(messages).slice(2)).toEqual([`r: a=result of a | b=${OUTCOME_UNKNOWN}! | c=${NOT_RUN}!`, 'u: next']);
  });

  test('results twice count once, results of no call not at all', async () => {
    const messages = await messagesOf([
      'go',
      make.resultBody(1, 'before'),
      make.assistantBody(1, [make.callPart('a')]),
      make.resultBody(1, 'a', 'true'),
      make.resultBody(1, 'a', 'false'),
      make.resultBody(1, 'stranger'),
    ]);
    expect(short(messages)).toEqual(['u: go', 'a: a({"path":"a"})', 'r: a=true']);
  });

  test('CX-2 a cut reply keeps its text and whole calls; a call that was still being written is dropped', async () => {
    const messages = await messagesOf([
      'go',
      make.assistantBody(1, [make.textPart('I will'), make.callPart('a'), make.callPart('b', null)], 'aborted'),
      make.turnEndBody(1, 'stopped'),
      'go on',
    ]);
    expect(short(messages)).toEqual(['u: go', 'a: I will | a({"path":"a"})', `r: a=${NOT_RUN}!`, 'u: go on']);
  });

  test('a reply that failed and its next try stand apart', async () => {
    const bodies = ['go', make.assistantBody(1, [make.textPart('half')], 'failed')];
    const cut = '[Your message ended here. Go on.]';
    expect(short(await messagesOf(bodies))).toEqual(['u: go', 'a: half', `u: ${cut}`]);
    expect(short(await messagesOf([...bodies, make.assistantBody(1, [make.textPart('whole')]), 'thanks']))).toEqual([
      'u: go',
      'a: half',
      `u: ${cut}`,
      'a: whole',
      'u: thanks',
    ]);
  });

  test('arguments that are no object become an empty one, with an error', async () => {
    const messages = await messagesOf([
      'go',
      make.assistantBody(1, [make.callPart('a', null), make.callPart('b', ['x'])]),
      make.resultBody(1, 'b', 'told already', 'error'),
    ]);
    expect(short(messages).slice(1)).toEqual(['a: a({}) | b({})', `r: a=${NOT_PARSED}! | b=told already!`]);
  });

  test('opaque parts go to the model that made them only, and foreign thinking to none', async () => {
    const body = make.assistantBody(1, [
      { type: 'thinking', text: 'hm', opaque: 'signed' },
      { type: 'thinking', text: 'unsigned' },
      { type: 'text', text: 'so', opaque: { id: 1 } },
      { type: 'thinking', text: 'last', opaque: 'signed' },
    ]);
    const [, own] = await messagesOf(['go', body]);
    expect(own).toMatchObject({
      parts: [
        { type: 'thinking', text: 'hm', opaque: 'signed' },
        { type: 'text', text: 'so', opaque: { id: 1 } },
      ],
    });
    for (const options of [{ target: make.OTHER_MODEL }, { target: { ...make.MODEL, model: 'newer' } }]) {
      const [, foreign] = await messagesOf(['go', body], options);
      expect(foreign).toEqual({ role: 'assistant', parts: [{ type: 'text', text: 'so' }], from: make.MODEL });
    }
  });

  test('an item the service refused can be left out', async () => {
    const bodies = [
      'go',
      make.assistantBody(1, [{ type: 'thinking', text: 'hm', opaque: 'bad' }, make.callPart('a')]),
      make.resultBody(1, 'a', 'too long'),
    ];
    const journal = newJournal();
    const [, assistant] = write(journal, ...bodies);
    const messages = await createModelContext(journal).build({ ...OPTIONS, dropped: new Set(['a', assistant!.id]) });
    expect(short(messages)).toEqual([
      'u: go',
      'a: a({"path":"a"})',
      'r: a=[result left out: the model service refused it]',
    ]);
  });

  test('any entries at all, with any of them lost, make a request every service takes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.nat(25), fc.boolean(), async (seed, count, images) => {
        const entries: Entry[] = [];
        const said = new Map<string, Said>();
        growBodies(
          seed,
          count,
          () => entries,
          (body) => {
            const entry = { id: `e${entries.length}`, parent: entries.at(-1)?.id ?? null, time: 0, ...body } as Entry;
            entries.push(entry);
            if (entry.kind === 'input') said.set(entry.id, entry);
          },
        );
        const kept = entries.filter(() => seed(fc.boolean) || seed(fc.boolean));
        for (const target of [make.MODEL, make.OTHER_MODEL]) {
          checkStrictly(
            await buildMessages(kept, { ...OPTIONS, images, target, said: (id) => said.get(id) ?? null }),
            target,
          );
        }
      }),
      { numRuns: 400, endOnFailure: true },
    );
  });
});

describe('compaction', () => {
  const old: (EntryBody | string)[] = ['TASK-X', make.assistantBody(1, [make.textPart('X done')]), make.turnEndBody(1)];

  test('UP-31 what was cut off is the summary, the rest stays word for word', async () => {
    const journal = newJournal();
    write(journal, ...old);
    const [task] = write(journal, 'TASK-Y: create y.txt');
    write(
      journal,
      make.compactionBody('X was done.', task!.id),
      make.assistantBody(2, [make.textPart('on it')]),
      'good',
    );
    const [summary, ...rest] = short(await createModelContext(journal).build(OPTIONS));
    expect(summary).toEndWith('X was done. | TASK-Y: create y.txt');
    expect(summary).not.toContain('TASK-X');
    expect(rest).toEqual(['a: on it', 'u: good']);
  });

  test('the newest task stays even when the entry to keep from is lost', async () => {
    const messages = await messagesOf([
      ...old,
      'TASK-Y',
      make.compactionBody('X was done.', 'lost'),
      make.assistantBody(2, [make.textPart('on it')]),
    ]);
    expect(short(messages)[0]).toEndWith('X was done. | TASK-Y');
  });

  test('only the last one counts', async () => {
    const journal = newJournal();
    const [first] = write(journal, 'one');
    write(journal, make.compactionBody('first summary', first!.id), make.assistantBody(1, [make.textPart('a')]));
    const [second] = write(journal, 'two');
    write(journal, make.compactionBody('second summary', second!.id));
    const messages = short(await createModelContext(journal).build(OPTIONS));
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain('second summary');
    expect(messages[0]).not.toContain('first');
  });
});

describe('from one request to the next', () => {
  test('whatever is appended or moved, going on gives what building anew gives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.nat(20), async (seed, count) => {
        const journal = newJournal();
        const context = createModelContext(journal);
        const entries: Entry[] = [];
        for (let number = 0; number < count; number++) {
          growBodies(
            seed,
            1,
            () => entries,
            (body) => void entries.push(...journal.append([body]).entries),
          );
          if (seed(fc.nat, { max: 5 }) === 0)
            journal.append([{ kind: 'position', leaf: seed(fc.constantFrom, ...journal.branch()) }]);
          if (seed(fc.boolean))
            expect(await context.build(OPTIONS)).toEqual(await createModelContext(journal).build(OPTIONS));
        }
        const target = make.OTHER_MODEL;
        expect(await context.build({ ...OPTIONS, target })).toEqual(
          await createModelContext(journal).build({ ...OPTIONS, target }),
        );
      }),
      { numRuns: 150, endOnFailure: true },
    );
  });

  test('whatever is read ahead, and whatever comes between, a request is what building anew gives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.integer({ min: 60, max: 220 }), async (seed, count) => {
        const journal = newJournal();
        const context = createModelContext(journal);
        const entries: Entry[] = [];
        const grow = (by: number): void =>
          growBodies(
            seed,
            by,
            () => entries,
            (body) => void entries.push(...journal.append([body]).entries),
          );
        grow(count);
        const other = { ...OPTIONS, target: make.OTHER_MODEL };
        const asked: Promise<void>[] = [];
        const ask = async (options: ContextOptions): Promise<void> => {
          const branch = journal.branch();
          const built = await context.build(options);
          if (journal.branch().at(-1) === branch.at(-1))
            expect(built).toEqual(await createModelContext(journal).build(options));
        };
        await context.prepare(seed(fc.boolean) ? OPTIONS : other, async () => {
          const move = seed(fc.nat, { max: 6 });
          if (move === 0) grow(3);
          if (move === 1) journal.append([{ kind: 'position', leaf: seed(fc.constantFrom, ...journal.branch()) }]);
          if (move === 2) asked.push(ask(OPTIONS));
          if (move === 3) context.drop();
          return move !== 4;
        });
        await Promise.all(asked);
        await ask(OPTIONS);
        await ask(other);
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });

  test('what was read ahead is not read again: only the newest entries are left to the request', async () => {
    const journal = newJournal();
    let loaded = 0;
    let broken = false;
    const context = createModelContext({
      ...journal,
      branch: journal.branch,
      load(ids) {
        if (broken) return Promise.reject(new Error('EIO'));
        loaded += ids.length;
        return journal.load(ids);
      },
    });
    for (let turn = 1; turn < 200; turn++)
      write(journal, `say ${turn}`, make.assistantBody(turn, [make.textPart('a')]), make.turnEndBody(turn));
    let slices = 0;
    await context.prepare(OPTIONS, async () => ++slices > 0);
    expect(slices).toBeGreaterThan(3);
    loaded = 0;
    const messages = await context.build(OPTIONS);
    expect(loaded).toBeLessThan(100);
    expect(messages).toEqual(await createModelContext(journal).build(OPTIONS));
    // One that fails on the way leaves nothing out.
    context.drop();
    broken = true;
    await expect(context.prepare(OPTIONS, async () => true)).rejects.toThrow('EIO');
    broken = false;
    expect(await context.build(OPTIONS)).toEqual(messages);
  });

  test('in an ordinary turn every request begins with the one before it, and reads only what is new', async () => {
    const journal = newJournal();
    let loaded = 0;
    const context = createModelContext({
      ...journal,
      branch: journal.branch,
      load(ids) {
        loaded += ids.length;
        return journal.load(ids);
      },
    });
    let before: string[] = [];
    write(journal, 'go');
    for (let round = 0; round < 30; round++) {
      loaded = 0;
      const messages = (await context.build(OPTIONS)).map((message) => JSON.stringify(message));
      expect(messages.slice(0, before.length)).toEqual(before);
      expect(loaded).toBeLessThan(6);
      before = messages;
      const call = `c${round}`;
      write(journal, make.assistantBody(1, [make.callPart(call)]), make.callBody(1, call), make.resultBody(1, call));
    }
  });

  test('a read that fails leaves nothing out of the next request', async () => {
    const journal = newJournal();
    let broken = false;
    const context = createModelContext({
      ...journal,
      branch: journal.branch,
      load: (ids) => (broken ? Promise.reject(new Error('EIO')) : journal.load(ids)),
    });
    write(journal, 'one');
    await context.build(OPTIONS);
    write(journal, 'two');
    broken = true;
    await expect(context.build(OPTIONS)).rejects.toThrow('EIO');
    broken = false;
    expect(short(await context.build(OPTIONS))).toEqual(['u: one | two']);
  });
});
