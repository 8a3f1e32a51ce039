/** Reads the parsed TOML of a rule file. Returns the rule, or the first error. The error has the path of the wrong value in the table. */

import { RISKS, type Risk } from '../effects/permission.ts';
import type { Fault } from '../fault.ts';
import { failed, type Result, success } from '../result.ts';
import { isRecord } from '../shape.ts';
import type { CommandRule, FixedResource, OptionRule, OptionStyle, RuleEffect, ToolRule, WordRule } from './rule.ts';
import { canonicalName, isAccess, readFixedResource, readOptionNames, readWordRule } from './rule-notation.ts';

/** @property path keys and indices, the outermost first */
export interface RuleProblem extends Fault {
  readonly path: readonly (string | number)[];
}

type Path = readonly (string | number)[];
type Table = Readonly<Record<string, unknown>>;

/**
 * A reader throws a `Complaint` to stop reading a file. `readTool` catches each `Complaint`, except from a sub-command that is read later
 * (`readLater`).
 */
class Complaint extends Error {
  readonly path: Path;
  constructor(path: Path, message: string) {
    super(message);
    this.path = path;
  }
}

const EFFECT_KEYS = ['risk', 'does', 'operation', 'adds', 'operands', 'access', 'tree', 'mode', 'only', 'opaque'];
const OPTION_KEYS = [...EFFECT_KEYS, 'option', 'value', 'one_of', 'directory'];
const GROUP_KEYS = ['name', 'options', 'effects'];
const COMMAND_KEYS = [
  'does',
  'risk',
  'style',
  'options_first',
  'passes_dashes',
  'values_apart',
  'numbers',
  'old_style',
  'spread',
  'options',
  'effects',
  'operands',
  'adds',
  'requires',
  'behind_dashes',
  'bare_words',
  'with_operands',
  'without_operands',
  'groups',
  'at_files',
  'project',
];
const FILE_KEYS = [
  ...COMMAND_KEYS,
  'login',
  'login_at_start',
  'tool',
  'names',
  'also',
  'group',
  'command',
  'match',
  'not_match',
];
const SUB_COMMAND_KEYS = [...COMMAND_KEYS, 'name', 'aliases'];

/** Reads the rule of a parsed file. Reads all sub-commands at once. */
export const readRule = (file: Table): Result<ToolRule, RuleProblem> => readTool(file, false);

/**
 * Reads the rule of a file that `readRule` accepted when ape-shell was built. A sub-command that contains no other sub-command is read only
 * when it is first used. If `readRule` does not accept the file, this first use can throw.
 */
export const readProvenRule = (file: Table): Result<ToolRule, RuleProblem> => readTool(file, true);

/** Returns every tool of the file: the tool itself, and the tools that share its rules. */
export const toolsOf = (rule: ToolRule): readonly ToolRule[] => [rule, ...rule.others];

type Options = Record<string, OptionRule>;
type Groups = ReadonlyMap<string, Readonly<Options>>;

function readTool(file: Table, isProven: boolean): Result<ToolRule, RuleProblem> {
  try {
    onlyKeys(file, [], FILE_KEYS);
    const tool = text(file['tool'], ['tool']);
    const names = file['names'] === undefined ? [tool] : texts(file['names'], ['names']);
    const also = texts(file['also'] ?? [], ['also']);
    noNameTwice(names, also);
    const main = toolNamed(tool, names, file, isProven);
    return success({ ...main, others: also.map((each) => toolNamed(each, [each], file, isProven)) });
  } catch (error) {
    if (error instanceof Complaint) return failed({ path: error.path, message: error.message });
    throw error;
  }
}

function noNameTwice(names: readonly string[], also: readonly string[]): void {
  const all = [...names, ...also];
  const twice = all.find((name, index) => all.indexOf(name) !== index);
  if (twice !== undefined) throw new Complaint([also.includes(twice) ? 'also' : 'names'], `"${twice}" appears twice`);
}

function toolNamed(tool: string, names: readonly string[], file: Table, isProven: boolean): ToolRule {
  const project = projectOf(file, []);
  const groups = new Map<string, Options>();
  for (const [index, each] of tables(file['group'], ['group']).entries()) {
    const at = ['group', index];
    onlyKeys(each, at, GROUP_KEYS);
    groups.set(text(each['name'], [...at, 'name']), readOptions(each, at, 1000 * (index + 1), project));
  }
  const root = readCommand(file, [], tool, groups, project);
  for (const [index, each] of tables(file['command'], ['command']).entries())
    addCommands(root, each, ['command', index], tool, groups, project, isProven);
  const login = file['login'] === undefined ? null : text(file['login'], ['login']);
  return { tool, names, login, readsLoginAtStart: flag(file['login_at_start'], ['login_at_start']), others: [], root };
}

/**
 * Adds the sub-commands of one table. `name = ["pr close", "pr reopen"]` adds two verbs. Each verb has its own operation.
 * `aliases = { "remote rm" = "remote remove" }` adds another name of a verb. The alias has the operation of this verb.
 */
function addCommands(
  root: CommandRule,
  table: Table,
  path: Path,
  tool: string,
  groups: Groups,
  project: string | null,
  isProven: boolean,
) {
  onlyKeys(table, path, SUB_COMMAND_KEYS);
  const given = table['name'];
  const names = typeof given === 'string' ? [given] : texts(given, [...path, 'name']);
  const aliases = Object.entries(tableOf(table['aliases'] ?? {}, [...path, 'aliases']));
  const add = (name: string, verb: string, at: Path) => {
    const [commands, last] = placeOfCommand(root, name, at);
    const read = () => readCommand(table, path, `${tool} ${verb}`, groups, projectOf(table, path) ?? project);
    if (isProven) readLater(commands, last, read);
    else commands[last] = read();
  };
  for (const name of names) add(name, name, [...path, 'name']);
  for (const [alias, verb] of aliases) {
    const at = [...path, 'aliases', alias];
    if (typeof verb !== 'string' || !names.includes(verb))
      throw new Complaint(at, `write one of the names here: ${names.join(', ')}`);
    add(alias, verb, at);
  }
}

/** Returns the table to which the sub-command belongs, and the key of the sub-command in this table: the last word of `name`. */
function placeOfCommand(root: CommandRule, name: string, at: Path): [Record<string, CommandRule>, string] {
  const words = name.split(' ');
  const last = words.pop() ?? '';
  let parent = root;
  for (const word of words) {
    const next = Object.hasOwn(parent.commands, word) ? parent.commands[word] : undefined;
    if (next === undefined) throw new Complaint(at, `"${name}" comes before the command that contains it`);
    parent = next;
  }
  if (last === '' || Object.hasOwn(parent.commands, last))
    throw new Complaint(at, `"${name}" appears twice, or its last word is missing`);
  return [parent.commands as Record<string, CommandRule>, last];
}

/** Adds a sub-command that is read when it is first used. */
function readLater(commands: Record<string, CommandRule>, name: string, read: () => CommandRule): void {
  let command: CommandRule | null = null;
  Object.defineProperty(commands, name, {
    enumerable: true,
    configurable: true,
    get: () => {
      command ??= read();
      return command;
    },
  });
}

function readCommand(table: Table, path: Path, operation: string, groups: Groups, project: string | null): CommandRule {
  const options = readOptions(table, path, 0, project);
  for (const [index, name] of texts(table['groups'] ?? [], [...path, 'groups']).entries()) {
    const group = groups.get(name);
    if (group === undefined) throw new Complaint([...path, 'groups', index], `there is no group "${name}"`);
    for (const option of Object.keys(group))
      if (Object.hasOwn(options, option))
        throw new Complaint([...path, 'groups', index], `the option ${option} appears twice`);
    Object.assign(options, group);
  }
  ownOperations(options, operation, path);
  return {
    operation,
    does: table['does'] === undefined ? null : text(table['does'], [...path, 'does']),
    risk: table['risk'] === undefined ? 'low' : risk(table['risk'], [...path, 'risk']),
    style: style(table['style'] ?? 'gnu', [...path, 'style']),
    isOptionsFirst: flag(table['options_first'], [...path, 'options_first']),
    areValuesApart: flag(table['values_apart'], [...path, 'values_apart']),
    passesDashes: flag(table['passes_dashes'], [...path, 'passes_dashes']),
    hasNumbers: flag(table['numbers'], [...path, 'numbers']),
    isOldStyle: flag(table['old_style'], [...path, 'old_style']),
    isSpread: flag(table['spread'], [...path, 'spread']),
    hasAtFiles: flag(table['at_files'], [...path, 'at_files']),
    options,
    operands: wordRules(table['operands'] ?? [], [...path, 'operands']),
    adds: fixedResources(table['adds'] ?? [], [...path, 'adds'], project),
    requires: texts(table['requires'] ?? [], [...path, 'requires']),
    behindDashes:
      table['behind_dashes'] === undefined ? null : wordRules(table['behind_dashes'], [...path, 'behind_dashes']),
    bareWords: texts(table['bare_words'] ?? [], [...path, 'bare_words']),
    withOperands: effectOrNull(table['with_operands'], [...path, 'with_operands'], project),
    withoutOperands: effectOrNull(table['without_operands'], [...path, 'without_operands'], project),
    commands: {},
  };
}

/**
 * Checks each operation that an option of a sub-command gives. The operation must begin with the verb of the sub-command, as `branch list`
 * begins with `branch`. This check keeps an option from giving the operation of another verb.
 */
function ownOperations(options: Readonly<Options>, operation: string, path: Path): void {
  const verb = operation.slice(operation.indexOf(' ') + 1);
  if (!operation.includes(' ')) return;
  for (const [name, { effect }] of Object.entries(options))
    if (effect?.operation !== undefined && !effect.operation.startsWith(`${verb} `))
      throw new Complaint(path, `the operation "${effect.operation}" of ${name} must begin with "${verb} "`);
}

/** @param rank the `rank` of all entries of `options`, and of the first entry of `effects`; each later entry has the next higher rank */
function readOptions(source: Table, path: Path, rank: number, project: string | null): Options {
  const options: Options = {};
  const plain = { value: null, oneOf: null, directory: null, effect: null, rank };
  for (const [index, given] of list(source['options'], [...path, 'options']).entries()) {
    const at = [...path, 'options', index];
    addNames(text(given, at), at, options, plain);
  }
  for (const [index, given] of list(source['effects'], [...path, 'effects']).entries()) {
    const at = [...path, 'effects', index];
    const table = tableOf(given, at);
    onlyKeys(table, at, OPTION_KEYS);
    const directory = directoryOf(table['directory'], [...at, 'directory']);
    const value = table['value'] === undefined ? null : wordRule(table['value'], [...at, 'value']);
    const oneOf = table['one_of'] === undefined ? null : texts(table['one_of'], [...at, 'one_of']);
    const rest = { value, oneOf, directory, effect: readEffect(table, at, project), rank: rank + index };
    addNames(text(table['option'], [...at, 'option']), [...at, 'option'], options, rest);
  }
  return options;
}

function directoryOf(value: unknown, path: Path): OptionRule['directory'] {
  if (value === undefined || value === 'operands' || value === 'all' || value === 'outputs') return value ?? null;
  throw new Complaint(path, 'write "operands", "all" or "outputs"');
}

type OptionRest = Omit<OptionRule, 'canonical' | 'takes'>;

function addNames(notation: string, at: Path, options: Record<string, OptionRule>, rest: OptionRest): void {
  const read = readOptionNames(notation);
  if (!read.ok) throw new Complaint(at, read.failure.message);
  const names = read.value;
  const canonical = canonicalName(names);
  const kinds = new Set(names.map(([, takes]) => takes));
  if (kinds.has('nothing') && kinds.has('value'))
    throw new Complaint(
      at,
      `"${notation}" takes a value under one name and no value under another name: write two options`,
    );
  if (
    (rest.value ?? rest.oneOf ?? rest.directory) !== null &&
    names.some(([, takes]) => takes === 'nothing' || takes === 'pair' || takes === 'rest')
  )
    throw new Complaint(
      at,
      `"${notation}" has "value", "one_of" or "directory", but not every name takes a value: write "=" or "[=]" after every name`,
    );
  for (const [name, takes] of names) {
    if (Object.hasOwn(options, name)) throw new Complaint(at, `the option ${name} appears twice`);
    options[name] = { canonical, takes, ...rest };
  }
}

function readEffect(table: Table, path: Path, project: string | null): RuleEffect {
  const at = (key: string): Path => [...path, key];
  const access = table['access'];
  const mode = table['mode'];
  for (const [key, value] of [
    ['access', access],
    ['mode', mode],
  ] as const)
    if (value !== undefined && !(typeof value === 'string' && isAccess(value)))
      throw new Complaint(at(key), 'write read, write, delete, execute or contact');
  return {
    ...(table['risk'] === undefined ? {} : { risk: risk(table['risk'], at('risk')) }),
    ...(table['does'] === undefined ? {} : { does: text(table['does'], at('does')) }),
    ...(table['operation'] === undefined ? {} : { operation: text(table['operation'], at('operation')) }),
    ...(table['adds'] === undefined ? {} : { adds: fixedResources(table['adds'], at('adds'), project) }),
    ...(table['operands'] === undefined ? {} : { operands: wordRules(table['operands'], at('operands')) }),
    ...(typeof access === 'string' && isAccess(access) ? { access } : {}),
    ...(flag(table['tree'], at('tree')) ? { isTree: true } : {}),
    ...(flag(table['only'], at('only')) ? { isOnly: true } : {}),
    ...(typeof mode === 'string' && isAccess(mode) ? { mode } : {}),
    ...(table['opaque'] === undefined ? {} : { opaque: text(table['opaque'], at('opaque')) }),
  };
}

function effectOrNull(value: unknown, path: Path, project: string | null): RuleEffect | null {
  if (value === undefined) return null;
  const table = tableOf(value, path);
  onlyKeys(table, path, EFFECT_KEYS);
  return readEffect(table, path, project);
}

function onlyKeys(table: Table, path: Path, known: readonly string[]): void {
  for (const key of Object.keys(table))
    if (!known.includes(key))
      throw new Complaint([...path, key], `unknown key ${key}; known here: ${known.join(', ')}`);
}

function text(value: unknown, path: Path): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Complaint(path, value === undefined ? `${String(path.at(-1))} is missing` : 'write a string');
}

function list(value: unknown, path: Path): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new Complaint(path, 'write an array');
}

const texts = (value: unknown, path: Path): readonly string[] =>
  list(value, path).map((each, index) => text(each, [...path, index]));

function tableOf(value: unknown, path: Path): Table {
  if (isRecord(value)) return value;
  throw new Complaint(path, 'write a table');
}

const tables = (value: unknown, path: Path): readonly Table[] =>
  list(value, path).map((each, index) => tableOf(each, [...path, index]));

function flag(value: unknown, path: Path): boolean {
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  throw new Complaint(path, 'write true or false');
}

function risk(value: unknown, path: Path): Risk {
  const found = RISKS.find((each) => each === value);
  if (found !== undefined) return found;
  throw new Complaint(path, `write one of ${RISKS.join(', ')}`);
}

function style(value: unknown, path: Path): OptionStyle {
  if (value === 'gnu' || value === 'single' || value === 'none') return value;
  throw new Complaint(path, 'write gnu, single or none');
}

function wordRule(value: unknown, path: Path): WordRule {
  const rule = readWordRule(text(value, path));
  if (!rule.ok) throw new Complaint(path, rule.failure.message);
  return rule.value;
}

function wordRules(value: unknown, path: Path): readonly WordRule[] {
  const rules = list(value, path).map((each, index) => wordRule(each, [...path, index]));
  if (rules.filter(({ count }) => count === '*' || count === '+').length > 1)
    throw new Complaint(path, 'only one operand can have * or +');
  return rules;
}

/** Returns the names that `@project` means in this table, or null if the table has none. `project-root.ts` explains the names. */
function projectOf(table: Table, path: Path): string | null {
  if (table['project'] === undefined) return null;
  const names = texts(table['project'], [...path, 'project']);
  const wrong = names.findIndex((name) => !/^[^\s:]+(?::\S*)?$/.test(name));
  if (wrong !== -1 || names.length === 0)
    throw new Complaint([...path, 'project', ...(wrong === -1 ? [] : [wrong])], 'write names of files, without blanks');
  return names.join(' ');
}

function fixedResources(value: unknown, path: Path, project: string | null): readonly FixedResource[] {
  return list(value, path).map((each, index) => {
    const resource = readFixedResource(text(each, [...path, index]));
    if (!resource.ok) throw new Complaint([...path, index], resource.failure.message);
    if (!/^@projects?(?:\/\S+)?$/.test(resource.value.value)) return resource.value;
    if (project === null)
      throw new Complaint([...path, index], 'the key "project" is missing: write the names of its files');
    return { ...resource.value, value: `${resource.value.value} ${project}` };
  });
}
