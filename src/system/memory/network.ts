import type { Clock } from '../clock.ts';
import { SystemError } from '../files.ts';
import type { Connection, Network } from '../network.ts';
import type { MemoryFiles } from './files.ts';
import { failure } from './tree.ts';

/** Sockets inside the process, and a `fetch` that a test answers. */
export interface MemoryNetwork extends Network {
  /** Who answers `fetch`; without it every request fails as if there were no network. */
  answer: ((request: Request) => Response | Promise<Response>) | null;
  /** A request to whoever answers at `http://127.0.0.1:PORT`, as from another program here; null: nobody does. */
  visit(url: string): Promise<Response | null>;
  /** Nothing is delivered until `thaw`; writers see their buffers grow. */
  freeze(): void;
  thaw(): void;
  /** Every piece takes this long to arrive (0: at once). */
  slow(ms: number): void;
  /** Every connection ends, both sides told; listeners stay. */
  cut(): void;
  /** As when the process dies: connections end, listeners vanish, their socket files stay. */
  crash(): void;
}

/** Past this a `write` answers false, as the system's own sockets do. */
const HIGH_WATER = 64 * 1024;

interface Listener {
  readonly accept: (connection: Connection) => void;
  readonly accepted: Set<End>;
}

interface Lane {
  send(arrive: () => void): void;
  schedule(): void;
}

interface End extends Connection {
  /** `taken` once it was handed on. */
  deliver(bytes: Uint8Array, taken: () => void): void;
  endNow(): void;
}

export function createMemoryNetwork(clock: Clock, files: MemoryFiles): MemoryNetwork {
  const listeners = new Map<string, Listener>();
  const loopback = new Map<number, (request: Request) => Response | Promise<Response>>();
  const open = new Set<End>();
  const lanes = new Set<Lane>();
  let frozen = false;
  let delay = 0;

  /** One direction of one connection: what is sent arrives in order, later, or when thawed. */
  const createLane = (): Lane => {
    const queue: { readonly due: number; readonly arrive: () => void }[] = [];
    let scheduled = false;
    const pump = () => {
      scheduled = false;
      while (!frozen && queue[0] && queue[0].due <= clock.ticks()) queue.shift()?.arrive();
      schedule();
    };
    const schedule = () => {
      const first = queue[0];
      if (scheduled || frozen || !first) return;
      scheduled = true;
      const wait = first.due - clock.ticks();
      if (wait > 0) clock.after(wait, pump);
      else queueMicrotask(pump);
    };
    return {
      send(arrive) {
        queue.push({ due: Math.max(queue.at(-1)?.due ?? 0, clock.ticks() + delay), arrive });
        schedule();
      },
      schedule,
    };
  };

  const createPair = (): [End, End] => {
    const createEnd = (other: () => End): End => {
      let buffered = 0;
      let behind = false;
      let closed = false;
      let pending: { readonly bytes: Uint8Array; readonly taken: () => void }[] = [];
      let paused = false;
      let ended = false;
      const onData: ((bytes: Uint8Array) => void)[] = [];
      const onDrain: (() => void)[] = [];
      const onClose: (() => void)[] = [];
      const lane = createLane();
      lanes.add(lane);
      const handOn = (): void => {
        while (onData.length > 0 && !paused && pending.length > 0) {
          const { bytes, taken } = pending.shift()!;
          for (const listener of onData) listener(bytes);
          taken();
        }
        if (ended && pending.length === 0) end.endNow();
      };
      const end: End = {
        write(bytes) {
          if (closed) return false;
          const copy = bytes.slice();
          buffered += copy.length;
          const taken = () => {
            buffered -= copy.length;
            if (behind && buffered === 0) {
              behind = false;
              for (const listener of onDrain) listener();
            }
          };
          lane.send(() => other().deliver(copy, taken));
          if (buffered > HIGH_WATER) behind = true;
          return buffered <= HIGH_WATER;
        },
        get buffered() {
          return buffered;
        },
        deliver(bytes, taken) {
          if (closed) return;
          pending.push({ bytes, taken });
          handOn();
        },
        pause() {
          paused = true;
        },
        resume() {
          paused = false;
          handOn();
        },
        onData(listener) {
          onData.push(listener);
          handOn();
        },
        onDrain(listener) {
          onDrain.push(listener);
        },
        onClose(listener) {
          if (closed) queueMicrotask(listener);
          else onClose.push(listener);
        },
        close() {
          if (closed) return;
          pending = [];
          // What was written before still arrives, then the other side learns of the end.
          lane.send(() => other().endNow());
          end.endNow();
        },
        endNow() {
          if (closed) return;
          // What had come by then is read first, by whoever could not take it yet.
          if (paused && pending.length > 0) {
            ended = true;
            return;
          }
          closed = true;
          open.delete(end);
          queueMicrotask(() => {
            for (const listener of onClose) listener();
          });
        },
      };
      open.add(end);
      return end;
    };
    const left: End = createEnd(() => right);
    const right: End = createEnd(() => left);
    return [left, right];
  };

  const network: MemoryNetwork = {
    answer: null,
    fetch: Object.assign(
      async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
        const request = input instanceof Request ? new Request(input, init) : new Request(String(input), init);
        request.signal.throwIfAborted();
        if (!network.answer) throw new SystemError('ECONNREFUSED', `ECONNREFUSED: no network: ${request.url}`);
        const answer = Promise.resolve(network.answer(request));
        return await new Promise((resolve, reject) => {
          const stop = () => reject(request.signal.reason);
          request.signal.addEventListener('abort', stop, { once: true });
          answer.then(resolve, reject).finally(() => request.signal.removeEventListener('abort', stop));
        });
      },
      { preconnect() {} },
    ),
    async listen(path, onConnection) {
      if (path.length > 103) throw new SystemError('EINVAL', `EINVAL: socket path too long: ${path}`, path);
      if ((await files.linkStat(path)) !== null) throw new SystemError('EADDRINUSE', `EADDRINUSE: '${path}'`, path);
      if ((await files.stat(path.slice(0, path.lastIndexOf('/')) || '/')) === null) throw failure('ENOENT', path);
      files.seedOther(path, 0o600);
      const listener: Listener = { accept: onConnection, accepted: new Set() };
      listeners.set(path, listener);
      return {
        async close() {
          if (listeners.get(path) !== listener) return;
          listeners.delete(path);
          for (const end of listener.accepted) end.close();
          await files.remove(path);
        },
      };
    },
    async connect(path) {
      const listener = listeners.get(path);
      if (!listener) {
        const code = (await files.stat(path)) === null ? 'ENOENT' : 'ECONNREFUSED';
        throw new SystemError(code, `${code}: connect '${path}'`, path);
      }
      const [here, there] = createPair();
      listener.accepted.add(there);
      there.onClose(() => listener.accepted.delete(there));
      queueMicrotask(() => listener.accept(there));
      return here;
    },
    async answerLoopback(port, answer) {
      if (port !== 0 && loopback.has(port)) throw new SystemError('EADDRINUSE', `EADDRINUSE: port ${port}`);
      let own = port;
      for (let free = 40_000; own === 0; free++) if (!loopback.has(free)) own = free;
      loopback.set(own, answer);
      return {
        port: own,
        async close() {
          if (loopback.get(own) === answer) loopback.delete(own);
        },
      };
    },
    async visit(url) {
      const answer = loopback.get(Number(new URL(url).port));
      return answer === undefined ? null : await answer(new Request(url));
    },
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
      for (const lane of lanes) lane.schedule();
    },
    slow(ms) {
      delay = ms;
    },
    cut() {
      for (const end of [...open]) end.endNow();
    },
    crash() {
      network.cut();
      listeners.clear();
      loopback.clear();
    },
  };
  return network;
}
