import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../src/base/json.ts';
import { createBeforeImages } from '../../src/core/changes/before-images.ts';
import { createLedger, type Ledger } from '../../src/core/changes/ledger.ts';
import { writeChange } from '../../src/core/changes/write-change.ts';
import { createLineRunner } from '../../src/core/jobs/run-line.ts';
import { createHelperRunner, findRipgrep } from '../../src/core/jobs/run-ripgrep.ts';
import { decide } from '../../src/core/policy/decide.ts';
import type { FactScope } from '../../src/core/policy/facts.ts';
import { gatherFacts } from '../../src/core/policy/gather-facts.ts';
import { issueGrant } from '../../src/core/policy/grant.ts';
import { type DecisionInput, NO_ANSWERS } from '../../src/core/policy/policy.ts';
import { createQuarantine } from '../../src/core/policy/quarantine.ts';
import { NO_RULES } from '../../src/core/policy/rules.ts';
import { trusts } from '../../src/core/policy/trust.ts';
import { openWorld } from '../../src/core/policy/world.ts';
import { createTools } from '../../src/core/tools/registry.ts';
import type { Planning, ToolOutcome } from '../../src/core/tools/tool.ts';
import { createBunSystem } from '../../src/system/bun/system.ts';

/** A real folder in which single tool calls can be planned, decided on and run the way a turn does it. */
export interface ToolBench {
  readonly folder: string;
  readonly outputs: string;
  readonly ledger: Ledger;
  readonly scope: FactScope;
  plan(tool: string, input: Json): Promise<Planning<unknown>>;
  /** What the model would be told: the text, or the reason why not. Between plan and run, `between` may do mischief. */
  call(tool: string, input: Json, options?: Partial<DecisionInput> & { between?: () => void }): Promise<string>;
  outcome(tool: string, input: Json, options?: Partial<DecisionInput> & { between?: () => void }): Promise<ToolOutcome>;
  close(): void;
}

export async function createToolBench(): Promise<ToolBench> {
  const system = createBunSystem();
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'houston-tools-')));
  const folder = join(top, 'work');
  const state = join(top, 'state');
  const outputs = join(state, 'session', 'outputs');
  for (const place of [folder, outputs]) await system.files.makeFolder(place, 0o700);
  const { files, processes, clock } = system;
  const path = process.env.PATH ?? '/usr/bin:/bin';
  const scope: FactScope = {
    workspace: folder,
    roots: [],
    trust: new Map([[folder, true]]),
    home: join(top, 'home'),
    own: [state],
    outputs,
    path,
  };
  const ledger = createLedger(async () => {});
  const images = createBeforeImages(files, join(state, 'session', 'before-images'));
  const runLine = createLineRunner({
    files,
    processes,
    clock,
    environment: { PATH: path, HOME: top },
    session: `bench-${process.pid}`,
    outputs,
  });
  const rg = await findRipgrep(files, processes, { from: import.meta.dirname, platform: process.platform, path });
  const runHelper = createHelperRunner(processes, clock, rg);
  const tools = createTools();
  const quarantine = createQuarantine();
  let calls = 0;

  async function plan(name: string, input: Json): Promise<Planning<unknown>> {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const why =
      typeof input === 'object' && input !== null && !Array.isArray(input) ? { why: 'because', ...input } : input;
    return tool.plan(why, { folder, files, lastSeen: ledger.lastSeen, home: scope.home, outputs });
  }

  async function outcome(
    name: string,
    input: Json,
    options: Partial<DecisionInput> & { between?: () => void } = {},
  ): Promise<ToolOutcome> {
    const tool = tools.find((one) => one.name === name)!;
    const planning = await plan(name, input);
    if (!planning.ok) return { ok: false, kind: 'error', message: planning.message };
    const { effects } = planning;
    const facts = await gatherFacts(effects, scope, { files, processes });
    const rules = options.rules ?? NO_RULES;
    const decision = decide({
      effects,
      facts,
      mode: 'bypass',
      rules,
      answers: NO_ANSWERS,
      canAsk: false,
      contextTrusted: true,
      ...options,
    });
    if (decision.verdict !== 'allow')
      return { ok: false, kind: 'error', message: decision.verdict === 'deny' ? decision.message : 'asked' };
    options.between?.();
    const signal = new AbortController().signal;
    const write = (change: Parameters<typeof writeChange>[1]) => writeChange({ files, images, ledger }, change);
    const call = `call-${++calls}`;
    const world = openWorld({
      grant: issueGrant(effects, facts),
      call,
      files,
      processes,
      rules,
      signal,
      runLine,
      runHelper,
      write,
    });
    const nothing = () => {};
    const notHere = () => Promise.reject(new Error('not on the bench'));
    return tool.run(planning.planned, {
      ...world,
      call,
      folder,
      clock,
      signal,
      ask: async () => null,
      setTodo: nothing,
      todo: () => [],
      sawFile: ledger.saw,
      watchFile: async () => ({ ok: true, value: { number: 1 } }),
      pace: () => 'Noted.',
      fetchPage: notHere,
      languageServer: notHere,
      process: notHere,
      delegate: notHere,
      released: () => {
        throw new Error('nothing is released on the bench');
      },
      skill: async () => null,
      keepAside: (slot) => quarantine.keep(slot),
      trusts: (path) => trusts(scope.trust, path),
      progress: nothing,
    });
  }

  return {
    folder,
    outputs,
    ledger,
    scope,
    plan,
    outcome,
    async call(name, input, options) {
      const result = await outcome(name, input, options);
      return result.ok ? result.text : result.message;
    },
    close: () => rmSync(top, { recursive: true, force: true }),
  };
}
