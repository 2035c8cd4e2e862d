import type { Json, JsonObject } from '../../base/json.ts';
import { done, type Outcome, refuse } from '../../base/refusal.ts';
import { visible } from '../../base/text-width.ts';
import type { Clock } from '../../system/clock.ts';
import type { Channel, ChannelEvents } from './channel.ts';
import { isObject } from './config.ts';
import { type Answer, createPeer, type Peer } from './peer.ts';
import { readTools, type ToolList } from './tool-list.ts';

/** One server that was greeted. */
export interface Client {
  listTools(signal: AbortSignal): Promise<Outcome<ToolList>>;
  callTool(name: string, input: JsonObject, signal: AbortSignal, onProgress: (text: string) => void): Promise<Answer>;
  /** Whether it said that its tools changed, since they were last listed. */
  readonly changed: boolean;
  /** They are to be listed once more. */
  markChanged(): void;
  /** Why it is gone; null while it is there. */
  readonly gone: string | null;
  close(): Promise<void>;
}

export interface ClientParts {
  /** As the person calls it: its tools carry the name. */
  readonly server: string;
  readonly clock: Clock;
  readonly version: string;
  readonly timeoutMs: number;
  readonly open: (events: ChannelEvents) => Promise<Channel>;
}

/** The newest first: what we greet with. */
const VERSIONS = ['2025-06-18', '2025-03-26', '2024-11-05'];
const MOST_PAGES = 64;
const MOST_LISTED = 1_000;

/**
 * Opens the way to a server and greets it. Refused in our own words where it does not answer as one; what was started for
 * it is ended then. Throws what opening the way throws.
 */
export async function connectServer(parts: ClientParts, signal: AbortSignal): Promise<Outcome<Client>> {
  const { clock, timeoutMs } = parts;
  let changed = false;
  let channel: Channel | null = null;
  const peer: Peer = createPeer({
    clock,
    channel: () => channel!,
    onNotification: (method) => {
      if (method === 'notifications/tools/list_changed') changed = true;
    },
    onClosed: () => {},
  });
  channel = await parts.open(peer.events);
  const opened = channel;
  const fail = async (identifier: string, message: string): Promise<Outcome<Client>> => {
    await opened.close();
    return refuse(identifier, message);
  };
  const hello = await peer.request(
    'initialize',
    { protocolVersion: VERSIONS[0]!, capabilities: {}, clientInfo: { name: 'houston', version: parts.version } },
    { timeoutMs, signal, cancels: false },
  );
  if (!hello.ok) return fail(hello.why === 'stopped' ? 'stopped' : 'mcp-greeting', hello.message);
  const { result } = hello;
  const version = isObject(result) && typeof result.protocolVersion === 'string' ? result.protocolVersion : '';
  if (!isObject(result) || !VERSIONS.includes(version))
    return fail(
      'mcp-greeting',
      `it speaks no version of the protocol that is known here (${visible(version.slice(0, 20))})`,
    );
  opened.agreed(version);
  const offersTools = isObject(result.capabilities) && isObject(result.capabilities.tools);
  await peer.notify('notifications/initialized');

  return done({
    listTools: async (stop) => {
      changed = false;
      if (!offersTools) return done({ tools: [], leftOut: [] });
      return listAll(peer, { timeoutMs, signal: stop });
    },
    callTool: (name, input, stop, onProgress) =>
      peer.request('tools/call', { name, arguments: input }, { timeoutMs, signal: stop, onProgress }),
    get changed() {
      return changed;
    },
    markChanged: () => {
      changed = true;
    },
    get gone() {
      return peer.closed;
    },
    close: () => opened.close(),
  });

  async function listAll(from: Peer, options: { timeoutMs: number; signal: AbortSignal }): Promise<Outcome<ToolList>> {
    const all: Json[] = [];
    const cursors = new Set<string>();
    for (let cursor: string | null = null; ; ) {
      const answer: Answer = await from.request('tools/list', cursor === null ? {} : { cursor }, options);
      if (!answer.ok) return refuse(answer.why === 'stopped' ? 'stopped' : 'mcp-tools', answer.message);
      const page: Json = answer.result;
      if (!isObject(page) || !Array.isArray(page.tools)) return refuse('mcp-tools', 'its list of tools is none');
      all.push(...(page.tools as readonly Json[]).slice(0, MOST_LISTED));
      const next = page.nextCursor;
      if (typeof next !== 'string' || next === '') return readTools(parts.server, all);
      if (cursors.has(next) || cursors.size === MOST_PAGES || all.length > MOST_LISTED)
        return refuse('mcp-tools', 'its list of tools has no end');
      cursors.add(next);
      cursor = next;
    }
  }
}
