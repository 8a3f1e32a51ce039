/** Makes the questions about what git would discard: untracked files, changes that are not committed, refs. */
import type { Word } from '../reading/reading.ts';
import type { Question, WantedRef } from './question.ts';
import { hasAny, literalTexts, type Split, splitWords, targetsOf, targetsOfWord, type WordsOfCall } from './words.ts';

type MakeQuestions = (call: WordsOfCall & { readonly directory: string }, split: Split) => readonly Question[];

/**
 * Returns the questions about a git command. If git's own options name a repository in a way that is not read here, each question becomes
 * `unknown`.
 */
export function gitQuestions(call: WordsOfCall): readonly Question[] {
  let directory = call.directory;
  let at = 0;
  for (; at < call.words.length; at++) {
    const word = call.words[at];
    const text = word?.kind === 'literal' ? word.value : '';
    if (text === '-C') {
      const next = call.words[++at];
      const [target] = (next === undefined ? null : targetsOfWord(next, { ...call, directory })) ?? [];
      directory = target?.kind === 'path' ? target.path : null;
    } else if (text === '-c') at++;
    else if (/^--(?:git-dir|work-tree|namespace)\b/.test(text)) directory = null;
    else if (!text.startsWith('-') || text === '') break;
  }
  const name = literalTexts(call.words.slice(at, at + 1))[0] ?? '';
  const makeQuestions = Object.hasOwn(BY_SUBCOMMAND, name) ? BY_SUBCOMMAND[name] : undefined;
  if (makeQuestions === undefined) return [];
  const words = call.words.slice(at + 1);
  const valued = VALUED[name] ?? '';
  if (directory === null) {
    const questions = makeQuestions({ ...call, words, directory: '/' }, splitWords(words, valued));
    return questions.map(({ what }) => ({ kind: 'unknown', what, note: 'the repository is not known' }));
  }
  return makeQuestions({ ...call, words, directory }, splitWords(words, valued));
}

/** The options that take a value, by sub-command. */
const VALUED: Readonly<Record<string, string>> = {
  clean: '-e --exclude',
  push: '-o --push-option --repo --receive-pack --exec',
  restore: '-s --source --conflict',
  checkout: '-b -B --conflict --orphan',
  switch: '-c -C --conflict --orphan',
};

const clean: MakeQuestions = (call, split) => {
  if (!hasAny(split, '-f --force') || hasAny(split, '-n --dry-run')) return [];
  const { targets, unknown } = targetsOf(split.operands, call);
  // With a single `-f`, git clean keeps other repositories in the work tree; with `-ff`, it deletes them.
  const isForcedTwice =
    literalTexts(call.words)
      .join(' ')
      .split(/-\w*f|--force/).length > 2 || /(?:^| )-\w*f\w*f/.test(literalTexts(call.words).join(' '));
  return [
    {
      kind: 'untracked',
      what: `files that git does not know, deleted by ${call.source}`,
      directory: call.directory,
      targets,
      ignored: hasAny(split, '-X') ? 'only' : hasAny(split, '-x') ? 'too' : 'kept',
      includesDirectories: hasAny(split, '-d'),
      includesRepositories: isForcedTwice,
      isPartial: unknown.length > 0 || hasAny(split, '-e --exclude'),
    },
  ];
};

const unsaved = (
  call: WordsOfCall & { readonly directory: string },
  words: readonly Word[],
  moves: string | null,
): Question => ({
  kind: 'unsaved',
  what: `files with changes that ${call.source} discards`,
  directory: call.directory,
  targets: targetsOf(words, call).targets,
  moves,
});

const reset: MakeQuestions = (call, split) => {
  if (!hasAny(split, '--hard --merge --keep')) return [];
  return [unsaved(call, [], literalTexts(split.operands)[0] ?? null)];
};

const checkout: MakeQuestions = (call, split) => {
  if (hasAny(split, '-f --force') && split.operands.length < 2) return [unsaved(call, [], null)];
  const afterDashes = split.operands.slice(split.beforeDashes);
  const isAll = literalTexts(split.operands).some((text) => text === '.');
  if (afterDashes.length > 0) return [unsaved(call, afterDashes, null)];
  return isAll ? [unsaved(call, split.operands.slice(-1), null)] : [];
};

const restore: MakeQuestions = (call, split) =>
  hasAny(split, '-S --staged') && !hasAny(split, '-W --worktree') ? [] : [unsaved(call, split.operands, null)];

const switchBranch: MakeQuestions = (call, split) =>
  hasAny(split, '-f --force --discard-changes') ? [unsaved(call, [], null)] : [];

const push: MakeQuestions = (call, split) => {
  const [first, ...rest] = split.operands;
  const remote =
    literalTexts(first === undefined ? [] : [first])[0] ??
    literalTexts([split.options.get('--repo') ?? first].flatMap((word) => word ?? []))[0] ??
    'origin';
  const specs = literalTexts(rest);
  const isForced = [...split.options.keys()].some((name) =>
    /^(?:-f|--force(?:-with-lease)?|--mirror|--prune)$/.test(name),
  );
  const isDeleting = hasAny(split, '-d --delete');
  const what = isDeleting ? 'refs deleted' : 'refs overwritten';
  const risky = specs.filter((spec) => isForced || isDeleting || spec.startsWith('+') || /^:./.test(spec));
  const question = (refs: readonly WantedRef[] | 'current' | 'all'): readonly Question[] => [
    { kind: 'refs', what: `${what} at ${remote} by ${call.source}`, directory: call.directory, remote, refs },
  ];
  if (hasAny(split, '--mirror --all --branches --prune') && isForced) return question('all');
  if (risky.length > 0) return question(risky.map((spec) => wantedRefOf(spec, isDeleting)));
  return isForced && rest.length === 0 ? question('current') : [];
};

function wantedRefOf(spec: string, isDeleting: boolean): WantedRef {
  const [source = '', target] = spec.replace(/^\+/, '').split(':');
  if (isDeleting) return { source: null, target: source };
  return { source: source === '' ? null : source, target: target ?? source };
}

const refsDeleted =
  (prefix: string, options: string): MakeQuestions =>
  (call, split) =>
    hasAny(split, options)
      ? [
          {
            kind: 'refs',
            what: `refs deleted by ${call.source}`,
            directory: call.directory,
            remote: null,
            refs: literalTexts(split.operands).map((name) => ({ source: null, target: `${prefix}${name}` })),
          },
        ]
      : [];

const stash: MakeQuestions = (call, split) => {
  const [verb] = literalTexts(split.operands);
  if (verb !== 'drop' && verb !== 'clear') return [];
  return [
    {
      kind: 'stashes',
      what: `stashes deleted by ${call.source}`,
      directory: call.directory,
      isAll: verb === 'clear',
    },
  ];
};

const BY_SUBCOMMAND: Readonly<Record<string, MakeQuestions>> = {
  clean,
  reset,
  checkout,
  restore,
  switch: switchBranch,
  push,
  branch: refsDeleted('refs/heads/', '-d -D --delete'),
  tag: refsDeleted('refs/tags/', '-d --delete'),
  stash,
};
