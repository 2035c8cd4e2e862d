/**
 * The one list of what can go wrong with a model service. The category alone decides what Houston does and says; the
 * service's own words are kept for the person to open, never quoted in a row (TR-5).
 */
export type FailureCategory =
  | 'no-model'
  | 'no-credential'
  | 'credential-refused'
  | 'unreachable'
  | 'rate-limited'
  | 'overloaded'
  | 'server-error'
  | 'stream-cut'
  | 'stalled'
  | 'context-too-long'
  | 'request-rejected'
  | 'image-rejected'
  | 'refused-by-model'
  | 'empty-reply'
  | 'quota-exhausted'
  /** The person's own limit, not the service's. */
  | 'spending-limit'
  | 'internal';

export interface Failure {
  readonly category: FailureCategory;
  /** One line in Houston's own words. */
  readonly message: string;
  readonly status: number | null;
  readonly requestId: string | null;
  /** The service's own account, shown only on demand and drawn inert. */
  readonly detail: string | null;
  /** Milliseconds the service asked us to wait; null when it named none. */
  readonly retryAfterMs: number | null;
  readonly retryable: boolean;
  readonly attempts: number;
}
