// Throws random sequences of intents, faults, kills and restarts at a session in memory and checks after each step that no
// message was lost, doubled, reordered or told of twice (test/support/controller-model.ts). Prints the sequence that fails.
//   sh scripts/bun.sh bench/controller.ts [sequences=10000] [seed]
import fc from 'fast-check';
import { flyQueue, queueSteps } from '../test/support/controller-model.ts';

const [runs = '10000', seed] = process.argv.slice(2);
const begun = performance.now();
await fc.assert(fc.asyncProperty(queueSteps, flyQueue), {
  numRuns: Number(runs),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
});
console.log(`${runs} sequences hold, ${((performance.now() - begun) / 1000).toFixed(1)} s`);
process.exit();
