import type { Model, ModelEvent, ModelRequest } from '../model.ts';

/** A model of whoever signed in: where the service does not take the sign-in any more, the failure says what to do. */
export function withSignInAdvice(model: Model, provider: string): Model {
  const { ref, facts } = model;
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    for await (const event of model.stream(request, signal)) yield advised(event, provider);
  }
  return { ref, facts, stream };
}

function advised(event: ModelEvent, provider: string): ModelEvent {
  if (event.type !== 'end' || event.result.outcome !== 'failed') return event;
  const { failure } = event.result;
  if (failure.category !== 'credential-refused') return event;
  const message = `The sign-in is not accepted: sign in again with /login ${provider}`;
  return { ...event, result: { outcome: 'failed', failure: { ...failure, message } } };
}
