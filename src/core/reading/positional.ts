/** Replaces parameters in the text of a shell: in `sh -c 'rm "$1"' _ FILE`, `"$1"` is FILE. */
import { behindPrefixes } from './builtins.ts';
import { literal } from './read-options.ts';
import type { SimpleCommand, Word } from './reading.ts';

/** Builtins that change what `$1` means. If the text calls or may call one of these builtins, `$1` and all later parameters stay unknown. */
const MOVES: ReadonlySet<string> = new Set(['shift', 'set', 'getopts', 'source', '.', 'eval']);
/** `$1`, `${1}`, `$@`, `$*` and the like, in double quotes or without quotes. */
const PARAMETER = /^("?)\$(?:\{(\d{1,2}|[@*])\}|([\d@*]))\1$/;
/** The value of a parameter without quotes stays one word if no character can split it, and none is a wildcard. */
const STAYS_ONE_WORD = /^[\w./-]+$/;

const movesParameters = (commands: readonly SimpleCommand[]): boolean =>
  commands.some(({ words }) => {
    const called = behindPrefixes(words);
    if (called === null) return true;
    const [name] = called;
    return name !== undefined && (name.kind !== 'literal' || MOVES.has(name.value));
  });

/**
 * Replaces the parameters in the words of the commands. Parameters in redirections and assignments are not replaced. A quoted parameter
 * without a value becomes an empty word, but `"$@"` becomes no word. If one of the commands may change what `$1` means, replaces only `$0`:
 * no builtin changes `$0`, and a line that sets BASH_ARGV0 is opaque.
 * @param parameters the words for `$0`, `$1` and so on
 */
export function withParameters(
  commands: readonly SimpleCommand[],
  parameters: readonly Word[],
): readonly SimpleCommand[] {
  const put = (isMoved: boolean) =>
    commands.map((command) => ({
      ...command,
      words: command.words.flatMap((word) => parametersFor(word, parameters, isMoved)),
    }));
  const all = put(false);
  return movesParameters(all) ? put(true) : all;
}

/**
 * Returns the words for `"$1"`, `$1`, `"$@"` and the like. Returns any other word unchanged.
 * @param isMoved whether only the value of `$0` is known
 */
function parametersFor(word: Word, parameters: readonly Word[], isMoved: boolean): readonly Word[] {
  if (word.kind !== 'runtime' || word.why !== 'variable') return [word];
  const [, quote, braced, bare] = PARAMETER.exec(word.source) ?? [];
  const name = braced ?? bare;
  if (name === undefined || (isMoved && name !== '0')) return [word];
  const values = valuesOf(name, parameters);
  if (values === null) return [word];
  if (quote === '') return values.every(staysOneWord) ? values : [word];
  if (name === '@') return values;
  // Quotes join the values of `"$*"` to one word, and make an empty word of a missing value.
  const [value, ...more] = values;
  if (more.length > 0 || (value !== undefined && !isOneWord(value))) return [word];
  return [value ?? { ...literal(''), source: word.source }];
}

/** Returns the values of a parameter; null: not known. */
function valuesOf(name: string, parameters: readonly Word[]): readonly Word[] | null {
  const isAll = name === '@' || name === '*';
  // If the word at an earlier place may become no word or many words, all later parameters shift.
  const before = parameters.slice(0, isAll ? 1 : Number(name) + 1);
  if (!before.every(isOneWord)) return null;
  return isAll ? parameters.slice(1) : parameters.slice(Number(name), Number(name) + 1);
}

const isOneWord = (word: Word): boolean => word.kind === 'literal' || word.isOne;
const staysOneWord = (word: Word): boolean => word.kind === 'literal' && STAYS_ONE_WORD.test(word.value);
