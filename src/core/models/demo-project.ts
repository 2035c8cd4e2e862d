/** The throw-away project of `houston --demo`: small, without dependencies, with one bug its own tests find. */
export const DEMO_PROJECT: Readonly<Record<string, string>> = {
  'package.json': `{
  "name": "ascent",
  "version": "1.0.0",
  "private": true,
  "description": "Countdown calls and fuel figures for a small rocket",
  "scripts": { "test": "node --test" }
}
`,
  'README.md': `# ascent

Countdown calls and fuel figures for a small rocket.

- \`src/countdown.js\` makes the calls, from T-10 down to lift-off
- \`src/fuel.js\` says how much fuel a burn takes

Run the tests with \`npm test\`.
`,
  'src/countdown.js': `/** The calls of a countdown that starts at \`from\` seconds: T-3, T-2, T-1, Lift-off. */
function countdown(from) {
  const calls = [];
  for (let second = from; second > 1; second--) {
    calls.push(\`T-\${second}\`);
  }
  calls.push('Lift-off');
  return calls;
}

module.exports = { countdown };
`,
  'src/fuel.js': `/** Kilograms of fuel for a burn of \`seconds\` at \`rate\` kilograms a second, rounded up: nobody refuels in flight. */
function fuelFor(seconds, rate) {
  if (seconds < 0 || rate < 0) throw new RangeError('a burn cannot be negative');
  return Math.ceil(seconds * rate);
}

module.exports = { fuelFor };
`,
  'test/countdown.test.js': `const assert = require('node:assert/strict');
const { test } = require('node:test');
const { countdown } = require('../src/countdown.js');

test('calls every second, then lift-off', () => {
  assert.deepEqual(countdown(3), ['T-3', 'T-2', 'T-1', 'Lift-off']);
});

test('lifts off at once when nothing is left to count', () => {
  assert.deepEqual(countdown(0), ['Lift-off']);
});
`,
  'test/fuel.test.js': `const assert = require('node:assert/strict');
const { test } = require('node:test');
const { fuelFor } = require('../src/fuel.js');

test('rounds up to whole kilograms', () => {
  assert.equal(fuelFor(1.5, 3), 5);
});

test('refuses a negative burn', () => {
  assert.throws(() => fuelFor(-1, 3), RangeError);
});
`,
};

/** What the tour is asked, so that whoever starts it can send it as the first prompt. */
export const TOUR_PROMPT = 'A call is missing in the countdown. Find out why, fix it, and show me that the tests pass.';

/** The seeded bug: the loop stops one second early. */
export const DEMO_BUG = {
  file: 'src/countdown.js',
  test: 'test/countdown.test.js',
  before: '  for (let second = from; second > 1; second--) {',
  after: '  for (let second = from; second >= 1; second--) {',
  command: 'node --test',
} as const;
