/** Installs real agents in exact versions from the npm registry. Each has a directory of its own, which later runs use again. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from '../../src/certify/processes.mjs';

/** A folder below the user's cache directory (XDG Base Directory Specification). */
export const DEFAULT_AGENTS = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ape-shell-tripwire');
const INSTALL_MS = 900_000;
/** A Node for agents that need a newer Node than the one that runs this script. */
export const NODE_24 = { name: 'node24', package: 'node', version: '24.21.0' };

/**
 * @param {string} agents the directory with the agents
 * @param {{ name: string, folder?: string, package: string, version: string, integrity?: string, runsNoScripts?: boolean }} wanted
 *   `integrity`: of the package's tarball, from the registry; `runsNoScripts`: the agent works without its install scripts
 * @param {boolean} mayDiffer whether to use another version, if one is already installed
 * @param {string} [node] the Node for npm and the agent's install scripts, if the present one is too old
 * @returns {Promise<{ directory: string, version: string, isPinned: boolean }>} the directory that has node_modules
 * @throws with one line if it cannot be installed
 */
export async function bringAgent(
  agents,
  { name, folder = name, package: packageName, version, integrity, runsNoScripts },
  mayDiffer = false,
  node = undefined,
) {
  const directory = join(agents, folder);
  const found = versionIn(directory, packageName);
  if (found === null || (found !== version && !mayDiffer)) {
    mkdirSync(directory, { recursive: true });
    if (!existsSync(join(directory, 'package.json')))
      writeFileSync(join(directory, 'package.json'), '{"private":true}\n');
    const words = ['install', '--save-exact', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
    if (runsNoScripts) words.push('--ignore-scripts');
    const path = node === undefined ? process.env.PATH : `${dirname(node)}:${process.env.PATH}`;
    const env = { ...process.env, PATH: path, npm_config_engine_strict: 'false' };
    const done = await runProgram('npm', [...words, `${packageName}@${version}`], {
      cwd: directory,
      env,
      timeoutMs: INSTALL_MS,
    });
    if (done.status !== 0) throw new Error(`npm cannot fetch ${packageName}@${version}: ${causeIn(done.err)}`);
  }
  const got = versionIn(directory, packageName);
  if (got === null) throw new Error(`${packageName}@${version} was installed and is not there`);
  if (got === version && integrity !== undefined) checkIntegrity(directory, packageName, integrity);
  return { directory, version: got, isPinned: got === version };
}

/**
 * Returns the line of npm's output that has the cause of a failure. Other lines have the paths of npm's log, the script, the directory
 * and the command.
 * @param {string} text
 */
function causeIn(text) {
  const lines = text.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim());
  const said = lines.filter(
    (line) => line !== '' && !/^(A complete log|code |path |command |errno |signal )/.test(line),
  );
  const cause = said.find((line) => /require|error|cannot|not /i.test(line)) ?? said[0];
  return cause ?? 'npm does not say why';
}

/**
 * Returns the directory of an agent if exactly the wanted version is installed, else null.
 * @param {string} agents
 * @param {{ name: string, package: string, version: string }} wanted
 */
export function findAgent(agents, { name, package: packageName, version }) {
  const directory = join(agents, name);
  return versionIn(directory, packageName) === version ? directory : null;
}

/**
 * Returns the version of an installed agent, or null.
 * @type {(agents: string, wanted: { name: string, folder?: string, package: string }) => string | null}
 */
export const installedVersion = (agents, { name, folder = name, package: packageName }) =>
  versionIn(join(agents, folder), packageName);

/** @type {(directory: string, packageName: string) => string | null} */
function versionIn(directory, packageName) {
  try {
    return JSON.parse(readFileSync(join(directory, 'node_modules', packageName, 'package.json'), 'utf8')).version;
  } catch {
    return null;
  }
}

/**
 * Throws if the integrity in npm's lock file is not the wanted one.
 * @type {(directory: string, packageName: string, wanted: string) => void}
 */
function checkIntegrity(directory, packageName, wanted) {
  const lock = JSON.parse(readFileSync(join(directory, 'package-lock.json'), 'utf8'));
  const got = lock.packages?.[`node_modules/${packageName}`]?.integrity;
  if (got !== wanted) throw new Error(`${packageName}: integrity is ${got}, and ${wanted} was expected`);
}
