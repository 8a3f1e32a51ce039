/** Takes the lock at the sign, says how it went, and is killed while it holds it. Run with `main/apes.cjs` among its arguments. */
import { takeLock } from '../../src/cli/lock-file.ts';
import { isOurProcess } from '../../src/cli/own-process.ts';

/** Looks, and falls asleep with what it saw: in that time others break the lock and take it. */
function isAliveSlowly(pid: number): boolean {
  const isAlive = isOurProcess(pid);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 40);
  return isAlive;
}

process.stdout.write('ready\n');
process.stdin.resume().on('end', () => {
  process.stdout.write(takeLock(process.argv[2] ?? '', isAliveSlowly).kind);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1500);
});
