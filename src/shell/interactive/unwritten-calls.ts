/**
 * Finds lines that may call a function, an alias or a program of `hash -p` whose name is no written word. The gate then asks bash for all
 * of them. The tests are allow-lists: a text that the reading does not understand completely may call any name.
 */
import { LineReading } from '../../core/reading/line-reading.ts';
import { namesToAsk } from '../../core/reading/names-to-ask.ts';
import type { Parse } from '../../core/reading/parse-text.ts';
import type { ReasonCode } from '../../core/reasons/reason.ts';
import { reachOf } from '../../core/variables/bound-variables.ts';
import { declaredVariables } from '../../core/variables/declared-variables.ts';
import { isUsualText, VARIABLES } from './bound-entries.ts';

/** @property name the kind and the name, such as `function ls`; for a variable the name */
interface Part {
  readonly name: string;
  readonly value: string;
}

/** Reasons because of which bash may evaluate the value of a variable as arithmetic, and run the substitutions in this value. */
const EVALUATES: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  ...(['computes-with-variables', 'computes-with-unknown', 'evaluates-index', 'evaluates-offset'] as const),
  ...(['evaluates-list', 'evaluates-held-value', 'tests-variable-name', 'arithmetic-loop'] as const),
  ...(['expands-by-name', 'assigns-in-passing', 'sets-unknown-variables', 'sets-variables-unclearly'] as const),
  ...(['sets-variables-by-name', 'sets-variable-by-name', 'may-set-by-name', 'format-unknown'] as const),
  ...(['known-at-run-time', 'sets-deciding-variable', 'unsets-no-variable', 'lists-names'] as const),
]);
/** Further reasons of lines that call only names that are written in the line. */
const CALLS_WRITTEN_NAMES: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  ...(['opens-later-files', 'limits-later-commands', 'makes-read-only', 'prints-variables'] as const),
  ...(['changes-meanings', 'changes-directory-stack', 'changes-history', 'changes-keys', 'stops-shell'] as const),
  ...([
    'select-loop',
    'high-descriptor',
    'descriptor-of-caller',
    'opens-named-descriptor',
    'opens-connection',
  ] as const),
  ...(['redirects-nowhere', 'here-document-open', 'unsets-deciding-variable', 'runs-read-programs'] as const),
  ...(['find-expression-unknown', 'find-runs-found', 'find-expression-unclear', 'shell-text-unknown'] as const),
  ...(['shell-reads-elsewhere', 'starts-shell', 'opens-remote-shell', 'gives-terminal'] as const),
]);
/** `builtin` with one of these names calls no other name. */
const CALLS_NO_NAME =
  /^(?:cd|pwd|pushd|popd|echo|printf|read|return|type|true|false|export|local|declare|typeset|unset|shift)$/;
/** bash expands or runs the values of these variables by itself. */
const RUN_BY_BASH = /\b(?:PROMPT_COMMAND|PS[0-4]|BASH_ALIASES|BASH_CMDS)\b/;
/** A value without these characters contains no substitution. */
const SUBSTITUTES = /[$`\\(]/;

/** @property mayCall whether the text may call a name that is not a written word of the text */
interface Calls {
  readonly mayCall: boolean;
  readonly isEvaluating: boolean;
}

const ANY: Calls = { mayCall: true, isEvaluating: true };

function callsOf(reading: LineReading, parse: Parse): Calls {
  if (namesToAsk(reading, parse)?.length !== 0 || RUN_BY_BASH.test(reading.text)) return ANY;
  const { commands, opaque } = reading.commands;
  const builtins = commands.filter(({ command }) => command.source.startsWith('builtin'));
  const areKnown = builtins.every(({ command }) =>
    command.words.some((word) => word.kind === 'literal' && CALLS_NO_NAME.test(word.value)),
  );
  let isEvaluating = false;
  for (const { code } of opaque) {
    if (EVALUATES.has(code)) isEvaluating = true;
    else if (!CALLS_WRITTEN_NAMES.has(code) && !(code === 'names-unclear-builtin' && areKnown)) return ANY;
  }
  return { mayCall: false, isEvaluating };
}

/** Whether the line itself may call a name that is not a written word of the line. */
export const mayCallUnwritten = (reading: LineReading, parse: Parse): boolean =>
  reading.parsed.folded === null && callsOf(reading, parse).mayCall;

/**
 * Whether the line may call such a name through the aliases and functions that bash has sent, or through the value of a variable.
 * @param parts all that bash has sent for the line
 */
export function mayCallThrough(reading: LineReading, parts: readonly Part[], parse: Parse): boolean {
  const bodies = parts.filter(({ name }) => /^(?:alias|function) /.test(name));
  const calls = [
    callsOf(reading, parse),
    ...bodies.map((part) => callsOf(new LineReading(textOf(part), parse), parse)),
  ];
  if (calls.slice(1).some(({ mayCall }) => mayCall)) return true;
  const variables = new Map(parts.filter(({ name }) => !name.includes(' ')).map(({ name, value }) => [name, value]));
  const report = parts.find(({ name }) => name === VARIABLES)?.value;
  const declared = declaredVariables(report ?? '');
  if (declared === null) return true;
  const values = new Map<string, readonly string[]>([...variables].map(([name, value]) => [name, [value]]));
  for (const [name, { value, parts: held }] of declared) {
    if (name.startsWith('__ape_')) continue;
    if (value !== null && !variables.has(name)) variables.set(name, value);
    values.set(name, held);
  }
  if (SUBSTITUTES.test(variables.get('PS4') ?? '')) return true;
  const texts = [reading.text, ...bodies.map(({ value }) => value)];
  const reach = reachOf(texts, (name) => variables.get(name));
  if (!calls.some(({ isEvaluating }) => isEvaluating) && !reach.takesValues) return false;
  if (texts.some((text) => SUBSTITUTES.test(quotedIn(text)))) return true;
  return [...values].some(
    ([name, held]) =>
      held.some((value) => SUBSTITUTES.test(value)) && (reach.isNamed(name) || (reach.isAll && !isOfBash(name, held))),
  );
}

/** Whether the variable has a value that bash itself gave it. bash runs PROMPT_COMMAND after each line. */
const isOfBash = (name: string, values: readonly string[]): boolean =>
  name === 'IFS' || name === 'PROMPT_COMMAND' || isUsualText(name, values);

/**
 * Returns a text that calls what the alias or the function calls. A function's text is `NAME () { … }`. bash puts the words behind an alias
 * at the end of its text: behind `time`, `x=1` or `ls;`, the next word is the name of a command.
 */
const textOf = ({ name, value }: Part): string =>
  name.startsWith('alias ') ? `${value} $x` : value.slice(value.indexOf('{'));

/** Returns the texts in single quotes: arithmetic may evaluate them. */
const quotedIn = (text: string): string => [...text.matchAll(/'[^']*'/g)].join(' ');
