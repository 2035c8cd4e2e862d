import { SystemError } from '../../system/files.ts';
import type { Recorder } from './runtime.ts';

/**
 * Runs a tool's code. What the system refused is for the model; any other error is a bug of the tool: the person is
 * told by a note, the model in one sentence, and the turn goes on.
 */
export async function guard<T>(
  recorder: Pick<Recorder, 'write'>,
  work: () => Promise<T>,
): Promise<{ ok: true; value: T } | { ok: false; message: string }> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof SystemError) return { ok: false, message: `${error.message} (${error.code})` };
    const text = error instanceof Error ? error.message : String(error);
    await recorder.write(
      [{ kind: 'note', level: 'error', identifier: 'tool-failed', text: `A tool of Houston's own failed: ${text}` }],
      { onFailure: 'keep' },
    );
    return { ok: false, message: 'This tool failed by a fault of its own. The person was told.' };
  }
}
