/** `apes shell install` and `uninstall` with a real account and `/etc/shells`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Account, LoginUser, loginShellOf, makeAccount, type Ran, removeAccount, run } from './login-user.ts';
import { installPublicly, type PublicPackage } from './public-package.ts';
import { Terminal } from './terminal.ts';

let programs: PublicPackage;
let user: LoginUser;
/** Returns the lines of /etc/shells without those of other tests, which add and remove lines at the same time. */
const listed = (): readonly string[] =>
  readFileSync('/etc/shells', 'utf8')
    .split('\n')
    .filter((line) => line === programs.shell || !line.includes('/ape-shell-test-'));
const isListed = (): boolean => listed().includes(programs.shell);
const shell = (...args: readonly string[]): Ran => user.asRoot('shell', ...args);

beforeAll(() => {
  programs = installPublicly();
  user = new LoginUser(programs);
});
afterAll(() => {
  user?.remove();
  programs?.remove();
});
afterEach(() => {
  if (loginShellOf(user.name) === programs.shell) shell('uninstall', '--user', user.name, '--to', '/bin/bash');
});

describe('apes shell install, and back', () => {
  it('makes ape-shell the login shell, lists it once, keeps mode and owner of the list, and prints the way back first', () => {
    const before = statSync('/etc/shells');
    const done = shell('install', '--user', user.name);
    expect(done).toMatchObject({ status: 0, stdout: `${programs.shell}\n` });
    expect(loginShellOf(user.name)).toBe(programs.shell);
    expect(readFileSync('/etc/shells', 'utf8').split(`${programs.shell}\n`)).toHaveLength(2);
    const after = statSync('/etc/shells');
    expect([after.mode, after.uid, after.gid]).toEqual([before.mode, before.uid, before.gid]);
    const lines = done.stderr.split('\n').map((line) => line.trim());
    const wayBack = lines.indexOf(`chsh -s /bin/bash ${user.name}`);
    expect(wayBack).toBeGreaterThan(-1);
    expect(lines).toContain(`${programs.apes} shell uninstall --user ${user.name}`);
    expect(wayBack).toBeLessThan(lines.findIndex((line) => line.includes('is the login shell of')));
  });

  it('can be repeated without a further effect', () => {
    shell('install', '--user', user.name);
    expect(shell('install', '--user', user.name)).toMatchObject({ status: 0, stdout: '' });
    expect(readFileSync('/etc/shells', 'utf8').split(`${programs.shell}\n`)).toHaveLength(2);
    expect(shell('uninstall', '--user', user.name).stdout).toBe('/bin/bash\n');
  });

  it('is undone completely: the account gets its old shell back, and /etc/shells its old text', () => {
    execFileSync('usermod', ['-s', '/bin/dash', user.name]);
    const before = listed();
    shell('install', '--user', user.name);
    expect(shell('uninstall', '--user', user.name)).toMatchObject({ status: 0, stdout: '/bin/dash\n' });
    expect(loginShellOf(user.name)).toBe('/bin/dash');
    expect(listed()).toEqual(before);
    expect(existsSync(`/var/lib/ape-shell/login-${user.name}.json`)).toBe(false);
    const added = '/var/lib/ape-shell/added-to-etc-shells.json';
    expect(existsSync(added) ? readFileSync(added, 'utf8') : '').not.toContain(programs.shell);
    execFileSync('usermod', ['-s', '/bin/bash', user.name]);
    expect(shell('uninstall', '--user', user.name)).toMatchObject({ status: 0, stdout: '' });
  });

  it('leaves a line in /etc/shells that was there before', () => {
    execFileSync('sh', ['-c', 'echo "$0" >> /etc/shells', programs.shell]);
    try {
      shell('install', '--user', user.name);
      shell('uninstall', '--user', user.name);
      expect(isListed()).toBe(true);
    } finally {
      execFileSync('sed', ['-i', `\\#^${programs.shell}$#d`, '/etc/shells']);
    }
  });

  it('keeps the line while another account needs it', () => {
    const other = makeAccount();
    try {
      shell('install', '--user', user.name);
      execFileSync('usermod', ['-s', programs.shell, other.name]);
      shell('uninstall', '--user', user.name);
      expect(isListed()).toBe(true);
      expect(shell('uninstall', '--user', other.name, '--to', '/bin/sh')).toMatchObject({
        status: 0,
        stdout: '/bin/sh\n',
      });
      expect(isListed()).toBe(false);
    } finally {
      removeAccount(other);
    }
  });

  it('needs --to SHELL for the way back if no record names the old shell', () => {
    execFileSync('usermod', ['-s', programs.shell, user.name]);
    const unknown = shell('uninstall', '--user', user.name);
    expect(unknown).toMatchObject({ status: 64 });
    expect(unknown.stderr).toContain(`--user ${user.name} --to /bin/bash`);
    expect(shell('uninstall', '--user', user.name, '--to', '/no/such/shell')).toMatchObject({ status: 78 });
    expect(loginShellOf(user.name)).toBe(programs.shell);
    expect(shell('uninstall', '--user', user.name, '--to', '/bin/bash').status).toBe(0);
    expect(loginShellOf(user.name)).toBe('/bin/bash');
  });

  it('has a `status` that reports what a login meets, for people and for programs', () => {
    const before = JSON.parse(shell('status', '--user', user.name, '--json').stdout).data;
    expect(before).toMatchObject({
      isInstalled: false,
      loginShell: '/bin/bash',
      starts: true,
      mayAsk: true,
      wayBack: null,
    });
    shell('install', '--user', user.name);
    const after = shell('status', '--user', user.name, '--json');
    expect(after.status).toBe(0);
    expect(JSON.parse(after.stdout).data).toEqual({
      user: user.name,
      loginShell: programs.shell,
      apeShell: programs.shell,
      accounts: [user.name],
      isInstalled: true,
      isListed: true,
      starts: true,
      mayAsk: true,
      problem: null,
      wayBack: `chsh -s /bin/bash ${user.name}`,
    });
    expect(shell('status', '--user', user.name).stdout).toContain(`way back        chsh -s /bin/bash ${user.name}\n`);
    expect(JSON.parse(user.apes('shell', 'status', '--json')).data).toMatchObject({
      isInstalled: true,
      starts: true,
      mayAsk: true,
    });
  });

  it('names every account that could not log in without the package', () => {
    const other = makeAccount();
    try {
      expect(shell('status', '--user', user.name).stdout).toContain('login shell of  no account\n');
      for (const { name } of [user, other]) execFileSync('usermod', ['-s', programs.shell, name]);
      const both = [user.name, other.name].toSorted().join(', ');
      expect(shell('status', '--user', user.name).stdout).toContain(`login shell of  ${both}\n`);
    } finally {
      removeAccount(other);
    }
  });

  it('has a `status` of another account that does not use the record of the caller', () => {
    const other = makeAccount(programs.shell);
    const state = `${user.home}/.local/state/ape-shell`;
    const file = `${state}/login-shell.json`;
    const record = JSON.stringify({ shell: programs.shell, previousShell: '/bin/dash' });
    try {
      user.run('sh', ['-c', `umask 077; mkdir -p ${state}; echo '${record}' >${file}`]);
      const own = user.run(programs.apes, ['shell', 'status', '--json']).stdout;
      const others = user.run(programs.apes, ['shell', 'status', '--user', other.name, '--json']).stdout;
      expect(JSON.parse(own).data).toMatchObject({ user: user.name, wayBack: null });
      expect(JSON.parse(others).data.wayBack).toBe(`chsh -s /bin/bash ${other.name}`);
    } finally {
      rmSync(file);
      removeAccount(other);
    }
  });

  it('ends with 78 if it prints a problem, whether the account has this shell or not', () => {
    chmodSync(user.home, 0o000);
    try {
      const status = shell('status', '--user', user.name);
      expect(status.stdout).toMatch(/^problem {9}\S/m);
      expect(status.status).toBe(78);
      expect(loginShellOf(user.name)).toBe('/bin/bash');
    } finally {
      chmodSync(user.home, 0o755);
    }
  });
});

describe('a user who is not root, where /etc/shells lists ape-shell,', () => {
  const asUser = (verb: string): Terminal =>
    new Terminal('su', ['-s', '/bin/bash', user.name, '-c', `${programs.apes} shell ${verb}`]);
  const withPassword = async (verb: string, password: string): Promise<Terminal> => {
    const terminal = asUser(verb);
    await terminal.see(/Password: /);
    terminal.type(`${password}\r`);
    await terminal.end();
    return terminal;
  };
  beforeAll(() => {
    execFileSync('sh', ['-c', 'echo "$0" >> /etc/shells', programs.shell]);
    execFileSync('chpasswd', { input: `${user.name}:right\n` });
  });
  afterAll(() => execFileSync('sed', ['-i', `\\#^${programs.shell}$#d`, '/etc/shells']));

  it('changes their own shell and back, after chsh had the password', async () => {
    const there = await withPassword('install', 'right');
    expect(there.text).toContain(`\n  chsh -s /bin/bash ${user.name}\n`);
    expect(there.text).toMatch(
      /^apes: the approvers of \S+ stay pinned in \S+, where \S+ can write; as root: apes approvers pin --system \S+$/m,
    );
    expect(loginShellOf(user.name)).toBe(programs.shell);
    expect(user.exists('.local/state/ape-shell/login-shell.json')).toBe(true);
    await withPassword('uninstall', 'right');
    expect(loginShellOf(user.name)).toBe('/bin/bash');
    expect(user.exists('.local/state/ape-shell/login-shell.json')).toBe(false);
    expect(isListed()).toBe(true);
  });

  it('changes nothing with the wrong password, and says so', async () => {
    const terminal = await withPassword('install', 'wrong');
    expect(terminal.text).toMatch(
      /\napes: \S*chsh did not make \S+ the login shell of \S+ \(exit status 1\); call the same verb as root, with sudo and --user\n$/,
    );
    expect(loginShellOf(user.name)).toBe('/bin/bash');
    expect(user.exists('.local/state/ape-shell/login-shell.json')).toBe(false);
  });
});

describe('apes shell install changes nothing when', () => {
  const expectUntouched = (name: string, before: readonly string[]): void => {
    expect(loginShellOf(name)).toBe('/bin/bash');
    expect(listed()).toEqual(before);
    expect(existsSync(`/var/lib/ape-shell/login-${name}.json`)).toBe(false);
  };
  const refused = (name: string, start: () => Ran, status: number, said: string): void => {
    const before = listed();
    const done = start();
    expect(done).toMatchObject({ status, stdout: '' });
    expect(done.stderr).toContain(said);
    expect(done.stderr.trimEnd().split('\n')).toHaveLength(1);
    expectUntouched(name, before);
  };
  let stranger: Account;
  beforeAll(() => {
    stranger = makeAccount();
  });
  afterAll(() => removeAccount(stranger));

  it('there is no such user, or only its number is named', () => {
    const nobody = `${user.name}x`;
    expect(shell('install', '--user', nobody)).toMatchObject({ status: 64, stdout: '' });
    expect(shell('install', '--user', nobody).stderr).toMatch(/^apes: there is no user \S+ on this machine; .*\n$/);
    refused(user.name, () => shell('install', '--user', String(user.account.uid)), 64, 'there is no user');
  });

  it('sudo leaves open whose shell is meant', () => {
    refused(
      user.name,
      () => run(programs.apes, ['shell', 'install'], { env: { SUDO_USER: user.name } }),
      64,
      `--user ${user.name}`,
    );
  });

  it('a user who is not root names another user', () => {
    refused(
      stranger.name,
      () => user.run(programs.apes, ['shell', 'install', '--user', stranger.name]),
      77,
      `only root may change the login shell of ${stranger.name}; sudo ${programs.apes} shell install`,
    );
  });

  it('a user who is not root means their own account, and /etc/shells lacks the line that only root may add', () => {
    refused(
      user.name,
      () => user.run(programs.apes, ['shell', 'install']),
      77,
      'is not in /etc/shells, and only root may add it',
    );
  });

  it('the user is not enrolled, and says what to do', () => {
    refused(stranger.name, () => shell('install', '--user', stranger.name), 78, 'not enrolled with a grant server');
  });

  it('the user cannot reach the package', () => {
    chmodSync(programs.directory, 0o700);
    try {
      refused(
        user.name,
        () => shell('install', '--user', user.name),
        78,
        `${user.name} cannot reach ${programs.directory} (EACCES)`,
      );
    } finally {
      chmodSync(programs.directory, 0o755);
    }
  });

  it('the user cannot read one file of it', () => {
    const file = `${programs.directory}/dist/main/interactive.cjs`;
    chmodSync(file, 0o600);
    try {
      refused(user.name, () => shell('install', '--user', user.name), 78, `${user.name} cannot reach ${file} (EACCES)`);
    } finally {
      chmodSync(file, 0o644);
    }
  });

  it('the shell does not start with a bare environment', () => {
    const file = `${programs.directory}/dist/main/ape-shell.cjs`;
    const good = readFileSync(file);
    writeFileSync(file, 'throw new Error("broken")');
    try {
      refused(user.name, () => shell('install', '--user', user.name), 78, 'does not start with a bare environment');
    } finally {
      writeFileSync(file, good);
    }
  });

  it('the settings are broken', () => {
    const folder = `${user.home}/.config/ape-shell`;
    const had = existsSync(folder);
    mkdirSync(folder, { recursive: true });
    execFileSync('sh', [
      '-c',
      'echo "[shell" > "$0/config.toml"; chown -R "$1:" "$2"; chmod 700 "$0"; chmod 600 "$0/config.toml"',
      folder,
      user.name,
      `${user.home}/.config`,
    ]);
    try {
      refused(user.name, () => shell('install', '--user', user.name), 78, 'config.toml line 1');
    } finally {
      rmSync(had ? `${folder}/config.toml` : folder, { recursive: true });
    }
  });
});

it.each([
  ['damaged', (file: string) => writeFileSync(file, 'not what V8 compiled')],
  ['missing', (file: string) => rmSync(file)],
] as const)('the shell starts when what was compiled at the build is %s', (_how, spoil) => {
  const files = ['one-shot', 'interactive'].map((name) => `${programs.directory}/dist/main/${name}.cjs.cache`);
  const kept = files.map((file) => readFileSync(file));
  for (const file of files) spoil(file);
  try {
    expect(spawnSync(programs.shell, ['-c', 'exit 3'], { stdio: 'ignore' }).status).toBe(3);
  } finally {
    for (const [at, file] of files.entries()) writeFileSync(file, kept[at] ?? '');
  }
});
