/** Finds the program's own files: the built assets of the pages, and its package.json. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** `from` and every directory above it, up to the root. */
function upwards(from: string): readonly string[] {
  const parent = dirname(from);
  return parent === from ? [from] : [from, ...upwards(parent)];
}

/**
 * Returns the directory with the built `pages.css` and scripts of the pages. A program that runs from source also uses the built files. If
 * nothing was built, the returned directory may not exist.
 */
export function ownAssetsDirectory(): string {
  const places = upwards(here).map((base) => join(base, 'dist/web/assets'));
  return places.find((place) => existsSync(join(place, 'pages.css'))) ?? join(here, 'assets');
}

/** The version in our own package.json; `0.0.0` if the file is not found or has no version. */
export function ownVersion(): string {
  for (const base of upwards(here)) {
    const path = join(base, 'package.json');
    if (!existsSync(path)) continue;
    const { name, version } = JSON.parse(readFileSync(path, 'utf8')) as { name?: string; version?: string };
    if (name === 'ape-shell' && version !== undefined) return version;
  }
  return '0.0.0';
}
