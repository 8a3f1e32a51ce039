/**
 * Substitutions whose output is one number and nothing else: `$(nproc)`, `$(id -u)`. Unquoted, such a word is exactly one word, and no
 * option. What splits words (IFS) is another matter: a line that sets it is opaque, and a grant binds it.
 */
const ONE_NUMBER = /^\$\((?:nproc|id (?:-u|-g|--user|--group))\)$/;

export const isNumberSubstitution = (source: string): boolean => ONE_NUMBER.test(source);
