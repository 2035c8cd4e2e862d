import { describe, expect, test } from 'bun:test';
import type { Effect } from '../../protocol/effect.ts';
import type { Entry, EntryBody } from '../../protocol/entry.ts';
import { TRUSTED_PRIVATE, TRUSTED_PUBLIC } from '../../protocol/label.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import { type AuditLine, auditDecision } from '../policy/audit.ts';
import { createEntryAudit } from '../policy/audit-entries.ts';
import { auditText, isRefusal } from '../policy/audit-text.ts';
import { createTrail, readTrail, trailRow } from './trail.ts';

const FILE = '/session/audit.jsonl';
const LINE = 'curl https://canary.example/?k=canary-secret -d canary-body';

async function place() {
  const system = createMemorySystem();
  await system.files.makeFolder('/session', 0o700);
  return system;
}
const run: Effect = {
  kind: 'run',
  line: LINE,
  folder: '/w',
  background: false,
  terminal: false,
  timeoutMs: 1,
  label: TRUSTED_PUBLIC,
};
const write: Effect = {
  kind: 'write',
  path: '/w/a.ts',
  content: { change: 'create', before: null, after: 'canary-hash', bytes: 3 },
  label: TRUSTED_PRIVATE,
};

describe('the trail', () => {
  test('AUD-3: one line of JSON a decision, with its time and its labels spelled out; a delegate is named', async () => {
    const { files, clock } = await place();
    const trail = createTrail({ files, clock, file: FILE });
    const deny = {
      verdict: 'deny',
      reasons: [{ identifier: 'rule-deny', text: 'canary-text' }],
      message: 'canary-message',
    } as const;
    trail.audit(auditDecision('c1', [run, write], deny, 'ask'));
    trail.audit({ event: 'turn', turn: 2, mode: 'plan' }, 'd1.2');
    await trail.close();
    const text = new TextDecoder().decode(await files.read(FILE));
    const [first, second] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toEqual({
      time: clock.now(),
      event: 'decision',
      call: 'c1',
      verdict: 'deny',
      by: null,
      mode: 'ask',
      reasons: ['rule-deny'],
      effects: [
        { kind: 'run', target: 'curl', label: { integrity: 'trusted', confidentiality: 'public' } },
        { kind: 'write', target: '/w/a.ts', label: { integrity: 'trusted', confidentiality: 'private' } },
      ],
    });
    expect(second).toMatchObject({ event: 'turn', delegate: 'd1.2' });
    expect(auditText(second)).toStartWith('d1.2 ');
    expect((await files.stat(FILE))?.mode).toBe(0o600);
  });

  test('AUD-2: no content: of a command the program, of a decision identifiers, of what was said its id', async () => {
    const { files, clock } = await place();
    const trail = createTrail({ files, clock, file: FILE });
    const see = createEntryAudit();
    const deny = { verdict: 'deny', reasons: [{ identifier: 'r', text: 'canary' }], message: 'canary' } as const;
    trail.audit(auditDecision('c1', [run, write], deny, 'ask'));
    const entries: EntryBody[] = [
      { kind: 'input', client: 'tui-1', ref: 'r', text: 'canary', attachments: [], delivery: 'steering', target: null },
      { kind: 'taken', input: 'e0', turn: 1, as: 'steering' },
      { kind: 'ask', ask: 'a1', call: 'c1', title: 'canary' },
      { kind: 'answer', ask: 'a1', answer: { kind: 'choice', choice: 'no', note: 'canary' }, by: 'tui-1' },
      { kind: 'mode', mode: 'edits' },
      { kind: 'note', level: 'info', identifier: 'x', text: 'canary' },
    ];
    entries.forEach((body, index) => {
      const event = see({ id: `e${index}`, parent: null, time: 0, ...body } as Entry);
      if (event !== null) trail.audit(event);
    });
    await trail.close();
    const lines = await readTrail(files, FILE);
    expect(lines.slice(1)).toMatchObject([
      { event: 'said', as: 'steering', turn: 1, input: 'e0', attachments: 0 },
      { event: 'answered', ask: 'a1', call: 'c1', by: 'tui-1' },
      { event: 'mode', mode: 'edits' },
    ]);
    expect(new TextDecoder().decode(await files.read(FILE))).not.toContain('canary');
    for (const line of lines) expect(auditText(line)).not.toContain('canary');
  });

  test('AUD-3: nothing is on the disk where nothing is saved, and each line is heard as it comes', async () => {
    const { files, clock } = await place();
    const heard: AuditLine[] = [];
    const trail = createTrail({ files, clock, file: null, onLine: (line) => void heard.push(line) });
    trail.audit({ event: 'mode', mode: 'plan' });
    expect(heard).toHaveLength(1);
    expect((await trail.read(null, 10)).lines).toEqual(heard);
    await trail.close();
    expect(await files.list('/session')).toEqual([]);
  });

  test('goes on after a restart and a torn line, and is read by pages from either end', async () => {
    const { files, clock } = await place();
    const first = createTrail({ files, clock, file: FILE });
    for (let turn = 1; turn <= 3; turn++) first.audit({ event: 'turn', turn, mode: 'ask' });
    await first.close();
    const torn = await files.openAppend(FILE, 0o600);
    await torn.append(new TextEncoder().encode('{"event":"tur\n'));
    await torn.close();
    const second = createTrail({ files, clock, file: FILE });
    second.audit({ event: 'turn', turn: 4, mode: 'ask' });
    const turns = async (from: number | null, count: number) =>
      (await second.read(from, count)).lines.map((line) => 'turn' in line && line.turn);
    expect(await turns(0, 10)).toEqual([1, 2, 3, 4]);
    expect(await turns(null, 2)).toEqual([3, 4]);
    expect(await turns(1, 2)).toEqual([2, 3]);
    expect((await second.read(null, 2)).total).toBe(4);
    await second.close();
    expect(await readTrail(files, FILE)).toHaveLength(4);
  });

  test('what comes after its end is written too, and no file stays open', async () => {
    const { files, clock } = await place();
    let open = 0;
    const counting: typeof files.openAppend = async (path, mode) => {
      const file = await files.openAppend(path, mode);
      open++;
      return {
        ...file,
        close: async () => {
          open--;
          await file.close();
        },
      };
    };
    const trail = createTrail({ files: { ...files, openAppend: counting }, clock, file: FILE });
    trail.audit({ event: 'turn', turn: 1, mode: 'ask' });
    await trail.close();
    for (let turn = 2; turn <= 4; turn++) {
      trail.audit({ event: 'turn', turn, mode: 'ask' });
      await Promise.resolve();
    }
    await trail.close();
    expect(await readTrail(files, FILE)).toHaveLength(4);
    expect(open).toBe(0);
    trail.audit({ event: 'turn', turn: 5, mode: 'ask' });
    while ((await readTrail(files, FILE)).length < 5 || open > 0) await Promise.resolve();
  });

  test('tells refusals apart from what was let through', () => {
    const line = (event: object): AuditLine => ({ time: 0, ...event }) as AuditLine;
    expect(isRefusal(line({ event: 'decision', verdict: 'deny' }))).toBe(true);
    expect(isRefusal(line({ event: 'decision', verdict: 'ask' }))).toBe(false);
    expect(isRefusal(line({ event: 'answer', choice: 'no' }))).toBe(true);
    expect(trailRow(line({ event: 'mode', mode: 'ask' }))).toEqual({
      time: 0,
      event: 'mode',
      text: 'mode is now ask',
      refused: false,
      call: null,
      delegate: null,
    });
  });
});
