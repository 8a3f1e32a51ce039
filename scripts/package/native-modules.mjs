/** Checks whether the two packages with native parts work here. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * @param {string} root  the folder of our package
 * @returns {string[]} the names of the packages that do not load
 */
export function unbuiltModules(root) {
  const require = createRequire(join(root, 'package.json'));
  /** @type {Readonly<Record<string, () => void>>} */
  const uses = {
    'better-sqlite3': () => new (require('better-sqlite3'))(':memory:').close(),
    'node-pty': () => require('node-pty'),
  };
  return Object.entries(uses).flatMap(([name, use]) => {
    try {
      use();
      return [];
    } catch {
      return [name];
    }
  });
}
