import type { Failure, FailureCategory } from '../../protocol/failure.ts';
import { limitLifted } from './usage-headers.ts';

/**
 * Everything a model service can answer instead of a reply, as one table. The category decides what Houston does, the
 * sentence is its own; what the service said is kept in `detail`, bounded and without keys, for whoever opens it.
 */
export interface ServiceProblem {
  readonly status: number | null;
  /** The service's own name for it, such as `overloaded_error`. */
  readonly type: string | null;
  /** The service's own words: looked at for a few known phrases, never shown in a row. */
  readonly text: string;
  readonly headers: Headers | null;
  readonly requestId: string | null;
  /** Milliseconds since the epoch, to read a `retry-after` that is a date. */
  readonly now: number;
  /** Keys that must not appear in the detail. */
  readonly secrets: readonly string[];
}

interface Rule {
  readonly category: FailureCategory;
  readonly message: string;
  readonly retryable: boolean;
  readonly status?: readonly number[];
  readonly types?: readonly string[];
  readonly text?: RegExp;
}

/** First match wins: phrases that mean the same whatever the status, then statuses and types, narrow before wide. */
const RULES: readonly Rule[] = [
  {
    category: 'context-too-long',
    message: 'The conversation is longer than this model can take',
    retryable: false,
    status: [400, 413, 422],
    text: /prompt is too long|context[ _-](?:length|window|limit|size)|maximum context|too many (?:input )?tokens|input (?:token count|length).*exceed/i,
  },
  {
    category: 'image-rejected',
    message: 'The service refused an image in the conversation',
    retryable: false,
    status: [400, 413, 422],
    text: /\bimages?\b/i,
  },
  {
    category: 'credential-refused',
    message: 'The service does not accept the key',
    retryable: false,
    status: [400],
    // Google answers a wrong key with 400.
    text: /API[ _]key (?:not valid|expired|not found)|API_KEY_INVALID/i,
  },
  {
    category: 'quota-exhausted',
    message: 'The account has no credit or quota left',
    retryable: false,
    status: [400, 402, 403],
    text: /credit balance|usage limits?|spend(?:ing)? limit|billing/i,
  },
  {
    category: 'quota-exhausted',
    message: 'The account has no credit or quota left',
    retryable: false,
    status: [429],
    text: /credit balance|insufficient[ _]quota/i,
  },
  {
    category: 'quota-exhausted',
    message: 'The account cannot be billed',
    retryable: false,
    status: [402],
    types: ['billing_error', 'insufficient_quota'],
  },
  {
    category: 'credential-refused',
    message: 'The service does not accept the key',
    retryable: false,
    status: [401],
    types: ['authentication_error', 'invalid_api_key', 'UNAUTHENTICATED'],
  },
  {
    category: 'credential-refused',
    message: 'The key is not allowed to use this model',
    retryable: false,
    status: [403],
    types: ['permission_error', 'PERMISSION_DENIED'],
  },
  {
    category: 'request-rejected',
    message: 'The service does not know this model or address',
    retryable: false,
    status: [404],
    types: ['not_found_error', 'model_not_found', 'NOT_FOUND'],
  },
  {
    category: 'context-too-long',
    message: 'The request is larger than the service takes',
    retryable: false,
    status: [413],
    types: ['request_too_large'],
  },
  {
    category: 'rate-limited',
    message: 'The usage limit of the account is reached',
    retryable: true,
    status: [429],
    text: /usage_limit_(?:reached|exceeded)/,
  },
  {
    category: 'rate-limited',
    message: 'The usage limit of the account is reached',
    retryable: true,
    types: ['usage_limit_reached', 'usage_limit_exceeded'],
  },
  {
    category: 'rate-limited',
    message: 'The service asks us to slow down',
    retryable: true,
    status: [429],
    types: ['rate_limit_error', 'rate_limit_exceeded', 'RESOURCE_EXHAUSTED'],
  },
  {
    category: 'overloaded',
    message: 'The service is overloaded',
    retryable: true,
    status: [503, 529],
    types: ['overloaded_error', 'server_overloaded', 'UNAVAILABLE'],
  },
  {
    category: 'server-error',
    message: 'The service failed to answer in time',
    retryable: true,
    status: [408, 504],
    types: ['timeout_error', 'DEADLINE_EXCEEDED'],
  },
  {
    category: 'server-error',
    message: 'The service had an error of its own',
    retryable: true,
    types: ['api_error', 'server_error', 'INTERNAL'],
  },
  {
    category: 'request-rejected',
    message: 'The service rejected the request',
    retryable: false,
    types: ['invalid_request_error', 'invalid_prompt', 'INVALID_ARGUMENT', 'FAILED_PRECONDITION'],
  },
];

/** What a service answered, as a failure. `attempts` is 1: whoever retries counts. */
export function failureOfService(problem: ServiceProblem): Failure {
  const rule = RULES.find((candidate) => matches(candidate, problem)) ?? wideRule(problem.status);
  // The service's own verdict on trying again outranks the table, except where a rule knows better why not.
  const hint = problem.headers?.get('x-should-retry');
  const retryable = hint === 'false' ? false : rule.retryable;
  const status = problem.status === null ? '' : ` (${problem.status})`;
  return {
    category: rule.category,
    message: `${rule.message}${status}`,
    status: problem.status,
    requestId: problem.requestId,
    detail: detailOf(problem),
    retryAfterMs:
      (problem.headers ? retryAfter(problem.headers, problem.now) : null) ??
      retryDelay(problem.text) ??
      resetIn(problem.text, problem.now) ??
      (problem.headers && rule.category === 'rate-limited' ? limitLifted(problem.headers, problem.now) : null),
    retryable,
    attempts: 1,
  };
}

/** Types that say the request itself is at fault; services that name none leave it to their words. */
const ABOUT_REQUEST: ReadonlySet<string> = new Set([
  'invalid_request_error',
  'invalid_prompt',
  'context_length_exceeded',
  'image_parse_error',
  'INVALID_ARGUMENT',
]);

function matches(rule: Rule, problem: ServiceProblem): boolean {
  const byStatus = problem.status !== null && rule.status?.includes(problem.status) === true;
  // Mid-stream there is no status any more: the type says whether a phrase is about the request.
  const aboutRequest =
    byStatus || (problem.status === null && (problem.type === null || ABOUT_REQUEST.has(problem.type)));
  if (rule.text) return aboutRequest && rule.text.test(problem.text);
  return (
    byStatus || (problem.type !== null && rule.types?.includes(problem.type) === true && !hasOwnStatus(problem.status))
  );
}

/** A status that says clearly what happened outranks a type that a proxy may have copied from elsewhere. */
function hasOwnStatus(status: number | null): boolean {
  return status !== null && status !== 400 && status !== 500;
}

function wideRule(status: number | null): Rule {
  if (status !== null && status >= 400 && status < 500) {
    return {
      category: 'request-rejected',
      message: 'The service rejected the request',
      retryable: status === 409 || status === 425,
    };
  }
  return { category: 'server-error', message: 'The service had an error of its own', retryable: true };
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|ERR_TLS|certificate/i;
const NAME_UNKNOWN = /ENOTFOUND|EAI_AGAIN|DNS|getaddrinfo/i;

/** A connection that could not be made, or broke before the first byte of an answer. `address`: what was asked, if known. */
export function failureOfNetwork(error: unknown, secrets: readonly string[], address: string | null = null): Failure {
  const account = accountOf(error);
  const host = hostOf(address);
  const certificate = CERTIFICATE.test(account);
  const message = certificate
    ? `The service${host} shows a certificate that is not trusted here`
    : NAME_UNKNOWN.test(account)
      ? `The address of the service${host} cannot be found`
      : `The service${host} cannot be reached`;
  return {
    category: 'unreachable',
    message,
    status: null,
    requestId: null,
    detail: redact(account, secrets),
    retryAfterMs: null,
    retryable: !certificate,
    attempts: 1,
  };
}

/** ` at host:port`: an address may hold a user and a password, which nobody should read. */
function hostOf(address: string | null): string {
  const url = address === null ? null : URL.parse(address);
  return url === null || url.host === '' ? '' : ` at ${url.host}`;
}

/** A reply that stopped before its end: never a finished one, whatever had come. */
export function streamCut(why: string, requestId: string | null): Failure {
  return made('stream-cut', 'The reply was cut off', why, requestId, true);
}

export function stalled(ms: number, requestId: string | null): Failure {
  const seconds = Math.round(ms / 1000);
  return made('stalled', `The service has been silent for ${seconds} s`, null, requestId, true);
}

export function emptyReply(requestId: string | null): Failure {
  return made('empty-reply', 'The model answered with nothing', null, requestId, true);
}

/** The model meant to call a tool and wrote something that is no call. */
export function unreadableCall(why: string, requestId: string | null): Failure {
  return made('empty-reply', 'The model wrote a call that cannot be read', why, requestId, true);
}

/** A bug of ours, or something no rule foresaw. */
export function internalFailure(error: unknown, secrets: readonly string[]): Failure {
  return made('internal', 'Houston failed while it spoke to the model', redact(accountOf(error), secrets), null, false);
}

function made(
  category: FailureCategory,
  message: string,
  detail: string | null,
  requestId: string | null,
  retryable: boolean,
): Failure {
  return { category, message, status: null, requestId, detail, retryAfterMs: null, retryable, attempts: 1 };
}

/** Milliseconds asked for, by `retry-after-ms` or `retry-after` (seconds or a date); null when neither can be read. */
export function retryAfter(headers: Headers, now: number): number | null {
  const exact = headers.get('retry-after-ms');
  if (exact !== null && /^\d+(\.\d+)?$/.test(exact.trim())) return Math.ceil(Number(exact));
  const given = headers.get('retry-after')?.trim();
  if (!given) return null;
  if (/^\d+(\.\d+)?$/.test(given)) return Math.ceil(Number(given) * 1000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Google says in the body how long to wait: `"retryDelay": "34.07s"`. */
function retryDelay(text: string): number | null {
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(text)?.[1];
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1000);
}

/** A subscription says in the body when its limit is lifted: `"resets_in_seconds": 3600` or `"resets_at": 1764530000`. */
function resetIn(text: string, now: number): number | null {
  const seconds = /"resets_in_seconds"\s*:\s*(\d{1,9})\b/.exec(text)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1000;
  const at = /"resets_at"\s*:\s*(\d{9,11})\b/.exec(text)?.[1];
  return at === undefined ? null : Math.max(0, Number(at) * 1000 - now);
}

const DETAIL_LIMIT = 4096;

function detailOf(problem: ServiceProblem): string | null {
  const lines = [
    problem.status === null ? null : `status ${problem.status}`,
    problem.requestId === null ? null : `request ${problem.requestId}`,
    problem.text === '' ? null : redact(problem.text, problem.secrets),
  ];
  const detail = lines.filter((line) => line !== null).join('\n');
  return detail === '' ? null : detail;
}

const KEY_SHAPES = /\b(?:sk|pk|key)-[A-Za-z0-9_-]{12,}|\bBearer\s+[A-Za-z0-9._~+/=-]{8,}|\bAIza[A-Za-z0-9_-]{20,}/g;

/** Text without keys (the given ones, and anything shaped like one), bounded and well-formed. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '[key]');
  clean = clean.replace(KEY_SHAPES, '[key]');
  if (clean.length > DETAIL_LIMIT) clean = `${clean.slice(0, DETAIL_LIMIT)}…`;
  return clean.toWellFormed();
}

/** An error with its causes, outermost first: runtimes hide the interesting code two levels down. */
function accountOf(error: unknown): string {
  const lines: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 4 && current !== undefined && current !== null; depth++) {
    if (!(current instanceof Error)) {
      lines.push(String(current));
      break;
    }
    const code = (current as Error & { code?: unknown }).code;
    lines.push(typeof code === 'string' ? `${code}: ${current.message}` : current.message);
    current = current.cause;
  }
  return lines.join('\n');
}
