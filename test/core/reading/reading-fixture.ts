/** Shorthand for tests of the reader: what a line runs, as text. */
import { parse } from 'unbash';
import { commandsIn, type LineCommands } from '../../../src/core/reading/commands-in.ts';
import { parseLine } from '../../../src/core/reading/parse-line.ts';

export const understand = (line: string): LineCommands => commandsIn(parseLine(line, parse), parse);

/** The commands of a line as `git log` or `git log <$X>`, without commands that have no name. */
export const commandsOf = (line: string): readonly string[] =>
  understand(line)
    .commands.filter(({ command }) => command.words.length > 0)
    .map(({ command }) =>
      command.words
        .map((word) => (word.kind === 'literal' ? word.value : `${word.prefix}<${word.why}${word.isOne ? '' : '…'}>`))
        .join(' '),
    );

/** The wrappers around the last command, each with what it changes. */
export const wrappersOf = (line: string): readonly string[] =>
  (understand(line).commands.at(-1)?.through ?? []).map(({ name, settings }) =>
    [name, ...settings.map(({ kind, value }) => (value === null ? kind : `${kind} ${value}`))].join(', '),
  );

export const reasonsOf = (line: string): readonly string[] => understand(line).opaque.map(({ reason }) => reason);
