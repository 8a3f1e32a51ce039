/** Adds notes below the options in the help of a verb. The man page of the verb has the same notes. */
import type { Command } from 'commander';

/** @property rows each row is a term with its meaning, or a plain line */
export interface Note {
  readonly title: string;
  readonly rows: readonly (readonly [string, string] | string)[];
}

const NOTES = new WeakMap<Command, readonly Note[]>();

export function addNotes(command: Command, notes: readonly Note[]): Command {
  NOTES.set(command, notes);
  return command.addHelpText('after', `\n${notes.map(noteText).join('\n')}`);
}

export const notesOf = (command: Command): readonly Note[] => NOTES.get(command) ?? [];

function noteText({ title, rows }: Note): string {
  const width = Math.max(...rows.map((row) => (typeof row === 'string' ? 0 : row[0].length)));
  const lines = rows.map((row) => (typeof row === 'string' ? row : `${row[0].padEnd(width)}  ${row[1]}`));
  return `${title}:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
