/**
 * Makes a global installation smaller: removes the files that the two native packages have for other systems, and the leftovers of their
 * compilation. The files that `npm rebuild` needs after an upgrade of Node stay.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const SYSTEM = `${process.platform}-${process.arch}`;

/**
 * Changes only packages in our own node_modules, which no other package uses.
 *
 * @param {string} root  the folder of our package
 */
export function makeSmaller(root) {
  const sqlite = join(root, 'node_modules/better-sqlite3');
  const pty = join(root, 'node_modules/node-pty');
  keepOnly(join(sqlite, 'build/Release'), ['better_sqlite3.node']);
  keepOnly(join(pty, 'build/Release'), ['pty.node', 'spawn-helper']);
  keepOnly(join(pty, 'prebuilds'), [SYSTEM]);
  for (const name of ['third_party', 'deps']) rmSync(join(pty, name), { recursive: true, force: true });
}

/** @type {(folder: string, names: readonly string[]) => void} */
function keepOnly(folder, names) {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (!names.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
}
