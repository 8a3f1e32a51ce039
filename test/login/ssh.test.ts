/** Commands that come over ssh to an account whose login shell is ape-shell. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LoginUser, run, scratch } from './login-user.ts';
import { installPublicly, type PublicPackage } from './public-package.ts';
import { Sshd } from './sshd.ts';

let programs: PublicPackage;
let user: LoginUser;
let sshd: Sshd;
let folder: string;

beforeAll(async () => {
  folder = scratch();
  programs = installPublicly();
  user = new LoginUser(programs);
  const done = user.install();
  if (done.status !== 0) throw new Error(done.stderr);
  sshd = await Sshd.start(user);
});
afterEach(() => user.withdrawAll());
afterAll(() => {
  sshd?.stop();
  user?.remove();
  programs?.remove();
});

/** The exit statuses of programs whose remote command waits for approval: scp ends with 1 or 255, git with 128. */
const SCP = 1;
const SFTP = 255;
const GIT = 128;

describe('ssh HOST COMMAND', () => {
  it('ends with status 75 and says on standard error how to go on; after approval it runs with its own status', () => {
    const held = sshd.ssh('touch ran; echo output; echo trouble >&2; exit 3');
    expect(held).toMatchObject({ status: 75, stdout: '' });
    expect(held.stderr).toMatch(/^ {2}next: {5}\S*apes grants run g_\w+ --wait$/m);
    expect(user.exists('ran')).toBe(false);
    user.approveOnly();
    const ran = sshd.ssh('touch ran; echo output; echo trouble >&2; exit 3');
    expect(ran).toMatchObject({ status: 3, stdout: 'output\n' });
    expect(ran.stderr).toMatch(/^ape-shell: granted \(once\), grant g_\w+\ntrouble\n$/);
    expect(user.exists('ran')).toBe(true);
  });

  it('passes a megabyte of bytes in and out unchanged', () => {
    const bytes = Buffer.alloc(1_000_000, 'all \u00e4 the same\r\n');
    const sum = user.afterApproval(() => sshd.ssh('sha256sum', bytes));
    expect(sum.stdout).toBe(run('sha256sum', [], { input: bytes }).stdout);
    const back = user.afterApproval(() => sshd.ssh('cat', bytes));
    expect(Buffer.from(back.stdout).equals(bytes)).toBe(true);
  });

  it('reports a signal to the client as bash would: ssh ends with 255', () => {
    expect(user.afterApproval(() => sshd.ssh('kill -TERM $$'))).toMatchObject({ status: 255, stdout: '' });
  });

  it('with -t gives the command a terminal', () => {
    const ran = user.afterApproval(() => sshd.ssh('test -t 0 && test -t 1 && stty size && tty', undefined, ['-tt']));
    expect(ran.status).toBe(0);
    expect(ran.stdout).toMatch(/\/dev\/pts\/\d+\r\n$/);
  });

  it('without a terminal and without a command asks for the script on standard input', () => {
    const start = () => run('ssh', sshd.words('-T'), { input: 'echo "$0"; exit 6\n' });
    expect(user.afterApproval(start)).toMatchObject({ status: 6, stdout: '-bash\n' });
  });

  it('ends with status 77 and the reason when it is denied, and runs nothing', () => {
    sshd.ssh('touch denied');
    const waiting = user.pending()[0]?.id ?? '';
    user.apes('grants', 'deny', waiting, '--reason', 'not on this machine');
    expect(user.apes('grants', 'show', waiting)).toContain('not on this machine');
    const again = sshd.ssh(`${programs.apes} grants run ${waiting} --wait`);
    expect(again).toMatchObject({ status: 77, stdout: '' });
    expect(again.stderr).toContain('not on this machine');
    expect(user.exists('denied')).toBe(false);
  });

  it('`apes grants run ID --wait` over ssh runs what was approved, without asking for itself', () => {
    sshd.ssh('echo from the wait; exit 9');
    const waiting = user.pending()[0]?.id ?? '';
    user.approveOnly();
    expect(sshd.ssh(`${programs.apes} grants run ${waiting} --wait`)).toMatchObject({
      status: 9,
      stdout: 'from the wait\n',
    });
    expect(user.pending()).toEqual([]);
  });
});

describe('scp', () => {
  const bytes = Buffer.from([0, 1, 2, 255, 254, 10, 13, 0]);
  it.each([
    ['its own protocol', ['-O'], SCP],
    ['sftp', [], SFTP],
  ])('copies there and back over %s after approval', (_name, options, heldStatus) => {
    const [there, back] = [join(folder, 'there'), join(folder, 'back')];
    writeFileSync(there, bytes);
    expect(sshd.scp(...options, there, `${sshd.target}:copy`).status).toBe(heldStatus);
    expect(user.exists('copy')).toBe(false);
    user.withdrawAll();
    const quiet = (...words: readonly string[]) => {
      expect(sshd.scp(...options, ...words).status).toBe(heldStatus);
      user.approveOnly();
      expect(sshd.scp(...options, ...words)).toMatchObject({ status: 0, stdout: '' });
    };
    quiet(there, `${sshd.target}:copy`);
    quiet(`${sshd.target}:copy`, back);
    expect(readFileSync(back).equals(bytes)).toBe(true);
    user.run('rm', ['copy']);
    rmSync(back);
  });
});

describe('git over ssh', () => {
  it('clones and pushes after approval, and not before', () => {
    user.run('git', ['init', '-q', '--bare', 'repository.git']);
    const work = join(folder, 'work');
    mkdirSync(work);
    const remote = `${sshd.target}:repository.git`;
    expect(user.afterApproval(() => sshd.git(folder, 'clone', '-q', remote, 'work'), GIT).status).toBe(0);
    writeFileSync(join(work, 'file'), 'content\n');
    for (const words of [
      ['checkout', '-q', '-b', 'main'],
      ['add', 'file'],
      ['commit', '-q', '-m', 'one'],
    ])
      expect(sshd.git(work, ...words).status).toBe(0);
    expect(sshd.git(work, 'push', '-q', 'origin', 'main').status).toBe(GIT);
    expect(user.run('git', ['-C', 'repository.git', 'branch']).stdout).toBe('');
    expect(user.approveOnly()).toBe("git-receive-pack 'repository.git'");
    expect(sshd.git(work, 'push', '-q', 'origin', 'main').status).toBe(0);
    expect(user.run('git', ['-C', 'repository.git', 'log', '--format=%s', 'main']).stdout).toBe('one\n');
    expect(user.afterApproval(() => sshd.git(folder, 'clone', '-q', '-b', 'main', remote, 'again'), GIT).status).toBe(
      0,
    );
    expect(readFileSync(join(folder, 'again/file'), 'utf8')).toBe('content\n');
  });
});

describe('after apes shell uninstall', () => {
  it('ssh meets bash again', () => {
    expect(run(programs.apes, ['shell', 'uninstall', '--user', user.name])).toMatchObject({
      status: 0,
      stdout: '/bin/bash\n',
    });
    expect(sshd.ssh('echo "$SHELL"; shopt -s nullglob')).toEqual({
      status: 0,
      signal: null,
      stdout: '/bin/bash\n',
      stderr: '',
    });
    expect(user.install().status).toBe(0);
  });
});
