/** The completions of our programs where the shells of a prefix look for them. */
import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { place } from '../place-file.mjs';

/** Below a `share` folder: where it goes, and which of our files it is. bash looks for a file of the command's own name. */
const FILES = {
  'bash-completion/completions/apes': 'bash-completion/completions/apes',
  'bash-completion/completions/ape-shell': 'bash-completion/completions/apes',
  'zsh/site-functions/_apes': 'zsh/site-functions/_apes',
  'fish/vendor_completions.d/apes.fish': 'fish/vendor_completions.d/apes.fish',
};

/** Stands in the second or third line of each of our completions, and in no other's. */
const MARK = /^# Made by: apes completion /m;

/**
 * Files, and no links: npm runs no script when it removes a package, and a link to nothing makes zsh complain at every start.
 * No completion is worth a failed installation: what cannot be written is named and left.
 *
 * @param {string} ours   `dist/share`
 * @param {string} share  that of the prefix
 * @returns {string[]} what was left undone, and why
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
    return `no completion at ${to} (${error.code ?? error.message})`;
  }
}

/** A link belongs to its user, wherever it leads. */
function mayReplace(file) {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found === undefined || (found.isFile() && MARK.test(readFileSync(file, 'utf8').slice(0, 300)));
}
