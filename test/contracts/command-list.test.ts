// The commands as a client is told of them: their order, their groups, what their arguments can be, and whose a name is.
import { describe, expect, test } from 'bun:test';
import { FRONT_COMMANDS } from '../../src/front/commands/command-table.ts';
import { makeKeymap } from '../../src/front/commands/keymap.ts';
import { matchCommands, parseSlash, slashCommands } from '../../src/front/commands/slash.ts';
import { helpRows } from '../../src/front/tui/modals/help-rows.ts';
import { LINKS, linkHouse, openLinked } from '../support/linked-house.ts';
import { scriptedModel } from '../support/script.ts';
import { openSignInHouse } from '../support/sign-in-house.ts';

const WORKTREE_WORDS = 'status merge resolve finish remove list clean'.split(' ');

for (const kind of LINKS) {
  describe(`the commands, ${kind}`, () => {
    test('each has its group; help and completion list them as they stand in the tables and sort them by nothing (SC-5.18)', async () => {
      const linked = await openLinked(kind, { script: scriptedModel([]) });
      await linked.idle();
      const seat = await linked.sit('one');
      const commands = slashCommands(seat.view.head.commands);
      const groupOf = (name: string) => commands.find((one) => one.name === name)?.group;
      for (const name of ['btw', 'usage']) expect([name, groupOf(name)]).toEqual([name, 'Inspect']);
      for (const name of ['new', 'rename', 'worktree', 'compact', 'autocompact', 'resend', 'jobs'])
        expect([name, groupOf(name)]).toEqual([name, 'Session']);
      for (const name of ['model', 'effort', 'login', 'logout']) expect([name, groupOf(name)]).toEqual([name, 'Model']);
      // As they are registered: the terminal's own, then the session's.
      const own = FRONT_COMMANDS.filter(({ slash }) => slash).map(({ name }) => name);
      const theirs = seat.view.head.commands.map(({ name }) => name).filter((name) => !own.includes(name));
      const names = [...own, ...theirs];
      expect(matchCommands('', commands).map(({ name }) => name)).toEqual(names);
      const help = helpRows(makeKeymap(FRONT_COMMANDS), seat.view.head.commands, 200);
      const lines = help.map(({ line }) => line.map(({ text }) => text).join(''));
      const listed = lines.flatMap((line) => /^\/([a-z-]+)/.exec(line)?.slice(1) ?? []);
      expect(listed).toEqual(names);
      const before = (list: readonly string[], ...order: string[]) =>
        expect(list.filter((name) => order.includes(name))).toEqual(order);
      before(own, 'btw', 'model', 'effort', 'login', 'new', 'jobs', 'usage');
      before(
        seat.view.head.commands.map(({ name }) => name),
        ...['btw', 'model', 'effort', 'login', 'logout', 'rename', 'worktree'],
        ...['compact', 'autocompact', 'resend', 'jobs'],
      );
      // Groups interleave.
      const groups = names.map(groupOf).filter((group, at, all) => group !== all[at - 1]);
      expect(groups.length).toBeGreaterThan(new Set(groups).size);
    });

    test('no argument, a closed list, or free text with words offered first; every description names its forms (SC-5.19)', async () => {
      const house = await openSignInHouse({ variables: { ANTHROPIC_API_KEY: 'key' } });
      const linked = linkHouse(kind, house);
      await linked.idle();
      const seat = await linked.sit('one');
      const offered = async (command: string, typed = ''): Promise<string[]> => {
        const read = await house.session.read({ type: 'complete-argument', command, typed });
        return read.ok ? read.value.choices.map(({ value }) => value) : [];
      };
      const commands = slashCommands(seat.view.head.commands);
      const formOf = (name: string) => commands.find((one) => one.name === name)?.argument;
      // None: words behind it are said to the model, and refused by the session.
      for (const name of ['new', 'resend', 'usage']) {
        expect(formOf(name)).toBe('');
        expect(parseSlash(`/${name} or not`, commands).kind).toBe('prompt');
      }
      expect(await seat.command('resend', 'now')).toMatchObject({ refusal: { message: 'Usage: /resend' } });
      // Closed lists.
      expect(await offered('effort')).toEqual(['low', 'medium', 'high', 'xhigh', 'max', 'default']);
      expect(await seat.command('effort', 'huge')).toMatchObject({ refusal: { identifier: 'argument-unknown' } });
      expect(await offered('login')).toEqual(['openai-codex', 'anthropic', 'claude-subscription', 'openai', 'custom']);
      expect(await offered('login', 'open')).toEqual(['openai-codex', 'openai']);
      expect(await offered('logout')).toEqual(['openai-codex', 'anthropic']);
      expect(await offered('worktree')).toEqual(WORKTREE_WORDS);
      const read = await house.session.read({ type: 'complete-argument', command: 'worktree', typed: '' });
      for (const { description } of read.ok ? read.value.choices : []) expect(description).not.toBe('');
      // Free text, with words offered first or without.
      expect(await offered('autocompact')).toEqual(['on', 'off', 'auto']);
      for (const name of ['btw', 'rename', 'compact', 'jobs', 'autocompact', 'worktree', 'login', 'logout'])
        expect(formOf(name)).not.toBe('');
      for (const value of [...(await offered('autocompact')), 'TOKENS']) expect(formOf('autocompact')).toContain(value);
      for (const value of WORKTREE_WORDS) expect(formOf('worktree')).toContain(value);
    });

    test('a skill named like a command, of the terminal or of the session, or like its other name, never takes its place (SC-5.14)', async () => {
      const names = ['compact', 'quit', 'exit', 'help', 'theme'];
      const list = names.map((name) => ({ name, description: `my ${name}`, path: `/skills/${name}` }));
      const skills = async () => ({ list, load: async (name: string) => `SKILL ${name}` });
      const model = scriptedModel(['a done '.repeat(3000), 'the summary', 'b done'], {
        facts: { contextWindow: 100_000 },
      });
      const linked = await openLinked(kind, { script: model, skills });
      await linked.idle();
      const seat = await linked.sit('one');
      const commands = slashCommands(seat.view.head.commands);
      for (const name of names) {
        expect(commands.filter((one) => one.name === name || one.aliases.includes(name))).toHaveLength(1);
        expect(commands.map(({ description }) => description)).not.toContain(`my ${name}`);
      }
      expect(parseSlash('/exit', commands)).toMatchObject({ command: { name: 'quit', runs: 'front' } });
      await seat.say('a');
      await linked.idle();
      await seat.command('compact');
      await linked.idle();
      expect(seat.outcome(2)?.state).toBe('done');
      expect(JSON.stringify(model.requests)).not.toContain('SKILL');
      // It keeps a way of its own.
      const read = await linked.house.session.read({ type: 'complete-argument', command: '$', typed: 'comp' });
      expect(read.ok && read.value.choices).toEqual([{ value: 'compact', description: 'skill: my compact' }]);
    });
  });
}
