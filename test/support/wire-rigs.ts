import type { Model, ModelFacts, Wire } from '../../src/core/models/model.ts';
import { anthropicWire } from '../../src/core/models/providers/anthropic.ts';
import { googleWire } from '../../src/core/models/providers/google.ts';
import { openaiChatWire } from '../../src/core/models/providers/openai-chat.ts';
import { openaiResponsesWire } from '../../src/core/models/providers/openai-responses.ts';
import { createMemoryClock } from '../../src/system/memory/clock.ts';
import { startFakeAnthropic } from './fake-anthropic.ts';
import { startFakeGoogle } from './fake-google.ts';
import { startFakeChat } from './fake-openai-chat.ts';
import { startFakeResponses } from './fake-openai-responses.ts';
import type { FakeEntry, FakeOptions, FakeService } from './fake-service.ts';

/** Any service's body, for scripts that serve all of them. */
export type AnyBody = Readonly<Record<string, unknown>>;
export type AnyFake = FakeService<AnyBody>;

/** One wire with its strict counterpart: what the contract of wires runs over. */
export interface WireRig {
  readonly name: string;
  readonly model: string;
  start(entries: readonly FakeEntry<AnyBody>[], options?: FakeOptions): Promise<AnyFake>;
  connect(fake: Pick<AnyFake, 'url'>, more?: Partial<Connecting>): Model;
  /** Whether a request lets no tool be called. */
  forbidsCalls(body: AnyBody): boolean;
  /** Names of the tools a request declares. */
  toolsOf(body: AnyBody): string[];
  /** The stop reasons a script may give, with what they mean. */
  readonly stops: readonly (readonly [string, 'length' | 'refusal'])[];
  /** Whether the service says what a broken reply has cost so far. */
  readonly countsBroken: boolean;
  /** A program carries the request: waits, errors in mid-stream and forbidden calls reach us by its account alone. */
  readonly throughProgram?: true;
}

interface Connecting {
  readonly model: string;
  readonly key: string | null;
  readonly facts: Partial<ModelFacts>;
}

interface RigParts<Body> {
  readonly wire: Wire;
  readonly provider: string;
  readonly path: string;
  readonly dialect?: string;
  readonly start: (entries: readonly FakeEntry<Body>[], options?: FakeOptions) => Promise<FakeService<Body>>;
}

function rig<Body>(parts: RigParts<Body>, rest: Omit<WireRig, 'start' | 'connect'>): WireRig {
  return {
    ...rest,
    // A script for every service sees each body as a plain object.
    start: (entries, options) =>
      parts.start(entries as unknown as readonly FakeEntry<Body>[], options) as unknown as Promise<AnyFake>,
    connect: (fake, { model = rest.model, key = 'test-key-123456', facts } = {}) =>
      parts.wire.open({
        ref: { provider: parts.provider, model },
        facts: { ...parts.wire.facts(model)!, ...facts },
        baseUrl: `${fake.url}${parts.path}`,
        key,
        headers: {},
        dialect: parts.dialect ?? null,
        fetch: globalThis.fetch,
        clock: createMemoryClock(),
      }),
  };
}

const named = (tools: unknown, name: (tool: AnyBody) => unknown) =>
  ((tools ?? []) as AnyBody[]).map((tool) => String(name(tool)));

export const WIRE_RIGS: readonly WireRig[] = [
  rig(
    { wire: anthropicWire, provider: 'anthropic', path: '', start: startFakeAnthropic },
    {
      name: 'anthropic',
      model: 'claude-opus-5-5',
      forbidsCalls: (body) => (body.tool_choice as AnyBody | undefined)?.type === 'none',
      toolsOf: (body) => named(body.tools, (tool) => tool.name),
      stops: [
        ['max_tokens', 'length'],
        ['refusal', 'refusal'],
      ],
      countsBroken: true,
    },
  ),
  rig(
    { wire: openaiResponsesWire, provider: 'openai', path: '/v1', start: startFakeResponses },
    {
      name: 'openai-responses',
      model: 'gpt-6.2-sol',
      forbidsCalls: (body) => body.tool_choice === 'none',
      toolsOf: (body) => named(body.tools, (tool) => tool.name),
      stops: [
        ['max_output_tokens', 'length'],
        ['content_filter', 'refusal'],
      ],
      countsBroken: false,
    },
  ),
  rig(
    {
      wire: openaiChatWire,
      provider: 'router',
      path: '/v1',
      dialect: 'openrouter',
      start: (entries, options) =>
        startFakeChat(entries, options, { thinking: 'reasoning_details', takes: ['reasoning'], calls: 'one-index' }),
    },
    {
      name: 'openai-chat',
      model: 'gpt-4.1',
      forbidsCalls: (body) => body.tool_choice === 'none',
      toolsOf: (body) => named(body.tools, (tool) => (tool.function as AnyBody).name),
      stops: [
        ['length', 'length'],
        ['content_filter', 'refusal'],
      ],
      countsBroken: false,
    },
  ),
  rig(
    { wire: googleWire, provider: 'google', path: '', start: startFakeGoogle },
    {
      name: 'google',
      model: 'gemini-4-neon',
      forbidsCalls: (body) =>
        ((body.toolConfig as AnyBody | undefined)?.functionCallingConfig as AnyBody | undefined)?.mode === 'NONE',
      toolsOf: (body) => named((body.tools as AnyBody[] | undefined)?.[0]?.functionDeclarations, (tool) => tool.name),
      stops: [
        ['MAX_TOKENS', 'length'],
        ['SAFETY', 'refusal'],
      ],
      countsBroken: true,
    },
  ),
];
