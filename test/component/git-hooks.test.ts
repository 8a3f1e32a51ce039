/** Whether git would run hooks or contact a repository on this host, as the host finds out from the files of git. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HookKind } from '../../src/core/effects/command-context.ts';
import { hasHooks } from '../../src/gate/facts/git-hooks.ts';
import { gitPlaceOf } from '../../src/gate/facts/git-place.ts';

let top: string;
let home: string;
beforeEach(() => {
  const directory = mkdtempSync(join(tmpdir(), 'ape-hooks-'));
  [top, home] = [join(directory, 'repo'), join(directory, 'home')];
  put('repo/.git/HEAD', 'ref: refs/heads/main\n');
  put('repo/.git/config', '[core]\n\tbare = false\n');
  put('repo/.git/hooks/pre-commit.sample', '#!/bin/sh\n');
  put('repo/src/a', '');
  mkdirSync(home);
});
afterEach(() => rmSync(dirname(top), { recursive: true }));

function put(name: string, text: string): void {
  const path = join(dirname(top ?? ''), name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
const isFound = (more: Readonly<Record<string, string>> = {}, which: HookKind = 'any'): boolean =>
  hasHooks(join(top, 'src'), which, new Map(Object.entries({ HOME: home, ...more })));

it('no hook is found outside of a repository', () => {
  rmSync(join(top, '.git'), { recursive: true });
  expect(isFound()).toBe(false);
});

it("no hook is found if there are only git's example hooks and harmless settings", () => {
  put('home/.gitconfig', '[user]\n\tname = u\n[include]\n\tpath = more\n\tpath = none\n');
  put('home/more', '[alias]\n\tst = status\n');
  expect(isFound()).toBe(false);
  put('home/.gitconfig', '[user] # [hook] \\\n\tname = "[include]\\n path = ../x"\n[include]\n\tpath = m"or"\\\ne\n');
  expect(isFound()).toBe(false);
  put('home/more', '[core]\n\thooksPath = x\n');
  expect(isFound()).toBe(true);
  put('home/more', '');
  expect(isFound({ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_KEY_0: 'user.name' })).toBe(false);
  expect(isFound({ HOME: '/dev/null' })).toBe(false);
});

it.each([
  ['repo/.git/hooks/pre-commit', '#!/bin/sh\n'],
  ['repo/.git/config', '[core]\n\tHooksPath = .husky\n'],
  ['repo/.git/config', '[hook "x"]\n\tcommand = ./x\n'],
  ['repo/.git/config.worktree', '[core] hookspath = x\n'],
  ['repo/.git/commondir', '../elsewhere\n'],
  ['home/.gitconfig', '[core]\n\thooksPath = ~/hooks\n'],
  ['home/.gitconfig', '[include]\n\tpath = "a;b"\n'],
  ['home/.gitconfig', '[include]\n\tpath = a\\\n\tb\n'],
  ['home/.gitconfig', '[include]\n\tpath\n'],
  ['home/.gitconfig', '[include]\n\tpath = "a\n'],
  ['repo/.git/config', '[core]\n\thooksPath\n'],
  ['home/.gitconfig', '[include]\n\tpath = ~other/x\n'],
  ['home/.gitconfig', '[include]\n\tpath = none\u2028x\n'],
  ['home/.gitconfig', '[include]\n\tpath = none\rx\n'],
  ...[...'\u2028\u2029\u0085\u00a0\u3000\ufeff\v\f'].flatMap((odd) => [
    ['home/.gitconfig', `[include]\n\tpath = evil${odd}\n`],
    ['home/.gitconfig', `[include]\n\tpath = evil${odd}x\n`],
  ]),
  ['home/.config/git/config', '[core]\n\thooksPath = ~/hooks\n'],
  ['repo/.git', 'gitdir: nowhere-to-read'],
])('a hook is found in %s with %j', (name, text) => {
  if (name === 'repo/.git') rmSync(join(top, '.git'), { recursive: true });
  put(name, name === 'repo/.git' ? 'garbage' : text);
  expect(isFound()).toBe(true);
});

it('a hook is found in files that settings include, and in settings that variables name', () => {
  put('home/named', '[core]\n\thooksPath = x\n');
  expect(isFound()).toBe(false);
  expect(isFound({ GIT_CONFIG_GLOBAL: join(home, 'named') })).toBe(true);
  // git resolves a relative path in its own directory, which is not that of this process.
  for (const name of ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'XDG_CONFIG_HOME'])
    expect(isFound({ [name]: 'named' })).toBe(true);
  for (const name of ['GIT_CONFIG_GLOBAL', 'XDG_CONFIG_HOME', 'HOME']) expect(isFound({ [name]: '' })).toBe(false);
  expect(isFound({ GIT_CONFIG_KEY_0: 'core.hooksPath' })).toBe(true);
  expect(isFound({ GIT_CONFIG_PARAMETERS: "'core.hookspath'='x'" })).toBe(true);
  put('home/.gitconfig', '[includeIf "gitdir:~/"] path = "~/other" ; x\n');
  put('home/other', '[include]\n\tpath = named\n');
  expect(isFound()).toBe(true);
});

it.each([
  ['repo/.git/hooks/post-index-change', '#!/bin/sh\n'],
  ['repo/.git/hooks/reference-transaction', ''],
  ['repo/.git/config', '[hook "x"]\n\tcommand = ./x\n'],
  ['repo/.git/config', '[core]\n\thooksPath = "a;b"\n'],
  ['repo/.git/config', '[core]\n\thooksPath = a\\\n\tb\n'],
  ['repo/.git/config', '[core]\n\thooksPath = src/a\n'],
  ['repo/.git/config', '[core]\n\thooksPath = src\u00a0\n'],
  ['repo/.git/config', '[core]\n\thooksPath = src\u2028x\n'],
])('%s with %j is a hook that runs at each change of the index', (name, text) => {
  put(name, text);
  expect(isFound({}, 'record')).toBe(true);
});

it('other hooks do not run at a change of the index; in a directory that settings name, the names of the files decide', () => {
  put('repo/.git/hooks/pre-commit', '#!/bin/sh\n');
  for (const text of ['[core]\n\thooksPath = .githooks\n', '[core] hooksPath = ".git"\\\nhooks ; x\n']) {
    put('repo/.git/config', text);
    expect([isFound({}, 'record'), isFound()]).toEqual([false, true]);
  }
  put('repo/.githooks/pre-commit', '');
  expect(isFound({}, 'record')).toBe(false);
  put('repo/.githooks/post-index-change', '');
  expect(isFound({}, 'record')).toBe(true);
});

describe('git follows a link before `..`', () => {
  const HOOK = ['elsewhere/hooks/post-index-change', '#!/bin/sh\ntouch "$HOME/ran"\n'] as const;
  const SETTINGS = '[core]\n\trepositoryformatversion = 0\n\thooksPath = ';

  /** Whether the hook is found, and whether git runs it. */
  function found(): readonly boolean[] {
    chmodSync(join(dirname(top), HOOK[0]), 0o755);
    const environment = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
    const done = spawnSync('git', ['add', '.'], { cwd: join(top, 'src'), env: environment });
    expect(String(done.stderr)).toBe('');
    return [isFound({}, 'record'), existsSync(join(home, 'ran'))];
  }
  beforeEach(() => {
    for (const name of ['elsewhere/deep', 'repo/.git/objects', 'repo/.git/refs'])
      mkdirSync(join(dirname(top), name), { recursive: true });
    symlinkSync('../elsewhere/deep', join(top, 'l'));
    symlinkSync('../../elsewhere/deep', join(top, '.git/l'));
    put(...HOOK);
  });

  it('in core.hooksPath', () => {
    put('repo/.git/config', `${SETTINGS}l/../hooks\n`);
    expect(found()).toEqual([true, true]);
  });

  it.each(['include', 'includeIf "gitdir:/"'])('in the path of %s', (section) => {
    put('repo/.git/config', `[core]\n\trepositoryformatversion = 0\n[${section}]\n\tpath = l/../more\n`);
    put('elsewhere/more', `${SETTINGS}${join(dirname(top), 'elsewhere/hooks')}\n`);
    expect(found()).toEqual([true, true]);
  });

  it('in an absolute path and one of the home directory', () => {
    put('repo/.git/config', `[include]\n\tpath = ${top}/l/../more\n`);
    put('elsewhere/more', `${SETTINGS}${join(dirname(top), 'elsewhere/hooks')}\n`);
    expect(found()).toEqual([true, true]);
    symlinkSync('../elsewhere/deep', join(home, 'l'));
    put('repo/.git/config', '[include]\n\tpath = ~/l/../more\n');
    rmSync(join(home, 'ran'));
    put('repo/src/b', '');
    expect(found()).toEqual([true, true]);
  });

  it('in the file `.git` and in its `commondir`', () => {
    renameSync(join(top, '.git'), join(dirname(top), 'elsewhere/records'));
    put('repo/.git', 'gitdir: l/../records\n');
    put('elsewhere/records/config', `${SETTINGS}${join(dirname(top), 'elsewhere/hooks')}\n`);
    expect(found()).toEqual([true, true]);
    expect(gitPlaceOf(top)?.directory).toBe(realpathSync(join(dirname(top), 'elsewhere/records')));
    put('elsewhere/records/commondir', 'm/../common\n');
    mkdirSync(join(dirname(top), 'elsewhere/shared/deep'), { recursive: true });
    symlinkSync('../shared/deep', join(dirname(top), 'elsewhere/records/m'));
    expect(gitPlaceOf(top)?.common).toBe(join(realpathSync(join(dirname(top), 'elsewhere/shared')), 'common'));
  });
});

const ORIGIN = '[remote "origin"]\n\turl = ';
it.each([
  `${ORIGIN}git@example.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n`,
  `${ORIGIN}"https://u@example.com/a b"\n\tpushurl = ssh://git@[2001:db8::5]:22/x\n[remote]\n\tpushDefault = up-stream\n`,
  '[url "git@example.com:"]\n\tinsteadOf = https://example.com/\n[remote "a"] url = host:path\n',
  '[remotes]\n\tall = a b https://a.com/x\n[remote "a"]\n\turl = https://exa\\\nmple.com # url = /x\n',
  '[push]\n\tautoSetupRemote\n[branch "main"]\n\tremote = "o"\n\tdescription = "[url \\"/x\\"]\\n url = /x"\n',
])('no remote is a repository on this host with %j', (text) => {
  put('repo/.git/config', text);
  expect(isFound({}, 'remote')).toBe(false);
  expect(isFound({ GIT_CONFIG_KEY_0: 'remote.origin.url' }, 'remote')).toBe(true);
  put('repo/.git/remotes/old', 'URL: ../x\n');
  expect(isFound({}, 'remote')).toBe(true);
});

it.each([
  `${ORIGIN}../x\n`,
  `${ORIGIN}/srv/x.git\n`,
  `${ORIGIN}file:///srv/x\n`,
  `${ORIGIN}nested\n`,
  `${ORIGIN}ext::sh -c x\n`,
  `${ORIGIN}~/x # y\n`,
  `${ORIGIN}"a" b\n`,
  `${ORIGIN}https://example.com/x\n\tpushurl = ./x\n`,
  '[remote "a]b"] url = /x\n',
  '[remote "a"]\n\turl = https://a.com/x\n\tx = b\\\\\n\turl = /srv/x\n',
  '[remote "a"]\n\turl\n',
  '[url "/srv/\\"]"]\n\tinsteadOf = https://example.com/\n',
  '[remotes]\n\tall = a ssh://localhost/r\n',
  '[remote "a"] URL = x/y\n',
  '[branch "main"]\n\tremote = .\n',
  '[branch "main"]\n\tpushRemote = ../x\n',
  '[remote]\n\tpushDefault = ./x\n',
  '[url "/srv/"]\n\tinsteadOf = https://example.com/\n',
  '[url "./x"] insteadOf = git@example.com:a\n',
  '[core] [url "/srv/"]\n\tinsteadOf = https://example.com/\n',
  ...[
    ...[
      'ssh://localhost/srv/r.git',
      'ssh://me@LOCALHOST:22/r',
      'me@127.0.0.1:r',
      'localhost:r',
      'ssh://[::1]/r',
      'ssh://a.localhost/r',
    ],
    ...[
      'ssh://me@[0:0:0:0:0:0:0:1]:22/r',
      'ssh://[::ffff:127.0.0.1]/r',
      'ssh://127.1/r',
      'ssh://0x7f000001/r',
      '2130706433:r',
    ],
    ...[
      `ssh://${hostname()}/r`,
      `me@${hostname().split('.')[0]}:r`,
      'ssh://localhost./r',
      'git://127.8.8.8/r',
      'ssh://0/r',
      'ssh://[fe80::1',
      'ssh://%6cocalhost/r',
      'ssh://me@lo%63alhost:22/r',
      'ssh://[0:0:0:0:0:ffff:127.0.0.1]/r',
      'ssh://[0::ffff:7f00:1]/r',
      'ssh://[::127.0.0.1]/r',
      'ssh://[::1%25lo]/r',
      'https://localhost?@example.com/r',
      'https://localhost?x/r',
    ],
  ].map((url) => `${ORIGIN}${url}\n`),
])('a remote may be a repository on this host with %j', (text) => {
  put('repo/.git/config', text);
  expect(isFound({}, 'remote')).toBe(true);
});

it.each([
  ['refspec', `${ORIGIN}https://a.com/x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[push]\n\tdefault = simple\n`],
  [
    'refspec',
    '[remote "a"] fetch = "+refs/pull/*/head:refs/remotes/a/pr/*"\n\tfetch = ^refs/heads/x\n\tpushurl = git@a.com:x\n',
  ],
  ['refspec', '[fetch]\n\tprune = true\n[push]\n\tautoSetupRemote = true\n[init]\n\tdefaultBranch = main\n'],
  ['refspec', '[push]\n\tdefault = "sim\\\nple" # x\n[init]\n\tdefault = x\n[fetch]\n\tprune\n'],
  ['refspec', '[remote "a"]\n\tprune = fal"se" # \\\n\tx = "[remote]" ; prune\n'],
  ['upstream', '[push]\n\tautoSetupRemote = false\n\tdefault = upstream\n'],
  ['url', `${ORIGIN}https://a.com/x\n\tpushurl = git@a.com:x\n`],
  ['sort', '[tag]\n\tsort = -version:refname\n\tsort = creatordate\n[branch]\n\tsort = -committerdate\n'],
  ['editor', '[core]\n\teditor = code --wait\n[sequence]\n\teditor = :\n[core]\n\teditor = /usr/bin/vim\n'],
] as const)('no setting of the kind %s is in %j', (kind, text) => {
  put('repo/.git/config', text);
  expect(isFound({}, kind)).toBe(false);
});

it.each([
  ['refspec', '[remote "a"]\n\tpush = refs/heads/x:refs/heads/main\n'],
  ['refspec', '[remote "a]b"] PUSH=:main\n'],
  ['refspec', '[push] default = upstream\n'],
  ['refspec', '[push]\n\tdefault = up\\\nstream\n'],
  ['refspec', '[remote "a"]\n\tfetch = +refs/heads/*:refs/heads/*\n'],
  ['refspec', '[remote "a"]\n\tfetch = main\n'],
  ['refspec', '[remote "a"]\n\tmirror\n'],
  ['refspec', '[remote "a"]\n\tmirror = yes\n'],
  ['refspec', '[remote "a"]\n\tprune = true\n'],
  ['refspec', '[fetch]\n\tx = a\\\\\n[remote "a"]\n\tprune = true\n'],
  ['refspec', '[fetch] # a \\\n[remote "a"]\n\tprune = true\n'],
  ['refspec', '[fetch] # [\n\tx = a \\\n#\n[remote "a"]\n\tpruneTags = true\n'],
  ['refspec', '[remote "a"]\n\tprune\n'],
  ['refspec', '[remote.a] pruneTags\r\n'],
  ['refspec', '[remote "a"\n'],
  ['refspec', '[remote "a"]\n\tfetch = "+refs/heads/*:refs/remotes/a/*\\n"\n'],
  ['upstream', '[push]\n\tautoSetupRemote = true\n'],
  ['upstream', '[push] autosetupremote ; x\n'],
  ['upstream', '[push] autosetupremote\n'],
  ['sort', '[tag]\n\tsort = -signature\n'],
  ['sort', '[branch] sort = "signature:key"\n'],
  ['sort', '[branch] sort\n'],
  ['url', '[transfer]\n\tbundleURI\n'],
  ['url', '[url "https://b.com/"]\n\tinsteadOf = https://a.com/\n'],
  ['url', '[core] [URL "https://b.com/"] pushInsteadOf = https://a.com/\n'],
] as const)('a setting of the kind %s is in %j, also in a file of the user', (kind, text) => {
  put('repo/.git/config', text);
  expect(isFound({}, kind)).toBe(true);
  put('repo/.git/config', '');
  expect(isFound({}, kind)).toBe(false);
  put('home/.gitconfig', text);
  expect(isFound({}, kind)).toBe(true);
});

it.each([
  '[core]\n\teditor = ./x\n',
  '[sequence]\n\teditor = vim -s x\n',
  '[core] editor\n',
  '[include]\n\tpath = more\n',
])('an editor is found in %j, but only in a settings file of the repository', (text) => {
  put('repo/.git/more', '[core]\n\teditor = node x.js\n');
  put('repo/.git/config', text);
  expect(isFound({}, 'editor')).toBe(true);
  put('repo/.git/config', '');
  put('home/more', '[core]\n\teditor = node x.js\n');
  put('home/.gitconfig', text);
  expect(isFound({}, 'editor')).toBe(false);
  expect(isFound({ GIT_CONFIG_KEY_0: 'core.editor' }, 'editor')).toBe(true);
});

it('settings that replace URLs count outside of a repository too, and variables can name each kind', () => {
  expect(isFound({ GIT_CONFIG_KEY_0: 'remote.a.push' }, 'refspec')).toBe(true);
  expect(isFound({ GIT_CONFIG_PARAMETERS: "'push.autosetupremote'='true'" }, 'upstream')).toBe(true);
  expect(isFound({ GIT_CONFIG_KEY_0: 'url.x.insteadOf' }, 'url')).toBe(true);
  rmSync(join(top, '.git'), { recursive: true });
  expect(isFound({}, 'url')).toBe(false);
  put('home/.gitconfig', '[url "https://b.com/"]\n\tinsteadOf = https://a.com/\n');
  expect([isFound({}, 'url'), isFound({}, 'refspec')]).toEqual([true, false]);
});
