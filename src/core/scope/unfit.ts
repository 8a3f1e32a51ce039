/** Why a request must not get a scope. */
import type { CodedFault } from '../fault.ts';

/**
 * - `unfit`:        the scope is malformed, or is not allowed for this kind of request or for this term
 * - `forbidden`:    the scope, or the request, contains something that no scope may cover
 * - `not-covering`: the scope does not cover the request itself
 */
export type ScopeFault = CodedFault<'unfit' | 'forbidden' | 'not-covering'>;

export const unfit = (message: string): ScopeFault => ({ code: 'unfit', message });
export const forbidden = (message: string): ScopeFault => ({ code: 'forbidden', message });
export const notCovering = (message: string): ScopeFault => ({ code: 'not-covering', message });
