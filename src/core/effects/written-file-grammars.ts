/** Reads words that decide the names of the files that a tool writes. */
import type { Word } from '../reading/reading.ts';
import { because } from '../reasons/reason.ts';
import type { CommandContext } from './command-context.ts';
import { urlMeaning } from './host-meaning.ts';
import { pathOfText } from './known-path.ts';
import { type Meaning, opaqueMeaning } from './meaning.ts';
import type { Resource } from './permission.ts';

const written = (text: string, context: CommandContext, isExact: boolean): Resource => {
  const path = pathOfText(text, context, 'target');
  return { kind: 'path', access: 'write', ...path, isExact: path.isExact && isExact };
};

/**
 * Reads a URL for wget. wget names the file after the last part of the URL's path, or `index.html`. If that file exists, wget appends the
 * first free number: `NAME.1`, `NAME.2` and so on. If the URL has a query or an unusual name, the file may have any name in the working
 * directory. The same applies if the taken numbers are not known.
 */
export function readSavedUrl(word: Word, context: CommandContext): Meaning {
  const url = urlMeaning(word, 'contact');
  if (url.opaque !== undefined) return url;
  const text = word.kind === 'literal' ? word.value : '';
  const [, last] = /^(?:https?:\/\/)?[^/?#]+(?:\/(?:[^?#]*\/)?([^/?#]*))?$/i.exec(text) ?? [null, '?'];
  const name = last === undefined || last === '' ? 'index.html' : last;
  const free = /^[\w@+~][\w.@+~-]*$/.test(name) ? firstFreeNumber(name, context) : null;
  const files =
    free === null
      ? [written('.', context, false)]
      : [name, `${name}.${free}`].map((each) => written(each, context, true));
  return { ...url, resources: [...url.resources, ...files] };
}

/**
 * Returns the lowest number for which no file `NAME.NUMBER` exists in the working directory; null if the names there are not known.
 * Returns 1 if there is no lookup of names, or the working directory is not known.
 */
function firstFreeNumber(name: string, { cwd, matchesOf, resolvePath }: CommandContext): number | null {
  if (cwd === null || matchesOf === undefined) return 1;
  const pattern = [[{ kind: 'text', value: `${name}.` } as const, { kind: 'glob', source: '*' } as const]];
  const taken = matchesOf(resolvePath(cwd, 'target'), pattern);
  if (taken === null) return null;
  const names = new Set(taken.map((match) => match.name));
  let number = 1;
  while (names.has(`${name}.${number}`)) number++;
  return number;
}

/**
 * Reads the prefix for split. split appends letters or digits, which can make a dangerous name: `.envr` becomes `.envrc`. So the last
 * part of the prefix must be empty, or a word that ends with `-` or `_`.
 */
export function readSplitPrefix(value: string, context: CommandContext): Meaning {
  const slash = value.lastIndexOf('/');
  if (!/^(?:\w[\w-]*[-_])?$/.test(value.slice(slash + 1))) return opaqueMeaning(because('completes-file-name', value));
  return { resources: [written(slash < 0 ? '.' : value.slice(0, slash + 1), context, false)] };
}
