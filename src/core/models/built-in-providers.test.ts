import { expect, test } from 'bun:test';
import { ollamaAddress } from './built-in-providers.ts';

test.each([
  ['127.0.0.1:9999', 'http://127.0.0.1:9999/v1'],
  ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
  [':8000', 'http://127.0.0.1:8000/v1'],
  ['box', 'http://box:11434/v1'],
  ['http://box', 'http://box/v1'],
  ['https://ollama.example/', 'https://ollama.example/v1'],
  ['https://example:8443/ollama', 'https://example:8443/ollama/v1'],
  ['[::1]:1', 'http://[::1]:1/v1'],
])('OLLAMA_HOST=%s is %s', (given, address) => {
  expect(ollamaAddress(given)).toBe(address);
});
