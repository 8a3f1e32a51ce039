/** bash reads a text with `-n`, which runs nothing, and says what it thinks of it. */
import { coveredStdio } from '../../pty/covered-descriptors.ts';
import type { Completeness } from './completeness.ts';

const DEADLINE_MS = 2_000;
const MOST_MESSAGE_BYTES = 4_096;

/** Answers `complete` when bash cannot be asked or takes too long: then a person decides. */
export async function askBash(text: string, bash: string, name: string): Promise<Completeness> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve) => {
    const child = spawn(bash, ['--norc', '--noprofile', '-O', 'extglob', '-n'], {
      env: { LC_ALL: 'C' },
      stdio: coveredStdio(['pipe', 'ignore', 'pipe']),
      timeout: DEADLINE_MS,
      killSignal: 'SIGKILL',
    });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      if (said.length < MOST_MESSAGE_BYTES) said += chunk.toString('utf8');
    });
    child.once('error', () => resolve({ kind: 'complete' }));
    child.once('close', (status) => resolve(judge(status, said, name)));
    child.stdin?.on('error', () => undefined); // it may stop reading at the first error
    child.stdin?.end(`${text}\n`);
  });
}

const UNFINISHED =
  /^[^\n]*?: line \d+: (?:syntax error: unexpected end of file|unexpected EOF while looking for matching|warning: here-document at line \d+ delimited by end-of-file)/m;

function judge(status: number | null, said: string, name: string): Completeness {
  if (UNFINISHED.test(said)) return { kind: 'incomplete' };
  if (status === 0 || status === null) return { kind: 'complete' };
  const message = /^[^\n]*?: line \d+: ([^\n]*)/.exec(said)?.[1] ?? 'syntax error';
  return { kind: 'invalid', message: `${name}: ${message}` };
}
