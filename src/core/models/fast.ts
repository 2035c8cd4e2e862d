/** Models of OpenAI's own that are served faster for more money, where nobody says otherwise; the small ones are not. */
const OPENAI = /^gpt-(?:[5-9]|\d\d)(?![\w.-]*(?:mini|nano|luna))/;

/** Whether the service of a vendor's own model is known to answer faster for more money (FA-7). */
export function offersFast(vendor: string | null, model: string): boolean {
  return vendor === 'openai' && OPENAI.test(model);
}
