/** `apes …` in a session needs no grant, so no earlier line of the session may make it run another program or use another installation. */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
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

/** Runs an approved line and then a call that needs no grant, such as `apes whoami`. Returns the screen text of the call. */
async function controlAfter(line: string, call = 'apes whoami'): Promise<string> {
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
    // Ctrl-U (\x15) removes the text before it from the line, so only the call is entered.
    shell.type(`apes whoami; echo no\x15${call}\r`);
    await shell.see(/apes whoami[^\r\n]*\r\n[\s\S]*U# $/);
    return shell.printed.slice(from);
  } finally {
    shell.close();
  }
}

test('the server of the session answers a control command, whichever of our variables a line has exported', async () => {
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

test('a control command calls no function of the session', async () => {
  const names = ['/usr/bin/env', 'env', 'command', join(gated.scratch, 'dist/bin/apes')];
  const screen = await controlAfter(`for n in ${names.join(' ')}; do eval "function $n { touch pwned; }"; done`);
  expect(screen).not.toContain('Waiting');
  expect(existsSync(join(gated.scratch, 'work/pwned'))).toBe(false);
});

/** Builds a library that leaves a mark when it is loaded. */
function markingLibrary(mark: string): string {
  const [source, library] = ['c', 'so'].map((ending) => join(gated.scratch, `${mark}.${ending}`)) as [string, string];
  writeFileSync(
    source,
    `#include <fcntl.h>\n__attribute__((constructor)) static void run(void) { open("${join(gated.scratch, mark)}", O_CREAT | O_WRONLY, 0600); }\n`,
  );
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, source]);
  return library;
}

test.each([
  [
    'which `set -k` makes an assignment',
    'word',
    () => 'set -k',
    (library: string) => `apes whoami LD_PRELOAD=${library}`,
  ],
  [
    'that an approved line exported',
    'exported',
    (library: string) => `export LD_PRELOAD=${library}`,
    () => 'apes whoami',
  ],
  [
    'that an approved line exported and made read-only',
    'readonly',
    (library: string) => `export LD_PRELOAD=${library}; readonly LD_PRELOAD`,
    () => 'apes whoami',
  ],
])('a control command loads no library %s', async (_title, name, line, call) => {
  const library = markingLibrary(`loaded-${name}`);
  const mark = join(gated.scratch, `loaded-${name}`);
  const screen = await controlAfter(`rm -f ${mark}; ${line(library)}`, call(library));
  expect(screen).not.toContain('Waiting');
  expect(existsSync(mark)).toBe(false);
});
