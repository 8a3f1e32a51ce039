/** Rules that are broken on purpose: the effects of the calls that they cover must reveal each of them. */
import { readOptionNames } from '../../src/core/rules/rule-notation.ts';
import type { Table } from './rules.ts';

/**
 * @property command the sub-command it is about, `[diff]` for a group of options; '' for the tool itself
 * @property kind
 * - `takes a value`: an option takes the next word as its value, although the tool takes no value, or only one in the same word
 * - `takes none`: an option takes no value, although the tool takes one: the value becomes an operand
 * - `means nothing`: the option has no effect, nor has its value
 * - `forgets`: the effect `key` of the option, or of the command without an option, is removed or replaced by `to`
 * - `reads`: the effect `key` of the option, or of the command without an option, reads what the tool writes or deletes
 * - `operands`: the operands mean `to`
 * - `knows`: `option`, which is opaque because no rule names it, is harmless
 * - `verb`: the sub-command `to` does what `command` does
 */
export interface Mutation {
  readonly tool: string;
  readonly command: string;
  readonly kind: 'takes a value' | 'takes none' | 'means nothing' | 'forgets' | 'reads' | 'operands' | 'knows' | 'verb';
  readonly option?: string;
  readonly key?: string;
  readonly to?: string | readonly string[];
  /** Why the mutation is harmless: no line that the broken rule covers has an effect that its assessment does not contain. */
  readonly closed?: string;
}

/** The hidden word could only be an operand, which names something in the repository that is read anyway. */
const NO_OPTION = 'a separate word that looks like an option is never taken for a value, whatever a rule says';
const UNPACKS = 'unpacking needs an exact approval, and packing runs no program for that option';

const of = (tool: string, kind: Mutation['kind'], more: Partial<Mutation> = {}): Mutation => ({
  tool,
  command: '',
  kind,
  ...more,
});
const git = (command: string, kind: Mutation['kind'], more: Partial<Mutation> = {}): Mutation => ({
  tool: 'git',
  command,
  kind,
  ...more,
});

export const MUTATIONS: readonly Mutation[] = [
  of('sort', 'takes a value', { option: '-r' }),
  of('sort', 'takes a value', { option: '--unique' }),
  of('sort', 'takes none', { option: '-o' }),
  of('sort', 'means nothing', { option: '-o' }),
  of('sort', 'reads', { option: '-o', key: 'value' }),
  of('sort', 'means nothing', { option: '--files0-from' }),
  of('wc', 'means nothing', { option: '--files0-from' }),
  of('du', 'means nothing', { option: '--files0-from' }),
  of('uniq', 'operands', { to: ['read path?', 'read path?'] }),
  of('tee', 'reads', { key: 'operands' }),
  of('cp', 'reads', { key: 'operands' }),
  of('cp', 'operands', { to: ['write tree', 'read path+'] }),
  of('cp', 'means nothing', { option: '-t' }),
  of('cp', 'forgets', { option: '-r', key: 'tree' }),
  of('mv', 'operands', { to: ['read tree+', 'write tree'] }),
  of('mv', 'means nothing', { option: '-t' }),
  of('rm', 'operands', { to: ['read path+'] }),
  of('rm', 'forgets', { option: '-r', key: 'tree' }),
  of('rmdir', 'operands', { to: ['text+'] }),
  of('mkdir', 'operands', { to: ['text+'] }),
  of('touch', 'reads', { key: 'operands' }),
  of('ln', 'reads', { key: 'operands' }),
  of('split', 'forgets', { key: 'adds' }),
  of('dd', 'operands', { to: ['text*'] }),
  of('chmod', 'operands', { to: ['text', 'read path+'] }),
  of('chmod', 'forgets', { option: '-R', key: 'tree' }),
  of('cmp', 'operands', { to: ['read path', 'text?', 'number?', 'number?'] }),
  of('od', 'operands', { to: ['text*'] }),
  of('diff', 'means nothing', { option: '-X' }),
  of('date', 'means nothing', { option: '-f' }),
  of('ls', 'forgets', { option: '-R', key: 'tree' }),
  of('sed', 'forgets', { option: '-i', key: 'access' }),
  of('sed', 'takes a value', { option: '-n' }),
  of('sed', 'operands', { to: ['text', 'read path*'] }),
  of('sed', 'means nothing', { option: '-f' }),
  of('awk', 'operands', { to: ['text', 'read path*'] }),
  of('awk', 'means nothing', { option: '-f' }),
  of('grep', 'means nothing', { option: '-f' }),
  of('grep', 'forgets', { option: '-e', key: 'operands' }),
  of('grep', 'forgets', { option: '-r', key: 'adds' }),
  of('grep', 'takes a value', { option: '-n' }),
  of('find', 'means nothing', { option: '-delete' }),
  of('find', 'means nothing', { option: '-fprint' }),
  of('find', 'operands', { to: ['text*'] }),
  of('tar', 'means nothing', { option: '-C' }),
  of('tar', 'forgets', { option: '-x', key: 'adds' }),
  of('tar', 'operands', { option: '-c', to: ['text*'] }),
  of('tar', 'means nothing', { option: '--to-command', closed: UNPACKS }),
  of('tar', 'means nothing', { option: '-T' }),
  of('tar', 'means nothing', { option: '--remove-files' }),
  of('tar', 'takes a value', { option: '-v' }),
  of('gzip', 'operands', { to: ['read path*'] }),
  git('[diff]', 'takes a value', { option: '-U', closed: NO_OPTION }),
  git('[diff]', 'means nothing', { option: '--output' }),
  git('[diff]', 'takes a value', { option: '--raw', closed: NO_OPTION }),
  git('[diff]', 'means nothing', { option: '-O' }),
  git('branch', 'operands', { to: ['text?', 'read ref?'] }),
  git('tag', 'operands', { to: ['text?', 'read ref?'] }),
  git('blame', 'means nothing', { option: '--contents' }),
  git('archive', 'means nothing', { option: '-o' }),
  git('format-patch', 'forgets', { key: 'adds', to: ['read tree @repository'] }),
  git('apply', 'forgets', { key: 'adds', to: ['read tree @repository'] }),
  git('worktree add', 'operands', { to: ['text', 'read ref?'] }),
  git('show', 'verb', { to: 'rm' }),
  git('ls-files', 'verb', { to: 'add' }),
  git('stash list', 'verb', { to: 'stash clear' }),
  git('remote get-url', 'verb', { to: 'remote remove' }),
  of('file', 'knows', { option: '-f=' }),
  of('gzip', 'takes a value', { option: '-c' }),
  of('cat', 'operands', { to: ['text*'] }),
  of('tail', 'operands', { to: ['text*'] }),
  of('base64', 'operands', { to: ['text?'] }),
  of('sha256sum', 'forgets', { option: '-c', key: 'adds' }),
  of('wc', 'takes a value', { option: '-l' }),
];

export const mutationName = ({ tool, command, kind, option, key, to }: Mutation): string =>
  [tool, command, option, kind, key, typeof to === 'string' ? to : to?.join(', ')]
    .filter((each) => each !== undefined && each !== '')
    .join(' ');

/** Returns a changed copy of the table. Throws if the mutation changes nothing: then the list is out of date. */
export function mutate(table: Table, mutation: Mutation): Table {
  const changed = structuredClone(table);
  const place = placeIn(changed, mutation);
  if (mutation.kind === 'verb') joinVerbs(changed, place, String(mutation.to));
  else if (mutation.kind === 'knows') list(place, 'options').push(mutation.option);
  else if (mutation.option !== undefined) changeOption(place, mutation.option, mutation);
  else changeCommand(place, mutation);
  if (JSON.stringify(changed) === JSON.stringify(table))
    throw new Error(`nothing to change: ${mutationName(mutation)}`);
  return changed;
}

function placeIn(table: Table, mutation: Mutation): Table {
  const { command } = mutation;
  if (command === '') return table;
  const found = command.startsWith('[')
    ? (table['group'] as Table[]).find(({ name }) => `[${name}]` === command)
    : (table['command'] as Table[]).find(
        ({ name }) => name === command || (Array.isArray(name) && name.includes(command)),
      );
  if (found === undefined) throw new Error(`no such command: ${mutationName(mutation)}`);
  return found;
}

function list(table: Table, key: string): unknown[] {
  const found = (table[key] ?? []) as unknown[];
  table[key] = found;
  return found;
}

/** Makes the sub-command `verb` a further name of `place`, and removes its own rule. */
function joinVerbs(table: Table, place: Table, verb: string): void {
  const commands = table['command'] as Table[];
  const namesOf = ({ name }: Table): string[] => (Array.isArray(name) ? (name as string[]) : [String(name)]);
  for (const each of commands)
    if (namesOf(each).includes(verb)) each['name'] = namesOf(each).filter((name) => name !== verb);
  table['command'] = commands.filter((each) => namesOf(each).length > 0);
  place['name'] = [...namesOf(place), verb];
}

const has = (notation: string, option: string): boolean => {
  const names = readOptionNames(notation);
  return names.ok && names.value.some(([name]) => name === option);
};

const marked = (notation: string, mark: string): string =>
  notation
    .split(' ')
    .map((name) => name.replace(/(?:\[=\]|=)$/, '') + mark)
    .join(' ');

function changeOption(place: Table, option: string, mutation: Mutation): void {
  const options = list(place, 'options') as string[];
  const effects = list(place, 'effects') as Table[];
  const plain = options.findIndex((notation) => has(notation, option));
  const effect = effects.find((each) => has(String(each['option']), option));
  const notation = effect === undefined ? options[plain] : String(effect['option']);
  if (notation === undefined) throw new Error(`no such option: ${mutationName(mutation)}`);
  const replace = (text: string): void => {
    if (effect === undefined) options[plain] = text;
    else {
      effects.splice(effects.indexOf(effect), 1);
      options.push(text);
    }
  };
  if (mutation.kind === 'takes a value') replace(marked(notation, '='));
  else if (mutation.kind === 'takes none') replace(marked(notation, ''));
  else if (mutation.kind === 'means nothing') replace(notation);
  else if (effect !== undefined) changeCommand(effect, mutation);
}

function changeCommand(place: Table, { kind, key, to }: Mutation): void {
  if (kind === 'operands') place['operands'] = to;
  if (key === undefined) return;
  if (kind === 'forgets') place[key] = to;
  if (place[key] === undefined) delete place[key];
  if (kind === 'reads') place[key] = reading(place[key]);
}

const reading = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(reading) : String(value).replace(/^(?:write|delete) /, 'read ');
