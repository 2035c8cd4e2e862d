import type { WireConnection } from '../model.ts';

/** Most names worth listing. */
const MOST = 500;

/** `GET /models`, which every server of this kind has. Names go to the screen: odd ones are left out. */
export async function openAiNames(connection: WireConnection, signal: AbortSignal): Promise<readonly string[]> {
  const { key, headers, baseUrl } = connection;
  if (baseUrl === null) return [];
  try {
    const response = await connection.fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
      headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
      signal,
    });
    if (!response.ok) return [];
    const { data } = (await response.json()) as { readonly data?: unknown };
    if (!Array.isArray(data)) return [];
    const names = data.map((model) => (model as { readonly id?: unknown } | null)?.id);
    return names.filter((id): id is string => typeof id === 'string' && /^[\w.:/@+-]{1,128}$/.test(id)).slice(0, MOST);
  } catch {
    return [];
  }
}
