import type { Files } from '../../system/files.ts';
import type { AnsweredLine, AnsweredTool } from './policy.ts';

/** Answers that outlive their session: `remembered.json` in the state folder. */
export interface RememberedAnswers {
  /** Empty when there is no file, or when it cannot be read as one: any doubt asks again. */
  load(): Promise<readonly AnsweredLine[]>;
  /** Folders in whose files values that look like credentials may be written. */
  loadKeyFolders(): Promise<readonly string[]>;
  /** Tools of MCP servers that are called unasked. */
  loadTools(): Promise<readonly AnsweredTool[]>;
  /** Adds to what is there by then; false when it could not be kept. */
  add(
    lines: readonly AnsweredLine[],
    keyFolders?: readonly string[],
    tools?: readonly AnsweredTool[],
  ): Promise<boolean>;
}

const MOST_BYTES = 1024 * 1024;
/** The oldest make room. */
const MOST_LINES = 2000;

/**
 * `lock` runs its work while no other process changes the file, and resolves to null when that did not come about. The
 * file is read again under it, so that two sessions never lose each other's answers.
 */
export function openRememberedAnswers(
  files: Pick<Files, 'read' | 'writeAtomic'>,
  file: string,
  lock: <T>(work: () => Promise<T>) => Promise<T | null>,
): RememberedAnswers {
  async function load(): Promise<{
    lines: readonly AnsweredLine[];
    keyFolders: readonly string[];
    tools: readonly AnsweredTool[];
  }> {
    const bytes = await files.read(file, MOST_BYTES).catch(() => null);
    const value = bytes === null ? null : parsed(bytes);
    return { lines: readLines(value), keyFolders: readFolders(value), tools: readTools(value) };
  }
  return {
    load: async () => (await load()).lines,
    loadKeyFolders: async () => (await load()).keyFolders,
    loadTools: async () => (await load()).tools,
    add: async (lines, more = [], given = []) => {
      try {
        const kept = await lock(async () => {
          const before = await load();
          const others = before.lines.filter((one) => !lines.some((line) => isSame(one, line)));
          const all = [...others, ...lines].slice(-MOST_LINES).map(({ remembered: _, ...line }) => line);
          const keyFolders = [...new Set([...before.keyFolders, ...more])].slice(-MOST_LINES);
          const kinds = before.tools.filter((one) => !given.some((tool) => isSameTool(one, tool)));
          const tools = [...kinds, ...given].slice(-MOST_LINES);
          const whole = { version: 1, lines: all, keyFolders, ...(tools.length === 0 ? {} : { tools }) };
          const text = `${JSON.stringify(whole, null, 1)}\n`;
          await files.writeAtomic(file, new TextEncoder().encode(text), { mode: 0o600, flush: true });
          return true;
        });
        return kept ?? false;
      } catch {
        return false;
      }
    },
  };
}

function isSame(one: AnsweredLine, other: AnsweredLine): boolean {
  return one.pattern === other.pattern && one.wide === other.wide && one.folder === other.folder;
}

function isSameTool(one: AnsweredTool, other: AnsweredTool): boolean {
  return one.server === other.server && one.tool === other.tool && one.folder === other.folder;
}

function readTools(value: unknown): readonly AnsweredTool[] {
  const tools = (value as { tools?: unknown } | null)?.tools;
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((one: Partial<AnsweredTool> | null): AnsweredTool[] => {
    const { server, tool, pinned, folder } = one ?? {};
    const whole = [server, tool, pinned, folder].every((text) => typeof text === 'string');
    return whole ? [{ server: server!, tool: tool!, pinned: pinned!, folder: folder! }] : [];
  });
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

function readFolders(value: unknown): readonly string[] {
  const folders = (value as { keyFolders?: unknown } | null)?.keyFolders;
  return Array.isArray(folders) ? folders.filter((folder) => typeof folder === 'string') : [];
}

function readLines(value: unknown): readonly AnsweredLine[] {
  const lines = (value as { lines?: unknown } | null)?.lines;
  if (!Array.isArray(lines)) return [];
  return lines.flatMap((line: Partial<AnsweredLine> | null): AnsweredLine[] => {
    if (typeof line !== 'object' || line === null) return [];
    const { pattern, wide, folder, output, programs } = line;
    const whole =
      typeof pattern === 'string' &&
      typeof wide === 'boolean' &&
      typeof folder === 'string' &&
      (output === 'text' || output === 'ref') &&
      (programs === undefined || (Array.isArray(programs) && programs.every((one) => typeof one === 'string')));
    if (!whole) return [];
    return [{ pattern, wide, folder, output, ...(programs === undefined ? {} : { programs }), remembered: true }];
  });
}
