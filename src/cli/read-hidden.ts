import type { Terminal } from '../system/terminal.ts';

export interface HiddenInput {
  /** What a person is told they can do; empty where they can do nothing. */
  readonly hint: string;
  close(): void;
}

/** Lines from the terminal, never echoed. Without a terminal nothing is read. */
export function readHidden(
  terminal: Terminal,
  { onLine, onCancel }: { readonly onLine: (text: string) => void; readonly onCancel: () => void },
): HiddenInput {
  if (!terminal.isInteractive.input || !terminal.isInteractive.output) return { hint: '', close: () => {} };
  let typed = '';
  let open = true;
  const decoder = new TextDecoder();
  terminal.raw(true);
  const deaf = terminal.onInput((bytes) => {
    // Marks around a paste, where the terminal sends them, are no part of it.
    const text = decoder.decode(bytes, { stream: true }).replace(/\x1b\[20[01]~/g, '');
    for (const sign of text) {
      if (sign === '\x03') onCancel();
      else if (sign === '\r' || sign === '\n') {
        const line = typed.trim();
        typed = '';
        if (line !== '') onLine(line);
      } else if (sign === '\x7f') typed = typed.slice(0, -1);
      else if (sign >= ' ') typed += sign;
    }
  });
  return {
    hint: 'It comes back here by itself. Or paste where the browser ended and press Enter; Ctrl-C gives it up.\n',
    close: () => {
      if (!open) return;
      open = false;
      deaf();
      terminal.raw(false);
    },
  };
}
