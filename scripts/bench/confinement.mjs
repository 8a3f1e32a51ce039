/**
 * Measures the time that a confinement takes: for the launcher that becomes `bash -c true`, and for a process that bash forks, each with
 * and without a profile. A server in place of the gate answers at once, so that only the work of the kernel differs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { inTurns, median, now } from './measure.mjs';
import { APE_SHELL } from './stage.mjs';
import { ms, row } from './table.mjs';

const BUILTIN = fileURLToPath(new URL('../../dist/bin/confine.so', import.meta.url));
const FORKS = 200;

export async function benchConfinement({ runs }) {
  if (process.platform !== 'linux') return row('confinement', 'level 0', process.platform);
  const top = mkdtempSync(join(tmpdir(), 'ape-bench-'));
  try {
    const profile = await profileFor(top);
    await benchLauncher(top, profile, runs);
    await benchForks(top, profile, runs);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

/** Makes the profile: the real base profile, and one writable directory. */
async function profileFor(top) {
  const entry = `export { encodeProfile } from './src/core/confinement/profile.ts';
    export { baseEntriesFor } from './src/core/confinement/base-profile.ts';`;
  const outfile = join(top, 'profile.mjs');
  const resolveDir = fileURLToPath(new URL('../..', import.meta.url));
  await build({
    stdin: { contents: entry, resolveDir },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    logLevel: 'error',
  });
  const { encodeProfile, baseEntriesFor } = await import(outfile);
  const confinement = { level: 1, read: [top], write: [top], execute: [], connect: [], readOnly: [], tools: ['git'] };
  const text = encodeProfile(confinement, baseEntriesFor(['git'], '/nonexistent'));
  if (!text.ok) throw new Error(text.failure.message);
  return Buffer.from(text.value);
}

const frame = (type, payload = '') => {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeUInt32BE(Buffer.byteLength(payload), 1);
  return Buffer.concat([head, Buffer.from(payload)]);
};

async function benchLauncher(top, profile, runs) {
  const run = join(top, 'run');
  mkdirSync(run, { mode: 0o700 });
  const become = frame('x', '/bin/bash\0bash\0-c\0true\0');
  let answer = become;
  const gate = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(Buffer.concat([frame('a'), answer]));
  });
  await once(gate.listen(join(run, 'gate.sock')), 'listening');
  const start = (bytes) => () =>
    new Promise((resolve, reject) => {
      answer = bytes;
      const begin = now();
      const child = spawn(APE_SHELL, ['-c', 'true'], {
        env: { PATH: '/usr/bin:/bin', APES_HOME: top },
        stdio: 'ignore',
      });
      child.once('exit', (status) => (status === 0 ? resolve(now() - begin) : reject(new Error(`status ${status}`))));
    });
  const { free, held } = await inTurns(
    { free: start(become), held: start(Buffer.concat([frame('p', profile), become])) },
    runs,
  );
  gate.close();
  const added = median(held.map((each, turn) => each - free[turn]));
  row('ape-shell -c true, confined', ms(median(held)), `free ${ms(median(free))}, + ${ms(added)}`, [
    added <= 1,
    '<= + 1 ms',
  ]);
}

/** One bash runs turns of FORKS processes, free and confined in turns, and prints the microseconds of each turn. */
async function benchForks(top, profile, runs) {
  const file = join(top, 'profile');
  writeFileSync(file, profile);
  const rounds = Math.max(5, Math.ceil(runs / 6));
  const script = `enable -f "$1" __ape_confine || exit 1
    turn() { local begin=\${EPOCHREALTIME/./} i; for ((i = 0; i < ${FORKS}; i++)); do /bin/true; done; printed+=" $((\${EPOCHREALTIME/./} - begin))"; }
    for ((round = 0; round < ${rounds}; round++)); do
      turn
      exec 9<"$2"; __ape_confine arm 9 ${profile.length} t || exit 1
      turn
      __ape_confine off
    done
    echo "$printed"`;
  const printed = await output('/bin/bash', ['-c', script, 'bash', BUILTIN, file]);
  const took = printed
    .trim()
    .split(' ')
    .map((each) => Number(each) / 1000 / FORKS);
  const free = took.filter((_, at) => at % 2 === 0);
  const held = took.filter((_, at) => at % 2 === 1);
  const added = median(held.map((each, turn) => each - free[turn]));
  row('a process of a confined line', ms(median(held)), `free ${ms(median(free))}, + ${ms(added)}`, [
    added <= 0.5,
    '<= + 0.5 ms',
  ]);
}

function output(program, words) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    child.once('close', (status) =>
      status === 0 ? resolve(printed) : reject(new Error(`${program}: status ${status}`)),
    );
  });
}
