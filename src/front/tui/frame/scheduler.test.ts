import { describe, expect, test } from 'bun:test';
import { FrameScheduler } from './scheduler.ts';

/** A clock moved by hand; drawing takes as long as `cost` says. */
class Stage {
  time = 1000;
  cost = 0;
  frames: number[] = [];
  #timers: { at: number; callback: () => void }[] = [];
  readonly scheduler = new FrameScheduler(
    {
      ticks: () => this.time,
      after: (ms, callback) => {
        const timer = { at: this.time + ms, callback };
        this.#timers.push(timer);
        return () => this.#timers.splice(this.#timers.indexOf(timer), 1);
      },
    },
    () => {
      this.frames.push(this.time);
      this.time += this.cost;
    },
  );

  pass(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.splice(this.#timers.indexOf(due), 1);
      this.time = Math.max(this.time, due.at);
      due.callback();
    }
    this.time = Math.max(this.time, end);
  }

  get timers(): number {
    return this.#timers.length;
  }
}

describe('frames', () => {
  test('a key is drawn at once, also between two frames of a stream', () => {
    const stage = new Stage();
    stage.scheduler.now();
    stage.scheduler.soon();
    stage.pass(3);
    stage.scheduler.now();
    expect(stage.frames).toEqual([1000, 1003]);
    expect(stage.timers).toBe(0);
  });

  test('UP-01 a stream is drawn more than thirty times a second, with one frame pending at most', () => {
    const stage = new Stage();
    for (let i = 0; i < 1000; i++) {
      stage.scheduler.soon();
      expect(stage.timers).toBeLessThanOrEqual(1);
      stage.pass(1);
    }
    expect(stage.frames.length).toBeGreaterThan(30);
    expect(stage.frames.length).toBeLessThan(63);
  });

  test('the first of a stream is drawn at once, and nothing is scheduled when nothing changes', () => {
    const stage = new Stage();
    stage.scheduler.soon();
    stage.pass(0);
    expect(stage.frames).toEqual([1000]);
    stage.pass(60_000);
    expect([stage.frames.length, stage.timers]).toEqual([1, 0]);
  });

  test('a terminal that takes its frames slowly is given fewer of them', () => {
    const stage = new Stage();
    stage.cost = 30;
    for (let i = 0; i < 1000; i++) {
      stage.scheduler.soon();
      stage.pass(1);
    }
    expect((stage.frames.length * stage.cost) / (stage.time - 1000)).toBeLessThan(0.33);
  });

  test('nothing is drawn while the terminal is given away', () => {
    const stage = new Stage();
    stage.scheduler.soon();
    stage.scheduler.stop();
    stage.scheduler.soon();
    stage.scheduler.now();
    stage.pass(100);
    expect(stage.frames).toEqual([]);
    stage.scheduler.resume();
    stage.scheduler.now();
    expect(stage.frames.length).toBe(1);
  });
});
