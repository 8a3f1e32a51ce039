/** Returns what the launcher executes for a permit. Nothing runs without a permit, and only the gate makes permits. */
import { realpathSync } from 'node:fs';
import { COVERED_VARIABLES } from '../core/covered-variables.ts';
import { type Failure, failure } from '../core/failure.ts';
import type { Permit } from '../core/grant/authorization.ts';
import { readInvocation } from '../core/grant/invocation.ts';
import { type ExecutionRequest, isDoneByTool } from '../core/grant/request.ts';
import { failed, type Result, success } from '../core/result.ts';
import { quoteWord } from '../core/text/quote.ts';
import { boundBy, knownValue, shownValue } from '../core/variables/bound-variables.ts';
import { profileFor } from '../platform/confinement.ts';
import type { Replacement } from '../platform/launcher.ts';
import { resolveProgram } from '../platform/own-program.ts';
import { checkPlaceUnchanged, identityOf, placeReplaced } from '../platform/place-identity.ts';
import { boundEntry } from '../platform/surroundings.ts';
import { decodeUtf8 } from '../platform/utf8.ts';
import { readScript } from './source-text.ts';

/**
 * @property bash        absolute path of the bash that runs the command
 * @property argvZero    argv[0] of that bash: `bash`, or `-bash` for a login shell
 * @property environment the caller's variables now
 * @property dist        where our own programs are
 * @property isLater     whether another process, or an earlier call of the MCP server, requested the grant. If so, the directory and the
 *                       variables of the request are restored
 */
export interface ExecutionPlace {
  readonly bash: string;
  readonly argvZero: string;
  readonly environment: ReadonlyMap<string, Buffer>;
  readonly dist: string;
  readonly isLater: boolean;
}

/**
 * Returns what to exec. Fails:
 * - as `checkUnchanged` does, if something that the approval binds has changed
 * - with 72, if the command cannot be confined as it was approved
 * - with 64, if the grant is for a tool's call, for a plan, or for a line of a session: there is no command to run here
 */
export function planExecution(permit: Permit, place: ExecutionPlace): Result<Replacement, Failure> {
  const { request } = permit;
  const changed = checkUnchanged(request, place);
  if (changed !== null) return failed(changed);
  const isProgram = request.kind === 'argv';
  const file = isProgram ? request.argv[0] : place.bash;
  if (isDoneByTool(request.kind)) return failed(notACommand);
  if (file === undefined || request.kind === 'line')
    return failed(
      failure('usage', 'this grant belongs to a line of an interactive session', 'type the line there again'),
    );
  const profile = profileOf(permit, place, file);
  if (!profile.ok) return profile;
  return success({
    directory: place.isLater ? request.cwd : null,
    profile: profile.value,
    ...withStartVariables(permit, place, file),
    standardInput: request.kind === 'stdin' ? Buffer.from(request.text) : null,
    file,
    argv: isProgram ? request.argv : [place.argvZero, ...request.argv],
  });
}

function profileOf(permit: Permit, place: ExecutionPlace, file: string): Result<Buffer | null, Failure> {
  const { confinement, request } = permit;
  if (confinement === null) return success(null);
  const path = boundValue('PATH', request, place) ?? '';
  const script = request.kind === 'script' ? readScript(scriptOperand(request), path, request.cwd) : null;
  return profileFor(confinement, {
    dist: place.dist,
    file: resolveProgram(file, path, request.cwd),
    home: boundValue('HOME', request, place),
    reads: script?.ok === true ? [script.value.path] : [],
    notice: null,
  });
}

/** The failure for a grant about a call of a tool. The agent has to call the tool again. */
const notACommand = failure(
  'usage',
  'this grant is for a call of a tool, so there is no command to run',
  'call the same tool again with the same input',
);

/**
 * Returns null if nothing that the request binds has changed. Otherwise returns a failure (77), or the failure of `readScript`
 * if the request's script cannot be read any more. Called twice:
 * - before a grant is used, so that a changed request does not use up a grant for one use
 * - when the permit has been issued, before anything runs
 */
export function checkUnchanged(request: ExecutionRequest, place: ExecutionPlace): Failure | null {
  return (
    contradiction(request) ??
    (place.isLater ? changedDirectory(request) : null) ??
    changedScript(request, place) ??
    (place.isLater ? changedSecret(request, place) : null)
  );
}

/**
 * A human reads the text, and bash gets the arguments. In our own requests, text and arguments agree. In a request that another
 * program has filed with this requester's key, text and arguments can differ.
 */
function contradiction(request: ExecutionRequest): Failure | null {
  const { kind, text, argv } = request;
  const read = readInvocation(['bash', ...argv]);
  const isSame =
    kind === 'line' ||
    isDoneByTool(kind) ||
    (kind === 'argv'
      ? text === argv.map(quoteWord).join(' ')
      : read.ok && read.value.kind === kind && (read.value.kind !== 'command' || read.value.text === text));
  return isSame
    ? null
    : failure('refused', 'refused: the text that was approved is not what the arguments would run', 'ask again');
}

/** `cwd` was a real path when the request was made. If `cwd` is not a real path now, a symbolic link has replaced a directory. */
function changedDirectory({ kind, cwd, place }: ExecutionRequest): Failure | null {
  if (isDoneByTool(kind)) return null;
  try {
    if (realpathSync.native(cwd) !== cwd) return placeReplaced(cwd);
  } catch {
    return placeReplaced(cwd);
  }
  return place === undefined ? null : checkPlaceUnchanged(cwd, place);
}

/**
 * Returns a check for use during a wait. The check returns a failure (77) if the request's directory was removed or replaced since the
 * request was made. If the request has no `place`, the check only notices changes after the call of `watchPlace`.
 */
export function watchPlace({ cwd, place }: ExecutionRequest): () => Failure | null {
  const before = place ?? identityOf(cwd);
  return () => checkPlaceUnchanged(cwd, before);
}

/** The approval of a script binds the script's content. */
function changedScript(request: ExecutionRequest, place: ExecutionPlace): Failure | null {
  if (request.kind !== 'script') return null;
  const name = scriptOperand(request);
  const now = readScript(name, boundValue('PATH', request, place), request.cwd);
  if (!now.ok) return now.failure.failure;
  return now.value.text === request.text
    ? null
    : failure('refused', `refused: ${name} changed after it was approved`, 'ask again');
}

/**
 * Returns the value that the request binds for this variable. If the request binds only a digest, or nothing, returns the caller's value.
 * `changedSecret` compares the caller's value with the digest.
 */
const boundValue = (name: string, request: ExecutionRequest, place: ExecutionPlace): string | undefined =>
  shownValue(request.environment.find((entry) => entry.name === name)) ?? place.environment.get(name)?.toString('utf8');

/** Returns the file operand of the bound arguments; an empty text if there is no file operand. */
function scriptOperand(request: ExecutionRequest): string {
  const invocation = readInvocation(['bash', ...request.argv]);
  return invocation.ok && invocation.value.kind === 'script' ? invocation.value.path : '';
}

/** Whether bash gets `-i`. With `-i`, bash takes its prompts from the environment. */
function isInteractiveCall(argv: readonly string[]): boolean {
  const read = readInvocation(['bash', ...argv]);
  return read.ok && 'flags' in read.value && read.value.flags.isInteractive;
}

/** A value that is bound by its digest cannot be restored. So the caller's value must still have this digest. */
function changedSecret(request: ExecutionRequest, place: ExecutionPlace): Failure | null {
  for (const entry of request.environment) {
    if (entry.digest !== true) continue;
    const value = place.environment.get(entry.name);
    if (value === undefined || boundEntry(entry.name, value).value !== entry.value)
      return failure(
        'refused',
        `refused: the variable ${entry.name} has another value than at the request`,
        'ask again',
      );
  }
  return null;
}

type Variables = Pick<Replacement, 'set' | 'unset'>;

/**
 * Returns how the command's variables differ from the caller's variables. If `isLater`, the variables of the request are restored. These
 * rules apply whether or not `isLater` is true:
 * - `_` is the program. Otherwise a caller could choose the first value of `$_`
 * - if the request does not bind PWD, PWD is the request's directory. Without this value, bash would keep a caller's PWD that leads to
 *   this directory through links
 * - a command that a scope covers also gets `COVERED_VARIABLES` and SHLVL
 */
function withStartVariables(permit: Permit, place: ExecutionPlace, file: string): Variables {
  const { request, isWide } = permit;
  const { set, unset }: Variables = place.isLater ? restoredEnvironment(permit, place) : { set: [], unset: [] };
  const bindsDirectory = request.environment.some(({ name }) => name === 'PWD');
  return {
    set: [
      ...set,
      ['_', file],
      ...(bindsDirectory ? [] : [['PWD', request.cwd] as const]),
      ...(isWide ? [...COVERED_VARIABLES, ['SHLVL', shellLevel(place)] as const] : []),
    ],
    unset,
  };
}

/**
 * Returns a value for SHLVL with which bash reads no start-up file. With a value below 1 or above 998, bash takes itself for the first
 * shell. Such a bash runs ~/.bashrc if sshd started it, or if its standard input is a socket. This file can redefine the words of the line
 * (bash(1), "INVOCATION").
 */
function shellLevel({ environment }: ExecutionPlace): string {
  const given = environment.get('SHLVL')?.toString('latin1') ?? '';
  return /^[1-9]\d{0,2}$/.test(given) && given !== '999' ? given : '1';
}

/**
 * Sets PWD, and each variable for which `isBinding` returns true, to the value in the request. Does not set a variable if the request has
 * only a digest of the value. Unsets each variable for which `isBinding` returns true, but which the request does not have.
 */
function restoredEnvironment(permit: Permit, place: ExecutionPlace): Variables {
  const bound = new Map(permit.request.environment.map((entry) => [entry.name, entry]));
  const { request } = permit;
  const isInteractive = request.kind !== 'argv' && isInteractiveCall(request.argv);
  const texts = [request.text, ...request.argv];
  const isBinding = boundBy(texts, isInteractive, (name) => knownValue(bound.get(name)));
  const set: [string, string][] = [];
  for (const entry of bound.values())
    if (entry.digest !== true && (isBinding(entry.name, entry.value) || entry.name === 'PWD'))
      set.push([entry.name, entry.value]);
  const unset = [...place.environment].flatMap(([name, value]) =>
    isBinding(name, decodeUtf8(value)) && !bound.has(name) ? [name] : [],
  );
  return { set, unset };
}
