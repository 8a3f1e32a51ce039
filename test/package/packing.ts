/** Makes a package of this checkout without changing the `dist/` that other tests use. */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeDirectory } from '../../scripts/remove-directory.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = ['bin', 'docs', 'scripts', 'src', 'package.json', 'tsconfig.json', 'tsconfig.client.json', 'LICENSE'];

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @property checkout  a copy of the sources of this checkout, with its packages */
export interface Stage {
  readonly directory: string;
  readonly checkout: string;
  readonly environment: NodeJS.ProcessEnv;
  run(file: string, args: readonly string[], environment?: NodeJS.ProcessEnv, cwd?: string): Promise<Ended>;
  remove(): void;
}

/** Makes the stage below /opt, where every user can reach a package. */
export async function makeStage(): Promise<Stage> {
  const directory = mkdtempSync('/opt/ape-shell-package-');
  execFileSync('chmod', ['755', directory]);
  const checkout = join(directory, 'checkout');
  mkdirSync(checkout);
  const texts = readdirSync(root).filter((name) => name.endsWith('.md'));
  for (const name of [...SOURCES, ...texts]) cpSync(join(root, name), join(checkout, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  mkdirSync(join(directory, 'home'));
  const mirror = await serveSqlite();
  const environment = npmEnvironment(directory, mirror);
  return {
    directory,
    checkout,
    environment,
    run: (file, args, more = {}, cwd = directory) => run(file, args, { ...environment, ...more }, cwd),
    remove: () => {
      mirror.close();
      removeDirectory(directory);
    },
  };
}

function npmEnvironment(directory: string, mirror: Server): NodeJS.ProcessEnv {
  const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  const nodePrefix = resolve(dirname(process.execPath), '..');
  const hasHeaders = existsSync(join(nodePrefix, 'include/node/node.h'));
  const { port } = mirror.address() as AddressInfo;
  return {
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
    HOME: join(directory, 'home'),
    LC_ALL: 'C.UTF-8',
    npm_config_cache: cache,
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    ...registryOf(),
    ...(hasHeaders ? { npm_config_nodedir: nodePrefix } : {}),
    npm_config_better_sqlite3_binary_host: `http://127.0.0.1:${port}`,
  };
}

/** Returns the settings for the registry of this machine, because neither the empty HOME nor a new prefix has them. */
function registryOf(): NodeJS.ProcessEnv {
  const settingOf = (name: string) => execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim();
  const cafile = settingOf('cafile');
  return { npm_config_registry: settingOf('registry'), ...(cafile === 'null' ? {} : { npm_config_cafile: cafile }) };
}

/**
 * better-sqlite3 downloads a compiled file if the host of its maker can be reached, as on most machines. In this test, a local server
 * offers the compiled file of this checkout, which saves minutes of compiling.
 */
async function serveSqlite(): Promise<Server> {
  const bytes = execFileSync(
    'tar',
    ['-cz', '-C', join(root, 'node_modules/better-sqlite3'), 'build/Release/better_sqlite3.node'],
    {
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const server = createServer((_request, response) => void response.end(bytes));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

function run(file: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<Ended> {
  return new Promise((settle, reject) => {
    const child = spawn(file, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (data) => {
      stdout += data;
    });
    child.stderr.on('data', (data) => {
      stderr += data;
    });
    child.on('error', reject);
    child.on('exit', (status) => settle({ status, stdout, stderr }));
  });
}
