/** Starts `apes serve` in the background, in its own POSIX session, and waits until the server answers with its key. */
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, renameSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT_STATUS, type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { hasOwnPrefix } from '../../core/variables/own-variables.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Installation } from '../../platform/installation.ts';
import type { LauncherCaller } from '../../platform/launcher.ts';
import { lockHolder } from '../../platform/lock-file.ts';
import { findLocalServer, type ServerRecord, serverLock } from './local-server.ts';
import { MAX_LOG_BYTES } from './log.ts';

const TIMEOUT_MS = 30_000;
const STEP_MS = 30;

/**
 * The variables of the caller that the server gets: directories, user, language, time zone and certificate authorities. The server also
 * gets the variables of ape-shell (`hasOwnPrefix`).
 */
const PASSED_VARIABLES = /^(HOME|PATH|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|XDG_\w+|NODE_EXTRA_CA_CERTS)$/;

/**
 * Returns the record of the server. If another server of this installation holds the lock, returns the record of that server. The port and
 * public URL of that server can differ from the arguments. Fails if no server answers within `TIMEOUT_MS`. Also fails if the server does
 * not start. The failure then has the server's last error line and the code for the server's exit status, unless the port is taken or
 * there is no such line.
 * @param port      0: the system chooses the port
 * @param publicUrl null: the server starts without `--public-url`
 */
export async function startServer(
  installation: Installation,
  port: number,
  publicUrl: string | null,
): Promise<Result<ServerRecord, Failure>> {
  const { paths, dist, caller } = installation;
  const logFile = join(paths.state, 'server.log');
  const log = openLog(logFile);
  const from = fstatSync(log).size;
  const child = spawn(
    join(dist, 'bin', 'apes'),
    ['serve', '--port', String(port), ...(publicUrl === null ? [] : ['--public-url', publicUrl])],
    {
      detached: true,
      stdio: ['ignore', log, log],
      cwd: '/',
      env: environmentFor(caller),
    },
  );
  closeSync(log);
  const ended = new Promise<number>((resolve) => {
    child.on('error', () => resolve(71));
    child.on('exit', (status) => resolve(status ?? 70));
  });
  child.unref();
  const answer = waitForAnswer(installation);
  const outcome = await Promise.race([answer, ended]);
  // Another server holds the lock, for example a server that a killed `apes up` started.
  if (typeof outcome === 'number' && lockHolder(serverLock(paths)) !== null) return answer;
  if (typeof outcome !== 'number') return outcome;
  if (outcome === EXIT_STATUS.unavailable && (await isTaken(installation.settings.serve.host, port)))
    return failed(portTaken(port));
  return failed(startFailure(logFile, from, outcome));
}

function openLog(path: string): number {
  const log = openSync(path, 'a', 0o600);
  if (fstatSync(log).size < MAX_LOG_BYTES) return log;
  closeSync(log);
  renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

function environmentFor(caller: LauncherCaller): Record<string, string> {
  const kept = [...caller.environment].filter(
    ([name]) => (PASSED_VARIABLES.test(name) || hasOwnPrefix(name)) && name !== 'APES_SHELL_WRAPPER',
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, value.toString('utf8')]));
}

async function waitForAnswer(installation: Installation): Promise<Result<ServerRecord, Failure>> {
  const endMs = systemClock.elapsedMs() + TIMEOUT_MS;
  while (systemClock.elapsedMs() < endMs) {
    const found = await findLocalServer(installation.paths, 1000);
    if (!found.ok) return found;
    if (found.value.kind === 'running') return success(found.value.record);
    await sleep(STEP_MS);
  }
  return failed(
    failure(
      'unavailable',
      `the server does not answer within ${TIMEOUT_MS / 1000} s`,
      `see ${installation.paths.state}/server.log`,
    ),
  );
}

/**
 * Whether the port is in use. Listens on the port to find out: the server's error line is for people, and is not parsed for this.
 */
function isTaken(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'));
    probe.listen({ host, port }, () => probe.close(() => resolve(false)));
  });
}

const portTaken = (port: number): Failure =>
  failure(
    'unavailable',
    `port ${port} is taken by another program`,
    'choose another port with --port N, or let the system choose: apes up --port 0',
  );

/** @param from where the output of this server begins in the log, in bytes */
function startFailure(logFile: string, from: number, status: number): Failure {
  const lines = readFileSync(logFile).subarray(from).toString('utf8').split('\n');
  const last = lines.findLast((line) => line.startsWith('apes: '))?.slice('apes: '.length);
  if (last === undefined) return failure('software', `the server ended at once (status ${status})`, `see ${logFile}`);
  const code = ({ 78: 'configuration', 71: 'system', 74: 'audit', 70: 'software' } as const)[status] ?? 'unavailable';
  return failure(code, `the server does not start: ${last}`);
}
