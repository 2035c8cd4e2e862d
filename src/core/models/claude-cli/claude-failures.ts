import type { Failure } from '../../../protocol/failure.ts';
import { failureOfNetwork, failureOfService, redact, streamCut } from '../failures.ts';
import type { CliMessage } from './cli-message.ts';

/** Its own words for what went wrong, as the service's. */
const TYPES: Readonly<Record<string, string>> = {
  authentication_failed: 'authentication_error',
  oauth_org_not_allowed: 'permission_error',
  billing_error: 'billing_error',
  rate_limit: 'rate_limit_error',
  overloaded: 'overloaded_error',
  server_error: 'api_error',
  invalid_request: 'invalid_request_error',
  model_not_found: 'not_found_error',
};

/** The provider whose sign-in is the program's own. */
const PROVIDER = 'claude-subscription';

const NETWORK = /connect|ECONN|ENOTFOUND|EAI_AGAIN|fetch failed|timed out|certificate/i;

export interface ToldProblem {
  /** The message that carries an error, and the result after it. */
  readonly told: CliMessage | null;
  readonly result: CliMessage;
  /** When a usage limit is lifted, milliseconds since the epoch; null: nothing was said of one. */
  readonly limitedUntil: number | null;
  /** It was given no key, and speaks for whoever signed in to it. */
  readonly signsIn: boolean;
  readonly now: number;
  readonly secrets: readonly string[];
}

/** What it reported in place of a reply. */
export function failureOfResult({ told, result, limitedUntil, signsIn, now, secrets }: ToldProblem): Failure {
  const words = wordsOf(result);
  const status = typeof result.api_error_status === 'number' ? result.api_error_status : null;
  const exact = stringOf(result.api_error_type);
  const type = exact ?? TYPES[stringOf(told?.error) ?? ''] ?? null;
  // Nobody answered: whatever kind of error it is put under.
  if (status === null && exact === null && NETWORK.test(words)) return failureOfNetwork(new Error(words), secrets);
  const requestId = stringOf(told?.request_id);
  const failure = failureOfService({ status, type, text: words, headers: null, requestId, now, secrets });
  if (failure.category === 'credential-refused' && signsIn) {
    const message = `claude is not signed in: claude auth login in a terminal, or houston login ${PROVIDER}`;
    return { ...failure, message };
  }
  if (failure.category !== 'rate-limited' || limitedUntil === null) return failure;
  const message = 'The usage limit of the subscription is reached';
  return { ...failure, message, retryAfterMs: Math.max(0, limitedUntil - now) };
}

/** It ended in the middle of a reply, or before one. */
export function failureOfExit(
  exit: { readonly code: number | null; readonly words: string } | null,
  began: boolean,
  secrets: readonly string[],
): Failure {
  const words = redact(exit?.words ?? '', secrets);
  if (began || exit?.code == null || exit.code === 0 || exit.code > 128)
    return streamCut(`claude ended ${words === '' ? '' : `: ${words}`}`.trim(), null);
  return ofProgram('claude ended before it answered: is it up to date? (claude update)', words);
}

/** It cannot be started at all. */
export function failureOfStart(error: unknown): Failure {
  return ofProgram('claude cannot be started', error instanceof Error ? error.message : String(error));
}

/** It is not as it must be for Houston's gates to hold. */
export function failureOfTools(tools: readonly string[]): Failure {
  return ofProgram(
    'claude offers the model tools of its own, which no gate of Houston sees: it was ended',
    tools.join(', '),
  );
}

export function failureOfOffer(): Failure {
  return ofProgram('claude did not take the tools of Houston: is it up to date? (claude update)', '');
}

function ofProgram(message: string, detail: string): Failure {
  return {
    category: 'request-rejected',
    message,
    status: null,
    requestId: null,
    detail: detail === '' ? null : detail,
    retryAfterMs: null,
    retryable: false,
    attempts: 1,
  };
}

function wordsOf({ result, errors }: CliMessage): string {
  if (typeof result === 'string') return result;
  return Array.isArray(errors) ? errors.filter((one) => typeof one === 'string').join('\n') : '';
}

function stringOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
