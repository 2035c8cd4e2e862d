import type { Shown } from '../../protocol/label.ts';
import { combineLabels, type Label } from '../../protocol/label.ts';
import { type Sealed, seal } from '../values/sealed.ts';
import { splitDocument } from './document-marker.ts';
import { opener } from './opener.ts';
import { readVerdict, type Verdict } from './verdict.ts';
import { makeVisible } from './visible-text.ts';

/**
 * The only ways kept-aside bytes leave their seal, each for one destination (SEC-16). Who calls one of them holds the
 * bytes for that destination and does nothing else with them.
 */

/** Text of sealed bytes: what is not UTF-8 is marked, never refused, so that reading it decides nothing. */
export function textOf(bytes: Sealed<Uint8Array>): Sealed<string> {
  return seal(new TextDecoder().decode(opener.open(bytes)), bytes.label);
}

/** The same without keys and secrets, which no request or record may hold. */
export function redacted(text: Sealed<string>, redact: (text: string) => string): Sealed<string> {
  return seal(redact(opener.open(text)), text.label);
}

/** Bytes of UTF-8. */
export function sizeOf(text: Sealed<string>): number {
  return Buffer.byteLength(opener.open(text));
}

/** One piece of a processor's input. */
export type ProcessorInput =
  | { readonly kind: 'text'; readonly name: string; readonly sealed: Sealed<string> }
  | {
      readonly kind: 'picture';
      readonly name: string;
      readonly mediaType: string;
      readonly sealed: Sealed<Uint8Array>;
    };

export type InputPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly base64: string; readonly name: string };

/** The named slots in their order as the parts of one message, and the label of whatever is made of them. */
export function processorInput(
  inputs: readonly ProcessorInput[],
  instruction: Label,
): { readonly parts: readonly InputPart[]; readonly label: Label } {
  const parts = inputs.map((input): InputPart => {
    if (input.kind === 'text') return { type: 'text', text: `[${input.name}]\n${opener.open(input.sealed)}` };
    const base64 = Buffer.from(opener.open(input.sealed)).toString('base64');
    return { type: 'image', mediaType: input.mediaType, base64, name: input.name };
  });
  return { parts, label: combineLabels([instruction, ...inputs.map(({ sealed }) => sealed.label)]) };
}

/** A processor's reply under the label computed before the call: what is for the person, and what may be written. */
export function takeReply(
  reply: string,
  label: Label,
): { readonly remark: Sealed<string>; readonly document: Sealed<string> | null } {
  const { remark, document } = splitDocument(reply);
  return { remark: seal(remark, label), document: document === null ? null : seal(document, label) };
}

/** For a check: the content as one JSON string literal on one line, so that nothing in it can begin a line (SEC-29). */
export function quoteForCheck(content: Sealed<string>): string {
  return JSON.stringify(opener.open(content)).replace(
    /[\u0085\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A check's reply: the word for the banner, the sentence for behind the margin. */
export function takeVerdict(reply: string, label: Label): { readonly verdict: Verdict; readonly sentence: Shown } {
  const { verdict, sentence } = readVerdict(reply);
  return { verdict, sentence: { text: makeVisible(sentence.slice(0, 500)).text, label } };
}

/** Lines for the person, behind the margin. At most `most`, and how many more there are. */
export function linesForPerson(
  text: Sealed<string>,
  most: number,
): { readonly lines: readonly Shown[]; readonly hidden: number } {
  const all = opener.open(text).split('\n');
  if (all.at(-1) === '') all.pop();
  const lines = all.slice(0, most).map((line): Shown => ({ text: makeVisible(line).text, label: text.label }));
  return { lines, hidden: all.length - lines.length };
}

/** What the person released, for the one result that shows it: trusted from now on, as private as it was (SEC-33). */
export function openReleased(text: Sealed<string>): string {
  return opener.open(text);
}
