/** A real account for one test file, with its own home, grant server and owner. It is removed afterwards, with all its processes. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { type PublicPackage, requireRoot } from './public-package.ts';

const scratchDirectories: string[] = [];
afterAll(() => {
  for (const directory of scratchDirectories.splice(0)) removeDirectory(directory);
});

/** Makes a directory for keys and logs. It is removed when the test file has ended. */
export function scratch(): string {
  const directory = mkdtempSync('/tmp/ape-login-');
  scratchDirectories.push(directory);
  return directory;
}

export interface Ran {
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

export function run(
  file: string,
  args: readonly string[],
  options: { input?: string | Buffer; env?: Record<string, string>; cwd?: string; uid?: number; gid?: number } = {},
): Ran {
  const { input, env = {}, cwd = '/', uid, gid } = options;
  const done = spawnSync(file, args, {
    // Without input, standard input is no pipe: Node's pipes are sockets, and bash takes a socket for a call by sshd.
    ...(input === undefined ? { stdio: ['ignore', 'pipe', 'pipe'] as const } : { input }),
    cwd,
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', ...env },
    encoding: 'utf8',
    timeout: 120_000,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024 * 1024,
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  });
  // EPIPE: the program ended before it had read all of its input, as a command does that waits for approval.
  if (done.error !== undefined && (done.error as NodeJS.ErrnoException).code !== 'EPIPE') throw done.error;
  return { status: done.status, signal: done.signal, stdout: done.stdout, stderr: done.stderr };
}

/**
 * Runs the command as root in its own mount namespace. Files in the real /etc/ape-shell count for all users, and so for tests
 * that run at the same time.
 * @param etc      the directory that the command sees as /etc/ape-shell
 * @param accounts the accounts whose homes the command sees below /home
 */
export function runApart(etc: string, accounts: readonly Account[], command: readonly string[]): Ran {
  mkdirSync('/etc/ape-shell', { recursive: true });
  const homes = mkdtempSync('/tmp/ape-login-homes-');
  chmodSync(homes, 0o755);
  for (const { name } of accounts) mkdirSync(join(homes, name));
  try {
    return run('unshare', [
      ...['--mount', '--propagation', 'private', 'sh', '-ec'],
      `for name in $3; do mount --bind "/home/$name" "$2/$name"; done
       mount --rbind "$2" /home
       mount --bind "$1" /etc/ape-shell
       if [ -d /root/.local/share/ape-shell ]; then mount -t tmpfs none /root/.local/share/ape-shell; fi
       shift 3
       exec "$@"`,
      ...['sh', etc, homes, accounts.map(({ name }) => name).join(' ')],
      ...command,
    ]);
  } finally {
    rmSync(homes, { recursive: true });
  }
}

export function makeAccount(shell = '/bin/bash'): Account {
  requireRoot();
  const name = `ape${randomBytes(5).toString('hex')}`;
  const home = `/home/${name}`;
  // `*`: no password fits, but the account is not locked. sshd refuses a locked account.
  execFileSync(
    'useradd',
    ['--create-home', '--home-dir', home, '--user-group', '--shell', shell, '--password', '*', name],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const { uid, gid } = statSync(home);
  return { name, uid, gid, home };
}

export function removeAccount({ name, uid }: Account): void {
  for (const pid of processesOf(uid)) stop(pid);
  execFileSync('userdel', ['--force', '--remove', name], { stdio: 'ignore' });
  rmSync(`/var/lib/ape-shell/login-${name}.json`, { force: true });
}

/** Returns the ids of all processes of the user. Each test file has a user of its own. */
export const processesOf = (uid: number): readonly number[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      try {
        return statSync(`/proc/${entry}`).uid === uid;
      } catch {
        return false;
      }
    })
    .map(Number);

function stop(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

export const loginShellOf = (name: string): string =>
  run('getent', ['passwd', name]).stdout.trimEnd().split(':')[6] ?? '';

/** An account that is enrolled with its own server, and decides with its own owner key. */
export class LoginUser {
  readonly #programs: PublicPackage;
  readonly account: Account;
  readonly etc: string = scratch();

  constructor(programs: PublicPackage) {
    this.#programs = programs;
    chmodSync(this.etc, 0o755);
    this.account = makeAccount();
    try {
      this.apes('up', '--port', '0', '--json');
      this.apes('owner', 'key', 'create', '--here');
    } catch (error) {
      removeAccount(this.account);
      throw error;
    }
  }

  get name(): string {
    return this.account.name;
  }

  get home(): string {
    return this.account.home;
  }

  /** Runs the file as this user, with a bare environment, and without the user's login shell. */
  run(file: string, args: readonly string[], env: Record<string, string> = {}): Ran {
    const { name, home, uid, gid } = this.account;
    const bare = { HOME: home, USER: name, LOGNAME: name, PATH: '/usr/bin:/bin', TERM: 'dumb' };
    return run('setpriv', [`--reuid=${uid}`, `--regid=${gid}`, '--init-groups', '--', file, ...args], {
      cwd: home,
      env: { ...bare, ...env },
    });
  }

  /** Standard output of a control verb that must succeed. */
  apes(...args: readonly string[]): string {
    const done = this.run(this.#programs.apes, args);
    if (done.status !== 0) throw new Error(`apes ${args.join(' ')}: exit status ${done.status}: ${done.stderr}`);
    return done.stdout;
  }

  pending(): readonly { readonly id: string; readonly request: { readonly text: string } }[] {
    return JSON.parse(this.apes('grants', 'list', '--state', 'pending', '--json')).data as ReturnType<
      LoginUser['pending']
    >;
  }

  /** Approves the only pending request, and returns its text. Throws if none or several are pending. */
  approveOnly(...term: readonly string[]): string {
    const waiting = this.pending();
    const only = waiting[0];
    if (only === undefined || waiting.length !== 1) throw new Error(`${waiting.length} requests wait, not one`);
    this.apes('grants', 'approve', only.id, ...term);
    return only.request.text;
  }

  withdrawAll(): void {
    for (const { id } of this.pending()) this.apes('grants', 'withdraw', id);
  }

  /**
   * Starts a program, expects that it waits for approval, approves the request, and starts the program again.
   * @param heldStatus the exit status of the first start; that of scp and git is not 75
   */
  afterApproval(start: () => Ran, heldStatus = 75): Ran {
    const first = start();
    const said = `${first.stderr}${first.stdout}`; // ssh -t has one stream for both
    if (first.status !== heldStatus || !said.includes('NOT RUN YET'))
      throw new Error(`not held: exit status ${first.status}: ${said}`);
    this.approveOnly();
    return start();
  }

  exists(name: string): boolean {
    return existsSync(join(this.home, name));
  }

  read(name: string): string {
    return readFileSync(join(this.home, name), 'utf8');
  }

  /** Runs a verb of `apes` as root. The verb sees only the home of this account below /home, and `etc` as /etc/ape-shell. */
  asRoot(...args: readonly string[]): Ran {
    return runApart(this.etc, [this.account], [this.#programs.apes, ...args]);
  }

  install(): Ran {
    return this.asRoot('shell', 'install', '--user', this.name);
  }

  remove(): void {
    if (loginShellOf(this.name) === this.#programs.shell) this.asRoot('shell', 'uninstall', '--user', this.name);
    removeAccount(this.account);
  }
}
