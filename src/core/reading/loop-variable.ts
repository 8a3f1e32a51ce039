/** `for f in src/*.ts; do head "$f"; done`: puts the words of the list in place of `"$f"` in the loop. */
import type { SimpleCommand, Word } from './reading.ts';
import { type Spelling, spelledText } from './spelling.ts';

/** @property from index of the loop's first command in the line @property to index behind its last */
export interface Loop {
  readonly name: string;
  readonly list: readonly Word[];
  readonly from: number;
  readonly to: number;
}

/** Only if nothing else in the line sets the variable, and no command changes where relative names lead. */
export function withLoopVariables(
  commands: readonly SimpleCommand[],
  loops: readonly Loop[],
): readonly SimpleCommand[] {
  let found = commands;
  for (const loop of loops) {
    const spellings = spellingsIn(loop.list);
    if (spellings === null || commands.some(moves) || assignments(commands, loop.name) !== 1) continue;
    found = found.map((command, at) =>
      at >= loop.from && at < loop.to ? put(command, loop.name, spellings) : command,
    );
  }
  return found;
}

function spellingsIn(list: readonly Word[]): readonly Spelling[] | null {
  const found = list.map((word) => (word.kind === 'literal' ? [spelledText(word.value)] : word.spellings));
  return found.every((each) => each !== undefined) ? found.flat() : null;
}

const moves = ({ words: [name] }: SimpleCommand): boolean =>
  name !== undefined &&
  (name.kind !== 'literal' || /^(?:cd|pushd|popd|command|builtin|eval|source|\.)$/.test(name.value));

/** How many commands may assign the variable: the loop itself, and each with a word `NAME` or `NAME=…`. */
function assignments(commands: readonly SimpleCommand[], name: string): number {
  const isNamed = (text: string) => text === name || text.startsWith(`${name}=`) || text.startsWith(`${name}+=`);
  return commands
    .flatMap(({ words, assignments: all }) => [
      ...all.map((each) => each.name),
      ...words.map((word) => (word.kind === 'literal' ? word.value : word.prefix)),
    ])
    .filter(isNamed).length;
}

function put(command: SimpleCommand, name: string, spellings: readonly Spelling[]): SimpleCommand {
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
