import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import { createLiveTrust, readTrustDecision, type TrustDecision, trustDecisionJson } from './live-trust.ts';
import { NOTHING_TRUSTED, trustAfterWrite, trusts, withTrust } from './trust.ts';

const segment = fc.constantFrom('a', 'ab', 'b', 'c');
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`);

describe('the trust map', () => {
  test('TRUST-4: the longest whole segment wins, both ways; nothing is trusted by itself', () => {
    const map = new Map([
      ['/ws', true],
      ['/ws/vendor', false],
      ['/ws/vendor/ours', true],
    ]);
    expect(trusts(NOTHING_TRUSTED, '/ws')).toBe(false);
    expect(trusts(map, '/ws/a')).toBe(true);
    expect(trusts(map, '/ws/vendor/x')).toBe(false);
    expect(trusts(map, '/ws/vendor/ours/x')).toBe(true);
    expect(trusts(map, '/ws/vendored')).toBe(true);
    expect(trusts(map, '/ws2')).toBe(false);
    // Answers come in any order: the deepest decides, not the last.
    const turned = new Map([...map].reverse());
    expect(trusts(turned, '/ws/vendor/x')).toBe(false);
    expect(trusts(turned, '/ws/vendor/ours/x')).toBe(true);
  });

  test('SEC-20, TRUST-5: the write table, row by row', () => {
    const map = new Map([
      ['/ws', true],
      ['/ws/page', false],
    ]);
    expect(trustAfterWrite(map, '/ws/a', 'trusted')).toBeNull();
    expect(trustAfterWrite(map, '/ws/a', 'untrusted')).toBe(false);
    expect(trustAfterWrite(map, '/ws/page', 'trusted')).toBe(true);
    expect(trustAfterWrite(map, '/ws/page', 'untrusted')).toBeNull();
    expect(trustAfterWrite(map, '/else/new', 'trusted')).toBe(true);
    expect(trustAfterWrite(map, '/else/new', 'untrusted')).toBe(false);
  });

  test('SEC-20: after any writes a file has the trust of what was last written into it, its neighbours keep theirs', () => {
    const write = fc.record({ path, data: fc.constantFrom('trusted', 'untrusted') });
    fc.assert(
      fc.property(fc.array(write, { maxLength: 12 }), (writes) => {
        let map: ReadonlyMap<string, boolean> = new Map([['/a', true]]);
        for (const { path: file, data } of writes) {
          const before = map;
          const change = trustAfterWrite(map, file, data as 'trusted' | 'untrusted');
          if (change !== null) map = withTrust(map, file, change);
          expect(trusts(map, file)).toBe(data === 'trusted');
          const parent = file.slice(0, file.lastIndexOf('/')) || '/';
          expect(trusts(map, parent)).toBe(trusts(before, parent));
          expect(trusts(map, `${file}x`)).toBe(trusts(before, `${file}x`));
        }
      }),
    );
  });

  test('lowering holds at once, raising only when it is written down', async () => {
    const written = Promise.withResolvers<void>();
    const trust = createLiveTrust(new Map([['/ws', true]]), () => written.promise);
    const lowering = trust.set({ path: '/ws/a', trusted: false, by: 'write' });
    expect(trusts(trust.map, '/ws/a')).toBe(false);
    const raising = trust.set({ path: '/else', trusted: true, by: 'person' });
    expect(trusts(trust.map, '/else')).toBe(false);
    written.resolve();
    await Promise.all([lowering, raising]);
    expect(trusts(trust.map, '/else')).toBe(true);
  });

  test('a decision is read back as it was written, and anything else is none', () => {
    const decision: TrustDecision = { path: '/ws', trusted: true, by: 'person', requests: 'd1' };
    expect(readTrustDecision(trustDecisionJson(decision))).toEqual(decision);
    expect(readTrustDecision({ about: 'trust', path: '/ws', trusted: 'yes' })).toBeNull();
    expect(readTrustDecision({ about: 'else', label: { ...TRUSTED_PUBLIC } })).toBeNull();
  });
});
