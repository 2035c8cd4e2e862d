import type { Json, JsonObject } from '../../base/json.ts';

/** Names the entry that holds whom the person talks with in this session. */
export const PRIMARY_AGENT = 'primary-agent';

/** A session's own choice: `name` null is the explicit None. */
export interface ChosenAgent {
  readonly name: string | null;
  /** A model or effort was chosen since: it counts before the profile's. */
  readonly overruled: boolean;
}

export function readChosen(data: Json): ChosenAgent | null {
  const name = (data as JsonObject | null)?.name;
  return name === null || typeof name === 'string' ? { name, overruled: false } : null;
}
