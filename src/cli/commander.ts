/** The only file that loads commander. The other files import commander's types, and make commander's objects with these functions. */
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { Failure } from '../core/failure.ts';
import { visibleLine } from '../core/text/visible-text.ts';

/**
 * Thrown for a value that an option or an argument does not accept. Commander does not know the code of this error. So commander rethrows
 * the error unchanged, and puts no words of its own before the message.
 */
export class ValueFault extends InvalidArgumentError {
  readonly failure: Failure;

  /** The message can contain what the user wrote, so `failure.message` becomes one visible line. */
  constructor(failure: Failure) {
    super(failure.message);
    this.code = 'apes.value';
    this.failure = { ...failure, message: visibleLine(failure.message) };
  }
}

export const newProgram = (name: string): Command => new Command(name);
export const newOption = (flags: string, description: string): Option => new Option(flags, description);
export const newArgument = (flags: string, description?: string): Argument => new Argument(flags, description);

/** Returns an error of commander (help, version, misuse), or a `ValueFault`, unchanged. Returns null for other errors. */
export const thrownByCommander = (error: unknown): CommanderError | null =>
  error instanceof CommanderError ? error : null;

/** Returns the verb below `command` that has this name or alias; undefined if there is no such verb. */
export const verbNamed = (command: Command, word: string): Command | undefined =>
  command.commands.find((each) => each.name() === word || each.aliases().includes(word));

/** Whether the options after the first operand belong to another program. Commander has this setting only in a private field. */
export const hasPassThroughOptions = (command: Command): boolean =>
  (command as Command & { readonly _passThroughOptions?: boolean })._passThroughOptions === true;
