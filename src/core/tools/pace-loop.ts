import { flag, optional, toolArguments, whole } from './arguments.ts';
import description from './pace-loop.md' with { type: 'text' };
import { argumentsLabel, wrongArguments } from './planning.ts';
import type { Tool } from './tool.ts';

interface Planned {
  readonly wish: number | 'finished';
}

const MOST_SECONDS = 86_400;

const given = toolArguments({
  seconds: optional(
    whole('Seconds from the end of this turn. Less than a minute or more than an hour is bent.', 1, MOST_SECONDS),
  ),
  finished: optional(flag('There is nothing more to do: the loop ends.')),
});

export const paceLoop: Tool<Planned> = {
  name: 'pace_loop',
  description,
  needs: 'standing',
  input: given.schema,
  routing: [],
  order: 'alone',
  title: () => 'Pace of the loop',

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const { seconds, finished } = read.value;
    if ((seconds === null) === (finished !== true))
      return { ok: false, message: 'Wrong arguments: give either "seconds" or "finished": true.' };
    const wish = seconds === null ? 'finished' : seconds * 1000;
    const title = wish === 'finished' ? 'Loop: finished' : `Loop: again in ${seconds} s`;
    const effect = { kind: 'session', what: 'loop', label: argumentsLabel(context) } as const;
    return { ok: true, title, effects: [effect], diffs: [], planned: { wish } };
  },

  run: async ({ wish }, world) => ({
    ok: true,
    text: world.pace(wish),
    provenance: { from: 'houston' },
    display: { kind: 'none' },
  }),
};
