/** Models that the call which starts a delegate may name; without any it may name whatever there is. */
export interface DelegateModels {
  readonly names: readonly string[];
  /** The project's file that has a say in it; null where only the person has. */
  readonly project: string | null;
}

export const ANY_MODEL: DelegateModels = { names: [], project: null };
