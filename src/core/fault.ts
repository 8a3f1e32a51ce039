/**
 * What is wrong with a value, or why something cannot be done, before a class of failure is given to it. The caller makes the `Failure` of a
 * program or the `Refusal` of the server from it, which decide the exit status or the HTTP status.
 */

/**
 * @property message for people, lower case, no full stop. Where it is something else, such as the end of a sentence or a text for a model, the
 *                   function that returns the fault says so
 */
export interface Fault {
  readonly message: string;
}

/** A fault for a caller that does different things for different faults. @property code what is wrong, for programs */
export interface CodedFault<Code extends string> extends Fault {
  readonly code: Code;
}

export const fault = (message: string): Fault => ({ message });
