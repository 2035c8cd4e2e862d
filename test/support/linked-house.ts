// The true session behind a link, with everything else as in `controller.ts`: files in memory, a clock moved by hand.
import { linkInProcess } from '../../src/link/in-process.ts';
import { LOCAL_RECONNECT } from '../../src/link/reconnect.ts';
import { connectSession } from '../../src/link/socket-client.ts';
import { serveSession } from '../../src/link/socket-server.ts';
import type { Intent, Sent } from '../../src/protocol/intent.ts';
import type { LinkedSession } from '../../src/protocol/link.ts';
import { apply, emptyHead, emptyView } from '../../src/protocol/reduce.ts';
import type { Change } from '../../src/protocol/update.ts';
import type { InputOutcome, View } from '../../src/protocol/view.ts';
import { type House, type HouseOptions, openHouse } from './controller.ts';
import { createPipe } from './pipe.ts';
import { must, report } from './session-rigs.ts';

export const LINKS = ['in process', 'over a byte stream'] as const;
export type LinkKind = (typeof LINKS)[number];

export interface LinkedSeat {
  readonly view: View;
  readonly changes: readonly Change[];
  send(intent: Intent): Promise<Sent>;
  say(
    text: string,
    delivery?: Extract<Intent, { type: 'say' }>['delivery'],
    more?: { together?: boolean },
  ): Promise<Sent>;
  command(name: string, argument?: string, here?: boolean): Promise<Sent>;
  /** What became of the `n`-th thing this seat said or ordered, from 1. */
  outcome(n: number): InputOutcome | null;
  /** All it was told of that, in order. */
  states(n: number): InputOutcome['state'][];
  until(holds: (view: View) => boolean): Promise<View>;
  leave(): Promise<void>;
}

export interface LinkedHouse {
  readonly house: House;
  sit(client: string): Promise<LinkedSeat>;
  idle(): Promise<void>;
  settle(): Promise<void>;
}

export async function openLinked(kind: LinkKind, options: HouseOptions): Promise<LinkedHouse> {
  return linkHouse(kind, await openHouse(options));
}

/** Seats in a house that is there already. */
export function linkHouse(kind: LinkKind, house: House): LinkedHouse {
  const { clock } = house.system;
  const { session } = house;
  const server =
    kind === 'in process'
      ? null
      : serveSession({ session, clock, build: 'test', report, onClientLost: session.clientLost });
  const connect = async (client: string): Promise<LinkedSession> => {
    if (server === null) return linkInProcess(session, { client, onClientLost: session.clientLost, report });
    return must(
      await connectSession({
        client,
        build: 'test',
        clock,
        connect: async () => {
          const pipe = createPipe();
          server.accept(pipe.right);
          return pipe.left;
        },
        reconnect: LOCAL_RECONNECT,
        report,
      }),
    );
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 4; turn++) await house.settle();
  };

  return {
    house,
    settle,
    idle: async () => {
      await settle();
      await house.idle();
      await settle();
    },
    sit: async (client) => {
      const linked = await connect(client);
      const view = emptyView(emptyHead('', '', ''));
      const changes: Change[] = [];
      const checks = new Set<() => void>();
      linked.attach({ client }, (update) => {
        changes.push(...update.changes);
        apply(view, update);
        for (const check of [...checks]) check();
      });
      await settle();
      let refs = 0;
      const refOf = (n: number): string => `${client}-${n}`;
      return {
        view,
        changes,
        send: (intent) => linked.send(intent, client),
        say: (text, delivery = 'steering', more = {}) =>
          linked.send({ type: 'say', ref: refOf(++refs), text, attachments: [], delivery, ...more }, client),
        command: (name, argument = '', here = false) =>
          linked.send({ type: 'command', ref: refOf(++refs), name, argument, ...(here ? { here } : {}) }, client),
        outcome: (n) => view.outcomes.find((one) => one.client === client && one.ref === refOf(n)) ?? null,
        states: (n) =>
          changes.flatMap((change) =>
            change.type === 'outcome' && change.outcome.client === client && change.outcome.ref === refOf(n)
              ? [change.outcome.state]
              : [],
          ),
        until: async (holds) => {
          const { promise, resolve } = Promise.withResolvers<View>();
          const check = (): void => {
            if (holds(view)) resolve(view);
          };
          checks.add(check);
          check();
          await clock.runUntil(promise);
          checks.delete(check);
          return view;
        },
        leave: () => linked.close(),
      };
    },
  };
}
