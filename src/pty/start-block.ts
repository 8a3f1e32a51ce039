/** The start block that pty-leader reads before it becomes bash or another program; `bin/pty-leader.c` describes the format. */

import { startRole } from '../core/start-environment.ts';
import { isOwnVariable } from '../core/variables/own-variables.ts';

/** Each item is one `NAME=VALUE`, as bytes. */
export type EnvironmentBytes = readonly Buffer[];

/**
 * @property directory   where bash or the program starts
 * @property file        the absolute path of bash; for another program, a path, or a name that is looked up in PATH
 * @property argv        argv[0] included
 * @property environment the whole environment, byte for byte
 */
export interface Start {
  readonly directory: string;
  readonly file: string;
  readonly argv: readonly string[];
  readonly environment: EnvironmentBytes;
}

export function encodeStart(start: Start): Buffer {
  const strings = [start.directory, start.file, String(start.argv.length), ...start.argv, ...start.environment];
  const parts = strings.flatMap((part) => [Buffer.from(part), NUL]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(parts.reduce((sum, part) => sum + part.length, 0));
  return Buffer.concat([length, ...parts]);
}

const NUL = Buffer.alloc(1);

const entry = (name: string, value: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from(`${name}=`), Buffer.from(value)]);

/** Returns the caller's variables, then `extra`. Leaves out the caller's variables that are ours (`isOwnVariable`) or are in `extra`. */
export function environmentForProgram(
  caller: Iterable<readonly [string, Buffer | string]>,
  extra: Readonly<Record<string, string>>,
): EnvironmentBytes {
  const kept = [...caller].filter(([name]) => !isOwnVariable(name) && !Object.hasOwn(extra, name));
  return [...kept, ...Object.entries(extra)].map(([name, value]) => entry(name, value));
}

/** The prefix of a variable that bash must not have while it reads the start-up files. Afterwards, the set-up text removes the prefix. */
const LATER_PREFIX = 'APE_SETUP_LATER_';

/**
 * @property environment the environment of bash at its start
 * @property leftOut     names of variables that bash does not get; the user gets a message about these names
 */
export interface StartEnvironment {
  readonly environment: EnvironmentBytes;
  readonly leftOut: readonly string[];
}

/**
 * Returns, in this order:
 * - the caller's variables with the role `given` (`startRole`)
 * - `extra`, which only the set-up text uses
 * - the caller's variables with the role `later`, each with `LATER_PREFIX` in front of its name
 *
 * `leftOut` has the names of the caller's variables with the role `left-out`. Our own variables are neither in the environment nor in
 * `leftOut`.
 */
export function environmentForBash(
  caller: Iterable<readonly [string, Buffer | string]>,
  extra: Readonly<Record<string, string>>,
): StartEnvironment {
  const given: (readonly [string, Buffer | string])[] = [];
  const later: Record<string, Buffer> = {};
  const leftOut: string[] = [];
  for (const [name, value] of caller) {
    if (isOwnVariable(name)) continue;
    const role = startRole(name, value.toString('latin1'));
    if (role === 'left-out') leftOut.push(name);
    else if (role === 'later') later[`${LATER_PREFIX}${name}`] = Buffer.from(value);
    else if (role === 'given') given.push([name, value]);
  }
  const added = Object.entries(later).map(([name, value]) => entry(name, value));
  return { environment: [...environmentForProgram(given, extra), ...added], leftOut };
}
