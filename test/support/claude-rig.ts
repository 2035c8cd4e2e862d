import { createClaudeWire } from '../../src/core/models/claude-cli/claude-wire.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';
import { startFakeAnthropic } from './fake-anthropic.ts';
import type { RequestBody } from './fake-anthropic-rules.ts';
import { type FakeClaudeOptions, fakeClaude } from './fake-claude.ts';
import type { FakeEntry, FakePart, FakeReply } from './fake-service.ts';
import { type AnyBody, type AnyFake, WIRE_RIGS, type WireRig } from './wire-rigs.ts';

export const CLAUDE_FOLDER = '/home/pat/state/claude-cli';

/** A machine on which `claude` is installed, and the wire that runs it. */
export function claudeHouse(system: MemorySystem, options?: FakeClaudeOptions, idle = { processes: 1, minutes: 10 }) {
  const { processes, files, clock, ids, environment } = system;
  processes.script('claude', fakeClaude(options));
  return createClaudeWire({
    ...{ processes, files, clock, ids, environment },
    folder: CLAUDE_FOLDER,
    keyVariables: () => ['ROUTER_KEY'],
    idle,
  });
}

/** The model sees our tools under the names the program gives them. */
function offered(entry: FakeEntry<AnyBody>): FakeEntry<RequestBody> {
  const parts = (all: readonly FakePart[]) =>
    all.map((part) =>
      typeof part === 'object' && 'tool' in part ? { ...part, tool: `mcp__houston__${part.tool}` } : part,
    );
  const named = (reply: FakeReply): FakeReply => {
    if (typeof reply === 'string') return reply;
    if ('length' in reply) return parts(reply);
    return reply.parts === undefined ? reply : { ...reply, parts: parts(reply.parts) };
  };
  return typeof entry === 'function'
    ? (request, index) => named(entry(request as unknown as Parameters<typeof entry>[0], index))
    : named(entry);
}

/** Its service is the strict one of Anthropic's own wire: what the program sends there must be as valid. */
export const CLAUDE_RIG: WireRig = {
  name: 'claude-cli',
  model: 'sonnet',
  start: (entries, options) => startFakeAnthropic(entries.map(offered), options) as unknown as Promise<AnyFake>,
  connect: (fake, { model = 'sonnet', key = 'test-key-123456', facts } = {}) => {
    const system = createMemorySystem();
    const wire = claudeHouse(system);
    return wire.open({
      ref: { provider: 'claude-subscription', model },
      facts: { ...wire.facts(model)!, ...facts },
      baseUrl: fake.url,
      key,
      headers: {},
      fetch: globalThis.fetch,
      clock: system.clock,
    });
  },
  throughProgram: true,
  // It has no way to say so: a call that is made all the same is answered with an error, by the wire itself.
  forbidsCalls: () => false,
  toolsOf: (body) => ((body.tools ?? []) as AnyBody[]).map(({ name }) => String(name).replace('mcp__houston__', '')),
  stops: [
    ['max_tokens', 'length'],
    ['refusal', 'refusal'],
  ],
  countsBroken: true,
};

export const ALL_RIGS: readonly WireRig[] = [...WIRE_RIGS, CLAUDE_RIG];
