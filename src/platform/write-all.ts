/** Writes text to a descriptor now, without the start-up cost of a stream. */
import { writeSync } from 'node:fs';
import { errorCode } from './private-files.ts';

/**
 * Writes all of the text, and waits for a slow reader. If a write is impossible (a closed pipe, a full disk), gives up without an error.
 */
export function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
