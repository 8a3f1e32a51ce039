/**
 * In a package, `dist/bin/ape-shell` and `dist/bin/apes` are shell scripts that say what to do: npm links these files before any
 * install script has run, and may not run those scripts at all. `install.mjs` replaces them with the compiled programs.
 */
import { existsSync, renameSync } from 'node:fs';
import { place } from '../place-file.mjs';

const NAMES = ['ape-shell', 'apes'];
const PACKAGES = 'ape-shell better-sqlite3 node-pty';

/** Prints one line, and ends with the status for a wrong configuration, so that no caller takes it for success. */
const TEXT = `#!/bin/sh
echo "\${0##*/}: nothing ran: npm held back the install scripts of this package, so it is not compiled; compile it: npm rebuild -g --ignore-scripts=false --allow-scripts=${PACKAGES.replaceAll(' ', ',')} ${PACKAGES}" >&2
exit 78
`;

/** @param {string} bin  the folder of the compiled programs, which stay beside the texts */
export function putPlaceholders(bin) {
  for (const name of NAMES) {
    renameSync(`${bin}/${name}`, kept(bin, name));
    place(`${bin}/${name}`, TEXT, 0o755);
  }
}

/** @param {string} bin */
export function takePlaceholders(bin) {
  for (const name of NAMES) if (existsSync(kept(bin, name))) renameSync(kept(bin, name), `${bin}/${name}`);
}

/** @type {(bin: string, name: string) => string} */
const kept = (bin, name) => `${bin}/${name}.compiled`;
