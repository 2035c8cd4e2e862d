/**
 * How eagerly Bun's engine compiles our own code a second time, and better: that is paid for before it gains. The launcher
 * puts these off to code that runs very often, so that a screen stays quick in long use; a host mostly waits for a model, and
 * goes without. Measured in bench/: a third less processor time while a reply streams, a quarter less in rounds of tool calls.
 */
export const CODE_TIERS: readonly string[] = [
  'BUN_JSC_useDFGJIT',
  'BUN_JSC_thresholdForOptimizeAfterWarmUp',
  'BUN_JSC_thresholdForOptimizeAfterLongWarmUp',
  'BUN_JSC_thresholdForOptimizeSoon',
];

/** Set for a host's own process; its commands never see it. */
export const MOSTLY_WAITS: Readonly<Record<string, string>> = { BUN_JSC_useDFGJIT: '0' };
