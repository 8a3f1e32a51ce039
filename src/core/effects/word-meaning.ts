/** Applies a rule to a word. The result is either resources, or a reason why the word is not understood. */

import { knownText } from '../reading/known-text.ts';
import type { Word } from '../reading/reading.ts';
import { because, type Reason } from '../reasons/reason.ts';
import type { FixedResource, RuleAccess, WordRule } from '../rules/rule.ts';
import { dangerousPlace } from '../sensitive/dangerous-places.ts';
import { sensitivityOfName } from '../sensitive/sensitive-paths.ts';
import { isAtOrBelow, pathBelow } from '../text/path.ts';
import { decidesWhatRuns } from '../variables/bound-variables.ts';
import { type CommandContext, normalizePath } from './command-context.ts';
import { isHarmlessDevice } from './harmless-device.ts';
import { hostMeaning, urlMeaning } from './host-meaning.ts';
import {
  ANYWHERE,
  goesThroughReplacedLink,
  isBelowDirectory,
  isStandardStream,
  type KnownPath,
  pathOfText,
} from './known-path.ts';
import { type Meaning, NOTHING, opaqueMeaning, resourceMeaning } from './meaning.ts';
import { packageMeaning } from './package-name.ts';
import { pathsOfWord } from './path-of-word.ts';
import { directoryOfPattern, mayBeSeveral, type PathReading } from './pathspec.ts';
import type { Access, Resource, ResourceKind } from './permission.ts';
import { projectPath } from './project-root.ts';
import { readGrammar } from './word-grammars.ts';

/**
 * @property isOpenedInPlace whether the tool writes files by opening them (`opensInPlace`)
 * @property changesFileItself whether the tool changes a file's mode, owner or times (`changesFileItself`)
 * @property pathReading how the tool reads the words that are paths (`pathReading`)
 * @property mode   the access that replaces `mode` in the rule file; null: no option of the command chooses an access
 * @property isTree whether a path includes all that is below it
 * @property also   further accesses to the resource of each word
 */
export interface WordSetting {
  readonly mode: Access | null;
  readonly isTree: boolean;
  readonly also: readonly Access[];
  readonly isOpenedInPlace: boolean;
  readonly changesFileItself: boolean;
  readonly pathReading: PathReading;
  readonly context: CommandContext;
}

/** @param words all words to which the rule applies */
export function meaningOfWords(words: readonly Word[], rule: WordRule, setting: WordSetting): readonly Meaning[] {
  if (rule.access === null) return readGrammar(rule.kind, words, setting.context);
  const accesses = [rule.access, ...setting.also];
  return words.flatMap((word) => [
    ...accesses.map((access) => meaningOfWord(word, rule.kind, access, setting)),
    ...(isPlace(rule) && accesses.includes('write') ? [replacedLink(word, setting)] : []),
  ]);
}

const isPlace = ({ kind }: WordRule): boolean => kind === 'path' || kind === 'tree';

/**
 * Returns a write of each link that the word names. Some tools do not write through a link: `sed -i`, `mv` and `ln -f` replace the link
 * with a new file.
 */
function replacedLink(word: Word, { context, isOpenedInPlace }: WordSetting): Meaning {
  if (isOpenedInPlace && isStandardStream(word, 'write')) return NOTHING;
  const links = pathsOfWord(word, context, 'itself').filter(
    ({ value }) => context.resolvePath(value, 'target') !== value,
  );
  return { resources: links.map((path) => ({ kind: 'path', access: 'write', ...path })), isListed: true };
}

function meaningOfWord(
  word: Word,
  kind: ResourceKind | 'tree',
  ruleAccess: RuleAccess,
  { mode, isTree, changesFileItself, pathReading, context }: WordSetting,
): Meaning {
  const access = ruleAccess === 'mode' ? mode : ruleAccess;
  if (access === null) return opaqueMeaning(because('file-use-unsaid'));
  switch (kind) {
    case 'path':
    case 'tree':
      if (ruleAccess === 'mode' && (word.kind !== 'literal' || word.value.includes(':')))
        return opaqueMeaning(because('may-be-on-other-host', word.source));
      return pathMeaning(
        word,
        { access, isOpened: kind === 'path' && !changesFileItself, isTree: isTree || kind === 'tree', pathReading },
        context,
      );
    case 'host':
      return hostMeaning(word, access);
    case 'url':
      return urlMeaning(word, access);
    case 'variable':
      return variableMeaning(word, access);
    case 'package':
      return packageMeaning(word, access);
    case 'target':
      return targetMeaning(word, access, context);
    default:
      return word.kind === 'literal'
        ? resourceMeaning(kind, access, word.value)
        : resourceMeaning(kind, access, word.prefix, false);
  }
}

/** @property isOpened true: the tool opens the file; false: the tool replaces the file, or changes its mode or owner */
interface PathUse {
  readonly access: Access;
  readonly isOpened: boolean;
  readonly isTree: boolean;
  readonly pathReading: PathReading;
}

function pathMeaning(word: Word, { access, isOpened, isTree, pathReading }: PathUse, context: CommandContext): Meaning {
  if (word.kind === 'literal' && word.value === '-' && access === 'read') return NOTHING;
  // A device is not harmless if it is replaced (`mv x /dev/null`) or if its mode changes: `chmod 600 /dev/null` locks out all other users.
  if (word.kind === 'literal' && isHarmlessDevice(word.value, access) && (access === 'read' || isOpened))
    return NOTHING;
  if (isStandardStream(word, access)) return NOTHING;
  if (word.kind === 'literal' && word.value === '') return opaqueMeaning(because('empty-path'));
  // `:(icase).ENV` and `:.env` are git pathspecs (gitglossary(7)). A colon at the beginning is refused for all tools: such files are rare.
  if (knownText(word).startsWith(':')) return opaqueMeaning(because('path-has-magic', word.source));
  if (word.kind === 'literal' && /^[a-z+]+:\/\//i.test(word.value))
    return opaqueMeaning(because('path-is-url', word.value));
  if (pathReading === 'glob' && word.kind === 'literal' && mayBeSeveral(word.value))
    return opaqueMeaning(because('path-may-be-several', word.source)); // `{src,../other}/*.js`
  if (word.kind === 'runtime' && word.why === 'process substitution')
    return opaqueMeaning(because('process-substitution'));
  if (access === 'execute' && isInput(word, context)) return opaqueMeaning(because('program-from-input', word.source));
  const paths = pathsOfWord(word, context, access === 'delete' ? 'itself' : 'target');
  const joined = isJoinedBelow(word) ? [ANYWHERE] : [];
  // If a glob is an absolute path, the tool reads the name of the working directory as a pattern too: `/w/[id]/*.js` in `/w/[id]`.
  const isAbsoluteGlob = pathReading === 'glob' && knownText(word).startsWith('/');
  const base = pathReading === 'plain' || isAbsoluteGlob ? null : context.cwd;
  const own = base === null ? null : context.resolvePath(base, 'target');
  const patterned =
    pathReading === 'plain' ? [] : paths.flatMap(({ value }) => directoryOfPattern(value, own, pathReading) ?? []);
  const found = access === 'read' ? [] : namesFound(word, paths, context);
  const at = ({ value, isExact }: KnownPath): Resource => ({
    kind: 'path',
    access,
    value,
    isExact: isExact && !isTree,
  });
  const resources = [...paths, ...joined, ...patterned, ...found.filter(({ isSecret }) => !isSecret)].map(at);
  // An access to a file with secrets also counts as a read of that file. A scope that allows reading the whole tree does not cover
  // this read.
  for (const { value, isSecret } of found)
    if (isSecret) resources.push({ kind: 'path', access: 'read', value, isExact: true });
  return isTree || paths.every(({ isExact }) => isExact) ? { resources } : { resources, isListed: true };
}

/**
 * Whether the word is `-` or a path in /dev or /proc, such as `/dev/stdin`. A tool that runs this word as a program does not read an
 * ordinary file.
 */
function isInput(word: Word, context: CommandContext): boolean {
  if (word.kind === 'literal' && word.value === '-') return true;
  const written = knownText(word);
  const absolute = written.startsWith('/') || context.cwd === null ? written : `${context.cwd}/${written}`;
  const found = written.startsWith('/') || context.cwd !== null ? [context.resolvePath(absolute, 'target')] : [];
  const values = [...found, ...pathsOfWord(word, context, 'target').map(({ value }) => value)];
  return [normalizePath(absolute), ...values].some((path) => /^\/(?:dev|proc)(?:\/|$)/.test(path));
}

/**
 * Whether a name is joined to the `{}` of find, as in `find . -maxdepth 0 -exec cat {}/.env \;`. The joined word may mean any path.
 */
function isJoinedBelow(word: Word): boolean {
  const spellings = word.kind === 'runtime' ? (word.spellings ?? []) : [];
  return (
    spellings.some(({ pieces }) => pieces.some(({ kind }) => kind === 'below')) &&
    spellings.some(({ pieces }) => pieces.length > 1)
  );
}

/** @property isSecret whether this is a file with secrets; false: a dangerous place, or `ANYWHERE` */
interface FoundName extends KnownPath {
  readonly isSecret: boolean;
}

/**
 * For a word with the `{}` of find, returns the dangerous places and the files with secrets below the directory where find starts. Returns
 * `ANYWHERE` if the names below that directory are not known. Returns an empty list in two cases: the word has no `{}`, or `context` has
 * no `sensitiveBelow`.
 */
function namesFound(word: Word, paths: readonly KnownPath[], context: CommandContext): readonly FoundName[] {
  const spellings = word.kind === 'runtime' ? (word.spellings ?? []) : [];
  if (!spellings.some(({ pieces }) => pieces.some(({ kind }) => kind === 'below'))) return [];
  return paths
    .filter(({ isExact }) => !isExact)
    .flatMap(({ value }): readonly FoundName[] => {
      const names = context.sensitiveBelow?.(value);
      if (names === null) return [{ ...ANYWHERE, isSecret: false }];
      return (names ?? []).flatMap((name): readonly FoundName[] => {
        const path = pathBelow(value, name);
        if (dangerousPlace(`/${name}`, false) !== null) return [{ value: path, isExact: false, isSecret: false }];
        return sensitivityOfName(`/${name}`, 'read') === null ? [] : [{ value: path, isExact: true, isSecret: true }];
      });
    });
}

function variableMeaning(word: Word, access: Access): Meaning {
  if (word.kind !== 'literal') return opaqueMeaning(because('variable-unclear', word.source));
  if (access !== 'read' && decidesWhatRuns(word.value)) return opaqueMeaning(because('sets-deciding-name', word.value));
  return resourceMeaning('variable', access, word.value);
}

/**
 * Reads the name of a target. Refuses `CC=./x`: this word would set a variable of make. Refuses a file outside the working directory:
 * make has built-in rules, and can write this file, for example the program `../x` from `../x.c`. The approver would not see this write.
 */
function targetMeaning(word: Word, access: Access, context: CommandContext): Meaning {
  if (word.kind !== 'literal') return opaqueMeaning(because('target-unclear', word.source));
  if (!/^[\w.~+@:/-]+$/.test(word.value)) return opaqueMeaning(because('target-not-plain', word.value));
  return !/^\.\.?$|\//.test(word.value) || isBelowDirectory(word.value, context)
    ? resourceMeaning('target', access, word.value)
    : opaqueMeaning(because('target-outside', word.value));
}

/**
 * Makes a resource that the rule file adds, for example for a missing operand (`ls -R`). A path in the rule file names the same resource
 * as an operand with this path. In other kinds of resources, `*` at the end marks a prefix. Returns a reason if the access is `mode` and
 * no option chooses an access.
 */
export function fixedMeaning(resource: FixedResource, setting: WordSetting): Resource | Reason {
  const access = resource.access === 'mode' ? setting.mode : resource.access;
  if (access === null) return because('file-use-unsaid');
  const { kind, value } = resource;
  if (kind !== 'path' && kind !== 'tree') {
    const isExact = !value.endsWith('*');
    return { kind, access, value: isExact ? value : value.slice(0, -1), isExact };
  }
  const path = fixedPath(value, setting.context);
  return { kind: 'path', access, value: path.value, isExact: path.isExact && kind === 'path' && !setting.isTree };
}

/**
 * Reads a path in a rule file: `@project NAME…`, `@repository/…`, `~/…`, or relative to the working directory. Returns `ANYWHERE` if the
 * path needs the home directory or the working directory, and that directory is not known.
 */
export function fixedPath(value: string, context: CommandContext): KnownPath {
  const project = projectPath(value, context);
  if (project !== null) return project;
  const [, anchor, rest = ''] = /^(@repository|~)(\/.*)?$/.exec(value) ?? [];
  if (anchor === undefined) return pathOfText(value, context, 'target');
  const base = anchor === '~' ? context.home : context.cwd === null ? null : repository(context, context.cwd);
  // Git searches for its repository upward from the working directory. A link that an earlier command of the line makes does not change
  // the path of the repository.
  const { earlier: _earlier, ...settled } = context;
  return base === null ? ANYWHERE : pathOfText(base + rest, anchor === '~' ? context : settled, 'target');
}

/** Whether the path of one of the resources begins with `@repository`, the git repository around the working directory. */
export const isInRepository = (adds: readonly FixedResource[]): boolean =>
  adds.some(({ value }) => value.startsWith('@repository'));

/**
 * Whether git, started in the working directory, may find another repository than `repositoryOf` returns. There are three causes:
 * - git may use a bare repository (`isBareRepository`)
 * - an earlier command of the line may replace a link on the way to the working directory
 * - an earlier command of the line may make a repository, or check out files, around the working directory. This third cause does not count
 *   if the working directory is the top of its repository
 *
 * Returns false if the working directory is not known: `fixedPath` then returns `ANYWHERE` for the repository. Also returns false if
 * `context` has no `isBareRepository`.
 */
export function isUnsureRepository(context: CommandContext): boolean {
  if (context.cwd === null || context.isBareRepository === undefined) return false;
  const directory = context.resolvePath(context.cwd, 'target');
  if (context.isBareRepository(directory) || goesThroughReplacedLink(context.cwd, context)) return true;
  const top = context.repositoryOf(directory);
  const { repositories = [], checkedOut = [] } = context.earlier ?? {};
  const mayBeMade =
    repositories.some((area) => isAtOrBelow(directory, area)) ||
    checkedOut.some((area) => directory !== area && isAtOrBelow(directory, area));
  return directory !== top && mayBeMade;
}

/** Returns the top of the repository around `cwd`. In no repository, returns `cwd`: the tool would make a repository in `cwd`. */
function repository(context: CommandContext, cwd: string): string {
  const directory = context.resolvePath(cwd, 'target');
  return context.repositoryOf(directory) ?? directory;
}
