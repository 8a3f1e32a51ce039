/** A real, temporary PostgreSQL cluster for tests: in a directory of its own, with a socket and a loopback port, without a password. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { removeDirectory } from '../../scripts/remove-directory.mjs';

export interface Postgres {
  /** Makes an empty database, and returns its address. */
  newDatabase(): Promise<string>;
  /** Restarts the server: at once, as after a crash (SIGQUIT), or after it has closed its connections (SIGINT). */
  restart(signal?: 'SIGQUIT' | 'SIGINT'): Promise<void>;
  /** Stops the server's processes until `goOn`, as a disk that does not answer would. */
  standStill(): { goOn(): void };
  /** Ends every connection to a database, as an administrator does. */
  terminateConnections(url: string): Promise<void>;
  stop(): Promise<void>;
}

const TIMEOUT_MS = 90_000;

function findPrograms(): { readonly initdb: string; readonly postgres: string } {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((left, right) => Number(right) - Number(left)) : [];
  const places = [
    ...(process.env['APE_TEST_POSTGRES_BIN'] === undefined ? [] : [process.env['APE_TEST_POSTGRES_BIN']]),
    ...versions.map((version) => join(root, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  const bin = places.find((place) => existsSync(join(place, 'initdb')) && existsSync(join(place, 'postgres')));
  if (bin === undefined) throw new Error('PostgreSQL is missing: apt-get install postgresql');
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
}

/** PostgreSQL refuses to run as root, so root runs it as the account `nobody`. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

export async function startPostgres(): Promise<Postgres> {
  const { initdb, postgres } = findPrograms();
  const owner = unprivileged();
  const directory = mkdtempSync(join(tmpdir(), 'ape-pg-'));
  if (owner.uid !== undefined) execFileSync('chown', [`${owner.uid}:${owner.gid}`, directory]);
  const cluster = join(directory, 'cluster');
  const common = { ...owner, cwd: directory, env: { PATH: process.env['PATH'], LC_ALL: 'C', HOME: directory } };
  execFileSync(initdb, ['-D', cluster, '-U', 'ape', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...common,
    timeout: TIMEOUT_MS,
  });
  const port = await freePort();
  const options = [
    '-D',
    cluster,
    '-p',
    String(port),
    '-c',
    'listen_addresses=127.0.0.1',
    '-k',
    directory,
    '-c',
    'max_connections=60',
    // What is written is in the kernel's memory, and survives the end of every process. Without this setting, each commit
    // and each start after a crash waits for the disk, which takes minutes on a slow disk.
    '-c',
    'fsync=off',
  ];
  const addressOf = (name: string) => `postgres://ape@127.0.0.1:${port}/${name}`;
  let child = await start();
  let count = 0;

  async function start(): Promise<ChildProcess> {
    const started = spawn(postgres, options, { ...common, stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    started.stderr?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000);
    });
    const giveUpAtMs = Date.now() + TIMEOUT_MS;
    for (;;) {
      if (started.exitCode !== null) throw new Error(`PostgreSQL ended: ${output}`);
      if (await answers(addressOf('postgres'))) return started;
      if (Date.now() > giveUpAtMs) throw new Error(`PostgreSQL does not answer: ${output}`);
      await sleep(50);
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null) child.kill(signal);
    else return;
    await ended;
  }

  return {
    async newDatabase() {
      count += 1;
      const name = `ape${count}`;
      const client = new pg.Client({ connectionString: addressOf('postgres') });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return addressOf(name);
    },
    async restart(signal = 'SIGQUIT') {
      await end(signal);
      child = await start();
    },
    standStill() {
      const server = Number(child.pid);
      process.kill(server, 'SIGSTOP');
      // Until the server has stopped, it may fork one more process for a new connection, which would go on answering.
      while (!isStopped(server)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      const pids = [...childrenOf(server), server];
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      return {
        goOn() {
          for (const pid of pids) process.kill(pid, 'SIGCONT');
        },
      };
    },
    async terminateConnections(url) {
      const client = new pg.Client({ connectionString: addressOf('postgres') });
      await client.connect();
      const name = new URL(url).pathname.slice(1);
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
      await client.end();
    },
    async stop() {
      await end('SIGQUIT');
      removeDirectory(directory);
    },
  };
}

/** proc_pid_stat(5): the state is the first field after the name in parentheses. */
const isStopped = (pid: number): boolean => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0] === 'T';

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
