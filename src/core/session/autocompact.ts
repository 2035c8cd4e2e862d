import type { Json } from '../../base/json.ts';
import type { Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import { type CompactionWish, compactionBudget, LEAST_CAP, parseTokens } from '../runtime/compact-budget.ts';
import { inThousands } from '../runtime/context-size.ts';
import type { SessionParts } from './parts.ts';
import { accepted, refused } from './sent.ts';

/** Names the entry that holds this session's choice. */
export const AUTOCOMPACT = 'autocompact';

export function readWish(data: Json): CompactionWish | null {
  const { automatic, cap } = (data ?? {}) as { readonly automatic?: Json; readonly cap?: Json };
  if (typeof automatic !== 'boolean') return null;
  return { automatic, cap: typeof cap === 'number' ? cap : null };
}

/**
 * `/autocompact on|off|TOKENS|auto`: a cap switches it on, `auto` takes the cap away and switches nothing, `off` keeps the
 * cap for later. Every form answers with the state it left (SC-14.4).
 */
export async function chooseAutocompact(parts: SessionParts, argument: string, client: ClientId): Promise<Sent> {
  const { autocompact, recorder, publisher, model } = parts;
  const facts = model.model?.facts;
  if (facts === undefined) return refused('no-model', 'There is no model yet: choose one with /model.');
  const wish = wishOf(argument, autocompact.wish);
  if (wish === null)
    return refused(
      'argument-unknown',
      `/autocompact takes on, off, auto, or a number of tokens from ${inThousands(LEAST_CAP)}, such as 200k.`,
    );
  const switchesOn = argument !== '' && !/^(off|auto)$/i.test(argument);
  if (switchesOn && facts.contextWindow === null)
    return refused(
      'window-unknown',
      'Nobody says how much this model can hold: set contextWindow in the settings first.',
    );
  let unsaved = '';
  if (argument !== '') {
    autocompact.wish = wish;
    await recorder.write([{ kind: 'record', name: AUTOCOMPACT, data: { automatic: wish.automatic, cap: wish.cap } }], {
      onFailure: 'keep',
    });
    model.show();
    if (!(await parts.saveDefaults({ autocompact: wish.automatic, autocompactTokens: wish.cap })))
      unsaved = ' It could not be saved as the default: the choice applies only here.';
  }
  const budget = compactionBudget(facts, wish);
  const level = unsaved === '' ? 'info' : 'warning';
  publisher.publish({ type: 'flash', client, level, text: `${stateText(wish, budget)}${unsaved} ${FORMS}` });
  return accepted();
}

const FORMS = '/autocompact on, off, auto, or a number of tokens such as 200k.';

function wishOf(argument: string, now: CompactionWish): CompactionWish | null {
  switch (argument.toLowerCase()) {
    case '':
      return now;
    case 'on':
      return { ...now, automatic: true };
    case 'off':
      return { ...now, automatic: false };
    case 'auto':
      return { ...now, cap: null };
    default: {
      const cap = parseTokens(argument);
      return cap === null ? null : { automatic: true, cap };
    }
  }
}

function stateText({ automatic, cap }: CompactionWish, budget: number | null): string {
  if (!automatic) return 'Automatic compaction is off.';
  if (budget === null) return 'Automatic compaction is on, but nobody says how much this model can hold.';
  return cap === null
    ? `Automatic compaction is on with an automatic threshold, now ${inThousands(budget)} tokens.`
    : `Automatic compaction is on at ${inThousands(cap)} tokens.`;
}
