/** Installs, upgrades and removes the Debian package while it is a login shell, on an overlay of this machine's files. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeStage, type Stage } from './packing.ts';

let stage: Stage;
let steps: ReadonlyMap<string, string>;

/** Nothing outside changes, because the mounts end with the namespace. */
const IN_A_LAYER = `set -e
mount -t tmpfs layer "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" overlay "$1/root"
mount -t proc proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
mount -t tmpfs tmp "$1/root/tmp"
shift
exec chroot "$ROOT" bash -s -- "$@"
`;

/** Returns a package of the same files with a later version. */
function laterVersion(file: string, directory: string): string {
  const tree = join(directory, 'later');
  execFileSync('dpkg-deb', ['-R', file, tree]);
  const control = join(tree, 'DEBIAN/control');
  writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, 'Version: 99.0.0'));
  const later = join(directory, 'later.deb');
  execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, later], { stdio: 'ignore' });
  return later;
}

beforeAll(async () => {
  stage = await makeStage();
  const built = await stage.run(
    process.execPath,
    ['scripts/package/deb.mjs', '--to', stage.directory],
    {},
    stage.checkout,
  );
  expect(built).toMatchObject({ status: 0 });
  const file = built.stdout.trim();
  const later = laterVersion(file, stage.directory);
  const layer = join(stage.directory, 'layer');
  mkdirSync(layer);
  const output = execFileSync('unshare', ['--mount', 'bash', '-c', IN_A_LAYER, 'layer', layer, file, later], {
    input: readFileSync(fileURLToPath(new URL('debian-steps.sh', import.meta.url))),
    encoding: 'utf8',
    env: {
      PATH: stage.environment.PATH,
      HOME: '/root',
      LC_ALL: 'C.UTF-8',
      DEBIAN_FRONTEND: 'noninteractive',
      ROOT: join(layer, 'root'),
    },
  });
  const parts = output.split('\n== ').slice(1);
  steps = new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]));
});
afterAll(() => stage?.remove());

const printed = (step: string): string => steps.get(step) ?? `(no step ${step})`;
/** Expects a login without an enrolment: the shell starts, says that it is not enrolled, and runs nothing. */
const expectLogin = (step: string): void => {
  expect(printed(step)).toMatch(/^ape-shell: this host is not enrolled.*\nstatus 78$/m);
  expect(printed(step)).not.toContain('must not be printed\n');
};

describe('the Debian package', () => {
  it('installs a shell that is listed in /etc/shells, starts, and can be a login shell', () => {
    expect(printed('install')).toContain('status 0');
    expect(printed('version')).toMatch(/^ape-shell \d+\.\d+\.\d+\nstatus 0$/m);
    expect(printed('listed')).toBe('1\nstatus 0\n');
    expect(printed('server-user')).toContain(':/var/lib/ape-shell-server:/usr/sbin/nologin');
    expectLogin('login');
  });

  it('is refused by a machine with older C and C++ libraries than those with which it was compiled', () => {
    expect(printed('depends')).toMatch(/, libc6 \(>= 2\.\d+\), libstdc\+\+6 \(>= \d+[\d.]*\)\nstatus 0$/m);
  });

  it('can be upgraded while it is a login shell', () => {
    expect(printed('upgrade')).toContain('status 0');
    expect(printed('upgraded-version')).toContain('99.0.0 install ok installed');
    expect(printed('listed-once')).toBe('1\nstatus 0\n');
    expectLogin('login-after-upgrade');
  });

  it.each([
    '/usr/bin/ape-shell',
    '/bin/ape-shell',
    '/usr/lib/ape-shell/dist/bin/ape-shell',
    '/usr/local/bin/another-name',
  ])('is not removed while %s is the login shell of an account, and says so in one sentence', (shell) => {
    for (const verb of ['remove', 'purge']) {
      const text = printed(`${verb} ${shell}`);
      expect(text).toMatch(
        /^ape-shell is the login shell of: gated-agent; nothing was removed; .*apes shell uninstall --user NAME/m,
      );
      expect(text).not.toContain('status 0');
    }
  });

  it('is not removed if the accounts cannot be listed', () => {
    expect(printed('remove-unlisted')).toContain('the accounts of this machine cannot be listed');
    expect(printed('remove-unlisted')).not.toContain('status 0');
  });

  it('still works after it refused to be removed', () => {
    expect(printed('still-installed')).toContain(' ok installed');
    expectLogin('login-after-refusals');
  });

  it('is removed if no account needs it: /etc/shells is as before, and the record of the server stays', () => {
    expect(printed('remove')).toContain('status 0');
    expect(printed('shells-as-before')).toBe('status 0\n');
    expect(printed('record-is-kept')).toContain('record\n');
    expect(printed('programs-left')).not.toMatch(/^\/.*(?:ape-shell|apes)/m);
  });

  it('leaves no trace after a purge', () => {
    expect(printed('purge')).toContain('status 0');
    expect(printed('purged-record')).toContain('No such file or directory');
    expect(printed('purged-user')).toBe('status 2\n');
  });
});
