/** `apes shell install` puts the approvers of the account where only root can write: the pin that counts for all users. */
import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { writeSystemPin } from '../../src/cli/approvers/system-pin.ts';
import { setUpSystemPin } from '../../src/cli/shell/system-pin.ts';
import { pinOf, readSystemPin } from '../../src/grants/approver-pin.ts';
import { LoginUser, loginShellOf, type Ran, runApart, scratch } from './login-user.ts';
import { installPublicly, type PublicPackage } from './public-package.ts';

let programs: PublicPackage;
let user: LoginUser;
let own: string;
let place: string;
const ownFile = (): string => join(user.home, '.local/share/ape-shell/keys/approvers');
const install = (): Ran => user.install();
/** The last line of standard error: the one about the pin. */
const said = ({ stderr }: Ran): string => stderr.trimEnd().split('\n').at(-1) ?? '';
const systemText = (): string => readFileSync(place, 'utf8');
const writeOwn = (text: string): void => writeFileSync(ownFile(), text);

beforeAll(() => {
  programs = installPublicly();
  user = new LoginUser(programs);
  own = readFileSync(ownFile(), 'utf8');
  place = join(user.etc, 'approvers');
});
afterAll(() => {
  user?.remove();
  programs?.remove();
});
afterEach(() => {
  rmSync(place, { force: true });
  chmodSync(user.etc, 0o755);
  if (existsSync(ownFile())) writeOwn(own);
});

it('the pin for all users is made once, from the pin of the account: only root can write it, and all users can read it', () => {
  const done = install();
  expect(done.status).toBe(0);
  expect(said(done)).toMatch(
    /^apes: the approvers of \S+ are pinned for all users in \/etc\/ape-shell\/approvers now \(list 1, digest \S+, approvals with and without a seal\); compare the digest with apes approvers list where they approve$/,
  );
  expect(loginShellOf(user.name)).toBe(programs.shell);
  expect(pinOf(systemText())).toEqual(pinOf(own));
  const { mode, uid, ino } = statSync(place);
  expect([mode & 0o777, uid]).toEqual([0o644, 0]);

  const again = install();
  expect(again).toMatchObject({ status: 0, stdout: '' });
  expect(said(again)).toMatch(
    /^apes: the approvers are pinned in \/etc\/ape-shell\/approvers already \(list 1, digest \S+,/,
  );
  expect(statSync(place).ino).toBe(ino);
});

it('the pin for all users counts for the user, who cannot change it', () => {
  expect(JSON.parse(user.asRoot('shell', 'install', '--user', user.name, '--json').stdout).data).toMatchObject({
    pin: 'made',
  });
  const asUser = (...args: readonly string[]): Ran =>
    runApart(
      user.etc,
      [user.account],
      [
        ...['setpriv', `--reuid=${user.account.uid}`, `--regid=${user.account.gid}`, '--init-groups', '--'],
        ...['env', '-i', `HOME=${user.home}`, 'PATH=/usr/bin:/bin', programs.apes, ...args],
      ],
    );
  expect(JSON.parse(asUser('approvers', 'list', '--json').stdout).data.pin).toMatchObject({
    path: '/etc/ape-shell/approvers',
    protected: true,
  });
  expect(asUser('approvers', 'pin', '--optional', '--replace')).toMatchObject({ status: 77 });
  expect(asUser('health').stdout).toMatch(/^ok {4}approvers {5}1 pinned in \/etc\/ape-shell\/approvers /m);
});

it('the pin for all users demands seals if the user demands seals', () => {
  writeOwn(own.replace('"optional"', '"required"'));
  expect(said(install())).toContain('sealed approvals only');
  expect(pinOf(systemText())?.sealed).toBe('required');
});

it.each([
  [
    'lets more count than the pin of the account',
    (text: string) => text,
    (text: string) => text.replace('"optional"', '"required"'),
  ],
  ['has another list', (text: string) => text.replace(/"name": "[^"]*"/, '"name": "another"'), (text: string) => text],
])('a pin for all users that %s stays as it is; the message names both pins, and what to do', (_what, there, here) => {
  writeFileSync(place, there(own));
  writeOwn(here(own));
  const before = systemText();
  const done = install();
  expect(done.status).toBe(0);
  expect(said(done)).toMatch(
    /^apes: the pin in \/etc\/ape-shell\/approvers \(list 1, .*\) differs from the pin of \S+ in \S+ \(list 1, .*\), and was not changed; compare the two; .* apes approvers pin --system FILE$/,
  );
  expect(systemText()).toBe(before);
});

it('a pin of another grant server stays, and the message says that nothing runs', () => {
  const { server } = pinOf(own) ?? { server: '' };
  const others = own.replaceAll(server, `A${server.slice(1, -1)}A`);
  writeFileSync(place, others);
  expect(said(install())).toMatch(
    /belong to another grant server than that of (\S+), so nothing runs for \1; as root /,
  );
  expect(systemText()).toBe(others);
});

it('no pin for all users is made without a pin of the account; the message says how to make it later, and that works', () => {
  rmSync(ownFile());
  const done = install();
  expect(done.status).toBe(0);
  expect(said(done)).toBe(
    `apes: ${user.name} has no approvers pinned, so the server alone vouches for approvals; to pin approvers: sudo -u ${user.name} -H apes approvers pin, then apes shell install --user ${user.name} again`,
  );
  expect(existsSync(place)).toBe(false);
  user.apes('approvers', 'pin');
  expect(said(install())).toContain('are pinned for all users in');
  expect(pinOf(systemText())).toEqual(pinOf(own));
});

it('no pin for all users is made from a pin for another server, from a damaged pin, or from a link to another place', () => {
  const { server } = pinOf(own) ?? { server: '' };
  writeOwn(own.replaceAll(server, `A${server.slice(1, -1)}A`));
  expect(said(install())).toContain(`the approvers that ${user.name} has pinned belong to another grant server, so`);
  writeOwn('{}');
  expect(said(install())).toContain(`the pin of ${user.name} is damaged, so`);
  const secret = join(scratch(), 'secret');
  writeFileSync(secret, own, { mode: 0o600 });
  rmSync(ownFile());
  symlinkSync(secret, ownFile());
  expect(said(install())).toMatch(/the pin of \S+ cannot be read \(cannot read \S+ \(ELOOP\)\), so/);
  expect(existsSync(place)).toBe(false);
  rmSync(ownFile());
  user.apes('approvers', 'pin');
});

it('no pin for all users is made if it would replace the pin or the server of another account', () => {
  const other = new LoginUser(programs);
  try {
    const done = runApart(
      user.etc,
      [user.account, other.account],
      [programs.apes, 'shell', 'install', '--user', user.name],
    );
    expect(done.status).toBe(0);
    expect(said(done)).toMatch(
      /^apes: the approvers of \S+ stay pinned in \S+, because \S+ counts for all users, and (\S+) has another grant server or another pin; to pin these approvers for all users anyway, as root: apes approvers pin --system \S+$/,
    );
    expect(said(done)).toContain(other.name);
    expect(existsSync(place)).toBe(false);
    // The home is a link of root to a directory of the account.
    const [link, passwd] = ['home', 'passwd'].map((name) => join(scratch(), name)) as [string, string];
    symlinkSync(other.home, link);
    writeFileSync(passwd, readFileSync('/etc/passwd', 'utf8').replace(`:${other.home}:`, `:${link}:`));
    const linked = runApart(
      user.etc,
      [user.account, other.account],
      [
        ...['sh', '-ec', 'mount --bind "$0" /etc/passwd; exec "$@"', passwd],
        ...[programs.apes, 'shell', 'install', '--user', user.name],
      ],
    );
    expect(said(linked)).toContain(`${other.name} has another grant server or another pin`);
    // The same server, and a pin of its own that demands seals.
    const keys = join(other.home, '.local/share/ape-shell/keys');
    writeFileSync(join(keys, 'requester.json'), user.read('.local/share/ape-shell/keys/requester.json'));
    writeFileSync(join(keys, 'approvers'), own.replace('"optional"', '"required"'));
    const wider = runApart(
      user.etc,
      [user.account, other.account],
      [programs.apes, 'shell', 'install', '--user', user.name],
    );
    expect(said(wider)).toContain(`${other.name} has another grant server or another pin`);
    writeFileSync(join(keys, 'approvers'), own);
    const same = runApart(
      user.etc,
      [user.account, other.account],
      [programs.apes, 'shell', 'install', '--user', user.name],
    );
    expect(said(same)).toContain('are pinned for all users in');
  } finally {
    other.remove();
  }
});

it('the pin for all users does not stay in a directory that users can change or cannot enter, and the exit status is 78', () => {
  for (const [mode, why] of [
    [0o777, 'users other than root can change /etc/ape-shell/approvers'],
    [0o700, 'users cannot read /etc/ape-shell; chmod 755 /etc/ape-shell'],
  ] as const) {
    chmodSync(user.etc, mode);
    const done = install();
    expect(done.status).toBe(78);
    expect(said(done)).toContain(why);
    expect(existsSync(place)).toBe(false);
    expect(loginShellOf(user.name)).toBe(programs.shell);
  }
});

it('the pin for all users stays when the login shell is uninstalled, and the message says so; without a pin there is no message', () => {
  install();
  const done = user.asRoot('shell', 'uninstall', '--user', user.name);
  expect(said(done)).toBe(
    'apes: /etc/ape-shell/approvers stays: the approvers in it count for all users of this machine; to remove it, as root: rm /etc/ape-shell/approvers',
  );
  expect(existsSync(place)).toBe(true);
  expect(said(user.asRoot('shell', 'uninstall', '--user', user.name))).toContain('/etc/ape-shell/approvers stays');
  rmSync(place);
  expect(user.asRoot('shell', 'uninstall', '--user', user.name).stderr).not.toContain('stays');
});

it('the pin for all users gets a directory that users can read, whatever the umask of root is; no pin is made for root', () => {
  const folder = scratch();
  const pin = pinOf(own);
  if (pin === null) throw new Error('there is no pin');
  const before = process.umask(0o077);
  try {
    expect(writeSystemPin(pin, 'first', join(folder, 'etc/ape-shell/approvers'))).toBe(null);
  } finally {
    process.umask(before);
  }
  expect(statSync(join(folder, 'etc/ape-shell')).mode & 0o777).toBe(0o755);
  expect(readSystemPin(join(folder, 'etc/ape-shell/approvers'))).toMatchObject({ ok: true, value: pin });
  expect(writeSystemPin(pin, 'first', join(folder, 'etc/ape-shell/approvers'))).toMatchObject({ code: 'system' });
  const root = { name: 'root', uid: 0, gid: 0, home: '/root', shell: '/bin/bash' };
  const none = join(folder, 'none');
  expect(setUpSystemPin(root, { server: pin.server, text: own, fault: null }, none)).toMatchObject({
    outcome: 'beside',
    line: expect.stringContaining('because root can write everywhere'),
  });
  expect(existsSync(none)).toBe(false);
});
