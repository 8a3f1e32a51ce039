/**
 * What is wrong with a value, or why something cannot be done, before a class of failure is given to it. The caller makes the `Failure` of a
 * program or the `Refusal` of the server from it, which decide the exit status or the HTTP status.
 */

/** @property message for people, lower case, no full stop; where it is only a part of a sentence, the function that returns the fault says which */
export interface Fault {
  readonly message: string;
}

/** A fault for a caller that does different things for different faults. @property code what is wrong, for programs */
export interface CodedFault<Code extends string> extends Fault {
  readonly code: Code;
}

export const fault = (message: string): Fault => ({ message });
