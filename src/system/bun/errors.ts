import { SystemError } from '../files.ts';

/** Anything the platform threw, as a `SystemError` with an errno name. */
export function systemError(error: unknown, path: string | null): SystemError {
  if (error instanceof SystemError) return error;
  const { code, message } = error as { code?: unknown; message?: unknown };
  const text = typeof message === 'string' ? message : String(error);
  // The platform's own checks (a null byte in a path, say) have codes such as ERR_INVALID_ARG_VALUE.
  const name = typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : 'EINVAL';
  return new SystemError(name, text, path);
}

export function failure(code: string, what: string, path: string): SystemError {
  return new SystemError(code, `${code}: ${what}, '${path}'`, path);
}

export async function mapped<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw systemError(error, path);
  }
}

/** As `mapped`, with null where nothing is there. */
export async function nullWhenMissing<T>(path: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const failed = systemError(error, path);
    if (failed.code === 'ENOENT' || failed.code === 'ENOTDIR') return null;
    throw failed;
  }
}
