/** Reads arguments that determine the names of written files. */

import type { Word } from '../reading/reading.ts';
import { because } from '../reasons/reason.ts';
import { isAtOrBelow } from '../text/path.ts';
import { type CommandContext, type Earlier, NO_EFFECT } from './command-context.ts';
import { urlMeaning } from './host-meaning.ts';
import { pathOfText } from './known-path.ts';
import { type Meaning, opaqueMeaning } from './meaning.ts';
import type { Resource } from './permission.ts';

const written = (text: string, context: CommandContext, isExact: boolean): Resource => {
  const path = pathOfText(text, context, 'target');
  return { kind: 'path', access: 'write', ...path, isExact: path.isExact && isExact };
};

/**
 * Reads the URLs of wget. The name of a written file is the last part of the URL's path, or `index.html`. If a file NAME exists, wget
 * writes the first of `NAME.1`, `NAME.2` and so on that does not exist. In these cases, the result has the whole directory:
 * - the URL has a query or an unusual name
 * - another URL has the same name, or this name with a number
 * - it is not known which numbers are free (`firstFreeNumber`)
 */
export function readSavedUrls(words: readonly Word[], context: CommandContext): Meaning {
  const urls = words.map((word) => urlMeaning(word, 'contact'));
  const unclear = urls.find(({ opaque }) => opaque !== undefined);
  if (unclear !== undefined) return unclear;
  const names = words.map(savedName);
  const files = names.flatMap((name, at) => {
    const isAgain = names.some((other, place) => place !== at && isNumbered(other ?? '', name ?? ''));
    const free = name === null || isAgain ? null : firstFreeNumber(name, context);
    return free === null
      ? [written('.', context, false)]
      : [name, `${name}.${free}`].map((each) => written(each ?? '', context, true));
  });
  return { resources: [...urls.flatMap(({ resources }) => resources), ...files] };
}

/** Returns the name of the file that wget writes for the URL; null if the name is unknown or unusual. */
function savedName(word: Word): string | null {
  const text = word.kind === 'literal' ? word.value : '';
  const [, last] = /^(?:https?:\/\/)?[^/?#]+(?:\/(?:[^?#]*\/)?([^/?#]*))?$/i.exec(text) ?? [null, '?'];
  const name = last === undefined || last === '' ? 'index.html' : last;
  return /^[\w@+~][\w.@+~-]*$/.test(name) ? name : null;
}

/** Whether the text is the name, or the name with a number. */
const isNumbered = (text: string, name: string): boolean =>
  text === name || (text.startsWith(`${name}.`) && /^\d+$/.test(text.slice(name.length + 1)));

/**
 * Returns the first number from 1 on for which the working directory has no file `NAME.NUMBER`. Returns 1 if the working directory is not
 * known, or if files cannot be looked up (no `matchesOf`). Returns null if `matchesOf` does not know the files, or if an earlier command of
 * the line may make or remove such a file.
 */
function firstFreeNumber(name: string, context: CommandContext): number | null {
  const { cwd, matchesOf, resolvePath, earlier = NO_EFFECT } = context;
  if (cwd === null || matchesOf === undefined) return 1;
  const directory = resolvePath(cwd, 'target');
  const below = directory === '/' ? '/' : `${directory}/`;
  const mayChange = ({ path, isTree }: Earlier['changed'][number]): boolean =>
    isTree
      ? isAtOrBelow(directory, path) || path.startsWith(below)
      : path.startsWith(below) && isNumbered(path.slice(below.length), name);
  if (earlier.changed.some(mayChange)) return null;
  const pattern = [[{ kind: 'text', value: `${name}.` } as const, { kind: 'glob', source: '*' } as const]];
  const taken = matchesOf(directory, pattern);
  if (taken === null) return null;
  const names = new Set(taken.map((match) => match.name));
  let number = 1;
  while (names.has(`${name}.${number}`)) number++;
  return number;
}

/**
 * Reads the PREFIX of split(1). split appends letters or digits, which can complete a dangerous name: `.envr` becomes `.envrc`. So the
 * text after the last `/` must be empty, or a word that ends with `-` or `_`.
 */
export function readSplitPrefix(value: string, context: CommandContext): Meaning {
  const slash = value.lastIndexOf('/');
  if (!/^(?:\w[\w-]*[-_])?$/.test(value.slice(slash + 1))) return opaqueMeaning(because('completes-file-name', value));
  return { resources: [written(slash < 0 ? '.' : value.slice(0, slash + 1), context, false)] };
}
