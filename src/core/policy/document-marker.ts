/**
 * How a processor hands over a document: its remark to the person, this line, then the document to the end (SEC-24). One
 * of the three places where untrusted text is examined (SEC-19); all that whoever wrote it can gain is a cut elsewhere in
 * text that is theirs anyway.
 */
export const DOCUMENT_MARKER = '<<<DOCUMENT>>>';

export interface Split {
  readonly remark: string;
  /** Null without a marker: then there is nothing that could be written. */
  readonly document: string | null;
}

/** Splits at the first line that is the marker and nothing else. */
export function splitDocument(reply: string): Split {
  const found = /^<<<DOCUMENT>>>[ \t]*(?:\r?\n|$)/m.exec(reply);
  if (found === null) return { remark: reply.trim(), document: null };
  return { remark: reply.slice(0, found.index).trim(), document: reply.slice(found.index + found[0].length) };
}
