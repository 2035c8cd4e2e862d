// A real package from npm with a bug in it and its own tests: found, mended, tested and reported over every wire, each
// against a strict counterpart; without a terminal under rules given beforehand, and by a person who answers each question.
import { afterAll, describe, expect, test } from 'bun:test';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startFakeAnthropic } from '../support/fake-anthropic.ts';
import { startFakeGoogle } from '../support/fake-google.ts';
import { startFakeChat } from '../support/fake-openai-chat.ts';
import { startFakeResponses } from '../support/fake-openai-responses.ts';
import type { FakeEntry } from '../support/fake-service.ts';
import { git, makePlace, type Place } from '../support/houston-place.ts';

const PACKAGE = path.join(import.meta.dir, '..', '..', 'node_modules', 'quick-format-unescaped');
const RIGHT = 'str += Math.floor(Number(args[a]))';
const WRONG = 'str += Math.ceil(Number(args[a]))';
const REPLY = 'Fixed: `%i` rounded up. It rounds down again, and the tests pass.';
const PROMPT = 'The tests fail. Find the bug, fix it, and run them with node test.';

const flight = (command: string): FakeEntry<unknown>[] => [
  [
    { thinking: 'Rounding, probably.' },
    'I look at how numbers are formatted.',
    { tool: 'search_text', input: { pattern: 'Math\\.', why: 'Find where numbers are rounded' } },
    { tool: 'read_file', input: { path: 'test/index.js', limit: 60, why: 'See what is expected' } },
  ],
  (request) => {
    expect(request.raw).toContain('Math.ceil');
    expect(request.raw).toContain('assert');
    const edits = [{ old_text: WRONG, new_text: RIGHT }];
    return [{ tool: 'edit_file', input: { path: 'index.js', edits, why: '%i rounds down' } }];
  },
  [{ tool: 'run_shell', input: { command, why: 'See whether the tests pass' } }],
  REPLY,
];

interface Fake {
  readonly url: string;
  readonly requests: readonly { readonly refused: unknown }[];
  close(): Promise<void>;
}

/** One wire: how its counterpart is started, and by which of the ecosystem's own variables it is found. */
interface Way {
  readonly model: string;
  readonly start: (entries: readonly FakeEntry<unknown>[]) => Promise<Fake>;
  readonly environment: (url: string) => Record<string, string>;
}

const WAYS: readonly Way[] = [
  {
    model: 'anthropic:claude-opus-5-5',
    start: (entries) => startFakeAnthropic(entries as never),
    environment: (url) => ({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: url }),
  },
  {
    model: 'openai:gpt-6.2-sol',
    start: (entries) => startFakeResponses(entries as never),
    environment: (url) => ({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${url}/v1` }),
  },
  {
    model: 'google:gemini-4-neon',
    start: (entries) => startFakeGoogle(entries as never),
    environment: (url) => ({ GEMINI_API_KEY: 'g-test', GOOGLE_GEMINI_BASE_URL: url }),
  },
  {
    model: 'ollama:qwen3:8b',
    start: async (entries) => startFakeChat(entries as never, {}, { thinking: 'reasoning', keyless: true }),
    environment: (url) => ({ OLLAMA_HOST: url.replace('http://', '') }),
  },
];

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

async function prepare({ start, environment }: Way, command: string): Promise<{ place: Place; fake: Fake }> {
  const fake = await start(flight(command));
  const place = await makePlace();
  Object.assign(place.environment, environment(fake.url));
  closing.push(
    () => place.close(),
    () => fake.close(),
  );
  rmSync(path.join(place.project, 'README'));
  cpSync(PACKAGE, place.project, { recursive: true });
  const source = readFileSync(path.join(place.project, 'index.js'), 'utf8');
  expect(source.split(RIGHT)).toHaveLength(2);
  writeFileSync(path.join(place.project, 'index.js'), source.replace(RIGHT, WRONG));
  git(place.project, 'add', '-A');
  git(place.project, 'commit', '-q', '-m', 'Take the package');
  expect(ownTests(place)).not.toBe(0);
  return { place, fake };
}

function ownTests(place: Place): number {
  return Bun.spawnSync(['node', 'test'], { cwd: place.project }).exitCode;
}

function proveFixed(place: Place): void {
  expect(readFileSync(path.join(place.project, 'index.js'))).toEqual(readFileSync(path.join(PACKAGE, 'index.js')));
  expect(ownTests(place)).toBe(0);
  expect(git(place.project, 'status', '--porcelain')).toBe(' M index.js\n');
  // The two that only read ran side by side: their results lie in the order they came.
  expect(results(place).slice(0, 2).sort()).toEqual(['read_file ok', 'search_text ok']);
  expect(results(place).slice(2)).toEqual(['edit_file ok', 'run_shell ok']);
}

function results(place: Place): string[] {
  return place.entries().flatMap((entry) => (entry.kind === 'result' ? [`${entry.tool} ${entry.outcome}`] : []));
}

describe.each(WAYS.map((way) => [way.model, way] as const))('%s', (_model, way) => {
  test('a seeded bug in a real package is fixed in one shot, under rules given beforehand', async () => {
    const { place, fake } = await prepare(way, 'node test');
    const words = ['-p', PROMPT, '-m', way.model, '--mode', 'edits', '--allow', 'Bash(node test)'];
    const ran = await place.run(words);
    expect({ code: ran.code, out: ran.out }).toEqual({ code: 0, out: `${REPLY}\n` });
    proveFixed(place);
    expect(fake.requests.map(({ refused }) => refused)).toEqual([null, null, null, null]);
  }, 30_000);

  test('without the rule the command is refused with exit code 4, and the edit stands', async () => {
    const { place } = await prepare(way, 'node test');
    const ran = await place.run(['-p', PROMPT, '-m', way.model, '--mode', 'edits']);
    expect({ code: ran.code, out: ran.out }).toEqual({ code: 4, out: `${REPLY}\n` });
    expect(ran.err).toContain('houston: effect-refused: $ node test');
    expect(ownTests(place)).toBe(0);
  }, 30_000);

  test('the same by hand in Mission Control: both effects are shown and approved by key', async () => {
    const { place, fake } = await prepare(way, 'node test && echo "every test passes"');
    const screen = place.open(['-m', way.model]);
    await screen.until('What shall be done?');
    await screen.say(PROMPT);
    await screen.until('╭─ ◍ Edit');
    await screen.until(`+ ${' '.repeat(10)}${RIGHT}`);
    expect(screen.text()).toContain(`- ${' '.repeat(10)}${WRONG}`);
    expect(readFileSync(path.join(place.project, 'index.js'), 'utf8')).toContain(WRONG);
    await screen.answerAsk('y');
    await screen.until('╭─ ◍ $ node test');
    expect(readFileSync(path.join(place.project, 'index.js'), 'utf8')).toContain(RIGHT);
    expect(results(place)).toHaveLength(3);
    await screen.answerAsk('y');
    await screen.until('the tests pass.');
    await screen.until('Ready');
    const shown = screen.text();
    expect(shown).toContain(`+ ${' '.repeat(10)}${RIGHT}`);
    expect(shown).toMatch(/│ {3}See whether the tests pass[^\n]*\n│ │ every test passes/);
    proveFixed(place);
    expect(fake.requests.map(({ refused }) => refused)).toEqual([null, null, null, null]);
  }, 60_000);
});
