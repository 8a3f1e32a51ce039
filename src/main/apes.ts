/** `apes`: the control program. The verbs are loaded lazily; this file has only the start and the end. */
import { distDirectory } from '../platform/own-program.ts';
import { startedBy } from './started-by.ts';

const started = startedBy('apes');

void load();

async function load(): Promise<never> {
  // A variable, so that the bundler leaves it alone.
  const lazy = '../lazy/command-line.mjs';
  const { runCommandLine } = (await import(lazy)) as typeof import('./command-line.ts');
  return runCommandLine(started, distDirectory(__filename));
}
