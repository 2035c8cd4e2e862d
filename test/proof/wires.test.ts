// The real program over the wires that share no code with Anthropic's: reads, edits and reports, each against a strict
// counterpart, set up by nothing but the ecosystem's own variables; and a provider of the person's own.
import { afterAll, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startFakeGoogle } from '../support/fake-google.ts';
import { startFakeChat } from '../support/fake-openai-chat.ts';
import { startFakeResponses } from '../support/fake-openai-responses.ts';
import type { FakePart } from '../support/fake-service.ts';
import { makePlace } from '../support/houston-place.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

const EDIT = { path: 'sum.js', edits: [{ old_text: 'a - b', new_text: 'a + b' }], why: 'It subtracts' };
const FLIGHT: readonly (readonly FakePart[] | string)[] = [
  [
    { thinking: 'Where are numbers added?' },
    'I look.',
    { tool: 'read_file', input: { path: 'sum.js', why: 'See it' } },
    { tool: 'search_text', input: { pattern: 'sum', why: 'Find its uses' } },
  ],
  [{ thinking: 'Wrong sign.' }, { tool: 'edit_file', input: EDIT }],
  'It adds now 🚀.',
];

interface Way {
  readonly model: string;
  readonly start: () => Promise<{ url: string; requests: readonly { refused: unknown }[]; close(): Promise<void> }>;
  readonly environment: (url: string) => Record<string, string>;
  readonly settings?: (url: string) => unknown;
}

const LOCAL = { thinking: 'reasoning' } as const;

const WAYS: readonly Way[] = [
  {
    model: 'openai:gpt-6-sol',
    start: () => startFakeResponses(FLIGHT, { key: 'sk-one' }),
    environment: (url) => ({ OPENAI_API_KEY: 'sk-one', OPENAI_BASE_URL: `${url}/v1`, GEMINI_API_KEY: 'other' }),
  },
  {
    model: 'google:gemini-3.1-pro-preview',
    start: () => startFakeGoogle(FLIGHT, { key: 'g-one' }),
    environment: (url) => ({ GEMINI_API_KEY: 'g-one', GOOGLE_GEMINI_BASE_URL: url, OPENAI_API_KEY: 'other' }),
  },
  {
    model: 'ollama:qwen3:8b',
    start: async () => startFakeChat(FLIGHT, {}, { ...LOCAL, keyless: true }),
    environment: (url) => ({ OLLAMA_HOST: url.replace('http://', ''), OPENAI_API_KEY: 'other' }),
  },
  {
    model: 'mine:coder',
    start: async () => startFakeChat(FLIGHT, { key: 'm-one' }, LOCAL),
    environment: () => ({ MY_KEY: 'm-one' }),
    settings: (url) => ({
      providers: { mine: { api: 'openai-chat', baseUrl: `${url}/v1`, apiKeyEnv: 'MY_KEY', models: ['coder'] } },
    }),
  },
];

test.each(WAYS.map((way) => [way.model, way] as const))(
  '%s reads, edits and reports in one shot',
  async (model, way) => {
    const fake = await way.start();
    const place = await makePlace();
    closing.push(
      () => place.close(),
      () => fake.close(),
    );
    if (way.settings) place.settings(way.settings(fake.url));
    const file = path.join(place.project, 'sum.js');
    writeFileSync(file, 'export const sum = (a, b) => a - b;\n');
    const words = ['-p', 'sum is wrong: mend it', '-m', model, '--mode', 'edits'];
    const ran = await place.run(words, { environment: way.environment(fake.url) });
    expect({ code: ran.code, out: ran.out }).toEqual({ code: 0, out: 'It adds now 🚀.\n' });
    expect(readFileSync(file, 'utf8')).toBe('export const sum = (a, b) => a + b;\n');
    expect(fake.requests.map((request) => request.refused)).toEqual([null, null, null]);
    const results = place
      .entries()
      .flatMap((entry) => (entry.kind === 'result' ? [`${entry.tool} ${entry.outcome}`] : []));
    expect(results).toEqual(['read_file ok', 'search_text ok', 'edit_file ok']);
    expect(JSON.stringify(place.entries())).not.toContain('-one"');
  },
  30_000,
);
