/** Removes a scratch directory while programs may still write into it. */
import { rmSync } from 'node:fs';

const MAX_MS = 30_000;
const PAUSE_MS = 50;

/**
 * Removes the directory with all its files, in rounds. While one of our programs ends, it can still write a file into the directory.
 * `rmSync` lists the names only once, and fails at such a new file (ENOTEMPTY). The next round removes the file. Between two rounds, this
 * thread sleeps.
 *
 * @param {string} directory
 * @param {() => void} endPrograms is called before each round. A later call also ends programs that were still starting at an earlier call
 * @throws the error of the last round, after 30 s
 */
export function removeDirectory(directory, endPrograms = () => {}) {
  for (const end = Date.now() + MAX_MS; ; ) {
    try {
      endPrograms();
      rmSync(directory, { recursive: true, force: true });
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
