/** The MCP server behind the proxy: supervised. It shares our standard error; its other streams are for messages. */

import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { errorCode } from '../../platform/private-files.ts';
import { leashStart, spawnLeash } from '../leash.ts';

/** @property ended the text that says how it ended; never rejects */
export interface ServerProcess {
  readonly input: Writable;
  readonly output: Readable;
  readonly ended: Promise<string>;
  /** Ends its input. If it then still runs, it and all that it started get SIGTERM, then SIGKILL. */
  readonly stop: () => Promise<void>;
}

const { SIGTERM } = constants.signals;
/** Time from the end of its input to SIGTERM, and from there to SIGKILL. */
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
