/** Bash sends many entries with a line. This file selects the entries that a grant binds. */
import type { EnvironmentEntry } from '../../core/grant/request.ts';
import type { AssignedValue } from '../../core/reading/assigned-first.ts';
import type { LineReading } from '../../core/reading/line-reading.ts';
import { attributesOf, SET_IN_PASSING } from '../../core/variables/attributes.ts';
import {
  boundByReach,
  formsOf,
  isPlainValue,
  NOT_EXPORTED,
  namesExpandedBy,
  type Reach,
  reachOf,
} from '../../core/variables/bound-variables.ts';
import { mayBecomeOne, mayUseVariables } from '../../core/variables/built-names.ts';
import { type DeclaredVariable, declaredVariables } from '../../core/variables/declared-variables.ts';
import { sha256Hex } from '../../platform/digest.ts';
import { boundEntry } from '../../platform/surroundings.ts';
import { isUsualOfShell } from './usual-shell.ts';

/** The entry with the output of `declare -p`. Bash sends this entry only if the gate asks for it (`needsVariables`). */
export const VARIABLES = 'all variables';
/** The entry with the directories below the first in the stack of `pushd`. */
const STACK = 'directory stack';
/** The entry with `$1`, `$2` and so on. */
const PARAMETERS = 'positional parameters';
/** The entry with `$_`. */
const LAST_ARGUMENT = 'last argument';

/**
 * Returns the entries that a grant binds, in the order of `entries`:
 * - the entries `KIND NAME=VALUE`, such as aliases; for attributes and the stack of directories, see below
 * - the variables that every grant binds, that the line names, or that the text of an alias or a function of the line names
 * - PWD, if the session reached its directory through links
 * - the attributes of each variable that the line can set
 * - the attributes of each name reference that the line reads or that bash itself sets
 * - the stack of directories, the positional parameters and `$_`, if the line may use them
 * - `variable NAME` for variables that are not exported, and for arrays (`isBoundOfShell`)
 * - `variable NAME attributes` if the attributes of a variable decide what an assignment does (`boundAttributes`)
 *
 * Leaves out variables with their usual values (`isUsualOfShell`). If bash sends a name twice, the first value that is not usual counts.
 * @param cwd     the real directory of bash
 * @param entries as bash sends them: `NAME=VALUE`, `alias NAME=VALUE`, … (`src/pty/channel-frames.ts`)
 */
export function boundEntries(
  entries: readonly Buffer[],
  { text, settable, assignedFirst }: LineReading,
  cwd: string,
): readonly EnvironmentEntry[] {
  const all = entries.map((entry) => ({ entry, ...partsOf(entry) }));
  const report = all.find(({ name }) => name === VARIABLES)?.value.toString('utf8');
  const parts = all.filter(({ name }) => name !== VARIABLES);
  const declared = declaredVariables(report ?? '');
  const values = new Map(parts.map(({ name, value }) => [name, value]));
  const texts = parts
    .filter(({ name }) => /^(?:alias|function) /.test(name))
    .map(({ value }) => value.toString('utf8').replace(OWN_FUNCTION, ''));
  const reach = reachOf(
    [text, ...texts],
    (name) => values.get(name)?.toString('utf8') ?? declared?.get(name)?.value ?? undefined,
  );
  const isBoundVariable = boundByReach(reach, false);
  const expanded = namesExpandedBy(text);
  // With a redefined word the line may not be what our parser reads.
  const isRedefined = parts.some(({ name }) => REDEFINES.test(name));
  const aliases = parts.filter(({ name }) => name.startsWith('alias ')).map(({ value }) => value.toString('utf8'));
  const usesLastArgument =
    (isRedefined || !assignedFirst.has('_')) &&
    [text, ...aliases].some((each) => [...formsOf(each)].some((form) => USES_LAST_ARGUMENT.test(form)));
  const isBound = (name: string, value: Buffer) => {
    const variable = attributesOf(name);
    if (name === 'PWD' && value.toString('utf8') !== cwd) return true; // `cd ..` goes to the directory above PWD
    if (name === STACK) return mayUseStack(reach);
    if (name === PARAMETERS) return mayUseParameters(reach);
    if (name === LAST_ARGUMENT) return usesLastArgument;
    if (variable === null) return name.includes(' ') || isBoundVariable(name, value.toString('utf8'));
    // Bash evaluates the index in a name reference (`declare -n`) even when the line only reads the variable.
    return settable.has(variable) || (value.includes('n') && (expanded.has(variable) || SET_IN_PASSING.has(variable)));
  };
  const readsOptions = (reach.isAll && reach.takesValues) || reach.forms.some((form) => READS_OPTIONS.test(form));
  const bound = new Map<string, EnvironmentEntry>();
  for (const { entry, name, value } of parts) {
    // Checks the name first: most exported variables do not matter, and digests of secrets cost time.
    if (bound.has(name) || !isBound(name, value)) continue;
    if (!isUsualOfShell(name, value.toString('utf8'), readsOptions))
      bound.set(name, name.endsWith(' *') ? digest(name, entry) : boundEntry(name, value));
  }
  const ofShell =
    declared === null
      ? [digest(`${NOT_EXPORTED}*`, Buffer.from(report ?? ''))]
      : [...declared].flatMap(([name, variable]) => {
          if (name === '_' || name.startsWith('__ape_')) return [];
          const isSetFirst = !isRedefined && isAssignedFirst(name, variable, reach, assignedFirst);
          const attributes = boundAttributes(name, variable, reach, isSetFirst);
          const { isExported, value } = variable;
          const isReported = (isExported || values.has(name)) && !isArray(variable);
          return [
            ...(attributes === null || bound.has(attributes.name) ? [] : [attributes]),
            ...(value === null || isReported || !isBoundOfShell(name, variable, reach, isSetFirst)
              ? []
              : [renamed(boundEntry(name, Buffer.from(value)))]),
          ];
        });
  return [...bound.values(), ...ofShell];
}

/**
 * Whether the gate needs the values of all variables for this line.
 * @param entries the entries that came with the line
 */
export function needsVariables(text: string, entries: readonly Buffer[]): boolean {
  const names = new Set(entries.map((entry) => partsOf(entry).name));
  return (
    mayUseVariables(text) ||
    [...names].some((name) => /^(?:alias|function) /.test(name)) ||
    (!names.has('OLDPWD') && reachOf([text], () => undefined).isNamed('OLDPWD'))
  );
}

/** If one of these entries exists, the line may not be what our parser reads: an alias, or a `read` that is not the builtin of bash. */
const REDEFINES = /^(?:alias .|(?:function|disabled) (?:read|\*)$)/;

/** A function of the set-up text, as `declare -f` writes it. */
const OWN_FUNCTION = /^__ape_\w* \(\) *\n\{[\s\S]*?^\}$/gm;

const isArray = ({ attributes }: DeclaredVariable): boolean => /[aA]/.test(attributes);

/**
 * Whether the line sets the variable before it uses the variable, so that the present value does not matter. The line cannot set a
 * read-only variable. With a reference (`declare -n`), the line sets another variable. `v=x` sets only one element of an array. In an
 * associative array, the `x` in `v=(x)` is a key.
 */
function isAssignedFirst(
  name: string,
  { attributes }: DeclaredVariable,
  { isNamedLater, isAll, takesValues }: Reach,
  assigned: ReadonlyMap<string, AssignedValue>,
): boolean {
  const value = assigned.get(name);
  if (value === undefined || (isAll && takesValues) || isNamedLater(name)) return false;
  return !/[rAn]/.test(attributes) && (value === 'array' || !attributes.includes('a'));
}

/**
 * Whether a grant binds a variable that is not exported, or an array. Programs get no array. The entry that bash sends with the line
 * contains only the first element of an array.
 * - A value with an index, a substitution or an assignment may run or set something as soon as bash evaluates the value. So the value is
 *   bound if the line can use it.
 * - A plain value is bound if the line names the variable, and does not set the variable first. If bash may build names of variables at
 *   run time, a plain value is also bound if bash may do more with the values than arithmetic.
 * - A number is bound if the line expands the number (`$v`), and does not set the variable first. If bash may do more with the values than
 *   arithmetic, a number is bound like a plain value, but a number of `CHANGING_NUMBER` only if the line names its variable. If a grant
 *   bound each number, a line that counts would need a decision each time.
 * - A variable of bash is bound like any other, unless no line can set it. Bash does not send the variables that it changes itself
 *   (`__ape_is_own`).
 */
function isBoundOfShell(
  name: string,
  { parts }: DeclaredVariable,
  { isNamed, isExpanded, isAll, takesValues }: Reach,
  isSetFirst: boolean,
): boolean {
  if (NEVER_SET_BY_LINE.test(name)) return false;
  if (!parts.every(isPlainValue)) return isNamed(name) || (isAll && !isUsualText(name, parts));
  if (parts.length > 0 && parts.every((part) => /^-?\d+$/.test(part)))
    return (
      (isExpanded(name) || (takesValues && (isNamed(name) || (isAll && !CHANGING_NUMBER.test(name))))) && !isSetFirst
    );
  return (isNamed(name) || (isAll && takesValues)) && !isSetFirst;
}

/**
 * Returns the attributes that matter if the line names the variable; null if none matters.
 * - An assignment to a read-only variable fails, and bash may go on with the old value.
 * - `-a` and `-A`: in an associative array, the `i` in `v[i]=x` is a key; in an indexed array, bash evaluates `i`. These attributes
 *   matter only if the array has no value or the value `()`. Every other value shows the kind of its array by its end (` )` or `)`).
 * - `-i`, `-l`, `-u` and `-n` change what an assignment in a function of the line stores. For the line itself, bash reports `attribute NAME`,
 *   except if an expansion or arithmetic sets the variable.
 * - `-x` without a value: when the line sets such a variable, programs get the variable.
 */
function boundAttributes(
  name: string,
  { attributes, value }: DeclaredVariable,
  { isNamed, isNamedLater, isAll, forms }: Reach,
  isSetFirst: boolean,
): EnvironmentEntry | null {
  if (!(isNamed(name) || isAll) || ATTRIBUTES_OF_BASH[name] === inOrder(attributes)) return null;
  const isElsewhere = isAll || isNamedLater(name);
  const assignsInPassing = forms.some((form) => ASSIGNS_IN_PASSING.test(form));
  const decides = (letter: string): boolean => {
    if (letter === 'x') return value === null && isNamed(name);
    if (isSetFirst) return false;
    if (letter === 'a' || letter === 'A') return value === null || value === '()';
    return letter === 'r' || ((isElsewhere || assignsInPassing) && 'ilunc'.includes(letter));
  };
  const letters = [...attributes].filter(decides).join('');
  return letters === '' ? null : { name: `${NOT_EXPORTED}${name} attributes`, value: letters };
}

/** `${v:=x}`, and arithmetic, which may assign too. */
const ASSIGNS_IN_PASSING = /\$\{[^}]*=|\(\(|\$\[|\blet\b|\]/;

/** Returns the letters in alphabetical order, without `x`. */
const inOrder = (attributes: string): string => [...attributes.replace('x', '')].sort().join('');

/** The attributes that bash itself gives to variables. */
const ATTRIBUTES_OF_BASH: Readonly<Record<string, string>> = Object.fromEntries(
  (
    [
      ['BASHOPTS SHELLOPTS', 'r'],
      ['BASH_VERSINFO', 'ar'],
      ['BASH_COMPLETION_VERSINFO BASH_REMATCH DIRSTACK FUNCNAME GROUPS PIPESTATUS', 'a'],
      ['BASH_ALIASES BASH_CMDS', 'A'],
      ['PPID UID EUID', 'ir'],
      ['RANDOM SRANDOM SECONDS LINENO HISTCMD BASHPID OPTIND MAILCHECK', 'i'],
    ] as const
  ).flatMap(([names, letters]) => names.split(' ').map((name) => [name, letters])),
);

/**
 * Variables of bash that need no entry `variable NAME`. No line can change BASH_VERSINFO, PPID, UID and EUID, which are read-only.
 * With each line, bash sends the values of IFS, SHELLOPTS and BASHOPTS in entries without `variable`.
 */
const NEVER_SET_BY_LINE = /^(?:BASH_VERSINFO|PPID|E?UID|IFS|SHELLOPTS|BASHOPTS)$/;
/** Numbers that bash changes when a window or the depth of shells changes. */
const CHANGING_NUMBER = /^(?:COLUMNS|LINES|SHLVL)$/;
/**
 * The usual values of variables of bash, if these values are not plain (`isPlainValue`). PROMPT_COMMAND often changes PS0 and PS1, so every
 * value of PS0 and PS1 is usual.
 */
const USUAL_TEXTS: Readonly<Record<string, RegExp>> = {
  PS0: /^/,
  PS1: /^/,
  PS2: /^> $/,
  PS3: /^#\? $/,
  PS4: /^\+ $/,
  BASH_VERSION: /^[\d.]+\(\d+\)-release$/,
  COMP_WORDBREAKS: /^(?:\$')?[ "'\\tn@><=;|&(:]*$/,
};

/** Whether a variable of bash has a usual text. If a line does not name the variable, the grant of the line does not bind a usual text. */
export const isUsualText = (name: string, parts: readonly string[]): boolean =>
  name === 'BASH_ALIASES' || name === 'BASH_CMDS' || name === 'DIRSTACK'
    ? true
    : parts.length === 1 && USUAL_TEXTS[name]?.test(parts[0] ?? '') === true;

const STACK_WORDS = ['popd', 'pushd', 'dirs', 'DIRSTACK'];

const mayUseStack = ({ isNamed, isAll, forms }: Reach): boolean =>
  isAll || STACK_WORDS.some(isNamed) || forms.some((form) => /~[-+]?\d/.test(form) || mayBecomeOne(form, STACK_WORDS));

/** `$1`, `$@`, `$#`, `${!v}`, `[ -v 1 ]`, and commands that use the positional parameters, or run a text that uses them. */
const USES_PARAMETERS =
  /\$\{?[!#]?[1-9@*#]|\$\{!|-["'\\]*v\b|\b(?:for|select|shift|getopts|eval|source|set)\b|(?<![^\s;&|(){!])\.\s/;
/** `$-`, SHELLOPTS, `[[ -o monitor ]]`, and commands that show or save options. */
const READS_OPTIONS = new RegExp(
  [
    /\$\{?[!#]?-|\b(?:SHELLOPTS|BASHOPTS)\b|(?<![\w-])(?:shopt(?![\w-])|local\s+-(?!\w))/,
    /(?<![\w-])set\s*(?:$|[;&|\n]|[-+]["'\\]*o)|(?:\[|(?<![\w-])test\s)[^;&|\n]*-["'\\]*o(?![\w-])/,
  ]
    .map(({ source }) => source)
    .join('|'),
);
const USES_LAST_ARGUMENT = /\$\{?[!#]?_(?!\w)/;

const mayUseParameters = ({ isAll, forms }: Reach): boolean =>
  isAll ||
  forms.some((form) => USES_PARAMETERS.test(form) || mayBecomeOne(form, ['shift', 'getopts', 'eval', 'source']));

const renamed = (entry: EnvironmentEntry): EnvironmentEntry => ({ ...entry, name: `${NOT_EXPORTED}${entry.name}` });

const EQUALS = 0x3d;

function partsOf(entry: Buffer): { readonly name: string; readonly value: Buffer } {
  const at = entry.indexOf(EQUALS);
  return { name: entry.toString('utf8', 0, at), value: entry.subarray(at + 1) };
}

/** Makes an entry with a digest as its value: all functions and aliases together can have hundreds of kilobytes. */
const digest = (name: string, entry: Buffer): EnvironmentEntry => ({ name, value: sha256Hex(entry), digest: true });
