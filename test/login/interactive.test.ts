/** An interactive login by su and ssh, with real accounts. */
import { chmodSync, chownSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LoginUser, processesOf } from './login-user.ts';
import { installPublicly, type PublicPackage } from './public-package.ts';
import { Sshd } from './sshd.ts';
import { Terminal } from './terminal.ts';

let programs: PublicPackage;
let user: LoginUser;
let sshd: Sshd;
const open: Terminal[] = [];
const PROMPT = /\$ $/;

const own = (file: string): void => chownSync(file, user.account.uid, user.account.gid);
const remember = (terminal: Terminal): Terminal => {
  open.push(terminal);
  return terminal;
};
const ways: readonly (readonly [string, () => Terminal])[] = [
  ['su -', () => remember(new Terminal('su', ['-', user.name]))],
  ['ssh', () => remember(new Terminal('ssh', sshd.words('-tt')))],
];
const bySu = ways[0]?.[1] ?? (() => expect.unreachable());

beforeAll(async () => {
  programs = installPublicly();
  user = new LoginUser(programs);
  const done = user.install();
  if (done.status !== 0) throw new Error(done.stderr);
  const profile = join(user.home, '.bash_profile');
  writeFileSync(profile, "FROM_PROFILE=read\nPS1='$ '\n");
  own(profile);
  sshd = await Sshd.start(user);
});
afterEach(() => {
  for (const terminal of open.splice(0)) terminal.close();
  user.withdrawAll();
});
afterAll(() => {
  sshd?.stop();
  user?.remove();
  programs?.remove();
});

/** Types a line, approves its request, and returns what the line printed up to the next prompt. */
async function approvedLine(terminal: Terminal, line: string): Promise<string> {
  terminal.type(`${line}\r`);
  await terminal.see(/Waiting for approval/);
  expect(user.approveOnly()).toBe(line);
  await terminal.see(/approved, continuing\n/);
  return await terminal.see(PROMPT);
}

describe('an interactive login', () => {
  it.each(ways)(
    'over %s is a login shell (profile, argv[0], window size), and runs a line after approval',
    async (_name, login) => {
      const terminal = login();
      await terminal.see(PROMPT);
      const facts = 'echo "$0 $FROM_PROFILE"; shopt login_shell; stty size; pwd';
      expect(await approvedLine(terminal, facts)).toBe(`-bash read\nlogin_shell    \ton\n30 120\n${user.home}\n$ `);
      terminal.type('exit 5\r');
      expect(await terminal.end()).toBe(5);
      expect(terminal.text).toMatch(/\n\$ exit 5\nlogout\n(Connection to 127\.0\.0\.1 closed\.\n)?$/);
    },
  );

  it('leaves nothing behind when its launcher is killed with SIGKILL', async () => {
    const before = new Set(processesOf(user.account.uid));
    const terminal = bySu();
    await terminal.see(PROMPT);
    expect(await approvedLine(terminal, 'sleep 601 & echo "parent $PPID"')).toMatch(/parent \d+\n/);
    const during = processesOf(user.account.uid).filter((pid) => !before.has(pid));
    const launchers = during.filter((pid) =>
      /(?:^|\0)-?ape-shell\0/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1')),
    );
    expect(during.length).toBeGreaterThan(3);
    expect(launchers).toHaveLength(1);
    for (const launcher of launchers) process.kill(launcher, 'SIGKILL');
    await expect
      .poll(() => processesOf(user.account.uid).filter((pid) => during.includes(pid)), { timeout: 60_000 })
      .toEqual([]);
  });

  it('over ssh leaves nothing behind when the connection is cut', async () => {
    const before = new Set(processesOf(user.account.uid));
    const terminal = remember(new Terminal('ssh', sshd.words('-tt')));
    await terminal.see(PROMPT);
    expect(await approvedLine(terminal, 'sleep 600 & echo started')).toContain('started\n');
    const during = processesOf(user.account.uid).filter((pid) => !before.has(pid));
    expect(during.length).toBeGreaterThan(2);
    terminal.close();
    await expect
      .poll(() => processesOf(user.account.uid).filter((pid) => during.includes(pid)), { timeout: 60_000 })
      .toEqual([]);
  });
});

describe('an interactive login starts, says what is wrong, runs nothing, and can be left, when', () => {
  const files = (): { config: string; keys: string } => ({
    config: join(user.home, '.config/ape-shell'),
    keys: join(user.home, '.local/share/ape-shell/keys'),
  });

  async function expectUsable(said: RegExp, login = bySu): Promise<void> {
    const terminal = login();
    const control = programs.apes.replaceAll(/[^\w/-]/g, '\\$&');
    await terminal.see(new RegExp(`exit, :status and ${control} health work\\n(?:.*\\n)*\\$ $`));
    terminal.type('touch must-not-run\r');
    const answer = await terminal.see(PROMPT);
    expect(terminal.text).toMatch(said);
    expect(answer).toMatch(/\nape-shell: .+/);
    terminal.type(':status\r');
    expect(await terminal.see(PROMPT)).toContain(`${user.name}@`);
    terminal.type(`${programs.apes} health\r`);
    expect(await terminal.see(PROMPT)).toMatch(/^FAIL /m);
    terminal.type('exit 0\r');
    expect(await terminal.end()).toBe(0);
    expect(user.exists('must-not-run')).toBe(false);
    const oneShot = user.run(programs.shell, ['-c', 'touch must-not-run']);
    expect(oneShot.status === 69 || oneShot.status === 78).toBe(true);
    expect(oneShot.stderr).toMatch(said);
    expect(oneShot.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(user.exists('must-not-run')).toBe(false);
  }

  it.each(ways)('the grant server is down (%s)', async (_name, login) => {
    user.apes('down');
    try {
      await expectUsable(/cannot be asked: it does not answer \(ECONNREFUSED\); start it \(apes up\)/, login);
    } finally {
      user.apes('up');
    }
  });

  it('the settings are broken', async () => {
    const { config } = files();
    mkdirSync(config, { recursive: true, mode: 0o700 });
    own(join(config, '..'));
    own(config);
    const file = join(config, 'config.toml');
    writeFileSync(file, '[shell\n', { mode: 0o600 });
    own(file);
    try {
      await expectUsable(/config\.toml line 1: .+/);
    } finally {
      rmSync(file);
    }
  });

  it('the enrolment is gone', async () => {
    const { keys } = files();
    renameSync(keys, `${keys}.away`);
    try {
      await expectUsable(/this host is not enrolled with a grant server; run `apes up`/);
    } finally {
      rmSync(keys, { recursive: true, force: true });
      renameSync(`${keys}.away`, keys);
    }
  });

  it('the keys are open to others', async () => {
    const { keys } = files();
    chmodSync(keys, 0o755);
    try {
      await expectUsable(/keys can be used by others \(mode 755\); chmod 700/);
    } finally {
      chmodSync(keys, 0o700);
    }
  });
});
