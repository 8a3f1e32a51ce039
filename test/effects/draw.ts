/** Makes calls of a tool: each option from its rule file, its help or a wide list, in each form, with decoys after it; then random calls. */
import type { CommandRule, OptionRule, ToolRule, WordRule } from '../../src/core/rules/rule.ts';
import type { Random } from '../fuzz/random.ts';
import {
  asValue,
  DECOY_FILE,
  INSIDE,
  OUTSIDE,
  SECRET_FILE,
  TRICKY,
  VALUES,
  WIDE_LONG,
  WIDE_SHORT,
  wholeCalls,
  wordsOfKind,
} from './words.ts';

/**
 * @property words   the sub-commands
 * @property options the names of all options that are tried
 * @property decoys  options whose effect is visible
 */
export interface Drawn {
  readonly tool: string;
  readonly name: string;
  readonly words: readonly string[];
  readonly command: CommandRule;
  readonly known: Readonly<Record<string, OptionRule>>;
  readonly options: readonly string[];
  readonly decoys: readonly string[];
}

/** @param optionsInHelp returns the names of options in the tool's own help, for a sub-command */
export function drawnOf(
  rule: ToolRule,
  name: string,
  optionsInHelp: (words: readonly string[]) => readonly string[],
): readonly Drawn[] {
  const found: Drawn[] = [];
  const visit = (
    command: CommandRule,
    words: readonly string[],
    spread: Readonly<Record<string, OptionRule>>,
  ): void => {
    const known = { ...spread, ...command.options };
    const names = [...new Set([...Object.keys(known), ...optionsInHelp(words)])];
    const options = [...new Set([...names, ...abbreviated(names), ...WIDE_SHORT, ...WIDE_LONG])];
    found.push({ tool: rule.tool, name, words, command, known, options, decoys: decoysOf(known) });
    for (const [word, next] of Object.entries(command.commands))
      visit(next, [...words, word], command.isSpread ? known : spread);
  };
  visit(rule.root, [], {});
  return found;
}

/** Returns two abbreviations of each long option: for `--output` they are `--out` and `--outpu`. */
const abbreviated = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => (/^--[\w-]{4,}$/.test(name) ? [name.slice(0, 5), name.slice(0, -1)] : []));

/** Returns options whose effect is visible: they write, read or run a named file, or rules call them opaque. */
function decoysOf(known: Readonly<Record<string, OptionRule>>): readonly string[] {
  const found = ['--zz', `--output=${DECOY_FILE}`];
  for (const [name, { takes, value, effect }] of Object.entries(known)) {
    if (effect === null && (value === null || value.access === null)) continue;
    const decoy = value?.access === 'read' || effect?.opaque?.includes('reads') ? SECRET_FILE : DECOY_FILE;
    const target = effect?.opaque !== undefined && /program|command|runs/.test(effect.opaque) ? './prog' : decoy;
    if (takes !== 'value') found.push(name);
    if (takes === 'nothing') continue;
    found.push(name.startsWith('--') ? `${name}=${target}` : `${name}${target}`);
  }
  return [...new Set(found)].slice(0, 20);
}

/** Returns sets of operands made from the rules. The first set should work. */
function operandSets({ command, tool, words: verb }: Drawn, random: Random): readonly (readonly string[])[] {
  const rules =
    command.operands.length > 0 ? command.operands : (command.withOperands?.operands ?? operandsOfEffects(command));
  const words = (rule: WordRule, at: number): string =>
    wordsOfKind(rule.kind, tool)[at] ?? wordsOfKind(rule.kind, tool)[0] ?? 'x';
  const plain = rules.map((rule) => words(rule, 0));
  const needed = rules.filter(({ count }) => count === '1' || count === '+').map((rule) => words(rule, 0));
  const other = rules.map((rule) => random.pick(wordsOfKind(rule.kind, tool)));
  return [...wholeCalls(tool, verb), plain, needed, other, [...plain, ...plain.slice(-1)]];
}

const operandsOfEffects = ({ options }: CommandRule): readonly WordRule[] =>
  Object.values(options).find(({ effect }) => effect?.operands !== undefined)?.effect?.operands ?? [];

const lineOf = ({ name, words }: Drawn, rest: readonly string[]): string => [name, ...words, ...rest].join(' ');

/** Yields calls with every option in every form, and with every operand. */
export function* eachCall(drawn: Drawn, random: Random): Generator<string> {
  const sets = operandSets(drawn, random);
  const [plain = []] = sets;
  for (const set of sets) yield lineOf(drawn, set);
  for (const operand of [...INSIDE, ...OUTSIDE, ...TRICKY]) {
    yield lineOf(drawn, [operand]);
    for (let at = 0; at < plain.length; at++)
      yield lineOf(drawn, [...plain.slice(0, at), operand, ...plain.slice(at + 1)]);
    yield lineOf(drawn, [...plain, operand]);
  }
  for (const option of drawn.options) yield* callsWithOption(drawn, option, plain, sets, random);
}

function* callsWithOption(
  drawn: Drawn,
  option: string,
  plain: readonly string[],
  sets: readonly (readonly string[])[],
  random: Random,
): Generator<string> {
  yield lineOf(drawn, [option, ...plain]);
  yield lineOf(drawn, [...plain, option]);
  for (const set of sets.slice(1)) yield lineOf(drawn, [option, ...set]);
  const values = valuesOf(drawn, option);
  for (const value of values.slice(0, 4)) {
    yield lineOf(drawn, [option, value, ...plain]);
    yield lineOf(drawn, [attached(option, value), ...plain]);
    // A value may replace the operands: `du --files0-from LIST`.
    yield lineOf(drawn, [attached(option, value)]);
  }
  // This file is outside and exists, so an option that reads its value is seen to read it.
  yield lineOf(drawn, [attached(option, '../other/victim.txt'), ...plain]);
  // If the option takes no value, the word behind it is an operand that exists: `sed -i s/a/b/ FILE -n OTHER`.
  yield lineOf(drawn, [...plain, option, random.pick(INSIDE)]);
  yield lineOf(drawn, [...plain, option, values[0] ?? '1']);
  yield lineOf(drawn, [...plain, option, random.pick(values)]);
  yield lineOf(drawn, [attached(option, random.pick(VALUES.map(asValue))), ...plain]);
  for (const decoy of drawn.decoys) {
    yield lineOf(drawn, [option, decoy, ...plain]);
    yield lineOf(
      drawn,
      random.chance(0.5) ? [...plain, option, decoy] : [option, random.pick(values), decoy, ...plain],
    );
  }
}

const attached = (option: string, value: string): string =>
  option.startsWith('--') ? `${option}=${value}` : `${option}${value}`;

function valuesOf({ known, tool }: Drawn, option: string): readonly string[] {
  const rule = Object.hasOwn(known, option) ? known[option] : undefined;
  const own = rule?.oneOf ?? (rule?.value ? wordsOfKind(rule.value.kind, tool) : []);
  return [...new Set([...own, ...VALUES])].map(asValue);
}

/** Wrappers that a random call may get around its line. */
const AROUND: readonly ((line: string) => string)[] = [
  (line) => `cd src && ${line}`,
  (line) => `timeout 5 ${line}`,
  (line) => `env ${line}`,
  (line) => `${line} > new-out`,
  (line) => `${line} < README.md`,
  (line) => `xargs ${line}`,
  (line) => `printf '../../outside/secret.txt' | xargs -I{} ${line} ./{}`,
  (line) => `find src -name '*.ts' -exec ${line} {} +`,
  (line) => `for f in src/*.ts; do ${line} "$f"; done`,
  (line) => `${line} | cat`,
  (line) => `nice ${line}`,
  (line) => `find . -exec ${line} {} ';'`,
];

/** Makes a call with a few options, a set of operands and a few other words, perhaps in a wrapper. */
export function randomCall(all: readonly Drawn[], random: Random): string {
  const drawn = random.pick(all);
  const rest: string[] = [];
  const known = Object.keys(drawn.known);
  for (let count = random.below(4); count > 0; count--) {
    const option = known.length > 0 && random.chance(0.8) ? random.pick(known) : random.pick(drawn.options);
    rest.push(...randomOption(drawn, option, random));
  }
  const operands = random.chance(0.6) ? random.pick(operandSets(drawn, random)) : [];
  rest.push(...operands);
  for (let count = random.chance(0.5) ? 0 : random.below(3); count > 0; count--)
    rest.splice(random.below(rest.length + 1), 0, random.pick(random.pick([INSIDE, INSIDE, OUTSIDE, TRICKY])));
  const line = lineOf(drawn, rest);
  return random.chance(0.85) ? line : random.pick(AROUND)(line);
}

function randomOption(drawn: Drawn, option: string, random: Random): readonly string[] {
  const takes = Object.hasOwn(drawn.known, option) ? drawn.known[option]?.takes : undefined;
  const value = random.chance(0.2) ? random.pick(drawn.decoys) : random.pick(valuesOf(drawn, option));
  if (takes === 'nothing') {
    const other = random.pick(Object.keys(drawn.known));
    const isBundle = random.chance(0.3) && /^-\w$/.test(option) && /^-\w$/.test(other);
    return random.chance(0.1) ? [option, value] : [isBundle ? option + other.slice(1) : option];
  }
  if (takes === 'attached')
    return random.chance(0.4) ? [option] : random.chance(0.7) ? [attached(option, value)] : [option, value];
  return random.chance(0.5) ? [option, value] : random.chance(0.7) ? [attached(option, value)] : [option];
}
