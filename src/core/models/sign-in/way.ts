import type { Outcome } from '../../../base/refusal.ts';
import type { SignInStage } from '../../../protocol/provider.ts';

/** A sign-in under way, as whoever shows it sees it. */
export interface SignInAttempt {
  /** Cancels it, as long as nothing is being saved. */
  readonly signal: AbortSignal;
  readonly onStage: (stage: SignInStage) => void;
  /** Called once with what takes the address a person pastes. Refuses with `redirect-unfitting`; the attempt goes on then. */
  readonly onPaste: (take: (address: string) => Outcome<null>) => void;
}
