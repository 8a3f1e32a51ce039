/** Counts the writes into a session's pseudo-terminal: strace is attached to the process that has the terminal. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';

const ATTACH_MS = 20_000;
const STRACE = '/usr/bin/strace';

/**
 * @param session the answer of `apes sessions show --json`; `pid` is the process that has the pseudo-terminal
 * @param file the file for strace's output; it is replaced
 * @param work the function during which writes are counted
 * @returns {Promise<number | null>} the number of writes while `work` ran; null if strace is not installed
 */
export async function countWrites({ pid }, file, work) {
  if (!existsSync(STRACE)) {
    await work();
    return null;
  }
  rmSync(file, { force: true });
  const tracer = spawn(STRACE, ['-f', '-y', '-e', 'trace=write,writev', '-o', file, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => tracer.once('exit', resolve));
  await attached(tracer, ended);
  try {
    await work();
  } finally {
    tracer.kill('SIGINT');
    await ended;
  }
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /\b(write|writev)\(\d+<[^>]*(ptmx|\/dev\/pts\/)/.test(line)).length;
}

function attached(tracer, ended) {
  return /** @type {Promise<void>} */ (
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('strace did not attach')), ATTACH_MS);
      tracer.stderr.setEncoding('utf8').on('data', (text) => {
        if (!text.includes('attached')) return;
        clearTimeout(timer);
        resolve();
      });
      void ended.then(() => reject(new Error('strace ended')));
    })
  );
}
