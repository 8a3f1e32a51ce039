/** The step that makes a program the login shell of a user: chsh or usermod. */
import { spawnSync } from 'node:child_process';
import { type Failure, failure } from '../../core/failure.ts';
import { type Account, findAccount } from './account.ts';
import { findSystemProgram, SYSTEM_PATH } from './programs.ts';
import { isRoot } from './whom.ts';

/**
 * Changes the login shell of the account. Returns null if a new lookup shows the change. For the caller's own account, chsh may
 * ask for the password.
 */
export function changeLoginShell(account: Account, shell: string): Failure | null {
  const command = changingCommand(account.name, shell);
  if (command === null)
    return failure(
      'system',
      'neither chsh nor usermod is on this machine',
      'install one (Debian: passwd; Fedora: util-linux-user; Alpine: shadow)',
    );
  const [file, ...args] = command;
  const done = spawnSync(file, args, {
    encoding: 'utf8',
    env: { PATH: SYSTEM_PATH, LC_ALL: 'C' },
    cwd: '/',
    stdio: isRoot() ? ['ignore', 'ignore', 'pipe'] : ['inherit', 2, 'inherit'],
  });
  if (done.error !== undefined) return failure('system', `${file} cannot be started (${done.error.message})`);
  const now = findAccount(account.name);
  if (done.status === 0 && now.ok && now.value.shell === shell) return null;
  const said = isRoot() ? `: ${(done.stderr.trim().split('\n').at(-1) ?? '').trim()}` : '';
  return failure(
    'system',
    `${file} did not make ${shell} the login shell of ${account.name} (exit status ${done.status ?? 'none'})${said}`,
    isRoot()
      ? 'an account from LDAP or the like is changed there, not here'
      : 'or as root: the same with sudo and --user',
  );
}

/** chsh, the same on Linux and macOS; usermod is Linux only and root only. */
function changingCommand(user: string, shell: string): readonly [string, ...string[]] | null {
  const chsh = findSystemProgram('chsh');
  if (chsh !== null) return [chsh, '-s', shell, user];
  const usermod = isRoot() ? findSystemProgram('usermod') : null;
  return usermod === null ? null : [usermod, '-s', shell, user];
}

/** Returns the command that brings the previous shell back without any program of ours. */
export const wayBackCommand = (user: string, previousShell: string): string =>
  findSystemProgram('chsh') === null && findSystemProgram('usermod') !== null
    ? `usermod -s ${previousShell} ${user}`
    : `chsh -s ${previousShell} ${user}`;
