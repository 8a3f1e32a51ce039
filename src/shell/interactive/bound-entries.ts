/** Bash sends many entries with a line. This file selects the entries that a grant binds. */
import type { EnvironmentEntry } from '../../core/grant/request.ts';
import type { LineReading } from '../../core/reading/line-reading.ts';
import { attributesOf, SET_IN_PASSING } from '../../core/variables/attributes.ts';
import {
  boundByReach,
  isPlainValue,
  NOT_EXPORTED,
  namesExpandedBy,
  type Reach,
  reachOf,
} from '../../core/variables/bound-variables.ts';
import { mayBecomeOne, mayUseVariables } from '../../core/variables/built-names.ts';
import { declaredVariables } from '../../core/variables/declared-variables.ts';
import { sha256Hex } from '../../platform/digest.ts';
import { boundEntry } from '../../platform/surroundings.ts';
import { isUsualOfShell } from './usual-shell.ts';

/** The entry with the output of `declare -p`. Bash sends this entry only if the gate asks for it (`needsVariables`). */
const VARIABLES = 'all variables';
/** The entry with the directories below the first in the stack of `pushd`. */
const STACK = 'directory stack';

/**
 * Returns the entries that a grant binds, in the order of `entries`:
 * - the entries `KIND NAME=VALUE`, such as aliases; for attributes and the stack of directories, see below
 * - the variables that every grant binds, that the line names, or that the text of an alias or a function of the line names
 * - PWD, if the session reached its directory through links
 * - the attributes of each variable that the line can set
 * - the attributes of each name reference that the line reads or that bash itself sets
 * - the stack of directories, if the line may use the stack
 * - `variable NAME` for variables that are not exported (`isBoundOfShell`)
 *
 * Leaves out variables with their usual values (`isUsualOfShell`). If bash sends a name twice, the first value that is not usual counts.
 * @param cwd     the real directory of bash
 * @param entries as bash sends them: `NAME=VALUE`, `alias NAME=VALUE`, … (`src/pty/channel-frames.ts`)
 */
export function boundEntries(
  entries: readonly Buffer[],
  { text, settable }: LineReading,
  cwd: string,
): readonly EnvironmentEntry[] {
  const all = entries.map((entry) => ({ entry, ...partsOf(entry) }));
  const report = all.find(({ name }) => name === VARIABLES)?.value.toString('utf8');
  const parts = all.filter(({ name }) => name !== VARIABLES);
  const declared = declaredVariables(report ?? '');
  const values = new Map(parts.map(({ name, value }) => [name, value]));
  const texts = parts
    .filter(({ name }) => /^(?:alias|function) /.test(name))
    .map(({ value }) => value.toString('utf8'));
  const reach = reachOf([text, ...texts], (name) => values.get(name)?.toString('utf8') ?? declared?.get(name)?.value);
  const isBoundVariable = boundByReach(reach, false);
  const expanded = namesExpandedBy(text);
  const isBound = (name: string, value: Buffer) => {
    const variable = attributesOf(name);
    if (name === 'PWD' && value.toString('utf8') !== cwd) return true; // `cd ..` goes to the directory above PWD
    if (name === STACK) return mayUseStack(reach);
    if (variable === null) return name.includes(' ') || isBoundVariable(name, value.toString('utf8'));
    // Bash evaluates the index in a name reference (`declare -n`) even when the line only reads the variable.
    return settable.has(variable) || (value.includes('n') && (expanded.has(variable) || SET_IN_PASSING.has(variable)));
  };
  const bound = new Map<string, EnvironmentEntry>();
  for (const { entry, name, value } of parts) {
    // Checks the name first: most exported variables do not matter, and digests of secrets cost time.
    if (bound.has(name) || !isBound(name, value)) continue;
    if (!isUsualOfShell(name, value.toString('utf8')))
      bound.set(name, name.endsWith(' *') ? digest(name, entry) : boundEntry(name, value));
  }
  const ofShell =
    declared === null
      ? [digest(`${NOT_EXPORTED}*`, Buffer.from(report ?? ''))]
      : [...declared].flatMap(([name, { isExported, value, parts: each }]) =>
          isExported || values.has(name) || !isBoundOfShell(name, each, reach, settable)
            ? []
            : [renamed(boundEntry(name, Buffer.from(value)))],
        );
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

/**
 * Whether a grant binds a variable that is not exported. A value with an index, a substitution or an assignment may run or set something
 * as soon as bash evaluates the value, so the value is bound if the line can use it. A plain value is bound if the line names the variable
 * and cannot set it. Numbers are not bound. If a grant bound numbers, a line that uses a counter would need a decision each time.
 */
function isBoundOfShell(
  name: string,
  values: readonly string[],
  { isNamed, isAll }: Reach,
  settable: ReadonlySet<string>,
): boolean {
  if (name === '_' || name.startsWith('__ape_')) return false;
  if (!values.every(isPlainValue)) return (isNamed(name) || isAll) && !OF_BASH_AS_TEXT.test(name);
  return isNamed(name) && !settable.has(name) && !OF_BASH.test(name) && !values.every((value) => /^-?\d*$/.test(value));
}

/** Variables that bash sets by itself. With a plain value they are not bound. */
const OF_BASH =
  /^(?:BASH.*|COMP_.*|READLINE_.*|EPOCH.*|S?RANDOM|SECONDS|LINENO|HIST.*|PIPESTATUS|PPID|E?UID|GROUPS|DIRSTACK|FUNCNAME|COLUMNS|LINES|OPT.*|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE|REPLY|MAPFILE|PWD|SHELL|TERM)$/;
/**
 * Variables of bash whose usual values are not plain. `isBoundOfShell` binds none of these values: a grant binds the variable in another
 * way, or no line evaluates the variable.
 */
const OF_BASH_AS_TEXT = /^(?:IFS|PS[0-4]|SHELLOPTS|BASHOPTS|BASH_COMMAND|BASH_VERSINFO|BASH_VERSION|COMP_WORDBREAKS)$/;

const STACK_WORDS = ['popd', 'pushd', 'dirs', 'DIRSTACK'];

const mayUseStack = ({ isNamed, isAll, forms }: Reach): boolean =>
  isAll || STACK_WORDS.some(isNamed) || forms.some((form) => /~[-+]?\d/.test(form) || mayBecomeOne(form, STACK_WORDS));

const renamed = (entry: EnvironmentEntry): EnvironmentEntry => ({ ...entry, name: `${NOT_EXPORTED}${entry.name}` });

const EQUALS = 0x3d;

function partsOf(entry: Buffer): { readonly name: string; readonly value: Buffer } {
  const at = entry.indexOf(EQUALS);
  return { name: entry.toString('utf8', 0, at), value: entry.subarray(at + 1) };
}

/** Makes an entry with a digest as its value: all functions and aliases together can have hundreds of kilobytes. */
const digest = (name: string, entry: Buffer): EnvironmentEntry => ({ name, value: sha256Hex(entry), digest: true });
