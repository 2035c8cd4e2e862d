import type { EntryId } from '../../protocol/entry.ts';
import type { ClientId } from '../../protocol/session.ts';
import type { Waiting } from '../runtime/inbox.ts';
import type { Outcomes } from './outcomes.ts';
import type { Publisher } from './publish.ts';
import type { CommandEnd } from './turn-loop.ts';

/**
 * Commands a terminal runs itself, such as `/theme`, that wait their turn in the session's line: handed back when it has
 * come, and awaited, so that nothing behind starts beside an open dialog (SC-5.9, SC-4.9).
 */
export interface HandBacks {
  /** This input is such a command. Not kept: the terminal that could run it does not outlive the session. */
  expect(input: EntryId): void;
  isExpected(input: EntryId): boolean;
  /** Tells the terminal that its turn has come; resolves once it says it is done, is gone, or all is stopped. */
  run(row: Waiting, name: string, argument: string, signal: AbortSignal): Promise<CommandEnd>;
  /** False when no such command of this client is under way. */
  done(client: ClientId, ref: string): boolean;
  lost(client: ClientId): void;
}

export function createHandBacks(publisher: Publisher, outcomes: Outcomes): HandBacks {
  const expected = new Set<EntryId>();
  let under: { readonly client: ClientId; readonly ref: string; readonly end: (end: CommandEnd) => void } | null = null;

  return {
    expect: (input) => void expected.add(input),
    isExpected: (input) => expected.has(input),
    run: async ({ id, client, ref }, name, argument, signal) => {
      expected.delete(id);
      if (!publisher.attached(client).some((one) => !one.readOnly)) return GONE;
      const { promise, resolve } = Promise.withResolvers<CommandEnd>();
      under = { client, ref, end: resolve };
      const stop = (): void => resolve({ state: 'stopped', messages: [] });
      signal.addEventListener('abort', stop, { once: true });
      outcomes.set({ client, ref }, 'your-turn');
      publisher.publish({ type: 'your-turn', client, ref, name, argument });
      const end = await promise;
      signal.removeEventListener('abort', stop);
      under = null;
      return end;
    },
    done: (client, ref) => {
      if (under?.client !== client || under.ref !== ref) return false;
      under.end({ state: 'done', messages: [] });
      return true;
    },
    lost: (client) => {
      if (under?.client === client) under.end(GONE);
    },
  };
}

const GONE: CommandEnd = {
  state: 'refused',
  messages: [{ level: 'warning', identifier: 'terminal-gone', text: 'The terminal that would have run it is gone.' }],
};
