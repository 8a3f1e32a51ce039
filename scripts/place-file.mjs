/** Replaces a file in one step. */
import { chmodSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Writes a new file and renames it, because a running program cannot be overwritten, and a reader must not find half a file.
 *
 * @param {string} file
 * @param {string | Uint8Array} bytes
 */
export function place(file, bytes, mode = 0o644) {
  const fresh = `${file}.new-${process.pid}`;
  writeFileSync(fresh, bytes);
  chmodSync(fresh, mode);
  renameSync(fresh, file);
}
