import { peek, text, toolArguments } from './arguments.ts';
import { readAddress } from './egress.ts';
import description from './fetch-url.md' with { type: 'text' };
import { argumentsLabel, wrongArguments } from './planning.ts';
import type { Tool } from './tool.ts';

interface Planned {
  readonly host: string;
}

const given = toolArguments({ url: text('The whole address, such as `https://example.org/page`.') });

export const fetchUrl: Tool<Planned> = {
  name: 'fetch_url',
  description,
  input: given.schema,
  routing: ['url'],
  order: 'alone',
  title: (input) => `Fetch ${peek(input, 'url') || 'an address'}`,

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const address = readAddress(read.value.url);
    if ('complaint' in address) return { ok: false, message: `This is not fetched: ${address.complaint}.` };
    const { url } = address;
    return {
      ok: true,
      title: `Fetch ${url.href}`,
      // The host as the parser reads it, whatever the address looks like.
      effects: [{ kind: 'network', url: url.href, host: url.host, label: argumentsLabel(context) }],
      diffs: [],
      planned: { host: url.host },
    };
  },

  async run({ host }, world) {
    const fetched = await world.fetchPage();
    if (!fetched.ok)
      return { ok: false, kind: 'error', message: `Nothing was fetched from ${host}: ${fetched.message}.` };
    const { bytes, mediaType } = fetched;
    const form = formOf(mediaType, bytes);
    return {
      ok: true,
      text: form === 'text' ? new TextDecoder().decode(bytes) : `[${mediaType}, ${bytes.length} bytes]`,
      aside: { form, mediaType, bytes },
      provenance: { from: 'network', host },
      display: { kind: 'none' },
    };
  },
};

const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** By what the server called it, and whether there is a zero byte: only how the slot is carried, never what is done. */
function formOf(mediaType: string, bytes: Uint8Array): 'text' | 'picture' | 'binary' {
  if (PICTURES.has(mediaType)) return 'picture';
  return bytes.subarray(0, 8192).includes(0) ? 'binary' : 'text';
}
