/** Commands that come by su to an account whose login shell is ape-shell. */
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { removeInstallation } from '../fixtures/remove-installation.ts';
import { LoginUser, type Ran, run } from './login-user.ts';
import { installPublicly, type PublicPackage } from './public-package.ts';

let programs: PublicPackage;
let user: LoginUser;
const su = (...words: readonly string[]): Ran => run('su', words);

beforeAll(() => {
  programs = installPublicly();
  user = new LoginUser(programs);
  const done = user.install();
  if (done.status !== 0) throw new Error(done.stderr);
  const profile = join(user.home, '.bash_profile');
  writeFileSync(profile, 'FROM_PROFILE=read\n');
  chownSync(profile, user.account.uid, user.account.gid);
});
afterEach(() => user.withdrawAll());
afterAll(() => {
  user?.remove();
  programs?.remove();
});

const granted = /^ape-shell: granted \(once\), grant g_\w+\n$/;

describe('su', () => {
  it('with a command ends with status 75 and an empty standard output, and runs it after approval', () => {
    const command = 'echo ran > ran; echo output; echo "$0 $FROM_PROFILE"; shopt login_shell; pwd; exit 3';
    const held = su('-', user.name, '-c', command);
    expect(held).toMatchObject({ status: 75, stdout: '' });
    expect(held.stderr).toContain(`  command:  ${command}\n`);
    expect(held.stderr).toContain(`  in:       ${user.home}\n`);
    expect(user.exists('ran')).toBe(false);
    expect(user.approveOnly()).toBe(command);
    const ran = su('-', user.name, '-c', command);
    expect(ran).toMatchObject({ status: 3, stdout: `output\n-bash read\nlogin_shell    \ton\n${user.home}\n` });
    expect(ran.stderr).toMatch(granted);
    expect(user.exists('ran')).toBe(true);
  });

  it('without a dash stays in the directory, and bash is not a login shell', () => {
    const ran = user.afterApproval(() =>
      run('su', [user.name, '-c', 'echo "$0 $FROM_PROFILE."; pwd'], { cwd: '/usr' }),
    );
    expect(ran).toMatchObject({ status: 0, stdout: 'bash .\n/usr\n' });
  });

  it('without a command asks for the whole script on standard input', () => {
    const script = 'echo one\ncat <<X\ntwo\nX\nexit 4\n';
    const ran = user.afterApproval(() => run('su', ['-', user.name], { input: script }));
    expect(ran).toMatchObject({ status: 4, stdout: 'one\ntwo\n' });
  });

  it('passes standard input, and the status of a killed command, as with bash', () => {
    const counted = user.afterApproval(() =>
      run('su', ['-', user.name, '-c', 'wc -c'], { input: 'x'.repeat(100_000) }),
    );
    expect(counted.stdout).toBe('100000\n');
    const killed = ['-c', 'kill -TERM $$'];
    const bare = su('-s', '/bin/bash', user.name, ...killed);
    expect(user.afterApproval(() => su(user.name, ...killed)).status).toBe(bare.status);
  });
});

describe('what su keeps of the environment of root', () => {
  it('does no harm: a runtime directory that is closed to the user', () => {
    const runtime = mkdtempSync('/tmp/ape-runtime-');
    try {
      const start = (): Ran => run('su', [user.name, '-c', 'echo ran'], { env: { XDG_RUNTIME_DIR: runtime } });
      expect(user.afterApproval(start)).toMatchObject({ status: 0, stdout: 'ran\n' });
    } finally {
      removeInstallation(runtime);
    }
  });

  it('is refused if it leads to the installation of root, and says so', () => {
    const home = mkdtempSync('/tmp/ape-home-');
    try {
      const refused = run('su', ['-m', user.name, '-c', 'echo ran'], { env: { HOME: home, SHELL: programs.shell } });
      expect(refused).toMatchObject({ status: 78, stdout: '' });
      expect(refused.stderr).toMatch(/^ape-shell: .+\n$/);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});

describe('the bare environment of cron', () => {
  const cron = (command: string): Ran => {
    const { uid, gid } = user.account;
    return run(
      'setpriv',
      [
        ...[`--reuid=${uid}`, `--regid=${gid}`, '--init-groups', '--', 'env', '-i', `HOME=${user.home}`],
        ...[`LOGNAME=${user.name}`, `SHELL=${programs.shell}`, 'PATH=/usr/bin:/bin', programs.shell, '-c', command],
      ],
      { cwd: user.home },
    );
  };
  it('is enough to ask, to be approved and to run', () => {
    expect(user.afterApproval(() => cron('echo job; echo "$USER."'))).toMatchObject({ status: 0, stdout: 'job\n.\n' });
  });

  it('is enough without any variable and with standard input closed', () => {
    const { uid, gid } = user.account;
    const start = (): Ran =>
      run('setpriv', [
        ...[`--reuid=${uid}`, `--regid=${gid}`, '--init-groups', '--', 'env', '-i', '/bin/sh', '-c'],
        `exec ${programs.shell} -c 'echo job' <&-`,
      ]);
    expect(user.afterApproval(start)).toMatchObject({ status: 0, stdout: 'job\n' });
  });
});

it.each([['down'], ['health'], ['up'], ['grants', 'list'], ['run', '--', 'ls']])(
  'in the installation of another user `apes %s` says what it cannot read, and ends with 78',
  (...words) => {
    const place = join(user.home, '.local/share/ape-shell');
    expect(user.exists('.local/share/ape-shell')).toBe(true);
    const nobody = { uid: 65_534, gid: 65_534, env: { APES_HOME: place, HOME: '/nonexistent' } };
    const ran = run(programs.apes, words, nobody);
    expect(ran.status, ran.stderr).toBe(78);
    expect(ran.stdout + ran.stderr).toMatch(/cannot (?:read|look at) \S+ \(EACCES\)/);
  },
);
