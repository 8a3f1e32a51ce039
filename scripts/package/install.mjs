/**
 * npm calls this script after it has installed the package. The script compiles the programs for this machine and this node, and
 * puts the completions in place. (`prepare` compiles a checkout.) It may use no development package, because none is installed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildNative } from '../build-native.mjs';
import { compileAll } from '../compile-cache.mjs';
import { place } from '../place-file.mjs';
import { putCompletions } from './completions.mjs';
import { unbuiltModules } from './native-modules.mjs';
import { makeSmaller } from './smaller.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
process.chdir(root);
const isCheckout = existsSync('src');
const { npm_config_prefix: prefix } = process.env;
const isGlobal = process.env.npm_config_global === 'true';

/** Ends with status 1, after which npm undoes the installation. @param {string} text */
function refuse(text) {
  console.error(`ape-shell: ${text}`);
  process.exit(1);
}

function compileHere() {
  const unbuilt = unbuiltModules(root);
  if (unbuilt.length > 0)
    refuse(
      `${unbuilt.join(' and ')} did not get compiled (npm did not run the install script, or the compiler failed, see above); allow all three: npm install -g --allow-scripts=ape-shell,better-sqlite3,node-pty PACKAGE`,
    );
  const buildId = readFileSync('dist/built', 'utf8').trim();
  try {
    buildNative({ out: 'dist', buildId, isSanitized: false });
    // One program under two names; the program checks its own name.
    place('dist/bin/apes', readFileSync('dist/bin/ape-shell'), 0o755);
  } catch (error) {
    refuse(`${error instanceof Error ? error.message : error}; nothing was installed`);
  }
  compileAll(join(root, 'dist'));
  makeSmaller(root);
}

if (!isCheckout) compileHere();
if (isGlobal && prefix && existsSync('dist/share'))
  for (const each of putCompletions('dist/share', join(prefix, 'share'))) console.warn(`ape-shell: ${each}`);
