/** Debian's own sshd on a free loopback port, with its own keys; the account logs in with a key. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoginUser, type Ran, run, scratch } from './login-user.ts';

const sshdProgram = (): string => {
  const named = process.env['APE_TEST_SSHD'];
  if (named === undefined)
    throw new Error('no sshd on this machine: apt-get install openssh-server, or name it in $APE_TEST_SSHD');
  return named;
};

export class Sshd {
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #user: LoginUser;
  readonly port: number;

  private constructor(process: ChildProcess, folder: string, user: LoginUser, port: number) {
    this.#process = process;
    this.#folder = folder;
    this.#user = user;
    this.port = port;
  }

  /** `settings`: further lines of sshd_config. */
  static async start(user: LoginUser, settings: readonly string[] = []): Promise<Sshd> {
    const folder = scratch();
    const port = await freePort();
    for (const name of ['host', 'client'])
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
    admit(user, readFileSync(join(folder, 'client.pub'), 'utf8'));
    writeFileSync(join(folder, 'known_hosts'), `[127.0.0.1]:${port} ${readFileSync(join(folder, 'host.pub'), 'utf8')}`);
    writeFileSync(join(folder, 'sshd_config'), configuration(folder, port, settings));
    mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    const started = spawn(sshdProgram(), ['-D', '-e', '-f', join(folder, 'sshd_config')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let log = '';
    started.stderr?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
    try {
      await listening(port, () => started.exitCode === null);
    } catch {
      throw new Error(`sshd did not start: ${log}`);
    }
    return new Sshd(started, folder, user, port);
  }

  get #options(): readonly string[] {
    const settings = { IdentityFile: 'client', UserKnownHostsFile: 'known_hosts' };
    return [
      '-F',
      'none',
      ...Object.entries(settings).flatMap(([name, file]) => ['-o', `${name}=${join(this.#folder, file)}`]),
      ...['IdentitiesOnly=yes', 'BatchMode=yes', 'LogLevel=ERROR', 'StrictHostKeyChecking=yes'].flatMap((text) => [
        '-o',
        text,
      ]),
    ];
  }

  get target(): string {
    return `${this.#user.name}@127.0.0.1`;
  }

  /** The words before the host. */
  words(...options: readonly string[]): readonly string[] {
    return [...this.#options, '-p', String(this.port), ...options, this.target];
  }

  /** `ssh u@127.0.0.1 COMMAND`. */
  ssh(
    command: string,
    input: string | Buffer | undefined = undefined,
    options: readonly string[] = [],
    env: Record<string, string> = {},
  ): Ran {
    return run('ssh', [...this.words(...options), command], { ...(input === undefined ? {} : { input }), env });
  }

  scp(...words: readonly string[]): Ran {
    return run('scp', [...this.#options, '-P', String(this.port), ...words]);
  }

  git(cwd: string, ...words: readonly string[]): Ran {
    const identity = {
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@example.org',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@example.org',
    };
    return run('git', ['-c', 'safe.directory=*', ...words], {
      cwd,
      env: {
        ...identity,
        HOME: this.#folder,
        GIT_SSH_COMMAND: ['ssh', ...this.#options, '-p', String(this.port)].join(' '),
      },
    });
  }

  stop(): void {
    this.#process.kill('SIGTERM');
  }
}

const configuration = (folder: string, port: number, settings: readonly string[]): string =>
  [
    ...settings,
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(folder, 'host')}`,
    'PidFile none',
    'AuthorizedKeysFile .ssh/authorized_keys',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'UsePAM no',
    'PrintMotd no',
    'PrintLastLog no',
    'Subsystem sftp /usr/lib/openssh/sftp-server',
    '',
  ].join('\n');

function admit(user: LoginUser, key: string): void {
  const { uid, gid, home } = user.account;
  const folder = join(home, '.ssh');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'authorized_keys'), key, { mode: 0o600 });
  execFileSync('chown', ['-R', `${uid}:${gid}`, folder]);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function listening(port: number, isAlive: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 100 && isAlive(); attempt++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      }).once('error', () => resolve(false));
    });
    if (isOpen) return;
    await sleep(50);
  }
  throw new Error('no answer');
}
