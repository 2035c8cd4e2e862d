import type { Files } from '../../system/files.ts';

/** What a person agreed to: a definition, and the list of tools it had then. */
export interface Approval {
  readonly name: string;
  /** Of the definition (`definitionDigest`): another one means another server. */
  readonly definition: string;
  /** The workspace that asked for it; null for a server of the person's own. */
  readonly project: string | null;
  /** Of the tools as they were shown; null until they were agreed to. */
  readonly tools: string | null;
}

/** Answers that outlive their session: `mcp-approvals.json` in the state folder. Any doubt asks again. */
export interface Approvals {
  load(): Promise<readonly Approval[]>;
  /** In place of an earlier one of the same server; false when it could not be kept. */
  add(approval: Approval): Promise<boolean>;
}

const MOST_BYTES = 1024 * 1024;
const MOST = 1000;

/** `lock` runs its work while no other process changes the file, and resolves to null when that did not come about. */
export function openApprovals(
  files: Pick<Files, 'read' | 'writeAtomic'>,
  file: string,
  lock: <T>(work: () => Promise<T>) => Promise<T | null>,
): Approvals {
  const load = async (): Promise<readonly Approval[]> => {
    const bytes = await files.read(file, MOST_BYTES).catch(() => null);
    return bytes === null ? [] : readApprovals(bytes);
  };
  return {
    load,
    add: async (approval) => {
      try {
        const kept = await lock(async () => {
          const others = (await load()).filter((one) => !isSameServer(one, approval));
          const text = `${JSON.stringify({ version: 1, servers: [...others, approval].slice(-MOST) }, null, 1)}\n`;
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

export function isSameServer(
  one: Pick<Approval, 'name' | 'project'>,
  other: Pick<Approval, 'name' | 'project'>,
): boolean {
  return one.name === other.name && one.project === other.project;
}

function readApprovals(bytes: Uint8Array): readonly Approval[] {
  let servers: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    ({ servers } = JSON.parse(text) as { servers?: unknown });
  } catch {
    return [];
  }
  if (!Array.isArray(servers)) return [];
  return servers.flatMap((one: Partial<Approval> | null): Approval[] => {
    if (typeof one !== 'object' || one === null) return [];
    const { name, definition, project, tools } = one;
    if (typeof name !== 'string' || typeof definition !== 'string') return [];
    if (project !== null && typeof project !== 'string') return [];
    return tools === null || typeof tools === 'string' ? [{ name, definition, project, tools }] : [];
  });
}
