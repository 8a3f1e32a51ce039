/** Takes the lock at the sign, says how it went, and is killed while it holds it. Run with `main/apes.cjs` among its arguments. */
import { takeLock } from '../../src/cli/lock-file.ts';

process.stdout.write('ready\n');
process.stdin.resume().on('end', () => {
  process.stdout.write(takeLock(process.argv[2] ?? '').kind);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1500);
});
