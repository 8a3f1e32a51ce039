/** From the table of a rule file to a rule; the first thing that is wrong is told with its place in the table. */
import { failed, type Result, success } from '../result.ts';
import { RISKS, type Risk } from './permission.ts';
import type { CommandRule, Effect, FixedResource, OptionRule, OptionStyle, ToolRule, WordRule } from './rule.ts';
import { canonicalName, isAccess, readFixedResource, readOptionNames, readWordRule } from './rule-notation.ts';

/** @property path keys and indices from the outside in */
export interface RuleProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

type Path = readonly (string | number)[];
type Table = Readonly<Record<string, unknown>>;

/** Stops the reading of one file; never leaves this module. */
class Complaint extends Error {
  readonly path: Path;
  constructor(path: Path, message: string) {
    super(message);
    this.path = path;
  }
}

const EFFECT_KEYS = ['risk', 'does', 'operation', 'adds', 'operands', 'access', 'tree', 'mode', 'opaque'];
const OPTION_KEYS = [...EFFECT_KEYS, 'option', 'value', 'one_of', 'directory'];
const GROUP_KEYS = ['name', 'options', 'effects'];
const COMMAND_KEYS = [
  'does',
  'risk',
  'style',
  'options_first',
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
];
const FILE_KEYS = [...COMMAND_KEYS, 'tool', 'names', 'group', 'command', 'match', 'not_match'];

/** The rule in a parsed file. */
export function readRule(file: Table): Result<ToolRule, RuleProblem> {
  try {
    return success(readTool(file));
  } catch (error) {
    if (error instanceof Complaint) return failed({ path: error.path, message: error.message });
    throw error;
  }
}

type Group = { readonly options: readonly unknown[]; readonly effects: readonly unknown[]; readonly at: Path };

function readTool(file: Table): ToolRule {
  onlyKeys(file, [], FILE_KEYS);
  const tool = text(file['tool'], ['tool']);
  const names = file['names'] === undefined ? [tool] : texts(file['names'], ['names']);
  const groups = new Map<string, Group>();
  for (const [index, each] of tables(file['group'], ['group']).entries()) {
    const at = ['group', index];
    onlyKeys(each, at, GROUP_KEYS);
    groups.set(text(each['name'], [...at, 'name']), {
      options: list(each['options'], [...at, 'options']),
      effects: list(each['effects'], [...at, 'effects']),
      at,
    });
  }
  const root = readCommand(file, [], tool, groups);
  for (const [index, each] of tables(file['command'], ['command']).entries())
    addCommand(root, each, ['command', index], tool, groups);
  return { tool, names, root };
}

/** `name = ["remote rm", "remote remove"]`: the first is the operation's. */
function addCommand(root: CommandRule, table: Table, path: Path, tool: string, groups: ReadonlyMap<string, Group>) {
  onlyKeys(table, path, [...COMMAND_KEYS, 'name']);
  const given = table['name'];
  const names = typeof given === 'string' ? [given] : texts(given, [...path, 'name']);
  const command = readCommand(table, path, `${tool} ${names[0] ?? ''}`, groups);
  for (const name of names) {
    const words = name.split(' ');
    const last = words.pop() ?? '';
    let parent = root;
    for (const word of words) {
      const next = Object.hasOwn(parent.commands, word) ? parent.commands[word] : undefined;
      if (next === undefined) throw new Complaint([...path, 'name'], `"${name}" stands before the command around it`);
      parent = next;
    }
    if (last === '' || Object.hasOwn(parent.commands, last))
      throw new Complaint([...path, 'name'], `"${name}" is there twice, or has no name`);
    (parent.commands as Record<string, CommandRule>)[last] = command;
  }
}

function readCommand(table: Table, path: Path, operation: string, groups: ReadonlyMap<string, Group>): CommandRule {
  const options: Record<string, OptionRule> = {};
  const effects: Effect[] = [];
  const own = {
    options: list(table['options'], [...path, 'options']),
    effects: list(table['effects'], [...path, 'effects']),
    at: path,
  };
  const wanted = texts(table['groups'] ?? [], [...path, 'groups']).map((name, index) => {
    const group = groups.get(name);
    if (group === undefined) throw new Complaint([...path, 'groups', index], `there is no group "${name}"`);
    return group;
  });
  for (const source of [own, ...wanted]) addOptions(source, options, effects);
  return {
    operation,
    does: table['does'] === undefined ? null : text(table['does'], [...path, 'does']),
    risk: table['risk'] === undefined ? 'low' : risk(table['risk'], [...path, 'risk']),
    style: style(table['style'] ?? 'gnu', [...path, 'style']),
    isOptionsFirst: flag(table['options_first'], [...path, 'options_first']),
    hasNumbers: flag(table['numbers'], [...path, 'numbers']),
    isOldStyle: flag(table['old_style'], [...path, 'old_style']),
    isSpread: flag(table['spread'], [...path, 'spread']),
    options,
    effects,
    operands: wordRules(table['operands'] ?? [], [...path, 'operands']),
    adds: fixedResources(table['adds'] ?? [], [...path, 'adds']),
    requires: texts(table['requires'] ?? [], [...path, 'requires']),
    behindDashes:
      table['behind_dashes'] === undefined ? null : wordRules(table['behind_dashes'], [...path, 'behind_dashes']),
    bareWords: texts(table['bare_words'] ?? [], [...path, 'bare_words']),
    withOperands: effectOrNull(table['with_operands'], [...path, 'with_operands']),
    withoutOperands: effectOrNull(table['without_operands'], [...path, 'without_operands']),
    commands: {},
  };
}

function addOptions(source: Group, options: Record<string, OptionRule>, effects: Effect[]): void {
  for (const [index, given] of source.options.entries()) {
    const at = [...source.at, 'options', index];
    addNames(text(given, at), at, options, { value: null, oneOf: null, directory: null, effect: null });
  }
  for (const [index, given] of source.effects.entries()) {
    const at = [...source.at, 'effects', index];
    const table = tableOf(given, at);
    onlyKeys(table, at, OPTION_KEYS);
    const directory = directoryOf(table['directory'], [...at, 'directory']);
    const value = table['value'] === undefined ? null : wordRule(table['value'], [...at, 'value']);
    const oneOf = table['one_of'] === undefined ? null : texts(table['one_of'], [...at, 'one_of']);
    effects.push(readEffect(table, at));
    const rest = { value, oneOf, directory, effect: effects.length - 1 };
    addNames(text(table['option'], [...at, 'option']), [...at, 'option'], options, rest);
  }
}

function directoryOf(value: unknown, path: Path): OptionRule['directory'] {
  if (value === undefined || value === 'operands' || value === 'all') return value ?? null;
  throw new Complaint(path, 'write "operands" or "all"');
}

type OptionRest = Pick<OptionRule, 'value' | 'oneOf' | 'directory' | 'effect'>;

function addNames(notation: string, at: Path, options: Record<string, OptionRule>, rest: OptionRest): void {
  const names = readOptionNames(notation);
  if (typeof names === 'string') throw new Complaint(at, names);
  const canonical = canonicalName(names);
  if ((rest.value ?? rest.oneOf ?? rest.directory) !== null && names.some(([, takes]) => takes === 'nothing'))
    throw new Complaint(at, `"${notation}" has a value with a meaning: write "=" or "[=]" behind every name`);
  for (const [name, takes] of names) {
    if (Object.hasOwn(options, name)) throw new Complaint(at, `the option ${name} is there twice`);
    options[name] = { canonical, takes, ...rest };
  }
}

function readEffect(table: Table, path: Path): Effect {
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
    ...(table['adds'] === undefined ? {} : { adds: fixedResources(table['adds'], at('adds')) }),
    ...(table['operands'] === undefined ? {} : { operands: wordRules(table['operands'], at('operands')) }),
    ...(typeof access === 'string' && isAccess(access) ? { access } : {}),
    ...(flag(table['tree'], at('tree')) ? { isTree: true } : {}),
    ...(typeof mode === 'string' && isAccess(mode) ? { mode } : {}),
    ...(table['opaque'] === undefined ? {} : { opaque: text(table['opaque'], at('opaque')) }),
  };
}

function effectOrNull(value: unknown, path: Path): Effect | null {
  if (value === undefined) return null;
  const table = tableOf(value, path);
  onlyKeys(table, path, EFFECT_KEYS);
  return readEffect(table, path);
}

function onlyKeys(table: Table, path: Path, known: readonly string[]): void {
  for (const key of Object.keys(table))
    if (!known.includes(key))
      throw new Complaint([...path, key], `unknown key ${key}; known here: ${known.join(', ')}`);
}

function text(value: unknown, path: Path): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Complaint(path, value === undefined ? `${String(path.at(-1))} is missing` : 'write a text');
}

function list(value: unknown, path: Path): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new Complaint(path, 'write a list');
}

const texts = (value: unknown, path: Path): readonly string[] =>
  list(value, path).map((each, index) => text(each, [...path, index]));

function tableOf(value: unknown, path: Path): Table {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Table;
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
  if (typeof rule === 'string') throw new Complaint(path, rule);
  return rule;
}

function wordRules(value: unknown, path: Path): readonly WordRule[] {
  const rules = list(value, path).map((each, index) => wordRule(each, [...path, index]));
  if (rules.filter(({ count }) => count === '*' || count === '+').length > 1)
    throw new Complaint(path, 'only one operand can be repeated');
  return rules;
}

function fixedResources(value: unknown, path: Path): readonly FixedResource[] {
  return list(value, path).map((each, index) => {
    const resource = readFixedResource(text(each, [...path, index]));
    if (typeof resource === 'string') throw new Complaint([...path, index], resource);
    return resource;
  });
}
