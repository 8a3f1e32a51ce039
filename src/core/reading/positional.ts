/** Parameters that a text was given: `$1` in `sh -c 'rm "$1"' _ FILE` is FILE. */
import type { SimpleCommand, Word } from './reading.ts';

/** They change what `$1` is; then all of them stay unknown. */
const MOVES: ReadonlySet<string> = new Set(['shift', 'set', 'getopts', 'source', '.', 'eval']);

const movesParameters = (commands: readonly SimpleCommand[]): boolean =>
  commands.some(({ words }) => {
    const name = words[0];
    return name !== undefined && (name.kind !== 'literal' || MOVES.has(name.value) || MOVES.has(wordAt(words, 1)));
  });

const wordAt = (words: readonly Word[], at: number): string => {
  const word = words[at];
  return word?.kind === 'literal' ? word.value : '';
};

/** @param parameters `$0` first */
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

/** Only a word that is nothing but the parameter, quoted so that it stays one. */
function parametersFor(word: Word, parameters: readonly Word[]): readonly Word[] {
  if (word.kind !== 'runtime' || word.why !== 'variable') return [word];
  const isOne = (each: Word) => each.kind === 'literal' || each.isOne;
  // A word at `$0` that may become none or many words shifts all of them.
  const [zero] = parameters;
  if (/^"\$(?:@|\{@\})"$/.test(word.source)) return zero === undefined || isOne(zero) ? parameters.slice(1) : [word];
  const [, braced, bare] = /^"\$(?:\{(\d{1,2})\}|(\d))"$/.exec(word.source) ?? [];
  const index = braced ?? bare;
  if (index === undefined) return [word];
  // A word that may become none or many words shifts those behind it.
  if (!parameters.slice(0, Number(index) + 1).every(isOne)) return [word];
  return [parameters[Number(index)] ?? { kind: 'literal', value: '', source: word.source }];
}
