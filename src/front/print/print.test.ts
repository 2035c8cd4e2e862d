import { expect, test } from 'bun:test';
import { LINKS, openLinked } from '../../../test/support/linked-house.ts';
import { gate, scriptedModel } from '../../../test/support/script.ts';
import { runPrint } from './print.ts';

for (const kind of LINKS) {
  /** A window whose turn runs until it is let go, and a script's prompt behind it. */
  async function behindATurn(
    replies: Parameters<typeof scriptedModel>[0],
    format: 'text' | 'json' | 'stream-json' = 'text',
  ) {
    const held = gate();
    const model = scriptedModel([['words of the window', { wait: held.opened }, ' to the end'], ...replies]);
    const linked = await openLinked(kind, { script: model });
    const seat = await linked.sit('window');
    await linked.idle();
    void seat.say('begin');
    await seat.until((view) => view.live !== null);
    const out: string[] = [];
    const err: string[] = [];
    const interrupt = new AbortController();
    const code = runPrint({
      session: linked.house.session,
      client: 'script',
      ref: 'one',
      prompt: 'for the script',
      attachments: [],
      shared: true,
      format,
      out: (text) => void out.push(text),
      err: (text) => void err.push(text),
      interrupted: interrupt.signal,
    });
    await seat.until((view) => view.queue.rows.length === 1);
    return { held, model, linked, seat, out, err, code, interrupt };
  }

  test(`a script's prompt has a turn of its own behind what runs, and its reply alone is printed, ${kind} (SC-28.5.1, SC-28.5.2)`, async () => {
    const { held, model, linked, out, err, code } = await behindATurn(['the answer', 'later']);
    held.open();
    expect(await code).toBe(0);
    await linked.idle();
    expect(out.join('')).toBe('the answer\n');
    expect(err.join('')).not.toContain('words of the window');
    expect(model.requests).toHaveLength(2);
  });

  test(`between the beginning and the end of its turn everything told is its own, and nothing before, ${kind} (SC-28.5.2)`, async () => {
    for (const format of ['json', 'stream-json'] as const) {
      const { held, linked, out, code } = await behindATurn(['the answer'], format);
      held.open();
      expect(await code).toBe(0);
      await linked.idle();
      const told = out.join('');
      expect(told).toContain('the answer');
      expect(told).not.toContain('words of the window');
      if (format === 'json') expect(JSON.parse(told)).toMatchObject({ reply: 'the answer', rounds: 1 });
    }
  });

  test(`one that is thrown away while it waits fails at once, ${kind} (SC-28.5.1)`, async () => {
    const { held, model, linked, seat, out, err, code } = await behindATurn([]);
    await seat.send({ type: 'queue-discard', inputs: 'all' });
    // The window's turn still runs.
    expect(await code).toBe(1);
    expect(out).toEqual([]);
    expect(err.join('')).toContain('discarded');
    held.open();
    await linked.idle();
    expect(model.requests).toHaveLength(1);
  });

  test(`a turn that fails ends so, with nothing on stdout, ${kind} (SC-28.5.1)`, async () => {
    const failure = { category: 'request-rejected', message: 'no', retryable: false } as const;
    const { held, linked, out, err, code } = await behindATurn([{ failure } as never]);
    held.open();
    expect(await code).not.toBe(0);
    expect(out).toEqual([]);
    expect(err.join('')).toContain('houston: ');
    await linked.idle();
  });

  test(`interrupted it leaves, and what was said goes on waiting and runs, ${kind} (SC-28.5.6)`, async () => {
    const { held, model, linked, seat, code, interrupt } = await behindATurn(['the answer']);
    interrupt.abort();
    expect(await code).toBe(130);
    expect(seat.view.queue.rows).toMatchObject([{ text: 'for the script' }]);
    expect(seat.view.activity.phase).not.toBe('idle');
    held.open();
    await linked.idle();
    expect(model.requests).toHaveLength(2);
  });
}
