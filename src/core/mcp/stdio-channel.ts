import { createLineSplitter, encodeLine, parseLine } from '../../base/json-lines.ts';
import type { Child, Processes } from '../../system/processes.ts';
import { type Channel, type ChannelEvents, MOST_MESSAGE_BYTES } from './channel.ts';

export interface StdioParts {
  readonly processes: Pick<Processes, 'spawn'>;
  readonly argv: readonly string[];
  readonly folder: string;
  /** All it is given. */
  readonly environment: Readonly<Record<string, string>>;
  /** What it prints besides messages; how much of it is kept is decided there. */
  readonly log: (bytes: Uint8Array) => void;
  /** Ends it and everything it started. */
  readonly end: (child: Child) => Promise<unknown>;
}

/** So much of what is no message, and it is no server. */
const MOST_NOISE_BYTES = 4 * 1024 * 1024;

/**
 * A program that speaks on its standard streams, one message a line. What else it prints there is noise: it goes to the
 * log, and up to a bound it costs nothing. Throws `SystemError` when it cannot be started.
 */
export async function openStdioChannel(parts: StdioParts, events: ChannelEvents): Promise<Channel> {
  const splitter = createLineSplitter(MOST_MESSAGE_BYTES);
  let noise = 0;
  let over: string | null = null;
  let ending: Promise<unknown> | null = null;

  const end = (): Promise<unknown> => (ending ??= parts.end(child));
  const close = (why: string): void => {
    if (over !== null) return;
    over = why;
    events.onClosed(why);
    void end();
  };
  const takeNoise = (bytes: Uint8Array): void => {
    noise += bytes.length + 1;
    parts.log(bytes);
    if (noise > MOST_NOISE_BYTES) close('it printed megabytes that are no messages');
  };

  const child = await parts.processes.spawn({
    argv: parts.argv,
    folder: parts.folder,
    environment: parts.environment,
    input: 'pipe',
    output: 'pieces',
    onOutput: async (bytes, stream) => {
      if (over !== null) return;
      if (stream === 'err') return parts.log(bytes);
      for (const line of splitter.push(bytes)) {
        if (over !== null) return;
        if (line.tooLong) return close(`it sent a message of more than ${MOST_MESSAGE_BYTES / 1024 / 1024} MiB`);
        const parsed = parseLine(line.bytes);
        if (parsed.kind === 'value' && typeof parsed.value === 'object' && parsed.value !== null)
          await events.onMessage(parsed.value);
        else if (parsed.kind !== 'blank') takeNoise(line.bytes);
      }
    },
  });
  void child.exited.then(({ code, signal }) =>
    close(signal === null ? `it ended with exit ${code}` : `it ended by ${signal}`),
  );

  return {
    answersWhenSent: false,
    agreed: () => {},
    send: async (message) => {
      if (over !== null) throw new Error(over);
      await child.write(encodeLine(message));
    },
    close: async () => {
      over ??= 'it was ended';
      child.closeInput();
      await end();
    },
  };
}
