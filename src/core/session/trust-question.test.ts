import { describe, expect, test } from 'bun:test';
import type { AskBody, AskChoice } from '../../protocol/ask.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import { createLiveTrust, type TrustDecision } from '../policy/live-trust.ts';
import { NOTHING_TRUSTED, trusts } from '../policy/trust.ts';
import { openTrustMemory, type TrustMemory } from './trust-memory.ts';
import { digestOf, settleTrust } from './trust-question.ts';

const FOLDER = '/yard';
const STATE = '/home/pat/state';

interface Asking {
  readonly answer?: AskChoice['name'];
  readonly requests?: readonly string[];
  readonly memory?: TrustMemory | null;
  readonly canAsk?: boolean;
  readonly earlier?: TrustDecision | null;
}

/** Settles once; says how it ended, what was asked, and what is trusted then. */
async function settle({ answer, requests = [], memory = null, canAsk = true, earlier = null }: Asking) {
  const asked: Extract<AskBody, { kind: 'trust' }>[] = [];
  const decisions: TrustDecision[] = [];
  const trust = createLiveTrust(NOTHING_TRUSTED, async (decision) => void decisions.push(decision));
  const outcome = await settleTrust({
    start: { folders: [FOLDER, '/other'], requests, memory },
    trust,
    earlier,
    canAsk,
    signal: new AbortController().signal,
    ask: async ({ body }) => {
      if (body.kind === 'trust') asked.push(body);
      return answer === undefined ? null : { kind: 'choice', choice: answer };
    },
  });
  return { outcome, asked, decisions, trusted: trusts(trust.map, `${FOLDER}/a`) && trusts(trust.map, '/other/b') };
}

async function memoryIn(system = createMemorySystem(), folder = FOLDER): Promise<TrustMemory | null> {
  return openTrustMemory(system.files, STATE, folder, '/home/pat', true);
}

describe('the question at the start', () => {
  test.each([
    ['trust', 'trusted', true],
    ['no', 'declined', false],
    ['leave', 'leave', false],
    [null, 'leave', false],
  ] as const)('TRUST-1: %s → %s', async (answer, outcome, trusted) => {
    const found = await settle(answer === null ? {} : { answer });
    expect(found).toMatchObject({ outcome, trusted });
    expect(found.asked).toHaveLength(1);
    expect(found.decisions).toHaveLength(outcome === 'leave' ? 0 : 2);
  });

  test('UP-51: what the project asks for stands in the question, visibly, as words nobody vouched for', async () => {
    const { asked } = await settle({ answer: 'no', requests: ['hook: touch PWN', 'mcp: sh \u001b[2K\u202e'] });
    const rows = asked[0]!.rows.filter((row) => row.role === 'content');
    expect(rows.map((row) => row.shown.text)).toEqual(['hook: touch PWN', 'mcp: sh ␛[2K‹U+202E›']);
    expect(rows.every((row) => row.shown.label.integrity === 'untrusted')).toBe(true);
  });

  test('TRUST-1: a remembered yes or no is not asked again', async () => {
    const memory = await memoryIn();
    expect((await settle({ answer: 'remember', memory })).trusted).toBe(true);
    expect(await settle({ memory })).toMatchObject({ outcome: 'trusted', asked: [], trusted: true });
    expect((await settle({ answer: 'distrust', memory, requests: ['x'] })).outcome).toBe('declined');
    expect(await settle({ memory, canAsk: false })).toMatchObject({ outcome: 'declined', asked: [], trusted: false });
  });

  test('UP-51: a yes is void when what would start has changed', async () => {
    const memory = await memoryIn();
    await settle({ answer: 'remember', memory, requests: ['hook: a'] });
    const again = await settle({ answer: 'no', memory, requests: ['hook: b'] });
    expect(again.asked).toHaveLength(1);
    expect(again.asked[0]!.rows.some((row) => row.role === 'warning' && row.shown.text.includes('changed'))).toBe(true);
  });

  test('SES-6: a session that goes on keeps its answer, unless what is asked for changed', async () => {
    const earlier: TrustDecision = { path: FOLDER, trusted: true, by: 'person', requests: digestOf(['a']) };
    expect((await settle({ earlier, requests: ['a'] })).asked).toEqual([]);
    expect((await settle({ earlier: { ...earlier, trusted: false }, requests: ['a'] })).outcome).toBe('declined');
    expect((await settle({ answer: 'no', earlier, requests: ['b'] })).asked).toHaveLength(1);
    expect((await settle({ answer: 'no', earlier: { ...earlier, by: 'start' }, requests: ['a'] })).asked).toHaveLength(
      1,
    );
  });

  test('PR-12: nobody can be asked: starting there is the word for the files', async () => {
    const found = await settle({ canAsk: false, requests: ['hook: a'] });
    expect(found).toMatchObject({ outcome: 'trusted', asked: [], trusted: true });
    expect(found.decisions.every((one) => one.by === 'start')).toBe(true);
  });
});

describe('what is remembered', () => {
  test('TRUST-3: another directory of the same name is another directory', async () => {
    const system = createMemorySystem();
    system.files.seedFolder('/yard/sub');
    const first = await memoryIn(system, '/yard/sub');
    await first!.remember({ trusted: true, requests: 'd' });
    expect(await first!.recall()).toEqual({ trusted: true, requests: 'd' });
    await system.files.remove('/yard/sub', { recursive: true });
    await system.clock.advance(10);
    await system.files.makeFolder('/yard/sub', 0o755);
    expect(await (await memoryIn(system, '/yard/sub'))!.recall()).toBeNull();
  });

  test('TRUST-3: never for home or above, nor the root; not offered where nothing is left behind', async () => {
    const system = createMemorySystem();
    for (const folder of ['/', '/home', '/home/pat']) expect(await memoryIn(system, folder)).toBeNull();
    const quiet = await openTrustMemory(system.files, STATE, FOLDER, '/home/pat', false);
    const { asked } = await settle({ answer: 'no', memory: quiet });
    expect(asked[0]!.choices.map((choice) => choice.name)).toEqual(['trust', 'no', 'leave']);
  });

  test('TRUST-2: forgetting takes the answer away', async () => {
    const memory = await memoryIn();
    expect(await memory!.forget()).toBe(false);
    await memory!.remember({ trusted: true, requests: 'd' });
    expect(await memory!.forget()).toBe(true);
    expect(await memory!.recall()).toBeNull();
  });

  test('TRUST-3: a file that was tampered with is no answer', async () => {
    const system = createMemorySystem();
    const memory = (await memoryIn(system))!;
    await memory.remember({ trusted: true, requests: 'd' });
    await system.files.writeAtomic(memory.file, new TextEncoder().encode('{"trusted":true'), {
      mode: 0o600,
      flush: false,
    });
    expect(await memory.recall()).toBeNull();
  });
});
