import { DEMO_BUG } from './demo-project.ts';
import type { Flight, PilotPart } from './pilot-flight.ts';

const STEPS = [
  'Read the code and its tests',
  'Run the tests to see them fail',
  'Fix the cause',
  'Run the tests again',
] as const;

function plan(done: number): { text: string; state: 'pending' | 'active' | 'done' }[] {
  return STEPS.map((text, index) => ({ text, state: index < done ? 'done' : index === done ? 'active' : 'pending' }));
}

/**
 * The tour of `--demo`: plan, read, run, fix, run, report. Null once it was flown, or where a tool is missing: then the
 * pilot answers as it does anywhere else. A call the person refuses ends it politely.
 */
export function tour(flight: Flight): PilotPart[] | null {
  if (flight.usedBefore.has('edit_file')) return null;
  // The failing test run is the one error the tour counts on.
  const stopped = flight.results.find((result) => result.error && result.tool !== 'run_shell');
  if (stopped !== undefined) {
    return [
      {
        text: `That call did not go through, so I stop here: nothing happens without you.\n\nThe cause, in case you want to mend it yourself: the loop in \`${DEMO_BUG.file}\` ends one second early, so \`T-1\` is never called.`,
      },
    ];
  }
  const parts = stepOf(flight);
  return parts.some((part) => part === null) ? null : parts.filter((part) => part !== null);
}

function stepOf(flight: Flight): (PilotPart | null)[] {
  const todo = (done: number) => flight.call('todo_write', { todo: plan(done), why: 'Keep the plan up to date' });
  switch (flight.step) {
    case 0:
      return [
        {
          thinking:
            'The person misses a call in the countdown. I should see the code and what its tests expect, let the tests fail once, and only then change anything.',
        },
        { text: 'Roger. First a plan, which you can watch being ticked off, then a look at the project.' },
        todo(0),
        flight.call('list_files', { folder: '.', why: 'See what the project holds' }),
      ];
    case 1:
      return [
        {
          text: 'Two small modules with a test each. I read the countdown and its test side by side: two calls at once, since reading disturbs nobody.',
        },
        flight.call('read_file', { path: DEMO_BUG.file, why: 'See how the calls are made' }),
        flight.call('read_file', { path: DEMO_BUG.test, why: 'See what is expected' }),
      ];
    case 2:
      return [
        {
          thinking:
            'The loop runs while second > 1, so it leaves out second = 1, and T-1 is never called. The test wants T-3, T-2, T-1, Lift-off. Before changing it I want to see exactly that failure.',
        },
        {
          text: 'I have a suspicion: the loop ends at 2. Seeing the test fail for that very reason is better than believing it, so I run the tests. **A command needs your word**: read the question, then answer it.',
        },
        todo(1),
        flight.call('run_shell', { line: DEMO_BUG.command, why: 'See the failure before fixing it' }),
      ];
    case 3:
      return [
        {
          text: `As suspected: \`T-1\` is missing. The condition must let \`second\` reach 1. You will see the exact change before it is made.`,
        },
        todo(2),
        flight.call('edit_file', {
          path: DEMO_BUG.file,
          before: DEMO_BUG.before,
          after: DEMO_BUG.after,
          why: 'Count down to 1, not to 2',
        }),
      ];
    case 4:
      return [
        { text: 'And the same tests again, to show that it holds.' },
        todo(3),
        flight.call('run_shell', { line: DEMO_BUG.command, why: 'Show that the tests pass' }),
      ];
    case 5:
      return [todo(STEPS.length), { text: report(flight) }];
    default:
      return [
        { text: 'That was the tour. Ask me anything about Houston, or connect a model and try your own project.' },
      ];
  }
}

function report(flight: Flight): string {
  const passed = flight.results.some((result) => result.tool === 'run_shell' && /\bfail 0\b/.test(result.text));
  const ending = passed ? 'All four tests pass.' : 'What the last run said is above.';
  return `### Fixed: the countdown left out T-1

${ending} The loop stopped one second early:

\`\`\`diff
-  for (let second = from; second > 1; second--) {
+  for (let second = from; second >= 1; second--) {
\`\`\`

| file | what happened |
| --- | --- |
| \`${DEMO_BUG.file}\` | one character: \`>\` became \`>=\` |
| \`${DEMO_BUG.test}\` | read, untouched |

Things to try now:

1. \`Ctrl-O\` reads all of this over the whole screen, with a search; \`Alt-I\` opens one card in full
2. close the window while something runs: it goes on, and \`houston attach\` comes back to it
3. connect a model: \`export ANTHROPIC_API_KEY=…\`, then \`houston\` in a project of yours`;
}
