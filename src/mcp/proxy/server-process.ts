/** The MCP server behind the proxy: on a leash, its standard error ours, its other streams for messages. */

import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { errorCode } from '../../platform/private-files.ts';
import { leashStart, spawnLeash } from '../leash.ts';

/** @property ended how it ended, in words; never fails */
export interface ServerProcess {
  readonly input: Writable;
  readonly output: Readable;
  readonly ended: Promise<string>;
  /** Its input ends; what then still runs gets SIGTERM, then SIGKILL, with everything it started. */
  readonly stop: () => Promise<void>;
}

const { SIGTERM } = constants.signals;
/** Between the end of its input, SIGTERM and SIGKILL. */
const MERCY_MS = 1500;

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
  const lifeline = child.stdio[3] as Writable;
  const { stdin: input, stdout: output } = child;
  if (input === null || output === null) return failed(failure('software', 'the server has no streams'));
  for (const stream of [lifeline, input, output]) stream.on('error', () => undefined);
  lifeline.write(leashStart(environment, null));
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`it cannot be started (${errorCode(error)})`));
    child.once('exit', (status, signal) => resolve(signal === null ? `exit status ${status}` : `ended by ${signal}`));
  });
  const stop = async () => {
    input.end();
    await Promise.race([ended, sleep(MERCY_MS)]);
    lifeline.write(Uint8Array.of(SIGTERM));
    await Promise.race([ended, sleep(MERCY_MS)]);
    lifeline.destroy();
    await ended;
  };
  return success({ input, output, ended, stop });
}
