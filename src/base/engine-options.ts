/**
 * What the launcher asks of Bun's engine; commands of a session never see it.
 *
 * How eagerly our own code is compiled a second time, and better: that is paid for before it gains, so it is left to code that
 * runs often, most of which a screen has rehearsed while nobody typed (rehearsal.ts); a host mostly waits for a model, and goes
 * without. Measured in bench/: of a host, a quarter less processor time in rounds of tool calls; of a screen, a quarter less
 * time from key to character.
 *
 * How many threads stand beside the first: one to compile on, and none that fetches memory ahead. Each that starts, and
 * each page it touches, holds up a first frame; a twentieth of a start together.
 */
export const ENGINE_OPTIONS: readonly string[] = [
  'BUN_JSC_useDFGJIT',
  'BUN_JSC_thresholdForOptimizeAfterWarmUp',
  'BUN_JSC_thresholdForOptimizeAfterLongWarmUp',
  'BUN_JSC_thresholdForOptimizeSoon',
  'BUN_JSC_minNumberOfWorklistThreads',
  'BUN_JSC_maxNumberOfWorklistThreads',
  'BUN_JSC_useWarmUpMarkedBlocks',
];

/** Set for a host's own process; its commands never see it. */
export const MOSTLY_WAITS: Readonly<Record<string, string>> = { BUN_JSC_useDFGJIT: '0' };
