import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Intent } from '../../src/protocol/intent.ts';
import type { LinkedSession } from '../../src/protocol/link.ts';
import type { View } from '../../src/protocol/view.ts';
import type { ModelStep } from '../support/fake-session.ts';
import { answeredTexts, CANCEL, isIdle, saidTexts, watch } from '../support/watcher.ts';

/** One session behind one kind of link, its model scripted. */
export interface SessionRig {
  /** A new client over a link of its own. */
  connect(client: string): Promise<LinkedSession>;
  /** What the model does for the next prompt that has no script yet. */
  script(steps: readonly ModelStep[]): void;
  /** Lets the oldest `hold` go on. */
  release(): void;
  /** Ends the session as its host would. */
  end(): void | Promise<void>;
  /** Asks one client alone; null where nothing can make the session do so. */
  readonly askOne: ((client: string, question: string) => void) | null;
  readonly faults: LinkFaults | null;
  dispose(): Promise<void>;
}

export interface LinkFaults {
  /** Breaks the client's link; it may come back. */
  sever(client: string): void;
  /** Breaks it for good: nobody comes back, and the session is told after its time of grace. */
  lose(client: string): void | Promise<void>;
  /** Nothing arrives any more either way and nobody is told; null where the link cannot do that. */
  freeze: ((client: string) => void) | null;
  thaw(client: string): void;
}

export interface RigAbilities {
  readonly askOne: boolean;
  readonly sever: boolean;
  readonly freeze: boolean;
}

let refs = 0;

function say(text: string): Extract<Intent, { type: 'say' }> {
  refs++;
  return { type: 'say', ref: `ref-${refs}`, text, attachments: [], delivery: 'queue' };
}

const WORDS = 'one two three four five six seven eight';

function answerYes(view: View): Intent {
  return { type: 'answer', ask: view.asks[0]!.id, answer: { kind: 'answers', answers: [['yes']] } };
}

function liveText(view: View): string {
  return view.live?.parts.map((part) => (part.type === 'call' ? '' : part.text)).join('') ?? '';
}

function isAsking(view: View): boolean {
  return view.asks.length > 0;
}

/** What every link to a session promises, whatever carries it. */
export function sessionContract(name: string, make: () => Promise<SessionRig>, can: RigAbilities): void {
  describe(`session: ${name}`, () => {
    let rig: SessionRig;

    beforeEach(async () => {
      rig = await make();
    });
    afterEach(async () => {
      await rig.dispose();
    });

    test('a snapshot comes first, then numbers without gaps', async () => {
      const one = await rig.connect('one');
      const watcher = watch(one);
      rig.script([{ text: WORDS }]);
      expect((await one.send(say('hello'), 'one')).accepted).toBe(true);
      await watcher.until((view) => isIdle(view) && saidTexts(view).includes('hello'));
      expect(watcher.snapshots).toBe(1);
      expect(watcher.updates[0]!.changes[0]!.type).toBe('snapshot');
      expect(answeredTexts(watcher.view)).toEqual([WORDS]);
    });

    test('two clients see the same updates in the same order (INV-25)', async () => {
      const one = await rig.connect('one');
      const two = await rig.connect('two');
      const first = watch(one);
      const second = watch(two);
      await Promise.all([first.until(() => first.snapshots === 1), second.until(() => second.snapshots === 1)]);
      rig.script([{ text: WORDS }]);
      rig.script([{ text: 'again' }]);
      await Promise.all([one.send(say('from one'), 'one'), two.send(say('from two'), 'two')]);
      const both = (view: View) => isIdle(view) && saidTexts(view).length === 2;
      await Promise.all([first.until(both), second.until(both)]);
      await first.until((view) => view.seq >= second.view.seq);
      await second.until((view) => view.seq >= first.view.seq);
      const from = Math.max(first.updates[0]!.seq, second.updates[0]!.seq) + 1;
      const after = (updates: typeof first.updates) => updates.filter((update) => update.seq >= from);
      expect(after(second.updates)).toEqual(after(first.updates));
      expect(second.view).toEqual(first.view);
    });

    test('a refusal is a value with an identifier', async () => {
      const one = await rig.connect('one');
      const sent = await one.send(
        { type: 'answer', ask: 'no such ask', answer: { kind: 'answers', answers: [] } },
        'one',
      );
      expect(sent.accepted).toBe(false);
      if (!sent.accepted) expect(sent.refusal.identifier).toMatch(/^[a-z-]+$/);
      expect(one.unanswered).toEqual([]);
    });

    test('an update that was there before the answer arrives before the answer', async () => {
      const one = await rig.connect('one');
      const watcher = watch(one);
      await watcher.until(() => watcher.snapshots === 1);
      rig.script([{ hold: true }]);
      await one.send(say('hello'), 'one');
      expect(saidTexts(watcher.view)).toEqual(['hello']);
      rig.release();
      await watcher.until(isIdle);
    });

    test('the same say sent twice is said once', async () => {
      const one = await rig.connect('one');
      const watcher = watch(one);
      const twice = say('only once');
      const sent = await Promise.all([one.send(twice, 'one'), one.send(twice, 'one')]);
      expect(sent[1]).toEqual(sent[0]!);
      await watcher.until((view) => isIdle(view) && saidTexts(view).length > 0);
      expect(saidTexts(watcher.view)).toEqual(['only once']);
    });

    test('one client is handled first in, first out', async () => {
      const one = await rig.connect('one');
      const watcher = watch(one);
      const texts = Array.from({ length: 12 }, (_, index) => `number ${index}`);
      const sent = await Promise.all(texts.map((text) => one.send(say(text), 'one')));
      expect(sent.every((each) => each.accepted)).toBe(true);
      await watcher.until((view) => isIdle(view) && saidTexts(view).length === texts.length);
      expect(saidTexts(watcher.view)).toEqual(texts);
    });

    test('what was sent counts as unanswered until its answer comes', async () => {
      const one = await rig.connect('one');
      const changes: number[] = [];
      one.onLinkChange(() => changes.push(one.unanswered.length));
      const intent = say('hello');
      const sent = one.send(intent, 'one');
      expect(one.unanswered).toEqual([intent]);
      await sent;
      expect(one.unanswered).toEqual([]);
      expect(changes).toContain(1);
      expect(changes.at(-1)).toBe(0);
    });

    test('a say and a cancel in one go: said, then cancelled (INV-3)', async () => {
      const one = await rig.connect('one');
      const watcher = watch(one);
      await watcher.until(() => watcher.snapshots === 1);
      rig.script([{ hold: true }, { text: 'never' }]);
      const [said, cancelled] = await Promise.all([one.send(say('hello'), 'one'), one.send(CANCEL, 'one')]);
      expect(said.accepted).toBe(true);
      expect(cancelled.accepted).toBe(true);
      await watcher.until((view) => isIdle(view) && saidTexts(view).length === 1);
      expect(answeredTexts(watcher.view)).toEqual([]);
    });

    test('a cancel stops what runs at once, whatever else this client sent', async () => {
      const one = await rig.connect('one');
      const watcher = watch(one);
      rig.script([{ hold: true }, { text: 'never' }]);
      await one.send(say('long'), 'one');
      await watcher.until((view) => view.activity.phase !== 'idle');
      await one.send(CANCEL, 'one');
      await watcher.until((view) => isIdle(view) && saidTexts(view).length === 1);
      expect(answeredTexts(watcher.view)).toEqual([]);
    });

    test('reads pages, refuses what is not there, and goes on', async () => {
      const one = await rig.connect('one');
      const watcher = watch(one);
      rig.script([{ text: WORDS }]);
      await one.send(say('hello'), 'one');
      await watcher.until((view) => isIdle(view) && saidTexts(view).length === 1);
      const page = await one.read({ type: 'page', from: 0, count: 100 });
      expect(page.ok && page.value.items.map((item) => item.id)).toEqual(
        watcher.view.transcript.items.map((item) => item.id),
      );
      const none = await one.read({ type: 'output', call: 'no such call', from: 0, count: 1 });
      expect(none.ok).toBe(false);
      expect((await one.read({ type: 'page', from: 0, count: 1 })).ok).toBe(true);
    });

    test('a draft is kept for its own client and found on attaching', async () => {
      const one = await rig.connect('one');
      const two = await rig.connect('two');
      const draft = { text: 'half', caret: 4, folded: [], shell: false };
      await one.send({ type: 'draft', draft }, 'one');
      const mine = watch(one);
      const theirs = watch(two);
      await Promise.all([mine.until(() => mine.snapshots === 1), theirs.until(() => theirs.snapshots === 1)]);
      expect(mine.updates[0]!.changes[0]).toMatchObject({ type: 'snapshot', draft });
      expect(theirs.updates[0]!.changes[0]).toMatchObject({ type: 'snapshot', draft: null });
    });

    test('UP-07 what changed of a long draft is enough, made from the one that is kept', async () => {
      const one = await rig.connect('one');
      const folded = [{ at: 0, length: 3, kind: 'paste', text: 'long', attachment: null }] as const;
      await one.send({ type: 'draft', draft: { text: '[1] half', caret: 8, folded, shell: false } }, 'one');
      const marker = { at: 3, length: 3, kept: 0 };
      const edit = { of: 8, at: 0, removed: 0, inserted: 'see', caret: 3, folded: [marker], shell: false };
      expect((await one.send({ type: 'draft-edit', edit }, 'one')).accepted).toBe(true);
      const again = await one.send({ type: 'draft-edit', edit }, 'one');
      expect(again).toMatchObject({ accepted: false, refusal: { identifier: 'draft-out-of-step' } });
      const mine = watch(one);
      await mine.until(() => mine.snapshots === 1);
      const draft = { text: 'see[1] half', caret: 3, folded: [{ ...folded[0], at: 3 }], shell: false };
      expect(mine.updates[0]!.changes[0]).toMatchObject({ type: 'snapshot', draft });
    });

    test('attaching again with the last number goes on or starts with a snapshot', async () => {
      const one = await rig.connect('one');
      const throughout = watch(await rig.connect('two'));
      const before = watch(one);
      rig.script([{ text: WORDS }]);
      rig.script([{ text: 'later' }]);
      await one.send(say('first'), 'one');
      await before.until((view) => isIdle(view) && saidTexts(view).length === 1);
      before.attachment.close();
      expect(await before.attachment.closed).toBe('closed-here');
      const seen = before.view.seq;
      await one.send(say('second'), 'one');
      await throughout.until((view) => isIdle(view) && saidTexts(view).length === 2);
      expect(before.view.seq).toBe(seen);
      const again = watch(one, { after: seen }, before.view);
      await again.until((view) => view.seq === throughout.view.seq);
      expect(again.view).toEqual(throughout.view);
    });

    test('a number from nowhere gets a snapshot', async () => {
      const one = await rig.connect('one');
      const watcher = watch(one, { after: 1_000_000 });
      await watcher.until(() => watcher.snapshots === 1);
      expect(watcher.updates[0]!.changes[0]!.type).toBe('snapshot');
    });

    test('attaching at any moment, in the middle of a reply too, equals having been there throughout (INV-24, SC-28.3.2)', async () => {
      const one = await rig.connect('one');
      const two = await rig.connect('two');
      const throughout = watch(one);
      await throughout.until(() => throughout.snapshots === 1);
      rig.script([{ text: WORDS }, { hold: true }, { text: ' nine ten' }]);
      await one.send(say('hello'), 'one');
      await throughout.until((view) => liveText(view) === WORDS);
      const middle = watch(two);
      await middle.until((view) => view.seq >= throughout.view.seq);
      await throughout.until((view) => view.seq >= middle.view.seq);
      expect(middle.view).toEqual(throughout.view);
      rig.release();
      await Promise.all([throughout.until(isIdle), middle.until(isIdle)]);
      const after = watch(await rig.connect('three'));
      await after.until(() => after.snapshots === 1);
      await throughout.until((view) => view.seq >= after.view.seq);
      await middle.until((view) => view.seq >= after.view.seq);
      expect(middle.view).toEqual(throughout.view);
      expect(after.view).toEqual(throughout.view);
      expect(answeredTexts(after.view)).toEqual([`${WORDS} nine ten`]);
    });

    test('a question survives detaching; the first answer wins and it closes in both', async () => {
      const one = await rig.connect('one');
      const two = await rig.connect('two');
      const leaves = watch(one);
      rig.script([{ ask: 'Go on?' }, { text: 'went on' }]);
      await one.send(say('ask me'), 'one');
      await leaves.until(isAsking);
      leaves.attachment.close();
      const first = watch(one);
      const second = watch(two);
      await Promise.all([first.until(isAsking), second.until(isAsking)]);
      const answers = [answerYes(first.view), answerYes(second.view)] as const;
      const sent = await Promise.all([one.send(answers[0], 'one'), two.send(answers[1], 'two')]);
      expect(sent.filter((each) => each.accepted)).toHaveLength(1);
      const over = (view: View) => isIdle(view) && view.asks.length === 0;
      await Promise.all([first.until(over), second.until(over)]);
      expect(answeredTexts(first.view)).toEqual(['went on']);
    });

    test('a client that may only look sends nothing', async () => {
      const one = await rig.connect('one');
      const watcher = watch(one, { readOnly: true });
      await watcher.until(() => watcher.snapshots === 1);
      const sent = await one.send(say('hello'), 'one');
      expect(sent).toMatchObject({ accepted: false, refusal: { identifier: 'read-only' } });
      expect((await one.read({ type: 'page', from: 0, count: 1 })).ok).toBe(true);
    });

    test('a listener that throws harms neither its link nor other clients', async () => {
      const one = await rig.connect('one');
      const two = await rig.connect('two');
      one.attach({ client: 'one' }, () => {
        throw new Error('a bug in a front end');
      });
      const watcher = watch(two);
      expect((await one.send(say('hello'), 'one')).accepted).toBe(true);
      await watcher.until((view) => isIdle(view) && saidTexts(view).length === 1);
    });

    test('closing one client leaves the session and the others', async () => {
      const one = await rig.connect('one');
      const two = await rig.connect('two');
      const watcher = watch(two);
      const leaving = watch(one);
      await leaving.until(() => leaving.snapshots === 1);
      await one.close();
      expect(await leaving.attachment.closed).toBe('closed-here');
      expect(one.state).toMatchObject({ phase: 'closed', because: 'closed-here' });
      expect((await two.send(say('hello'), 'two')).accepted).toBe(true);
      await watcher.until((view) => isIdle(view) && saidTexts(view).length === 1);
    });

    test('the end of the session reaches every client', async () => {
      const one = await rig.connect('one');
      const watcher = watch(one);
      await watcher.until(() => watcher.snapshots === 1);
      await rig.end();
      expect(await watcher.attachment.closed).toBe('ended');
    });

    if (can.askOne) {
      test('a question for one client ends when that client leaves', async () => {
        const one = await rig.connect('one');
        const watcher = watch(await rig.connect('two'));
        watch(one);
        await watcher.until(() => watcher.snapshots === 1);
        rig.askOne!('one', 'Which one?');
        await watcher.until((view) => view.asks[0]?.for === 'one');
        await one.close();
        await watcher.until((view) => view.asks.length === 0);
      });
    }

    if (can.sever) severed(() => rig, can);
    if (can.freeze) frozen(() => rig);
  });
}

/** The link breaks and both sides learn of it. */
function severed(rigOf: () => SessionRig, can: RigAbilities): void {
  test('a broken link comes back without gap or double (SC-44.13)', async () => {
    const rig = rigOf();
    const one = await rig.connect('one');
    const throughout = watch(await rig.connect('two'));
    const watcher = watch(one);
    rig.script([{ text: WORDS }, { hold: true }, { text: ' nine ten' }]);
    await one.send(say('hello'), 'one');
    await throughout.until((view) => liveText(view) === WORDS);
    rig.faults!.sever('one');
    rig.release();
    await throughout.until((view) => isIdle(view) && saidTexts(view).length === 1);
    await watcher.until((view) => view.seq === throughout.view.seq);
    expect(watcher.view).toEqual(throughout.view);
    expect(one.state.phase).toBe('connected');
  });

  test('what was not answered when the link broke is said exactly once (UP-35)', async () => {
    const rig = rigOf();
    const one = await rig.connect('one');
    const watcher = watch(await rig.connect('two'));
    const sent = [one.send(say('late'), 'one')];
    rig.faults!.sever('one');
    sent.push(one.send(say('later'), 'one'));
    expect((await Promise.all(sent)).map((each) => each.accepted)).toEqual([true, true]);
    await watcher.until((view) => isIdle(view) && saidTexts(view).length === 2);
    expect(saidTexts(watcher.view)).toEqual(['late', 'later']);
  });

  test('what cannot be repeated is refused when the link broke', async () => {
    const rig = rigOf();
    const one = await rig.connect('one');
    const sent = one.send({ type: 'retry' }, 'one');
    rig.faults!.sever('one');
    expect(await sent).toMatchObject({ accepted: false, refusal: { identifier: 'link-lost' } });
    expect((await one.send(say('hello'), 'one')).accepted).toBe(true);
  });

  if (can.askOne) {
    test('a question for a client that is lost resolves to nothing', async () => {
      const rig = rigOf();
      watch(await rig.connect('one'));
      const watcher = watch(await rig.connect('two'));
      await watcher.until(() => watcher.snapshots === 1);
      rig.askOne!('one', 'Which one?');
      await watcher.until((view) => view.asks[0]?.for === 'one');
      await rig.faults!.lose('one');
      await watcher.until((view) => view.asks.length === 0);
    });
  }
}

/** The link holds but nothing gets through, as in a laptop's sleep. */
function frozen(rigOf: () => SessionRig): void {
  async function freezeMeanwhile(rig: SessionRig, words: string) {
    const one = await rig.connect('one');
    const two = await rig.connect('two');
    const asleep = watch(one);
    const awake = watch(two);
    await asleep.until(() => asleep.snapshots === 1);
    rig.faults!.freeze!('one');
    rig.script([{ text: words }, { ask: 'Go on?' }, { text: 'went on' }]);
    await two.send(say('begin'), 'two');
    const late = one.send(say('late'), 'one');
    await awake.until(isAsking);
    return { one, two, asleep, awake, late };
  }

  test('after a freeze both equal a fresh attach and what was typed is said once (UP-35)', async () => {
    const rig = rigOf();
    const words = Array.from({ length: 200 }, (_, index) => `word${index} `).join('');
    const { one, two, asleep, awake, late } = await freezeMeanwhile(rig, words);
    expect(saidTexts(awake.view)).toEqual(['begin']);
    rig.faults!.thaw('one');
    expect((await late).accepted).toBe(true);
    await asleep.until(isAsking);
    expect((await one.send(answerYes(asleep.view), 'one')).accepted).toBe(true);
    const over = (view: View) => isIdle(view) && view.asks.length === 0 && saidTexts(view).length === 2;
    await Promise.all([asleep.until(over), awake.until(over)]);
    const fresh = watch(await rig.connect('three'));
    await fresh.until(() => fresh.snapshots === 1);
    await Promise.all([
      asleep.until((view) => view.seq >= fresh.view.seq),
      awake.until((view) => view.seq >= fresh.view.seq),
    ]);
    expect(saidTexts(fresh.view)).toEqual(['begin', 'late']);
    expect(asleep.view).toEqual(fresh.view);
    expect(awake.view).toEqual(fresh.view);
    expect(two.state.phase).toBe('connected');
  });

  test('a client that fell behind gets a snapshot, not a backlog, and ends equal', async () => {
    const rig = rigOf();
    const word = `${'x'.repeat(8_000)} `;
    const { two, asleep, awake, late } = await freezeMeanwhile(rig, word.repeat(100));
    const told = awake.updates.length;
    rig.faults!.thaw('one');
    await late;
    await two.send(answerYes(awake.view), 'two');
    const over = (view: View) => isIdle(view) && saidTexts(view).length === 2;
    await Promise.all([asleep.until(over), awake.until(over)]);
    await asleep.until((view) => view.seq >= awake.view.seq);
    await awake.until((view) => view.seq >= asleep.view.seq);
    expect(asleep.view).toEqual(awake.view);
    expect(asleep.snapshots).toBeGreaterThan(1);
    expect(asleep.updates.length).toBeLessThan(told);
  });

  test('frozen, then severed: nothing twice, nothing missing (UP-35)', async () => {
    const rig = rigOf();
    const { two, asleep, awake, late } = await freezeMeanwhile(rig, WORDS);
    rig.faults!.sever('one');
    expect((await late).accepted).toBe(true);
    await asleep.until(isAsking);
    await two.send(answerYes(awake.view), 'two');
    const over = (view: View) => isIdle(view) && view.asks.length === 0 && saidTexts(view).length === 2;
    await Promise.all([asleep.until(over), awake.until(over)]);
    await asleep.until((view) => view.seq >= awake.view.seq);
    await awake.until((view) => view.seq >= asleep.view.seq);
    expect(asleep.view).toEqual(awake.view);
    expect(saidTexts(asleep.view)).toEqual(['begin', 'late']);
  });
}
