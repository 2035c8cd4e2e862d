import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Json } from '../../src/base/json.ts';
import { createLineRunner } from '../../src/core/jobs/run-line.ts';
import { createHelperRunner, findRipgrep } from '../../src/core/jobs/run-ripgrep.ts';
import { createTools } from '../../src/core/tools/registry.ts';
import type { ToolWorld } from '../../src/core/tools/tool.ts';
import { createBunSystem } from '../../src/system/bun/system.ts';

export interface PermissivePlace {
  readonly folder: string;
  readonly home: string;
  /** HOME and PATH of the lines. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface PlainCall {
  readonly tool: string;
  readonly input: Record<string, Json>;
}

/**
 * The same tools with nobody deciding: each call runs as it was planned, whatever it is. Resolves to what the model would
 * be told. `meanwhile` happens between plan and run of the last call.
 */
export async function runPermissively(
  place: PermissivePlace,
  calls: readonly PlainCall[],
  meanwhile: () => void = () => {},
): Promise<readonly string[]> {
  const system = createBunSystem();
  const { files, processes, clock } = system;
  const { PATH: path = '' } = place.environment;
  const tools = createTools();
  const runLine = createLineRunner({
    files,
    processes,
    clock,
    environment: place.environment,
    session: `permissive-${process.pid}`,
    outputs: null,
  });
  const rg = await findRipgrep(files, processes, { from: import.meta.dirname, platform: process.platform, path });
  const runHelper = createHelperRunner(processes, clock, rg);
  const signal = new AbortController().signal;
  const seen = new Map<string, string>();
  const told: string[] = [];
  const nothing = (): void => {};
  const notHere = (): never => {
    throw new Error('not part of this');
  };
  for (const [index, { tool: name, input }] of calls.entries()) {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const planning = await tool.plan(
      { why: 'because', ...input },
      { folder: place.folder, files, lastSeen: (file) => seen.get(file) ?? null, home: place.home, outputs: null },
    );
    if (!planning.ok) {
      told.push(planning.message);
      continue;
    }
    if (index === calls.length - 1) meanwhile();
    const run = planning.effects.find((effect) => effect.kind === 'run');
    const world: ToolWorld = {
      call: `call-${index}`,
      folder: place.folder,
      clock,
      signal,
      files: {
        stat: files.stat,
        linkStat: files.linkStat,
        list: files.list,
        read: files.read,
        readRange: files.readRange,
        covers: () => true,
        write: async (file, bytes) => {
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, bytes);
        },
        writeRef: notHere,
      },
      runLine: (onOutput) => {
        if (run?.kind !== 'run') return notHere();
        return runLine(
          { call: `call-${index}`, line: run.line, folder: run.folder, timeoutMs: 20_000 },
          signal,
          onOutput,
        );
      },
      runHelper: (_program, argv, at, maxBytes) => runHelper(argv, at, maxBytes, signal),
      fetchPage: notHere,
      languageServer: notHere,
      process: notHere,
      delegate: notHere,
      released: notHere,
      skill: async () => null,
      keepAside: notHere,
      trusts: () => true,
      ask: async () => null,
      setTodo: nothing,
      todo: () => [],
      sawFile: (file, hash) => void seen.set(file, hash),
      watchFile: async () => ({ ok: true, value: { number: 1 } }),
      pace: () => 'Noted.',
      progress: nothing,
    };
    const outcome = await tool.run(planning.planned, world).catch((error: unknown) => ({
      ok: false as const,
      message: String(error),
    }));
    told.push(outcome.ok ? outcome.text : outcome.message);
  }
  return told;
}
