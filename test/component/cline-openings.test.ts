/** What `apes hooks check cline` finds outside of the project. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { clineInstallation } from '../../src/harness/cline/installation.ts';

it('files in the places of the folders for hooks and plugins are no hooks and no plugins', async () => {
  const home = mkdtempSync(join(tmpdir(), 'ape-cline-'));
  try {
    mkdirSync(join(home, '.cline'));
    mkdirSync(join(home, 'Documents/Cline/Hooks'), { recursive: true });
    for (const name of ['.cline/hooks', '.cline/plugins', 'Documents/Cline/Hooks/PreToolUse.bash'])
      writeFileSync(join(home, name), '#!/bin/sh\n');
    const places = { scope: 'user', home, project: home, dist: '/x', shims: '/y', environment: new Map() } as const;
    expect(await clineInstallation.openings?.(places)).toEqual([
      `${join(home, 'Documents/Cline/Hooks/PreToolUse.bash')}: another hook before a tool: it can replace our command`,
    ]);
  } finally {
    removeDirectory(home);
  }
});
