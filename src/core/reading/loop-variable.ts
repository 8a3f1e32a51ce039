/** Finds the spellings of a loop variable. In `for f in a *.ts; do head "$f"; done`, each `"$f"` gets the spellings of `a` and `*.ts`. */
import { knownText } from './known-text.ts';
import type { SimpleCommand, Word } from './reading.ts';
import { type Spelling, spelledText } from './spelling.ts';

/**
 * @property name the variable
 * @property list the words after `in`
 * @property from the index of the body's first command among the commands of the line
 * @property to   the index after the body's last command
 */
export interface Loop {
  readonly name: string;
  readonly list: readonly Word[];
  readonly from: number;
  readonly to: number;
}

/** Variables that bash sets after a command: bash(1), "Special Parameters", and "checkwinsize" in "shopt". */
const SET_BY_BASH: ReadonlySet<string> = new Set(['_', 'COLUMNS', 'LINES']);

/**
 * Gives the loop variables their spellings. Leaves a loop unchanged in three cases:
 * - a word of the loop's list has no known spellings
 * - bash itself, or another part of the line, possibly sets the variable of the loop
 * - a command of the line possibly changes the working directory, and with it the meaning of relative names in the list
 */
export function withLoopVariables(
  commands: readonly SimpleCommand[],
  loops: readonly Loop[],
): readonly SimpleCommand[] {
  let found = commands;
  for (const loop of loops) {
    const spellings = spellingsIn(loop.list);
    if (spellings === null || SET_BY_BASH.has(loop.name) || commands.some(mayChangeDirectory)) continue;
    if (countAssignments(commands, loop.name) !== 1) continue;
    found = found.map((command, at) =>
      at >= loop.from && at < loop.to ? withSpellings(command, loop.name, spellings) : command,
    );
  }
  return found;
}

function spellingsIn(list: readonly Word[]): readonly Spelling[] | null {
  const found = list.map((word) => (word.kind === 'literal' ? [spelledText(word.value)] : word.spellings));
  return found.every((each) => each !== undefined) ? found.flat() : null;
}

const mayChangeDirectory = ({ words: [name] }: SimpleCommand): boolean =>
  name !== undefined &&
  (name.kind !== 'literal' || /^(?:cd|pushd|popd|command|builtin|eval|source|\.)$/.test(name.value));

/**
 * Returns how often the line possibly sets the variable. Counts the assignments to `NAME`, and the words `NAME`, `NAME=…` and `NAME+=…`.
 * The loop itself is one assignment in `commands`. A builtin that sets a variable in another way makes the line opaque.
 */
function countAssignments(commands: readonly SimpleCommand[], name: string): number {
  const isNamed = (text: string) => text === name || text.startsWith(`${name}=`) || text.startsWith(`${name}+=`);
  return commands
    .flatMap(({ words, assignments: all }) => [...all.map((each) => each.name), ...words.map(knownText)])
    .filter(isNamed).length;
}

function withSpellings(command: SimpleCommand, name: string, spellings: readonly Spelling[]): SimpleCommand {
  const replaced = (word: Word): Word =>
    word.kind === 'runtime' && (word.source === `"$${name}"` || word.source === `"$\{${name}}"`)
      ? { ...word, prefix: '', isOne: true, spellings }
      : word;
  return {
    ...command,
    words: command.words.map(replaced),
    redirections: command.redirections.map((each) =>
      each.operator.startsWith('<<') ? each : { ...each, target: replaced(each.target) },
    ),
  };
}
