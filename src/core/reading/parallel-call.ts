/** Unwraps `parallel CMD … ::: ARG…`. GNU parallel gives its words to a shell, so only plain words are understood. */
import { aboutProgram, because, type Reason } from '../reasons/reason.ts';
import { addedWords, type CommandCall, opaqueStep, type Step } from './inner-command.ts';
import { optionTable, readOptions } from './read-options.ts';
import type { Word } from './reading.ts';

const OPTIONS = optionTable(
  `-j= --jobs= -P= --max-procs= -k --keep-order -0 --null --bar --progress --eta --will-cite --halt= -n= --max-args= -a=:reads
  --arg-file=:reads -v --verbose --tag --line-buffer --lb --ungroup -u --timeout= --retries= --delay= -d= --delimiter= -q --quote`,
);
/** Words without a character that a shell interprets. */
const SAFE = /^[A-Za-z0-9_./:@%+,=-]*$/;
/** The marks that parallel replaces by its input or by a number. */
const MARK = /\{(?:|\.|\/|\/\/|\/\.|#|%|\d+|\d+\.|\d+\/|\d+\/\/|\d+\/\.)\}/;
/** The words between the command and its input: `:::`, `::::`, `:::+`, `::::+`. */
const INPUT = /^::::?\+?$/;

export function unwrapParallel(call: CommandCall): Step {
  const refuse = (reason: Reason, source = call.program.source) => opaqueStep(aboutProgram(reason, 'parallel'), source);
  const read = readOptions(call.arguments, OPTIONS);
  if (!read.ok) return refuse(read, read.source);
  const end = read.rest.findIndex((word) => word.kind === 'literal' && INPUT.test(word.value));
  const command = end === -1 ? read.rest : read.rest.slice(0, end);
  const [name] = command;
  if (name?.kind !== 'literal' || MARK.test(name.value)) return refuse(because('runs-read-commands'));
  const words: Word[] = [];
  for (const word of command) {
    if (word.kind !== 'literal' || word.value === '--' || !SAFE.test(word.value.replaceAll(new RegExp(MARK, 'g'), '')))
      return refuse(because('shell-words-not-plain'), word.source);
    const at = word.value.search(MARK);
    words.push(
      at === -1
        ? word
        : { kind: 'runtime', why: 'input', prefix: word.value.slice(0, at), isOne: true, source: word.source },
    );
  }
  if (!words.some((word) => word.kind === 'runtime')) words.push(addedWords('(what parallel reads)'));
  const reads = read.options.flatMap(({ meaning, value }) => (meaning === 'reads' && value !== null ? [value] : []));
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
