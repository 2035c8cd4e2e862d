/** What a call is told to have come to when its true result is not known. The model reads these words. */
export const OUTCOME_UNKNOWN = 'interrupted, outcome unknown';
export const NOT_RUN = 'not run';
export const NOT_PARSED = 'not run: the arguments were not a JSON object';
