import type { QuotaWindow } from '../../protocol/usage.ts';
import type { Accounts } from './sign-in/accounts.ts';
import type { AuthFile } from './sign-in/auth-file.ts';
import { percent, windowName } from './usage-headers.ts';
import type { QuotaAccount } from './usage-watch.ts';

/** The provider whose account it is. */
const CODEX = 'openai-codex';
const MOST_BYTES = 256 * 1024;

/** The allowance of a ChatGPT account, asked for where the account is served, signed like any of its requests. */
export function codexAccount(
  auth: Pick<AuthFile, 'load' | 'record'>,
  accounts: Pick<Accounts, 'signed'>,
): QuotaAccount {
  return {
    label: 'Codex',
    service: 'OpenAI Codex',
    account: async () => {
      const loaded = await auth.load();
      const record = loaded.ok ? auth.record(CODEX) : null;
      return record?.type === 'oauth' ? record.account : null;
    },
    ask: async (signal) => {
      const signed = await accounts.signed(CODEX);
      if (!signed.ok) return null;
      const { fetch: send, api } = signed.value;
      const response = await send(usageAddress(api), { signal });
      if (!response.ok || Number(response.headers.get('content-length') ?? 0) > MOST_BYTES) return null;
      return readUsage(await response.json());
    },
  };
}

/** `…/backend-api/codex` is beside `…/backend-api/wham/usage`. */
function usageAddress(api: string): string {
  return `${api.replace(/\/codex\/?$/, '')}/wham/usage`;
}

/** Windows are told apart by their length alone: which one comes first is another on every plan. */
export function readUsage(answer: unknown): { plan: string | null; windows: QuotaWindow[] } | null {
  if (!isRecord(answer)) return null;
  const { plan_type: plan, rate_limit: limit } = answer;
  const windows = !isRecord(limit)
    ? []
    : (['primary_window', 'secondary_window'] as const).flatMap((which): QuotaWindow[] => {
        const window = limit[which];
        if (!isRecord(window) || typeof window.used_percent !== 'number') return [];
        const { limit_window_seconds: seconds, reset_at: at } = window;
        return [
          {
            name: windowName(typeof seconds === 'number' ? seconds : 0, which.replace('_window', '')),
            used: percent(window.used_percent),
            resetsAt: typeof at === 'number' && at > 0 ? at * 1000 : null,
          },
        ];
      });
  return { plan: typeof plan === 'string' && /^[\w-]{1,40}$/.test(plan) ? plan : null, windows };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
