import type { Outcome, Refusal } from '../base/refusal.ts';
import type { Intent, Sent } from '../protocol/intent.ts';
import type { Answered, Queries, Query, QueryType } from '../protocol/query.ts';
import type { Attachment, AttachOptions, ClientId, Session } from '../protocol/session.ts';
import type { Update } from '../protocol/update.ts';
import type { Head } from '../protocol/view.ts';
import { type HostState, watchState } from './host-state.ts';

/** A side conversation as whoever holds the session runs it. */
export interface SideService {
  readonly session: Session;
  readonly clientLost: (client: ClientId) => void;
  close(): Promise<void>;
}

/** What a new side conversation takes over from the session as it is then (SI-12). */
export type Inherited = Pick<Head, 'model' | 'effort'>;

export interface WithSide {
  /** The session, and its side conversation behind the same door. */
  readonly session: Session;
  readonly clientLost: (client: ClientId) => void;
  /** Whether something runs in the side conversation, or will without anybody's doing. */
  readonly isBusy: () => boolean;
  close(): Promise<void>;
}

const NO_SIDE: Refusal = { identifier: 'no-side', message: 'There is no side conversation: /side opens one.' };
/** What means the session that holds it, never the side conversation (SI-5). */
const NOT_INSIDE: ReadonlySet<Intent['type']> = new Set<Intent['type']>([
  ...(['command', 'end', 'side', 'side-open', 'side-reset'] as const),
]);

interface Watching {
  readonly options: AttachOptions;
  readonly listener: (update: Update) => void;
  readonly end: (reason: 'closed-here' | 'ended') => void;
  inner: Attachment;
}

/**
 * A session with a second one beside it, which begins when it is first asked for and lives as long as the first. Whoever
 * is attached to it stays so when it starts over: the new one comes as a snapshot.
 */
export function createWithSide(
  session: Session,
  clientLost: (client: ClientId) => void,
  open: (inherited: Inherited) => Promise<Outcome<SideService>>,
): WithSide {
  let side: SideService | null = null;
  let state: HostState | null = null;
  /** The newest opening or starting over: they go one after the other. */
  let turn: Promise<unknown> = Promise.resolve();
  let closed = false;
  const watching = new Set<Watching>();

  const inherited = (): Inherited => {
    let head: Inherited = { model: null, effort: 'default' };
    const look = session.attach({ client: 'side', readOnly: true, onlyReads: true }, ({ changes }) => {
      for (const change of changes) if (change.type === 'snapshot') head = change.view.head;
    });
    look.close();
    return { model: head.model, effort: head.effort };
  };

  const start = async (): Promise<Sent> => {
    if (closed)
      return { accepted: false, refusal: { identifier: 'session-closed', message: 'This session has ended.' } };
    const opened = await open(inherited());
    if (!opened.ok) return { accepted: false, refusal: opened.refusal };
    side = opened.value;
    state = watchState(opened.value.session, 'side', () => {});
    for (const watch of watching) watch.inner = follow(watch, opened.value.session);
    return { accepted: true, value: null };
  };

  const inTurn = (work: () => Promise<Sent>): Promise<Sent> => {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  };

  const leaveSide = (): void => {
    side = null;
    state?.close();
    state = null;
  };

  /** The old one is over with all that runs in it before the new one begins (SI-6). */
  const startOver = async (): Promise<Sent> => {
    const old = side;
    leaveSide();
    await old?.close();
    return start();
  };

  function follow(watch: Watching, to: Session): Attachment {
    // Numbers of an earlier conversation say nothing about this one.
    const { after: _, side: __, ...options } = watch.options;
    return to.attach(options, (update) => {
      const changes = update.changes.filter((change) => change.type !== 'closed');
      if (changes.length > 0) watch.listener({ ...update, changes });
    });
  }

  function attachToSide(options: AttachOptions, listener: (update: Update) => void, to: Session): Attachment {
    const { promise, resolve } = Promise.withResolvers<'closed-here' | 'ended'>();
    const { side: _, ...rest } = options;
    const watch: Watching = {
      ...{ options, listener },
      end: (reason) => {
        if (!watching.delete(watch)) return;
        watch.inner.close();
        resolve(reason);
      },
      inner: to.attach(rest, (update) => {
        const changes = update.changes.filter((change) => change.type !== 'closed');
        if (changes.length > 0) listener({ ...update, changes });
      }),
    };
    watching.add(watch);
    return { close: () => watch.end('closed-here'), closed: promise };
  }

  return {
    session: {
      attach(options, listener) {
        if (options.side !== true) return session.attach(options, listener);
        return side === null ? NOWHERE : attachToSide(options, listener, side.session);
      },
      send(intent, client) {
        switch (intent.type) {
          case 'side-open':
            return inTurn(async () => (side === null ? start() : { accepted: true, value: null }));
          case 'side-reset':
            return inTurn(startOver);
          case 'side':
            if (side === null) return Promise.resolve({ accepted: false, refusal: NO_SIDE });
            if (NOT_INSIDE.has(intent.intent.type)) return Promise.resolve({ accepted: false, refusal: OUTSIDE });
            return side.session.send(intent.intent, client);
          default:
            return session.send(intent, client);
        }
      },
      async read<K extends QueryType>(
        query: { readonly type: K } & Readonly<Queries[K]['ask']>,
        client?: ClientId,
      ): Promise<Answered<K>> {
        const asked = query as unknown as Query;
        if (asked.type !== 'side') return session.read(query, client);
        if (side === null) return { ok: false, refusal: NO_SIDE };
        const answered = await side.session.read(asked.query as { readonly type: QueryType } as never, client);
        return { ok: true, value: { answered } } as unknown as Answered<K>;
      },
    },
    clientLost: (client) => {
      clientLost(client);
      side?.clientLost(client);
    },
    isBusy: () => state?.busy ?? false,
    close: async () => {
      closed = true;
      await turn;
      const last = side;
      leaveSide();
      await last?.close();
      for (const watch of [...watching]) watch.end('ended');
    },
  };
}

const OUTSIDE: Refusal = { identifier: 'not-inside', message: 'The only command of a side conversation is /reset.' };

const NOWHERE: Attachment = { close: () => {}, closed: Promise.resolve('ended' as const) };
