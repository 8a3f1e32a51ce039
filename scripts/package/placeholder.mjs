/**
 * In a package, `dist/bin/ape-shell` and `dist/bin/apes` are shell scripts that print how to compile the package: npm links these two
 * files before it runs install scripts, and may run no install script at all. `install.mjs` replaces the two files with the compiled
 * programs.
 */
import { existsSync, renameSync } from 'node:fs';
import { place } from '../place-file.mjs';

const NAMES = ['ape-shell', 'apes'];
const PACKAGES = 'ape-shell better-sqlite3 node-pty';

/** The script. It prints one line, and exits with 78 (wrong configuration), so that no caller takes it for success. */
const TEXT = `#!/bin/sh
echo "\${0##*/}: nothing ran: npm held back the install scripts of this package, so it is not compiled; compile it: npm rebuild -g --ignore-scripts=false --allow-scripts=${PACKAGES.replaceAll(' ', ',')} ${PACKAGES}" >&2
exit 78
`;

/** Replaces the programs with the scripts. @param {string} bin  the folder of the compiled programs, which stay there under other names */
export function putPlaceholders(bin) {
  for (const name of NAMES) {
    renameSync(`${bin}/${name}`, kept(bin, name));
    place(`${bin}/${name}`, TEXT, 0o755);
  }
}

/** Puts the compiled programs back. @param {string} bin */
export function takePlaceholders(bin) {
  for (const name of NAMES) if (existsSync(kept(bin, name))) renameSync(kept(bin, name), `${bin}/${name}`);
}

/** @type {(bin: string, name: string) => string} */
const kept = (bin, name) => `${bin}/${name}.compiled`;
