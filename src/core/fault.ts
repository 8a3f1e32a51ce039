/**
 * What is wrong with a value, or why something cannot be done. A fault has no exit status and no HTTP status. A program turns the fault
 * into a `Failure`, which has an exit status. The server turns the fault into a `Refusal`, which has an HTTP status.
 */

/**
 * @property message for people, lower case, no full stop. Some functions return another form, for example the end of a sentence, or a text
 *                   for a model. Their comments name this form
 */
export interface Fault {
  readonly message: string;
}

/**
 * A fault for a caller that does different things for different faults.
 * @property code what is wrong, for programs
 */
export interface CodedFault<Code extends string> extends Fault {
  readonly code: Code;
}

export const fault = (message: string): Fault => ({ message });
