import type { TurnNews } from '../protocol/turn-news.ts';
import type { HostEntry, HostFiles } from './host-files.ts';

/** Turns that end in hosts, known by what these write of themselves: nobody connects to any, and at rest nothing runs. */
export function createTurnNews(files: Pick<HostFiles, 'list' | 'watch' | 'claimTurn'>): TurnNews {
  return {
    watch(listener) {
      /** Turns seen of each host; null until the first look: what ended before is no news. */
      let seen: Map<string, number> | null = null;
      let looking: Promise<void> = Promise.resolve();
      let closed = false;
      const look = async (): Promise<void> => {
        const hosts = await files.list().catch((): HostEntry[] => []);
        if (closed) return;
        const before = seen;
        seen = new Map(hosts.map((host) => [host.host, host.turnsEnded ?? 0]));
        if (before === null) return;
        for (const host of hosts) {
          const ended = host.turnsEnded ?? 0;
          if (ended <= (before.get(host.host) ?? 0)) continue;
          listener({ session: host.session, title: host.title, turn: `${host.host}-${ended}` });
        }
      };
      const again = (): void => {
        looking = looking.then(look);
      };
      const watcher = files.watch(again);
      again();
      return () => {
        closed = true;
        watcher?.close();
      };
    },
    claim: ({ turn }) => files.claimTurn(turn),
  };
}
