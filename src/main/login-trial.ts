/**
 * `apes shell install|status` starts this separate process, and writes a `TrialJob` to its standard input. The process takes a user's id
 * and groups as a login does. After that, the process cannot return to root. Then it checks whether the user can reach our files. If the
 * user can, the process starts the programs of the job with the environment of a login.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TrialAnswer, TrialJob, TrialRun } from '../cli/shell/trial-job.ts';
import { EXIT_STATUS } from '../core/failure.ts';
import { ownPinPath } from '../grants/approver-pin.ts';
import { loadIdentity } from '../grants/enrolment.ts';
import { errorCode, readPrivateFile } from '../platform/private-files.ts';

/** In characters. A pin with a hundred approvers has about a tenth of this length. */
const MAX_PIN_LENGTH = 256 * 1024;

const job = JSON.parse(readFileSync(0, 'utf8')) as TrialJob;
become(job.become);
const unreachable = firstUnreachable(job.reachable);
const answer: TrialAnswer = { unreachable, runs: unreachable === null ? job.runs.map(start) : [], pin: ownPin() };
process.stdout.write(JSON.stringify(answer));

function become(user: TrialJob['become']): void {
  if (user === null) return;
  process.initgroups(user.name, user.gid);
  process.setgid?.(user.gid);
  process.setuid?.(user.uid);
  // Root may use almost any file. A trial as root would find no fault.
  if (process.getuid?.() !== user.uid || process.geteuid?.() !== user.uid) process.exit(EXIT_STATUS.system);
}

/** Reads the pin as the user. The user could have put any file there. Root must not open such a file. */
function ownPin(): TrialAnswer['pin'] {
  const identity = loadIdentity(job.keys, 'requester');
  const server = identity.ok ? identity.value.serverPublicKey : null;
  const read = readPrivateFile(ownPinPath(job.keys));
  if (!read.ok) return { server, text: null, fault: read.failure.message };
  const isTooLong = (read.value?.length ?? 0) > MAX_PIN_LENGTH;
  return isTooLong ? { server, text: null, fault: 'it is too long' } : { server, text: read.value, fault: null };
}

function firstUnreachable(files: TrialJob['reachable']): TrialAnswer['unreachable'] {
  const entered = new Set<string>();
  for (const { path, isProgram } of files) {
    for (const folder of foldersAbove(path)) {
      if (entered.has(folder)) continue;
      const code = refusal(folder, constants.X_OK);
      if (code !== null) return { path: folder, code };
      entered.add(folder);
    }
    const code = refusal(path, isProgram ? constants.R_OK | constants.X_OK : constants.R_OK);
    if (code !== null) return { path, code };
  }
  return null;
}

/** Returns the folders above `path` from the root downwards. So the caller finds the topmost folder that refuses the user. */
function foldersAbove(path: string): readonly string[] {
  const above: string[] = [];
  for (let folder = dirname(path); !above.includes(folder); folder = dirname(folder)) above.unshift(folder);
  return above;
}

function refusal(path: string, mode: number): string | null {
  try {
    accessSync(path, mode);
    return null;
  } catch (error) {
    return errorCode(error);
  }
}

function start(program: TrialJob['runs'][number]): TrialRun {
  const [argv0 = '', ...args] = program.argv;
  const done = spawnSync(program.file, args, {
    argv0,
    // If the user cannot enter the home directory, login(1) goes to / too.
    cwd: refusal(job.directory, constants.X_OK) === null ? job.directory : '/',
    env: job.environment,
    encoding: 'utf8',
    timeout: job.timeoutMs,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const why = done.error === undefined ? '' : `${done.error.message}\n`;
  return { status: done.status, stdout: done.stdout ?? '', stderr: `${why}${done.stderr ?? ''}` };
}

declare global {
  namespace NodeJS {
    interface Process {
      /** Gives this process the groups that `user` has in the group database, and the group `extraGroup`. Needs root. */
      initgroups(user: string, extraGroup: number): void;
    }
  }
}
