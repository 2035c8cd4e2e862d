export interface Network {
  /** The one way out: vendors' SDKs are given this as their `fetch`. Honours proxies and certificate settings. */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Throws `SystemError`; `EADDRINUSE` when anything is there, be it a socket nobody listens on any more. The socket file is
   * private (0600) from the start. Closing ends every accepted connection and removes the file.
   */
  listen(path: string, onConnection: (connection: Connection) => void): Promise<{ close(): Promise<void> }>;
  connect(path: string): Promise<Connection>;
  /**
   * Answers HTTP on 127.0.0.1 alone; port 0: any that is free. Throws `SystemError` (`EADDRINUSE`). Closing takes nothing
   * new at once, and resolves when answers on their way are out.
   */
  answerLoopback(
    port: number,
    answer: (request: Request) => Response | Promise<Response>,
  ): Promise<{ readonly port: number; close(): Promise<void> }>;
}

/** A byte stream: a unix socket, or the input and output of a program. */
export interface Connection {
  /** False when the receiver is behind (`buffered` grows): wait for `onDrain`. */
  write(bytes: Uint8Array): boolean;
  readonly buffered: number;
  /** Until there is a listener, what comes is kept. */
  onData(listener: (bytes: Uint8Array) => void): void;
  onDrain(listener: () => void): void;
  /** Nothing more is handed on until `resume`, and the sender in time finds no room: for whoever cannot take it yet. */
  pause(): void;
  resume(): void;
  onClose(listener: () => void): void;
  /** What was written before still goes out. */
  close(): void;
}
