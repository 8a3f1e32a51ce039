/** The checks of `apes health` on this machine. */
import { execFile } from 'node:child_process';
import { existsSync, lstatSync, statfsSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reachedText } from '../../core/confinement/reached-level.ts';
import { type Failure, failure } from '../../core/failure.ts';
import type { Result } from '../../core/result.ts';
import { formatDuration } from '../../core/text/duration.ts';
import { systemClock } from '../../platform/clock.ts';
import { reachedInSession, reachedLevel } from '../../platform/confinement.ts';
import type { Installation } from '../../platform/installation.ts';
import { resolveProgram } from '../../platform/own-program.ts';
import { checkPrivate, readPrivateFile, writePrivateFile } from '../../platform/private-files.ts';
import { currentUser } from '../../platform/surroundings.ts';
import { lastNotificationPath } from '../../shell/notify.ts';
import type { CliContext } from '../context.ts';
import { findAccount } from '../shell/account.ts';
import { isListed } from '../shell/list.ts';
import { type CheckResult, fail, ok, warn } from './check.ts';

export const version = (context: CliContext): CheckResult => ok(`ape-shell ${context.version} in ${context.dist}`);

const OLDEST_NODE = [20, 19] as const;

/** Checks the node whose path is built into the launcher. The launcher runs no other node. */
export function node(): CheckResult {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNewEnough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const text = `${process.versions.node} at ${process.execPath}`;
  return isNewEnough
    ? ok(text)
    : fail(
        failure(
          'configuration',
          text,
          `ape-shell needs Node.js ${OLDEST_NODE.join('.')} or newer; install it, then run npm rebuild`,
        ),
      );
}

export function bash({ settings }: Installation): Promise<CheckResult> {
  const { bash: path } = settings.shell;
  const advice = 'install bash 5.1 or newer, or set shell.bash in config.toml to such a bash';
  return new Promise((resolve) => {
    execFile(path, ['--version'], { timeout: 3000, env: { LC_ALL: 'C' } }, (error, output) => {
      const found = /version (\d+)\.(\d+)\S*/.exec(output);
      if (error !== null || found === null)
        return resolve(fail(failure('configuration', `${path} does not run as bash`, advice)));
      const isNewEnough = Number(found[1]) > 5 || (Number(found[1]) === 5 && Number(found[2]) >= 1);
      const text = `${found[0].slice('version '.length)} at ${path}`;
      return resolve(isNewEnough ? ok(text) : fail(failure('configuration', text, advice)));
    });
  });
}

/** A level of 0 is only a warning: a command that was approved without confinement still runs. */
export async function confinement({ settings, dist }: Installation): Promise<CheckResult> {
  const reached = reachedLevel(dist);
  const inSession = await reachedInSession(settings.shell.bash, dist);
  if (reached.level === 0)
    return warn(
      reachedText(reached),
      'a command that was approved as confined does not run here; a command that was approved without confinement runs',
    );
  return inSession.level === reached.level
    ? ok(reachedText(reached))
    : warn(
        `${reachedText(reached)}; in sessions ${reachedText(inSession)}`,
        'set shell.bash in config.toml to a dynamically linked bash',
      );
}

export function configuration(opened: Result<Installation, Failure>): CheckResult {
  if (!opened.ok) return fail(opened.failure);
  const { configFile } = opened.value.paths;
  return ok(existsSync(configFile) ? configFile : `defaults (there is no ${configFile})`);
}

export function directories({ paths }: Installation): CheckResult {
  const places = [paths.state, paths.keys, paths.data, paths.run].filter((path) => isThere(path));
  for (const path of places) {
    const wide = checkPrivate(path, 'directory');
    if (wide !== null) return fail(wide);
  }
  return ok(places.length === 0 ? 'no directory was made yet' : `private: ${places.join(', ')}`);
}

/** Returns true also for a dangling link. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const LITTLE_BYTES = 100 * 1024 * 1024;

/** Checks the journal's directory. Writes a file of 4 KiB there, and removes the file. */
export function audit({ paths }: Installation): CheckResult {
  const directory = join(paths.state, 'audit');
  if (!isThere(directory)) return ok(`${directory} (made at the first command)`);
  const wide = checkPrivate(directory, 'directory');
  if (wide !== null) return fail({ ...wide, code: 'audit' });
  const probe = join(directory, `health-${process.pid}`);
  const unwritten = writePrivateFile(probe, `${'x'.repeat(4095)}\n`);
  if (unwritten !== null) return fail({ ...unwritten, code: 'audit', advice: 'make room or correct the permissions' });
  unlinkSync(probe);
  const { bavail, bsize } = statfsSync(directory);
  const text = `${directory} is writable, ${Math.floor((bavail * bsize) / 1024 / 1024)} MiB free`;
  return bavail * bsize < LITTLE_BYTES
    ? warn(text, 'make room: a command that cannot be recorded does not run')
    : ok(text);
}

/**
 * Warns in two cases: the last notification failed, or the first word of the command (after assignments) is not a program. Does not check
 * further words, or a first word with quotes or expansions: only a shell can interpret such words.
 */
export function notifications({ settings, caller, paths }: Installation): CheckResult {
  const command = settings.notifications.pendingCommand?.trim() ?? '';
  if (command === '') return ok('none (set notifications.pending_command in config.toml to be notified of requests)');
  const failed = lastFailure(paths.state);
  if (failed !== null) return warn(`the last notification failed: ${failed}`, 'correct notifications.pending_command');
  const word = FIRST_WORD.exec(command)?.[1];
  if (word === undefined || SHELL_WORDS.has(word)) return ok(command);
  const path = caller.environment.get('PATH')?.toString('utf8') ?? '/usr/local/bin:/usr/bin:/bin';
  const found = resolveProgram(word, path, '/');
  return found === null ? warn(`${word} is not in PATH`, 'correct notifications.pending_command') : ok(command);
}

/** Returns how the last notification failed; null if the notification did not fail, or has no readable record. */
function lastFailure(state: string): string | null {
  const noted = readPrivateFile(lastNotificationPath(state));
  const found = /^(\d+) (\d+)\n([\s\S]*)$/.exec((noted.ok ? noted.value : null) ?? '');
  if (found === null || found[1] === '0') return null;
  const said = (found[3] ?? '').trim().split('\n').at(-1) ?? '';
  const age = formatDuration(systemClock.nowMs() - Number(found[2]) * 1000);
  return `exit status ${found[1]}${said === '' ? '' : `, ${said}`} (${age} ago)`;
}

/** Matches the first word after simple assignments, if the word has no quotes or expansions. */
const FIRST_WORD = /^(?:[A-Za-z_]\w*=[\w./:@%+,-]*[ \t]+)*([\w./-]+)(?=[\s;&|<>()]|$)/;

/** Builtins and reserved words of sh. */
const SHELL_WORDS: ReadonlySet<string> = new Set(
  (
    '. alias bg break case cd command continue echo eval exec exit export false fg for getopts hash if jobs kill local printf pwd read ' +
    'readonly return set shift test times trap true type ulimit umask unalias unset until wait while'
  ).split(' '),
);

/**
 * Passes if the login shell is no ape-shell. Fails if the login shell is an ape-shell that does not exist. Warns if /etc/shells does not
 * list the ape-shell. Also warns if the account or /etc/shells cannot be read.
 */
export function loginShell(context: CliContext): CheckResult {
  const account = findAccount(currentUser());
  if (!account.ok) return warn(account.failure.message);
  const own = `${context.dist}/bin/ape-shell`;
  const { shell } = account.value;
  const isOurs = shell === own || (dirname(shell) !== dirname(own) && shell.endsWith('/ape-shell'));
  if (!isOurs) return ok(`${shell === '' ? 'none' : shell} (apes shell install makes ape-shell the login shell)`);
  if (!existsSync(shell))
    return fail(failure('configuration', `${shell} is the login shell, and does not exist`, 'chsh -s /bin/bash'));
  const listed = isListed(shell);
  if (!listed.ok) return warn(listed.failure.message);
  return listed.value
    ? ok(`${shell}, listed in /etc/shells`)
    : warn(`${shell} is the login shell, but not in /etc/shells`, 'apes shell install');
}
