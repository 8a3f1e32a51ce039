/** The prompt looks like that of any bash, and one line above the first prompt says that the shell is gated. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programPath } from '../fixtures/programs.ts';
import { GatedStage } from '../security/gated-stage.ts';
import { Keyboard } from './keyboard.ts';

const gated = new GatedStage();
beforeAll(async () => {
  await gated.open();
  await gated.run(`echo 'PS1="U# "; bind "set enable-bracketed-paste off"' > ../home/.bashrc`);
});
afterAll(() => gated.close());

const TEXT = 'ape-shell: every line is checked before bash sees it; :help says more';

async function start(more: Record<string, string>): Promise<Keyboard> {
  const keys = new Keyboard({
    argv: [programPath('ape-shell')],
    cwd: `${gated.scratch}/work`,
    environment: { HOME: `${gated.scratch}/home`, APES_HOME: gated.apesHome, PATH: '/usr/bin:/bin', ...more },
  });
  await keys.see(/U# $/);
  return keys;
}

test.each([
  ['dim where the terminal can show that', { TERM: 'xterm' }, `\u001b[2m${TEXT}\u001b[0m\r\n`],
  ['plain with NO_COLOR', { TERM: 'xterm', NO_COLOR: '1' }, `${TEXT}\r\n`],
  ['plain on a dumb terminal', { TERM: 'dumb' }, `${TEXT}\r\n`],
])('%s, once', async (_title, variables, greeting) => {
  const keys = await start(variables);
  expect(keys.printed.startsWith(greeting)).toBe(true);
  keys.type(':reset\r');
  await keys.see(/U# $/);
  keys.type('exit\r');
  await keys.exit;
  expect(keys.printed.split(TEXT)).toHaveLength(2);
});

test('APES_QUIET suppresses the line about the gate', async () => {
  const keys = await start({ TERM: 'xterm', APES_QUIET: '1' });
  keys.type('exit\r');
  await keys.exit;
  expect(keys.printed).not.toContain('ape-shell:');
});

test('a mistyped command of ours is answered by the shell, without a request to the server', async () => {
  const keys = await start({ TERM: 'xterm' });
  keys.type(':stauts\r');
  await keys.see(/there is no :stauts; :help lists these commands\r\n[^\n]*U# $/, 20_000);
  keys.type('exit\r');
  await keys.exit;
  expect((await gated.run('apes grants list --state pending')).out).toBe('no grants\n');
});

test('the shell starts if the path of its own directory is short in characters but long in bytes', async () => {
  const own = `${gated.scratch}/${'日'.repeat(44 - gated.scratch.length)}`;
  const keys = await start({ TERM: 'xterm', APES_HOME: own });
  keys.type('exit\r');
  await keys.exit;
  expect(keys.printed).not.toContain('internal error');
});
