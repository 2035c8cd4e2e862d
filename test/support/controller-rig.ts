import type { Model, ModelEvent } from '../../src/core/models/model.ts';
import type { Tool } from '../../src/core/tools/tool.ts';
import { TRUSTED_PUBLIC } from '../../src/protocol/label.ts';
import type { AssistantPart, Usage } from '../../src/protocol/message.ts';
import { createBunClock } from '../../src/system/bun/clock.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { openHouse } from './controller.ts';
import type { ModelStep } from './fake-session.ts';
import type { Scripted } from './session-rigs.ts';

const USAGE: Usage = { input: 1, output: 1, cacheRead: null, cacheWrite: null, reasoning: null };

/** A true session for the contract of links: files in memory, time that passes by itself, a model by steps. */
export async function scriptedController(): Promise<Scripted> {
  const scripts: (readonly ModelStep[])[] = [];
  const holds = createHolds();
  const system = { ...createMemorySystem(), clock: createBunClock() };
  const { session } = await openHouse({ system: system as never, script: stepModel(scripts, holds), tools: [askTool] });
  return {
    session,
    clientLost: session.clientLost,
    script: (steps) => void scripts.push(steps),
    release: holds.release,
    end: () => session.close(),
    // Only tools ask, and they ask everybody.
    askOne: null,
  };
}

/** Each prompt takes the next script; a question ends the round and the steps behind it wait for the next one. */
function stepModel(scripts: (readonly ModelStep[])[], holds: Holds): Model {
  let rest: readonly ModelStep[] = [];
  let calls = 0;
  return {
    ref: { provider: 'steps', model: 'one' },
    facts: { contextWindow: null, maxOutput: null, images: false, thinking: false, efforts: [], price: null },
    async *stream(_request, signal): AsyncIterable<ModelEvent> {
      const steps = rest.length > 0 ? rest : (scripts.shift() ?? [{ text: 'done' }]);
      rest = [];
      const parts: AssistantPart[] = [];
      let said = '';
      yield { type: 'begin', requestId: null };
      for (const [at, step] of steps.entries()) {
        if ('hold' in step) {
          await Promise.race([
            holds.wait(),
            new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })),
          ]);
        } else if ('ask' in step) {
          rest = steps.slice(at + 1);
          const call = `ask-${++calls}`;
          parts.push({ type: 'call', call, tool: 'ask', title: '', why: null, input: { question: step.ask } });
          yield { type: 'call', part: parts.length - 1, call, tool: 'ask', inputBytes: 0 };
          break;
        } else {
          for (const word of step.text.split(/(?<= )/)) {
            said += word;
            parts[0] = { type: 'text', text: said };
            yield { type: 'text', part: 0, text: word };
          }
        }
        if (signal.aborted)
          return yield { type: 'end', result: { outcome: 'aborted' }, parts, usage: USAGE, requestId: null };
      }
      const stop = parts.some((part) => part.type === 'call') ? 'calls' : 'end';
      yield { type: 'end', result: { outcome: 'complete', stop }, parts, usage: USAGE, requestId: null };
    },
  };
}

interface Holds {
  wait(): Promise<void>;
  release(): void;
}

/** A release that comes before its hold was reached counts for it. */
function createHolds(): Holds {
  const waiting: (() => void)[] = [];
  let ahead = 0;
  return {
    wait: () => {
      if (ahead === 0) return new Promise((resolve) => waiting.push(resolve));
      ahead--;
      return Promise.resolve();
    },
    release: () => {
      const first = waiting.shift();
      if (first === undefined) ahead++;
      else first();
    },
  };
}

const askTool: Tool<string> = {
  name: 'ask',
  description: 'Asks the person.',
  input: { type: 'object' },
  routing: [],
  order: 'alone',
  title: () => 'Ask',
  plan: async (input) => {
    const { question } = input as { question: string };
    return {
      ok: true,
      title: 'Ask',
      effects: [{ kind: 'question', label: TRUSTED_PUBLIC }],
      diffs: [],
      planned: question,
    };
  },
  run: async (question, world) => {
    const answers = await world.ask([{ question, options: ['yes', 'no'], many: false }]);
    const text = answers?.flat().join(', ') ?? 'nobody answered';
    return { ok: true, text, provenance: { from: 'person' }, display: { kind: 'none' } };
  },
};
