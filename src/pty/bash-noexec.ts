/**
 * bash reads a text with `-n`, which runs nothing, in an empty environment, and reports its status and its messages.
 */
import { coveredStdio } from './covered-descriptors.ts';

const DEADLINE_MS = 2_000;
const MAX_SAID_BYTES = 4_096;

/**
 * @property status null: it could not be asked, or took longer than 2 s
 * @property said   its standard error, the first 4 KiB or a little more
 */
export interface NoexecAnswer {
  readonly status: number | null;
  readonly said: string;
}

/**
 * @param bash   absolute path
 * @param locale whose character set it reads in: the one that bash will run in
 */
export async function readByBash(text: string, bash: string, locale: string): Promise<NoexecAnswer> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve) => {
    const child = spawn(bash, ['--norc', '--noprofile', '-O', 'extglob', '-n'], {
      env: { LC_CTYPE: locale }, // LC_ALL would have its messages translated, and warn of a locale that is not there
      stdio: coveredStdio(['pipe', 'ignore', 'pipe']),
      timeout: DEADLINE_MS,
      killSignal: 'SIGKILL',
    });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      if (said.length < MAX_SAID_BYTES) said += chunk.toString('utf8');
    });
    child.once('error', () => resolve({ status: null, said: '' }));
    child.once('close', (status) => resolve({ status, said }));
    child.stdin?.on('error', () => undefined); // it stops reading at the first error
    child.stdin?.end(`${text}\n`);
  });
}
