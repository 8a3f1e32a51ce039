/** Asks stty(1) whether the kernel turns a Ctrl-C typed into a terminal into SIGINT, because Node cannot tell. */
import { spawn } from 'node:child_process';
import { coveredStdio } from './covered-descriptors.ts';

/** Not looked up in PATH: a user who can set PATH must not choose the program that runs here. */
const STTY = '/bin/stty';
const DEADLINE_MS = 5_000;

/** @param terminal a descriptor of the terminal. False when stty cannot tell. */
export function isInterruptKey(terminal: number): Promise<boolean> {
  return new Promise((resolve) => {
    const stty = spawn(STTY, ['-a'], {
      env: { LC_ALL: 'C' },
      stdio: coveredStdio<'pipe' | 'ignore' | number>([terminal, 'pipe', 'ignore']),
      timeout: DEADLINE_MS,
      killSignal: 'SIGKILL',
    });
    let told = '';
    stty.stdout?.on('data', (chunk: Buffer) => {
      told += chunk.toString('latin1');
    });
    stty.once('error', () => resolve(false));
    stty.once('close', () => resolve(/\bintr = \^C;/.test(told) && /(?<!-)\bisig\b/.test(told)));
  });
}
