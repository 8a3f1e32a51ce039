/** Which variables of a request make its risk unknown: those that may decide what runs, unless the value is one that every environment has. */
import { describe, expect, it } from 'vitest';
import type { ExecutionKind } from '../../src/core/grant/request.ts';
import { sensitivityOfName } from '../../src/core/sensitive/sensitive-paths.ts';
import { decidingText } from '../../src/core/variables/deciding-text.ts';
import { canonicalDeciding, decidingEntries } from '../../src/core/variables/deciding-variables.ts';

type Pairs = Readonly<Record<string, string>>;
const entries = (pairs: Pairs) => Object.entries(pairs).map(([name, value]) => ({ name, value }));
const deciding = (pairs: Pairs, kind: ExecutionKind = 'command') =>
  decidingEntries({ kind, environment: entries(pairs) }).map(({ name }) => name);

const PLAIN: Pairs = {
  HOME: '/home/ada',
  LANG: 'en_US.UTF-8',
  LANGUAGE: 'en_US:en',
  LC_ALL: 'C.UTF-8',
  PATH: '/home/ada/.local/bin:/home/ada/.cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin',
  SHELL: '/bin/bash',
  EDITOR: 'vim',
  VISUAL: '/usr/bin/code --wait',
  PAGER: 'less -R',
  LESS: '-FRX',
  LESSOPEN: '| /usr/bin/lesspipe %s',
  LESSCLOSE: '/usr/bin/lesspipe %s %s',
  TMPDIR: '/tmp',
  XDG_RUNTIME_DIR: '/run/user/1000',
  XDG_DATA_DIRS: '/usr/local/share:/usr/share:/var/lib/snapd/desktop',
  XDG_CONFIG_DIRS: '/etc/xdg',
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus',
  IFS: ' \t\n',
  PS4: '+ ',
};

describe('deciding variables', () => {
  it('are listed with those that load code first, because a short text names only three', () => {
    const names = deciding({ AAA_COMMAND: 'x', GIT_DIR: '/x', GIT_PAGER: 'x', LD_PRELOAD: '/x.so', PATH: '/tmp/x' });
    expect(names.slice(0, 2)).toEqual(['LD_PRELOAD', 'PATH']);
    expect(decidingText(names)).toMatch(/^LD_PRELOAD, PATH, AAA_COMMAND and 2 more/);
  });

  it('do not exist in the environment of a plain login', () => {
    expect(deciding(PLAIN)).toEqual([]);
    expect(deciding({ HOME: '/root', PATH: '/root/.local/bin:/usr/bin:/bin' })).toEqual([]);
    expect(deciding({ ...PLAIN, SHELL: '/usr/local/bin/ape-shell' })).toEqual([]);
  });

  it.each([
    ['LD_PRELOAD', '/tmp/evil.so'],
    ['LD_AUDIT', '/tmp/evil.so'],
    ['LD_LIBRARY_PATH', '/tmp/lib'],
    ['GIT_EXTERNAL_DIFF', '/tmp/evil'],
    ['GIT_PAGER', 'sh'],
    ['GIT_CONFIG_COUNT', '1'],
    ['GIT_CONFIG_KEY_0', 'core.fsmonitor'],
    ['NODE_OPTIONS', '--require /tmp/x.js'],
    ['BASH_FUNC_ls%%', '() { evil; }'],
    ['PAGER', 'sh'],
    ['PAGER', '/tmp/less'],
    ['PAGER', 'less; evil'],
    ['EDITOR', '/tmp/vim'],
    ['EDITOR', 'vim -c !evil'],
    ['EDITOR', 'vim -s'],
    ['EDITOR', 'vi -S'],
    ['EDITOR', 'nvim -l'],
    ['EDITOR', 'nvim --embed'],
    ['EDITOR', 'emacs --script'],
    ['EDITOR', 'emacs --load'],
    ['EDITOR', 'nano --rcfile'],
    ['EDITOR', 'code --install-extension'],
    ['VISUAL', '/usr/bin/emacs -l'],
    ['PAGER', 'less -k'],
    ['PAGER', 'most -w'],
    ['SHELL', '/tmp/bash'],
    ['SHELL', '/tmp/ape-shell'],
    ['LESS', '-o /tmp/x'],
    ['LESSOPEN', '|/tmp/evil %s'],
    ['LESSOPEN', '| /usr/bin/lesspipe %s; evil'],
    ['LESSCLOSE', '/tmp/evil %s %s'],
    ['LANGUAGE', '../../tmp/x'],
    ['LANG', 'zh_CN.GBK'],
    ['PS4', '$(evil)'],
    ['IFS', '/'],
    ['XDG_RUNTIME_DIR', '/tmp/run'],
    ['DBUS_SESSION_BUS_ADDRESS', 'unixexec:path=/tmp/evil'],
    ['XDG_CONFIG_DIRS', '/tmp/xdg:/etc/xdg'],
    ['PATH', ''],
    ['PATH', '/tmp/evil'],
    ['PATH', '/tmp/evil:/usr/bin'],
    ['PATH', '/usr/local/bin:/tmp/evil:/usr/bin'],
    ['PATH', '.:/usr/bin'],
    ['PATH', ':/usr/bin'],
    ['PATH', '/usr/local/bin::/usr/bin'],
    ['PATH', 'bin:/usr/bin'],
    ['PATH', '/usr/../tmp/evil:/usr/bin'],
    ['PATH', '/usrx/bin:/usr/bin'],
    ['PATH', '/home/ada/project/node_modules/.bin:/usr/bin'],
    ['PATH', '/home/ada/project/.local/bin:/usr/bin'],
    ['PATH', '/home/ada/.local/../project:/usr/bin'],
    ['PATH', '/home/ada/.venv/bin:/usr/bin'],
    ['PATH', '/usr/share:/tmp/evil'],
    ['PATH', '/etc:.'],
    ['PATH', '/usr/bin:/bin:.'],
    ['PATH', '/usr/bin:/bin:'],
    ['PATH', '/usr/bin:/tmp/evil'],
    ['PATH', '/bin:/tmp/evil:/usr/bin'],
    ['XDG_CONFIG_DIRS', '/etc/xdg:/tmp/evil'],
    ['XDG_DATA_DIRS', '/usr/share:.'],
  ])('include %s=%s', (name, value) => {
    expect(deciding({ ...PLAIN, [name]: value })).toEqual([name]);
  });

  it.each(['vim -f', 'emacs -nw', 'code --wait', 'codium -n -w', 'zed --wait', '/usr/local/bin/subl -n -w', 'hx'])(
    'do not include EDITOR=%s',
    (value) => {
      expect(deciding({ ...PLAIN, EDITOR: value })).toEqual([]);
    },
  );

  it('are found in linear time in a long value', () => {
    expect(deciding({ ...PLAIN, LESS: `${'F'.repeat(5_000)}!` })).toEqual(['LESS']);
  });

  it.each([
    '/home/linuxbrew/.linuxbrew/bin',
    '/opt/homebrew/bin',
    '/opt/local/bin',
    '/usr/local/bin',
    '/snap/bin',
    '/nix/store/x/bin',
    '/run/current-system/sw/bin',
    '/var/lib/flatpak/exports/bin',
    '/home/ada/.linuxbrew/bin',
  ])('do not include %s in PATH, because a write there has a high risk', (directory) => {
    expect(deciding({ ...PLAIN, HOME: '/home/ada', PATH: `${directory}:/usr/bin:/bin` })).toEqual([]);
    expect(sensitivityOfName(`${directory}/git`, 'write')?.risk).toBe('high');
  });

  it('do not include directories of PATH after those of the system, because a system program is found first', () => {
    expect(deciding({ ...PLAIN, PATH: '/usr/bin:/bin:/mnt/c/Windows' })).toEqual([]);
  });

  it('include a directory of the user, unless it is below a usual home directory', () => {
    expect(deciding({ HOME: '/tmp/evil', PATH: '/tmp/evil/.local/bin:/usr/bin' })).toEqual(['PATH']);
    expect(deciding({ PATH: '/home/ada/.local/bin:/usr/bin' })).toEqual(['PATH']);
  });

  it('do not include variables that decide little, change with every login, or have no value', () => {
    expect(deciding({ NODE_ENV: 'test', TERM: 'xterm', PWD: '/tmp', USER: 'x', LD_PRELOAD: '', MY_TEXT: 'x' })).toEqual(
      [],
    );
  });

  it("do not include the session's reports, which the reading of its line already uses", () => {
    expect(deciding({ 'alias evilrc': 'x', 'function cd': 'x', 'attribute PATH': 'i' }, 'line')).toEqual([]);
  });

  it('do not exist for a request that starts no program', () => {
    for (const kind of ['file', 'fetch'] as const) expect(deciding({ LD_PRELOAD: '/tmp/x' }, kind)).toEqual([]);
    for (const kind of ['argv', 'line', 'script', 'stdin', 'mcp', 'plan'] as const)
      expect(deciding({ LD_PRELOAD: '/tmp/x' }, kind)).toEqual(['LD_PRELOAD']);
  });

  it('are the same in any order, but not with another value or form', () => {
    const [one, other] = entries({ LD_PRELOAD: 'a', LD_AUDIT: 'b' });
    if (one === undefined || other === undefined) throw new Error('two entries');
    expect(canonicalDeciding([one, other])).toBe(canonicalDeciding([other, one]));
    const texts = [[one], [other], [one, other], [{ ...one, digest: true as const }], [{ ...one, value: 'b' }]];
    expect(new Set(texts.map(canonicalDeciding)).size).toBe(texts.length);
  });

  it('are named in a sentence, at most three of them', () => {
    expect(decidingText(['A'])).toBe('A decides what runs');
    expect(decidingText(['A', 'B'])).toBe('A and B decide what runs');
    expect(decidingText(['A', 'B', 'C', 'D', 'E'])).toBe('A, B, C and 2 more decide what runs');
  });
});
