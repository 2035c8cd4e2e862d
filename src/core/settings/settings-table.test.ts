import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SETTINGS } from './schema.ts';
import { settingsTable } from './settings-table.ts';

test('docs/settings.md is the table of settings: after a change, write `houston config table` into it', () => {
  const table = settingsTable();
  for (const { key } of Object.values(SETTINGS)) expect(table).toContain(`| \`${key}\` |`);
  for (const name of ['dialect', 'catalogue', 'contextWindow', 'price', 'efforts', 'images'])
    expect(table).toContain(`| \`${name}\` |`);
  expect(readFileSync(path.join(import.meta.dir, '../../../docs/settings.md'), 'utf8')).toBe(table);
});
