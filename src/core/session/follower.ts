import type { Entry } from '../../protocol/entry.ts';

/** What is told of every entry, on whatever branch, and can go on from what it kept in an earlier run. */
export interface Follower {
  /** Under which what it keeps is found again. */
  readonly name: string;
  see(entry: Entry): void;
  save(): string;
  restore(saved: string): void;
}
