/** What the rule for a word makes of it: resources, or why nothing can be said. */

import { isAtOrBelow } from '../files/file-operation.ts';
import type { Word } from '../reading/reading.ts';
import { because, type Reason } from '../reasons/reason.ts';
import type { FixedResource, RuleAccess, WordRule } from '../rules/rule.ts';
import { dangerousPlace } from '../sensitive/dangerous-places.ts';
import { sensitivityOfName } from '../sensitive/sensitive-paths.ts';
import { decidesWhatRuns } from '../variables/bound-variables.ts';
import { type CommandContext, normalizePath } from './command-context.ts';
import { isHarmlessDevice } from './harmless-device.ts';
import { ANYWHERE, isBelowDirectory, isOwnChannel, type KnownPath, pathOfText } from './known-path.ts';
import { type Meaning, NOTHING, one, opaqueMeaning } from './meaning.ts';
import { pathsOfWord } from './path-of-word.ts';
import type { Access, Resource, ResourceKind } from './permission.ts';
import { hostMeaning, urlMeaning } from './place-meaning.ts';
import { readGrammar } from './word-grammars.ts';

/**
 * @property isOpenedInPlace files are written where they lie, see `opensInPlace`
 * @property changesFileItself see there
 * @property mode   what the access `mode` stands for
 * @property isTree paths are meant with all that is below them
 * @property also   a further access
 */
export interface WordSetting {
  readonly mode: Access | null;
  readonly isTree: boolean;
  readonly also: readonly Access[];
  readonly isOpenedInPlace: boolean;
  readonly changesFileItself: boolean;
  readonly context: CommandContext;
}

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
 * What is written may be made anew: a file that is changed where it lies (`sed -i`), what is moved to a name (`mv`, `ln -f`). Then it comes
 * in the place of the link that was named, not behind it.
 */
function replacedLink(word: Word, { context, isOpenedInPlace }: WordSetting): Meaning {
  if (isOpenedInPlace && isOwnChannel(word, 'write')) return NOTHING;
  const links = pathsOfWord(word, context, 'itself').filter(
    ({ value }) => context.resolvePath(value, 'target') !== value,
  );
  return { resources: links.map((path) => ({ kind: 'path', access: 'write', ...path })), isListed: true };
}

function meaningOfWord(
  word: Word,
  kind: ResourceKind | 'tree',
  ruleAccess: RuleAccess,
  { mode, isTree, changesFileItself, context }: WordSetting,
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
        { access, isOpened: kind === 'path' && !changesFileItself, isTree: isTree || kind === 'tree' },
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
      return word.kind === 'literal' ? one(kind, access, word.value) : one(kind, access, word.prefix, false);
  }
}

/** @property isOpened and not replaced or changed itself */
interface PathUse {
  readonly access: Access;
  readonly isOpened: boolean;
  readonly isTree: boolean;
}

function pathMeaning(word: Word, { access, isOpened, isTree }: PathUse, context: CommandContext): Meaning {
  if (word.kind === 'literal' && word.value === '-' && access === 'read') return NOTHING;
  // What is moved to /dev/null comes in the place of the device; `chmod 600 /dev/null` takes it from all others.
  if (word.kind === 'literal' && isHarmlessDevice(word.value, access) && (access === 'read' || isOpened))
    return NOTHING;
  if (isOwnChannel(word, access)) return NOTHING;
  if (word.kind === 'literal' && word.value === '') return opaqueMeaning(because('empty-path'));
  // `:(icase).ENV`, `:.env` (gitglossary(7), pathspec). For other tools such a name is rare enough.
  if ((word.kind === 'literal' ? word.value : word.prefix).startsWith(':'))
    return opaqueMeaning(because('path-has-magic', word.source));
  if (word.kind === 'literal' && /^[a-z+]+:\/\//i.test(word.value))
    return opaqueMeaning(because('path-is-url', word.value));
  if (word.kind === 'runtime' && word.why === 'process substitution')
    return opaqueMeaning(because('process-substitution'));
  if (access === 'execute' && isInput(word, context)) return opaqueMeaning(because('program-from-input', word.source));
  const paths = pathsOfWord(word, context, access === 'delete' ? 'itself' : 'target');
  const joined = isJoinedBelow(word) ? [ANYWHERE] : [];
  const found = access === 'read' ? [] : namesFound(word, paths, context);
  const at = ({ value, isExact }: KnownPath): Resource => ({
    kind: 'path',
    access,
    value,
    isExact: isExact && !isTree,
  });
  const resources = [...paths, ...joined, ...found.filter(({ isSecret }) => !isSecret)].map(at);
  // The one who says what to write has read the file, or its text is lost: a write counts as a read.
  for (const { value, isSecret } of found)
    if (isSecret) resources.push({ kind: 'path', access: 'read', value, isExact: true });
  return isTree || paths.every(({ isExact }) => isExact) ? { resources } : { resources, isListed: true };
}

/** `-`, `/dev/stdin` and their like: what runs then is no file that a pattern could name. */
function isInput(word: Word, context: CommandContext): boolean {
  if (word.kind === 'literal' && word.value === '-') return true;
  const written = word.kind === 'literal' ? word.value : word.prefix;
  const absolute = written.startsWith('/') || context.cwd === null ? written : `${context.cwd}/${written}`;
  const found = written.startsWith('/') || context.cwd !== null ? [context.resolvePath(absolute, 'target')] : [];
  const values = [...found, ...pathsOfWord(word, context, 'target').map(({ value }) => value)];
  return [normalizePath(absolute), ...values].some((path) => /^\/(?:dev|proc)(?:\/|$)/.test(path));
}

/** `find . -maxdepth 0 -exec cat {}/.env \;`: what find comes by, and a name put to it, may be any name. */
function isJoinedBelow(word: Word): boolean {
  const spellings = word.kind === 'runtime' ? (word.spellings ?? []) : [];
  return (
    spellings.some(({ pieces }) => pieces.some(({ kind }) => kind === 'below')) &&
    spellings.some(({ pieces }) => pieces.length > 1)
  );
}

/** @property isSecret a file whose name tells of secrets; else a dangerous place */
interface FoundName extends KnownPath {
  readonly isSecret: boolean;
}

/** What find comes by is not seen one by one: dangerous places below its start, and files whose names tell of secrets. */
function namesFound(word: Word, paths: readonly KnownPath[], context: CommandContext): readonly FoundName[] {
  const spellings = word.kind === 'runtime' ? (word.spellings ?? []) : [];
  if (!spellings.some(({ pieces }) => pieces.some(({ kind }) => kind === 'below'))) return [];
  return paths
    .filter(({ isExact }) => !isExact)
    .flatMap(({ value }): readonly FoundName[] => {
      const names = context.hiddenBelow?.(value);
      if (names === null) return [{ ...ANYWHERE, isSecret: false }];
      return (names ?? []).flatMap((name): readonly FoundName[] => {
        const path = `${value === '/' ? '' : value}/${name}`;
        if (dangerousPlace(`/${name}`, false) !== null) return [{ value: path, isExact: false, isSecret: false }];
        return sensitivityOfName(`/${name}`, 'read') === null ? [] : [{ value: path, isExact: true, isSecret: true }];
      });
    });
}

function variableMeaning(word: Word, access: Access): Meaning {
  if (word.kind !== 'literal') return opaqueMeaning(because('variable-unclear', word.source));
  if (access !== 'read' && decidesWhatRuns(word.value)) return opaqueMeaning(because('sets-deciding-name', word.value));
  return one('variable', access, word.value);
}

/** A name with a version, as registries have them; paths, URLs and repositories are other places. */
function packageMeaning(word: Word, access: Access): Meaning {
  if (word.kind !== 'literal') return opaqueMeaning(because('package-unclear', word.source));
  return /^(?:@[\w.-]+\/)?[\w.+-]*\w(?::[a-z0-9]+)?(?:\[[\w,-]+\])?(?:(?:@|[=<>~!]=?=?|:)[\w.*=<>~^!,+:-]*)?$/.test(
    word.value,
  )
    ? one('package', access, word.value)
    : opaqueMeaning(because('package-not-plain', word.value));
}

/**
 * A name; `CC=./x` is a variable of make's. A target that is a file elsewhere would be made there, by rules of which the
 * approver sees nothing: make knows how to make a program of any `x.c`.
 */
function targetMeaning(word: Word, access: Access, context: CommandContext): Meaning {
  if (word.kind !== 'literal') return opaqueMeaning(because('target-unclear', word.source));
  if (!/^[\w.~+@:/-]+$/.test(word.value)) return opaqueMeaning(because('target-not-plain', word.value));
  return !/^\.\.?$|\//.test(word.value) || isBelowDirectory(word.value, context)
    ? one('target', access, word.value)
    : opaqueMeaning(because('target-outside', word.value));
}

/** Paths that stand for missing operands (`ls -R`) are meant as operands would be. */
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

/** `@repository/…`, `~/…` or a path from where it works, as rule files write it. */
export function fixedPath(value: string, context: CommandContext): KnownPath {
  const [, anchor, rest = ''] = /^(@repository|~)(\/.*)?$/.exec(value) ?? [];
  if (anchor === undefined) return pathOfText(value, context, 'target');
  const base = anchor === '~' ? context.home : context.cwd === null ? null : repository(context, context.cwd);
  // git looks for it by itself, whatever came into it before.
  const { earlier: _earlier, ...settled } = context;
  return base === null ? ANYWHERE : pathOfText(base + rest, anchor === '~' ? context : settled, 'target');
}

export const isInRepository = (adds: readonly FixedResource[]): boolean =>
  adds.some(({ value }) => value.startsWith('@repository'));

/** Whether git might find another repository than the one around the directory: one that lies bare below its top. */
export function isUnsureRepository(context: CommandContext): boolean {
  if (context.cwd === null || context.isBareRepository === undefined) return false;
  const directory = context.resolvePath(context.cwd, 'target');
  if (context.isBareRepository(directory)) return true;
  const top = context.repositoryOf(directory);
  return directory !== top && context.earlier?.repositories.some((area) => isAtOrBelow(directory, area)) === true;
}

/** Where there is no repository, the tool finds none either, or makes one here. */
function repository(context: CommandContext, cwd: string): string {
  const directory = context.resolvePath(cwd, 'target');
  return context.repositoryOf(directory) ?? directory;
}
