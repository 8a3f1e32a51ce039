/** The identity of a directory that cannot be examined is no proof that the directory is the same. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkHeldPlaceUnchanged, checkPlaceUnchanged, identityOf } from '../../src/platform/place-identity.ts';

it('a place that cannot be examined counts as replaced, and a place without a file as unchanged', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ape-place-'));
  try {
    const loop = join(directory, 'loop');
    symlinkSync('loop', loop);
    expect(checkPlaceUnchanged(loop, identityOf(loop))).toMatchObject({ message: expect.stringContaining('replaced') });
    expect(checkHeldPlaceUnchanged(identityOf(loop), loop)).not.toBeNull();
    const none = join(directory, 'none');
    expect(checkPlaceUnchanged(none, identityOf(none))).toBeNull();
    expect(checkPlaceUnchanged(directory, identityOf(directory))).toBeNull();
    expect(checkPlaceUnchanged(directory, identityOf(none))).not.toBeNull();
  } finally {
    rmSync(directory, { recursive: true });
  }
});
