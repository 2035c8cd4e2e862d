import { describe, expect, test } from 'bun:test';
import { matchCommands, parseSlash, slashCommands } from './slash.ts';

const commands = slashCommands([
  { name: 'compact', argument: '[focus]', description: '' },
  { name: 'clear', argument: '', description: '', during: 'after' },
  { name: 'rename', argument: '<name>', description: '' },
  { name: 'export', argument: '', alone: true, description: '' },
  { name: 'help', argument: '', description: 'not this one' },
]);

const parsed = (text: string) => {
  const result = parseSlash(text, commands);
  return result.kind === 'command' ? [result.command.name, result.argument] : result.kind;
};

describe('slash', () => {
  test('a command is the whole first word, its argument verbatim but for outer blanks (CMD-1, CMD-2)', () => {
    expect(parsed('/compact')).toEqual(['compact', '']);
    expect(parsed('/compact  the  tests ')).toEqual(['compact', 'the  tests']);
    expect(parsed('/compact\nline')).toEqual(['compact', 'line']);
    expect(parsed('/exit')).toEqual(['quit', '']);
  });

  test('anything else that begins with a slash is a prompt (CMD-1)', () => {
    for (const text of [
      '/renamed x',
      'what does /clear do',
      ' /clear',
      '/clear all of it',
      '/usr/bin/env',
      '/',
      '//',
      '/Clear',
    ]) {
      expect(parsed(text)).toBe('prompt');
    }
  });

  test('a bare word that needs words answers with its usage (CMD-2)', () => {
    expect(parsed('/rename')).toBe('usage');
    expect(parsed('/rename x')).toEqual(['rename', 'x']);
  });

  test('one that stands alone goes to the session with the words behind it, which refuses them: it is no prompt (SX-4)', () => {
    expect(parsed('/export')).toEqual(['export', '']);
    expect(parsed('/export here.md')).toEqual(['export', 'here.md']);
  });

  test('the terminal’s own commands come first and are never the session’s too', () => {
    expect(commands.filter((command) => command.name === 'help')).toMatchObject([{ runs: 'front' }]);
    expect(commands.find((command) => command.name === 'clear')).toMatchObject({ runs: 'session', during: 'after' });
  });

  test('what begins with the typed letters comes before what holds them', () => {
    const names = matchCommands('co', commands).map((command) => command.name);
    expect(names.slice(0, 3)).toEqual(['copy', 'collapse', 'compact']);
    expect(matchCommands('zz', commands)).toEqual([]);
  });

  test('what is chosen once is offered where nothing else begins as it does', () => {
    const offered = (typed: string): string[] => matchCommands(typed, commands).map((command) => command.name);
    expect(offered('con')).toEqual(['config']);
    for (const typed of ['c', 'co']) expect(offered(typed)).not.toContain('config');
  });
});
