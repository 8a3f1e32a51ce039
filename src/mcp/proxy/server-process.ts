/**
 * Starts the MCP server or the agent behind a proxy as a supervised process. The standard input and output of this process carry messages.
 * The process shares our standard error.
 */

import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { errorCode } from '../../platform/private-files.ts';
import { leashStart, spawnLeash } from '../leash.ts';

/** @property ended fulfilled when the process has ended, with a text such as `exit status 1` or `ended by SIGTERM`; never rejects */
export interface ServerProcess {
  readonly input: Writable;
  readonly output: Readable;
  readonly ended: Promise<string>;
  /**
   * Ends the server's input. If the server still runs after `GRACE_MS`, its process group gets SIGTERM, and later SIGKILL. Waits until the
   * process has ended.
   */
  readonly stop: () => Promise<void>;
}

const { SIGTERM } = constants.signals;
/** The time from the end of the server's input to SIGTERM, and from SIGTERM to SIGKILL. */
const GRACE_MS = 1500;

/**
 * Fails if no process can be started now. If the process starts but cannot execute the program, `ended` gives the exit status of bash for
 * this fault (126 or 127).
 */
export function startMcpServer(
  program: { readonly file: string; readonly argv: readonly string[] },
  directory: string,
  environment: ReadonlyMap<string, Buffer>,
  dist: string,
): Result<ServerProcess, Failure> {
  let child: ReturnType<typeof spawnLeash>;
  try {
    child = spawnLeash(program, directory, dist, ['pipe', 'pipe', 'inherit']);
  } catch (error) {
    return failed(failure('system', `the server cannot be started (${errorCode(error)})`));
  }
  const control = child.stdio[3] as Writable;
  const { stdin: input, stdout: output } = child;
  if (input === null || output === null) return failed(failure('software', 'the server has no streams'));
  for (const stream of [control, input, output]) stream.on('error', () => undefined);
  control.write(leashStart(environment, null));
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`it cannot be started (${errorCode(error)})`));
    child.once('exit', (status, signal) => resolve(signal === null ? `exit status ${status}` : `ended by ${signal}`));
  });
  const stop = async () => {
    input.end();
    await Promise.race([ended, sleep(GRACE_MS)]);
    control.write(Uint8Array.of(SIGTERM));
    await Promise.race([ended, sleep(GRACE_MS)]);
    control.destroy();
    await ended;
  };
  return success({ input, output, ended, stop });
}
