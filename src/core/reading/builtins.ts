/** What bash's builtins mean for a line: some are harmless, the others make it opaque. Source: bash(1) 5.2. */
import { because, type Reason } from '../reasons/reason.ts';
import { meaningOfTest } from './builtin-test.ts';
import { meaningOfVariables } from './builtin-variables.ts';
import type { SimpleCommand, Word } from './reading.ts';
import type { Lookup } from './unwrapping.ts';

/**
 * - `harmless`: it only writes output, or changes state of the shell on which no later command depends
 * - `directory`: later commands run in another directory; `to` is null when that is only known at run time
 * - `opaque`: it evaluates a string, or changes what later commands mean
 * - `tool`: a builtin with the effects of a program, by its rule file (`kill`)
 * - `other`: not a builtin, or the name is not looked up as one
 */
export type BuiltinMeaning =
  | { readonly kind: 'harmless' }
  | { readonly kind: 'directory'; readonly to: Word | null }
  | ({ readonly kind: 'opaque' } & Reason)
  | { readonly kind: 'tool' }
  | { readonly kind: 'other' };

const HARMLESS: BuiltinMeaning = { kind: 'harmless' };
const opaqueBuiltin = (reason: Reason): BuiltinMeaning => ({ kind: 'opaque', ...reason });

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
/** Harmless if all its words match. */
const onlyWith =
  (allowed: RegExp, reason: Reason): BuiltinRule =>
  ({ arguments: words }) =>
    words.every((word) => word.kind === 'literal' && allowed.test(word.value)) ? HARMLESS : opaqueBuiltin(reason);

const MEANS_OTHERS = because('changes-meanings');
const EVALUATES = because('evaluates-string');
const EXECUTES = because('runs-file');

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
  caller: onlyWith(/^\d+$/, EVALUATES),
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
  shopt: onlyWith(/^(?:-[qp]+|[a-z_]+)$/, MEANS_OTHERS),
  hash: onlyWith(/^(?:-[rlt]+|[\w.+][\w.+-]*)$/, MEANS_OTHERS),
  history: onlyWith(/^\d+$/, because('changes-history')),
  alias: onlyWith(/^-p$/, MEANS_OTHERS),
  trap: onlyWith(/^-[lp]+$/, because('runs-later')),
  bind: onlyWith(/^-[lpPsSvV]+$/, because('changes-keys')),
  export: meaningOfVariables,
  declare: meaningOfVariables,
  typeset: meaningOfVariables,
  local: meaningOfVariables,
  unset: meaningOfVariables,
  read: meaningOfVariables,
  readonly: meaningOfVariables,
  unalias: always(MEANS_OTHERS),
  enable: always(MEANS_OTHERS),
  exec: always(because('replaces-shell')),
  builtin: always(because('names-unclear-builtin')),
  eval: always(EVALUATES),
  let: always(EVALUATES),
  getopts: always(because('sets-variables-by-name')),
  mapfile: always(because('fills-variable')),
  readarray: always(because('fills-variable')),
  source: always(EXECUTES),
  '.': always(EXECUTES),
  fc: always(because('runs-history')),
  complete: always(because('runs-on-completion')),
  compgen: always(because('may-run-commands')),
  compopt: always(because('changes-completion')),
  suspend: always(because('stops-shell')),
};
/** The builtins that every POSIX shell has. To such a shell, any other name is a file. */
const POSIX: ReadonlySet<string> = new Set(
  `: true false echo pwd exit return break continue shift times umask ulimit type fg bg jobs wait command printf test [ cd kill set
  hash alias trap export local unset read readonly unalias exec eval getopts . fc`.split(/\s+/),
);

/** Whether bash knows a builtin of this name. */
export const isBuiltinName = (name: string): boolean => Object.hasOwn(BUILTINS, name);

/** @param lookup how the name is looked up: with `file`, no name is a builtin */
export function meaningOfBuiltin(command: SimpleCommand, lookup: Lookup): BuiltinMeaning {
  const [program, ...rest] = command.words;
  if (program?.kind !== 'literal' || lookup === 'file' || !Object.hasOwn(BUILTINS, program.value))
    return { kind: 'other' };
  const name = program.value;
  // There the name is a file: that the builtin of bash is harmless does not count.
  if (lookup === 'sh' && !POSIX.has(name)) return opaqueBuiltin(because('bash-builtin-elsewhere'));
  return BUILTINS[name]?.({ name, arguments: rest, lookup }) ?? opaqueBuiltin(because('builtin-unclear'));
}

/** Opaque with `-p NAME`, which sets a variable by name. `$!` and the like are numbers. */
function meaningOfWait({ arguments: words }: BuiltinCall): BuiltinMeaning {
  return words.every((word) => isNumber(word) || (word.kind === 'literal' && /^(?:-[nf]+|%?\w+)$/.test(word.value)))
    ? HARMLESS
    : opaqueBuiltin(because('may-set-by-name'));
}

const isNumber = (word: Word): boolean => word.kind === 'runtime' && /^"?\$[!$#?]"?$/.test(word.source);

/** For `-v` and `-V` only: `command` with a command is a wrapper, and was unwrapped before. */
function meaningOfCommand({ arguments: words }: BuiltinCall): BuiltinMeaning {
  const [option] = words;
  return option === undefined || (option.kind === 'literal' && /^-[vV]$/.test(option.value))
    ? HARMLESS
    : opaqueBuiltin(because('runs-command-unclearly'));
}

/**
 * Opaque with an option and with `%n`: both assign a variable and evaluate its index. bash takes the last of several `-v`, and `--` may
 * follow it, so no form with `-v` is understood.
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

/** Without a word, the target is HOME, and `-` is the previous directory: both are only known at run time. */
function meaningOfCd({ arguments: words }: BuiltinCall): BuiltinMeaning {
  const rest = words.filter((word) => !(word.kind === 'literal' && /^(?:-[LPe]+|--)$/.test(word.value)));
  const [to] = rest;
  if (rest.length !== 1 || to?.kind !== 'literal' || /^-|^\+/.test(to.value) || to.value === '')
    return { kind: 'directory', to: null };
  return { kind: 'directory', to };
}

/** `-e`, `-u`, `-x`, `-v` and the like change when a line stops and what it prints, not what its commands are. */
function meaningOfSet({ arguments: words }: BuiltinCall): BuiltinMeaning {
  const values = words.map((word) => (word.kind === 'literal' ? word.value : ''));
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? '';
    const [, o] = /^[-+][euxv]*(o?)$/.exec(value) ?? [];
    if (o === undefined || value.length < 2) return opaqueBuiltin(MEANS_OTHERS);
    if (o === 'o' && !/^(?:pipefail|errexit|nounset|xtrace|verbose)$/.test(values[++at] ?? ''))
      return opaqueBuiltin(MEANS_OTHERS);
  }
  return values.length === 0 ? opaqueBuiltin(because('prints-variables')) : HARMLESS;
}
