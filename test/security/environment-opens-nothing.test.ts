/** No environment variable switches the gate off or runs code inside it. Of our own variables only APES_HOME reaches a command. */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
beforeAll(() => gated.open());
afterAll(() => gated.close());

const mark = () => join(gated.scratch, 'work/pwned');

test.each([
  ['NODE_OPTIONS', 'NODE_OPTIONS="--require $PWD/evil.cjs"'],
  ['NODE_PATH with a module of ours', 'NODE_PATH=$PWD/modules'],
  ['LD_PRELOAD', 'LD_PRELOAD=$PWD/evil.so'],
  ['LD_AUDIT', 'LD_AUDIT=$PWD/evil.so'],
  ['BASH_ENV', 'BASH_ENV=$PWD/evil.sh'],
  ['ENV', 'ENV=$PWD/evil.sh'],
  ['SHELLOPTS and PS4', "SHELLOPTS=xtrace PS4='$(touch pwned)'"],
  ['PROMPT_COMMAND', "PROMPT_COMMAND='touch pwned'"],
])('%s runs nothing in an ape-shell that only asks', async (_name, assignment) => {
  gated.file('evil.cjs', `require('fs').writeFileSync(${JSON.stringify(mark())}, '')`);
  gated.file('evil.sh', 'touch pwned');
  const source = gated.file(
    'evil.c',
    `#include <fcntl.h>\n__attribute__((constructor)) static void f(void) { open("${mark()}", O_CREAT | O_WRONLY, 0600); }`,
  );
  execFileSync('cc', ['-shared', '-fPIC', '-o', join(gated.scratch, 'work/evil.so'), source]);
  for (const residence of ['true', 'false']) {
    const run = await gated.run(`export APES_RESIDENT=${residence}; ${assignment} ape-shell -c 'true unapproved'`);
    expect(run.status).toBe(75);
  }
  expect(existsSync(mark())).toBe(false);
});

test('no variable with a plausible name switches the gate off', async () => {
  for (const name of [
    'APES_BYPASS',
    'APES_DISABLE',
    'APES_GRANT_BYPASS',
    'APES_SHELL_WRAPPER',
    'APES_ALLOW',
    'APE_SKIP',
    'APES_BASH',
    'APES_DEBUG',
  ])
    expect((await gated.run(`${name}=1 ape-shell -c 'touch pwned3'`)).status, name).toBe(75);
  expect(existsSync(`${mark()}3`)).toBe(false);
});

test('none of our variables reaches a command, except the one that names the installation', async () => {
  const call = "APES_SHELL_WRAPPER=1 APES_USER=agent APE_WAIT=0 ape-shell -c 'env | grep -o ^APES*_[A-Z_]*; true'";
  await gated.approved(call);
  expect((await gated.run(call)).out).toBe('APES_HOME\n');
});

test('standard output carries only the output of the command', async () => {
  await gated.approved("ape-shell -c 'echo only'");
  expect((await gated.run("ape-shell -c 'echo only'")).out).toBe('only\n');
});
