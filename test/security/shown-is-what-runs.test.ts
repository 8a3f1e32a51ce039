/** Promise 2 of SECURITY.md: what was shown is what runs. The same call with another directory, environment, name or script is another request. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
beforeAll(() => gated.open());
afterAll(() => gated.close());

const waitsWith = (title: string, approvedCall: string, otherCall: string) =>
  test(`a call with ${title} waits for an approver`, async () => {
    await gated.approved(approvedCall, 'always');
    expect((await gated.run(approvedCall)).status).toBe(0);
    expect((await gated.run(otherCall)).status).toBe(75);
  });

describe('a standing grant covers only its exact request', () => {
  waitsWith('another byte in the command', "ape-shell -c 'true a'", "ape-shell -c 'true  a'");
  waitsWith('a second command after the approved one', "ape-shell -c 'true b'", "ape-shell -c 'true b; true'");
  waitsWith('another directory', "ape-shell -c 'true c'", "cd / && ape-shell -c 'true c'");
  waitsWith('another PATH', "ape-shell -c 'true d'", 'mkdir -p evil && PATH=$PWD/evil:$PATH ape-shell -c "true d"');
  waitsWith(
    'a start-up file for bash',
    "ape-shell -c 'true e'",
    "echo 'touch pwned' > env.sh; BASH_ENV=$PWD/env.sh ape-shell -c 'true e'",
  );
  waitsWith('a library to preload', "ape-shell -c 'true f'", "LD_PRELOAD=/nonexistent.so ape-shell -c 'true f'");
  waitsWith(
    'an exported function',
    "ape-shell -c 'true g'",
    "ls() { touch pwned; }; export -f ls; ape-shell -c 'true g'",
  );
  waitsWith('additional arguments', 'ape-shell -c \'true "$@"\'', 'ape-shell -c \'true "$@"\' name argument');
  waitsWith('a login shell', "ape-shell -c 'true h'", "ape-shell -lc 'true h'");
  waitsWith('an option of bash', "ape-shell -c 'true i'", "ape-shell -x -c 'true i'");
  waitsWith('a git variable', "ape-shell -c 'true j'", "GIT_PAGER='touch pwned' ape-shell -c 'true j'");
  waitsWith(
    'another directory for the settings of git',
    "git init -q . && ape-shell -c 'git status --short; true k'",
    `mkdir -p conf/git && printf '[core]\\nfsmonitor = "touch pwned; false"\\n' > conf/git/config && XDG_CONFIG_HOME=$PWD/conf ape-shell -c 'git status --short; true k'`,
  );
  waitsWith('a start-up directory for zsh', "ape-shell -c 'true z'", "ZDOTDIR=/tmp ape-shell -c 'true z'");
  waitsWith('code in a variable for lua', "ape-shell -c 'true q'", "LUA_INIT='x()' ape-shell -c 'true q'");
  waitsWith(
    'a variable that the text expands',
    "X='echo good' ape-shell -c '$X m'",
    "X='touch pwned' ape-shell -c '$X m'",
  );
  waitsWith('the same text as an argv', 'apes run -- true k', "ape-shell -c 'true k'");
  waitsWith('the same text as a script on standard input', "ape-shell -c 'true l'", "printf 'true l' | ape-shell");
  test('no call that waits has run', () => {
    expect(existsSync(join(gated.scratch, 'work/pwned'))).toBe(false);
  });
});

test('a script changed after its approval does not run', async () => {
  gated.file('job.sh', 'echo good >> ran');
  const id = await gated.approved('ape-shell ./job.sh');
  gated.file('job.sh', 'echo evil >> ran');
  const run = await gated.run(`apes grants run ${id}; echo $?; cat ran 2>/dev/null`);
  expect(run.out).toBe('77\n');
  expect(run.err).toContain('changed after it was approved');
});

test('the bound environment is restored when the grant is run later from another place', async () => {
  gated.file('tool', 'echo good');
  const id = await gated.approved(`PATH=$PWD:$PATH ape-shell -c 'tool; pwd; printenv GIT_DIR || echo unset'`);
  const run = await gated.run(
    `mkdir -p other && cd other && printf 'echo evil' > tool && chmod +x tool && GIT_DIR=/x PATH=$PWD:$PATH apes grants run ${id}`,
  );
  expect(run.out).toBe(`good\n${join(gated.scratch, 'work')}\nunset\n`);
});

test('a variable that looks like a secret is bound without leaving the host', async () => {
  const call = "GIT_ASKPASS_TOKEN=hunter2 ape-shell -c 'true m'";
  const id = await gated.approved(call);
  expect((await gated.run(`apes grants show ${id} --json`)).out).not.toContain('hunter2');
  const run = await gated.run(`GIT_ASKPASS_TOKEN=other apes grants run ${id}`);
  expect(run.status).toBe(77);
  expect(run.err).toContain('GIT_ASKPASS_TOKEN');
  expect((await gated.run(`GIT_ASKPASS_TOKEN=hunter2 ape-shell -c 'true m'`)).status).toBe(0);
});

test('bash gets argv, standard input and NUL-free bytes exactly as given', async () => {
  const call = `printf 'x y\\n' | ape-shell -c 'printf "<%s>" "$0" "$@"; cat' zero 'a b' '' $'q\\'u"o'`;
  const id = await gated.approved(call);
  expect(id).toMatch(/^g_/);
  expect((await gated.run(call)).out).toBe(`<zero><a b><><q'u"o>x y\n`);
});
