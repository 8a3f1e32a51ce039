/**
 * Arguments: PATH `main/apes.cjs` SAID COUNT; the second makes this look like a process of ours. At the end of its standard input it
 * takes the lock PATH, prints how that went, and adds a byte to the file SAID. It is killed once SAID has COUNT bytes, so that no
 * other worker asks for the lock after its holder has ended.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { takeLock } from '../../src/platform/lock-file.ts';
import { isOurProcess } from '../../src/platform/own-process.ts';

/** Looks, and falls asleep with what it saw: in that time others break the lock and take it. */
function isAliveSlowly(pid: number): boolean {
  const isAlive = isOurProcess(pid);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 40);
  return isAlive;
}

const [, , path = '', , said = '', count] = process.argv;
process.stdout.write('ready\n');
process.stdin.resume().on('end', () => {
  process.stdout.write(takeLock(path, isAliveSlowly).kind, () => {
    appendFileSync(said, '.');
    setInterval(() => readFileSync(said).length >= Number(count) && process.kill(process.pid, 'SIGKILL'), 20);
  });
});
