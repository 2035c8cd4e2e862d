import { describe, expect, test } from 'bun:test';
import { FRONT_COMMANDS } from './command-table.ts';
import { chordLabel, makeKeymap, readChord, refuseChord } from './keymap.ts';

const keymap = (bindings: Record<string, string>) => makeKeymap(FRONT_COMMANDS, bindings);

describe('keymap', () => {
  test('no two commands share a default chord', () => {
    const chords = FRONT_COMMANDS.flatMap((command) => command.keys ?? []);
    expect(new Set(chords).size).toBe(chords.length);
  });

  test('chords are read in every spelling and written in one (KEY-1)', () => {
    expect(readChord('ctrl-x')).toBe('ctrl-x');
    expect(readChord('Ctrl+X')).toBe('ctrl-x');
    expect(readChord('shift-alt-e')).toBe('alt-shift-e');
    expect(readChord('alt-pageup')).toBe('alt-pageup');
    expect(readChord('ctrl-ctrl-x')).toBeNull();
    expect(readChord('hyper-x')).toBeNull();
    expect(readChord('')).toBeNull();
    expect(chordLabel('ctrl-x')).toBe('Ctrl-X');
    expect(chordLabel('pageup')).toBe('PgUp');
  });

  test('a chord carries Ctrl or Alt, and some are never given away (KEY-4, KEY-5)', () => {
    for (const chord of ['x', 'f5', 'shift-a', 'ctrl-shift-a', 'ctrl-c', 'ctrl-d', 'ctrl-j', 'shift-enter'])
      expect(refuseChord(chord)).not.toBeNull();
    for (const chord of ['ctrl-u', 'alt-o', 'alt-shift-e', 'ctrl-shift-up']) expect(refuseChord(chord)).toBeNull();
  });

  test('a bound chord answers, the old one does nothing, and labels follow (KEY-10, KEY-11)', () => {
    const moved = keymap({ stash: 'alt-o' });
    expect(moved.commandOf('alt-o')).toBe('stash');
    expect(moved.commandOf('ctrl-s')).toBeNull();
    expect(moved.label('stash')).toBe('Alt-O');
  });

  test('a refused or taken chord leaves the action on its default (KEY-6, KEY-8)', () => {
    for (const chord of ['x', 'ctrl-c', 'nonsense', 'ctrl-r']) {
      const moved = keymap({ stash: chord });
      expect(moved.commandOf('ctrl-s')).toBe('stash');
      expect(moved.commandOf('ctrl-r')).toBe('history');
      expect(moved.problems).toHaveLength(1);
    }
  });

  test('two that ask for one chord both fall back, a swap is honoured (KEY-7)', () => {
    const clash = keymap({ stash: 'alt-o', history: 'alt-o' });
    expect(clash.commandOf('alt-o')).toBeNull();
    expect(clash.commandOf('ctrl-s')).toBe('stash');
    expect(clash.commandOf('ctrl-r')).toBe('history');
    const swap = keymap({ stash: 'ctrl-r', history: 'ctrl-s' });
    expect(swap.commandOf('ctrl-r')).toBe('stash');
    expect(swap.commandOf('ctrl-s')).toBe('history');
    expect(swap.problems).toEqual([]);
  });

  test('what is fixed cannot be moved, what is unknown is ignored (KEY-2)', () => {
    expect(keymap({ interrupt: 'alt-o' }).commandOf('ctrl-c')).toBe('interrupt');
    expect(keymap({ nothing: 'alt-o' }).problems).toEqual([]);
  });

  test('a configured chord beats the line-editing meaning of its key (KEY-9)', () => {
    expect(keymap({ stash: 'ctrl-u' }).commandOf('ctrl-u')).toBe('stash');
  });
});
