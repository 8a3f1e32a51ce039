/** No variable from sshd or su runs code inside the gate, or runs anything before it is approved. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LoginUser, run, scratch } from '../login/login-user.ts';
import { installPublicly, type PublicPackage } from '../login/public-package.ts';
import { Sshd } from '../login/sshd.ts';

let programs: PublicPackage;
let user: LoginUser;
let sshd: Sshd;
let folder: string;
let hostile: Record<string, string>;

/** Returns a line for each program that ran code of the variables: the name of the program or of the variable. */
const infected = (): readonly string[] =>
  existsSync(join(folder, 'infected')) ? readFileSync(join(folder, 'infected'), 'utf8').trim().split('\n') : [];

beforeAll(async () => {
  folder = scratch();
  chmodSync(folder, 0o1777);
  const mark = join(folder, 'infected');
  const path = (name: string): string => join(folder, name);
  writeFileSync(
    path('preload.c'),
    `#define _GNU_SOURCE
     #include <errno.h>
     #include <fcntl.h>
     #include <stdio.h>
     #include <sys/stat.h>
     #include <unistd.h>
     __attribute__((constructor)) static void infect(void) {
       umask(0);
       int fd = open("${mark}", O_WRONLY | O_CREAT | O_APPEND, 0666);
       if (fd >= 0) { dprintf(fd, "%s\\n", program_invocation_short_name); close(fd); }
     }`,
  );
  execFileSync('cc', ['-shared', '-fPIC', path('preload.c'), '-o', path('preload.so')]);
  writeFileSync(
    path('required.cjs'),
    `require('node:fs').appendFileSync('${mark}', 'NODE_OPTIONS\\n', { mode: 0o666 });`,
  );
  writeFileSync(path('start.sh'), `echo BASH_ENV >> '${mark}'\n`);
  for (const name of ['preload.so', 'required.cjs', 'start.sh']) chmodSync(path(name), 0o755);
  hostile = {
    LD_PRELOAD: path('preload.so'),
    NODE_OPTIONS: `--require=${path('required.cjs')}`,
    BASH_ENV: path('start.sh'),
    ENV: path('start.sh'),
  };
  programs = installPublicly();
  user = new LoginUser(programs);
  const done = user.install();
  if (done.status !== 0) throw new Error(done.stderr);
  sshd = await Sshd.start(user, [
    `SetEnv ${Object.entries(hostile)
      .map(([name, value]) => `"${name}=${value}"`)
      .join(' ')}`,
  ]);
});
afterEach(() => {
  user.withdrawAll();
  rmSync(join(folder, 'infected'), { force: true });
});
afterAll(() => {
  sshd?.stop();
  user?.remove();
  programs?.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe('LD_PRELOAD, NODE_OPTIONS, BASH_ENV and ENV', () => {
  it('are armed: plain node and plain bash run what they name', () => {
    run('node', ['-e', '0'], { env: hostile });
    run('bash', ['-c', ':'], { env: hostile });
    expect([...new Set(infected())].sort()).toEqual(['BASH_ENV', 'NODE_OPTIONS', 'bash', 'node']);
  });

  it('set by sshd run nothing while the command waits', () => {
    expect(sshd.ssh('true')).toMatchObject({ status: 75, stdout: '' });
    // The resident gate may answer a command. For a script this login starts a Node of its own.
    expect(run('ssh', sshd.words('-T'), { input: 'true\n' })).toMatchObject({ status: 75, stdout: '' });
    expect(infected()).toEqual([]);
  });

  it('set by sshd reach the approved command, whose request named them, and never the gate', () => {
    sshd.ssh('exit 5; true');
    const asked = user.pending()[0] as unknown as { request: { environment: { name: string; value: string }[] } };
    const bound = Object.fromEntries(asked.request.environment.map(({ name, value }) => [name, value]));
    expect(bound).toMatchObject({
      LD_PRELOAD: hostile['LD_PRELOAD'],
      NODE_OPTIONS: hostile['NODE_OPTIONS'],
      BASH_ENV: hostile['BASH_ENV'],
      ENV: hostile['ENV'],
    });
    user.approveOnly();
    expect(sshd.ssh('exit 5; true').status).toBe(5);
    // bash called by sshd reads ~/.bashrc in place of BASH_ENV.
    expect([...new Set(infected())]).toEqual(['bash']);
  });

  it('kept by su -m run nothing while the command waits', () => {
    const waiting = run('su', ['-m', user.name, '-c', 'true'], { env: { ...hostile, SHELL: programs.shell } });
    expect(waiting).toMatchObject({ status: 75, stdout: '' });
    // su is not a part of the gate: it loads what root's configuration names.
    expect([...new Set(infected())]).toEqual(['su']);
  });

  it('are not covered by a grant that was given without them', () => {
    const clean = () => run('su', [user.name, '-c', 'touch by-grant']);
    expect(clean().status).toBe(75);
    user.approveOnly();
    const armed = run('su', ['-m', user.name, '-c', 'touch by-grant'], {
      env: { BASH_ENV: hostile['BASH_ENV'] ?? '', SHELL: programs.shell },
    });
    expect(armed.status).toBe(75);
    expect(infected()).toEqual([]);
  });
});

describe('~/.ssh/rc', () => {
  it('needs a grant like any command', () => {
    const rc = join(user.home, '.ssh/rc');
    writeFileSync(rc, `echo rc >> ${join(folder, 'infected')}\n`, { mode: 0o644 });
    try {
      expect(sshd.ssh('exit 0')).toMatchObject({ status: 0, stdout: '' });
      expect(infected()).not.toContain('rc');
      expect(user.pending().map(({ request }) => request.text)).toEqual([`/bin/sh ${rc}`]);
    } finally {
      rmSync(rc);
    }
  });
});
