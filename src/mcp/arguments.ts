/** Reads and checks the arguments of a tool call. A failure is one line about the first fault. */
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type Failure, failure, nothingRan } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { errorCode } from '../platform/private-files.ts';
import { currentDirectory } from '../platform/surroundings.ts';
import { COMMAND_TOO_LONG, readableText } from '../run/source-text.ts';

export type ToolArguments = Readonly<Record<string, unknown>>;

/** The maximum length of one argument in Linux: MAX_ARG_STRLEN without the NUL. */
const MAX_COMMAND_BYTES = 131_071;
const MAX_REASON_LENGTH = 2000;
const MAX_WAIT_SECONDS = 86_400;
const GRANT_ID = '^g_[a-z2-7]{26}$';

/** JSON Schema (2020-12) of each argument, for the client. The functions below check at least as strictly. `readPlan` checks `plan`. */
export const ARGUMENTS = {
  id: { type: 'string', pattern: GRANT_ID, description: 'the id of a grant, from the answer of run' },
  command: { type: 'string', minLength: 1, description: 'exactly as bash -c would read it' },
  cwd: { type: 'string', description: 'absolute path to run in; default: where this server was started' },
  plan: { type: 'object', description: 'the plan, see the description of this tool' },
  reason: { type: 'string', maxLength: MAX_REASON_LENGTH, description: 'why, for the human who decides' },
  wait: { type: 'boolean', default: false, description: 'wait here for the decision (5 min), then run' },
  timeoutSeconds: {
    type: 'number',
    minimum: 1,
    maximum: MAX_WAIT_SECONDS,
    description: 'how long to wait for the decision; default 300',
  },
} as const;

type Wrong = { readonly ok: false; readonly failure: Failure };
const wrong = (message: string, advice: string): Wrong => failed(failure('usage', message, advice));
const noCommand = (why: Failure): Wrong => failed(nothingRan(why));

/**
 * Returns a failure if an argument is unknown, else null. If unknown arguments were ignored, a misspelt `cwd` would make the command run
 * in another directory.
 */
export function unknownArgument(given: ToolArguments, known: readonly string[]): Failure | null {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  return unknown === undefined
    ? null
    : failure('usage', `unknown argument ${JSON.stringify(unknown)}`, `known: ${known.join(', ')}`);
}

/**
 * Returns the command. Fails with exit status 65 if the command contains a NUL byte. Fails with 64 if the command is missing, blank, too
 * long or not valid Unicode.
 */
export function readCommand(given: ToolArguments): Result<string, Failure> {
  const { command } = given;
  if (typeof command !== 'string')
    return wrong('command is missing or is not a string', 'write it as bash would read it');
  const bytes = Buffer.from(command, 'utf8');
  if (bytes.toString('utf8') !== command)
    return noCommand(failure('usage', 'the command contains half a surrogate pair', 'send valid Unicode'));
  if (command.trim() === '') return wrong('command is empty', 'write it as bash would read it');
  if (bytes.length > MAX_COMMAND_BYTES)
    return wrong(`the command is longer than ${MAX_COMMAND_BYTES} bytes`, COMMAND_TOO_LONG);
  return readableText(bytes, 'the command');
}

/**
 * Returns the real path of `cwd`. If the argument is missing, returns the working directory of this process. Fails if `cwd` is not the
 * absolute path of a directory, or if the real path is not UTF-8.
 */
export function readDirectory(given: ToolArguments): Result<string, Failure> {
  const { cwd } = given;
  if (cwd === undefined) return currentDirectory();
  if (typeof cwd !== 'string' || !isAbsolute(cwd))
    return wrong(`cwd is ${shown(cwd)}`, 'write an absolute path to a directory');
  try {
    const path = realpathSync.native(cwd);
    if (path.includes('\uFFFD')) return wrong('the name of cwd is not UTF-8', 'work in another directory');
    return statSync(path).isDirectory() ? success(path) : noCommand(failure('usage', `cwd is no directory: ${cwd}`));
  } catch (error) {
    return noCommand(failure('usage', `cwd cannot be entered: ${cwd} (${errorCode(error)})`));
  }
}

/** Returns null if the argument is missing. */
export function readReason(given: ToolArguments): Result<string | null, Failure> {
  const { reason } = given;
  if (reason === undefined) return success(null);
  return typeof reason === 'string' && reason.length <= MAX_REASON_LENGTH
    ? success(reason)
    : wrong(
        `reason is not a string of at most ${MAX_REASON_LENGTH} characters`,
        'say in a sentence why the command is needed',
      );
}

/** Returns false if the argument is missing. */
export function readFlag(given: ToolArguments, name: string): Result<boolean, Failure> {
  const { [name]: value = false } = given;
  return typeof value === 'boolean' ? success(value) : wrong(`${name} is ${shown(value)}`, 'write true or false');
}

export function readGrantId(given: ToolArguments): Result<string, Failure> {
  const { id } = given;
  return typeof id === 'string' && new RegExp(GRANT_ID).test(id)
    ? success(id)
    : wrong(`id is ${shown(id)}`, 'write a grant id: g_ and 26 characters, as in the answer of `run`');
}

/** Returns the timeout in milliseconds; `fallbackMs` if the argument is missing. */
export function readTimeout(given: ToolArguments, fallbackMs: number): Result<number, Failure> {
  const { timeoutSeconds } = given;
  if (timeoutSeconds === undefined) return success(fallbackMs);
  return typeof timeoutSeconds === 'number' && timeoutSeconds >= 1 && timeoutSeconds <= MAX_WAIT_SECONDS
    ? success(Math.round(timeoutSeconds * 1000))
    : wrong(`timeoutSeconds is ${shown(timeoutSeconds)}`, `write a number from 1 to ${MAX_WAIT_SECONDS}`);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
