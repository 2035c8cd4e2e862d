export interface Terminal {
  readonly isInteractive: { readonly input: boolean; readonly output: boolean };
  size(): { columns: number; rows: number };
  /** One write, not buffered by us. */
  write(text: string): void;
  /** Raw mode on: no echo, no signals from keys, no flow control. */
  raw(on: boolean): void;
  onInput(listener: (bytes: Uint8Array) => void): () => void;
  onResize(listener: () => void): () => void;
  /** The process was asked to end or lost its terminal; the default action is taken over. */
  onSignal(listener: (name: 'TERM' | 'HUP' | 'INT' | 'CONT') => void): () => void;
  /** Stops this process the way a shell's Ctrl-Z does; returns after it was continued. */
  suspend(): Promise<void>;
}
