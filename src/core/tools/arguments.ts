import type { Json, JsonObject } from '../../base/json.ts';
import { done, type Outcome, refuse } from '../../base/refusal.ts';

/**
 * One argument: its JSON schema and what a given value is taken as. `read` answers with a complaint that follows the
 * argument's name, such as `must be a whole number`.
 */
export interface Field<T> {
  readonly schema: JsonObject;
  readonly required: boolean;
  read(value: Json): { readonly value: T } | { readonly complaint: string };
}

type Fields = Readonly<Record<string, Field<unknown>>>;
type Values<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** The arguments of a tool as plain data for the model, and their reader. */
export interface Arguments<T> {
  readonly schema: JsonObject;
  /** One line naming the field at fault, for the model. */
  read(input: Json): Outcome<T>;
}

export function text(description: string, options: { readonly empty?: boolean } = {}): Field<string> {
  return {
    schema: { type: 'string', description },
    required: true,
    read(value) {
      if (typeof value !== 'string') return { complaint: 'must be a string' };
      if (value === '' && options.empty !== true) return { complaint: 'must not be empty' };
      return value.isWellFormed() ? { value } : { complaint: 'holds half a character (a lone surrogate)' };
    },
  };
}

export function whole(description: string, least: number, most: number): Field<number> {
  return {
    schema: {
      type: 'integer',
      description,
      minimum: least,
      ...(most === Number.MAX_SAFE_INTEGER ? {} : { maximum: most }),
    },
    required: true,
    read(value) {
      if (typeof value !== 'number' || !Number.isInteger(value)) return { complaint: 'must be a whole number' };
      if (value < least) return { complaint: `must be at least ${least}` };
      return value > most ? { complaint: `must be at most ${most}` } : { value };
    },
  };
}

export function flag(description: string): Field<boolean> {
  return {
    schema: { type: 'boolean', description },
    required: true,
    read: (value) => (typeof value === 'boolean' ? { value } : { complaint: 'must be true or false' }),
  };
}

export function choice<const C extends readonly string[]>(description: string, choices: C): Field<C[number]> {
  return {
    schema: { type: 'string', description, enum: choices },
    required: true,
    read: (value) =>
      choices.includes(value as string)
        ? { value: value as C[number] }
        : { complaint: `must be one of ${choices.join(', ')}` },
  };
}

export function list<T>(description: string, item: Field<T>, least: number, most: number): Field<readonly T[]> {
  return {
    schema: { type: 'array', description, items: item.schema, minItems: least, maxItems: most },
    required: true,
    read(value) {
      if (!Array.isArray(value)) return { complaint: 'must be a list' };
      if (value.length < least) return { complaint: `must have at least ${least} ${least === 1 ? 'item' : 'items'}` };
      if (value.length > most) return { complaint: `must have at most ${most} items` };
      const items: T[] = [];
      for (const [index, one] of (value as readonly Json[]).entries()) {
        const read = item.read(one);
        if ('complaint' in read) return { complaint: `item ${index + 1}: ${read.complaint}` };
        items.push(read.value);
      }
      return { value: items };
    },
  };
}

/** One value or several of a kind, as a list. */
export function oneOrMore<T>(description: string, item: Field<T>, most: number): Field<readonly T[]> {
  const many = list(description, item, 1, most);
  return {
    schema: { anyOf: [item.schema, many.schema], description },
    required: true,
    read(value) {
      if (Array.isArray(value)) return many.read(value);
      const read = item.read(value);
      return 'complaint' in read ? read : { value: [read.value] };
    },
  };
}

export function record<F extends Fields>(fields: F): Field<Values<F>> {
  return {
    schema: objectSchema(fields),
    required: true,
    read(value) {
      const read = readFields(fields, value);
      return read.ok ? { value: read.value } : { complaint: read.refusal.message };
    },
  };
}

/** May be left out (or null, as some models write it). */
export function optional<T>(field: Field<T>): Field<T | null> {
  return {
    schema: field.schema,
    required: false,
    read: (value) => (value === null ? { value: null } : field.read(value)),
  };
}

const WHY = text('Why you make this call, in one short line. It is shown to the person.');

/** Every tool takes a `why`, shown to the person and used for nothing else. */
export function toolArguments<F extends Fields>(fields: F): Arguments<Values<F & { why: Field<string> }>> {
  const all = { ...fields, why: WHY };
  return { schema: objectSchema(all), read: (input) => readFields(all, input) };
}

function objectSchema(fields: Fields): JsonObject {
  const names = Object.keys(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, fields[name]!.schema])),
    required: names.filter((name) => fields[name]!.required),
    additionalProperties: false,
  };
}

function readFields<F extends Fields>(fields: F, input: Json): Outcome<Values<F>> {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return refuse('arguments', 'must be a JSON object');
  const given = input as JsonObject;
  const names = Object.keys(fields);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined)
    return refuse('arguments', `unknown argument ${JSON.stringify(unknown)}: there is ${names.join(', ')}`);
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const field = fields[name]!;
    const value = given[name];
    if (value === undefined && field.required) return refuse('arguments', `"${name}" is missing`);
    const read = field.read(value ?? null);
    if ('complaint' in read) return refuse('arguments', `"${name}" ${read.complaint}`);
    values[name] = read.value;
  }
  return done(values as Values<F>);
}

/** A string argument out of arguments that may still be streaming in, for a title. */
export function peek(input: Json, name: string): string {
  const value =
    typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as JsonObject)[name] : null;
  return typeof value === 'string' ? value : '';
}
