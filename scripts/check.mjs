/** `npm run check`: runs the linter, the type checks and the search for unused exports, as many at once as there are processors. Runs all. */
import { spawn } from 'node:child_process';
import os from 'node:os';
import { text } from 'node:stream/consumers';

/** The checks that have not started; the longest come first. */
const waiting = [
  'tsc -p tsconfig.json',
  'biome ci --colors=off --max-diagnostics=100 .',
  'knip',
  'tsc -p src/core',
  'tsc -p scripts',
  'tsc -p scripts/tsconfig.partly.json',
  'tsc -p src/web',
  'tsc -p src/harness',
];
let failures = 0;

async function runLane() {
  for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
    const program = spawn(line, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] }); // npm puts the directory of the tools into PATH
    const ended = new Promise((resolve) => program.on('close', resolve));
    const [out, errors, status] = await Promise.all([text(program.stdout), text(program.stderr), ended]);
    if (status !== 0) failures++;
    console.log(`${status === 0 ? 'ok' : 'FAILED'}: ${line}\n${status === 0 ? '' : out + errors}`.trimEnd());
  }
}

await Promise.all(Array.from({ length: os.availableParallelism() }, runLane));
process.exit(failures === 0 ? 0 : 1);
