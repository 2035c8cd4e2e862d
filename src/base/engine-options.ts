/**
 * What the launcher asks of Bun's engine; commands of a session never see it.
 *
 * How eagerly our own code is compiled a second time, and better: that is paid for before it gains, so it is put off to
 * code that runs very often, so that a screen stays quick in long use; a host mostly waits for a model, and goes without.
 * Measured in bench/: a third less processor time while a reply streams, a quarter less in rounds of tool calls. (At 4,000 in
 * place of 100,000 a key was no faster, a stream took 6 % more and the screen 5 MB.)
 *
 * How many threads stand beside the first: one to compile on, none to help collecting garbage, and none that fetches memory
 * ahead. Each that starts, and each page it touches, holds up a first frame; a twentieth of a start together.
 *
 * How long memory that is free again is kept: Bun's allocator gives it back within a tenth of a second, page by page, and a
 * page costs a fault when it is next used, dear in virtual machines. Kept for a minute: half the faults while a reply
 * streams or tools are called, a fifth less processor time. A host keeps it for seconds: at rest it shall hold little.
 */
export const ENGINE_OPTIONS: readonly string[] = [
  'BUN_JSC_useDFGJIT',
  'BUN_JSC_thresholdForOptimizeAfterWarmUp',
  'BUN_JSC_thresholdForOptimizeAfterLongWarmUp',
  'BUN_JSC_thresholdForOptimizeSoon',
  'BUN_JSC_minNumberOfWorklistThreads',
  'BUN_JSC_maxNumberOfWorklistThreads',
  'BUN_JSC_numberOfGCMarkers',
  'BUN_JSC_useWarmUpMarkedBlocks',
  'MIMALLOC_PURGE_DELAY',
  'MIMALLOC_PURGE_HOLES_MIN_INTERVAL',
];

/** Set for a host's own process; its commands never see it. */
export const MOSTLY_WAITS: Readonly<Record<string, string>> = {
  BUN_JSC_useDFGJIT: '0',
  MIMALLOC_PURGE_DELAY: '5000',
  MIMALLOC_PURGE_HOLES_MIN_INTERVAL: '5000',
};
