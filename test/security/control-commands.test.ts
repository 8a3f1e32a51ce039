/** The control verbs of an agent need no grant. A verb that decides or changes the installation needs a grant, and so does a line that only looks like a control verb. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
beforeAll(() => gated.open());
afterAll(() => gated.close());

describe('without a grant', () => {
  test.each([
    ['exit', 0],
    ['exit 3', 3],
    ['logout', 1],
    ['apes grants list', 0],
    ['apes grants list --json', 0],
    ['apes whoami', 0],
    ['apes workflow list', 0],
    ['apes plan list', 0],
    ['apes plan none.json', 64],
  ])('%s ends with %i', async (line, status) => {
    expect((await gated.run(`ape-shell -c '${line}'`)).status).toBe(status);
  });

  test('an approved grant runs through the shell itself, in one call', async () => {
    const id = await gated.approved("ape-shell -c 'echo through'");
    const run = await gated.run(`ape-shell -c 'apes grants run ${id} --wait'`);
    expect(run.out).toBe('through\n');
  });
});

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The text that openclaw's Gateway puts in front of each command. */
const PRELUDE = `export PATH="\${OPENCLAW_PREPEND_PATH}\${PATH:+:$PATH}"; unset OPENCLAW_PREPEND_PATH; `;

describe('behind the prelude that openclaw puts in front of each command', () => {
  const behind = (command: string, folder: string | null) => {
    const assignment = folder === null ? '' : `OPENCLAW_PREPEND_PATH=${folder} `;
    return gated.run(`${assignment}ape-shell -c ${quoted(PRELUDE + command)}`);
  };

  test('a grant that was requested behind the prelude runs', async () => {
    const asked = await behind('echo through $OPENCLAW_PREPEND_PATH $PATH', '/opt/none');
    expect(asked.status).toBe(75);
    const id = await gated.approved(
      `OPENCLAW_PREPEND_PATH=/opt/none ape-shell -c '${PRELUDE}echo through $OPENCLAW_PREPEND_PATH $PATH'`,
    );
    const run = await behind(`apes grants run ${id} --wait`, '/opt/none');
    expect(run.out).toMatch(/^through \/opt\/none:\/\S+\n$/);
    expect((await behind('apes grants list', '/opt/none')).status).toBe(0);
    expect((await behind('exit 3', '/opt/none')).status).toBe(3);
  });

  test.each([
    ['an apes in the folder that comes first', 'apes grants list', '$PWD'],
    ['a folder without a name, which is this directory', 'apes grants list', "''"],
    ['no folder, which is this directory too', 'apes grants list', null],
    ['a list', 'apes whoami; touch pwned', '/opt/none'],
    ['a substitution', 'apes grants show $(touch pwned)', '/opt/none'],
    ['approving', 'apes grants approve g_aaaaaaaaaaaaaaaaaaaaaaaaaa', '/opt/none'],
    ['the prelude twice', `${PRELUDE}apes grants list`, '/opt/none'],
  ])('%s needs a grant', async (_title, command, folder) => {
    gated.file('apes', '#!/bin/sh\ntouch pwned\n');
    expect((await behind(command, folder)).status).toBe(75);
    expect(existsSync(join(gated.scratch, 'work/pwned'))).toBe(false);
  });
});

describe('a line that is not a control verb', () => {
  test.each([
    ['another apes in this directory', './apes grants list'],
    ['a list', 'apes whoami; touch pwned'],
    ['a plan and another command', 'apes plan p.json; touch pwned'],
    ['a plan from a substitution', 'apes plan <(touch pwned)'],
    ['approving a plan', 'apes grants approve g_aaaaaaaaaaaaaaaaaaaaaaaaaa --narrow 1=exact'],
    ['a background job', 'apes whoami & touch pwned'],
    ['a second line', 'apes whoami\ntouch pwned'],
    ['a pipe', 'apes whoami | tee pwned'],
    ['a redirection', 'apes whoami > pwned'],
    ['a substitution', 'apes grants show $(touch pwned)'],
    ['a backtick', 'apes grants show `touch pwned`'],
    ['an assignment before it', 'APES_HOME=/tmp apes grants list'],
    ['a wrapper', 'env apes grants list'],
    ['a quoted apes in a list', '"apes" whoami; touch pwned'],
    ['exit in a list', 'exit; touch pwned'],
    ['exit with a substitution', 'exit $(touch pwned)'],
    ['approving', 'apes grants approve g_aaaaaaaaaaaaaaaaaaaaaaaaaa'],
    ['denying', 'apes grants deny g_aaaaaaaaaaaaaaaaaaaaaaaaaa'],
    ['revoking', 'apes grants revoke g_aaaaaaaaaaaaaaaaaaaaaaaaaa'],
    ['another server', 'apes login http://127.0.0.1:1'],
    ['a sign-in link', 'apes owner link'],
    ['an owner key', 'apes owner key create --here'],
    ['the server', 'apes up'],
    ['stopping the server', 'apes down'],
    ['the gate', 'apes gate'],
    ['serving', 'apes serve'],
    ['installing', 'apes shell install'],
    ['running', 'apes run -- touch pwned'],
    ['a verb of Object.prototype', 'apes constructor name'],
    ['the inbox of the owner', 'apes grants inbox'],
  ])('%s needs a grant', async (_title, line) => {
    gated.file('apes', '#!/bin/sh\ntouch pwned\n');
    expect((await gated.run(`ape-shell -c ${quoted(line)}`)).status).toBe(75);
    expect(existsSync(join(gated.scratch, 'work/pwned'))).toBe(false);
  });

  test('another program named apes that comes first in PATH needs a grant', async () => {
    gated.file('apes', '#!/bin/sh\ntouch pwned\n');
    expect((await gated.run("PATH=$PWD:$PATH ape-shell -c 'apes grants list'")).status).toBe(75);
    expect(existsSync(join(gated.scratch, 'work/pwned'))).toBe(false);
  });

  test('an exported function named apes or exit needs a grant', async () => {
    const run = await gated.run(
      "apes() { touch pwned; }; exit() { touch pwned; }; export -f apes exit; ape-shell -c 'apes whoami'; echo $?; ape-shell -c exit; builtin echo $?",
    );
    expect(run.out).toBe('75\n75\n');
  });
});

test('logout, /dev/null as a script and limits too low for the gate end as in bash, or say why', async () => {
  const login = await gated.run('ape-shell -lc logout');
  expect([login.status, login.err]).toEqual([0, '']);
  const none = await gated.run('ape-shell -c logout');
  expect([none.status, none.err]).toEqual([1, "bash: line 1: logout: not login shell: use `exit'\n"]);
  expect((await gated.run('ape-shell /dev/null a b')).status).toBe(0);
  for (const limit of ['-v 100000', '-v 500000']) {
    const low = await gated.run(`export APES_HOME=$PWD/fresh; ulimit ${limit}; exec ape-shell -c 'echo through'`);
    expect([low.status, low.out]).toEqual([70, '']);
    expect(low.err).toContain('nothing ran; perhaps it needs more than `ulimit -v` allows');
  }
});

test('if too few files can be opened, a call ends with one line that says so, and runs nothing', async () => {
  for (let limit = 4; limit <= 36; limit++) {
    const low = await gated.run(`export APES_HOME=$PWD/fresh; ulimit -n ${limit}; exec ape-shell -c 'echo through'`);
    const end = [limit, low.status, low.out, low.err.split('\n').length];
    if (low.status === 71) expect(low.err).toMatch(/few files can be opened|Too many open files/);
    expect(end).toEqual([limit, limit < 24 ? 71 : limit > 30 ? 78 : low.status, '', 2]);
  }
});
