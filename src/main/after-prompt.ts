/**
 * What the interactive shell needs only after its first prompt. The build puts this code into a file of its own, so that bash starts
 * before this code is loaded.
 */
export { completenessOfLine, readTypedLine } from '../shell/interactive/typed-line.ts';
export { openSessionGate } from './session-gate.ts';
export { openShellSession } from './shell-session.ts';
