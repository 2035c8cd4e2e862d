import type { IntentValue, Sent } from '../../protocol/intent.ts';

export function accepted(value: IntentValue = null): Sent {
  return { accepted: true, value };
}

export function refused(identifier: string, message: string): Sent {
  return { accepted: false, refusal: { identifier, message } };
}
