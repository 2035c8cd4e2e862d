import { expect, test } from 'bun:test';
import type { Journal } from '../../src/core/journal/journal.ts';
import { createMemoryJournal } from '../../src/core/journal/memory-journal.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { FOLDER, openHouse } from '../support/controller.ts';
import { scriptedModel } from '../support/script.ts';

/** The same journal on a disk that takes its time for replies: none is on it before `release`. */
function slowForReplies(journal: Journal): { journal: Journal; release: () => void } {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const slow: Journal = Object.create(journal, {
    append: {
      value: (...given: Parameters<Journal['append']>) => {
        const { entries, durable } = journal.append(...given);
        const held = given[0].some((body) => body.kind === 'assistant');
        return { entries, durable: held ? durable.then(() => released) : durable };
      },
    },
  });
  return { journal: slow, release };
}

for (const [mode, what] of [
  ['ask', 'asked about'],
  ['bypass', 'done'],
] as const) {
  test(`nothing a reply calls for is ${what} before the reply is on the disk`, async () => {
    const system = createMemorySystem();
    const { clock, ids } = system;
    const first = { kind: 'session', version: 1, session: 's', folder: FOLDER, build: '0', forkedFrom: null } as const;
    const { journal, release } = slowForReplies(createMemoryJournal({ clock, ids, session: 's', first }));
    const kinds: string[] = [];
    const house = await openHouse({
      system,
      journal,
      mode,
      bypassOffered: true,
      script: scriptedModel([[{ tool: 'do', input: { line: 'rm x' } }], 'done']),
    });
    const seat = house.seat('one');
    await seat.say('go');
    await house.settle();
    await clock.advance(1000);
    for await (const entry of journal.all()) kinds.push(entry.kind);
    expect(kinds).toContain('assistant');
    expect(kinds).not.toContain('call');
    expect(seat.view.asks).toEqual([]);
    release();
    await house.settle();
    await clock.advance(1000);
    if (mode === 'ask') expect(seat.view.asks).toHaveLength(1);
    else expect(journal.ofKind('call')).toHaveLength(1);
  });
}
