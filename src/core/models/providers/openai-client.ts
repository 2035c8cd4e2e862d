import type { OpenAI } from 'openai/client';
import type { Failure } from '../../../protocol/failure.ts';
import { failureOfNetwork, failureOfService, type ServiceProblem } from '../failures.ts';
import type { ImageLimits, WireConnection } from '../model.ts';
import { secretsOf } from './connection-secrets.ts';
import { withHeadersOf } from './own-headers.ts';

/** The SDK's client takes about a tenth of a second to load, so it is loaded for the first request or by `warm`. */
export function loadOpenAi(): Promise<typeof import('openai/client')> {
  return import('openai/client');
}

/** The service takes more; beyond this nothing more is seen, and every request carries it again. */
export const OPENAI_IMAGES: ImageLimits = {
  side: 8_000,
  base64: 16 * 1024 * 1024,
  types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  shrinkTo: 2_048,
  many: null,
};

/** The SDK gives up on a request after this; our own watch over silence is far shorter. */
const LONGEST_REQUEST_MS = 3_600_000;

/** The vendor's client for both of its wires: it makes the request, signs it and reads errors; streams are read by us. */
export class OpenAiClient {
  readonly #connection: WireConnection;
  readonly #address: string;
  #client: Promise<OpenAI> | null = null;

  /** `address`: where the service is when the connection names none. */
  constructor(connection: WireConnection, address: string) {
    this.#connection = connection;
    this.#address = address;
  }

  get secrets(): readonly string[] {
    return secretsOf(this.#connection);
  }

  get clock(): WireConnection['clock'] {
    return this.#connection.clock;
  }

  /** Resolves to what the service answered; a problem it had with the request is a failure, with its words in `said`. */
  async post(path: string, body: object, signal: AbortSignal): Promise<Response | RefusedRequest> {
    const client = await this.#open();
    try {
      return await client.post(path, { body, stream: true, signal, timeout: LONGEST_REQUEST_MS }).asResponse();
    } catch (error) {
      const problem = this.#problemOf(error);
      return problem === null
        ? { failure: failureOfNetwork(error, this.secrets, this.#connection.baseUrl ?? this.#address), said: '' }
        : { failure: failureOfService(problem), said: problem.text };
    }
  }

  /** An error that came as an event, `{code, message}` or wrapped in `error`. */
  failureOfEvent(error: unknown, requestId: string | null): Failure {
    return failureOfService({
      status: null,
      type: typeOf(error),
      text: JSON.stringify(error),
      headers: null,
      requestId,
      now: this.#connection.clock.now(),
      secrets: this.secrets,
    });
  }

  #open(): Promise<OpenAI> {
    this.#client ??= loadOpenAi().then(({ OpenAI }) => {
      const { key, baseUrl } = this.#connection;
      return new OpenAI({
        // All given, also where there is none: otherwise the SDK would look into the environment on its own.
        apiKey: key ?? 'none',
        adminAPIKey: null,
        organization: null,
        project: null,
        webhookSecret: null,
        baseURL: baseUrl ?? this.#address,
        fetch: withHeadersOf(this.#connection, key === null ? {} : { authorization: `Bearer ${key}` }),
        maxRetries: 0,
        logLevel: 'off',
      });
    });
    return this.#client;
  }

  /** Reads the SDK's error by its shape; null for one that never got an answer. */
  #problemOf(error: unknown): ServiceProblem | null {
    const { status, error: answer, headers, message } = error as Readonly<Record<string, unknown>>;
    if (typeof status !== 'number') return null;
    const given = headers instanceof Headers ? headers : null;
    return {
      status,
      type: typeOf(answer),
      text: answer === undefined || answer === null ? String(message ?? '') : JSON.stringify(answer),
      headers: given,
      requestId: given?.get('x-request-id') ?? null,
      now: this.#connection.clock.now(),
      secrets: this.secrets,
    };
  }
}

export interface RefusedRequest {
  readonly failure: Failure;
  /** The service's own words, to find out what it does not take. */
  readonly said: string;
}

/** The narrower of the two names an error has: `{type: 'requests', code: 'rate_limit_exceeded'}`. */
function typeOf(error: unknown): string | null {
  const { code, type, error: inner } = (error ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof inner === 'object' && inner !== null) return typeOf(inner);
  if (typeof code === 'string' && code !== '') return code;
  return typeof type === 'string' ? type : null;
}
