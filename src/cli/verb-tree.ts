/** The verbs as data, read from commander's tree. Completions and man pages are made from these data. */
import type { Argument, Command, Option } from 'commander';
import { HARNESS_NAMES } from '../harness/harnesses.ts';
import { type Note, notesOf } from './notes.ts';

/** The values that completions offer: the words of a list, or names of one kind; null: no values. The verb may accept other values. */
export type Values = readonly string[] | 'grants' | 'sessions' | 'files' | 'directories' | 'command' | null;

/**
 * @property short with its hyphen: `-w`; null: the option has no short name
 * @property long  with its hyphens: `--wait`; the short name if the option has no long name
 * @property help  the option's text in `--help`: the description, the possible values and the default
 * @property value null: the option takes no value
 */
export interface VerbOption {
  readonly short: string | null;
  readonly long: string;
  readonly description: string;
  readonly help: string;
  readonly value: { readonly name: string; readonly values: Values } | null;
}

export interface VerbArgument {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly isVariadic: boolean;
  readonly values: Values;
}

/**
 * A verb of `apes`. A verb that has verbs below it, such as `grants`, is also called a noun.
 * @property path  the words after `apes`: `['grants', 'list']`; empty: `apes` itself
 * @property names the last word of the path, and the other names of the verb
 * @property group the heading above the verb in the help; empty: no heading
 */
export interface Verb {
  readonly path: readonly string[];
  readonly names: readonly string[];
  readonly description: string;
  readonly group: string;
  readonly options: readonly VerbOption[];
  readonly arguments: readonly VerbArgument[];
  readonly verbs: readonly Verb[];
  readonly notes: readonly Note[];
}

/**
 * The values of arguments and options. The key is the name of the argument or option. If this name alone is ambiguous, the noun precedes
 * the name. Choices that commander knows are not repeated here.
 */
const VALUES: Readonly<Record<string, Values>> = {
  'grants id': 'grants',
  'plan id': 'grants',
  'grants before': 'grants',
  'grants below': 'directories',
  'sessions id': 'sessions',
  session: 'sessions',
  for: ['15m', '1h', '8h'],
  harness: HARNESS_NAMES,
  to: 'files',
  agents: 'directories',
  report: 'files',
  verify: 'files',
  file: 'files',
  database: 'files',
  command: 'command',
  line: 'command',
  server: 'command',
};

/** Leaves out hidden verbs and hidden options. */
export function readVerbs(program: Command): Verb {
  const tree = verbOf(program, []);
  const verbs = tree.verbs.map((verb) =>
    verb.path[0] === 'help' ? { ...verb, arguments: verb.arguments.map(withVerbNames(tree.verbs)) } : verb,
  );
  return { ...tree, verbs };
}

/** Returns a function that copies an argument. The values of the copy are the names of these verbs. */
const withVerbNames =
  (verbs: readonly Verb[]) =>
  (argument: VerbArgument): VerbArgument => ({ ...argument, values: verbs.map(({ path }) => path.join(' ')) });

/** Lists this verb and all verbs below it, in the order of the help. */
export const allVerbs = (verb: Verb): readonly Verb[] => [verb, ...verb.verbs.flatMap(allVerbs)];

function verbOf(command: Command, path: readonly string[]): Verb {
  const help = command.createHelp();
  // Leaves out `apes grants help`, which commander adds and which does the same as `apes grants --help`.
  const below = help.visibleCommands(command).filter((inner) => path.length === 0 || inner.name() !== 'help');
  const verbs = below.map((inner) => verbOf(inner, [...path, inner.name()]));
  return {
    path,
    names: [command.name(), ...command.aliases()],
    description: command.description(),
    group: command.helpGroup() ?? '',
    options: help
      .visibleOptions(command)
      .map((option) => optionOf(option, path[0] ?? '', help.optionDescription(option))),
    arguments: command.registeredArguments.map((argument) => argumentOf(argument, path[0] ?? '')),
    verbs,
    notes: notesOf(command),
  };
}

function optionOf(option: Option, noun: string, help: string): VerbOption {
  const takesValue = option.required || option.optional;
  const name = /<([^>]+)>/.exec(option.flags)?.[1] ?? 'value';
  return {
    short: option.short ?? null,
    long: option.long ?? option.short ?? '',
    description: option.description,
    help,
    value: takesValue ? { name, values: option.argChoices ?? valuesOf(noun, option.long?.slice(2) ?? '') } : null,
  };
}

const argumentOf = (argument: Argument, noun: string): VerbArgument => ({
  name: argument.name(),
  description: argument.description,
  isRequired: argument.required,
  isVariadic: argument.variadic,
  values: argument.argChoices ?? valuesOf(noun, argument.name()),
});

const valuesOf = (noun: string, name: string): Values => VALUES[`${noun} ${name}`] ?? VALUES[name] ?? null;
