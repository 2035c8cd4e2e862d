// Skills as commands, through the door, the same over every link.
import { describe, expect, test } from 'bun:test';
import type { Skills } from '../../src/core/extensions/skills.ts';
import type { Skill } from '../../src/core/tools/tool.ts';
import { parseSlash, slashCommands } from '../../src/front/commands/slash.ts';
import type { View } from '../../src/protocol/view.ts';
import { CTRL_C, type HouseOptions } from '../support/controller.ts';
import { LINKS, type LinkKind, openLinked } from '../support/linked-house.ts';
import { type McpRig, mcpRig } from '../support/mcp-rig.ts';
import { gate, type ScriptEntry, scriptedModel } from '../support/script.ts';
import { saidIn } from '../support/what-was-said.ts';

function skill(name: string, more: Partial<Skill> = {}): Skill {
  return { name, description: `About ${name}`, path: `/skills/${name}/SKILL.md`, ...more };
}

function found(list: readonly Skill[]): () => Promise<Skills> {
  return async () => ({ list, load: async (name) => `SKILL ${name}` });
}

async function opened(
  kind: LinkKind,
  list: readonly Skill[],
  script: readonly ScriptEntry[],
  more: Partial<HouseOptions> = {},
) {
  const model = scriptedModel(script);
  const linked = await openLinked(kind, { script: model, skills: found(list), ...more });
  const seat = await linked.sit('one');
  await linked.settle();
  const sayBy = (name: string, argument: string, delivery?: 'steering' | 'queue' | 'interrupt') =>
    seat.send({ type: 'command', ref: `${name}${argument}`, name, argument, ...(delivery ? { delivery } : {}) });
  return { model, linked, seat, sayBy };
}

const notes = (view: View): string[] =>
  view.transcript.items.flatMap((item) =>
    item.kind === 'note' && item.identifier.startsWith('mcp') ? [item.text] : [],
  );

/** A server that was agreed to in an earlier session. */
async function agreed(rig: McpRig, name: string): Promise<void> {
  const there = await rig.servers();
  await there.enable(name, async () => 'remember', new AbortController().signal);
  await there.close();
  await rig.system.clock.settle();
  (rig.lines as Map<string, unknown>).delete(name);
}

for (const kind of LINKS) {
  describe(`skills as commands ${kind}`, () => {
    test('each is a command; one whose name is taken is none, and of its other names the taken ones go (SC-17.1)', async () => {
      const list = [
        skill('review', { aliases: ['rv', 'compact', 'exit'] }),
        skill('compact'),
        skill('look', { aliases: ['review', 'rv', 'lk'] }),
        skill('Upper.case'),
      ];
      const { seat } = await opened(kind, list, []);
      const commands = slashCommands(seat.view.head.commands);
      expect(parseSlash('/review src', commands)).toMatchObject({
        command: { name: 'review', says: true },
        argument: 'src',
      });
      expect(commands.find(({ name }) => name === 'review')?.aliases).toEqual(['rv']);
      expect(commands.find(({ name }) => name === 'look')?.aliases).toEqual(['lk']);
      expect(commands.filter(({ name }) => name === 'compact')).toHaveLength(1);
      expect(commands.find(({ name }) => name === 'compact')?.says).toBeUndefined();
      expect(parseSlash('/exit', commands)).toMatchObject({ command: { name: 'quit' } });
      expect(commands.some(({ name }) => name === 'Upper.case')).toBe(false);
    });

    test('one is said as a prompt and sent as prompts are: it joins the turn, waits or is stopped (SC-17.2)', async () => {
      const held = gate();
      const { model, linked, seat, sayBy } = await opened(
        kind,
        [skill('review', { aliases: ['rv'] })],
        [[{ wait: held.opened }, 'first'], 'steered', 'queued', 'stopped'],
      );
      await seat.say('work');
      await model.received(1);
      expect((await sayBy('review', 'the diff')).accepted).toBe(true);
      expect((await sayBy('rv', '', 'queue')).accepted).toBe(true);
      expect(seat.view.queue.rows.map(({ text, delivery }) => [text, delivery])).toEqual([
        ['Use the skill review: the diff', 'steering'],
        ['Use the skill review.', 'queue'],
      ]);
      held.open();
      await linked.idle();
      expect(saidIn(model.requests[1])).toContain('Use the skill review: the diff');
      expect(saidIn(model.requests[1])).not.toContain('Use the skill review.');
      expect(saidIn(model.requests[2])).toContain('Use the skill review.');
      // A stop in the same breath is meant for it.
      const sent = sayBy('review', 'again', 'steering');
      await seat.send(CTRL_C);
      await sent;
      await linked.idle();
      expect(model.requests).toHaveLength(3);
    });

    test('without a model it is refused (SC-17.2)', async () => {
      const { seat, sayBy } = await opened(kind, [skill('review')], [], {
        problem: { identifier: 'no-model', message: 'There is none' },
      });
      const sent = await sayBy('review', '');
      expect(sent).toMatchObject({ accepted: false, refusal: { identifier: 'no-model' } });
      expect(seat.view.queue.rows).toEqual([]);
    });

    test('servers it declares are started first and its prompt waits for them; unknown ones are named (SC-17.2)', async () => {
      const held = gate();
      let waits = false;
      const rig = mcpRig({});
      rig.script('calc', {
        on: async ({ method }) => {
          if (waits && method === 'initialize') await held.opened;
          return undefined;
        },
      });
      rig.configure({ calc: { command: 'calc' } });
      await agreed(rig, 'calc');
      waits = true;
      const { model, linked, seat, sayBy } = await opened(
        kind,
        [skill('sums', { servers: ['calc', 'nowhere'] })],
        ['done', 'again'],
        { system: rig.system, mcp: rig.source } as Partial<HouseOptions>,
      );
      expect((await sayBy('sums', 'now')).accepted).toBe(true);
      await linked.settle();
      expect(model.requests).toHaveLength(0);
      expect(seat.view.queue.rows).toHaveLength(1);
      expect(notes(seat.view)).toContain('The skill sums wants the MCP server nowhere, which nothing here describes.');
      held.open();
      await linked.idle();
      expect(model.requests).toHaveLength(1);
      expect(model.requests[0]!.tools.some(({ name }) => name.startsWith('mcp__calc'))).toBe(true);
      // What is on already is not started again.
      const before = notes(seat.view).filter((text) => text.startsWith('Enabling')).length;
      await sayBy('sums', 'more');
      await linked.idle();
      expect(notes(seat.view).filter((text) => text.startsWith('Enabling'))).toHaveLength(before);
      expect(model.requests).toHaveLength(2);
    });

    test('cancelling the start of a server it wants says so, and its prompt is held, not sent (SC-17.3)', async () => {
      const held = gate();
      let waits = false;
      const rig = mcpRig({});
      rig.script('calc', {
        on: async ({ method }) => {
          if (waits && method === 'initialize') await held.opened;
          return undefined;
        },
      });
      rig.configure({ calc: { command: 'calc' } });
      await agreed(rig, 'calc');
      waits = true;
      const { model, linked, seat, sayBy } = await opened(kind, [skill('sums', { servers: ['calc'] })], [], {
        system: rig.system,
        mcp: rig.source,
      } as Partial<HouseOptions>);
      await sayBy('sums', 'now');
      await linked.settle();
      await seat.send(CTRL_C);
      await linked.settle();
      expect(model.requests).toHaveLength(0);
      expect(notes(seat.view).some((text) => text.includes('was cancelled'))).toBe(true);
      expect(seat.view.queue.paused).not.toBeNull();
      expect(seat.view.queue.rows.map(({ text }) => text)).toEqual(['Use the skill sums: now']);
      held.open();
    });

    test('/reload takes up what became a skill meanwhile and leaves out what is none any more', async () => {
      const list = [skill('review'), skill('old')];
      const { seat, linked } = await opened(kind, list, []);
      const named = (): string[] => seat.view.head.commands.filter(({ says }) => says === true).map(({ name }) => name);
      expect(named()).toEqual(['review', 'old']);
      list.splice(1, 1, skill('new'));
      await seat.command('reload');
      await linked.idle();
      expect(named()).toEqual(['review', 'new']);
      expect(await seat.command('old')).toMatchObject({ refusal: { identifier: 'unknown-command' } });
    });

    test('a broken MCP configuration shows its error and the prompt is still sent (SC-17.2)', async () => {
      const rig = mcpRig({});
      rig.configure({ calc: { command: 'calc' } }, ' broken');
      const { model, linked, seat, sayBy } = await opened(kind, [skill('sums', { servers: ['calc'] })], ['done'], {
        system: rig.system,
        mcp: rig.source,
      } as Partial<HouseOptions>);
      await sayBy('sums', '');
      await linked.idle();
      expect(notes(seat.view).some((text) => text.includes('mcp.json'))).toBe(true);
      expect(model.requests).toHaveLength(1);
    });
  });
}
