/** All scripts of the pages together, compressed as they are served, have less than 40 kB, because a phone has to load them before a card can be used. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const MAX_BYTES = 40_000;
const SCRIPTS = ['pages.js', 'passkeys.js', 'notifications.js', 'service-worker-push.js', 'service-worker-pages.js'];

test('the compressed scripts of the pages have less than 40 kB', () => {
  const sizes = SCRIPTS.map((name) => {
    const file = fileURLToPath(new URL(`../../dist/web/assets/${name}`, import.meta.url));
    return gzipSync(readFileSync(file)).length;
  });
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
});
