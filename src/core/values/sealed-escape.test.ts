// Every way the language offers to look into a value that is not ours to look into.
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, inspect } from 'node:util';
import { UNTRUSTED_PRIVATE, UNTRUSTED_PUBLIC } from '../../protocol/label.ts';
import { opener } from '../policy/opener.ts';
import { claimOpener, derive, lower, type Sealed, seal } from './sealed.ts';

const CANARY = 'canary-f00d';
type Loose = Record<PropertyKey, unknown>;

/** All own and inherited properties, symbols too, with whatever getting them gives. */
function everything(value: object): unknown[] {
  const found: unknown[] = [];
  for (let at: object | null = value; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    for (const key of Reflect.ownKeys(at)) {
      found.push(key);
      try {
        found.push((value as Loose)[key]);
      } catch (error) {
        found.push(String(error));
      }
      const descriptor = Object.getOwnPropertyDescriptor(at, key);
      found.push(descriptor, descriptor?.get?.toString());
    }
  }
  return found;
}

const attempts: Readonly<Record<string, (sealed: Sealed<string>) => unknown>> = {
  'as text': (sealed) => [`${sealed}`, String(sealed), `${sealed}`.concat(sealed as unknown as string)],
  'as a number': (sealed) => [Number(sealed), +(sealed as unknown as number)],
  'as a property key': (sealed) => ({ [sealed as unknown as string]: 1 }),
  'as JSON, alone and inside others': (sealed) => [
    JSON.stringify(sealed),
    JSON.stringify([sealed]),
    JSON.stringify({ a: { b: sealed } }, null, 2),
    JSON.stringify({ sealed }, (_key, value: unknown) => value),
  ],
  'by spreading and copying': (sealed) => [
    JSON.stringify({ ...sealed }),
    Object.assign({}, sealed),
    Object.entries(sealed),
    Object.values(sealed),
    structuredClone(sealed),
    structuredClone({ in: [sealed] }),
  ],
  'by debug printing': (sealed) => [
    inspect(sealed, { depth: null, showHidden: true, getters: true, showProxy: true, customInspect: false }),
    format('%o %O %j %s', sealed, sealed, sealed, sealed),
    Bun.inspect(sealed),
    inspect(new Map([[sealed, sealed]]), { showHidden: true, depth: null }),
    new Error('x', { cause: sealed }),
  ],
  'by every property there is': (sealed) => inspect(everything(sealed), { depth: 4, showHidden: true }),
  'by its constructor': (sealed) => {
    const Maker = sealed.constructor as new (...given: unknown[]) => object;
    return [
      inspect(new Maker(sealed)),
      inspect(Reflect.construct(Maker, [sealed.label], class Other extends Maker {})),
    ];
  },
  'through a proxy': (sealed) => {
    const seen: unknown[] = [];
    const spy = new Proxy(sealed, {
      get: (target, key, receiver) => {
        const value: unknown = Reflect.get(target, key, receiver);
        seen.push(key, value);
        return value;
      },
    });
    seen.push(`${spy}`, JSON.stringify(spy), inspect(spy, { showProxy: true }));
    return seen;
  },
  'through a changed prototype': (sealed) => {
    const seen: unknown[] = [];
    const proto = Object.getPrototypeOf(sealed) as Loose;
    const before = proto.toJSON;
    try {
      proto.toJSON = function look(this: unknown) {
        seen.push(this);
        return this === sealed ? { ...(this as object) } : null;
      };
      seen.push(JSON.stringify(sealed));
    } catch (error) {
      seen.push(String(error));
    } finally {
      try {
        proto.toJSON = before;
      } catch {
        // It could not be changed in the first place.
      }
    }
    return inspect(seen, { depth: null, showHidden: true });
  },
  'by its serialized bytes': (sealed) => {
    try {
      const { serialize } = require('bun:jsc') as { serialize: (value: unknown) => ArrayBuffer };
      return Buffer.from(serialize(sealed)).toString('latin1');
    } catch (error) {
      return String(error);
    }
  },
};

describe('a sealed value', () => {
  test.each(Object.entries(attempts))('SEC-4: shows nothing %s', (_how, attempt) => {
    const shown = inspect(attempt(seal(CANARY, UNTRUSTED_PRIVATE)), { depth: null, showHidden: true });
    expect(shown).not.toContain(CANARY);
  });

  test('SEC-4: cannot be iterated, awaited into, compared or changed', async () => {
    const sealed = seal(CANARY, UNTRUSTED_PRIVATE);
    expect(() => [...(sealed as unknown as Iterable<unknown>)]).toThrow();
    expect(() => Array.from(sealed as unknown as Iterable<unknown>)).not.toThrow();
    expect(Array.from(sealed as unknown as Iterable<unknown>)).toEqual([]);
    expect(await Promise.resolve(sealed)).toBe(sealed);
    expect(seal(CANARY, UNTRUSTED_PRIVATE) === sealed).toBe(false);
    expect((sealed as unknown as string) < 'z' === (seal('zzz', UNTRUSTED_PRIVATE) as unknown as string) < 'z').toBe(
      true,
    );
    expect(Object.isFrozen(sealed) && Object.isFrozen(sealed.label)).toBe(true);
    expect(() => Object.setPrototypeOf(sealed, null)).toThrow();
    expect(() => Object.defineProperty(sealed, 'label', { value: UNTRUSTED_PUBLIC })).toThrow();
  });

  test('SEC-4: is not opened by watching the tables of the language', () => {
    const seen: unknown[] = [];
    const { get, set, has } = WeakMap.prototype;
    const spy = (original: (...given: never[]) => unknown) =>
      function watched(this: unknown, ...given: never[]): unknown {
        const result = original.apply(this, given);
        seen.push(...given, result);
        return result;
      };
    let sealed: Sealed<string>;
    try {
      WeakMap.prototype.get = spy(get as never) as typeof get;
      WeakMap.prototype.set = spy(set as never) as typeof set;
      WeakMap.prototype.has = spy(has as never) as typeof has;
      sealed = seal(CANARY, UNTRUSTED_PUBLIC);
      lower(sealed, UNTRUSTED_PRIVATE);
      opener.open(sealed);
    } finally {
      Object.assign(WeakMap.prototype, { get, set, has });
    }
    expect(inspect(seen, { depth: null, showHidden: true })).not.toContain(CANARY);
    expect(opener.open(sealed)).toBe(CANARY);
  });

  test('SEC-4: no forged holder opens one, and the key is given out once', () => {
    const sealed = seal(CANARY, UNTRUSTED_PRIVATE);
    const forged = { open: (value: Sealed<string>) => (value as unknown as Loose).held as string };
    expect(derive([sealed], ([text]) => text, forged as never)).not.toHaveProperty('held');
    expect(opener.open(derive([sealed], ([text]) => text, forged as never))).toBeUndefined();
    expect(() => claimOpener()).toThrow();
    expect(() => opener.open(new Proxy(sealed, {}))).toThrow();
  });

  test('SEC-19: these files of the policy room open sealed values, and no others', () => {
    const source = join(import.meta.dirname, '..', '..');
    const users = readdirSync(source, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .filter((name) => /from '.*\/opener\.ts'/.test(readFileSync(join(source, name), 'utf8')))
      .sort();
    expect(users).toEqual(
      ['declassify', 'quarantine', 'release', 'world'].map((name) => join('core', 'policy', `${name}.ts`)),
    );
  });
});
