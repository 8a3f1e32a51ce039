/** Parses a text with `bash -n`, which runs nothing. The option `extglob` is on, and the environment has only `LC_CTYPE`. */
import { coveredStdio } from './covered-descriptors.ts';

const DEADLINE_MS = 2_000;
const MAX_SAID_BYTES = 4_096;

/**
 * @property status bash's exit status; null if bash did not start, or was killed. This process kills bash after 2 s
 * @property said   bash's standard error, cut after about 4 KiB; empty if bash did not start
 */
export interface NoexecAnswer {
  readonly status: number | null;
  readonly said: string;
}

/**
 * @param bash   absolute path of bash
 * @param locale the locale in which the text will run; bash decodes the text with the locale's character set
 */
export async function readByBash(text: string, bash: string, locale: string): Promise<NoexecAnswer> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve) => {
    const child = spawn(bash, ['--norc', '--noprofile', '-O', 'extglob', '-n'], {
      env: { LC_CTYPE: locale }, // not LC_ALL: with LC_ALL bash would also translate its messages, and warn of a missing locale
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
    child.stdin?.on('error', () => undefined); // bash stops reading at the first error
    child.stdin?.end(`${text}\n`);
  });
}
