/** Reads the formats in which git shows commits and refs. Some placeholders make git run the program for signatures (`gpg.program`). */
import type { Word } from '../reading/reading.ts';
import type { CommandContext } from './command-context.ts';
import { type Meaning, NOTHING } from './meaning.ts';

const SIGNATURE: Meaning = {
  resources: [],
  risk: 'medium',
  does: 'May run the program that the settings name for signatures.',
};

/** The names of git's own formats. Settings cannot give them another meaning. */
const OWN: ReadonlySet<string> = new Set('oneline short medium full fuller reference email mboxrd raw'.split(' '));

/**
 * Reads the value of `--pretty`, git-log(1). `%G?`, `%GS` and other `%G…` run the program for signatures. A name that is not one of git's
 * own names means a format in the settings. Such a format may contain `%G…`.
 */
export function readGitFormat(word: Word): Meaning {
  if (word.kind !== 'literal' || /%[-+ ]?G/.test(word.value)) return SIGNATURE;
  const isText = word.value === '' || /^t?format:/.test(word.value) || word.value.includes('%');
  return isText || OWN.has(word.value) ? NOTHING : SIGNATURE;
}

/** Reads the value of `--format` (`%(signature:grade)`) or `--sort` (`-signature`) of a command that lists refs, git-for-each-ref(1). */
export const readGitRefFormat = (word: Word): Meaning =>
  word.kind !== 'literal' || /(?:^-?|%\()(?:version:|v:)?\*?signature/.test(word.value) ? SIGNATURE : NOTHING;

/** The operations that list branches or tags in the order of `branch.sort` or `tag.sort`. */
const SORTED: ReadonlySet<string> = new Set(['git branch', 'git branch list', 'git tag', 'git tag list']);

/** Returns the meaning of the settings that sort branches and tags. Returns `NOTHING` if the context has no `hasHooks`. */
export function meaningOfSort(operation: string, { cwd, hasHooks, resolvePath }: CommandContext): Meaning {
  if (hasHooks === undefined || !SORTED.has(operation)) return NOTHING;
  return cwd === null || hasHooks(resolvePath(cwd, 'target'), 'sort') ? SIGNATURE : NOTHING;
}
