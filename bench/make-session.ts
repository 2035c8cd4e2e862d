// Writes a long session as Houston would have written it: `bun bench/make-session.ts STATE_FOLDER PROJECT [ENTRIES]`
// (20,000 when not said: 1,600 turns of a prompt, two calls and two replies). Prints its id.
import { createJournal } from '../src/core/journal/file-journal.ts';
import { projectFolder } from '../src/core/journal/project.ts';
import { sessionFolder } from '../src/core/journal/catalog.ts';
import type { EntryBody } from '../src/protocol/entry.ts';
import { TRUSTED_PUBLIC } from '../src/protocol/label.ts';
import type { AssistantPart } from '../src/protocol/message.ts';
import { createBunSystem } from '../src/system/bun/system.ts';

const MODEL = { provider: 'anthropic', model: 'mock-model' };
const USAGE = { input: 4_000, output: 300, cacheRead: 3_500, cacheWrite: 400, reasoning: null };
const TOTALS = { input: 8_000, output: 600, cacheRead: 7_000, cacheWrite: 800, cost: 0 };
const WORDS = 'the parser keeps every token so that a later pass can tell where a line began and why it was cut'.split(' ');

function prose(turn: number, words: number): string {
  const text = Array.from({ length: words }, (_, at) => WORDS[(turn * 7 + at * 3) % WORDS.length]).join(' ');
  return `## Step ${turn}\n\n${text}.\n\n- first point of ${turn}\n- second point\n\n\`\`\`ts\nconst answer = ${turn};\n\`\`\`\n`;
}

function assistant(turn: number, round: number, parts: readonly AssistantPart[]): EntryBody {
  const stop = parts.some((part) => part.type === 'call') ? 'calls' : 'end';
  return { kind: 'assistant', turn, round, model: MODEL, parts, stop, usage: USAGE, cost: 0.01, requestId: null, duration: 900 };
}

function call(turn: number, number: number): { part: AssistantPart; bodies: EntryBody[] } {
  const name = `call-${turn}-${number}`;
  const title = `Read src/file${number}.ts`;
  const text = Array.from({ length: 25 }, (_, line) => `${line + 1}  export const value${line} = ${turn * line};`).join('\n');
  const input = { path: `src/file${number}.ts` };
  return {
    part: { type: 'call', call: name, tool: 'read_file', title, why: null, input },
    bodies: [
      { kind: 'call', turn, call: name, tool: 'read_file', title, effects: [], decidedBy: 'not-needed' },
      {
        kind: 'result', turn, call: name, tool: 'read_file', title, outcome: 'ok', text, images: [], ref: null, label: TRUSTED_PUBLIC,
        display: { kind: 'text', text, end: 'head', totalLines: 25, label: TRUSTED_PUBLIC }, output: null, job: null, duration: 4,
      },
    ],
  };
}

const [state, project, count = '20000'] = process.argv.slice(2);
if (state === undefined || project === undefined) throw new Error('bun bench/make-session.ts STATE_FOLDER PROJECT [ENTRIES]');
const system = createBunSystem();
const session = system.ids.uuid();
const folder = sessionFolder(state, await projectFolder(system.files, project), session);
/** Of last month: a request of today would be looked up in the day's list of requests. */
const clock = { ...system.clock, now: () => system.clock.now() - 30 * 86_400_000 };
const made = await createJournal({
  ...system,
  clock,
  folder,
  session,
  first: { kind: 'session', version: 1, session, folder: project, build: 'bench', forkedFrom: null },
});
if (!made.ok) throw new Error(made.refusal.message);
const journal = made.value;
for (let turn = 1; journal.size < Number(count); turn++) {
  const said: EntryBody = { kind: 'input', client: 'bench', ref: `r${turn}`, text: `Do step ${turn}`, attachments: [], delivery: 'queue', target: null };
  const [input] = journal.append([said]).entries;
  const calls = [call(turn, 1), call(turn, 2)];
  await journal.append([
    ...(turn === 1 ? [{ kind: 'name', name: 'A long session', by: 'prompt' } as const] : []),
    { kind: 'taken', input: input!.id, turn, as: 'prompt' },
    { kind: 'turn-start', turn, model: MODEL, effort: 'default', mode: 'ask' },
    assistant(turn, 1, [{ type: 'text', text: prose(turn, 40) }, ...calls.map((one) => one.part)]),
    ...calls.flatMap((one) => one.bodies),
    assistant(turn, 2, [{ type: 'text', text: prose(turn, 120) }]),
    { kind: 'file-change', call: `call-${turn}-1`, path: `src/file${turn % 40}.ts`, before: null, after: null },
    { kind: 'turn-end', turn, reason: 'done', failure: null, message: null, duration: 2_000, usage: TOTALS },
  ] as EntryBody[]).durable;
}
await journal.close();
console.log(session);
