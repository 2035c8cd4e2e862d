// How often does Houston ask in an ordinary hour? Plays 40 reads, 10 searches, 12 edits, 8 test runs, git status, diff, add,
// commit and one package install in a trusted workspace, through the whole program but the screen, with a person who
// answers "for this session" wherever that is offered. Prints every question and their number.
//   sh scripts/bun.sh bench/quiet-hour.ts
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSession } from '../src/cli/open-session.ts';
import type { Ask } from '../src/protocol/ask.ts';
import { apply, emptyHead, emptyView } from '../src/protocol/reduce.ts';
import { createBunSystem } from '../src/system/bun/system.ts';
import { type FakeReply, startFakeAnthropic } from '../test/support/fake-anthropic.ts';

const MOST = 12;
const why = 'ordinary work';
const root = mkdtempSync(path.join(tmpdir(), 'houston-hour-'));
const project = path.join(root, 'project');
mkdirSync(path.join(project, 'src'), { recursive: true });
mkdirSync(path.join(project, 'test'), { recursive: true });
writeFileSync(path.join(project, 'package.json'), '{"name":"hour","version":"1.0.0","type":"module","scripts":{"test":"node --test"}}\n');
for (let index = 0; index < 40; index++) writeFileSync(path.join(project, 'src', `part-${index}.js`), `export const part${index} = ${index};\n`);
writeFileSync(path.join(project, 'test', 'part.test.js'), "import { test } from 'node:test';\ntest('stands', () => {});\n");
for (const words of [['init', '-q'], ['config', 'user.name', 'Pat'], ['config', 'user.email', 'pat@localhost'], ['add', '-A'], ['commit', '-q', '-m', 'start']]) execFileSync('git', words, { cwd: project });

const read = (index: number): FakeReply => [{ tool: 'read_file', input: { path: `src/part-${index}.js`, why } }];
const search = (index: number): FakeReply => [{ tool: 'search_text', input: { pattern: `part${index}`, why } }];
const edit = (index: number): FakeReply => [{ tool: 'edit_file', input: { path: `src/part-${index}.js`, edits: [{ old_text: `= ${index};`, new_text: `= ${index + 100};` }], why } }];
const run = (command: string): FakeReply => [{ tool: 'run_shell', input: { command, why } }];

const steps: FakeReply[] = [];
for (let round = 0; round < 10; round++) {
  for (let index = 0; index < 4; index++) steps.push(read(round * 4 + index));
  steps.push(search(round));
  if (round < 6) steps.push(edit(round * 2), edit(round * 2 + 1));
  if (round < 8) steps.push(run('npm test'));
}
steps.push(run('git status'), run('git diff'), run('git add -A'), run('git commit -q -m "Raise the parts"'), run('npm install is-number@7.0.0'), 'The hour is over.');

const fake = await startFakeAnthropic(steps);
process.env.HOUSTON_HOME = path.join(root, 'home');
process.env.ANTHROPIC_BASE_URL = fake.url;
process.env.ANTHROPIC_API_KEY = 'sk-test';
const system = createBunSystem();
const opened = await openSession(system, {
  folder: project, session: system.ids.uuid(), open: 'new', forkOf: null, save: true, model: 'anthropic:mock-model', effort: null, mode: 'ask',
  settings: null, sandbox: null, addFolders: [], allow: [], canAsk: true, roundLimit: null, demo: false,
});
if (!opened.ok) throw new Error(opened.refusal.message);
const { session, close } = opened.value;
const client = 'person';
const view = emptyView(emptyHead('', '', ''));
const answered = new Set<string>();
const asked: string[] = [];
const over = Promise.withResolvers<void>();
session.attach({ client }, (update) => {
  apply(view, update);
  for (const ask of view.asks) if (!answered.has(ask.id)) answer(ask);
  if (view.outcomes.some((outcome) => outcome.state !== 'waiting' && outcome.state !== 'started')) over.resolve();
});

function answer(ask: Ask): void {
  answered.add(ask.id);
  if (ask.body.kind === 'trust') {
    void session.send({ type: 'answer', ask: ask.id, answer: { kind: 'choice', choice: 'trust' } }, client);
    return;
  }
  if (ask.body.kind !== 'permission') return;
  const choice = ask.body.choices.find((one) => one.name === 'session') ?? ask.body.choices.find((one) => one.name === 'once')!;
  asked.push(`${ask.body.title}  → [${choice.key}] ${choice.label}`);
  void session.send({ type: 'answer', ask: ask.id, answer: { kind: 'choice', choice: choice.name } }, client);
}

await session.send({ type: 'say', ref: 'hour', text: 'Do an ordinary hour of work.', attachments: [], delivery: 'queue' }, client);
await over.promise;
for (const line of asked) console.log(line);
console.log(`${asked.length} questions in ${steps.length - 1} calls (at most ${MOST})`);
await close();
await fake.close();
rmSync(root, { recursive: true, force: true });
process.exit(asked.length <= MOST ? 0 : 1);
