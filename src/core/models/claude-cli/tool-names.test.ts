import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { toolNames } from './tool-names.ts';

const tool = (name: string) => ({ name, description: '', input: {} });

test('whatever tools are called, each is offered under one fit name of its own, and a call of it finds back', () => {
  const names = fc.uniqueArray(
    fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('a b', 'a.b', 'a_b', 'x'.repeat(90), 'x'.repeat(91))),
  );
  fc.assert(
    fc.property(names, (all) => {
      const { offered, ours } = toolNames(all.map(tool));
      expect(new Set(offered.map(({ name }) => name)).size).toBe(all.length);
      for (const { name, tool } of offered) {
        expect(`mcp__houston__${name}`).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(ours(`mcp__houston__${name}`)).toBe(tool.name);
      }
      expect(ours('Bash')).toBeNull();
    }),
  );
});
