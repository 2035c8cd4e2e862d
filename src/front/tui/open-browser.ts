import type { ClipboardParts } from './clipboard.ts';

/** Opens an address in the person's browser, by the desktop's own programs; false where none did. */
export async function openBrowser({ run, mac }: Pick<ClipboardParts, 'run' | 'mac'>, url: string): Promise<boolean> {
  // It came from the session: anything but a page of the web would be a command.
  if (!/^https?:\/\/[!-~]+$/.test(url)) return false;
  for (const program of mac ? ['open'] : ['xdg-open', 'wslview']) {
    const { code } = await run([program, url]);
    if (code === 0) return true;
  }
  return false;
}
