/** Puts the completions of our programs into the folders of an npm prefix in which shells look for them. */
import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { place } from '../place-file.mjs';

/** For each path below the prefix's `share` folder, our file for it. bash looks for a file with the name of the command. */
const FILES = {
  'bash-completion/completions/apes': 'bash-completion/completions/apes',
  'bash-completion/completions/ape-shell': 'bash-completion/completions/apes',
  'zsh/site-functions/_apes': 'zsh/site-functions/_apes',
  'fish/vendor_completions.d/apes.fish': 'fish/vendor_completions.d/apes.fish',
};

/** Matches a line near the top of each of our completions, which no completion of others has. */
const MARK = /^# Made by: apes completion /m;

/**
 * Copies files instead of making links: npm runs no script when it removes a package, and zsh prints an error at every start about a
 * link whose target is gone. A completion that cannot be written does not make the installation fail.
 *
 * @param {string} ours   `dist/share`
 * @param {string} share  the `share` folder of the prefix
 * @returns {string[]} a line for each completion that was not written, with the reason
 */
export function putCompletions(ours, share) {
  return Object.entries(FILES).flatMap(([to, from]) => putOne(join(ours, from), join(share, to)) ?? []);
}

/** @type {(from: string, to: string) => string | null} */
function putOne(from, to) {
  try {
    if (!mayReplace(to)) return `${to} is not ours and was left as it is`;
    mkdirSync(dirname(to), { recursive: true });
    place(to, readFileSync(from));
    return null;
  } catch (error) {
    return `no completion at ${to} (${whyOf(error)})`;
  }
}

/** Returns the code of an error of the file system, or the message of any other error. @type {(error: unknown) => string} */
const whyOf = (error) =>
  error instanceof Error ? ('code' in error ? String(error.code) : error.message) : String(error);

/** Whether the file is missing or ours. A link counts as the user's, whatever its target is. @param {string} file */
function mayReplace(file) {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found === undefined || (found.isFile() && MARK.test(readFileSync(file, 'utf8').slice(0, 300)));
}
