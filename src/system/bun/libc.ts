import { dlopen, type FFIFunction } from 'bun:ffi';

const LIBRARIES = ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`];

/** Functions of Linux's C library, glibc or musl; null where there is none, or it lacks one of them. */
export function loadLibc<Functions extends Record<string, FFIFunction>>(functions: Functions) {
  if (process.platform !== 'linux') return null;
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, functions).symbols;
    } catch {
      // The next name may be this system's.
    }
  }
  return null;
}
