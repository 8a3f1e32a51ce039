/** `apes`: the control program. This file receives the call from the launcher, then loads the code of the verbs. */
import { distDirectory } from '../platform/own-program.ts';
import { startedBy } from './started-by.ts';

const started = startedBy('apes', () => 'a part of the work may already be done');

void load();

async function load(): Promise<never> {
  // The path is in a variable, so that the bundler does not include the file.
  const lazy = '../lazy/command-line.mjs';
  const { runCommandLine } = (await import(lazy)) as typeof import('./command-line.ts');
  return runCommandLine(started, distDirectory(__filename));
}
