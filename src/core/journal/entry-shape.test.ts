import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { openHouse, SESSION_FOLDER, transcriptOf } from '../../../test/support/controller.ts';
import * as make from '../../../test/support/entries.ts';
import { randomBody } from '../../../test/support/random-entries.ts';
import { scriptedModel } from '../../../test/support/script.ts';
import { ENTRY_CLASSES } from '../../protocol/entry.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import { hasShape } from './entry-shape.ts';
import { readSummary } from './summary.ts';

const FILE = `${SESSION_FOLDER}/journal.jsonl`;

/** A session of one turn, then a line of `kind` whose fields are missing or hold something else. */
async function damagedBy(kind: string, fields: string) {
  const system = createMemorySystem();
  const house = await openHouse({ system, script: scriptedModel(['KEPT']) });
  await house.seat('one').say('before');
  await house.idle();
  const { leaf } = house.journal;
  await system.clock.runUntil(house.session.close());
  const file = await system.files.openAppend(FILE, 0o600);
  const line = `{"id":"odd","parent":"${leaf}","time":1,"kind":"${kind}"${fields}}\n`;
  await file.append(new TextEncoder().encode(line));
  await file.close();
  await system.files.remove(`${SESSION_FOLDER}/checkpoint`, { recursive: true });
  return system;
}

describe('a line that is sound JSON and not what its kind holds costs itself alone (UP-32)', () => {
  for (const kind of Object.keys(ENTRY_CLASSES))
    test(kind, async () => {
      for (const fields of ['', ',"turn":"x","parts":[null],"text":7,"model":null,"usage":3,"order":{},"items":[0]']) {
        const system = await damagedBy(kind, fields);
        expect(await readSummary(system.files, FILE)).toMatchObject({ firstPrompt: 'before' });
        const script = scriptedModel(['AFTER']);
        const house = await openHouse({ system, script });
        const seat = house.seat('two');
        await seat.until(({ head }) => head.ready);
        expect(Number.isNaN(seat.view.head.activeTime)).toBe(false);
        await seat.say('again');
        await house.idle();
        const shown = transcriptOf(seat.view);
        for (const row of ['prompt: before', 'model: KEPT', 'prompt: again', 'model: AFTER'])
          expect(shown).toContain(row);
        expect(JSON.stringify(script.requests[0]?.messages)).toContain('KEPT');
        await system.clock.runUntil(house.session.close());
      }
    });
});

test('whatever a session may write is sound', () => {
  const entries = [make.sessionBody(), make.inputBody('x'), make.turnStartBody(1)];
  for (const body of entries) expect(hasShape(body.kind, body)).toBe(true);
  fc.assert(fc.property(randomBody([]), (body) => hasShape(body.kind, body)));
  expect(hasShape('of-a-later-build', {})).toBe(true);
});
