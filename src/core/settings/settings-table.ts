import type { Json } from '../../base/json.ts';
import { isRecord } from './record.ts';
import { SETTINGS } from './schema.ts';

/** Every setting as a table for people, made from the one table there is. */
export function settingsTable(): string {
  const rows = Object.values(SETTINGS).map((setting) => {
    const { key, scope, owner, description } = setting;
    const initial = setting.initial === null ? 'unset' : `\`${JSON.stringify(setting.initial)}\``;
    const where = scope === 'project' ? 'any file' : 'your own file';
    return `| \`${key}\` | ${valuesOf(setting.schema)} | ${initial} | ${where} | ${owner} | ${cell(description)} |`;
  });
  const { providers } = SETTINGS;
  const entry = isRecord(providers.schema) ? providers.schema.additionalProperties : null;
  return `${[
    '# Settings',
    'Made by `houston config table`. JSON with comments in `~/.config/houston/settings.json`, `.houston/settings.json` and `.houston/settings.local.json`; a dot in a key is one object inside another.',
    '',
    '| key | value | initially | may stand in | read where | what it does |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    '## A provider',
    '',
    '| key | value | what it is |',
    '|---|---|---|',
    ...propertyRows(entry),
    '',
    '## A model of a provider',
    '',
    '| key | value | what it is |',
    '|---|---|---|',
    ...propertyRows(modelOf(entry)),
  ].join('\n')}\n`;
}

function propertyRows(schema: Json | null | undefined): string[] {
  const properties = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
  return Object.entries(properties).map(([name, value]) => {
    const description = isRecord(value) && typeof value.description === 'string' ? value.description : '';
    return `| \`${name}\` | ${valuesOf(value)} | ${cell(description)} |`;
  });
}

function modelOf(provider: Json | null | undefined): Json | null {
  const properties = isRecord(provider) && isRecord(provider.properties) ? provider.properties : {};
  const items = isRecord(properties.models) ? properties.models.items : null;
  const kinds = isRecord(items) && Array.isArray(items.anyOf) ? items.anyOf : [];
  return kinds.find((kind) => isRecord(kind) && isRecord(kind.properties)) ?? null;
}

function valuesOf(schema: Json): string {
  if (!isRecord(schema)) return '';
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  const range = schema.maximum === undefined ? '' : `, ${String(schema.minimum)} to ${String(schema.maximum)}`;
  return `${typeof schema.type === 'string' ? schema.type : ''}${range}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
