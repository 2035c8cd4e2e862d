import type { JsonObject } from '../../base/json.ts';
import type { Entry, EntryOf } from '../../protocol/entry.ts';
import type { Said } from '../../protocol/fold.ts';
import type { AssistantPart, ModelRef } from '../../protocol/message.ts';
import { SHELL_LINE, TAG } from '../../protocol/own-call.ts';
import type { CallResult, Message, UserPart } from '../models/model.ts';
import { HOOK_WORDS } from '../values/hook-words.ts';
import { NOT_PARSED, NOT_RUN, OUTCOME_UNKNOWN } from './interrupted.ts';
import { attachmentParts, type ImagePart, type PartOptions, textPart, userParts } from './user-parts.ts';
import { wellFormed } from './well-formed.ts';

type CallPart = Extract<AssistantPart, { type: 'call' }>;

/**
 * Takes branch entries in order and makes the messages of a request, repairing whatever a service would refuse. What one
 * assistant message and all up to the next one came to never changes again, so that requests share their beginning.
 */
export interface ContextBuilder {
  /** `said`: what the input of a `taken` entry says; not looked at for other kinds. */
  add(entry: Entry, said: Said | null): Promise<void>;
  /** Text that comes before everything, such as the summary of what was cut off. */
  addText(text: string): void;
  /**
   * The messages now, and `lastly` as a person's last words where given. Ends with a user message or with results; empty
   * when nothing was said at all.
   */
  messages(lastly: string | null): Promise<Message[]>;
}

/** From one assistant message to the next: its answers in any order, and what was said meanwhile. */
interface Stretch {
  readonly assistant: Extract<Message, { role: 'assistant' }> | null;
  readonly calls: readonly { readonly part: CallPart; readonly parsed: boolean }[];
  readonly results: Map<string, EntryOf<'result'>>;
  readonly started: Set<string>;
  readonly said: (Said | string)[];
  /** What its results came to last, and out of how many: a request that has them again shares them. */
  readonly answers: { count: number; message: Message | null };
}

const BEGINNING = '[The beginning of this conversation is no longer there.]';
const GO_ON = '[Your message ended here. Go on.]';

export function createContextBuilder(target: ModelRef, options: PartOptions): ContextBuilder {
  const closed: Message[] = [];
  const seenCalls = new Set<string>();
  /** Lines a person ran: each rides with what is said next once it has its output. */
  const shellLines = new Map<string, string>();
  let shellSaid: string | null = null;
  let open: Stretch = newStretch(null, []);

  async function close(stretch: Stretch, into: Message[]): Promise<void> {
    if (stretch.assistant !== null) {
      const last = into[into.length - 1];
      if (last === undefined) into.push(userMessage([{ type: 'text', text: BEGINNING }]));
      else if (last.role === 'assistant') into.push(userMessage([{ type: 'text', text: GO_ON }]));
      into.push(stretch.assistant);
      if (stretch.calls.length > 0) into.push(await answersOf(stretch));
    }
    const parts: UserPart[] = [];
    for (const said of stretch.said)
      parts.push(...(typeof said === 'string' ? textPart(said) : await userParts(said, options)));
    if (parts.length === 0) return;
    const last = into[into.length - 1];
    if (last?.role === 'user') into[into.length - 1] = userMessage([...last.parts, ...parts]);
    else into.push(userMessage(parts));
  }

  async function answersOf(stretch: Stretch): Promise<Message> {
    const { answers, results, started } = stretch;
    const count = results.size + started.size;
    if (answers.message !== null && answers.count === count) return answers.message;
    const message: Message = { role: 'results', results: await resultsOf(stretch, options) };
    answers.count = count;
    answers.message = message;
    return message;
  }

  async function startStretch(entry: EntryOf<'assistant'>): Promise<void> {
    const { parts, calls } = mend(entry, target, seenCalls, options.dropped.has(entry.id));
    // A message of which nothing is left changes nothing: the open stretch goes on.
    if (parts.length === 0) return;
    await close(open, closed);
    open = newStretch({ role: 'assistant', parts, from: entry.model }, calls);
  }

  return {
    addText(text) {
      open.said.push(text);
    },
    async add(entry, said) {
      switch (entry.kind) {
        case 'taken':
          if (said === null) break;
          if (entry.as === 'shell') shellSaid = said.text;
          else open.said.push(entry.as === 'steering' ? inWords(said) : said);
          break;
        case 'assistant':
          await startStretch(entry);
          break;
        case 'call':
          if (entry.tool === SHELL_LINE) {
            shellLines.set(entry.call, shellSaid ?? entry.title);
            shellSaid = null;
          } else open.started.add(entry.call);
          break;
        case 'result': {
          if (entry.tool === TAG) {
            open.said.push(tagText(entry));
            break;
          }
          const line = shellLines.get(entry.call);
          if (line !== undefined) {
            shellLines.delete(entry.call);
            // The model is told of what ran to an end, whatever end that was (SC-11.2).
            if (entry.outcome !== 'stopped' && entry.outcome !== 'error') open.said.push(shellExchange(line, entry));
          } else if (!open.results.has(entry.call)) open.results.set(entry.call, entry);
          break;
        }
        case 'hook':
          if (entry.injected !== null) open.said.push(injectedText(entry.label, entry.injected.text));
          break;
        default:
          break;
      }
    },
    async messages(lastly) {
      const all = [...closed];
      await close({ ...open, said: lastly === null ? open.said : [...open.said, lastly] }, all);
      if (all[all.length - 1]?.role === 'assistant') all.push(userMessage([{ type: 'text', text: GO_ON }]));
      return all;
    },
  };
}

/** What is said into a running turn carries words alone: what came with it is named, and no access comes along (QUE-12). */
function inWords({ text, attachments }: Said): string {
  const named = attachments.map(({ kind, name }) =>
    kind === 'image'
      ? `[a picture came with this, ${JSON.stringify(name.toWellFormed())}; it cannot be seen here]`
      : `[file ${JSON.stringify(name.toWellFormed())}]`,
  );
  return [text, ...named].join('\n');
}

function newStretch(assistant: Stretch['assistant'], calls: Stretch['calls']): Stretch {
  return { assistant, calls, results: new Map(), started: new Set(), said: [], answers: { count: 0, message: null } };
}

function userMessage(parts: readonly UserPart[]): Message {
  return { role: 'user', parts };
}

/**
 * The parts a service takes back: no empty text, opaque parts only for the model that made them, thinking only with its
 * opaque part and never last, each call once and with an object as its input.
 */
function mend(
  entry: EntryOf<'assistant'>,
  target: ModelRef,
  seenCalls: Set<string>,
  refused: boolean,
): { parts: AssistantPart[]; calls: Stretch['calls'] } {
  const own = !refused && entry.model.provider === target.provider && entry.model.model === target.model;
  const whole = entry.stop !== 'aborted' && entry.stop !== 'failed';
  const parts: AssistantPart[] = [];
  const calls: { part: CallPart; parsed: boolean }[] = [];
  for (const part of entry.parts) {
    const opaque = own && part.opaque !== undefined ? { opaque: part.opaque } : {};
    if (part.type === 'text') {
      if (part.text.trim() === '') continue;
      parts.push(
        part.text.isWellFormed()
          ? { type: 'text', text: part.text, ...opaque }
          : { type: 'text', text: part.text.toWellFormed() },
      );
    } else if (part.type === 'thinking') {
      if ('opaque' in opaque && part.text.isWellFormed()) parts.push({ type: 'thinking', text: part.text, ...opaque });
    } else {
      const parsed = part.input !== null && typeof part.input === 'object' && !Array.isArray(part.input);
      if (part.call === '' || part.tool === '' || seenCalls.has(part.call) || (!whole && !parsed)) continue;
      seenCalls.add(part.call);
      const input = parsed ? (wellFormed(part.input) as JsonObject) : {};
      // Title and reason are for people; the model wrote its reason into the arguments.
      const call: CallPart = { type: 'call', call: part.call, tool: part.tool, title: '', why: null, input, ...opaque };
      parts.push(call);
      calls.push({ part: call, parsed });
    }
  }
  while (parts[parts.length - 1]?.type === 'thinking') parts.pop();
  return { parts, calls };
}

async function resultsOf(stretch: Stretch, options: PartOptions): Promise<CallResult[]> {
  const results: CallResult[] = [];
  for (const { part, parsed } of stretch.calls) {
    const { call, tool } = part;
    const entry = stretch.results.get(call);
    if (entry === undefined) {
      const text = !parsed ? NOT_PARSED : stretch.started.has(call) ? OUTCOME_UNKNOWN : NOT_RUN;
      results.push({ call, tool, text, error: true, images: [] });
    } else if (options.dropped.has(call)) {
      const text = '[result left out: the model service refused it]';
      results.push({ call, tool, text, error: entry.outcome !== 'ok', images: [] });
    } else {
      const images: ImagePart[] = [];
      let text = entry.text.trim() === '' ? '(no output)' : entry.text.toWellFormed();
      for (const attachment of entry.images) {
        for (const found of await attachmentParts(attachment, options)) {
          if (found.type === 'image') images.push(found);
          else text += `\n${found.text}`;
        }
      }
      results.push({ call, tool, text, error: entry.outcome !== 'ok', images });
    }
  }
  return results;
}

/** Said by nobody in the conversation: whose words they are stands before them. */
function injectedText(label: string, text: string): string {
  return `${HOOK_WORDS}${JSON.stringify(label)}, not from the person:]\n${text.toWellFormed()}`;
}

/** What a tag in a person's words stands for, or why it could not be had. */
function tagText({ title, outcome, text }: EntryOf<'result'>): string {
  return `[${title}${outcome === 'ok' ? '' : ' could not be carried out'}]\n${text.trim() === '' ? '(no output)' : text}`;
}

function shellExchange(line: string, result: EntryOf<'result'>): string {
  const output = result.text.trim() === '' ? '(no output)' : result.text;
  return `I ran this in my own shell:\n$ ${line}\n${output}`;
}
