/** Which variables a grant binds, and which variables make a line opaque if the line sets them. The table of variables decides. */
import type { EnvironmentEntry } from '../grant/request.ts';
import { mayBuildNames, mayTakeValues } from './built-names.ts';
import {
  CHANGING_VARIABLES,
  namesOfRow,
  PROGRAM_VARIABLES,
  PROMPT_VARIABLES,
  SHELL_VARIABLES,
  SHOWN_VARIABLES,
  type VariableRow,
} from './variable-table.ts';

type Test = (name: string) => boolean;

function testOf(rows: readonly VariableRow[]): Test {
  const exact = new Set<string>();
  const asWritten: string[] = [];
  const inLower: string[] = [];
  for (const row of rows)
    for (const name of namesOfRow(row))
      if (row.anyCase === true) inLower.push(patternOf(name.toLowerCase()));
      else if (name.includes('*')) asWritten.push(patternOf(name));
      else exact.add(name);
  const [written, lower] = [anyOf(asWritten), anyOf(inLower)];
  return (name) => exact.has(name) || written.test(name) || lower.test(name.toLowerCase());
}

const patternOf = (name: string): string => `^${name.replaceAll('*', '.*')}$`;
const anyOf = (patterns: readonly string[]): RegExp =>
  new RegExp(patterns.length === 0 ? '(?!)' : patterns.join('|'), 's');

const isListed = testOf([...SHELL_VARIABLES, ...PROGRAM_VARIABLES]);
/**
 * Whether the name has no space and is no identifier. Bash makes no variable of such an environment entry, but passes the entry to its
 * children. The built-in rules of make run the values of `CHECKOUT,v` and `COMPILE.c`. A session also has entries that are no variables:
 * their names have a space, such as `alias ll`.
 */
const isNoIdentifier: Test = (name) => /^\S*$/.test(name) && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
const isInTable: Test = (name) => !name.startsWith(NOT_EXPORTED) && (isListed(name) || isNoIdentifier(name));
/**
 * The entry `variable NAME` has a variable of a session that is not exported. No program gets such a variable, so the entry matters only to
 * a grant of the exact line.
 */
export const NOT_EXPORTED = 'variable ';
const isShown = testOf(SHOWN_VARIABLES);
const changesOften = testOf(CHANGING_VARIABLES);
const isOfPrompt = testOf(PROMPT_VARIABLES);

/** Whether a new value of this variable can change what runs, or where. */
export const decidesWhatRuns: Test = (name) => isInTable(name) && !isShown(name);

/** Whether a grant binds the value of this variable. */
export const isBoundVariable: Test = (name) => isInTable(name) && !changesOften(name) && !isOfPrompt(name);

/** The value of an entry for `boundBy`; undefined if there is no entry; null if the entry has only the digest of the value. */
export const knownValue = (entry: EnvironmentEntry | undefined): string | null | undefined =>
  entry?.digest === true ? null : entry?.value;

/** The value of an entry; undefined if there is no entry, or if the entry has only the digest of the value. */
export const shownValue = (entry: EnvironmentEntry | undefined): string | undefined =>
  entry === undefined || entry.digest === true ? undefined : entry.value;

/**
 * Whether a request binds the variable.
 * @param value the value of the variable; null: not known
 */
export type IsBound = (name: string, value?: string | null) => boolean;

/** Returns the value of a variable; undefined if the variable is not set; null if only the digest of the value is known. */
type ValueOf = (name: string) => string | null | undefined;

/**
 * What texts can use.
 * @property isNamed     whether the list at `reachOf` includes this variable; the last item of that list (`isAll`) does not count
 * @property isNamedLater whether the variable's name is a word in a text after the first text, or in the value of a named variable
 * @property isExpanded  whether a text or a named variable's value has `$NAME` or `${NAME…}`, or a builtin uses NAME (`IMPLIED`)
 * @property isAll       whether bash possibly builds the name of a variable at run time (`mayBuildNames`), so that it may use every variable
 * @property takesValues whether bash possibly runs, exports or expands the value of a variable that a text names (`mayTakeValues`)
 * @property forms       all texts and values in all their forms (`formsOf`)
 */
export interface Reach {
  readonly isNamed: (name: string) => boolean;
  readonly isNamedLater: (name: string) => boolean;
  readonly isExpanded: (name: string) => boolean;
  readonly isAll: boolean;
  readonly takesValues: boolean;
  readonly forms: readonly string[];
}

/**
 * Returns which variables bash can use when it reads the texts:
 * - each variable whose name is a word of the texts, also without `$`: `[[ v -eq 1 ]]` evaluates the value of `v`, and runs each command
 *   substitution in this value
 * - each variable whose name is a word in the value of a variable that was found before: if `v` is `w`, bash also evaluates the value of
 *   `w`. If a word is the name of an exported function, the words of this function count too
 * - variables that a builtin of the texts uses by itself (`IMPLIED`), such as HISTFILE
 * - if the texts have `${!NAME*}` or `${!NAME@}`: each variable whose name begins with NAME, because bash inserts all these names
 * - OLDPWD, if the texts or the found values contain `~-`. Also OLDPWD, if they contain `cd` or `pushd` together with a word that may be
 *   `-`. In both cases bash possibly uses OLDPWD
 * - every variable, if bash possibly builds the name of a variable at run time (`mayBuildNames`): `[[ $a$b -eq 1 ]]`
 */
export function reachOf(texts: readonly string[], valueIn: ValueOf): Reach {
  const named = new Set<string>();
  const namedLater = new Set<string>();
  const functions = new Set<string>();
  const beginnings = new Set<string>();
  const forms: string[] = [];
  const values: string[] = [];
  const waiting = texts.map((text, at) => ({ text, isFirst: at === 0 }));
  let isUnknown = false;
  let hasDash = false;
  let hasTildeDash = false;
  const addValue = (name: string) => {
    const value = valueIn(name);
    isUnknown ||= value === null;
    if (!value) return;
    values.push(value);
    waiting.push({ text: value, isFirst: false });
  };
  for (const name of EXPANDED_BY_BASH) addValue(name);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const form of formsOf(next.text)) {
      forms.push(form);
      hasDash ||= DASH_ALONE.test(form);
      hasTildeDash ||= form.includes('~-');
      for (const [, beginning = ''] of form.matchAll(/\$\{!([A-Za-z_]\w*)[*@]/g)) beginnings.add(beginning);
      for (const [name] of form.matchAll(/[A-Za-z_][A-Za-z0-9_]*/g)) {
        if (!next.isFirst) namedLater.add(name);
        if (named.has(name) || name === SET_BY_BASH) continue;
        named.add(name);
        addValue(name);
      }
      for (const [word] of form.matchAll(/[^\s;&|()<>"'`$={}]+/g)) {
        if (functions.has(word)) continue;
        functions.add(word);
        addValue(`BASH_FUNC_${word}%%`);
      }
    }
  const implied = IMPLIED.flatMap(([builtins, variables]) =>
    builtins.split(' ').some((name) => named.has(name)) ? variables.split(' ') : [],
  );
  for (const name of implied) named.add(name);
  if (hasTildeDash || (hasDash && (named.has('cd') || named.has('pushd')))) named.add('OLDPWD');
  const hasBeginning = (name: string) => [...beginnings].some((beginning) => name.startsWith(beginning));
  const expanded = new Set([...implied, ...forms.flatMap((form) => [...namesExpandedBy(form)])]);
  return {
    isNamed: (name) => named.has(name) || hasBeginning(name),
    isNamedLater: (name) => namedLater.has(name) || hasBeginning(name),
    isExpanded: (name) => expanded.has(name) || hasBeginning(name),
    isAll: mayBuildNames(forms, values, isUnknown),
    takesValues: mayTakeValues(forms),
    forms,
  };
}

/**
 * Returns a test whether a request binds a variable. Every request binds these variables:
 * - the variables of `isBoundVariable`
 * - the variables that bash can use when it reads the texts (`reachOf`). If bash can use every variable, a variable that changes by itself
 *   is left out, unless a text names it or its value is not plain
 *
 * A request for an interactive bash also binds the variables of prompts.
 * @param texts         the text that bash reads, and the arguments of bash or of a program
 * @param isInteractive whether bash gets `-i`
 */
export const boundBy = (texts: readonly string[], isInteractive: boolean, valueIn: ValueOf): IsBound =>
  boundByReach(reachOf(texts, valueIn), isInteractive);

export const boundByReach =
  ({ isNamed, isAll }: Reach, isInteractive: boolean): IsBound =>
  (name, value = null) =>
    isBoundVariable(name) ||
    isNamed(name) ||
    (isInteractive && isOfPrompt(name)) ||
    (isAll && name !== SET_BY_BASH && !(changesOften(name) && value !== null && isPlainValue(value)));

/** Variables that builtins use although no text names the variables: bash(1), "Shell Variables". */
const IMPLIED: readonly (readonly [builtins: string, variables: string])[] = [
  ['history fc', 'HISTFILE HISTTIMEFORMAT FCEDIT EDITOR'],
  ['read select mapfile readarray', 'TMOUT'],
  ['getopts', 'OPTIND OPTERR'],
];

/** Bash expands these variables before commands, although no text names them. `boundByReach` adds the other variables of prompts. */
const EXPANDED_BY_BASH = ['PS4'];

/**
 * Whether bash runs nothing and sets nothing if it evaluates the value: no index, no substitution, no assignment. A plain value may be
 * the name of another variable.
 */
export const isPlainValue: Test = (value) => /^[\w.:/@, -]*$/.test(value) && !value.includes('--');

/** No request binds `_`. bash starts with a fixed `_`, and sets `_` after each command. */
const SET_BY_BASH = '_';

/** Matches a `-` that can be a word of its own. An expansion beside the `-` may be empty: `$v-`, `-$v`. `${v:--}` can give a `-` too. */
const DASH_ALONE =
  /(?<![^\s;&|()<>{},`])-(?![^\s;&|()<>{},`$])|(?<![^\s;&|()<>{},`])-["'\\]*\$|(?:\$\w+|[}`)])["'\\]*-(?![^\s;&|()<>{},`])|[-=+?]-\}/;

/**
 * `formsOf` reads a text at most this many times. Each further reading replaces the escapes in the result of the reading before, because
 * bash may read a text again, for example with `eval`.
 */
const MAX_READINGS = 4;

/** Returns the text, and its forms with replaced escapes of `$'…'`. Also returns each form without quotes and line continuations. */
export function formsOf(text: string): ReadonlySet<string> {
  const forms = new Set<string>();
  let next = text;
  for (let reading = 0; reading < MAX_READINGS && !forms.has(next); reading += 1) {
    forms.add(next).add(unquoted(next));
    next = unescaped(next);
  }
  return forms;
}

const unquoted = (text: string): string => text.replace(/\\\n|\$(?=['"])|['"\\]/g, '');

/**
 * Replaces each escape of bash that names an ASCII character with this character: `\x76`, `\x{76}`, `\166`, `\u0076` (bash(1), QUOTING; the
 * braces are in ansicstr of bash 5.2).
 */
const unescaped = (text: string): string =>
  text.replace(ESCAPE, (sequence, octal, braced, hex, unicode, longUnicode) => {
    const digits = braced?.slice(-2) ?? hex ?? unicode ?? longUnicode;
    // Octal digits and digits in braces name one byte.
    const code = octal === undefined ? Number.parseInt(digits, 16) : Number.parseInt(octal, 8) % 256;
    return code < 128 ? String.fromCharCode(code) : sequence;
  });
const H = '[0-9a-fA-F]';
const ESCAPE = new RegExp(`\\\\(?:([0-7]{1,3})|x\\{(${H}+)\\}?|x(${H}{1,2})|u(${H}{1,4})|U(${H}{1,8}))`, 'g');

/**
 * Returns the variables that a text expands by name: `$NAME`, `${NAME…}`. Names in single quotes and in comments are returned too.
 * `$_` does not count, because bash sets this variable itself. Variables that arithmetic evaluates without `$` are not returned:
 * `((NAME))`, `[[ NAME -eq 1 ]]`, `${a[NAME]}`.
 */
export function namesExpandedBy(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [, name] of text.matchAll(/\$\{?[#!]?([A-Za-z_][A-Za-z0-9_]*)/g)) if (name !== undefined) names.add(name);
  names.delete('_');
  return names;
}
