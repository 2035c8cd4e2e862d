import type { Failure } from '../../../protocol/failure.ts';
import type { Model, ModelEvent, ModelRequest } from '../model.ts';

/** A model of whoever signed in: where the service does not take the sign-in any more, the failure says what to do. */
export function withSignInAdvice(model: Model, provider: string): Model {
  return withAdvice(model, () => `The sign-in is not accepted: sign in again with /login ${provider}`);
}

/** A model asked with a key: where the service does not take it, the failure says which one it was. */
export function withKeyAdvice(model: Model, variable: string): Model {
  return withAdvice(model, ({ status, message }) =>
    // One that is taken, but may not use this model, is a matter of its own.
    status === 403
      ? message
      : `The service does not accept the key in ${variable}${status === null ? '' : ` (${status})`}`,
  );
}

function withAdvice(model: Model, advice: (failure: Failure) => string): Model {
  const { ref, facts } = model;
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    for await (const event of model.stream(request, signal)) yield advised(event, advice);
  }
  return { ref, facts, stream, ready: (request) => model.ready?.(request) };
}

function advised(event: ModelEvent, advice: (failure: Failure) => string): ModelEvent {
  if (event.type !== 'end' || event.result.outcome !== 'failed') return event;
  const { failure } = event.result;
  if (failure.category !== 'credential-refused') return event;
  return { ...event, result: { outcome: 'failed', failure: { ...failure, message: advice(failure) } } };
}
