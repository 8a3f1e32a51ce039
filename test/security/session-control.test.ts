/** `apes …` in a session needs no grant, so no earlier line of the session may make it run another program or use another installation. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SETTING_VARIABLES } from '../../src/core/settings.ts';
import { programPath } from '../fixtures/programs.ts';
import { Keyboard } from '../terminal/keyboard.ts';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
const PROMPT = /U# $/;
const reached: string[] = [];
const elsewhere = createServer((request, response) => {
  reached.push(request.url ?? '');
  response.end('{}');
});

beforeAll(async () => {
  await gated.open();
  await gated.run(`echo 'PS1="U# "; bind "set enable-bracketed-paste off"' > ../home/.bashrc`);
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  elsewhere.close();
  gated.close();
});

/** The screen after an approved line and `apes whoami`, which needs no grant. */
async function controlAfter(line: string): Promise<string> {
  const path = (await gated.run('echo $PATH')).out.trim();
  const shell = new Keyboard({
    argv: [programPath('ape-shell')],
    cwd: join(gated.scratch, 'work'),
    environment: {
      HOME: join(gated.scratch, 'home'),
      APES_HOME: gated.apesHome,
      PATH: path,
      TERM: 'xterm',
      LC_ALL: 'C.UTF-8',
    },
  });
  try {
    await shell.see(PROMPT);
    shell.type(`${line}\r`);
    const id = (await shell.see(/g_[a-z2-7]{26}/))[0];
    await gated.run(`apes grants approve ${id}`);
    await shell.see(/continuing[\s\S]*U# $/);
    const from = shell.printed.length;
    // Ctrl-U (\x15) removes the text before it from the line, so only `apes whoami` is entered.
    shell.type('apes whoami; echo no\x15apes whoami\r');
    await shell.see(/apes whoami\r\n[\s\S]*U# $/);
    return shell.printed.slice(from);
  } finally {
    shell.close();
  }
}

test('whatever variable of ours a line exports: the server of the session answers', async () => {
  const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  const exports = [...SETTING_VARIABLES, 'APES_HOME', 'HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME'].map(
    (name) => `${name}=${name.endsWith('_URL') ? url : '/nowhere'}`,
  );
  const own = (await gated.run('apes whoami')).out.trim().replaceAll('\n', '\r\n');
  const screen = await controlAfter(`export ${exports.join(' ')}`);
  expect(own).not.toBe('');
  expect(screen).toContain(own);
  expect(reached).toEqual([]);
});

test('a function of any name is not called instead of `apes`', async () => {
  const names = ['/usr/bin/env', 'env', 'command', join(gated.scratch, 'dist/bin/apes')];
  const screen = await controlAfter(`for n in ${names.join(' ')}; do eval "function $n { touch pwned; }"; done`);
  expect(screen).not.toContain('Waiting');
  expect(existsSync(join(gated.scratch, 'work/pwned'))).toBe(false);
});
