/** The text about a granted command. It is made after the use of the grant, so it must not fail. */
import { chmodSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import type { Confinement } from '../../src/core/confinement/confinement.ts';
import { setIdWarning } from '../../src/run/granted-text.ts';

it('a program that cannot be examined is left out of the warning, and the next one is named', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ape-granted-text-'));
  try {
    const [loop, program] = [join(directory, 'loop'), join(directory, 'program')];
    symlinkSync('loop', loop);
    writeFileSync(program, '');
    const execute = [loop, join(loop, 'below'), join(directory, 'none'), 'a\0b', program];
    const confinement: Confinement = { level: 1, read: [], write: [], execute, connect: [], readOnly: [], tools: [] };
    expect(setIdWarning(confinement, '/bin', '/')).toBe('');
    chmodSync(program, 0o4755);
    expect(setIdWarning(confinement, '/bin', '/')).toContain(`${program} gets no rights of another user`);
  } finally {
    removeDirectory(directory);
  }
});
