/**
 * cli-lock-worker.ts PATH `main/apes.cjs` LOG COUNT: at the end of its standard input it takes the lock PATH, prints the result, and adds
 * a byte to the file LOG. It is killed when LOG has COUNT bytes, so that no other worker asks for the lock after its holder has ended.
 * With the second argument the process looks like one of our programs.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { takeLock } from '../../src/platform/lock-file.ts';
import { isOurProcess } from '../../src/platform/own-process.ts';

/** Looks whether the process is alive, and sleeps before it answers: in that time other processes break the lock and take it. */
function isAliveSlowly(pid: number): boolean {
  const isAlive = isOurProcess(pid);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 40);
  return isAlive;
}

const [, , path = '', , log = '', count] = process.argv;
process.stdout.write('ready\n');
process.stdin.resume().on('end', () => {
  process.stdout.write(takeLock(path, isAliveSlowly).kind, () => {
    appendFileSync(log, '.');
    setInterval(() => readFileSync(log).length >= Number(count) && process.kill(process.pid, 'SIGKILL'), 20);
  });
});
