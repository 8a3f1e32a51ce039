/** Asks stty(1) whether a typed Ctrl-C becomes SIGINT. Node itself cannot read terminal settings. */
import { spawn } from 'node:child_process';
import { coveredStdio } from './covered-descriptors.ts';

/** An absolute path, because PATH must not choose the program that runs here. */
const STTY = '/bin/stty';
const DEADLINE_MS = 5_000;

/**
 * Whether Ctrl-C is the interrupt key of this terminal and `isig` is set; false if stty fails.
 * @param terminal a descriptor of the terminal
 */
export function isInterruptKey(terminal: number): Promise<boolean> {
  return new Promise((resolve) => {
    const stty = spawn(STTY, ['-a'], {
      env: { LC_ALL: 'C' },
      stdio: coveredStdio<'pipe' | 'ignore' | number>([terminal, 'pipe', 'ignore']),
      timeout: DEADLINE_MS,
      killSignal: 'SIGKILL',
    });
    let settings = '';
    stty.stdout?.on('data', (chunk: Buffer) => {
      settings += chunk.toString('latin1');
    });
    stty.once('error', () => resolve(false));
    stty.once('close', () => resolve(/\bintr = \^C;/.test(settings) && /(?<!-)\bisig\b/.test(settings)));
  });
}
