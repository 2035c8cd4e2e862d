import { describe, expect, test } from 'bun:test';
import { combineLabels, type Label, TRUSTED_PRIVATE, UNTRUSTED_PRIVATE } from '../../protocol/label.ts';
import { createLiveTrust } from '../policy/live-trust.ts';
import { createQuarantine } from '../policy/quarantine.ts';
import { NO_RULES } from '../policy/rules.ts';
import { NOTHING_TRUSTED } from '../policy/trust.ts';
import { spawnAgent } from '../tools/spawn-agent.ts';
import type { DelegateReport, ToolWorld } from '../tools/tool.ts';
import { createDelegateActivity } from './delegate-activity.ts';
import { createGate } from './gate.ts';
import { presentOutcome } from './present.ts';

const report = (name: string, label: Label): DelegateReport => ({
  name,
  ended: 'reported',
  text: `found by ${name}`,
  label,
  released: false,
});

/** What the parent's model is shown of these reports, and its quarantine afterwards. */
async function presented(reports: readonly DelegateReport[]) {
  const quarantine = createQuarantine();
  const facts = { paths: [], line: null, trusted: true } as never;
  const gate = createGate({
    rules: NO_RULES,
    scope: {} as never,
    sources: {} as never,
    trust: createLiveTrust(NOTHING_TRUSTED, async () => {}),
    quarantine,
    mode: () => 'ask',
    canAsk: true,
    audit: () => {},
  });
  const world = { delegate: async () => reports, keepAside: quarantine.keep } as unknown as ToolWorld;
  const outcome = await spawnAgent.run([], world);
  return { quarantine, shown: presentOutcome(outcome, 'text', facts, gate, (text) => text, 'c') };
}

describe('a report', () => {
  test('SEC-37: of a delegate whose context stayed trusted is shown, and as private as that was', async () => {
    const { quarantine, shown } = await presented([report('d1', TRUSTED_PRIVATE)]);
    expect(shown).toMatchObject({ text: '[report of d1]\nfound by d1', ref: null, label: TRUSTED_PRIVATE });
    expect(quarantine.context).toMatchObject({ trusted: true, privateShown: true });
  });

  test('SEC-37, VIEW-6: of one that saw untrusted content is kept aside and drawn as such', async () => {
    const { quarantine, shown } = await presented([report('d1', UNTRUSTED_PRIVATE)]);
    expect(shown.text).toStartWith('[ref:1: the report of d1, ');
    expect(JSON.stringify(shown)).not.toContain('found by');
    expect(shown.display).toMatchObject({ kind: 'quarantined', ref: 'ref:1' });
    expect(quarantine.context).toMatchObject({ trusted: true, privateShown: false });
  });

  test('SEC-37: of several each is judged by itself', async () => {
    const { quarantine, shown } = await presented([
      report('d1', UNTRUSTED_PRIVATE),
      report('d2', TRUSTED_PRIVATE),
      { name: 'd3', ended: 'failed', text: 'The reader d3 failed.', label: combineLabels([]), released: false },
    ]);
    expect(shown.text).not.toContain('found by d1');
    expect(shown.text).toContain('[report of d1: kept aside as ref:1');
    expect(shown.text).toContain('[report of d2]\nfound by d2\n\n[The reader d3 failed.]');
    expect(quarantine.find('ref:1')).toMatchObject({ origin: 'the report of d1', label: UNTRUSTED_PRIVATE });
  });
});

test('VIEW-5: three actions a delegate and a count of the rest, until it ends', () => {
  const shown: string[] = [];
  const activity = createDelegateActivity(['d1', 'd2'], (text) => void shown.push(text));
  for (const action of ['a', 'b', 'c', 'd']) activity.act('d1', action);
  activity.act('d2', 'x');
  expect(shown.at(-1)).toBe('d1: 1 earlier action\n  b\n  c\n  d\nd2\n  x');
  activity.end('d1', 'reported');
  expect(shown.at(-1)).toBe('d1: reported, 4 actions\nd2\n  x');
});
