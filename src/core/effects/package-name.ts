/** Reads words that name a package. Package managers read some words as a path, an archive or a repository instead. */
import type { Word } from '../reading/reading.ts';
import { because } from '../reasons/reason.ts';
import { type Meaning, opaqueMeaning, resourceMeaning } from './meaning.ts';
import type { Access } from './permission.ts';

/**
 * Matches a name in a registry, with or without a version. Tools read some names as a path or an address. Such names do not match:
 * - a name that begins with a dot
 * - a name with a part after `@` that begins with a dot or contains a colon (`x@.`, `x@file:..`, `x@npm:other`)
 */
const PACKAGE =
  /^(?:@[A-Za-z0-9][\w.-]*\/)?\w(?:[\w.+-]*\w)?(?:\[[\w,-]+\])?(?:@[~^<>=!]*[\w*][\w.*+-]*|[=<>~!]=?=?[\w.*=<>~^!,+:-]*)?$/;
/**
 * Matches a name of a Debian package, with or without an architecture and a version. apt reads a sign at the end of a word as an
 * instruction: `x+` installs x, `x-` removes x, and `x^` installs a task. The sign can also follow an architecture or a version. Words
 * with such a sign do not match.
 */
const DEBIAN_PACKAGE = /^\w(?:[\w.+-]*\w)?(?::[a-z0-9-]*[a-z0-9])?(?:=[\w.*~:+-]*[\w.*~:])?$/;
/** Names of files that tools install from the working directory. */
const PACKAGE_FILE =
  /\.(?:tgz|tar(?:\.\w+)?|t[bglx]z2?|whl|egg|zip|deb|rpm|apk|gem|crate|jar|nupkg|vsix|snap|flatpak|rb)$/i;
/** Protocols with which tools install from a directory or a repository. */
const PACKAGE_ADDRESS =
  /^(?:file|link|portal|workspace|patch|exec|git|github|gitlab|gist|bitbucket|https?|ssh|svn|hg|bzr)[:+]/i;

/** Reads the name of a package in a registry, with or without a version. A path, archive, URL, repository or alias (`npm:`) is opaque. */
export function packageMeaning(word: Word, access: Access): Meaning {
  if (word.kind !== 'literal') return opaqueMeaning(because('package-unclear', word.source));
  const { value } = word;
  return PACKAGE.test(value) && !PACKAGE_FILE.test(value) && !PACKAGE_ADDRESS.test(value)
    ? resourceMeaning('package', access, value)
    : opaqueMeaning(because('package-not-plain', value));
}

/**
 * Reads the name of a package for apt. If apt has no package with this name, a dot or a plus makes the name a regular expression: `j.q`
 * then means many packages. So the meaning of such a name also includes every package.
 */
export const readDebianPackage =
  (access: Access) =>
  (word: Word): Meaning => {
    if (word.kind !== 'literal') return opaqueMeaning(because('package-unclear', word.source));
    const { value } = word;
    if (!DEBIAN_PACKAGE.test(value) || PACKAGE_FILE.test(value))
      return opaqueMeaning(because('package-not-plain', value));
    const named = resourceMeaning('package', access, value);
    const any = resourceMeaning('package', access, '', false);
    return /[.+]/.test(/^[^:=]*/.exec(value)?.[0] ?? '')
      ? { resources: [...named.resources, ...any.resources] }
      : named;
  };

/** A word with `@` is opaque: for uv, `x@y` is the package x in the directory `y`; pip refuses `x@y`. A version is written `x==1`. */
export const readPythonPackage = (word: Word): Meaning =>
  word.kind === 'literal' && word.value.includes('@')
    ? opaqueMeaning(because('package-not-plain', word.value))
    : packageMeaning(word, 'write');
