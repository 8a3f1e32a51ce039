/** The ways a harness comes to our shell. */
import { join } from 'node:path';
import { DIST } from './installation.mjs';
import { runProgram } from './processes.mjs';
import { NotSeen } from './what-is-seen.mjs';

export const GATE_SHELL = join(DIST, 'bin/ape-shell');

/**
 * `apes hooks install NAME --user`, as a user of this HOME. What it wrote is noted with the installation, for the cases that tamper
 * with it.
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

/** Where that put a `bash` of ours, for the harnesses it does so. */
export const shimOf = (installation) => join(installation.apesHome, 'ape-shell-shims');
