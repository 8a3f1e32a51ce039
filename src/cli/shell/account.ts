/** Finds the accounts of this machine and their login shells (getent on Linux, dscl on macOS). */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { findSystemProgram } from './programs.ts';

/** @property shell absolute path; empty: the account has no login shell, and login(1) uses /bin/sh */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  readonly shell: string;
}

/**
 * Finds the account with exactly this name. Fails (64) if no account has this name, or if getent or dscl gives no answer. A name that
 * consists of digits is not read as a user id.
 */
export function findAccount(name: string): Result<Account, Failure> {
  const account = process.platform === 'darwin' ? readDirectoryService(name) : readPasswd(name);
  return account?.name === name
    ? success(account)
    : failed(
        failure(
          'usage',
          `there is no user ${name} on this machine`,
          'see `getent passwd` for the users (on macOS: `dscl . -list /Users`)',
        ),
      );
}

/** Returns the sorted names of all accounts that have this login shell. The list is also empty if getent or dscl gives no answer. */
export const accountsWithShell = (shell: string): readonly string[] =>
  listedShells()
    .filter((account) => account.shell === shell)
    .map(({ name }) => name)
    .toSorted();

/**
 * Lists all accounts with their home directories, not sorted. The list is empty if getent or dscl gives no answer. An account without a
 * home directory has an empty `home`.
 */
export const accountsWithHome = (): readonly Pick<Account, 'name' | 'home'>[] =>
  listed('NFSHomeDirectory', 5).map(([name, home]) => ({ name, home }));

const listedShells = (): readonly Pick<Account, 'name' | 'shell'>[] =>
  listed('UserShell', 6).map(([name, shell]) => ({ name, shell }));

/**
 * Lists all accounts with one property.
 * @param attribute the name of the property in the directory service of macOS
 * @param field     the index of the property in a line of passwd(5), from 0
 */
function listed(attribute: string, field: number): readonly (readonly [name: string, value: string])[] {
  if (process.platform === 'darwin')
    return run('dscl', ['.', '-list', '/Users', attribute])
      .split('\n')
      .flatMap((line) => {
        const [, name, value] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
        return name === undefined || value === undefined ? [] : [[name, value] as const];
      });
  return passwdLines([])
    .map((line) => line.split(':'))
    .map((fields) => [fields[0] ?? '', fields[field] ?? '']);
}

/**
 * For Linux. getent finds the accounts of every source, LDAP included. A system without getent has its accounts only in /etc/passwd.
 * @param names empty: getent lists all accounts that it can list; some sources find an account only by its name. Without getent,
 *              `names` has no effect
 */
function passwdLines(names: readonly string[]): readonly string[] {
  const text =
    findSystemProgram('getent') === null ? readFileSync('/etc/passwd', 'utf8') : run('getent', ['passwd', ...names]);
  return text.split('\n').filter((line) => line !== '');
}

function readPasswd(name: string): Account | null {
  if (name === '' || name.startsWith('-')) return null;
  const fields = passwdLines([name])
    .map((line) => line.split(':'))
    .find((line) => line[0] === name);
  if (fields === undefined) return null;
  const [, , uid, gid, , home = '', shell = ''] = fields;
  return { name, uid: Number(uid), gid: Number(gid), home, shell };
}

/** For macOS, whose /etc/passwd does not list the accounts of people. */
function readDirectoryService(name: string): Account | null {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name)) return null;
  const text = run('dscl', [
    '.',
    '-read',
    `/Users/${name}`,
    'UniqueID',
    'PrimaryGroupID',
    'NFSHomeDirectory',
    'UserShell',
  ]);
  const field = (key: string): string | undefined => new RegExp(`^${key}:\\s*(.*)$`, 'm').exec(text)?.[1];
  const [uid, gid] = [field('UniqueID'), field('PrimaryGroupID')];
  if (uid === undefined || gid === undefined) return null;
  return {
    name,
    uid: Number(uid),
    gid: Number(gid),
    home: field('NFSHomeDirectory') ?? '',
    shell: field('UserShell') ?? '',
  };
}

function run(program: string, args: readonly string[]): string {
  const file = findSystemProgram(program);
  if (file === null) return '';
  return spawnSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 10_000 }).stdout ?? '';
}
