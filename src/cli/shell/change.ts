/** Makes a program the login shell of a user, with chsh or usermod. */
import { spawnSync } from 'node:child_process';
import { type Failure, failure } from '../../core/failure.ts';
import { type Account, findAccount } from './account.ts';
import { isRoot } from './chosen-account.ts';
import { findSystemProgram, SYSTEM_PATH } from './programs.ts';

/**
 * Changes the login shell of the account. Returns null if the account has the new login shell afterwards. For the caller's own account,
 * chsh can ask for the password.
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
      ? 'change an account of LDAP or of another directory in that directory'
      : 'call the same verb as root, with sudo and --user',
  );
}

/**
 * Returns a call of chsh, or of usermod if there is no chsh; null: this user can call neither.
 * - chsh takes the same arguments on Linux and macOS
 * - only Linux has usermod, and only root may call it
 */
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
