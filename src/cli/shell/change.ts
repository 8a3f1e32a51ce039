/** Calls chsh or usermod, to make a program the login shell of a user. */
import { spawnSync } from 'node:child_process';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { type Account, findAccount } from './account.ts';
import { isRoot } from './chosen-account.ts';
import { findSystemProgram, SYSTEM_PATH } from './programs.ts';

/**
 * Changes the login shell of the account. Returns null if the account has the new login shell afterwards. For the caller's own account,
 * chsh can ask for the password.
 */
export function changeLoginShell(account: Account, shell: string): Failure | null {
  const command = changingCommand(account.name, shell, {
    chsh: findSystemProgram('chsh'),
    usermod: findSystemProgram('usermod'),
    isRoot: isRoot(),
  });
  if (!command.ok) return command.failure;
  const [file, ...args] = command.value;
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
    isRoot() ? 'if the account is in LDAP or another directory service, change the login shell there' : CALL_AS_ROOT,
  );
}

const CALL_AS_ROOT = 'call the same verb as root, with sudo and --user';

/**
 * Returns a call of chsh, or of usermod if there is no chsh.
 * - chsh takes the same arguments on Linux and macOS
 * - only Linux has usermod, and only root may call it
 * @param found the paths of the programs; null: this machine does not have the program
 */
export function changingCommand(
  user: string,
  shell: string,
  found: { readonly chsh: string | null; readonly usermod: string | null; readonly isRoot: boolean },
): Result<readonly [string, ...string[]], Failure> {
  const { chsh, usermod, isRoot } = found;
  if (chsh !== null) return success([chsh, '-s', shell, user]);
  if (usermod === null)
    return failed(
      failure(
        'system',
        'neither chsh nor usermod is on this machine',
        'install one (Debian: passwd; Fedora: util-linux-user; Alpine: shadow)',
      ),
    );
  return isRoot
    ? success([usermod, '-s', shell, user])
    : failed(failure('system', 'chsh is not on this machine, and only root may call usermod', CALL_AS_ROOT));
}

/** Returns the command that brings the previous shell back. The command needs no program of ours. */
export const wayBackCommand = (user: string, previousShell: string): string =>
  findSystemProgram('chsh') === null && findSystemProgram('usermod') !== null
    ? `usermod -s ${previousShell} ${user}`
    : `chsh -s ${previousShell} ${user}`;
