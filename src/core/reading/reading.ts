/**
 * What a command line would do, as far as it can be known before it runs: every simple command in it, each word either
 * literal or known only at run time. What is not modelled makes the line opaque: it needs a human for its exact bytes.
 */
import type { Reason } from '../reasons/reason.ts';
import { type Spelling, spellingFrom } from './spelling.ts';

/** Why a word is known only when the line runs. */
export type RuntimeReason =
  | 'variable'
  | 'substitution'
  | 'process substitution'
  | 'arithmetic'
  | 'glob'
  | 'braces'
  | 'tilde'
  | 'translation'
  /** What the program that runs it puts there: `{}` of find, what xargs reads. */
  | 'input';

/**
 * @property source as it stands in the line
 * @property value  what the program gets, quoting undone
 * @property prefix the literal text before the first part that is not known: what the word certainly begins with
 * @property isOne  whether it is exactly one word at run time; an unquoted variable or a glob may become none, or many
 * @property spellings every way to write what it becomes; without them it may become anything behind its prefix
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

/** @property value null for an array, and for the variable of a loop */
export interface Assignment {
  readonly name: string;
  readonly value: Word | null;
}

type RedirectionOperator = '>' | '>>' | '<' | '<>' | '>|' | '&>' | '&>>' | '<&' | '>&' | '<<' | '<<<';

/**
 * @property descriptor the number in front, or null for the usual one
 * @property target     the file, the descriptor's number, the here-string; the text of a here-document
 */
export interface Redirection {
  readonly operator: RedirectionOperator;
  readonly descriptor: number | null;
  readonly target: Word;
}

/** Where a simple command stands, from the outside in. */
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
 * @property assignments  in front of the name
 * @property within       what stands around it
 * @property source       as it stands in the line
 * @property mentions     words that are read and are no words of a command: the list of a loop
 * @property after        places in the reading's commands of those that have certainly succeeded when this one starts: what
 *                        stands in front of `&&`; absent where there are none
 */
export interface SimpleCommand {
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirections: readonly Redirection[];
  readonly within: readonly Nesting[];
  readonly source: string;
  readonly mentions?: readonly Word[];
  readonly after?: readonly number[];
}

/**
 * One reason why nothing but the exact bytes can be approved.
 * @property source the part that is meant, at most 80 characters
 */
export interface Opacity extends Reason {
  readonly source: string;
}

/**
 * @property commands every simple command the line could run, in the order they stand there; of an opaque line, those that were seen
 * @property opaque   empty when the line was read completely
 */
export interface ParsedText {
  readonly commands: readonly SimpleCommand[];
  readonly opaque: readonly Opacity[];
}

/** The literal values, or null when one of the words is known only at run time. */
export function literalWords(words: readonly Word[]): readonly string[] | null {
  const values: string[] = [];
  for (const word of words) {
    if (word.kind !== 'literal') return null;
    values.push(word.value);
  }
  return values;
}

/** What is behind the first characters of a word, which must be known. */
export function wordFrom(word: Word, from: number): Word {
  if (word.kind === 'literal') return { ...word, value: word.value.slice(from) };
  const { spellings, ...bare } = word;
  const cut = spellings?.map((each) => spellingFrom(each, from));
  const rest = { ...bare, prefix: word.prefix.slice(from) };
  return cut?.every((each) => each !== null) === true ? { ...rest, spellings: cut } : rest;
}
