import type { TodoItem } from '../../protocol/display.ts';
import { choice, list, record, text, toolArguments } from './arguments.ts';
import { argumentsLabel, wrongArguments } from './planning.ts';
import description from './todo-write.md' with { type: 'text' };
import type { Tool } from './tool.ts';

interface Planned {
  readonly items: readonly TodoItem[];
}

const given = toolArguments({
  items: list(
    'The whole list, in order.',
    record({
      text: text('One step, in a few words.'),
      state: choice('How far it is.', ['pending', 'active', 'done', 'cancelled']),
    }),
    0,
    100,
  ),
});

export const todoWrite: Tool<Planned> = {
  name: 'todo_write',
  description,
  input: given.schema,
  routing: [],
  order: 'alone',
  title: () => 'Plan',

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const { items } = read.value;
    const effect = { kind: 'session', what: 'todo', label: argumentsLabel(context) } as const;
    return { ok: true, title: `Plan: ${progress(items)}`, effects: [effect], diffs: [], planned: { items } };
  },

  async run({ items }, world) {
    world.setTodo(items);
    return {
      ok: true,
      text: `Noted: ${progress(items)}.`,
      provenance: { from: 'houston' },
      display: { kind: 'todo', items },
    };
  },
};

function progress(items: readonly TodoItem[]): string {
  const done = items.filter((item) => item.state === 'done').length;
  return `${done} of ${items.filter((item) => item.state !== 'cancelled').length} done`;
}
