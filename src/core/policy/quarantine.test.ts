import { describe, expect, test } from 'bun:test';
import type { Display } from '../../protocol/display.ts';
import { TRUSTED_PRIVATE, TRUSTED_PUBLIC, UNTRUSTED_PRIVATE, UNTRUSTED_PUBLIC } from '../../protocol/label.ts';
import { seal } from '../values/sealed.ts';
import type { Facts, PathFact } from './facts.ts';
import { labelResult } from './provenance.ts';
import { createQuarantine, type Presentable } from './quarantine.ts';

const CANARY = 'canary-19';
const display: Display = { kind: 'text', text: CANARY, end: 'head', totalLines: 1, label: UNTRUSTED_PRIVATE };

function result(label = UNTRUSTED_PRIVATE, more: Partial<Presentable> = {}): Presentable {
  return {
    sealed: seal(`${CANARY}\nmore`, label),
    origin: 'the output of the command',
    ending: 'exit 0',
    display,
    ...more,
  };
}

describe('presenting a result', () => {
  test('SEC-7: trusted content is text, untrusted content is a reference that says nothing of it', () => {
    const quarantine = createQuarantine();
    expect(quarantine.present(result(TRUSTED_PRIVATE))).toMatchObject({
      text: `${CANARY}\nmore`,
      ref: null,
      display: { label: TRUSTED_PRIVATE },
    });
    const kept = quarantine.present(result());
    expect(JSON.stringify(kept)).not.toContain(CANARY);
    expect(kept).toMatchObject({ ref: 'ref:1', display: { kind: 'quarantined', lines: 2, bytes: 14 } });
    expect(kept.text).toContain('ref:1: the output of the command, 2 lines, 14 bytes');
    expect(kept.text).toContain('exit 0');
  });

  test('SEC-7: slots are numbered on, also after a resume, and written once', () => {
    const quarantine = createQuarantine({ shown: [], lastRef: 41 });
    const sealed = seal('x', UNTRUSTED_PUBLIC);
    expect(quarantine.present(result(UNTRUSTED_PUBLIC, { sealed })).ref).toBe('ref:42');
    quarantine.present(result());
    expect(quarantine.slot('ref:42')).toBe(sealed);
    expect(quarantine.slot('ref:41')).toBeNull();
  });

  test('SEC-6: keeping aside leaves the context trusted; what was shown before a resume counts for ever', () => {
    const quarantine = createQuarantine();
    quarantine.present(result());
    expect(quarantine.context).toMatchObject({ trusted: true, privateShown: false });
    quarantine.present(result(TRUSTED_PRIVATE));
    expect(quarantine.context).toMatchObject({ trusted: true, privateShown: true });
    expect(createQuarantine({ shown: [UNTRUSTED_PUBLIC, TRUSTED_PUBLIC], lastRef: 0 }).context.trusted).toBe(false);
  });

  test('the saved output of what was kept aside is withheld too', () => {
    const quarantine = createQuarantine({ shown: [], lastRef: 0, withheld: ['old.log'] });
    quarantine.present(result(UNTRUSTED_PRIVATE, { output: 'c1.log' }));
    quarantine.present(result(TRUSTED_PRIVATE, { output: 'c2.log' }));
    expect(['old.log', 'c1.log', 'c2.log'].map(quarantine.isWithheld)).toEqual([true, true, false]);
  });
});

describe('first labels', () => {
  const fact: PathFact = {
    path: '/ws',
    real: '/ws',
    inside: true,
    exists: true,
    inode: 1,
    protected: null,
    trusted: true,
    output: false,
  };
  const facts = (paths: readonly PathFact[]): Facts => ({
    workspace: '/ws',
    roots: [],
    trusted: true,
    home: null,
    paths,
    line: null,
  });
  const trust = new Map([
    ['/ws', true],
    ['/ws/fetched.html', false],
  ]);

  test('SEC-5: come from provenance, and one untrusted file taints a listing', () => {
    const label = (paths: readonly string[]) => labelResult({ from: 'files', paths }, 'text', facts([fact]), trust);
    expect(label(['/ws/a', '/ws/b'])).toEqual(TRUSTED_PRIVATE);
    expect(label(['/ws/a', '/ws/fetched.html'])).toEqual(UNTRUSTED_PRIVATE);
    expect(labelResult({ from: 'program', line: 'x', folder: '/ws' }, 'ref', facts([]), trust)).toEqual(
      UNTRUSTED_PRIVATE,
    );
    expect(labelResult({ from: 'program', line: 'x', folder: '/ws' }, 'text', facts([]), trust)).toEqual(
      TRUSTED_PRIVATE,
    );
    expect(labelResult({ from: 'network', host: 'h' }, 'text', facts([]), trust)).toEqual(UNTRUSTED_PUBLIC);
    expect(labelResult({ from: 'person' }, 'ref', facts([]), trust)).toEqual(TRUSTED_PUBLIC);
    // Whatever the trust of the place: nobody reads a picture or an index by looking at its path.
    expect(labelResult({ from: 'picture', path: '/ws/a.png' }, 'text', facts([]), trust)).toEqual(UNTRUSTED_PRIVATE);
    expect(labelResult({ from: 'server', language: 'go' }, 'text', facts([]), trust)).toEqual(UNTRUSTED_PRIVATE);
    expect(labelResult({ from: 'released', ref: 'ref:1' }, 'text', facts([]), trust)).toEqual(TRUSTED_PRIVATE);
    const fed = { from: 'program', line: 'x', folder: '/ws', fed: UNTRUSTED_PUBLIC } as const;
    expect(labelResult(fed, 'text', facts([]), trust)).toEqual(UNTRUSTED_PRIVATE);
  });

  test('SEC-5: a yes to one outside read vouches for that read', () => {
    const outside: PathFact = { ...fact, path: '/else/x', real: '/else/x', inside: false, trusted: false };
    const origin = { from: 'files', paths: ['/else/x'] } as const;
    expect(labelResult(origin, 'text', facts([outside]), trust)).toEqual(TRUSTED_PRIVATE);
    expect(labelResult(origin, 'ref', facts([outside]), trust)).toEqual(UNTRUSTED_PRIVATE);
  });
});
