import type { Json } from '../../../base/json.ts';
import { done, type Outcome, refuse } from '../../../base/refusal.ts';
import type { NewProvider } from '../../../protocol/provider.ts';
import { KEY_SHAPES } from '../../values/key-shapes.ts';

/** What the settings will say of it. */
export interface ReadProvider {
  readonly id: string;
  readonly setting: { readonly [key: string]: Json };
}

/**
 * A form as typed, read. Refuses with `provider-unfitting`, naming the field; what was typed is not repeated, since a key
 * may have been pasted by mistake (PC-8).
 */
export function readNewProvider(form: NewProvider, api: string): Outcome<ReadProvider> {
  const label = form.label.trim();
  const baseUrl = form.baseUrl.trim().replace(/\/+$/, '');
  const apiKeyEnv = form.apiKeyEnv.trim();
  const catalogue = form.catalogue.trim();
  const id = idOf(label);
  if (id === '') return unfitting('Label: give it a name with a letter or a digit');
  if (/\p{C}/u.test(label) || label.length > 80) return unfitting('Label: one line of at most 80 characters');
  if (!URL.canParse(baseUrl) || !/^https?:\/\//i.test(baseUrl))
    return unfitting('Base URL: an address that begins with http:// or https://');
  const { username, password, search, hash } = new URL(baseUrl);
  if (username !== '' || password !== '' || search !== '' || hash !== '')
    return unfitting('Base URL: without a name, a password or anything after the path');
  const isKey = KEY_SHAPES.some(({ shape }) => new RegExp(shape.source).test(apiKeyEnv));
  if (apiKeyEnv !== '' && (isKey || !/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(apiKeyEnv)))
    return unfitting('Key variable: the name of an environment variable, such as MY_KEY; the key itself is never kept');
  if (catalogue !== '' && !/^[\w.-]{1,64}$/.test(catalogue))
    return unfitting('models.dev provider: a name such as openai');
  return done({
    id,
    setting: {
      label,
      api,
      baseUrl,
      ...(apiKeyEnv === '' ? {} : { apiKeyEnv }),
      ...(catalogue === '' ? {} : { catalogue }),
    },
  });
}

/** `My Box 2` is `my-box-2`. */
export function idOf(label: string): string {
  return label
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 40);
}

function unfitting(message: string): ReturnType<typeof refuse> {
  return refuse('provider-unfitting', message);
}
