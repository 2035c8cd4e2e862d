import type { Json } from '../../../base/json.ts';
import type { AssistantPart } from '../../../protocol/message.ts';
import type { ModelEvent } from '../model.ts';

/** One part as it comes. Wires write to it through `GrowingParts`. */
export interface GrowingPart {
  readonly kind: 'text' | 'thinking' | 'call';
  /** Text, thinking, or the arguments as JSON. */
  text: string;
  call: string;
  tool: string;
  /** What the service wants back with it. */
  opaque: Json | undefined;
  /** A call whose arguments are complete. */
  closed: boolean;
}

interface Entry extends GrowingPart {
  fresh: string;
  changed: boolean;
}

/**
 * Parts of one message in the order in which they began. Feeding is synchronous and cheap; `drain` gives what is new,
 * folded to one event a part, so that a burst of small pieces costs one update.
 */
export class GrowingParts {
  readonly #parts: Entry[] = [];

  get last(): GrowingPart | undefined {
    return this.#parts.at(-1);
  }

  get hasCalls(): boolean {
    return this.#parts.some((part) => part.kind === 'call');
  }

  open(kind: GrowingPart['kind'], call = '', tool = ''): GrowingPart {
    const part: Entry = {
      kind,
      text: '',
      call,
      tool,
      opaque: undefined,
      closed: false,
      fresh: '',
      changed: kind === 'call',
    };
    this.#parts.push(part);
    return part;
  }

  /** `part` must be one that `open` gave. */
  grow(part: GrowingPart, text: string): void {
    if (text === '') return;
    const entry = part as Entry;
    entry.text += text;
    if (entry.kind !== 'call') entry.fresh += text;
    entry.changed = true;
  }

  /** What came since the last time, for the screen. A call without a name is not one yet. */
  *drain(): Generator<ModelEvent, void, undefined> {
    for (const [part, entry] of this.#parts.entries()) {
      if (!entry.changed || (entry.kind === 'call' && entry.tool === '')) continue;
      entry.changed = false;
      if (entry.kind === 'call') {
        yield { type: 'call', part, call: entry.call, tool: entry.tool, inputBytes: entry.text.length };
      } else if (entry.fresh !== '') {
        const text = entry.fresh;
        entry.fresh = '';
        yield { type: entry.kind, part, text };
      }
    }
  }

  parts(): AssistantPart[] {
    return this.#parts.map(partOf);
  }
}

function partOf({ kind, text, call, tool, opaque, closed }: GrowingPart): AssistantPart {
  const kept = opaque === undefined ? {} : { opaque };
  if (kind !== 'call') return { type: kind, text, ...kept };
  const input = closed ? argumentsOf(text) : null;
  const base = { type: 'call', call, tool, title: '', why: null, ...kept } as const;
  return input === null ? { ...base, input, raw: text } : { ...base, input };
}

/** Arguments as the model wrote them; null when they are not a JSON object: tools take nothing else. */
export function argumentsOf(text: string): Json {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}
