/** Installs our hooks for a harness under test, and names our shell and the directory of our shims. */
import { join } from 'node:path';
import { NotSeen } from './case-errors.mjs';
import { DIST } from './installation.mjs';
import { runProgram } from './processes.mjs';

export const GATE_SHELL = join(DIST, 'bin/ape-shell');

/**
 * Runs `apes hooks install NAME --user` with this HOME. Sets `installation.installed`, so that a case can change the installed files.
 * Throws `NotSeen` if the command fails.
 * @param {string} name
 * @param {{ home: string, work: string, installation: import('./installation.mjs').TrialInstallation, env?: Record<string, string> }} place
 */
export async function installUserHooks(name, { home, work, installation, env: more }) {
  const env = { HOME: home, PATH: installation.path, ...installation.variables, ...more };
  const words = ['hooks', 'install', name, '--user', '--json'];
  const done = await runProgram(join(DIST, 'bin/apes'), words, { cwd: work, env, timeoutMs: 30_000 });
  if (done.status !== 0) throw new NotSeen(`apes ${words.join(' ')}: ${done.err.trim()}`);
  installation.installed = { name, env, files: JSON.parse(done.out).data.files.map(({ path }) => path) };
}

/** Returns the directory in which `bash` is a link to ape-shell. For some harnesses, `apes hooks install` makes this directory. */
export const shimOf = (installation) => join(installation.apesHome, 'ape-shell-shims');
