/** Reads the options of a wrapper as getopt_long(3) does, but refuses a word that can be read in two ways. */
import { because, type Reason } from '../reasons/reason.ts';
import type { Opacity, Word } from './reading.ts';

/** `flag`: takes no value. `value`: takes the rest of its word, else the next word. `attached`: takes the rest of its word or nothing. */
interface OptionShape {
  readonly takes: 'flag' | 'value' | 'attached';
  /** What the option means for unwrapping, see `Wrapper`. Empty: the option does not matter for unwrapping. */
  readonly meaning: string;
}

export type OptionTable = ReadonlyMap<string, OptionShape>;

/**
 * @property name  as in the table, with the dash; a number such as `-5` has the name `-#`, and the number itself is not kept
 * @property value null: the option has no value
 */
export interface FoundOption {
  readonly name: string;
  readonly meaning: string;
  readonly value: Word | null;
}

export type OptionsRead =
  | { readonly ok: true; readonly options: readonly FoundOption[]; readonly rest: readonly Word[] }
  | ({ readonly ok: false } & Opacity);

/**
 * @param text options with blanks between them: `-f`, `-n=` (takes a value), `-e[=]` (takes a value only in the same word),
 *             `--long`, `--long=`. An option with a meaning ends with `:meaning`. `-` is the word `-`. `-#` is a number, as in `nice -5`
 */
export function optionTable(text: string): OptionTable {
  const table = new Map<string, OptionShape>();
  for (const item of text.split(/\s+/).filter((each) => each !== '')) {
    const [, name = '', shape = '', meaning = ''] = /^(-[^=[:]*)(=|\[=\])?(?::(.*))?$/.exec(item) ?? [];
    table.set(name, { takes: shape === '=' ? 'value' : shape === '[=]' ? 'attached' : 'flag', meaning });
  }
  return table;
}

/**
 * Fails in these cases:
 * - an option is not in the table, for example an abbreviation
 * - an option has no value but needs one, or a long `flag` has a value
 * - a word may become an option at run time
 * @param words    the words after the name of the wrapper
 * @param permutes false: `rest` begins with the first word that is no option. True: options may come after operands, and `rest` has all
 *                 words that are no options
 */
export function readOptions(words: readonly Word[], table: OptionTable, permutes = false): OptionsRead {
  const options: FoundOption[] = [];
  const operands: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    if (word.kind === 'runtime') {
      // The word may become an option, no word, or many words.
      if (!word.isOne || word.prefix === '' || word.prefix.startsWith('-'))
        return refused(because('option-unknown'), word);
      if (!permutes) return { ok: true, options, rest: words.slice(at) };
      operands.push(word);
      continue;
    }
    if (word.value === '--') return { ok: true, options, rest: [...operands, ...words.slice(at + 1)] };
    const found = readOne(word, words[at + 1], table);
    if (found === 'operand') {
      if (!permutes) return { ok: true, options, rest: words.slice(at) };
      operands.push(word);
    } else if (found === 'unknown') return refused(because('option-unclear'), word);
    else {
      options.push(...found.options);
      if (found.takesNext) at++;
    }
  }
  return { ok: true, options, rest: operands };
}

const refused = (reason: Reason, word: Word): OptionsRead => ({ ok: false, ...reason, source: word.source });

type OneRead = 'operand' | 'unknown' | { readonly options: readonly FoundOption[]; readonly takesNext: boolean };

function readOne(word: Word & { readonly kind: 'literal' }, next: Word | undefined, table: OptionTable): OneRead {
  const text = word.value;
  if (!text.startsWith('-')) return 'operand';
  if (text === '-') return table.has('-') ? only('-', table, null) : 'operand';
  if (/^-\d+$/.test(text) && table.has('-#')) return only('-#', table, null);
  return text.startsWith('--') ? readLong(text, next, table) : readShort(text, next, table);
}

const only = (name: string, table: OptionTable, value: Word | null, takesNext = false): OneRead => ({
  options: [{ name, meaning: table.get(name)?.meaning ?? '', value }],
  takesNext,
});

/** Refuses abbreviations: `--sig` may mean another option in another version. */
function readLong(text: string, next: Word | undefined, table: OptionTable): OneRead {
  const at = text.indexOf('=');
  const name = at === -1 ? text : text.slice(0, at);
  const value = at === -1 ? null : literal(text.slice(at + 1));
  const shape = table.get(name);
  if (shape === undefined) return 'unknown';
  if (shape.takes === 'flag') return value === null ? only(name, table, null) : 'unknown';
  if (shape.takes === 'attached' || value !== null) return only(name, table, value);
  return isValue(next) ? only(name, table, next, true) : 'unknown';
}

function readShort(text: string, next: Word | undefined, table: OptionTable): OneRead {
  const options: FoundOption[] = [];
  for (let at = 1; at < text.length; at++) {
    const name = `-${text[at]}`;
    const shape = table.get(name);
    if (shape === undefined) return 'unknown';
    const { takes, meaning } = shape;
    const rest = text.slice(at + 1);
    if (takes === 'flag') options.push({ name, meaning, value: null });
    else if (rest !== '' || takes === 'attached')
      return { options: [...options, { name, meaning, value: rest === '' ? null : literal(rest) }], takesNext: false };
    else if (isValue(next)) return { options: [...options, { name, meaning, value: next }], takesNext: true };
    else return 'unknown';
  }
  return { options, takesNext: false };
}

const isValue = (word: Word | undefined): word is Word => word !== undefined && (word.kind === 'literal' || word.isOne);

export const literal = (value: string): Word => ({ kind: 'literal', value, source: value });
