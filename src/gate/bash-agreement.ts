/** Whether bash reads a text as a valid one: asked with `-n`, which runs nothing, in an empty environment. */
import { spawn } from 'node:child_process';
import type { Agreement } from '../core/assessment/findings.ts';
import { coveredStdio } from '../pty/covered-descriptors.ts';

const DEADLINE_MS = 2_000;

/**
 * bash also says nothing: a warning (a here-document that ends with the text) is no agreement.
 * @param bash absolute path
 */
export async function bashAgrees(text: string, bash: string): Promise<Agreement> {
  return new Promise((resolve) => {
    const child = spawn(bash, ['--norc', '--noprofile', '-O', 'extglob', '-n'], {
      env: { LC_ALL: 'C' },
      stdio: coveredStdio(['pipe', 'ignore', 'pipe']),
      timeout: DEADLINE_MS,
      killSignal: 'SIGKILL',
    });
    let isSilent = true;
    child.stderr?.on('data', () => {
      isSilent = false;
    });
    child.once('error', () => resolve('unknown'));
    child.once('close', (status) =>
      resolve(status === null ? 'unknown' : status === 0 && isSilent ? 'agrees' : 'disagrees'),
    );
    child.stdin?.on('error', () => undefined); // it stops reading at the first error
    child.stdin?.end(`${text}\n`);
  });
}
