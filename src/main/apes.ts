/** `apes`: the control program. This file receives the call from the launcher, then loads the code of the verbs. */
import { join } from 'node:path';
import { loadBuilt } from '../platform/built-file.ts';
import { distDirectory } from '../platform/own-program.ts';
import { startedBy } from './started-by.ts';

const started = startedBy('apes', () => 'a part of the work may already be done');

void load();

async function load(): Promise<never> {
  const { runCommandLine } = loadBuilt<typeof import('./command-line.ts')>(
    join(__dirname, '..', 'lazy'),
    'command-line',
  );
  return runCommandLine(started, distDirectory(__filename));
}
