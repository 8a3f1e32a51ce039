/** Starts a program of the build that no person calls: `node program.cjs NAME`. The program reads its order from its standard input. */
import { join } from 'node:path';
import { loadBuilt } from '../platform/built-file.ts';

const name = process.argv[2];
if (name === 'session-host' || name === 'login-trial') loadBuilt(join(__dirname, '..', 'lazy'), name);
else {
  process.stderr.write('program.cjs: only ape-shell itself calls this file\n');
  process.exit(64); // EX_USAGE
}
