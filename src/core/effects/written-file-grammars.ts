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
 * Reads a URL for wget. wget writes a file with the name of the last part of the URL's path, or `index.html`. If that file exists, wget
 * makes a new file with a number behind the name. Only the first such name (`NAME.1`) is a resource here. For the further ones, the rule
 * file has a sentence for the approver. With a query or an unusual name in the URL, the file may have any name.
 */
export function readSavedUrl(word: Word, context: CommandContext): Meaning {
  const url = urlMeaning(word, 'contact');
  if (url.opaque !== undefined) return url;
  const text = word.kind === 'literal' ? word.value : '';
  const [, last] = /^(?:https?:\/\/)?[^/?#]+(?:\/(?:[^?#]*\/)?([^/?#]*))?$/i.exec(text) ?? [null, '?'];
  const name = last === undefined || last === '' ? 'index.html' : last;
  const names = /^[\w@+~][\w.@+~-]*$/.test(name) ? [name, `${name}.1`] : null;
  const files = names === null ? [written('.', context, false)] : names.map((name) => written(name, context, true));
  return { ...url, resources: [...url.resources, ...files] };
}

/**
 * Reads the prefix for split. split appends letters or digits to the prefix. They can complete a dangerous name: `.envr` becomes `.envrc`.
 * So the last part of the prefix must be empty, or a word that ends with `-` or `_`.
 */
export function readSplitPrefix(value: string, context: CommandContext): Meaning {
  const slash = value.lastIndexOf('/');
  if (!/^(?:\w[\w-]*[-_])?$/.test(value.slice(slash + 1))) return opaqueMeaning(because('completes-file-name', value));
  return { resources: [written(slash < 0 ? '.' : value.slice(0, slash + 1), context, false)] };
}
