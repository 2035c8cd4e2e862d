import type { Json, JsonObject } from '../../../base/json.ts';
import type { AssistantPart, Effort, ModelRef } from '../../../protocol/message.ts';
import type { CallResult, Message, ModelRequest } from '../model.ts';

/** Half a surrogate pair anywhere in a request makes a service refuse all of it. */
export function wellFormed(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed);
  const object = value as JsonObject;
  return Object.fromEntries(Object.entries(object).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]));
}

/** A service takes an object only; arguments that could not be read go back as the model wrote them. */
export function callInput(part: Extract<AssistantPart, { type: 'call' }>): JsonObject {
  const { input } = part;
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return wellFormed(input) as JsonObject;
  return part.raw === undefined ? {} : { unreadable: part.raw.toWellFormed() };
}

/** Names of the tools a conversation holds calls to: services want them declared, also where none may be called. */
export function calledTools({ messages }: Pick<ModelRequest, 'messages'>): string[] {
  const names = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const part of message.parts) if (part.type === 'call') names.add(part.tool);
  }
  return [...names];
}

/** The level itself where a model has it, else the nearest below; null where it has none that fits. */
export function nearestEffort(efforts: readonly Effort[], effort: Effort): Exclude<Effort, 'default'> | null {
  if (effort === 'default') return null;
  const order: readonly Exclude<Effort, 'default'>[] = ['max', 'xhigh', 'high', 'medium', 'low'];
  return order.slice(order.indexOf(effort)).find((level) => efforts.includes(level)) ?? null;
}

export function isFrom(message: Extract<Message, { role: 'assistant' }>, ref: ModelRef): boolean {
  return message.from.provider === ref.provider && message.from.model === ref.model;
}

/** Blank text is refused by some services and useful to none. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** A result always says something: an empty one is refused or misread. */
export function resultText({ text, error }: CallResult): string {
  const said = isBlank(text) ? '(no output)' : text.toWellFormed();
  return error ? `Error: ${said}` : said;
}

export function dataUrl(image: { readonly mediaType: string; readonly base64: string }): string {
  return `data:${image.mediaType};base64,${image.base64}`;
}

/** An id in the alphabet every service takes, at most `limit` long; the same for equal ids, different for different ones. */
export function callIds(limit: number): (call: string) => string {
  const given = new Map<string, string>();
  const taken = new Set<string>();
  return (call) => {
    const known = given.get(call);
    if (known !== undefined) return known;
    const plain = call.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, limit) || 'call';
    let id = plain;
    for (let count = 2; taken.has(id); count++) id = `${plain.slice(0, limit - 8)}_${count}`;
    given.set(call, id);
    taken.add(id);
    return id;
  };
}
