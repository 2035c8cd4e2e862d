import type { ClipboardContent } from './screen-event.ts';

export interface ClipboardParts {
  readonly run: (argv: readonly string[]) => Promise<{ readonly code: number | null; readonly out: Uint8Array }>;
  readonly environment: (name: string) => string | undefined;
  readonly mac: boolean;
}

/** What the system's clipboard holds, by the tools of the desktop; a picture beats text (ADD-5). */
export async function readClipboard(parts: ClipboardParts): Promise<ClipboardContent> {
  const { run } = parts;
  if (parts.mac) {
    const picture = await run(['osascript', '-e', 'the clipboard as «class PNGf»']);
    const hex = /PNGf([0-9A-F]+)/.exec(new TextDecoder().decode(picture.out))?.[1];
    if (picture.code === 0 && hex !== undefined) return image(fromHex(hex));
    return text(await run(['pbpaste']), 'pbpaste');
  }
  const wayland = (parts.environment('WAYLAND_DISPLAY') ?? '') !== '';
  if (wayland) {
    const types = await run(['wl-paste', '--list-types']);
    if (types.code === 0 && new TextDecoder().decode(types.out).includes('image/png')) {
      return image((await run(['wl-paste', '--type', 'image/png'])).out);
    }
    return text(await run(['wl-paste', '--no-newline']), 'wl-paste');
  }
  if ((parts.environment('DISPLAY') ?? '') === '')
    return { kind: 'none', why: 'No clipboard here: paste with your terminal’s own key' };
  const types = await run(['xclip', '-selection', 'clipboard', '-t', 'TARGETS', '-o']);
  if (types.code === 0 && new TextDecoder().decode(types.out).includes('image/png')) {
    return image((await run(['xclip', '-selection', 'clipboard', '-t', 'image/png', '-o'])).out);
  }
  return text(await run(['xclip', '-selection', 'clipboard', '-o']), 'xclip');
}

/** Whether the clipboard holds a picture, without reading it; false where that cannot be told (TERM-3). */
export async function holdsPicture({ run, environment, mac }: ClipboardParts): Promise<boolean> {
  const [argv, mark] = mac
    ? [['osascript', '-e', 'clipboard info'], 'PNGf']
    : (environment('WAYLAND_DISPLAY') ?? '') !== ''
      ? [['wl-paste', '--list-types'], 'image/png']
      : [['xclip', '-selection', 'clipboard', '-t', 'TARGETS', '-o'], 'image/png'];
  if (argv[0] === 'xclip' && (environment('DISPLAY') ?? '') === '') return false;
  const { code, out } = await run(argv);
  return code === 0 && new TextDecoder().decode(out).includes(mark);
}

function text(found: { readonly code: number | null; readonly out: Uint8Array }, tool: string): ClipboardContent {
  if (found.code === null) return { kind: 'none', why: `${tool} is not here: paste with your terminal’s own key` };
  const words = new TextDecoder().decode(found.out);
  return found.code !== 0 || words === ''
    ? { kind: 'none', why: 'The clipboard holds nothing to paste' }
    : { kind: 'text', text: words };
}

function image(bytes: Uint8Array): ClipboardContent {
  if (bytes.length === 0) return { kind: 'none', why: 'The picture in the clipboard could not be read' };
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return { kind: 'image', mediaType: 'image/png', base64: btoa(binary), bytes: bytes.length };
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length >> 1 }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );
}
