// Whatever is said, stopped, taken back, broken and killed in whatever order: nothing is lost, doubled, reordered or
// started while it is held. `bench/controller.ts` throws many more sequences at it.
import { test } from 'bun:test';
import fc from 'fast-check';
import { flyQueue, queueSteps } from '../support/controller-model.ts';

const RUNS = Number(process.env.HOUSTON_QUEUE_RUNS ?? 150);
const SEED = process.env.HOUSTON_QUEUE_SEED;

test('no message is lost, doubled or told of twice, whatever happens in whatever order (UP-18, INV-2, INV-5, INV-20)', async () => {
  await fc.assert(fc.asyncProperty(queueSteps, flyQueue), {
    numRuns: RUNS,
    ...(SEED === undefined ? {} : { seed: Number(SEED) }),
  });
}, 240_000);

test('everything said is begun or dropped, once, and what begun ended, once (SC-3.1, SC-3.9, INV-28, SC-4.6)', async () => {
  await fc.assert(fc.asyncProperty(queueSteps, flyQueue), { numRuns: Math.ceil(RUNS / 3) });
}, 240_000);
