import type { Ask } from '../../src/protocol/ask.ts';
import { TRUSTED_PUBLIC, UNTRUSTED_PUBLIC } from '../../src/protocol/label.ts';
import { NO_TOTALS } from '../../src/protocol/message.ts';
import { emptyHead, emptyView } from '../../src/protocol/reduce.ts';
import type { Item, View } from '../../src/protocol/view.ts';

/** A View with one of everything, for looking at the screen and for tests of regions. */
export function sampleView(): View {
  const view = emptyView(emptyHead('0190', '/home/ada/code/orbit', '0.1.0'));
  Object.assign(view.head, {
    title: 'Fix the leap-second bug',
    gitBranch: 'main',
    home: '/home/ada',
    model: { provider: 'anthropic', model: 'claude-sonnet-4-5' },
    effort: 'high',
    contextWindow: 200_000,
    compactAt: 0.8,
    contextTokens: 68_400,
    totals: { input: 12_300, output: 18_020, cacheRead: 98_000, cacheWrite: 12_000, cost: 0.4321, requests: 14 },
    activeTime: 858_000,
    ready: true,
    sandbox: 'bubblewrap',
    commands: [
      { name: 'compact', argument: '[focus]', description: 'Summarise the conversation so far' },
      { name: 'clear', argument: '', description: 'Begin a new session' },
    ],
  });
  view.activity = { phase: 'idle', turn: null, since: null, detail: '', retry: null };
  const items = sampleItems();
  view.transcript = { total: items.length, first: 0, items, generation: 0 };
  return view;
}

let serial = 0;

type Body = Item extends infer T ? (T extends Item ? Omit<T, 'id' | 'entry' | 'time' | 'revision'> : never) : never;

export function sampleItem(body: Body): Item {
  const id = `e${++serial}`;
  return { id, entry: id, time: 1_700_000_000_000, revision: 0, ...body } as Item;
}

export function sampleCall(change: Partial<Extract<Item, { kind: 'call' }>>): Item {
  return sampleItem({
    kind: 'call',
    call: `c${serial + 1}`,
    tool: 'read_file',
    title: 'Read src/clock.ts',
    state: 'ok',
    why: null,
    input: {},
    effects: [],
    display: { kind: 'none' },
    text: '',
    output: null,
    job: null,
    tail: '',
    started: 0,
    duration: 40,
    turn: 1,
    ...change,
  });
}

function sampleItems(): Item[] {
  return [
    sampleItem({
      kind: 'user',
      text: 'The clock test fails on leap seconds. Find out why and fix it, please.\nDo not touch the public interface.',
      attachments: [],
      as: 'prompt',
      turn: 1,
      stopped: false,
    }),
    sampleItem({
      kind: 'thinking',
      text: 'The test compares two timestamps around 2016-12-31T23:59:60Z. I should look at the parser first.\nThen at the formatter.',
      turn: 1,
    }),
    sampleCall({
      why: 'See how seconds are parsed',
      display: {
        kind: 'text',
        text: Array.from({ length: 5 }, (_, line) => `export const line${line + 1} = parse(input, ${line});`).join(
          '\n',
        ),
        end: 'head',
        totalLines: 212,
        language: 'typescript',
        label: TRUSTED_PUBLIC,
      },
    }),
    sampleCall({
      tool: 'run_shell',
      title: 'Run bun test test/clock.test.ts',
      state: 'error',
      duration: 4200,
      output: 'c4',
      display: {
        kind: 'terminal',
        command: 'bun test',
        tail: 'expected 60\nreceived 0\n\n 1 fail\n 41 pass\nRan 42 tests',
        totalLines: 64,
        totalBytes: 3000,
        exit: 1,
        endedBy: 'exit',
        label: TRUSTED_PUBLIC,
      },
    }),
    sampleItem({
      kind: 'assistant',
      text: 'The parser **rejects** second `60`, so the value wraps to zero. The fix is one line:\n\n```ts\nconst seconds = clamp(value, 0, 60);\n```\n\n- keeps the public interface\n- adds a test for `23:59:60`',
      turn: 1,
      stop: 'calls',
    }),
    sampleCall({
      tool: 'edit_file',
      title: 'Edit src/clock.ts',
      display: {
        kind: 'diff',
        files: [
          {
            path: 'src/clock.ts',
            change: 'edit',
            added: 2,
            removed: 1,
            complete: true,
            label: TRUSTED_PUBLIC,
            hunks: [
              {
                oldStart: 41,
                newStart: 41,
                lines: [
                  ' function parseSeconds(text: string): number {',
                  '   const value = Number(text);',
                  '-  return value % 60;',
                  '+  // A leap second is second 60 of its minute.',
                  '+  return Math.min(value, 60);',
                  ' }',
                ],
              },
            ],
          },
        ],
      },
    }),
    sampleCall({
      tool: 'fetch_url',
      title: 'Fetch https://example.org/leap-seconds.list',
      display: {
        kind: 'quarantined',
        ref: 'ref:3',
        origin: 'https://example.org',
        lines: 84,
        bytes: 5120,
        preview: { text: '# Updated through IERS Bulletin C\n2272060800 10 # 1 Jan 1972', label: UNTRUSTED_PUBLIC },
      },
    }),
    sampleCall({
      tool: 'run_shell',
      title: 'Run rm -rf build',
      state: 'denied',
      duration: null,
      text: 'The person declined.',
    }),
    sampleItem({
      kind: 'note',
      level: 'warning',
      identifier: 'cache',
      text: 'AGENTS.md changed: the cache starts over.',
    }),
    sampleItem({
      kind: 'turn-end',
      turn: 1,
      reason: 'done',
      failure: null,
      message: null,
      duration: 64_200,
      usage: { ...NO_TOTALS, input: 3000, output: 1800, cacheRead: 40_000, cost: 0.0421 },
    }),
    sampleItem({ kind: 'user', text: 'Now run all tests', attachments: [], as: 'prompt', turn: 2, stopped: false }),
  ];
}

export function sampleAsk(): Ask {
  return {
    id: 'a1',
    for: null,
    origin: '',
    call: null,
    time: 0,
    body: {
      kind: 'permission',
      title: 'Run a command',
      why: 'The old build gets in the way of the tests',
      effects: [
        {
          kind: 'run',
          line: 'rm -rf build',
          folder: '/home/ada/code/orbit',
          background: false,
          terminal: false,
          timeoutMs: 300_000,
          label: TRUSTED_PUBLIC,
        },
      ],
      rows: [
        { role: 'line', shown: { text: 'rm -rf build && bun run build', label: TRUSTED_PUBLIC } },
        { role: 'path', shown: { text: '/home/ada/code/orbit', label: TRUSTED_PUBLIC } },
        { role: 'warning', shown: { text: 'removes files that Houston keeps no copy of', label: TRUSTED_PUBLIC } },
      ],
      diffs: [],
      choices: [
        { key: 'y', name: 'once', label: 'once', approves: true },
        { key: 'a', name: 'session', label: 'this session: bun run *', approves: true },
        { key: 'n', name: 'no', label: 'no', approves: false },
      ],
    },
  };
}
