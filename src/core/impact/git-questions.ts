/** Makes the questions about what git would discard: untracked files, changes that are not committed, refs, stashes. */
import type { Word } from '../reading/reading.ts';
import type { Question, WantedRef } from './question.ts';
import {
  AT_RUN_TIME,
  literalTexts,
  type Split,
  splitWords,
  targetsOf,
  targetsOfWord,
  type WordsOfCall,
} from './words.ts';

/**
 * @property setsForce    whether the line may change the setting `clean.requireForce`
 * @property setsExcludes whether the line may change the setting `core.excludesFile`
 */
interface Settings {
  readonly setsForce: boolean;
  readonly setsExcludes: boolean;
}
type GitCall = WordsOfCall & Settings & { readonly directory: string };
type MakeQuestions = (call: GitCall, split: Split) => readonly Question[];

/** Whether one of the options was given; git also takes the beginning of a long name. `names` are separated by spaces: `-f --force`. */
const hasAny = ({ options }: Split, names: string): boolean =>
  names
    .split(' ')
    .some((name) => [...options.keys()].some((key) => (key.startsWith('--') ? name.startsWith(key) : name === key)));

/**
 * Returns the questions about a git command; an empty list if the command discards nothing, or is not known here. Each question becomes
 * `unknown` if the repository or its work tree is not certain, for example because of `--git-dir`.
 */
export function gitQuestions(call: WordsOfCall): readonly Question[] {
  const { at, directory, ...settings } = placeByOptions(call);
  const name = literalTexts(call.words.slice(at, at + 1))[0] ?? '';
  const makeQuestions = Object.hasOwn(BY_SUBCOMMAND, name) ? BY_SUBCOMMAND[name] : undefined;
  if (makeQuestions === undefined) return [];
  const words = call.words.slice(at + 1);
  const valued = VALUED[name] ?? '';
  if (directory === null) {
    const questions = makeQuestions({ ...call, words, directory: '/', ...settings }, splitWords(words, valued));
    return questions.map(({ what }) => ({ kind: 'unknown', what, note: REPOSITORY_UNKNOWN }));
  }
  return makeQuestions({ ...call, words, directory, ...settings }, splitWords(words, valued));
}

export const REPOSITORY_UNKNOWN = 'the repository is not known';

/** Matches an option of git itself, in front of the sub-command. The value of the option is the next word. */
const OWN_VALUED = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|attr-source))$/;
const CHOOSES_REPOSITORY = /^--(?:git-dir|work-tree|namespace|bare)(?:=|$)/;
/** Variables that give git another repository, index or work tree than the directory gives (git(1)). */
export const CHOOSING_VARIABLE = /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|NAMESPACE|COMMON_DIR|OBJECT_DIRECTORY)$/;
/** Variables that give git a setting, or another file with settings. */
const CHOOSES_SETTINGS = /^(?:HOME|XDG_CONFIG_HOME|GIT_CONFIG.*)$/;
/** Matches a setting that changes the repository or its work tree, or that includes a file with settings. */
const CHOOSING_SETTING = /^(?:core\.(?:worktree|bare)|include(?:if\..*)?\.path)(?:=|$)/i;

/**
 * Reads the options in front of the sub-command.
 * @returns `at`: the index of the sub-command; `directory`: where git looks for the repository; null: not known
 */
function placeByOptions(call: WordsOfCall): Settings & { readonly at: number; readonly directory: string | null } {
  let setsForce = call.command.assignments.some(({ name }) => CHOOSES_SETTINGS.test(name));
  let setsExcludes = setsForce;
  let { directory } = call;
  let isChosenOtherwise = call.command.assignments.some(({ name }) => CHOOSING_VARIABLE.test(name));
  let at = 0;
  for (; at < call.words.length; at++) {
    const text = literalTexts(call.words.slice(at, at + 1))[0] ?? '';
    if (!text.startsWith('-')) break;
    const value = OWN_VALUED.test(text) ? call.words[++at] : undefined;
    if (text === '-C') {
      const [target] = (value === undefined ? null : targetsOfWord(value, { ...call, directory })) ?? [];
      directory = target?.kind === 'path' ? target.path : null;
    } else if (text === '-c' || text.startsWith('--config-env')) {
      const setting = value?.kind === 'literal' ? value.value : /^--config-env=(.*)/s.exec(text)?.[1];
      isChosenOtherwise ||= setting === undefined || CHOOSING_SETTING.test(setting);
      setsForce ||= setting !== undefined && /^clean\.requireforce(?:=|$)/i.test(setting);
      setsExcludes ||= setting !== undefined && /^core\.excludesfile(?:=|$)/i.test(setting);
    } else isChosenOtherwise ||= CHOOSES_REPOSITORY.test(text);
  }
  return { at, directory: isChosenOtherwise ? null : directory, setsForce, setsExcludes };
}

/** By sub-command: the options whose value may be the next word. */
const VALUED: Readonly<Record<string, string>> = {
  clean: '-e --exclude',
  push: '-o --push-option --repo --receive-pack --exec --recurse-submodules',
  restore: '-s --source --conflict --pathspec-from-file',
  checkout: '-b -B --conflict --orphan --pathspec-from-file',
  switch: '-c -C --conflict --orphan',
};

const clean: MakeQuestions = (call, split) => {
  if (hasAny(split, '-n --dry-run')) return [];
  const what = `files that git does not know, deleted by ${call.source}`;
  const isForced = hasAny(split, '-f --force');
  if (!isForced && hasAny(split, '-i --interactive'))
    return [{ kind: 'unknown', what, note: 'git asks which files to delete' }];
  const { targets, unknown } = targetsOf(split.operands, call);
  // With a single `-f`, git clean keeps other repositories in the work tree; with `-ff`, it deletes them.
  const end = call.words.findIndex((word) => word.kind === 'literal' && word.value === '--');
  const options = literalTexts(end === -1 ? call.words : call.words.slice(0, end)).filter((text) =>
    text.startsWith('-'),
  );
  const isForcedTwice =
    options.flatMap((text) => (text === '--force' ? [text] : (/^-[a-zA-Z]+$/.exec(text)?.[0].match(/f/g) ?? [])))
      .length > 1;
  return [
    {
      kind: 'untracked',
      what,
      directory: call.directory,
      targets,
      ignored: hasAny(split, '-X') ? 'only' : hasAny(split, '-x') ? 'too' : 'kept',
      includesDirectories: hasAny(split, '-d'),
      includesRepositories: isForcedTwice,
      isPartial: unknown.length > 0 || hasAny(split, '-e --exclude'),
      setsExcludes: call.setsExcludes,
      force: isForced ? 'given' : call.setsForce ? 'perhaps' : 'not given',
    },
  ];
};

const unsaved = (call: GitCall, words: readonly Word[], moves: string | null): Question => {
  const what = `files with changes that ${call.source} discards`;
  const { targets, unknown } = targetsOf(words, call);
  if (unknown.length > 0) return { kind: 'unknown', what, note: AT_RUN_TIME };
  return { kind: 'unsaved', what, directory: call.directory, targets, moves };
};

/** Makes the question for a command that takes its paths from a file. The host does not read this file. */
const unsavedByList = ({ source }: WordsOfCall): Question => ({
  kind: 'unknown',
  what: `files with changes that ${source} discards`,
  note: 'the paths are in a file',
});

const reset: MakeQuestions = (call, split) => {
  if (!hasAny(split, '--hard --merge --keep')) return [];
  return [unsaved(call, [], literalTexts(split.operands)[0] ?? null)];
};

const checkout: MakeQuestions = (call, split) => {
  if (hasAny(split, '--pathspec-from-file')) return [unsavedByList(call)];
  const afterDashes = split.operands.slice(split.beforeDashes);
  if (afterDashes.length > 0) return [unsaved(call, afterDashes, null)];
  if (hasAny(split, '-f --force') && split.operands.length < 2) return [unsaved(call, [], null)];
  const isBranch = hasAny(split, '-b -B --orphan -d --detach -t --track');
  // Without `--`, each operand may be a file. An operand that names a commit and no file adds nothing to the answer.
  return isBranch || split.operands.length === 0 ? [] : [unsaved(call, split.operands, null)];
};

const restore: MakeQuestions = (call, split) => {
  if (hasAny(split, '-S --staged') && !hasAny(split, '-W --worktree')) return [];
  return [hasAny(split, '--pathspec-from-file') ? unsavedByList(call) : unsaved(call, split.operands, null)];
};

const switchBranch: MakeQuestions = (call, split) =>
  hasAny(split, '-f --force --discard-changes') ? [unsaved(call, [], null)] : [];

const push: MakeQuestions = (call, split) => {
  const [first, ...rest] = split.operands;
  const remote =
    literalTexts(first === undefined ? [] : [first])[0] ??
    literalTexts([split.options.get('--repo') ?? first].flatMap((word) => word ?? []))[0] ??
    'origin';
  const isForced = hasAny(split, '-f --force --force-with-lease --mirror --prune');
  const isDeleting = hasAny(split, '-d --delete');
  const risky = refspecsIn(literalTexts(rest)).filter(
    (spec) => !spec.startsWith('^') && (isForced || isDeleting || spec.startsWith('+') || /^:./.test(spec)),
  );
  const unknown = (note: string): Question => ({
    kind: 'unknown',
    what: `refs overwritten or deleted by ${call.source}`,
    note,
  });
  if ((isForced || isDeleting || risky.length > 0) && !areLiteral(split.operands)) return [unknown(AT_RUN_TIME)];
  const question = (refs: readonly WantedRef[] | 'current' | 'all', loss: string): Question => ({
    kind: 'refs',
    what: `refs ${loss} at ${remote} by ${call.source}`,
    directory: call.directory,
    remote,
    refs,
  });
  const ofAll = hasAny(split, '--mirror --prune') ? 'overwritten or deleted' : 'overwritten';
  const tags: readonly Question[] =
    isForced && hasAny(split, '--mirror --tags')
      ? [{ kind: 'unknown', what: `tags ${ofAll} at ${remote} by ${call.source}`, note: TAGS_OF_REMOTE }]
      : [];
  if (hasAny(split, '--mirror --all --branches --prune') && isForced) return [question('all', ofAll), ...tags];
  if (risky.some(namesSeveralRefs)) return [unknown(SEVERAL_REFS), ...tags];
  if (risky.length > 0) {
    const refs = risky.map((spec) => wantedRefOf(spec, isDeleting));
    return [question(refs, lossOf(refs)), ...tags];
  }
  // With `--tags` and no refspec, git pushes only tags.
  return isForced && rest.length === 0 && tags.length === 0 ? [question('current', 'overwritten')] : tags;
};

const TAGS_OF_REMOTE = 'which tags the remote has is not known without running git';
const SEVERAL_REFS = 'a refspec names several refs: which refs they are is not known without running git';

/** Whether the refspec has a wildcard, or is `:` (all branches that both sides have). */
const namesSeveralRefs = (spec: string): boolean => spec.includes('*') || /^\+?:$/.test(spec);

/** Joins the two words `tag NAME` to one refspec. */
const refspecsIn = (words: readonly string[]): readonly string[] =>
  words.flatMap((word, at) => {
    const isName = words[at - 1] === 'tag' && words[at - 2] !== 'tag';
    return isName ? [`refs/tags/${word}`] : word === 'tag' && at + 1 < words.length ? [] : [word];
  });

const areLiteral = (words: readonly Word[]): boolean => words.every(({ kind }) => kind === 'literal');

function lossOf(refs: readonly WantedRef[]): string {
  const deleted = refs.filter(({ source }) => source === null).length;
  if (deleted === 0) return 'overwritten';
  return deleted === refs.length ? 'deleted' : 'overwritten or deleted';
}

function wantedRefOf(spec: string, isDeleting: boolean): WantedRef {
  const [source = '', target] = spec.replace(/^\+/, '').split(':');
  if (isDeleting) return { source: null, target: source };
  return { source: source === '' ? null : source, target: target ?? source };
}

const refsDeleted =
  (prefix: string, options: string): MakeQuestions =>
  (call, split) => {
    if (!hasAny(split, options)) return [];
    const what = `refs deleted by ${call.source}`;
    if (!areLiteral(split.operands)) return [{ kind: 'unknown', what, note: AT_RUN_TIME }];
    const folder = hasAny(split, '-r --remotes') ? 'refs/remotes/' : prefix;
    const refs = literalTexts(split.operands).map((name) => ({ source: null, target: `${folder}${name}` }));
    return [{ kind: 'refs', what, directory: call.directory, remote: null, refs }];
  };

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
