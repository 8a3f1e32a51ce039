/**
 * Tries ape-shell before it becomes the login shell of a user. The trial runs as this user, with the bare environment of login, sshd,
 * su and cron.
 */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { exitStatusOf, type Failure, failure } from '../../core/failure.ts';
import { type Fault, fault } from '../../core/fault.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { keysAtLogin } from '../../platform/paths.ts';
import type { Account } from './account.ts';
import { neededFiles } from './files.ts';
import type { OwnPin, TrialAnswer, TrialJob, TrialRun } from './trial-job.ts';

const TIMEOUT_MS = 20_000;

/**
 * @property start    null if the shell starts; else the reason: the trial failed, the user cannot reach the files, or the shell fails
 * @property commands why ape-shell cannot ask for approval of the user's commands (configuration, enrolment, server). Null if ape-shell can
 *                    ask, or if `start` is a failure
 * @property pin      the pin beside the keys of the user; `NO_PIN` if `start` is a failure
 */
export interface Trial {
  readonly start: Failure | null;
  readonly commands: Failure | null;
  readonly pin: OwnPin;
}

const NO_PIN: OwnPin = { server: null, text: null, fault: null };

/** Tries the shell as the user of `account`. If this process is not root, `account` has to be our own user. */
export function tryShell(account: Account, dist: string): Trial {
  const shell = join(dist, 'bin', 'ape-shell');
  const answer = runTrial(trialJob(account, dist, shell), dist);
  if (!answer.ok)
    return {
      start: failure('system', `the trial start failed: ${answer.failure.message}`),
      commands: null,
      pin: NO_PIN,
    };
  const { unreachable, runs, pin } = answer.value;
  if (unreachable !== null)
    return { start: unreachableFailure(account.name, unreachable), commands: null, pin: NO_PIN };
  const [command, script, commands] = runs;
  const startFault = runFault(command) ?? runFault(script);
  if (startFault !== null)
    return {
      start: failure(
        'configuration',
        `${shell} does not start with a bare environment as ${account.name} (${startFault.message})`,
        'repair this fault first; the login shell was not changed',
      ),
      commands: null,
      pin: NO_PIN,
    };
  return { start: null, commands: commandsFailure(account.name, commands), pin };
}

function trialJob(account: Account, dist: string, shell: string): TrialJob {
  const { name, uid, gid, home } = account;
  return {
    become: process.getuid?.() === 0 ? { name, uid, gid } : null,
    reachable: neededFiles(dist),
    directory: home,
    environment: { HOME: home, USER: name, LOGNAME: name, SHELL: shell, PATH: '/usr/bin:/bin', TERM: 'dumb' },
    timeoutMs: TIMEOUT_MS,
    keys: keysAtLogin(home),
    runs: [
      { file: shell, argv: ['-ape-shell', '-c', 'exit 0'] },
      // A resident gate may answer the first run. An empty script on standard input always starts Node.
      { file: shell, argv: ['-ape-shell'] },
      // This run needs all that a request needs: settings, keys, enrolment, token, server. But this run asks for no approval.
      { file: join(dist, 'bin', 'apes'), argv: ['apes', 'grants', 'list', '--limit', '1', '--json'] },
    ],
  };
}

/** Returns the answer of the trial process, or why the process did not answer. */
function runTrial(job: TrialJob, dist: string): Result<TrialAnswer, Fault> {
  const done = spawnSync(process.execPath, [join(dist, 'main', 'program.cjs'), 'login-trial'], {
    input: JSON.stringify(job),
    env: {},
    cwd: '/',
    encoding: 'utf8',
    timeout: TIMEOUT_MS * (job.runs.length + 1),
    killSignal: 'SIGKILL',
  });
  if (done.error !== undefined) return failed(fault(done.error.message));
  if (done.status !== 0) return failed(fault(`exit status ${done.status ?? 'none'} ${lastLine(done.stderr)}`.trim()));
  return success(JSON.parse(done.stdout) as TrialAnswer);
}

function unreachableFailure(user: string, { path, code }: { path: string; code: string }): Failure {
  return failure(
    'configuration',
    `${user} cannot reach ${path} (${code}), which ape-shell needs`,
    'install ape-shell where everybody can read it: as root, in the directory of ape-shell, npm install -g --install-links .',
  );
}

/** Returns the fault of a run; null: the run has no fault. Callers put the message in brackets. */
function runFault(run: TrialRun | undefined): Fault | null {
  if (run === undefined) return fault('it was not tried');
  if (run.status === 0 && run.stdout === '' && run.stderr === '') return null;
  return fault(
    `exit status ${run.status ?? 'none'}${run.stdout === '' ? '' : ', something on standard output'} ${lastLine(run.stderr)}`.trim(),
  );
}

function commandsFailure(user: string, run: TrialRun | undefined): Failure | null {
  if (run?.status === 0) return null;
  const said = lastLine(run?.stderr ?? '').replace(/^apes: /, '');
  const isUnavailable = run?.status === exitStatusOf({ code: 'unavailable', message: '' });
  return failure(
    isUnavailable ? 'unavailable' : 'configuration',
    `ape-shell cannot ask for approval of the commands of ${user}: ${said || `exit status ${run?.status ?? 'none'}`}`,
    `see the fault as ${user} sees it: su -s /bin/bash - ${user} -c "apes health"`,
  );
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';
