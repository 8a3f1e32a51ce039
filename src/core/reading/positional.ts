/** Replaces parameters in the text of a shell: in `sh -c 'rm "$1"' _ FILE`, `"$1"` is FILE. */
import { behindPrefixes } from './builtins.ts';
import type { SimpleCommand, Word } from './reading.ts';

/** Builtins that change what `$1` means. If the text calls or may call one of these builtins, all parameters stay unknown. */
const MOVES: ReadonlySet<string> = new Set(['shift', 'set', 'getopts', 'source', '.', 'eval']);

const movesParameters = (commands: readonly SimpleCommand[]): boolean =>
  commands.some(({ words }) => {
    const called = behindPrefixes(words);
    if (called === null) return true;
    const [name] = called;
    return name !== undefined && (name.kind !== 'literal' || MOVES.has(name.value));
  });

/**
 * Replaces the quoted parameters in the words of the commands. Parameters in redirections and assignments are not replaced. A parameter
 * without a value becomes an empty word. If one of the commands may change what `$1` means, returns all commands unchanged.
 * @param parameters the words for `$0`, `$1` and so on
 */
export function withParameters(
  commands: readonly SimpleCommand[],
  parameters: readonly Word[],
): readonly SimpleCommand[] {
  const put = commands.map((command) => ({
    ...command,
    words: command.words.flatMap((word) => parametersFor(word, parameters)),
  }));
  return movesParameters(put) ? commands : put;
}

/** Returns the words for a quoted `"$1"`, `"$@"` and the like. Returns any other word unchanged. */
function parametersFor(word: Word, parameters: readonly Word[]): readonly Word[] {
  if (word.kind !== 'runtime' || word.why !== 'variable') return [word];
  const isOne = (each: Word) => each.kind === 'literal' || each.isOne;
  // If the word at `$0` may become no word or many words, all parameters shift.
  const [zero] = parameters;
  if (/^"\$(?:@|\{@\})"$/.test(word.source)) return zero === undefined || isOne(zero) ? parameters.slice(1) : [word];
  const [, braced, bare] = /^"\$(?:\{(\d{1,2})\}|(\d))"$/.exec(word.source) ?? [];
  const index = braced ?? bare;
  if (index === undefined) return [word];
  // If a word may become no word or many words, all later parameters shift.
  if (!parameters.slice(0, Number(index) + 1).every(isOne)) return [word];
  return [parameters[Number(index)] ?? { kind: 'literal', value: '', source: word.source }];
}
