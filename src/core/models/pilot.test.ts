import { expect, test } from 'bun:test';
import { createMemoryClock } from '../../system/memory/clock.ts';
import { DEMO_BUG, DEMO_PROJECT, TOUR_PROMPT } from './demo-project.ts';
import type { CallResult, Message, Model, ModelEnd, ModelEvent, ModelRequest, ToolSchema } from './model.ts';
import { createPilot, PILOT_REF } from './pilot.ts';

const schema = (name: string, ...properties: string[]): ToolSchema => ({
  name,
  description: '',
  input: { type: 'object', properties: Object.fromEntries([...properties, 'why'].map((one) => [one, {}])) },
});

const TOOLS: readonly ToolSchema[] = [
  schema('list_files', 'path'),
  schema('read_file', 'path', 'offset', 'limit'),
  schema('search_text', 'pattern', 'path'),
  schema('edit_file', 'path', 'old_text', 'new_text'),
  schema('write_file', 'path', 'content'),
  schema('run_shell', 'line'),
  schema('todo_write', 'items'),
];

type Handler = (input: Record<string, string>) => string | { refused: string };

interface Flown {
  readonly tools: string[];
  readonly text: string;
  readonly messages: Message[];
}

/** Lets a model go on until it calls nothing any more, with tools that answer from `handlers`. */
async function fly(
  model: Model,
  prompt: string,
  handlers: Record<string, Handler>,
  before: readonly Message[] = [],
): Promise<Flown> {
  const messages: Message[] = [...before, { role: 'user', parts: [{ type: 'text', text: prompt }] }];
  const tools: string[] = [];
  let text = '';
  for (let round = 0; round < 12; round++) {
    const end = await reply(model, messages);
    expect(end.result.outcome).toBe('complete');
    messages.push({ role: 'assistant', parts: end.parts, from: PILOT_REF });
    const results: CallResult[] = [];
    for (const part of end.parts) {
      if (part.type === 'text') text += `${part.text}\n`;
      if (part.type !== 'call') continue;
      tools.push(part.tool);
      const answer = handlers[part.tool]?.(part.input as Record<string, string>) ?? 'done';
      const refused = typeof answer !== 'string';
      results.push({
        call: part.call,
        tool: part.tool,
        text: refused ? answer.refused : answer,
        error: refused,
        images: [],
      });
    }
    if (results.length === 0) return { tools, text, messages };
    messages.push({ role: 'results', results });
  }
  throw new Error('the pilot never landed');
}

async function reply(
  model: Model,
  messages: readonly Message[],
  signal = new AbortController().signal,
): Promise<ModelEnd> {
  const request: ModelRequest = {
    system: [],
    messages,
    tools: TOOLS,
    effort: 'default',
    maxOutput: null,
    cacheMarks: [],
    session: 's',
  };
  let last: ModelEvent | null = null;
  for await (const event of model.stream(request, signal)) last = event;
  return last as ModelEnd;
}

const pilot = (tour: boolean) => createPilot({ clock: createMemoryClock(), tour, pace: 0 });

/** The demo project in memory: its tests pass once the bug is gone. */
function demoTools() {
  const files: Record<string, string> = { ...DEMO_PROJECT };
  const handlers: Record<string, Handler> = {
    list_files: () => Object.keys(files).join('\n'),
    read_file: ({ path }) => files[path ?? ''] ?? { refused: 'no such file' },
    edit_file: ({ path = '', old_text = '', new_text = '' }) => {
      const content = files[path] ?? '';
      if (content.split(old_text).length !== 2) return { refused: 'not found exactly once' };
      files[path] = content.replace(old_text, new_text);
      return 'edited';
    },
    run_shell: () =>
      files[DEMO_BUG.file]?.includes(DEMO_BUG.after) ? '# pass 4\n# fail 0' : { refused: '# pass 3\n# fail 1' },
  };
  return { files, handlers };
}

test('the tour plans, reads, sees the tests fail, fixes, sees them pass and reports', async () => {
  const { files, handlers } = demoTools();
  const { tools, text, messages } = await fly(pilot(true), TOUR_PROMPT, handlers);
  expect(tools.filter((tool) => tool !== 'todo_write')).toEqual([
    'list_files',
    'read_file',
    'read_file',
    'run_shell',
    'edit_file',
    'run_shell',
  ]);
  expect(files[DEMO_BUG.file]).toContain(DEMO_BUG.after);
  expect(text).toContain('All four tests pass.');
  expect(text).toContain('| file | what happened |');
  expect(text).toContain('```diff');
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? message.parts.flatMap((part) => (part.type === 'call' ? [part.call] : [])) : [],
  );
  expect(new Set(calls).size).toBe(calls.length);
});

test('a refusal ends the tour politely, with nothing changed', async () => {
  const { files, handlers } = demoTools();
  const { text, tools } = await fly(pilot(true), TOUR_PROMPT, {
    ...handlers,
    edit_file: () => ({ refused: 'The person said no.' }),
  });
  expect(files).toEqual({ ...DEMO_PROJECT });
  expect(text).toContain('nothing happens without you');
  expect(tools.at(-1)).toBe('edit_file');
});

test('after the tour it answers like anywhere else', async () => {
  const { handlers } = demoTools();
  const { messages } = await fly(pilot(true), TOUR_PROMPT, handlers);
  const { tools, text } = await fly(pilot(true), 'How do I connect a model?', handlers, messages);
  expect(tools).toEqual([]);
  expect(text).toContain('ANTHROPIC_API_KEY');
});

test.each([
  'look around',
  'fix the bug and run rm -rf /',
  'find countdown',
  'hello',
  'write a file',
  '日本語で説明して',
  'commit it',
])('outside the tour it only reads, asked %j', async (prompt) => {
  const { handlers } = demoTools();
  const { tools, text } = await fly(pilot(false), prompt, handlers);
  for (const tool of tools) expect(['list_files', 'read_file', 'search_text']).toContain(tool);
  expect(text.length).toBeGreaterThan(100);
});

test('it says what a project calls itself', async () => {
  const { handlers } = demoTools();
  const { text, tools } = await fly(pilot(false), 'what is this project?', handlers);
  expect(tools).toEqual(['list_files', 'read_file', 'read_file']);
  expect(text).toContain('**ascent**: Countdown calls and fuel figures');
});

test('it writes at its pace, in whole characters, and stops at once', async () => {
  const clock = createMemoryClock();
  const model = createPilot({ clock, pace: 20 });
  const stop = new AbortController();
  const done = reply(model, [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }], stop.signal);
  await clock.advance(1_000);
  stop.abort();
  const end = await done;
  expect(end.result.outcome).toBe('aborted');
  const [part] = end.parts;
  expect(part?.type === 'text' ? part.text.length : 0).toBe(80);
});

test('the demo project really has the bug, exactly once', () => {
  expect(DEMO_PROJECT[DEMO_BUG.file]?.split(DEMO_BUG.before)).toHaveLength(2);
  expect(Object.keys(DEMO_PROJECT)).toContain(DEMO_BUG.test);
});
