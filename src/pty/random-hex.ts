/** Random bytes for the start of a shell. The first prompt waits for this code, and `node:crypto` would take 2 ms to load. */
import { closeSync, openSync, readSync } from 'node:fs';

/** Returns `length` random bytes in hexadecimal, from /dev/urandom (random(4)). Throws if /dev/urandom cannot be read. */
export function randomHex(length: number): string {
  const source = openSync('/dev/urandom', 'r');
  try {
    const bytes = Buffer.alloc(length);
    if (readSync(source, bytes) !== length) throw new Error('/dev/urandom gives too little');
    return bytes.toString('hex');
  } finally {
    closeSync(source);
  }
}
