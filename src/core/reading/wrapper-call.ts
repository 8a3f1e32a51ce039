/** Removes one wrapper from a command. The table of wrappers says where the inner command is. */
import { aboutProgram, because, isReason, type Reason } from '../reasons/reason.ts';
import { decidesWhatRuns } from '../variables/bound-variables.ts';
import { isBuiltinName } from './builtins.ts';
import type { ShellDialect } from './dialect.ts';
import {
  addedWords,
  type CommandCall,
  type InnerCommand,
  opaqueStep,
  PLAIN,
  type Step,
  withInput,
} from './inner-command.ts';
import { knownText } from './known-text.ts';
import { type FoundOption, literal, type OptionTable, optionTable, readOptions } from './read-options.ts';
import { type Assignment, type Opacity, type Word, wordFrom } from './reading.ts';
import type { Layer, Setting, SettingKind } from './unwrapping.ts';
import { FILTERS, WRAPPERS, type Wrapper } from './wrapper-table.ts';

const SETTINGS: ReadonlySet<string> = new Set<SettingKind>(['user', 'host', 'container', 'directory']);
const tables = new Map<string, OptionTable>();

function tableOf(options: string): OptionTable {
  const table = tables.get(options) ?? optionTable(options);
  tables.set(options, table);
  return table;
}

/** Returns the table's entry for the command, and the words after the verbs of the entry. Returns null if the command is no wrapper. */
export function wrapperOf(call: CommandCall): { readonly wrapper: Wrapper; readonly words: readonly Word[] } | null {
  for (const wrapper of WRAPPERS) {
    if (wrapper.name !== call.name) continue;
    const verbs = wrapper.verbs ?? [];
    const [next] = call.arguments.slice(verbs.length);
    if (!verbs.every((verb, at) => isLiteral(call.arguments[at], verb))) continue;
    if (wrapper.first !== undefined && !wrapper.first.some((option) => isLiteral(next, option))) continue;
    return { wrapper, words: call.arguments.slice(verbs.length) };
  }
  return null;
}

const isLiteral = (word: Word | undefined, value: string): boolean => word?.kind === 'literal' && word.value === value;

/** @param words the words after the verbs, as `wrapperOf` returns them */
export function unwrapByTable(call: CommandCall, wrapper: Wrapper, words: readonly Word[]): Step {
  const title = [wrapper.name, ...(wrapper.verbs ?? [])].join(' ');
  const refuse = (reason: Reason, source = call.program.source) => opaqueStep(aboutProgram(reason, title), source);
  const alone = () => (wrapper.alone === 'plain' ? PLAIN : refuse(because(wrapper.alone)));
  const split = wrapper.splits === undefined ? null : splitAgain(wrapper.splits, words);
  if (split === 'unclear') return refuse(because('splits-unclearly'), words[0]?.source);
  if (split !== null) return unwrapByTable(call, wrapper, split);
  const at = wrapper.separator === undefined ? -1 : words.findIndex((word) => isLiteral(word, '--'));
  if (wrapper.separator !== undefined && at === -1) return alone();
  const read = readOptions(at === -1 ? words : words.slice(0, at), tableOf(wrapper.options), wrapper.permutes ?? false);
  if (!read.ok) return refuse(read, read.source);
  const { options } = read;
  if (options.some(({ meaning }) => meaning === 'describes')) return PLAIN;
  const taken = takeOperands(wrapper, read.rest);
  if (isReason(taken)) return read.rest.length === 0 && wrapper.alone === 'plain' ? PLAIN : refuse(taken);
  const fault = faultIn(wrapper, options);
  if (fault !== null) return refuse(fault, fault.source);
  const isText = hasDashC(wrapper, taken.rest);
  const settings = [
    ...(wrapper.given ?? []),
    ...(isText ? [{ kind: 'login shell', value: null } as const] : []),
    ...taken.settings,
    ...options.flatMap(settingOf),
  ];
  const layer: Layer = {
    name: title,
    program: call.program,
    lookup: call.lookup,
    settings: lastOfEach(settings),
    writes: [...valuesOf(options, 'writes'), ...taken.writes],
    reads: valuesOf(options, 'reads'),
    hasTerminal: hasTerminal(wrapper, options),
    ...(isLeftRunning(wrapper, options) ? { isLeftRunning: true } : {}),
  };
  const behind = at === -1 ? taken.rest : [...taken.rest, ...words.slice(at + 1)];
  const inner = innerOf(wrapper, options, behind);
  if (inner === null) return alone();
  if (isReason(inner)) return refuse(inner, inner.source);
  const [name] = inner.kind === 'words' ? inner.words : [];
  // In zsh, `exec NAME` can run a builtin.
  if (call.lookup === 'sh' && wrapper.name === 'exec' && name?.kind === 'literal' && isBuiltinName(name.value))
    return refuse(because('bash-builtin-elsewhere'), name.source);
  // A shell other than bash has its own builtins. After `command`, that shell can run one of these builtins.
  const isElsewhere = call.lookup === 'sh' && inner.kind === 'words' && inner.lookup === 'builtin or file';
  return { kind: 'inner', layer, inner: [isElsewhere ? { ...inner, lookup: 'sh' } : inner], outer: null };
}

/** Whether `-c TEXT` is in the place of the command. The program in the variable SHELL runs TEXT. */
const hasDashC = ({ dashC }: Wrapper, [first]: readonly Word[]): boolean =>
  dashC === true && (isLiteral(first, '-c') || isLiteral(first, '--command'));

const hasTerminal = ({ terminal }: Wrapper, options: readonly FoundOption[]): boolean =>
  terminal === 'always' ||
  options.some(({ meaning }) => meaning === 'terminal') ||
  (terminal === 'usually' && !options.some(({ meaning }) => meaning === 'plain'));

const isLeftRunning = (wrapper: Wrapper, options: readonly FoundOption[]): boolean =>
  wrapper.isLeftRunning === true || options.some(({ meaning }) => meaning === 'background');

interface Taken {
  readonly settings: readonly Setting[];
  readonly writes: readonly Word[];
  readonly rest: readonly Word[];
}

/**
 * Reads the operands between the options and the command. Returns a reason if an operand is missing or unclear, or if there are too many
 * operands.
 */
function takeOperands(wrapper: Wrapper, words: readonly Word[]): Taken | Reason {
  const settings: Setting[] = [];
  const writes: Word[] = [];
  const operands = wrapper.operands ?? [];
  for (const [at, { looksLike, means }] of operands.entries()) {
    const word = words[at];
    if (word === undefined) {
      // `script` without an operand writes the file `typescript`.
      if (wrapper.permutes !== true || wrapper.separator !== undefined) return because('operand-missing');
      if (means === 'writes') writes.push(literal('typescript'));
      break;
    }
    if (word.kind !== 'literal' || !looksLike.test(word.value)) return because('operand-unclear');
    if (means === 'writes') writes.push(word);
    else if (means !== undefined) settings.push({ kind: means, value: word.value });
  }
  const rest = words.slice(operands.length);
  if (wrapper.permutes === true && rest.length > 0) return because('too-many-operands');
  return { settings, writes, rest };
}

function faultIn(wrapper: Wrapper, options: readonly FoundOption[]): Opacity | null {
  for (const { meaning, value } of options) {
    if (value === null) continue;
    const text = knownText(value);
    const fault = (reason: Reason): Opacity => ({ ...reason, source: value.source });
    if (meaning === 'filter' && !(value.kind === 'literal' && FILTERS[wrapper.name]?.test(text)))
      return fault(because('option-value-unclear'));
    if (meaning === 'writes' && (text === '' || /^[|!]/.test(text))) return fault(because('output-to-command'));
    if (meaning === 'unset' && (value.kind !== 'literal' || decidesWhatRuns(text)))
      return fault(because('unsets-deciding-variable'));
  }
  const has = (meaning: string) => options.some((option) => option.meaning === meaning);
  if (has('replaces') && has('counts')) return { ...because('options-exclusive'), source: wrapper.name };
  // `strace -ff -o x` writes `x.PID` for each process.
  if (options.filter(({ meaning }) => meaning === 'follows').length > 1 && has('writes'))
    return { ...because('option-unclear'), source: '-ff' };
  return null;
}

function settingOf({ meaning, value }: FoundOption): readonly Setting[] {
  if (meaning === 'clean') return [{ kind: 'clean environment', value: null }];
  if (meaning === 'login') return [{ kind: 'login shell', value: null }];
  if (!SETTINGS.has(meaning)) return [];
  return [{ kind: meaning as SettingKind, value: value?.kind === 'literal' ? value.value : null }];
}

/** The last setting of each kind counts: `sudo -u A -u B` runs the command as B. */
const lastOfEach = (settings: readonly Setting[]): readonly Setting[] => [
  ...new Map(settings.map((each) => [each.kind, each])).values(),
];

const valuesOf = (options: readonly FoundOption[], meaning: string): readonly Word[] =>
  options.flatMap((option) => (option.meaning === meaning && option.value !== null ? [option.value] : []));

/** Returns the command inside the wrapper. Returns a reason if this command is not understood, and null if there is no command. */
function innerOf(
  wrapper: Wrapper,
  options: readonly FoundOption[],
  words: readonly Word[],
): InnerCommand | Opacity | null {
  if (wrapper.form === 'text') return textOf(valuesOf(options, 'text').slice(-1), 'login');
  if (hasDashC(wrapper, words))
    return words.length === 2 ? textOf(words.slice(1), 'login') : { ...because('words-behind-text'), source: '-c' };
  const isJoined = wrapper.form === 'joined' && !options.some(({ meaning }) => meaning === 'words');
  if (isJoined && words[0]?.kind === 'literal' && words[0].value.startsWith('-'))
    return { ...because('option-behind-operand'), source: words[0].source };
  if (isJoined) return words.length === 0 ? null : textOf(words, wrapper.name === 'watch' ? 'sh' : 'remote');
  const assigned = takeAssignments(wrapper, options, words);
  if (isReason(assigned)) return assigned;
  const { rest, assignments } = assigned;
  if (wrapper.name === 'xargs') return inputOf(rest.length === 0 ? [literal('echo')] : rest, options);
  return rest.length === 0 ? null : { kind: 'words', words: rest, assignments, lookup: wrapper.lookup };
}

/** The value of `$0` in a text for a login shell: the name of this shell is not known. */
const OTHER_SHELL: Word = { kind: 'runtime', why: 'variable', prefix: '', isOne: true, source: '"$0"' };

/**
 * Joins the words to the text that a shell reads. Every word must be known: the shell would run the expansion of an unknown word. Returns
 * null if there are no words. The shell gets no word after the text, so `$0` is the shell's own name.
 */
function textOf(words: readonly Word[], dialect: ShellDialect): InnerCommand | Opacity | null {
  if (words.length === 0) return null;
  const texts = words.map((word) => (word.kind === 'literal' ? word.value : null));
  const unknown = words.find((word) => word.kind !== 'literal');
  if (unknown !== undefined || texts.includes(null))
    return { ...because('shell-text-unknown'), source: unknown?.source ?? '' };
  return { kind: 'text', text: texts.join(' '), dialect, parameters: [dialect === 'sh' ? literal('sh') : OTHER_SHELL] };
}

interface Assigned {
  readonly assignments: readonly Assignment[];
  readonly rest: readonly Word[];
}

/**
 * Reads each `NAME=VALUE` in front of the command (env, sudo) or in the value of an option. Returns a reason if an assignment is unclear.
 */
function takeAssignments(
  wrapper: Wrapper,
  options: readonly FoundOption[],
  words: readonly Word[],
): Assigned | Opacity {
  const assignments: Assignment[] = [];
  for (const value of valuesOf(options, 'assigns')) {
    const assignment = assignmentIn(value);
    if (assignment === null) return { ...because('passes-unclear-variable'), source: value.source };
    assignments.push(assignment);
  }
  let at = 0;
  for (; wrapper.assigns === true && at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    const assignment = assignmentIn(word);
    if (assignment !== null) assignments.push(assignment);
    else if (word.kind === 'literal' && !word.value.includes('=')) break;
    else return { ...because('name-or-variable-unknown'), source: word.source };
  }
  return { assignments, rest: words.slice(at) };
}

function assignmentIn(word: Word): Assignment | null {
  if (word.kind === 'runtime' && !word.isOne) return null;
  const text = knownText(word);
  const [head, name] = /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(text) ?? [];
  if (head === undefined || name === undefined) return null;
  const value: Word = word.kind === 'literal' ? literal(text.slice(head.length)) : wordFrom(word, head.length);
  return { name, value };
}

/**
 * Returns the command that xargs runs. xargs adds its input at the end of the words, or puts the input in place of a mark (`-I MARK`).
 * The name of the command must not come from the input.
 */
function inputOf(words: readonly Word[], options: readonly FoundOption[]): InnerCommand | Opacity {
  const mark = valuesOf(options, 'replaces').at(-1);
  const [name] = words;
  const command = (inner: readonly Word[]): InnerCommand => ({
    kind: 'words',
    words: inner,
    assignments: [],
    lookup: 'file',
  });
  if (mark === undefined) return command([...words, addedWords('(what xargs reads)')]);
  if (mark.kind !== 'literal' || mark.value === '') return { ...because('mark-unknown'), source: mark.source };
  if (name?.kind === 'literal' && name.value.includes(mark.value))
    return { ...because('runs-read-programs'), source: name.source };
  return command(words.map((word) => withInput(word, mark.value)));
}

/**
 * For `env -S 'TEXT' …`: returns the words in TEXT, followed by the words after TEXT. env reads all these words as its own arguments.
 * - null: the first word is not `-S`
 * - `unclear`: the text is not known, has a character that is not plain, or has another `-S`
 */
function splitAgain(pattern: RegExp, words: readonly Word[]): readonly Word[] | 'unclear' | null {
  const [first, second] = words;
  const [head, attached] = first?.kind === 'literal' ? (pattern.exec(first.value) ?? []) : [];
  if (head === undefined) return null;
  const isAttached = attached !== undefined && attached !== '';
  const text = isAttached ? attached : second?.kind === 'literal' ? second.value : null;
  if (text === null || !/^[A-Za-z0-9_./:@%+,= \t-]*$/.test(text)) return 'unclear';
  const pieces = text.split(/[ \t]+/).filter((piece) => piece !== '');
  return pieces.some((piece) => /^-.*S|^--s/.test(piece))
    ? 'unclear'
    : [...pieces.map(literal), ...words.slice(isAttached ? 1 : 2)];
}
