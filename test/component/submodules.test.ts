/** What git follows inside a repository stays read-only for a confined line. Uses real git. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Confinement } from '../../src/core/confinement/confinement.ts';
import { keepingSubmodules } from '../../src/gate/facts/submodules.ts';

let top: string;
const git = (directory: string, ...words: readonly string[]) =>
  execFileSync('git', ['-C', join(top, directory), '-c', 'user.name=u', '-c', 'user.email=u@x', ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], HOME: top, GIT_ALLOW_PROTOCOL: 'file' },
  });
const newRepository = (directory: string) => {
  mkdirSync(join(top, directory), { recursive: true });
  git(directory, 'init', '-q', '.');
  git(directory, 'commit', '-q', '--allow-empty', '-m', 'first');
};
const held = (...write: readonly string[]): Confinement => ({
  level: 3,
  read: [],
  write: write.map((each) => join(top, each)),
  execute: [],
  connect: [],
  readOnly: ['/kept'],
  tools: [],
});
const readOnlyFor = (...write: readonly string[]) =>
  keepingSubmodules(held(...write)).readOnly.map((path) => path.replace(`${top}/`, ''));

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'ape-modules-')));
  newRepository('repo');
  newRepository('repo/plain');
  writeFileSync(join(top, 'repo/a'), '');
  git('repo', 'add', 'a', 'plain');
  newRepository('other');
  git('repo', 'submodule', 'add', '-q', join(top, 'other'), 'deep/module');
  newRepository('repo/deep/module/inner');
  git('repo/deep/module', 'add', 'inner');
  newRepository('repo/unknown');
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

it('the .git of each followed repository inside, at any depth, is read-only; a repository that git does not follow stays writable', () => {
  expect(readOnlyFor('repo')).toEqual([
    '/kept',
    'repo/.git/modules/deep/module',
    'repo/deep/module/.git',
    'repo/deep/module/inner/.git',
    'repo/plain/.git',
  ]);
});

it('a writable directory has only the followed repositories below it as read-only', () => {
  expect(readOnlyFor('repo/deep')).toEqual(['/kept', 'repo/deep/module/.git', 'repo/deep/module/inner/.git']);
  expect(readOnlyFor('repo/a')).toEqual(['/kept']);
  expect(readOnlyFor('other')).toEqual(['/kept']);
});

it('a writable directory that replaces a missing one is treated the same', () => {
  const absent = [{ path: join(top, 'repo/build'), below: join(top, 'repo') }];
  const { readOnly } = keepingSubmodules({ ...held('repo/build'), absent });
  expect(readOnly).toContain(join(top, 'repo/plain/.git'));
});

it('a .git that the line was approved to write stays writable', () => {
  expect(readOnlyFor('repo/plain', 'repo/plain/.git')).toEqual(['/kept']);
});

it('the whole directory is read-only if the index cannot be read', () => {
  git('repo', 'update-index', '--split-index');
  try {
    expect(readOnlyFor('repo')).toEqual(['/kept', 'repo']);
    expect(readOnlyFor('repo/deep')).toEqual(['/kept', 'repo/deep']);
  } finally {
    git('repo', 'update-index', '--no-split-index');
  }
  mkdirSync(join(top, 'sha256'));
  git('sha256', 'init', '-q', '--object-format=sha256', '.');
  expect(readOnlyFor('sha256')).toEqual(['/kept']);
  writeFileSync(join(top, 'sha256/a'), '');
  git('sha256', 'add', 'a');
  expect(readOnlyFor('sha256')).toEqual(['/kept', 'sha256']);
  const config = join(top, 'sha256/.git/config');
  writeFileSync(config, readFileSync(config, 'utf8').replace('sha256', 'sha\\\n"256"'));
  git('sha256', 'status');
  expect(readOnlyFor('sha256')).toEqual(['/kept', 'sha256']);
});

it('the settings of a followed repository that are in another directory are read-only', () => {
  mkdirSync(join(top, 'apart'));
  git('apart', 'init', '-q', '.');
  git('.', 'init', '-q', '--separate-git-dir', join(top, 'apart/.real'), join(top, 'apart/sub'));
  git('apart/sub', 'commit', '-q', '--allow-empty', '-m', 'first');
  git('apart', 'add', 'sub');
  expect(readOnlyFor('apart')).toEqual(['/kept', 'apart/.real', 'apart/sub/.git']);
});

it('the directory of a submodule that is not checked out is read-only', () => {
  git('repo', 'commit', '-q', '-m', 'all');
  git('.', 'clone', '-q', 'repo', 'clone');
  expect(readOnlyFor('clone')).toEqual(['/kept', 'clone/deep/module', 'clone/plain']);
});

it('the directory above is read-only if the directory of a submodule is missing', () => {
  rmSync(join(top, 'clone/deep'), { recursive: true });
  expect(readOnlyFor('clone')).toEqual(['/kept', 'clone', 'clone/plain']);
  expect(keepingSubmodules({ ...held('clone'), tools: ['git'] }).readOnly).not.toContain(join(top, 'clone'));
  mkdirSync(join(top, 'clone/deep'));
  expect(readOnlyFor('clone')).toEqual(['/kept', 'clone/deep', 'clone/plain']);
});

it('a file in place of a directory above a submodule is read-only', () => {
  rmSync(join(top, 'clone/deep'), { recursive: true });
  writeFileSync(join(top, 'clone/deep'), '');
  expect(readOnlyFor('clone')).toEqual(['/kept', 'clone/deep', 'clone/plain']);
});

it('linked work trees, and what the settings name, are read-only: hooks, further settings, programs', () => {
  newRepository('named');
  git('named', 'worktree', 'add', '-q', 'tree');
  expect(readOnlyFor('named')).toEqual(['/kept', 'named/tree/.git']);
  for (const name of ['hooks', 'conf', 'store', 'less']) mkdirSync(join(top, 'named', name));
  for (const name of ['conf/more', 'watch.sh', 'conf/ssh', 'conf/up']) writeFileSync(join(top, 'named', name), '');
  for (const [key, value] of [
    ['core.hooksPath', 'hooks'],
    ['include.path', '../conf/more'],
    ['core.fsmonitor', 'watch.sh'],
    ['core.sshCommand', 'sh ./conf/ssh'],
    ['credential.helper', 'store'],
    ['core.pager', 'less'],
    ['remote.origin.uploadpack', './conf/up'],
  ] as const)
    git('named', 'config', key, value);
  expect(readOnlyFor('named')).toEqual([
    '/kept',
    'named/conf/more',
    'named/conf/ssh',
    'named/conf/up',
    'named/hooks',
    'named/tree/.git',
    'named/watch.sh',
  ]);
});

it('what the settings name by a long path is read-only', () => {
  newRepository('far');
  const folder = join(top, 'far', ...Array.from({ length: 18 }, () => 'd'.repeat(200)));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'monitor'), '');
  git('far', 'config', 'core.fsmonitor', join(folder, 'monitor'));
  expect(readOnlyFor('far')).toContain(join(folder, 'monitor').replace(`${top}/`, ''));
});

it('submodules of a linked work tree are read-only, also if the work tree belongs to a submodule', () => {
  newRepository('inner');
  newRepository('outer');
  git('outer', 'submodule', 'add', '-q', join(top, 'inner'), 'inner');
  git('outer', 'commit', '-q', '-m', 'inner');
  newRepository('whole');
  git('whole', 'submodule', 'add', '-q', join(top, 'outer'), 'module');
  git('whole', 'commit', '-q', '-m', 'module');
  git('whole/module', 'worktree', 'add', '-q', '../beside');
  git('whole/beside', 'submodule', 'update', '--init');
  git('whole', 'worktree', 'add', '-q', 'tree');
  git('whole/tree', 'submodule', 'update', '--init');
  const kept = readOnlyFor('whole');
  expect(kept).toEqual(
    expect.arrayContaining([
      'whole/beside/.git',
      'whole/beside/inner/.git',
      'whole/tree/.git',
      'whole/tree/module/.git',
    ]),
  );
  expect(kept).not.toContain('whole/.git');
});

it('a followed repository that is also a linked work tree has its settings and submodules read-only, and not `.git` around it', () => {
  newRepository('gathers');
  git('gathers', 'submodule', 'add', '-q', join(top, 'inner'), 'inner');
  git('gathers', 'commit', '-q', '-m', 'inner');
  git('gathers', 'worktree', 'add', '-q', 'tree');
  git('gathers/tree', 'submodule', 'update', '--init');
  git('gathers', 'add', 'tree');
  const kept = readOnlyFor('gathers');
  expect(kept).toContain('gathers/tree/inner/.git');
  expect(kept).not.toContain('gathers/.git');
});

it('the git directory of the repository itself is read-only if it is not named .git; git may write all but its deciding parts', () => {
  mkdirSync(join(top, 'moved'));
  git('.', 'init', '-q', '--separate-git-dir', join(top, 'moved/.real'), join(top, 'moved'));
  const own = held('moved');
  const guarded = keepingSubmodules({ ...own, readOnly: [join(top, 'moved/.git')] }).readOnly;
  expect(guarded).toContain(join(top, 'moved/.real'));
  const written = keepingSubmodules(own).readOnly;
  expect(written).not.toContain(join(top, 'moved/.real'));
  expect(written).toEqual(expect.arrayContaining([join(top, 'moved/.real/config'), join(top, 'moved/.real/hooks')]));
});

it('the whole directory is read-only if linked work trees cannot be listed', () => {
  newRepository('unlisted');
  symlinkSync('worktrees', join(top, 'unlisted/.git/worktrees'));
  expect(readOnlyFor('unlisted')).toEqual(['/kept', 'unlisted']);
});

it.each([
  '[core]\n\tgitProxy = ./tools/h',
  '[core]\n\tgitProxy = tools/h for example.com',
  '[submodule "sub"]\n\tupdate = !tools/h',
  '[pager]\n\tlog = ./tools/h',
  '[pager] log = tools/h',
  '[interactive]\n\tdiffFilter = tools/h --color',
  '[gc]\n\trecentObjectsHook = tools/h',
  '[difftool "x"]\n\tpath = tools/h',
  '[browser "x"]\n\tpath = "tools/h"',
  '[alias]\n\tst = !tools/h',
  '[alias]\n\turl-of = "!sh tools/h"',
  '[sendemail]\n\tsendmailCmd = tools/h',
  '[core]\n\teditor = vi \\\n tools/h',
  '[keyOfANewerGit] something = tools/h',
  '[pager]\n\tfetch = ./tools/h',
  '[pager]\n\tworktree = ./tools/h',
  '[alias]\n\tname = !tools/h',
  '[user] [alias]\n\tname = !tools/h',
  '[user]\n[alias "x"]\n\tname = !tools/h',
  '[user]\n\tname = a\n\temail = b [x]\n[alias] \n\tname = !tools/h',
  '[constructor]\n\tname = tools/h',
  '[user]\n\tname = x\\\\\n[alias]\n\tname = !tools/h',
  '[user] # \\\n[alias]\n\tname = !tools/h',
  '[alias]\n\tname = !too\\\nls/"h"',
  '[alias]\n\tst = "!sh tools/h\\n"',
])('a program that the settings name with %j is read-only', (text) => {
  newRepository('programs');
  mkdirSync(join(top, 'programs/tools'), { recursive: true });
  writeFileSync(join(top, 'programs/tools/h'), '');
  writeFileSync(join(top, 'programs/.git/config'), `[core]\n\trepositoryformatversion = 0\n${text}\n`);
  expect(readOnlyFor('programs')).toEqual(['/kept', 'programs/tools/h']);
  rmSync(join(top, 'programs'), { recursive: true });
});

it.each([
  ['[pager]\n\tlog = tools/h', 'tools/h', '../real/h'],
  ['[pager]\n\tlog = ./linked/h', 'linked', 'real'],
  ['[alias]\n\tst = "!sh h"', 'h', 'real/h'],
  ['[core]\n\thooksPath = linked', 'linked', 'real'],
  ['[include]\n\tpath = ../tools/h', 'tools/h', '../real/h'],
])(
  'with %j, the directory of a link on the way to the program is read-only, and so is the target',
  (text, link, target) => {
    newRepository('links');
    for (const name of ['tools', 'real']) mkdirSync(join(top, 'links', name));
    writeFileSync(join(top, 'links/real/h'), '');
    symlinkSync(target, join(top, 'links', link));
    writeFileSync(join(top, 'links/.git/config'), `[core]\n\trepositoryformatversion = 0\n${text}\n`);
    const directory = join('links', link, '..');
    expect(readOnlyFor('links')).toEqual(
      expect.arrayContaining([directory, text.includes('hooksPath') ? 'links/real' : 'links/real/h']),
    );
    rmSync(join(top, 'links'), { recursive: true });
  },
);

it('a program with a blank or a letter that is not ASCII in its path is read-only; the whole directory is, if the path is not known', () => {
  newRepository('named-oddly');
  mkdirSync(join(top, 'named-oddly/my tools'));
  writeFileSync(join(top, 'named-oddly/my tools/hé'), '');
  for (const value of ['my tools/hé', '"sh \'my tools/hé\' x"', '"sh \\"my tools/hé\\" x"']) {
    writeFileSync(join(top, 'named-oddly/.git/config'), `[core]\n\tsshCommand = ${value}\n`);
    expect(readOnlyFor('named-oddly'), value).toEqual(['/kept', 'named-oddly/my tools/hé']);
  }
  for (const value of ['"my tools"', 'my\ttools']) {
    writeFileSync(join(top, 'named-oddly/.git/config'), `[core]\n\thooksPath = ${value}\n`);
    expect(readOnlyFor('named-oddly'), value).toEqual(['/kept', 'named-oddly/my tools']);
  }
  for (const value of ['~other/hooks', '"!~other/x"', '%(prefix)/hooks', 'h\xff']) {
    writeFileSync(join(top, 'named-oddly/.git/config'), Buffer.from(`[core]\n\thooksPath = ${value}\n`, 'latin1'));
    expect(readOnlyFor('named-oddly'), value).toEqual(['/kept', 'named-oddly']);
  }
  writeFileSync(join(top, 'named-oddly/.git/config'), `[credential]\n\thelper = "!f() { ${'x '.repeat(200)}; /x; }"\n`);
  expect(readOnlyFor('named-oddly')).toEqual(['/kept']);
});

it('settings that name no program keep nothing', () => {
  newRepository('data');
  mkdirSync(join(top, 'data/lib'), { recursive: true });
  writeFileSync(join(top, 'data/msg'), '');
  const data =
    '[commit]\n\ttemplate = msg\n[remote "o"]\n\turl = ./lib\n[branch "main"]\n\tremote = o\n\tmerge = refs/heads/main\n';
  writeFileSync(join(top, 'data/.git/config'), data);
  expect(readOnlyFor('data')).toEqual(['/kept']);
});

it('the target of .git/hooks is read-only if .git/hooks is a link', () => {
  newRepository('linked');
  mkdirSync(join(top, 'linked/githooks'));
  rmSync(join(top, 'linked/.git/hooks'), { recursive: true });
  symlinkSync('../githooks', join(top, 'linked/.git/hooks'));
  expect(readOnlyFor('linked')).toEqual(['/kept', 'linked/githooks']);
});

it('files named in settings that `.git/config` includes from the home directory are read-only', () => {
  newRepository('included');
  mkdirSync(join(top, 'included/hooks'));
  writeFileSync(join(top, 'more'), '[core]\n\thooksPath = hooks\n');
  git('included', 'config', 'include.path', '~/more');
  const before = process.env['HOME'];
  process.env['HOME'] = top;
  try {
    expect(readOnlyFor('included')).toEqual(['/kept', 'included/hooks']);
  } finally {
    process.env['HOME'] = before;
  }
});

it('an included file with a space in its name is read-only; the whole directory is, if such a name is not plain', () => {
  newRepository('spaced');
  const config = join(top, 'spaced/.git/config');
  const settings = readFileSync(config, 'utf8');
  writeFileSync(join(top, 'spaced/my settings'), '[core]\n\tpager = ./bin/less\n');
  writeFileSync(join(top, 'spaced/less'), '');
  writeFileSync(config, `${settings}[include]\n\tpath = "../my settings"\n`);
  expect(readOnlyFor('spaced')).toEqual(['/kept', 'spaced/my settings']);
  for (const path of [
    '"../my \\"settings"',
    '"../m;y"',
    '"../my',
    Array.from({ length: 25 }, (_, at) => `x${at}`).join('\n\tpath = '),
  ]) {
    writeFileSync(config, `${settings}[include]\n\tpath = ${path}\n`);
    expect(readOnlyFor('spaced'), path).toEqual(['/kept', 'spaced']);
  }
});
