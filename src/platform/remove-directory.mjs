/** Removes a scratch directory while programs may still write into it. */
import { rmSync } from 'node:fs';

const MAX_MS = 30_000;
const PAUSE_MS = 50;

/**
 * A scratch directory, with all that is in it. A program of ours that ends by itself may still write a last file there:
 * Node looks for names only once, so what came meanwhile (ENOTEMPTY) goes in the next round.
 *
 * @param {string} directory
 * @param {() => void} endPrograms is called before each round: the next round finds a program that was only starting
 * @throws what the last round met, after 30 s
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
