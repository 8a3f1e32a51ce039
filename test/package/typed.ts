/** Types keys into a real bash with bash-completion, in a real pseudo-terminal. */
import { spawn } from 'node-pty';

const COMPLETION = '/usr/share/bash-completion/bash_completion';

/** @returns the output up to the moment when `expected` is on the screen, or up to the deadline */
export async function typedIntoBash(keys: string, env: NodeJS.ProcessEnv, expected: RegExp): Promise<string> {
  const options = { env: { ...env, PS1: 'U# ', TERM: 'xterm' }, cols: 100, rows: 30 };
  const bash = spawn('bash', ['--norc', '--noprofile', '-i'], options);
  let text = '';
  const seen = async (wanted: RegExp): Promise<void> => {
    const deadline = Date.now() + 60_000;
    while (!wanted.test(text) && Date.now() < deadline) await new Promise((wake) => setTimeout(wake, 20));
  };
  bash.onData((data) => {
    text += data;
  });
  try {
    await seen(/U# /);
    bash.write(`. ${COMPLETION}; echo re''ady\r`);
    await seen(/^ready/m);
    bash.write(keys);
    await seen(expected);
    return text;
  } finally {
    bash.kill('SIGKILL');
  }
}
