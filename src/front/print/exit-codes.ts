/**
 * Exit codes of one-shot runs (decisions §3): 0 ok, 1 turn failed or other, 2 bad argument, 3 bad configuration, 4 a gate
 * refused an effect, 5 model service unreachable, 130 interrupted.
 */
const CODES: Readonly<Record<string, number>> = {
  'no-model': 3,
  'no-credential': 3,
  'credential-refused': 3,
  'unknown-provider': 3,
  'unknown-model': 3,
  'settings-unreadable': 3,
  'mcp-failed': 3,
  'agent-broken': 3,
  'empty-prompt': 2,
  'effect-refused': 4,
  unreachable: 5,
  stalled: 5,
  'stream-cut': 5,
  interrupted: 130,
  'turn-stopped': 130,
};

export function exitCodeOf(identifier: string): number {
  return CODES[identifier] ?? 1;
}
