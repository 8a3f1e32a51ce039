/**
 * These types describe a line before it runs: its simple commands and their words. A word is literal, or only known at run time. A
 * construct that these types do not describe makes the line opaque.
 */
import type { Reason } from '../reasons/reason.ts';
import { type Spelling, spellingFrom } from './spelling.ts';

/** Why a word is only known at run time. */
export type RuntimeReason =
  | 'variable'
  | 'substitution'
  | 'process substitution'
  | 'arithmetic'
  | 'glob'
  | 'braces'
  | 'tilde'
  | 'translation'
  /** The program that runs the command inserts text here: `find` replaces `{}`, and `xargs` inserts its input. */
  | 'input';

/**
 * @property source the word as written in the line
 * @property value  the text that the program gets, without quotes
 * @property prefix the known text at the beginning of the word
 * @property isOne  whether the word is exactly one word at run time; an unquoted variable or a glob may become no word or many words
 * @property spellings the words that this word may become; absent: an unknown text may follow the prefix
 */
export type Word =
  | { readonly kind: 'literal'; readonly value: string; readonly source: string }
  | {
      readonly kind: 'runtime';
      readonly why: RuntimeReason;
      readonly prefix: string;
      readonly isOne: boolean;
      readonly source: string;
      readonly spellings?: readonly Spelling[];
    };

/** @property value null for an array and for the variable of a loop: their values are not modelled */
export interface Assignment {
  readonly name: string;
  readonly value: Word | null;
}

type RedirectionOperator = '>' | '>>' | '<' | '<>' | '>|' | '&>' | '&>>' | '<&' | '>&' | '<<' | '<<<';

/**
 * @property descriptor the number in front of the operator; null: the operator's default
 * @property target     a file, the number of another descriptor, a here-string or the text of a here-document
 */
export interface Redirection {
  readonly operator: RedirectionOperator;
  readonly descriptor: number | null;
  readonly target: Word;
}

/** The constructs around a simple command, the outermost first. */
export type Nesting =
  | 'pipeline'
  | 'list'
  | 'background'
  | 'group'
  | 'subshell'
  | 'condition'
  | 'loop'
  | 'substitution'
  | 'process substitution';

/**
 * @property words        the name first; empty when there are only assignments or redirections
 * @property assignments  the assignments in front of the name
 * @property within       the constructs around the command
 * @property source       the command as written in the line, cut after 80 characters
 * @property mentions     words that bash expands, but that are not words of the command, such as the list of a loop
 * @property after        indices in `ParsedText.commands`: because of `&&`, these commands have certainly succeeded when this command
 *                        starts; absent: no command
 * @property input        the simple command whose output a pipe certainly passes to this command; absent: no such command
 */
export interface SimpleCommand {
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirections: readonly Redirection[];
  readonly within: readonly Nesting[];
  readonly source: string;
  readonly mentions?: readonly Word[];
  readonly after?: readonly number[];
  readonly input?: SimpleCommand;
}

/**
 * A reason why the line is opaque: an approval then covers only the exact bytes of the line.
 * @property source the part of the line that the reason concerns, cut after 80 characters
 */
export interface Opacity extends Reason {
  readonly source: string;
}

/**
 * @property commands every simple command that the line could run, in the order of the line:
 *                    - the commands of a substitution are in front of the command that contains the substitution
 *                    - the variable of a loop, and the redirections of a group, are commands without words
 *                    - for an opaque line, only the commands that were understood are listed
 * @property opaque   empty if the whole line was understood
 */
export interface ParsedText {
  readonly commands: readonly SimpleCommand[];
  readonly opaque: readonly Opacity[];
}

/** Returns the values of the words; null if one of the words is only known at run time. */
export function literalWords(words: readonly Word[]): readonly string[] | null {
  const values: string[] = [];
  for (const word of words) {
    if (word.kind !== 'literal') return null;
    values.push(word.value);
  }
  return values;
}

/**
 * Returns the word without its first `from` UTF-16 units, which must be known text. `source` stays the same. Drops all spellings if the
 * first `from` units of one spelling are not known text.
 */
export function wordFrom(word: Word, from: number): Word {
  if (word.kind === 'literal') return { ...word, value: word.value.slice(from) };
  const { spellings, ...bare } = word;
  const cut = spellings?.map((each) => spellingFrom(each, from));
  const rest = { ...bare, prefix: word.prefix.slice(from) };
  return cut?.every((each) => each !== null) === true ? { ...rest, spellings: cut } : rest;
}
