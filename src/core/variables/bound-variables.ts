/** Which variables a grant binds, and which a line may not set without a human. What the table says, as questions. */
import {
  CHANGING_VARIABLES,
  PROGRAM_VARIABLES,
  PROMPT_VARIABLES,
  SHELL_VARIABLES,
  SHOWN_VARIABLES,
  type VariableRow,
} from './variable-table.ts';

type Test = (name: string) => boolean;

const namesOf = ({ names }: VariableRow): readonly string[] => names.split(/\s+/);

function testOf(rows: readonly VariableRow[]): Test {
  const exact = new Set<string>();
  const asWritten: string[] = [];
  const inLower: string[] = [];
  for (const row of rows)
    for (const name of namesOf(row))
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
 * No shell makes such a name; bash hands it on, and make takes `CHECKOUT,v` and `COMPILE.c` for programs of its built-in
 * rules. Not meant: what a session reports besides variables (`alias ll`), which has a blank.
 */
const isNoIdentifier: Test = (name) => /^\S*$/.test(name) && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
const isInTable: Test = (name) => isListed(name) || isNoIdentifier(name);
const isShown = testOf(SHOWN_VARIABLES);
const changesOften = testOf(CHANGING_VARIABLES);
const isOfPrompt = testOf(PROMPT_VARIABLES);

/** Whether setting this variable may change what runs, or where; a name that merely might counts. */
export const decidesWhatRuns: Test = (name) => isInTable(name) && !isShown(name);

/** Whether a grant binds the value of this variable. */
export const isBoundVariable: Test = (name) => isInTable(name) && !changesOften(name) && !isOfPrompt(name);

/** Those that bash itself reads: they count in a session also when they are not exported. */
export const SHELL_VARIABLE_NAMES: readonly string[] = SHELL_VARIABLES.flatMap(namesOf);

/**
 * Which variables a request binds: those that always count, those its text expands, and those of prompts.
 * @param text          what bash reads; empty for a program without a shell
 * @param isInteractive whether bash gets `-i`
 */
export function boundBy(text: string, isInteractive: boolean): Test {
  const named = namesExpandedBy(text);
  return (name) => isBoundVariable(name) || named.has(name) || (isInteractive && isOfPrompt(name));
}

/** The variables a text expands by name: `$NAME`, `${NAME…}`. `$_` is bash's own. */
export function namesExpandedBy(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const found of text.matchAll(/\$\{?[#!]?([A-Za-z_][A-Za-z0-9_]*)/g))
    if (found[1] !== undefined) names.add(found[1]);
  names.delete('_');
  return names;
}
