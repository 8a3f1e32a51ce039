/**
 * What is wrong with a value, or why something cannot be done. A fault decides no exit status and no HTTP status. From a fault, the caller
 * makes the `Failure` of a program, which decides the exit status, or the `Refusal` of the server, which decides the HTTP status.
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
