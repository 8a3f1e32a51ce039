/** Unwraps `parallel CMD … ::: ARG…`. GNU parallel gives its words to a shell, so only plain words are understood. */
import { aboutProgram, because, type Reason } from '../reasons/reason.ts';
import { addedWords, type CommandCall, opaqueStep, type Step } from './inner-command.ts';
import { type FoundOption, optionTable, readOptions } from './read-options.ts';
import type { Word } from './reading.ts';
import { isKeyword } from './resolution.ts';
import type { Spelling } from './spelling.ts';

const OPTIONS = optionTable(
  `-j=:jobs --jobs=:jobs -P=:jobs --max-procs=:jobs -k --keep-order -0 --null --bar --progress --eta --will-cite --halt=:halt
  -n=:count --max-args=:count -a=:reads --arg-file=:reads -v --verbose --tag --line-buffer --lb --ungroup -u --timeout=:time
  --retries=:number --delay=:time -d=:delimiter --delimiter=:delimiter -q --quote`,
);
/**
 * The allowed values of options. The key is the meaning of the option in `OPTIONS`. Any other value makes the call opaque. parallel passes
 * the values of `-n`, `--delay` and `--timeout` to `eval` of Perl, so text in them may run a program. If the value of `-j` is not a number,
 * it is the name of a file.
 */
const VALUES: Readonly<Record<string, RegExp>> = {
  jobs: /^[+-]?\d+$|^\d+(?:\.\d+)?%$/,
  halt: /^(?:-?[0-2]|\d+%|never|(?:now|soon),(?:fail|success|done)=\d+%?)$/,
  count: /^\d+$/,
  number: /^\d+$/,
  time: /^\d+(?:\.\d+)?[smhd%]?$/,
  delimiter: /^(?:[^\\]|\\[nrt0\\])$/u,
};
/** Words without a character that a shell interprets. zsh replaces `=ls` by the path of `ls`. */
const SAFE = /^(?!=)[A-Za-z0-9_./:@%+,=-]*$/;
/** Words of zsh and fish that can precede a command. */
const OTHER_KEYWORDS: ReadonlySet<string> = new Set(
  '- and begin foreach nocorrect noglob not or repeat switch'.split(' '),
);
/** The marks that parallel replaces by its input or by a number. */
const MARK = /\{(?:|\.|\/|\/\/|\/\.|#|%|\d+|\d+\.|\d+\/|\d+\/\/|\d+\/\.)\}/;
/** The separators between the command and its input. Arguments follow `:::` and `:::+`. Files with arguments follow `::::` and `::::+`. */
const SEPARATORS = [':::', ':::+', '::::', '::::+'];
/** If this is the name of a file with arguments, parallel reads the arguments from standard input. */
const STDIN = '-';

export function unwrapParallel(call: CommandCall): Step {
  const refuse = (reason: Reason, source = call.program.source) => opaqueStep(aboutProgram(reason, 'parallel'), source);
  const read = readOptions(call.arguments, OPTIONS);
  if (!read.ok) return refuse(read, read.source);
  const unclear = read.options.find((option) => !hasClearValue(option));
  if (unclear !== undefined) return refuse(because('option-value-unclear'), unclear.value?.source);
  const end = read.rest.findIndex(isSeparator);
  const command = end === -1 ? read.rest : read.rest.slice(0, end);
  const [name] = command;
  if (name?.kind !== 'literal' || MARK.test(name.value)) return refuse(because('runs-read-commands'));
  if (name.value.includes('=') || isKeyword(name.value) || OTHER_KEYWORDS.has(name.value))
    return refuse(because('shell-words-not-plain'), name.source);
  const named = read.options.flatMap(({ meaning, value }) => (meaning === 'reads' && value !== null ? [value] : []));
  // With two sources of input, `{}` becomes several words: one word from each source.
  const isOne = !read.options.some(isSeveral) && read.rest.filter(isSeparator).length + named.length < 2;
  const words: Word[] = [];
  for (const word of command) {
    if (word.kind !== 'literal' || word.value === '--' || !SAFE.test(word.value.replaceAll(new RegExp(MARK, 'g'), '')))
      return refuse(because('shell-words-not-plain'), word.source);
    words.push(withInput(word, isOne));
  }
  if (!words.some((word) => word.kind === 'runtime')) words.push(addedWords('(what parallel reads)'));
  const reads = [...named, ...(end === -1 ? [] : inputFiles(read.rest.slice(end)))].filter((word) => !isStdin(word));
  const settings = [{ kind: 'repeated', value: null } as const];
  return {
    kind: 'inner',
    layer: {
      name: 'parallel',
      program: call.program,
      lookup: call.lookup,
      settings,
      writes: [],
      reads,
      hasTerminal: false,
    },
    inner: [{ kind: 'words', words, assignments: [], lookup: 'sh' }],
    outer: null,
  };
}

const isSeparator = (word: Word): boolean => word.kind === 'literal' && SEPARATORS.includes(word.value);
const isStdin = (word: Word): boolean => word.kind === 'literal' && word.value === STDIN;

function hasClearValue({ meaning, value }: FoundOption): boolean {
  const values = VALUES[meaning];
  return values === undefined || (value?.kind === 'literal' && values.test(value.value));
}

/** Whether the option gives one run of the command several arguments. */
const isSeveral = ({ meaning, value }: FoundOption): boolean =>
  meaning === 'count' && !(value?.kind === 'literal' && value.value === '1');

/**
 * Returns the word as parallel passes it to the shell. A word with a mark becomes a runtime word.
 * @param isOne whether each run of the command gets only one argument; with several arguments, a mark becomes several words
 */
function withInput(word: Word & { readonly kind: 'literal' }, isOne: boolean): Word {
  const at = word.value.search(MARK);
  if (at === -1) return word;
  const prefix = isOne ? word.value.slice(0, at) : '';
  return { kind: 'runtime', why: 'input', prefix, isOne, source: word.source };
}

/**
 * Returns the words that parallel may use as files with arguments. If a runtime word may become a separator, returns this word and all
 * words after it, except separators.
 * @param words begins with a separator
 */
function inputFiles(words: readonly Word[]): readonly Word[] {
  const files: Word[] = [];
  let areFiles = false;
  let isCertain = true;
  for (const word of words) {
    if (isSeparator(word)) {
      areFiles = word.kind === 'literal' && word.value.startsWith('::::');
      continue;
    }
    if (!areFiles && mayBecomeSeparator(word)) isCertain = false;
    if (areFiles || !isCertain) files.push(word);
  }
  return files;
}

/** Whether the word may become a separator when bash expands it. */
function mayBecomeSeparator(word: Word): boolean {
  if (word.kind === 'literal') return false;
  if (word.spellings !== undefined) return word.spellings.some(mayBeSpelledAsSeparator);
  return !word.isOne || SEPARATORS.some((each) => each.startsWith(word.prefix));
}

/** Whether the word may become a separator in this spelling. Only the texts at the two ends of the spelling are compared. */
function mayBeSpelledAsSeparator({ isHome, pieces }: Spelling): boolean {
  const [first, last] = [pieces[0], pieces.at(-1)].map((piece) => (piece?.kind === 'text' ? piece.value : ''));
  return !isHome && SEPARATORS.some((each) => each.startsWith(first ?? '') && each.endsWith(last ?? ''));
}
