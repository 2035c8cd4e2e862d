/** What a check found; `inconclusive` is every answer that is not exactly one of the two words (SEC-29). */
export type Verdict = 'safe' | 'unsafe' | 'inconclusive';

/** The first line is the verdict, the rest a sentence for the person alone. One of three places that read untrusted text (SEC-19). */
export function readVerdict(reply: string): { readonly verdict: Verdict; readonly sentence: string } {
  const [first = '', ...rest] = reply.trim().split(/\r?\n/);
  const verdict = first === 'safe' || first === 'unsafe' ? first : 'inconclusive';
  return { verdict, sentence: (verdict === 'inconclusive' ? reply : rest.join('\n')).trim() };
}
