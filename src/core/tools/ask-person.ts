import type { Question } from '../../protocol/ask.ts';
import { flag, list, optional, record, text, toolArguments } from './arguments.ts';
import description from './ask-person.md' with { type: 'text' };
import { argumentsLabel, wrongArguments } from './planning.ts';
import type { Tool } from './tool.ts';

interface Planned {
  readonly questions: readonly Question[];
}

const given = toolArguments({
  questions: list(
    'One to four questions, asked one at a time.',
    record({
      question: text('The question, one or two sentences.'),
      options: optional(list('Answers to choose from. The person can always type another.', text('An answer.'), 0, 8)),
      many: optional(flag('Whether several options may be chosen. Default false.')),
    }),
    1,
    4,
  ),
});

export const askPerson: Tool<Planned> = {
  name: 'ask_person',
  description,
  input: given.schema,
  routing: [],
  order: 'alone',
  title: () => 'Ask',

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const questions = read.value.questions.map(({ question, options, many }) => ({
      question,
      options: options ?? [],
      many: many ?? false,
    }));
    return {
      ok: true,
      title: `Ask: ${questions[0]!.question}`,
      effects: [{ kind: 'question', label: argumentsLabel(context) }],
      diffs: [],
      planned: { questions },
    };
  },

  async run({ questions }, world) {
    const answers = await world.ask(questions);
    if (answers === null) {
      return {
        ok: false,
        kind: 'error',
        message: 'Nobody can answer now. Decide yourself, and say in your reply what you assumed.',
      };
    }
    const said = questions.map((_, index) => (answers[index] ?? []).join(', ') || '(skipped)');
    const only =
      questions.length === 1
        ? said[0]!
        : questions.map(({ question }, index) => `${question}\n${said[index]}`).join('\n\n');
    return {
      ok: true,
      text: only,
      provenance: { from: 'person' },
      display: {
        kind: 'answer',
        question: questions.map(({ question }) => question).join('\n'),
        answer: said.join('\n'),
      },
    };
  },
};
