/** The one place that evaluates commander: what it makes for us, and what it throws. */
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { Failure } from '../core/failure.ts';
import { visibleLine } from '../core/text/visible-text.ts';

/**
 * An option or an argument does not take this value. Commander passes an error on as it is where the code is not its own,
 * so our message and advice reach the user without commander's words in front.
 */
export class ValueFault extends InvalidArgumentError {
  readonly failure: Failure;

  /** What the user wrote is part of the message, and is shown as one visible line. */
  constructor(failure: Failure) {
    super(failure.message);
    this.code = 'apes.value';
    this.failure = { ...failure, message: visibleLine(failure.message) };
  }
}

export const newProgram = (name: string): Command => new Command(name);
export const newOption = (flags: string, description: string): Option => new Option(flags, description);
export const newArgument = (flags: string, description?: string): Argument => new Argument(flags, description);

/** What commander throws for help, version and misuse; null for everything else. */
export const thrownByCommander = (error: unknown): CommanderError | null =>
  error instanceof CommanderError ? error : null;

/** What follows its first operand are the options of another program. Commander has no other way to ask than this field of its own. */
export const handsOptionsOn = (command: Command): boolean =>
  (command as Command & { readonly _passThroughOptions?: boolean })._passThroughOptions === true;
