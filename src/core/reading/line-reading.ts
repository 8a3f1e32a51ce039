/** Parses one line for several parts of the program. Makes each result once, when a part first needs the result. */
import { type AssignedValue, assignedFirst } from './assigned-first.ts';
import { commandsIn, type LineCommands } from './commands-in.ts';
import { type ParsedLine, parseLine } from './parse-line.ts';
import type { Parse } from './parse-text.ts';
import { settableVariables } from './settable-variables.ts';

export class LineReading {
  readonly text: string;
  readonly #parse: Parse;
  #parsed: ParsedLine | null = null;
  #commands: LineCommands | null = null;
  #settable: ReadonlySet<string> | null = null;
  #assignedFirst: ReadonlyMap<string, AssignedValue> | null = null;

  constructor(text: string, parse: Parse) {
    this.text = text;
    this.#parse = parse;
  }

  get parsed(): ParsedLine {
    this.#parsed ??= parseLine(this.text, this.#parse);
    return this.#parsed;
  }

  get commands(): LineCommands {
    this.#commands ??= commandsIn(this.parsed, this.#parse);
    return this.#commands;
  }

  /** The variables that the line possibly sets (`settableVariables`). */
  get settable(): ReadonlySet<string> {
    this.#settable ??= settableVariables(this.commands.commands.map(({ command }) => command));
    return this.#settable;
  }

  /** The variables that the line certainly sets before each use (`assignedFirst`). */
  get assignedFirst(): ReadonlyMap<string, AssignedValue> {
    this.#assignedFirst ??= assignedFirst(this.parsed, this.#parse);
    return this.#assignedFirst;
  }
}
