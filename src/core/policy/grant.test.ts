import { expect, test } from 'bun:test';
import type { Effect } from '../../protocol/effect.ts';
import type { Facts } from './facts.ts';
import { issueGrant } from './grant.ts';

test('a grant is what was decided on: nothing changes it later, in any depth, whatever names stand in it', () => {
  const hostile = JSON.parse('{"kind":"read","path":"/w/a","deep":{"__proto__":{"list":["/w/a"]}}}') as Effect;
  const paths = [{ path: '/w/a', real: '/w/a', inside: true }];
  const facts = { workspace: '/w', roots: ['/w/more'], paths, line: null } as unknown as Facts;
  const before = JSON.stringify({ effects: [hostile], facts });
  const grant = issueGrant([hostile], facts);
  Object.assign(hostile, { path: '/etc/passwd' });
  (facts.roots as string[]).push('/');
  paths[0]!.real = '/etc/passwd';
  paths.push({ path: '/', real: '/', inside: true });
  expect(JSON.stringify(grant)).toBe(before);
  const allFrozen = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(allFrozen));
  expect(allFrozen(grant)).toBe(true);
});
