import type { AssistantPart, ModelRef } from '../../protocol/message.ts';
import type { Clock } from '../../system/clock.ts';
import type { Model, ModelEnd, ModelEvent, ModelFacts, ModelRequest } from './model.ts';
import { readFlight } from './pilot-flight.ts';
import { answer } from './pilot-guide.ts';
import { tour } from './pilot-tour.ts';

export const PILOT_REF: ModelRef = { provider: 'demo', model: 'pilot' };

export const PILOT_FACTS: ModelFacts = {
  contextWindow: null,
  maxOutput: null,
  images: false,
  thinking: true,
  efforts: [],
  price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

export interface PilotOptions {
  readonly clock: Clock;
  /** Only in the throw-away project of `--demo`: there it also edits and runs. Anywhere else it reads, nothing more. */
  readonly tour?: boolean;
  /** Tokens a second; 0 writes at once. */
  readonly pace?: number;
}

const USUAL_PACE = 60;
const CHARACTERS_PER_TOKEN = 4;
const TICK_MS = 50;

/**
 * The built-in model that needs no service: a script that answers through the normal tools, gates and journal. It keeps
 * nothing between requests; where it is in its flight it reads from the messages, so a resumed session flies on.
 */
export function createPilot(options: PilotOptions): Model {
  const pace = options.pace ?? USUAL_PACE;
  return {
    ref: PILOT_REF,
    facts: PILOT_FACTS,
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
      const flight = readFlight(request);
      const script = (options.tour ? tour(flight) : null) ?? answer(flight);
      yield { type: 'begin', requestId: null };

      const parts: AssistantPart[] = [];
      let calls = flight.calls;
      const end = (result: ModelEnd['result']): ModelEnd => ({
        type: 'end',
        result,
        parts,
        usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: null },
        requestId: null,
      });
      for (const said of script) {
        const part = parts.length;
        if ('tool' in said) {
          const call = `pilot-${++calls}`;
          const input = JSON.parse(JSON.stringify(said.input));
          parts.push({ type: 'call', call, tool: said.tool, title: '', why: null, input });
          yield { type: 'call', part, call, tool: said.tool, inputBytes: JSON.stringify(input).length };
          continue;
        }
        const type = 'thinking' in said ? 'thinking' : 'text';
        const whole = 'thinking' in said ? said.thinking : said.text;
        let sent = '';
        for (const piece of pieces(whole, pace)) {
          if (pace > 0) await options.clock.sleep(TICK_MS, signal);
          if (signal.aborted) return yield end({ outcome: 'aborted' });
          sent += piece;
          parts[part] = { type, text: sent };
          yield { type, part, text: piece };
        }
      }
      const stop = parts.some((part) => part.type === 'call') ? 'calls' : 'end';
      yield end(signal.aborted ? { outcome: 'aborted' } : { outcome: 'complete', stop });
    },
  };
}

function* pieces(text: string, pace: number): Generator<string> {
  const size = pace > 0 ? Math.max(1, Math.round((pace * CHARACTERS_PER_TOKEN * TICK_MS) / 1000)) : text.length;
  let piece = '';
  // Whole characters only, so that no piece ends inside an emoji.
  for (const character of text) {
    piece += character;
    if (piece.length >= size) {
      yield piece;
      piece = '';
    }
  }
  if (piece !== '') yield piece;
}
