import { mergeRules, parseRule, type Rule, type Rules, type Verdict } from './rules.ts';

/** Rules of one verdict as they stand in one place. */
export interface WrittenRules {
  readonly source: string;
  readonly verdict: Verdict;
  /** `line`: 1-based; absent for what was not read from a file. */
  readonly entries: readonly { readonly text: string; readonly line?: number }[];
}

export interface UnreadableRule {
  readonly source: string;
  readonly line: number | null;
  readonly verdict: Verdict;
  readonly text: string;
}

/** Each rule keeps the place it was written in, which its anchors rest on. One that cannot be read costs itself only (RULE-8). */
export function readRules(
  lists: readonly WrittenRules[],
  readsStayInWorkspace: boolean,
): { readonly rules: Rules; readonly unreadable: readonly UnreadableRule[] } {
  const unreadable: UnreadableRule[] = [];
  const layers = lists.map(({ source, verdict, entries }): Rules => {
    const read = entries.flatMap(({ text, line }): Rule[] => {
      const rule = parseRule(text, source);
      if (rule === null) unreadable.push({ source, line: line ?? null, verdict, text });
      return rule === null ? [] : [rule];
    });
    return { deny: [], ask: [], allow: [], [verdict]: read };
  });
  return { rules: { ...mergeRules(layers), readsStayInWorkspace }, unreadable };
}
