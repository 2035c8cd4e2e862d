import type { Answered, Queries, Query, QueryType } from './query.ts';
import type { ClientId, Session } from './session.ts';

/** The side conversation of a session, as a session of its own: the same three verbs. */
export function sideOf(session: Session): Session {
  return {
    attach: (options, listener) => session.attach({ ...options, side: true }, listener),
    send: (intent, client) => session.send({ type: 'side', intent }, client),
    async read<K extends QueryType>(
      query: { readonly type: K } & Readonly<Queries[K]['ask']>,
      client?: ClientId,
    ): Promise<Answered<K>> {
      const answer = await session.read({ type: 'side', query: query as unknown as Query }, client);
      return answer.ok ? (answer.value.answered as Answered<K>) : answer;
    },
  };
}
