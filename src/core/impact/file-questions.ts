/** Makes the questions about what rm, mv, chmod, find -delete, rsync --delete and the like would touch. */
import { shapeOf } from '../effects/word-shape.ts';
import { argumentsOfPrimary } from '../reading/find-call.ts';
import { knownText } from '../reading/known-text.ts';
import type { Word } from '../reading/reading.ts';
import type { FileFilter, Question } from './question.ts';
import {
  AT_RUN_TIME,
  hasAny,
  literalTexts,
  type Split,
  splitWords,
  targetsOf,
  targetsOfWord,
  type WordsOfCall,
} from './words.ts';

type MakeQuestions = (call: WordsOfCall) => readonly Question[];

const files = (
  what: string,
  words: readonly Word[],
  call: WordsOfCall,
  how: { isTree: boolean; countsDirectories: boolean; followsLinks?: boolean },
) =>
  ({
    kind: 'files',
    what: `${what} by ${call.source}`,
    ...targetsOf(words, call),
    followsLinks: false,
    ...how,
    filter: null,
  }) as const;

const emptied = (words: readonly Word[], call: WordsOfCall): Question => ({
  kind: 'emptied',
  what: `files overwritten by ${call.source}`,
  ...targetsOf(words, call),
});

const remove: MakeQuestions = (call) => {
  const split = splitWords(call.words);
  const isTree = hasAny(split, '-r -R --recursive');
  const what = isTree ? 'files and directories deleted' : 'files deleted';
  return [files(what, split.operands, call, { isTree, countsDirectories: isTree || hasAny(split, '-d --dir') })];
};

const removeDirectory: MakeQuestions = (call) => {
  const split = splitWords(call.words);
  const question = files('empty directories deleted', split.operands, call, { isTree: false, countsDirectories: true });
  if (![...split.options.keys()].some((name) => /^(?:-p|--p.*)$/.test(name))) return [question];
  const targets = split.operands.flatMap((word) => {
    const isAbsolute = targetsOfWord(word, { ...call, directory: null }) !== null;
    const parentsBelow = isAbsolute ? '/' : (call.directory ?? '/');
    return (targetsOfWord(word, call) ?? []).map((target) => ({ ...target, parentsBelow }));
  });
  return [{ ...question, targets }];
};

const move: MakeQuestions = (call) => {
  const split = splitWords(call.words, '-t --target-directory -S --suffix');
  const { sources, target } = sourcesAndTarget(split);
  const moved = files('files and directories moved', sources, call, { isTree: true, countsDirectories: true });
  return [moved, ...replaced(split, sources, target, call, false)];
};

const copy: MakeQuestions = (call) => {
  const split = splitWords(call.words, '-t --target-directory -S --suffix');
  if (hasAny(split, '-r -R -a --recursive --archive')) return [];
  const { sources, target } = sourcesAndTarget(split);
  // cp writes into the file behind a link. With these options, cp removes the link, gives the link another name, or fails.
  const replacesLink = hasAny(split, '-l -s -b --link --symbolic-link --remove-destination --backup');
  return replaced(split, sources, target, call, !replacesLink);
};

function sourcesAndTarget({ options, operands }: Split) {
  const named = options.get('-t') ?? options.get('--target-directory');
  if (named != null) return { sources: operands, target: named };
  return { sources: operands.slice(0, -1), target: operands.at(-1) ?? null };
}

function replaced(
  split: Split,
  words: readonly Word[],
  into: Word | null,
  call: WordsOfCall,
  followsLinks: boolean,
): readonly Question[] {
  if (into === null || hasAny(split, '-n --no-clobber')) return [];
  const { targets: sources } = targetsOf(words, call);
  const [target, ...more] = targetsOfWord(into, call) ?? [];
  if (target === undefined || more.length > 0) return [];
  return [{ kind: 'replaced', what: `files overwritten by ${call.source}`, sources, target, followsLinks }];
}

const FOLLOWS_LINKS = 'it follows links';

/**
 * Makes the question about chmod, chown or chgrp. If an operand is a link, the command changes the file behind the link, unless `-h` is
 * given. With `-R`, chown and chgrp change the link itself, unless `-H` or `-L` is given. In `chmod -x FILE`, `-x` is the mode: chmod has
 * no option `-x`.
 */
const changeMode: MakeQuestions = (call) => {
  const isValue = (at: number): boolean => {
    const before = call.words[at - 1];
    return before?.kind === 'literal' && (before.value === '--reference' || before.value === '--from');
  };
  const isOption = (word: Word, at: number) =>
    isValue(at) || (word.kind === 'literal' && /^(?:--.*|-[RcfvhHLP]+)$/.test(word.value) && word.value !== '--');
  const options = call.words.filter(isOption);
  const operands = call.words.filter(
    (word, at) => !isOption(word, at) && !(word.kind === 'literal' && word.value === '--'),
  );
  const hasReference = literalTexts(options).some((text) => text.startsWith('--reference'));
  const isTree = literalTexts(options).some((text) => text === '--recursive' || /^-\w*R/.test(text));
  const what = 'files and directories changed';
  if (isTree && literalTexts(options).some((text) => text === '--dereference' || /^-\w*[HL]/.test(text)))
    return [{ kind: 'unknown', what: `${what} by ${call.source}`, note: FOLLOWS_LINKS }];
  const isLinkItself = literalTexts(options).some((text) => text === '--no-dereference' || /^-\w*h/.test(text));
  const followsLinks = !isLinkItself && (call.name === 'chmod' || !isTree);
  return [
    files(what, hasReference ? operands : operands.slice(1), call, { isTree, countsDirectories: true, followsLinks }),
  ];
};

const truncate: MakeQuestions = (call) => [emptied(splitWords(call.words, '-s --size -r --reference').operands, call)];

const tee: MakeQuestions = (call) => {
  const split = splitWords(call.words);
  return hasAny(split, '-a --append') ? [] : [emptied(split.operands, call)];
};

const copyBytes: MakeQuestions = (call) => {
  const outputs = call.words.flatMap((word): readonly Word[] => {
    const text = knownText(word);
    if (!text.startsWith('of=')) return [];
    return word.kind === 'literal'
      ? [{ ...word, value: text.slice(3) }]
      : [{ kind: 'runtime', why: 'variable', prefix: '', isOne: word.isOne, source: word.source }];
  });
  return outputs.length === 0 ? [] : [emptied(outputs, call)];
};

const DELETING = ['-delete'];

const find: MakeQuestions = (call) =>
  literalTexts(call.words).some((text) => DELETING.includes(text))
    ? [questionOfFind('files and directories deleted', call, call.source)]
    : [];

/**
 * Asks which files `find` would find, for `-delete` or for a command that runs on these files.
 * @param source the text of the command that touches the files: `find` itself, or the command that runs on these files
 */
export function questionOfFind(what: string, find: WordsOfCall, source: string): Question {
  // The options in front of the places say whether find follows links.
  const isFront = (word: Word) => word.kind === 'literal' && /^-(?:[HLP]|O\d*|D.*)$/.test(word.value);
  const end = find.words.findIndex((word) => !isFront(word));
  const front = end === -1 ? find.words : find.words.slice(0, end);
  if (literalTexts(front).some((text) => /^-[HLD]/.test(text)))
    return { kind: 'unknown', what: `${what} by ${source}`, note: FOLLOWS_LINKS };
  const words = find.words.slice(front.length);
  const start = words.findIndex((word) => word.kind === 'literal' && /^[-!(),]/.test(word.value));
  const places = start === -1 ? words : words.slice(0, start);
  const expression = start === -1 ? [] : words.slice(start);
  const widened = moreFilesBy(expression);
  if (widened !== null) return { kind: 'unknown', what: `${what} by ${source}`, note: widened };
  const here: readonly Word[] = [{ kind: 'literal', value: '.', source: '.' }];
  return {
    kind: 'files',
    what: `${what} by ${source}`,
    ...targetsOf(places.length === 0 ? here : places, find),
    isTree: true,
    countsDirectories: true,
    followsLinks: false,
    filter: filterOf(expression),
  };
}

/** Returns why `find` may find other files than those below its places; null: the expression can only choose among these files. */
function moreFilesBy(expression: readonly Word[]): string | null {
  for (let at = 0; at < expression.length; at++) {
    const word = expression[at];
    if (word?.kind !== 'literal') return AT_RUN_TIME;
    if (word.value === '-follow') return FOLLOWS_LINKS;
    const follow = argumentsOfPrimary(word.value);
    if (follow === null) return `the preview does not know ${word.value.slice(0, 40)}`;
    at += follow;
  }
  return null;
}

/** Words that are no tests. `find` obeys `-xdev` and `-mount` at any place, so `filterOf` looks for these two options among all words. */
const NO_TESTS = ['-delete', '-print', '-print0', '-depth', '-d', '-a', '-and', '-xdev', '-mount', '-noleaf', '-warn'];
const STAYS = ['-xdev', '-mount'];

function filterOf(words: readonly Word[]): FileFilter {
  const filter = {
    name: null as string | null,
    type: null as FileFilter['type'],
    leastDepth: 0,
    mostDepth: Number.POSITIVE_INFINITY,
    isEmpty: false,
    isOneFileSystem: literalTexts(words).some((text) => STAYS.includes(text)),
    isPartial: false,
  };
  const values = words.map((word) => (word.kind === 'literal' ? word.value : null));
  let isDeleted = false;
  for (let at = 0; at < values.length; at++) {
    const [test, value] = [values[at], values[at + 1] ?? null];
    if (test == null) filter.isPartial = true;
    else if (NO_TESTS.includes(test)) isDeleted ||= test === '-delete';
    // find evaluates from left to right. So a test behind `-delete` saves no file from deletion.
    else if (isDeleted && test === '-empty') continue;
    else if (isDeleted && (test === '-name' || test === '-type')) at++;
    else if (test === '-empty') filter.isEmpty = true;
    else if (value === null) filter.isPartial = true;
    else if (test === '-name' && filter.name === null) filter.name = values[++at] ?? null;
    else if (test === '-type' && filter.type === null && /^[fdl]$/.test(value)) {
      filter.type = value as FileFilter['type'];
      at++;
    } else if (test === '-maxdepth' && /^\d{1,4}$/.test(value)) filter.mostDepth = Number(values[++at]);
    else if (test === '-mindepth' && /^\d{1,4}$/.test(value)) filter.leastDepth = Number(values[++at]);
    else filter.isPartial = true;
  }
  // With `-o`, `!` or an unknown test, `find` may also find files that fail the known tests.
  return filter.isPartial ? { ...filter, name: null, type: null, isEmpty: false } : filter;
}

const synchronize: MakeQuestions = (call) => {
  const split = splitWords(call.words, '-e --rsh -f --filter --exclude --include --exclude-from --include-from');
  if (!literalTexts(call.words).some((text) => /^--del(?:ete(?:-\w+)*)?$/.test(text))) return [];
  if (hasAny(split, '-n --dry-run')) return [];
  const what = `files deleted by ${call.source}`;
  const names = split.operands;
  const isRemote = names.some((word) => /^[^/]*:/.test(knownText(word)));
  if (isRemote) return [{ kind: 'unknown', what, note: 'one of the directories is on another host' }];
  const paths = names.map((word) => targetsOfWord(word, call));
  const target = paths.at(-1)?.[0];
  const sources = names.slice(0, -1).flatMap((word, at) => {
    const [source] = paths[at] ?? [];
    // For `src/`, `src/.`, `.` and `..`, rsync copies what is in the directory, not the directory itself.
    const isInto = !(word.kind === 'literal' && /(?:\/|(?:^|\/)\.\.?)$/.test(word.value));
    return source?.kind === 'path' ? [{ directory: source.path, isInto }] : [];
  });
  if (target?.kind !== 'path' || sources.length < names.length - 1 || sources.length === 0)
    return [{ kind: 'unknown', what, note: 'the directories are only known when the command runs' }];
  const isPartial = [...split.options.keys()].some((name) => /^(?:--(?:ex|in)clude|-C|-f|--filter|--cvs)/.test(name));
  return [{ kind: 'mirrored', what, sources, target: target.path, isPartial }];
};

const BY_PROGRAM: Readonly<Record<string, MakeQuestions>> = {
  rm: remove,
  unlink: remove,
  rmdir: removeDirectory,
  mv: move,
  cp: copy,
  chmod: changeMode,
  chown: changeMode,
  chgrp: changeMode,
  truncate,
  shred: (call) => [emptied(splitWords(call.words, '-n -s --iterations --size --random-source').operands, call)],
  tee,
  dd: copyBytes,
  find,
  rsync: synchronize,
};

/**
 * Returns null if the program is not in the table. Returns an empty list if there is no question about this call, for example for `cp -r`
 * or a `find` that deletes nothing.
 */
export const fileQuestions = (call: WordsOfCall): readonly Question[] | null => {
  const makeQuestions = Object.hasOwn(BY_PROGRAM, call.name) ? BY_PROGRAM[call.name] : undefined;
  return makeQuestions === undefined ? null : makeQuestions(call);
};

/** bash opens a connection for these names: bash(1), "REDIRECTION". */
const NO_FILE = /^\/dev\/(?:tcp|udp)\/.*$/;
/** `>&` also takes the number of a descriptor, and `-`, which closes the descriptor. */
const NO_FILE_OF_DUPLICATION = /^(?:\d+-?|-|\/dev\/(?:tcp|udp)\/.*)$/;

/** Asks which files the redirections truncate: `> FILE` truncates FILE before the command starts. */
export function redirectionQuestions(call: WordsOfCall): readonly Question[] {
  return call.command.redirections.flatMap(({ operator, target }): readonly Question[] => {
    const isOutput = operator === '>' || operator === '>|' || operator === '&>' || operator === '>&';
    const isNoFile = operator === '>&' ? NO_FILE_OF_DUPLICATION : NO_FILE;
    if (!isOutput || (target.kind === 'literal' && isNoFile.test(target.value))) return [];
    const { targets, unknown } = targetsOf([target], call);
    const shown = target.source.slice(0, 80);
    return shapeOf(target) !== 'one'
      ? []
      : [{ kind: 'emptied', what: `files emptied by > ${shown}`, targets, unknown }];
  });
}
