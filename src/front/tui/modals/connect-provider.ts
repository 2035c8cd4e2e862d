import { type NewProvider, NO_PROVIDER, type ProviderRow, type SignIn } from '../../../protocol/provider.ts';

/** "Connect Provider" (PC-1..PC-18). How far a sign-in is stands in the View; this is what the person does with it. */
export interface ConnectProviderModal {
  readonly kind: 'connect-provider';
  /** Null until the session told which there are. */
  readonly rows: readonly ProviderRow[] | null;
  /** As typed after `/login`: opened as soon as the rows are here (PC-15). */
  readonly wanted: string;
  readonly cursor: number;
  readonly step: ConnectStep;
}

export type ConnectStep =
  | { readonly at: 'list' }
  | { readonly at: 'guidance' }
  /** From the command being sent to its end; `row` is its place in line, null until it was taken. */
  | {
      readonly at: 'sign-in';
      readonly ref: string;
      readonly row: string | null;
      readonly focus: SignInFocus;
      readonly redirect: string;
      readonly problem: string | null;
    }
  | { readonly at: 'form'; readonly form: NewProvider; readonly focus: number; readonly problem: string | null }
  | { readonly at: 'replace'; readonly form: NewProvider; readonly text: string }
  /** The settings are being written: nothing can be called off, and no key does anything (PC-14). */
  | { readonly at: 'saving'; readonly form: NewProvider; readonly replace: boolean }
  | { readonly at: 'done'; readonly text: string }
  /** `form`: what was to be saved; null for a sign-in. */
  | { readonly at: 'failed'; readonly text: string; readonly form: NewProvider | null; readonly replace: boolean };

export type SignInFocus = 'open' | 'copy' | 'redirect';

export const SIGN_IN_FOCI: readonly SignInFocus[] = ['open', 'copy', 'redirect'];

export interface FormField {
  readonly name: keyof NewProvider;
  readonly label: string;
  /** Said while it is empty. */
  readonly hint: string;
}

export const FORM_FIELDS: readonly FormField[] = [
  { name: 'label', label: 'Label', hint: 'what it is called here' },
  { name: 'baseUrl', label: 'Base URL', hint: 'https://…/v1' },
  { name: 'apiKeyEnv', label: 'Key variable', hint: 'its name, never the key; empty for none' },
  { name: 'catalogue', label: 'models.dev provider', hint: 'empty: the label' },
];

export function connectModal(wanted: string): ConnectProviderModal {
  return { kind: 'connect-provider', rows: null, wanted, cursor: 0, step: { at: 'list' } };
}

export function rowOf({ rows, cursor }: ConnectProviderModal): ProviderRow | null {
  return rows?.[cursor] ?? null;
}

export function newForm(row: ProviderRow | null): ConnectStep {
  return { at: 'form', form: row?.form ?? NO_PROVIDER, focus: 0, problem: null };
}

export function newSignIn(ref: string): ConnectStep {
  return { at: 'sign-in', ref, row: null, focus: 'open', redirect: '', problem: null };
}

/** The sign-in this dialog shows; null before it began and once it is over. */
export function shownSignIn(modal: ConnectProviderModal, signIn: SignIn | null): SignIn | null {
  return modal.step.at === 'sign-in' && signIn?.ref === modal.step.ref ? signIn : null;
}
