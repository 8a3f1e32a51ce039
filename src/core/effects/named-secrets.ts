/**
 * Finds files with secrets that a command names, but not as a plain path. The command can name such a file by a pattern
 * (`find -name .env`, `grep -r --include='*.pem'`, `git log -p -- '*.pe?'`). The command can also name the file in a revision
 * (`git show HEAD:.env`), or in place of a revision (`git log -p .env`). A scope for reading a whole tree does not cover these files.
 */

import type { Word } from '../reading/reading.ts';
import { writtenText } from '../reading/spelling.ts';
import { because } from '../reasons/reason.ts';
import { dangerousPlace } from '../sensitive/dangerous-places.ts';
import { sensitivityOfName } from '../sensitive/sensitive-paths.ts';
import { pathOfText } from './known-path.ts';
import { type Meaning, NOTHING, opaqueMeaning } from './meaning.ts';
import type { Resource } from './permission.ts';
import { isPattern, meansSecrets } from './secret-patterns.ts';
import type { UnderstoodCall } from './understood-call.ts';

/**
 * Returns a meaning that says that the command reads each of the named files with secrets. The meaning is opaque if:
 * - a revision, or the value of an option, may name arbitrary files
 * - a revision, or the value of an option, has too many braces to expand
 * - a revision has the form of a pathspec with magic
 * - a pattern chooses files with secrets
 */
export function namedSecrets({ uses, resources, context }: UnderstoodCall): Meaning {
  const free = uses.flatMap(({ rule, value }) =>
    value === null || rule.value !== null || LEAVES_OUT.test(rule.canonical) ? [] : [{ option: rule.canonical, value }],
  );
  const unknown = free.find((candidate) => mayNameAny(candidate) || isPrefix(candidate));
  if (unknown !== undefined) return opaqueMeaning(because('names-secrets', unknown.value.source));
  const revisions = resources.filter(({ kind, access }) => kind === 'ref' && access === 'read');
  // `HEAD:{.env,x}`, `$REV`: the revision may name a file after a colon.
  const open = revisions.find(({ isExact }) => !isExact);
  if (open !== undefined) return opaqueMeaning(because('names-secrets', open.value));
  // `:(top).env` and `:!x` cannot be revisions, so git reads them as pathspecs. `:/x` is a pathspec if no commit message matches x.
  // `:x` and `:0:x` are revisions: files in the index.
  const magic = revisions.find(({ value }) => /^:[^\w.-]/.test(value));
  if (magic !== undefined) return opaqueMeaning(because('path-has-magic', magic.value));
  const found: Resource[] = [];
  for (const written of [...free.flatMap(writtenOf), ...revisions.map(({ value }) => value)]) {
    if (written.startsWith('!')) continue; // `rg -g '!.env'` leaves the file out
    const parts = alternativesOf(written);
    if (parts === null) return opaqueMeaning(because('names-secrets', written));
    for (const part of parts.flatMap((one) => [one, ...one.split(/[:,=]/)])) {
      if (isSecretPattern(part)) return opaqueMeaning(because('names-secrets', part));
      if (isSecret(part))
        found.push({ kind: 'path', access: 'read', value: pathOfText(part, context, 'target').value, isExact: true });
    }
  }
  const pathspec = resources.find(
    ({ kind, access, value }) =>
      kind === 'path' && access === 'read' && isPattern(value) && meansSecrets(value, isSecret),
  );
  if (pathspec !== undefined) return opaqueMeaning(because('names-secrets', pathspec.value));
  return found.length === 0 ? NOTHING : { resources: found };
}

/**
 * Whether this glob of a search tool, or this list of globs, chooses files with secrets. If the text has too many braces to expand, the
 * answer is true. A glob after `!` leaves files out.
 */
export function choosesSecrets(globs: string): boolean {
  const parts = alternativesOf(globs)?.flatMap((one) => [one, ...one.split(/[\s,]+/)]);
  return parts?.some((part) => !part.startsWith('!') && (isSecret(part) || isSecretPattern(part))) ?? true;
}

const isSecretPattern = (text: string): boolean => isPattern(text) && meansSecrets(text, isSecret);

/** Options whose value names files that the tool does not read. */
const LEAVES_OUT = /exclude|ignore/;
/** Options whose value chooses files by name. */
const CHOOSES = /include|glob|name|path|relative|-to$|file|^-g$/;

/** The value of an option. The rule file does not say what the value means. */
interface FreeValue {
  readonly option: string;
  readonly value: Word;
}

/**
 * Whether the value may become an arbitrary name. Returns true if the value is unknown before run time, and one of these is true: the
 * value has a brace; the option chooses files.
 */
const mayNameAny = ({ option, value }: FreeValue): boolean =>
  value.kind === 'runtime' && value.spellings === undefined && (/\{/.test(value.source) || CHOOSES.test(option));

const writtenOf = ({ value }: FreeValue): readonly string[] =>
  value.kind === 'literal' ? [value.value] : (value.spellings?.map(writtenText) ?? [value.prefix]);

/**
 * Whether the value is the beginning of paths: `git log --relative=.e` shows every path that begins with `.e`. A value that ends with a
 * slash is a directory.
 */
const isPrefix = ({ option, value }: FreeValue): boolean =>
  option === '--relative' && writtenOf({ option, value }).some((text) => !text.endsWith('/'));

const MAX_ALTERNATIVES = 256;
const MAX_PAIRS = 8;

/** Expands braces in the same way as rg: `.e{n,m}v` becomes two texts. Returns null if there are too many texts or pairs of braces. */
function alternativesOf(text: string): readonly string[] | null {
  let all: readonly string[] = [text];
  for (let turn = 0; all.some((one) => BRACES.test(one)); turn += 1) {
    if (turn === MAX_PAIRS) return null;
    all = all.flatMap((one) => {
      const found = BRACES.exec(one);
      if (found === null) return [one];
      const before = one.slice(0, found.index);
      const after = one.slice(found.index + found[0].length);
      return (found[1] ?? '').split(',').map((middle) => before + middle + after);
    });
    if (all.length > MAX_ALTERNATIVES) return null;
  }
  return all.map((one) => one.replace(/[{}]/g, ''));
}

const BRACES = /\{([^{}]*)\}/;

/**
 * Whether a file with this name has secrets. A name that does not begin with `/` (a relative path, or a branch) counts as a name below
 * `/any`.
 */
function isSecret(name: string): boolean {
  const path = name.startsWith('/') ? name : `/any/${name}`;
  return sensitivityOfName(path, 'read') !== null || dangerousPlace(path, true) !== null;
}
