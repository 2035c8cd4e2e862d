import { expect, test } from 'bun:test';
import { createTools } from './registry.ts';

/** Which arguments decide where an effect goes; all others, `why` among them, are only carried (SEC-9). */
const ROUTING: Readonly<Record<string, readonly string[]>> = {
  read_file: ['path', 'path_ref', 'offset', 'limit'],
  list_files: ['directory', 'pattern', 'depth'],
  write_file: ['path', 'path_ref', 'contents_ref'],
  edit_file: ['path', 'replace_all'],
  read_output: ['ref'],
  vet_content: ['ref'],
  fetch_url: ['url'],
  spawn_processor: ['reads', 'about'],
  spawn_agent: ['kind', 'task', 'each', 'model'],
  todo_write: [],
  watch_file: ['path'],
  pace_loop: [],
  ask_person: [],
};

test('SEC-9: routing arguments are fixed by a table, and content never becomes one', () => {
  const tools = createTools();
  for (const [name, routing] of Object.entries(ROUTING)) {
    const tool = tools.find((one) => one.name === name);
    expect([...(tool?.routing ?? ['no such tool'])].sort()).toEqual([...routing].sort());
  }
  const carried = ['why', 'contents', 'old_text', 'new_text', 'instruction', 'expects', 'todos', 'items', 'questions'];
  for (const { routing } of tools) for (const name of carried) expect(routing).not.toContain(name);
});
