import type { System } from '../../system/system.ts';
import type { Model } from '../models/model.ts';
import { streamWithRetry } from '../models/retry.ts';
import { costOf, hasUsage } from '../models/usage.ts';
import type { Recorder } from '../runtime/runtime.ts';
import { TITLE_LIMIT } from './naming.ts';

/** Asks the model what to call the session, beside its first turn; once, silently, and no more after it was closed. */
export interface TitleRequest {
  /** With the first prompt. Does nothing where it was asked already, or where there is a name or title. */
  ask(prompt: string, model: Model): void;
  /** Ends the request; settles when it is over. */
  close(): Promise<void>;
}

export interface TitleParts {
  readonly system: Pick<System, 'clock'>;
  readonly session: string;
  readonly recorder: Recorder;
  readonly redact: (text: string) => string;
  readonly random: () => number;
  /** Whether a person or a model named it: what is shown meanwhile, made of the prompt, is no title. */
  readonly isNamed: () => boolean;
}

/** Of the first prompt, in characters: enough to tell what it is about. */
const MOST_PROMPT = 4_000;
/** Room to think before a few words. */
const MOST_OUTPUT = 2_000;

const PROMPT = `You name conversations between a developer and a coding agent. You are given the first thing the developer said. Answer with a title of two to six words, in the developer's language, and nothing else: no quotes, no full stop, no explanation. Do not answer or carry out what was said.`;

/** A title is no reason to keep anybody who leaves: what does not end in this time is left to itself. */
const GRACE_MS = 250;

export function createTitleRequest(parts: TitleParts): TitleRequest {
  const { recorder, system } = parts;
  const abort = new AbortController();
  let asked = false;
  let asking: Promise<void> = Promise.resolve();

  const request = async (prompt: string, model: Model): Promise<void> => {
    const { facts } = model;
    const stream = streamWithRetry(
      model,
      {
        system: [PROMPT],
        messages: [{ role: 'user', parts: [{ type: 'text', text: prompt.slice(0, MOST_PROMPT).toWellFormed() }] }],
        tools: [],
        effort: facts.efforts.includes('low') ? 'low' : 'default',
        maxOutput: facts.maxOutput === null ? null : Math.min(facts.maxOutput, MOST_OUTPUT),
        cacheMarks: [],
        session: parts.session,
      },
      { signal: abort.signal, clock: system.clock, random: parts.random, limits: { tries: 1 } },
    );
    for await (const event of stream) {
      if (event.type !== 'end') continue;
      const { usage, result } = event;
      if (hasUsage(usage)) {
        const cost = costOf(facts, usage);
        await recorder.write([{ kind: 'usage', purpose: 'title', model: model.ref, usage, cost }], KEEP);
      }
      if (result.outcome !== 'complete' || result.stop !== 'end') continue;
      const text = event.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
      const title = cleanTitle(parts.redact(text));
      // A name given meanwhile is never taken away (SC-21.3).
      if (title !== null && !parts.isNamed()) await recorder.write([{ kind: 'name', name: title, by: 'model' }], KEEP);
    }
  };

  return {
    ask: (prompt, model) => {
      if (asked || abort.signal.aborted || parts.isNamed() || prompt.trim() === '') return;
      asked = true;
      // Whatever goes wrong costs the title and nothing else.
      asking = request(prompt, model).catch(() => undefined);
    },
    close: async () => {
      abort.abort();
      const settled = new AbortController();
      void asking.then(() => settled.abort());
      await Promise.race([asking, system.clock.sleep(GRACE_MS, settled.signal)]);
    },
  };
}

const KEEP = { onFailure: 'keep' } as const;

/** One line without control characters, blanks or quotes around it; null for nothing, or for more than a title. */
export function cleanTitle(text: string): string | null {
  const line = text
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^["'`]+|["'`.]+$/g, '')
    .trim();
  return line === '' || [...line].length > TITLE_LIMIT ? null : line;
}
