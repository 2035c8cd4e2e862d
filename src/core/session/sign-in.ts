import { type Refusal, refuse } from '../../base/refusal.ts';
import type { Intent, Sent } from '../../protocol/intent.ts';
import type { ModelRef } from '../../protocol/message.ts';
import type { SignIn, SignInStage } from '../../protocol/provider.ts';
import { modelRefText } from '../models/model-ref.ts';
import type { Waiting } from '../runtime/inbox.ts';
import type { SessionParts } from './parts.ts';
import { accepted, refused } from './sent.ts';
import type { SignInDesk } from './sign-in-desk.ts';
import type { CommandEnd } from './turn-loop.ts';

export function refusesSignIn({ signIn, canAsk }: SessionParts, argument: string): Refusal | null {
  if (signIn.connections === null) return { identifier: 'not-here', message: 'Providers cannot be connected here.' };
  if (!canAsk) return { identifier: 'nobody-there', message: 'Nobody is there to sign in: houston login does.' };
  return argument === '' ? { identifier: 'argument-missing', message: 'Which provider? /login NAME' } : null;
}

/**
 * `/login NAME` in its turn: the session is busy until the person came back from the browser or gave it up, so that what
 * is said meanwhile waits (SC-38.5). A cancelled one ends quietly (SC-38.3).
 */
export async function carryOutSignIn(
  parts: SessionParts,
  provider: string,
  signal: AbortSignal,
  row: Waiting,
): Promise<CommandEnd> {
  const { signIn: desk, publisher, system } = parts;
  const found = (await desk.connections?.find(provider)) ?? null;
  if (found === null) return failed({ identifier: 'unknown-provider', message: `There is no provider ${provider}.` });
  if (found.way !== 'sign-in')
    return failed({ identifier: 'no-sign-in', message: `${found.label} has no sign-in: /login ${found.id} says how.` });
  const unchosen = standsIn(parts);
  const given = new AbortController();
  const { client, ref } = row;
  const show = (stage: SignInStage | null): void => {
    const about = { client, ref, provider: found.id, label: found.label };
    const signIn: SignIn | null = stage === null ? null : { ...about, ...stage };
    publisher.publish({ type: 'sign-in', signIn });
  };
  const running: NonNullable<SignInDesk['running']> = { ref, cancel: () => given.abort(), take: null };
  desk.running = running;
  publisher.publish({
    type: 'activity',
    activity: {
      phase: 'waiting',
      turn: null,
      since: system.clock.now(),
      detail: `Signing in to ${found.label}`,
      retry: null,
    },
  });
  try {
    const outcome = await desk.connections!.signIn(found.id, {
      signal: AbortSignal.any([signal, given.signal]),
      onStage: show,
      onPaste: (take) => {
        running.take = take;
      },
    });
    if (!outcome.ok) {
      if (outcome.refusal.identifier === 'sign-in-cancelled') return { state: 'stopped', messages: [] };
      return failed(outcome.refusal);
    }
    parts.usage.accountChanged();
    const now = unchosen ? await adoptUsual(parts) : null;
    const text = `${found.label}: ${outcome.value}${now === null ? '' : `, now on ${modelRefText(now)}`}`;
    return { state: 'done', messages: [{ level: 'info', identifier: 'signed-in', text }] };
  } finally {
    desk.running = null;
    show(null);
  }
}

/** `/logout [NAME]` in its turn; nothing of it can be cancelled. */
export async function carryOutSignOut({ signIn, usage }: SessionParts, provider: string): Promise<CommandEnd> {
  const outcome = await signIn.connections!.signOut(provider === '' ? null : provider);
  if (!outcome.ok) return failed(outcome.refusal);
  usage.accountChanged();
  return { state: 'done', messages: [{ level: 'info', identifier: 'signed-out', text: outcome.value }] };
}

/** The address the browser ended at, or giving it up; what is being saved goes on. */
export function answerSignIn(
  { signIn: { running } }: SessionParts,
  { ref, redirect }: Extract<Intent, { type: 'sign-in' }>,
): Sent {
  if (running === null || running.ref !== ref) return refused('no-sign-in', 'This sign-in is over.');
  if (redirect === null) {
    running.cancel();
    return accepted();
  }
  const taken = running.take?.(redirect) ?? refuse('no-sign-in', 'This sign-in is over.');
  return taken.ok ? accepted() : { accepted: false, refusal: taken.refusal };
}

/** Answered once the settings are written, and the provider's models can be chosen. */
export async function connectProvider(
  parts: SessionParts,
  { provider, replace }: Extract<Intent, { type: 'connect-provider' }>,
): Promise<Sent> {
  const { connections } = parts.signIn;
  if (connections === null) return refused('not-here', 'Providers cannot be connected here.');
  const unchosen = standsIn(parts);
  const saved = await connections.save(provider, replace);
  if (!saved.ok) return { accepted: false, refusal: saved.refusal };
  if (unchosen && parts.loop.running === null) {
    await adoptUsual(parts);
    parts.loop.wake();
  }
  return accepted();
}

/** Whether there is no model, or one that only stands in because nothing was configured. */
function standsIn({ model, models, canAsk }: SessionParts): boolean {
  if (model.model === null) return true;
  const usual = models.configured({ explicit: null, session: null, interactive: canAsk });
  return usual.ok && usual.value.from === 'demo' && modelRefText(usual.value.ref) === modelRefText(model.model.ref);
}

/** What was asked for at the start, or what the new credential gives: what waited for a model goes on (decisions §10.7). */
async function adoptUsual({ model, models, signIn }: SessionParts): Promise<ModelRef | null> {
  const { explicit, session } = signIn.wanted;
  const asked = model.model === null ? { explicit, session } : { explicit: null, session: null };
  const choice = models.configured({ ...asked, interactive: false });
  if (!choice.ok) return null;
  const refusal = await model.choose(choice.value.ref, null, false);
  return refusal === null ? choice.value.ref : null;
}

function failed({ identifier, message }: Refusal): CommandEnd {
  return { state: 'failed', messages: [{ level: 'error', identifier, text: message }] };
}
