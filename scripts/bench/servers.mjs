/** Starts one or two servers on one database. */
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { call } from './calls.mjs';
import { APES, Stage } from './stage.mjs';

const START_TIMEOUT_MS = 30_000;

/** Makes a stage whose server uses this PostgreSQL database, which is emptied first; if null, a SQLite file. */
export async function stageOn(postgres) {
  if (postgres !== null) {
    const client = new pg.Client({ connectionString: postgres });
    await client.connect();
    await client.query('drop schema public cascade');
    await client.query('create schema public');
    await client.end();
  }
  return new Stage({ APES_RESIDENT: '0', ...(postgres === null ? {} : { APES_SERVE_DATABASE: postgres }) });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

async function isReady(url) {
  try {
    await call({ agent: undefined, url: `${url}/readyz` });
    return true;
  } catch {
    return false;
  }
}

/** Starts another server on the stage's database, with the same key. */
export async function secondServer(stage) {
  const home = path.join(stage.env.HOME, 'second');
  mkdirSync(path.join(home, 'data'), { recursive: true, mode: 0o700 });
  copyFileSync(path.join(stage.env.APES_HOME, 'data/server-key.pem'), path.join(home, 'data/server-key.pem'));
  const port = await freePort();
  const child = spawn(APES, ['serve', '--port', `${port}`], {
    env: { ...stage.env, APES_HOME: home },
    cwd: stage.cwd,
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  const giveUpAtMs = Date.now() + START_TIMEOUT_MS;
  while (!(await isReady(url))) {
    if (child.exitCode !== null || Date.now() > giveUpAtMs) throw new Error('the second server does not start');
    await sleep(50);
  }
  return {
    url,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}
