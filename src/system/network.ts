export interface Network {
  /** The one way out: vendors' SDKs are given this as their `fetch`. Honours proxies and certificate settings. */
  readonly fetch: typeof globalThis.fetch;
  /** Throws `SystemError`; `EADDRINUSE` when somebody listens there. The socket file is made private (0600). */
  listen(path: string, onConnection: (connection: Connection) => void): Promise<{ close(): Promise<void> }>;
  connect(path: string): Promise<Connection>;
}

/** A byte stream: a unix socket, or the input and output of a program. */
export interface Connection {
  /** False when the receiver is behind (`buffered` grows): wait for `onDrain`. */
  write(bytes: Uint8Array): boolean;
  readonly buffered: number;
  onData(listener: (bytes: Uint8Array) => void): void;
  onDrain(listener: () => void): void;
  onClose(listener: () => void): void;
  close(): void;
}
