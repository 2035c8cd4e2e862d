import type { Json, JsonObject } from '../../base/json.ts';
import { UNTRUSTED_PRIVATE } from '../../protocol/label.ts';
import { seal } from '../values/sealed.ts';
import { plainSlot } from '../values/slot.ts';
import { type Arguments, choice, optional, peek, text, toolArguments, whole } from './arguments.ts';
import type { LspAnswer } from './language-server.ts';
import { fileUri, type KnownServer, knownLanguages, knownServer, pathOfUri } from './language-servers.ts';
import description from './lsp.md' with { type: 'text' };
import { argumentsLabel, wrongArguments } from './planning.ts';
import { textDisplay } from './text-display.ts';
import type { PlanContext, Tool, ToolOutcome, ToolWorld } from './tool.ts';
import { absolutePath, explain, oneLine, shortPath } from './tool-paths.ts';

const OPERATIONS = [
  'definition',
  'type_definition',
  'implementation',
  'references',
  'symbols',
  'workspace_symbols',
  'hover',
] as const;
type Operation = (typeof OPERATIONS)[number];

const METHODS: Readonly<Record<Operation, string>> = {
  definition: 'textDocument/definition',
  type_definition: 'textDocument/typeDefinition',
  implementation: 'textDocument/implementation',
  references: 'textDocument/references',
  symbols: 'textDocument/documentSymbol',
  workspace_symbols: 'workspace/symbol',
  hover: 'textDocument/hover',
};

const MOST_PLACES = 200;
const MOST_FILE_BYTES = 4 * 1024 * 1024;
const MOST_LINE = 300;
/** Files whose lines are shown beside their places. */
const MOST_FILES = 50;

const given = toolArguments({
  operation: choice('What to ask.', OPERATIONS),
  path: text('The file it is about: relative to the working folder, or absolute.'),
  line: optional(whole('Line `symbol` stands on; 1 is the first.', 1, Number.MAX_SAFE_INTEGER)),
  symbol: optional(text('The name on that line that is meant.')),
  query: optional(text('For workspace_symbols: part of the name.')),
});

type Given = typeof given extends Arguments<infer T> ? T : never;

interface Planned {
  readonly asked: Given;
  readonly path: string;
  readonly name: string;
  readonly server: KnownServer;
  readonly program: string;
}

export const lsp: Tool<Planned> = {
  name: 'lsp',
  description,
  heldBy: 'reader',
  input: given.schema,
  routing: ['operation', 'path', 'line', 'symbol', 'query'],
  // One server, started once.
  order: 'alone',
  title: (input) => `Look up ${peek(input, 'symbol') || peek(input, 'query') || peek(input, 'path') || 'code'}`,

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const asked = read.value;
    const { operation } = asked;
    const pointed = !['symbols', 'workspace_symbols'].includes(operation);
    if (pointed && (asked.line === null || asked.symbol === null))
      return { ok: false, message: `Wrong arguments: ${operation} needs "line" and "symbol".` };
    if (operation === 'workspace_symbols' && asked.query === null)
      return { ok: false, message: 'Wrong arguments: workspace_symbols needs "query".' };
    const path = absolutePath(asked.path, context);
    const server = knownServer(path);
    if (server === null)
      return {
        ok: false,
        message: `No language server is known for this file. There are some for ${knownLanguages()}.`,
      };
    const program = (await context.languages?.find(server)) ?? null;
    if (program === null)
      return {
        ok: false,
        message: `The language server ${server.program} is not installed: nothing was asked. This says nothing about what there is to find.`,
      };
    const label = argumentsLabel(context);
    const start = { kind: 'service', language: server.language, program, label } as const;
    return {
      ok: true,
      title: titleOf(asked, path, context),
      effects: [
        { kind: 'read', path, label },
        // The lines that places lie on are shown with them.
        { kind: 'walk', path: context.folder, contents: true, label },
        ...(context.languages?.wasStarted(server.language) === true ? [] : [start]),
      ],
      diffs: [],
      planned: { asked, path, name: shortPath(path, context.folder), server, program },
    };
  },

  async run(planned, world) {
    const { asked, path, name, server, program } = planned;
    let content: string;
    try {
      content = new TextDecoder().decode(await world.files.read(path, MOST_FILE_BYTES));
    } catch (error) {
      return failed(explain(error, name));
    }
    const position = asked.symbol === null ? null : find(content, asked.line!, asked.symbol);
    if (asked.symbol !== null && position === null)
      return failed(`${name}: line ${asked.line} does not hold that name`, path);
    const running = await world.languageServer(server, program);
    if (running === null) return failed(`The language server ${server.program} did not start. Nothing was asked.`);
    await running.open(fileUri(path), languageId(server, path), content);
    const answer = await running.request(METHODS[asked.operation], paramsOf(asked, path, position), world.signal);
    return outcomeOf(planned, answer, world);
  },
};

function titleOf({ operation, symbol, query }: Given, path: string, { folder }: PlanContext): string {
  const what = operation.replaceAll('_', ' ');
  if (operation === 'symbols') return `Look up symbols in ${shortPath(path, folder)}`;
  return `Look up ${what} of ${symbol ?? query}`;
}

function languageId(server: KnownServer, path: string): string {
  return server.endings[path.slice(path.lastIndexOf('.')).toLowerCase()] ?? '';
}

interface Position {
  readonly line: number;
  readonly character: number;
}

/** Counted from 0, in UTF-16 units: the protocol's own way. Prefers a whole word to a part of one. */
function find(content: string, line: number, symbol: string): Position | null {
  const found = content.split(/\r?\n/)[line - 1];
  if (found === undefined) return null;
  const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
  for (let at = found.indexOf(symbol); at >= 0; at = found.indexOf(symbol, at + 1))
    if (!isWord(found[at - 1]) && !isWord(found[at + symbol.length])) return { line: line - 1, character: at };
  const part = found.indexOf(symbol);
  return part < 0 ? null : { line: line - 1, character: part };
}

function paramsOf({ operation, query }: Given, path: string, position: Position | null): JsonObject {
  const textDocument = { uri: fileUri(path) };
  if (operation === 'workspace_symbols') return { query };
  if (operation === 'symbols') return { textDocument };
  const at = { textDocument, position: { line: position!.line, character: position!.character } };
  return operation === 'references' ? { ...at, context: { includeDeclaration: true } } : at;
}

async function outcomeOf(planned: Planned, answer: LspAnswer, world: ToolWorld): Promise<ToolOutcome> {
  const { asked, path, name, server } = planned;
  if (!answer.ok) return failed(`Nothing was found out: ${answer.message}.`);
  if (asked.operation === 'hover') {
    const words = hoverText(answer.result);
    if (words === '') return said('[the server has nothing to say about it]');
    return {
      ok: true,
      text: words,
      provenance: { from: 'server', language: server.language },
      display: { kind: 'none' },
    };
  }
  const places = asked.operation === 'symbols' ? symbolsIn(answer.result, path) : locationsIn(answer.result);
  if (places.length === 0) return said(`[${server.language}: nothing found for this in ${name}]`);
  return placesOutcome(places, world, server.language);
}

/** A place in a file, counted from 1. `what`: a name the server gave, of a symbol. */
interface FoundPlace {
  readonly path: string;
  readonly line: number;
  readonly character: number;
  readonly what: string | null;
}

/** Places in files the person vouched for are shown with their lines; what lies elsewhere becomes one reference. */
async function placesOutcome(found: readonly FoundPlace[], world: ToolWorld, language: string): Promise<ToolOutcome> {
  const open = found.filter(({ path }) => !isBelow(path, world.folder) || world.files.covers(path));
  const places = open.slice(0, MOST_PLACES);
  const shown = places.filter(({ path }) => world.trusts(path));
  const aside = places.filter(({ path }) => !world.trusts(path));
  const lines: string[] = [];
  const texts = new Map<string, readonly string[] | null>();
  for (const place of shown) {
    if (!texts.has(place.path) && texts.size < MOST_FILES) texts.set(place.path, await linesOf(place.path, world));
    lines.push(describe(place, texts.get(place.path)?.[place.line - 1] ?? null, world.folder));
  }
  let ref: string | undefined;
  if (aside.length > 0) {
    const kept = world.keepAside(
      plainSlot({
        origin: `places the ${language} language server named in files nobody vouched for`,
        label: UNTRUSTED_PRIVATE,
        content: {
          kind: 'text',
          sealed: seal(aside.map((place) => describe(place, null, world.folder)).join('\n'), UNTRUSTED_PRIVATE),
        },
      }),
    );
    ref = kept.ref;
    lines.push(`[${kept.ref}: ${aside.length} more in files nobody vouched for, kept aside]`);
  }
  if (open.length > places.length) lines.push(`[only the first ${MOST_PLACES} of ${open.length}]`);
  return {
    ok: true,
    text: lines.join('\n'),
    provenance: { from: 'files', paths: [...new Set(shown.map(({ path }) => path))] },
    display: textDisplay(lines, lines.length),
    ...(ref === undefined ? {} : { ref }),
  };
}

/** What a rule keeps from being read there is not named either. */
function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** Null where the grant does not cover the file or it cannot be read: its place is shown without its line. */
async function linesOf(path: string, world: ToolWorld): Promise<readonly string[] | null> {
  try {
    return new TextDecoder().decode(await world.files.read(path, MOST_FILE_BYTES)).split(/\r?\n/);
  } catch {
    return null;
  }
}

function describe({ path, line, character, what }: FoundPlace, text: string | null, folder: string): string {
  const where = `${oneLine(shortPath(path, folder))}:${line}:${character}`;
  const name = what === null ? '' : ` ${oneLine(what)}`;
  const content = text === null ? '' : `  ${text.trim().slice(0, MOST_LINE).toWellFormed()}`;
  return `${where}${name}${content}`;
}

function locationsIn(result: Json): FoundPlace[] {
  const list = Array.isArray(result) ? (result as readonly Json[]) : result === null ? [] : [result];
  return list.flatMap((one) => {
    if (!isObject(one)) return [];
    const location = isObject(one.location) ? one.location : one;
    return placeOf(location.uri ?? location.targetUri, location.range ?? location.targetSelectionRange, one.name);
  });
}

/** Both forms a server may answer in: a tree with ranges of this file, or a flat list with locations. */
function symbolsIn(result: Json, path: string): FoundPlace[] {
  if (!Array.isArray(result)) return [];
  return (result as readonly Json[]).flatMap((one): FoundPlace[] => {
    if (!isObject(one)) return [];
    if (isObject(one.location)) return placeOf(one.location.uri, one.location.range, one.name);
    const own = placeOf(fileUri(path), one.selectionRange ?? one.range, one.name);
    return [...own, ...symbolsIn(one.children ?? null, path)];
  });
}

function placeOf(uri: Json | undefined, range: Json | undefined, name: Json | undefined): FoundPlace[] {
  const path = typeof uri === 'string' ? pathOfUri(uri) : null;
  const start = isObject(range) ? range.start : null;
  if (path === null || !isObject(start)) return [];
  const { line, character } = start;
  if (typeof line !== 'number' || typeof character !== 'number') return [];
  return [{ path, line: line + 1, character: character + 1, what: typeof name === 'string' ? name : null }];
}

function hoverText(result: Json): string {
  if (!isObject(result)) return '';
  const { contents } = result;
  const parts = Array.isArray(contents) ? (contents as readonly Json[]) : [contents ?? null];
  return parts
    .map((part) =>
      typeof part === 'string' ? part : isObject(part) && typeof part.value === 'string' ? part.value : '',
    )
    .join('\n\n')
    .trim();
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function said(message: string): ToolOutcome {
  return { ok: true, text: message, provenance: { from: 'houston' }, display: { kind: 'none' } };
}

/** `path`: the file a message was found out from. */
function failed(message: string, path?: string): ToolOutcome {
  return {
    ok: false,
    kind: 'error',
    message,
    ...(path === undefined ? {} : { provenance: { from: 'files', paths: [path] } as const }),
  };
}
