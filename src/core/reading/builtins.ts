/** What each builtin of bash means for a line, see `BuiltinMeaning`. Source: bash(1) 5.2. */
import { because, type Reason } from '../reasons/reason.ts';
import { isTestElsewhere, meaningOfTest } from './builtin-test.ts';
import { meaningOfVariables } from './builtin-variables.ts';
import type { SimpleCommand, Word } from './reading.ts';
import type { Lookup } from './unwrapping.ts';

/**
 * - `harmless`: the builtin starts no program, writes no file, and does not change what later commands mean
 * - `directory`: if the builtin succeeds, later commands run in the directory `to`. `to` can be relative to the working directory. `to`
 *   is null if the directory is not known
 * - `opaque`: the builtin may run or change something that the line does not show, or this file does not understand the call
 * - `tool`: a rule file describes the effects of the builtin, as for a program (`kill`)
 * - `other`: the name is no builtin, is not looked up as a builtin, or is only known at run time
 */
export type BuiltinMeaning =
  | { readonly kind: 'harmless' }
  | { readonly kind: 'directory'; readonly to: Word | null }
  | ({ readonly kind: 'opaque' } & Reason)
  | { readonly kind: 'tool' }
  | { readonly kind: 'other' };

const HARMLESS: BuiltinMeaning = { kind: 'harmless' };
const opaqueBuiltin = (reason: Reason): BuiltinMeaning => ({ kind: 'opaque', ...reason });

/**
 * @property arguments the words after the name
 * @property lookup    how the shell looks the name up
 */
export interface BuiltinCall {
  readonly name: string;
  readonly arguments: readonly Word[];
  readonly lookup: Lookup;
}

type BuiltinRule = (call: BuiltinCall) => BuiltinMeaning;
const harmless: BuiltinRule = () => HARMLESS;
const always =
  (reason: Reason): BuiltinRule =>
  () =>
    opaqueBuiltin(reason);
/** Harmless if each argument is literal and matches `allowed`. */
const onlyWith =
  (allowed: RegExp, reason: Reason): BuiltinRule =>
  ({ arguments: words }) =>
    words.every((word) => word.kind === 'literal' && allowed.test(word.value)) ? HARMLESS : opaqueBuiltin(reason);

const CHANGES_MEANINGS = because('changes-meanings');
const EVALUATES_STRING = because('evaluates-string');
const RUNS_FILE = because('runs-file');

/** Every builtin of bash 5.2. */
const BUILTINS: Readonly<Record<string, BuiltinRule>> = {
  ':': harmless,
  true: harmless,
  false: harmless,
  echo: harmless,
  pwd: harmless,
  exit: harmless,
  logout: harmless,
  return: harmless,
  break: harmless,
  continue: harmless,
  shift: harmless,
  times: harmless,
  umask: onlyWith(/^(?:-[pS]+|0?[0-7]?[2367][2367])$/, because('opens-later-files')),
  ulimit: onlyWith(/^-[SH]?[abcdefiklmnpqrstuvxPRT]?$/, because('limits-later-commands')),
  type: harmless,
  help: harmless,
  dirs: onlyWith(/^[-+]?[lpv\d]+$/, because('changes-directory-stack')),
  caller: onlyWith(/^\d+$/, EVALUATES_STRING),
  fg: onlyWith(/^%?\w+$/, because('known-at-run-time')),
  bg: onlyWith(/^%?\w+$/, because('known-at-run-time')),
  disown: onlyWith(/^(?:-[ahr]+|%?\w+)$/, because('known-at-run-time')),
  jobs: onlyWith(/^(?:-[lnprs]+|%\w+)$/, because('may-run-command')),
  wait: meaningOfWait,
  command: meaningOfCommand,
  printf: meaningOfPrintf,
  test: meaningOfTest,
  '[': meaningOfTest,
  cd: meaningOfCd,
  pushd: () => ({ kind: 'directory', to: null }),
  popd: () => ({ kind: 'directory', to: null }),
  kill: () => ({ kind: 'tool' }),
  set: meaningOfSet,
  shopt: onlyWith(/^(?:-[qp]+|[a-z_]+)$/, CHANGES_MEANINGS),
  hash: onlyWith(/^(?:-[rlt]+|[\w.+][\w.+-]*)$/, CHANGES_MEANINGS),
  history: onlyWith(/^\d+$/, because('changes-history')),
  alias: onlyWith(/^-p$/, CHANGES_MEANINGS),
  trap: onlyWith(/^-[lp]+$/, because('runs-later')),
  bind: onlyWith(/^-[lpPsSvV]+$/, because('changes-keys')),
  export: meaningOfVariables,
  declare: meaningOfVariables,
  typeset: meaningOfVariables,
  local: meaningOfVariables,
  unset: meaningOfVariables,
  read: meaningOfVariables,
  readonly: meaningOfVariables,
  unalias: always(CHANGES_MEANINGS),
  enable: always(CHANGES_MEANINGS),
  exec: always(because('replaces-shell')),
  builtin: always(because('names-unclear-builtin')),
  eval: always(EVALUATES_STRING),
  let: always(EVALUATES_STRING),
  getopts: always(because('sets-variables-by-name')),
  mapfile: always(because('fills-variable')),
  readarray: always(because('fills-variable')),
  source: always(RUNS_FILE),
  '.': always(RUNS_FILE),
  fc: always(because('runs-history')),
  complete: always(because('runs-on-completion')),
  compgen: always(because('may-run-commands')),
  compopt: always(because('changes-completion')),
  suspend: always(because('stops-shell')),
};
/** The builtins that we understand in other shells too. Another shell may look up the other names of `BUILTINS` as files. */
const POSIX: ReadonlySet<string> = new Set(
  `: true false echo pwd exit return break continue shift times umask ulimit type fg bg jobs wait command printf test [ cd kill set
  hash alias trap unalias exec eval getopts . fc`.split(/\s+/),
);
/** A word in which no shell expands or evaluates anything. */
export const PLAIN_WORD = /^[\w./+=,:@%-]+$/;
/** The builtins of `POSIX` whose arguments no shell evaluates. */
const COMPUTES_NOTHING: ReadonlySet<string> = new Set([':', 'true', 'false', 'echo', 'pwd']);
/** The builtins of `POSIX` whose arguments zsh or ksh evaluates: `exit 'a[$(command)]'` runs the command. */
const COMPUTES: ReadonlySet<string> = new Set(['exit', 'return', 'break', 'continue', 'shift']);
/** If the format of printf matches, no shell evaluates the other arguments. */
const FORMAT_OF_TEXT = /^(?:[^%]|%[sb%])*$/;

/**
 * Names of builtins of dash, busybox, ksh, zsh, fish or csh. These builtins are not harmless: some change the directory, some run a
 * command. bash looks up these names as files.
 */
const ELSEWHERE: ReadonlySet<string> = new Set(
  `- and begin bye getln global goto limit not onintr or pushln rehash setenv switch ttyctl unfunction unhash unlimit unsetenv
  zcompile zstyle chdir autoload compound emulate enum float foreach functions hist integer namespace nameref nocorrect noglob print redirect
  repeat sched setopt unsetopt vared zle zmodload zparseopts`.split(/\s+/),
);

/** Whether bash knows a builtin of this name. */
export const isBuiltinName = (name: string): boolean => Object.hasOwn(BUILTINS, name);

const PREFIXES: ReadonlySet<string> = new Set(['builtin', 'command']);

/**
 * Removes every leading `builtin` and `command` from the words: `command builtin cd x` changes the directory as `cd x` does. Returns null
 * if a removed word is followed by an option, or by a word that is only known at run time.
 */
export function behindPrefixes(words: readonly Word[]): readonly Word[] | null {
  const first = words.findIndex((word) => word.kind !== 'literal' || !PREFIXES.has(word.value));
  if (first === 0) return words;
  if (first === -1) return [];
  const name = words[first];
  return name?.kind === 'literal' && !name.value.startsWith('-') ? words.slice(first) : null;
}

/** @param lookup how the name is looked up: with `file`, no name is a builtin */
export function meaningOfBuiltin(command: SimpleCommand, lookup: Lookup): BuiltinMeaning {
  const [program, ...rest] = command.words;
  if (program?.kind !== 'literal' || lookup === 'file') return { kind: 'other' };
  if (lookup === 'sh' && ELSEWHERE.has(program.value)) return opaqueBuiltin(because('builtin-of-other-shell'));
  if (!Object.hasOwn(BUILTINS, program.value)) return { kind: 'other' };
  const name = program.value;
  // In another shell the name may be a file. The meaning of bash's builtin then says nothing.
  if (lookup === 'sh' && !POSIX.has(name)) return opaqueBuiltin(because('bash-builtin-elsewhere'));
  if (lookup === 'sh' && !isSameElsewhere(name, rest)) return opaqueBuiltin(because('bash-builtin-elsewhere'));
  return BUILTINS[name]?.({ name, arguments: rest, lookup }) ?? opaqueBuiltin(because('builtin-unclear'));
}

/** Whether a builtin of `POSIX` does the same with these arguments in every POSIX shell. */
function isSameElsewhere(name: string, words: readonly Word[]): boolean {
  if (COMPUTES_NOTHING.has(name)) return true;
  if (COMPUTES.has(name)) return words.every(isNumberElsewhere);
  if (name === 'printf') return words[0]?.kind === 'literal' && FORMAT_OF_TEXT.test(words[0].value);
  if (name === 'test' || name === '[')
    return isTestElsewhere(name === '[' ? words.slice(0, -1) : words, isNumberElsewhere);
  return words.every((word) => isNumber(word) || (word.kind === 'literal' && PLAIN_WORD.test(word.value)));
}

const isNumberElsewhere = (word: Word): boolean =>
  isNumber(word) || (word.kind === 'literal' && /^\d+$/.test(word.value));

/** Opaque with `-p NAME`, which sets the variable NAME. `$!`, `$$`, `$#` and `$?` are accepted: each is a number, or empty. */
function meaningOfWait({ arguments: words }: BuiltinCall): BuiltinMeaning {
  return words.every((word) => isNumber(word) || (word.kind === 'literal' && /^(?:-[nf]+|%?\w+)$/.test(word.value)))
    ? HARMLESS
    : opaqueBuiltin(because('may-set-by-name'));
}

const isNumber = (word: Word): boolean => word.kind === 'runtime' && /^"?\$[!$#?]"?$/.test(word.source);

/** Harmless if there are no arguments, or if the first is `-v` or `-V`. `unwrap` has already removed `command` from `command NAME …`. */
function meaningOfCommand({ arguments: words }: BuiltinCall): BuiltinMeaning {
  const [option] = words;
  return option === undefined || (option.kind === 'literal' && /^-[vV]$/.test(option.value))
    ? HARMLESS
    : opaqueBuiltin(because('runs-command-unclearly'));
}

/**
 * `-v NAME` and `%n` assign a variable, and evaluate an index in the variable's name. So the call is opaque in these cases:
 * - The first word begins with `-`, and is not `--`. Further options may follow this word.
 * - The format contains `%n`, or is only known at run time.
 */
function meaningOfPrintf({ arguments: words }: BuiltinCall): BuiltinMeaning {
  const [first, second] = words;
  const isEnd = first?.kind === 'literal' && first.value === '--';
  const format = isEnd ? second : first;
  if (format === undefined) return HARMLESS;
  if (format.kind === 'runtime') return opaqueBuiltin(because('format-unknown'));
  if (!isEnd && format.value.startsWith('-')) return opaqueBuiltin(because('sets-variable-by-name'));
  return /%[-+ #0'*\d.$hlLjzt]*n/.test(format.value) ? opaqueBuiltin(because('sets-variable-by-name')) : HARMLESS;
}

/** `cd` without an operand goes to HOME, and `cd -` goes to the previous directory. Both directories are only known at run time. */
function meaningOfCd({ arguments: words }: BuiltinCall): BuiltinMeaning {
  const rest = words.filter((word) => !(word.kind === 'literal' && /^(?:-[LPe]+|--)$/.test(word.value)));
  const [to] = rest;
  if (rest.length !== 1 || to?.kind !== 'literal' || /^-|^\+/.test(to.value) || to.value === '')
    return { kind: 'directory', to: null };
  return { kind: 'directory', to };
}

/**
 * Harmless with `-e`, `-u`, `-x`, `-v`, the names of these options after `-o`, and `-o pipefail`. These options change when a line stops
 * and what the line prints, but not what its commands mean.
 */
function meaningOfSet({ arguments: words }: BuiltinCall): BuiltinMeaning {
  const values = words.map((word) => (word.kind === 'literal' ? word.value : ''));
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? '';
    const [, o] = /^[-+][euxv]*(o?)$/.exec(value) ?? [];
    if (o === undefined || value.length < 2) return opaqueBuiltin(CHANGES_MEANINGS);
    if (o === 'o' && !/^(?:pipefail|errexit|nounset|xtrace|verbose)$/.test(values[++at] ?? ''))
      return opaqueBuiltin(CHANGES_MEANINGS);
  }
  return values.length === 0 ? opaqueBuiltin(because('prints-variables')) : HARMLESS;
}
