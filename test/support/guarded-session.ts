import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { done } from '../../src/base/refusal.ts';
import { createLineRunner } from '../../src/core/jobs/run-line.ts';
import { createHelperRunner, findRipgrep } from '../../src/core/jobs/run-ripgrep.ts';
import { createDrafts } from '../../src/core/journal/drafts.ts';
import { createJournal, openJournal } from '../../src/core/journal/file-journal.ts';
import type { AuditEvent } from '../../src/core/policy/audit.ts';
import { NO_RULES } from '../../src/core/policy/rules.ts';
import { NOTHING_TRUSTED } from '../../src/core/policy/trust.ts';
import { type ControllerOptions, createController } from '../../src/core/session/controller.ts';
import { readInstructions } from '../../src/core/settings/instructions.ts';
import { createTools } from '../../src/core/tools/registry.ts';
import type { Ask, AskAnswer } from '../../src/protocol/ask.ts';
import type { Intent } from '../../src/protocol/intent.ts';
import { apply, emptyHead, emptyView } from '../../src/protocol/reduce.ts';
import type { View } from '../../src/protocol/view.ts';
import { createBunSystem } from '../../src/system/bun/system.ts';
import { type ScriptEntry, type ScriptedModel, scriptedModel } from './script.ts';

/** A real folder with real tools, programs and journal; only the model and the person are scripted. */
export interface GuardedPlace {
  readonly folder: string;
  /** Outside the folder, inside nothing else. */
  readonly outside: string;
  write(name: string, text: string): void;
  read(name: string): string;
  /** Every file the sessions here keep of themselves, as one text. */
  kept(): string;
  /** The journal's file. */
  journal(): string;
  /** One session with one prompt; opens the journal that is there already. */
  run(script: readonly ScriptEntry[], options?: GuardedOptions): Promise<GuardedRun>;
  close(): void;
}

export interface GuardedOptions
  extends Partial<
    Pick<
      ControllerOptions,
      | 'rules'
      | 'mode'
      | 'bypassOffered'
      | 'canAsk'
      | 'permissions'
      | 'autoVet'
      | 'offersVouching'
      | 'keyFindings'
      | 'languages'
      | 'skills'
      | 'limits'
    >
  > {
  /** Answers what is fetched; without it every fetch fails. */
  readonly fetch?: (url: URL) => Response | Promise<Response>;
  /** What the person says about the folder; `given`: they are not asked, it is trusted. */
  readonly trust?: 'trust' | 'no' | 'given';
  /** What they say to every other question; null: nothing. */
  readonly answer?: (ask: Ask) => AskAnswer | null;
  /** Sees the view after each of its changes, and may say something to it. */
  readonly watch?: (view: View, send: (intent: Intent) => void) => void;
  readonly prompt?: string;
  /** The value of PATH that lines run with. */
  readonly path?: string;
}

export interface GuardedRun {
  /** What a front end would draw in the end. */
  readonly view: View;
  readonly model: ScriptedModel;
  readonly asks: readonly Ask[];
  readonly audit: readonly AuditEvent[];
  /** Who each of `audit` is about; empty for the session's own turn. */
  readonly actors: readonly string[];
  /** What the model was told of each call, in order. */
  readonly told: readonly string[];
  /** Bodies of the requests that were offered tools: what the planner saw. */
  readonly planner: string;
}

export const YES: AskAnswer = { kind: 'choice', choice: 'once' };
export const NO: AskAnswer = { kind: 'choice', choice: 'no' };

export function guardedPlace(): GuardedPlace {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'houston-guarded-')));
  const folder = join(top, 'work');
  const outside = join(top, 'elsewhere');
  const session = join(top, 'state', 'session');
  for (const place of [folder, outside, session]) mkdirSync(place, { recursive: true });
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };

  async function run(script: readonly ScriptEntry[], options: GuardedOptions = {}): Promise<GuardedRun> {
    const {
      trust = 'given',
      answer = () => YES,
      prompt = 'go',
      watch,
      fetch: fetched,
      path: searchPath,
      ...given
    } = options;
    const real = createBunSystem();
    const fetch = async (url: string | URL | Request) => {
      if (fetched === undefined) throw new Error('there is no network here');
      return fetched(new URL(String(url)));
    };
    const system = { ...real, network: { ...real.network, fetch: fetch as typeof globalThis.fetch } };
    const { files, processes, clock, ids } = system;
    const model = scriptedModel([...script, 'done'], { repeatLast: true });
    const path = searchPath ?? process.env.PATH ?? '/usr/bin:/bin';
    const place = { files, clock, ids, folder: session };
    const found = await openJournal(place);
    const first = { kind: 'session', version: 1, session: 's', folder, build: 'test', forkedFrom: null } as const;
    const journal = found.ok ? found : await createJournal({ ...place, session: 's', first });
    if (!journal.ok) throw new Error(journal.refusal.message);
    const outputs = join(session, 'outputs');
    const lines = createLineRunner({
      files,
      processes,
      clock,
      environment: { PATH: path, HOME: top },
      // Commands are known by it on the whole machine: tests that run beside each other end only their own.
      session: basename(top),
      outputs,
    });
    const audit: AuditEvent[] = [];
    const actors: string[] = [];
    const controller = await createController({
      system,
      journal: journal.value,
      models: {
        parse: () => done(model.ref),
        open: async () => done(model),
        configured: () => done({ ref: model.ref, from: 'settings' }),
        list: () => [],
      },
      tools: createTools(),
      settings: { effort: 'default', retries: 0, stallMs: 60_000 },
      rules: NO_RULES,
      scope: {
        workspace: folder,
        roots: [],
        trust: trust === 'given' ? new Map([[folder, true]]) : NOTHING_TRUSTED,
        home: join(top, 'home'),
        own: [join(top, 'state')],
        outputs,
        path,
      },
      ...(trust === 'given' ? {} : { trust: { folders: [folder], requests: [], memory: null } }),
      instructions: async (trusted) =>
        (await readInstructions(files, { config: null, project: folder, trusted })).instructions,
      version: '0.0.0',
      model: null,
      mode: null,
      bypassOffered: false,
      canAsk: true,
      roundLimit: null,
      drafts: createDrafts(files, join(session, 'drafts')),
      attachments: join(session, 'attachments'),
      beforeImages: join(session, 'before-images'),
      notSaved: null,
      runLine: lines,
      runOwnLine: lines,
      runHelper: createHelperRunner(
        processes,
        clock,
        await findRipgrep(files, processes, { from: import.meta.dirname, platform: process.platform, path }),
      ),
      sandbox: 'off',
      redact: (text) => text,
      trail: {
        audit: (event, delegate = '') => {
          audit.push(event);
          actors.push(delegate);
        },
        read: async () => ({ total: 0, from: 0, lines: [] }),
        close: async () => {},
      },
      ...given,
    });
    const view = emptyView(emptyHead('', '', ''));
    const asks: Ask[] = [];
    controller.attach({ client: 'c' }, (update) => {
      apply(view, update);
      watch?.(view, (intent) => void controller.send(intent, 'c'));
      for (const ask of view.asks) {
        if (asks.some((one) => one.id === ask.id)) continue;
        asks.push(structuredClone(ask));
        const said: AskAnswer | null =
          ask.body.kind === 'trust' && trust !== 'given' ? { kind: 'choice', choice: trust } : answer(ask);
        if (said !== null) void controller.send({ type: 'answer', ask: ask.id, answer: said }, 'c');
      }
    });
    await controller.send({ type: 'say', ref: ids.uuid(), text: prompt, attachments: [], delivery: 'queue' }, 'c');
    await controller.idle();
    const told = view.transcript.items.flatMap((item) => (item.kind === 'call' ? [item.text] : []));
    await controller.close();
    return {
      view,
      model,
      asks,
      audit,
      actors,
      told,
      planner: JSON.stringify(model.requests.filter((request) => request.tools.length > 0)),
    };
  }

  return {
    folder,
    outside,
    write,
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    kept: () =>
      readdirSync(session, { recursive: true })
        .map(String)
        .filter((name) => !name.startsWith('outputs') && statSync(join(session, name)).isFile())
        .map((name) => `${name}\n${readFileSync(join(session, name), 'latin1')}`)
        .join('\n'),
    journal: () => join(session, 'journal.jsonl'),
    run,
    close: () => rmSync(top, { recursive: true, force: true }),
  };
}
