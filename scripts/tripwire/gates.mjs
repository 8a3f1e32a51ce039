/** The ways a harness comes to our shell. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIST } from './installation.mjs';

export const GATE_SHELL = join(DIST, 'bin/ape-shell');

/** A directory whose `bash` is ours, for harnesses that look bash up in PATH. */
export function pathShim(home) {
  const directory = join(home, 'shim');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'bash'), `#!/bin/sh\nexec '${GATE_SHELL}' "$@"\n`, { mode: 0o755 });
  return directory;
}
