/**
 * `test` and `[` are harmless if it is certain that no word is the operator `-v` or `-R`. `-v` runs the command in the index of an array
 * element, as in `test -v 'a[$(command)]'`. A `[` without its `]` counts as opaque.
 */
import { because } from '../reasons/reason.ts';
import type { BuiltinCall, BuiltinMeaning } from './builtins.ts';
import type { Word } from './reading.ts';

const UNARY = /^-[abcdefghknoprstuwxzGLNOS]$/;
const BINARY = /^(?:==?|!=|<|>|=~|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

export function meaningOfTest({ name, arguments: words }: BuiltinCall): BuiltinMeaning {
  const last = words.at(-1);
  const isClosed = name !== '[' || (last?.kind === 'literal' && last.value === ']');
  const operands = name === '[' ? words.slice(0, -1) : words;
  return isClosed && operands.every(isOneWord) && isSafe(operands)
    ? { kind: 'harmless' }
    : { kind: 'opaque', ...because('evaluates-held-value') };
}

/**
 * Whether the word counts as one word. An unquoted `$?`, `$#` or `$$` is one word, because its value is a number. An unquoted `$!` counts
 * as one word too. Before the first background job, `$!` is empty and disappears. What `isSafe` accepts is harmless even without this word.
 */
const isOneWord = (word: Word): boolean => word.kind === 'literal' || word.isOne || /^\$[?#$!]$/.test(word.source);

/** Whether it is certain that no operator is `-v` or `-R`. In POSIX, the number of words decides which word is the operator. */
function isSafe(words: readonly Word[]): boolean {
  const [first, second, third] = words;
  switch (words.length) {
    case 0:
    case 1:
      return true;
    case 2:
      return is(first, '!') || matches(first, UNARY);
    case 3:
      return (
        matches(second, BINARY) || (is(first, '!') && isSafe(words.slice(1))) || (is(first, '(') && is(third, ')'))
      );
    case 4:
      return is(first, '!') && matches(third, BINARY);
    default:
      return words.every((word) => word.kind === 'literal' && !/^-[vR]$/.test(word.value));
  }
}

const is = (word: Word | undefined, value: string): boolean => word?.kind === 'literal' && word.value === value;
const matches = (word: Word | undefined, pattern: RegExp): boolean =>
  word?.kind === 'literal' && pattern.test(word.value);

/** The operators whose operands zsh and ksh evaluate as arithmetic. */
const COMPUTING = /^-(?:t|eq|ne|lt|le|gt|ge)$/;
/** The negation `!`, or a word without an expansion. */
const PLAIN = /^(?:!|[\w./+=,:@%-]+)$/;

/**
 * Whether `test` does the same with these words in every POSIX shell.
 * @param isNumber whether a word is certainly a number
 */
export function isTestElsewhere(words: readonly Word[], isNumber: (word: Word) => boolean): boolean {
  const isPlain = words.every((word) => isNumber(word) || matches(word, PLAIN));
  if (!words.some((word) => matches(word, COMPUTING))) return isPlain;
  return words.every((word) => isNumber(word) || is(word, '!') || matches(word, COMPUTING));
}
