/** Paths on a real disk resolve through links as the kernel resolves them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitPlaceOf } from '../../src/gate/facts/git-place.ts';
import { MAX_ENTRIES } from '../../src/gate/facts/match-names.ts';
import { placeOnDisk } from '../../src/gate/facts/place-on-disk.ts';

let top: string;
const { resolvePath, repositoryOf } = placeOnDisk;
const hasLinksOut = (name: string, depth: number) => placeOnDisk.hasLinksOut?.(join(top, name), depth);

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'ape-place-')));
  mkdirSync(join(top, 'a/b'), { recursive: true });
  mkdirSync(join(top, 'out'));
  writeFileSync(join(top, 'a/f'), '');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

describe('A path', () => {
  it('follows each link before a ".." after it is applied', () => {
    symlinkSync(join(top, 'out'), join(top, 'a/link'));
    expect(resolvePath(`${top}/a/link/x`, 'target')).toBe(`${top}/out/x`);
    expect(resolvePath(`${top}/a/link/../x`, 'target')).toBe(`${top}/x`);
    expect(resolvePath(`${top}/a/link`, 'target')).toBe(`${top}/out`);
  });

  it('that does not exist yet resolves as far as it exists', () => {
    expect(resolvePath(`${top}/a/./n/../m/k`, 'target')).toBe(`${top}/a/m/k`);
    expect(resolvePath('/nowhere/x', 'target')).toBe('/nowhere/x');
    expect(resolvePath('/', 'target')).toBe('/');
  });

  it('through a dangling link leads to the target of the link', () => {
    symlinkSync(join(top, 'out/new'), join(top, 'a/dangling'));
    expect(resolvePath(`${top}/a/dangling`, 'target')).toBe(`${top}/out/new`);
    symlinkSync('../out/other', join(top, 'a/relative'));
    expect(resolvePath(`${top}/a/relative/x`, 'target')).toBe(`${top}/out/other/x`);
  });

  it('with a cycle of links is resolved in finite time', () => {
    symlinkSync('y', join(top, 'x'));
    symlinkSync('x', join(top, 'y'));
    expect(resolvePath(`${top}/x`, 'target')).toMatch(/^\//);
  });

  it('resolved as "itself" keeps the link at its end, but not if a slash follows', () => {
    symlinkSync(join(top, 'out'), join(top, 'a/link'));
    expect(resolvePath(`${top}/a/link`, 'itself')).toBe(`${top}/a/link`);
    expect(resolvePath(`${top}/a/link/`, 'itself')).toBe(`${top}/out`);
    expect(resolvePath(`${top}/a/link/x`, 'itself')).toBe(`${top}/out/x`);
    expect(resolvePath(`${top}/a/..`, 'itself')).toBe(top);
  });
});

describe('Links below a directory', () => {
  it('that stay inside are harmless', () => {
    symlinkSync('f', join(top, 'a/inside'));
    expect(hasLinksOut('a', 2)).toBe(false);
  });

  it('that lead to a sensitive path by a harmless name count as links out', () => {
    mkdirSync(join(top, 'a/.aws'));
    symlinkSync('.env', join(top, 'a/plain'));
    expect(hasLinksOut('a', 1)).toBe(true);
    rmSync(join(top, 'a/plain'));
    symlinkSync('.aws', join(top, 'a/dir'));
    expect(hasLinksOut('a', 1)).toBe(true);
    rmSync(join(top, 'a/dir'));
    symlinkSync('.env', join(top, 'a/.env.local')); // its own name is sensitive too
    expect(hasLinksOut('a', 1)).toBe(false);
  });

  it('that lead out are found down to the given depth', () => {
    symlinkSync(join(top, 'out'), join(top, 'a/b/link'));
    expect(hasLinksOut('a', 1)).toBe(false);
    expect(hasLinksOut('a', 2)).toBe(true);
  });

  it('to a neighbour whose name begins with the same letters lead out', () => {
    mkdirSync(join(top, 'ab'));
    symlinkSync(join(top, 'ab'), join(top, 'a/link'));
    expect(hasLinksOut('a', 1)).toBe(true);
  });

  it('do not exist in a missing directory', () => {
    expect(hasLinksOut('none', 3)).toBe(false);
  });

  it('are assumed in a directory with too many entries to look at', () => {
    for (let index = 0; index <= MAX_ENTRIES; index++) writeFileSync(join(top, 'a/b', String(index)), '');
    expect(hasLinksOut('a/b', 1)).toBe(true);
  });
});

describe('Names that a pattern may match', () => {
  const text = (value: string) => ({ kind: 'text', value }) as const;
  const star = { kind: 'glob', source: '*' } as const;
  const names = (...pattern: Parameters<typeof placeOnDisk.matchesOf>[1]) =>
    placeOnDisk
      .matchesOf(top, pattern)
      ?.map(({ name, target, itself }) => [name, target, itself])
      .sort();

  it('are listed with their targets', () => {
    symlinkSync(join(top, 'out'), join(top, 'a/link'));
    expect(names([star])).toEqual([
      ['a', null, null],
      ['out', null, null],
    ]);
    expect(names([text('a')], [star])).toEqual([
      ['a/b', null, null],
      ['a/f', null, null],
      ['a/link', `${top}/out`, null],
    ]);
    expect(names([star], [text('link')], [])).toEqual([['a/link', `${top}/out`, `${top}/out`]]);
  });

  it('include hidden names only if the pattern has the dot; then they include . and .. too', () => {
    writeFileSync(join(top, '.x'), '');
    expect(names([text('.'), star])?.map(([name]) => name)).toEqual(['.', '..', '.x']);
  });

  it('are unknown if a name is not UTF-8, or the directory is too full', () => {
    writeFileSync(Buffer.concat([Buffer.from(`${top}/out/`), Buffer.from([0xff])]), '');
    expect(names([text('out')], [star])).toBeUndefined();
    for (let index = 0; index <= 1024; index++) writeFileSync(join(top, 'a', String(index)), '');
    expect(names([text('a')], [star])).toBeUndefined();
  });
});

describe('Sensitive paths', () => {
  it('are found at any depth, also below hidden directories, and sensitive directories are not searched', () => {
    mkdirSync(join(top, 'a/b/.claude/deep'), { recursive: true });
    mkdirSync(join(top, '.x/y/.git/hooks'), { recursive: true });
    for (const name of ['.x/.env', '.x/.y', '.x/y/.envrc', '.plain']) writeFileSync(join(top, name), '');
    for (const name of ['opencode.json', 'server.pem', 'plain']) writeFileSync(join(top, 'a', name), '');
    expect([...(placeOnDisk.sensitiveBelow(top) ?? [])].sort()).toEqual([
      '.x/.env',
      '.x/y/.envrc',
      '.x/y/.git',
      'a/b/.claude',
      'a/opencode.json',
      'a/server.pem',
    ]);
    expect(placeOnDisk.sensitiveBelow(join(top, 'none'))).toEqual([]);
  });
});

it('a repository that is not called .git is recognised in itself and below, but not in directories around it', () => {
  for (const name of ['bare/objects/x', 'bare/refs']) mkdirSync(join(top, name), { recursive: true });
  writeFileSync(join(top, 'bare/HEAD'), '');
  mkdirSync(join(top, '.git/objects'), { recursive: true });
  mkdirSync(join(top, '.git/refs'));
  writeFileSync(join(top, '.git/HEAD'), 'ref: refs/heads/main\n');
  expect(placeOnDisk.isBareRepository(join(top, 'bare'))).toBe(true);
  expect(placeOnDisk.isBareRepository(join(top, 'bare/objects/x'))).toBe(true);
  expect(placeOnDisk.isBareRepository(join(top, 'a'))).toBe(false);
  expect(placeOnDisk.isBareRepository(top)).toBe(false);
});

it.each([
  ['an empty directory', (path: string) => mkdirSync(path)],
  ['a loop of links', (path: string) => symlinkSync('.git', path)],
  ['a dangling link', (path: string) => symlinkSync('gone', path)],
  [
    'a directory whose HEAD names nothing',
    (path: string) => {
      for (const name of ['objects', 'refs']) mkdirSync(join(path, name), { recursive: true });
      writeFileSync(join(path, 'HEAD'), 'ref: heads/main\n');
    },
  ],
  [
    'a directory without objects',
    (path: string) => {
      mkdirSync(join(path, 'refs'), { recursive: true });
      writeFileSync(join(path, 'HEAD'), 'ref: refs/heads/main\n');
    },
  ],
] as const)('git searches upward from a .git that is %s', (_, make) => {
  execFileSync('git', ['init', '-q', top]);
  mkdirSync(join(top, 'sub/deep'), { recursive: true });
  expect(placeOnDisk.isBareRepository(join(top, 'sub/deep'))).toBe(false);
  make(join(top, 'sub/.git'));
  const found = execFileSync('git', ['-C', join(top, 'sub/deep'), 'rev-parse', '--show-toplevel'], {
    encoding: 'utf8',
  });
  expect(found.trim()).toBe(realpathSync(top));
  expect(placeOnDisk.isBareRepository(join(top, 'sub/deep'))).toBe(true);
});

describe('a repository whose settings name a work tree', () => {
  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', join(top, 'made'), ...words], { encoding: 'utf8' }).trim();
  beforeEach(() => {
    execFileSync('git', ['init', '-q', join(top, 'made')]);
    mkdirSync(join(top, 'other'));
  });

  it.each([
    ['config', '[core]\n\tworktree = ../../other\n'],
    ['config', '[core]worktree=../../other\n'],
    ['config', '[core]\n WorkTree = "../../other" ; x\n'],
    ['config', '[core]\n worktree = ../../oth\\\ner\n'],
    ['config.worktree', '[core]\n\tworktree = ../../other\n'],
  ])('git may work elsewhere: %s %j', (file, text) => {
    if (file === 'config.worktree') git('config', 'extensions.worktreeConfig', 'true');
    expect(placeOnDisk.isBareRepository(join(top, 'made'))).toBe(false);
    writeFileSync(join(top, 'made/.git', file), text, { flag: 'a' });
    expect(git('rev-parse', '--show-toplevel')).toBe(realpathSync(join(top, 'other')));
    expect(placeOnDisk.isBareRepository(join(top, 'made'))).toBe(true);
  });

  it.each(['..', '../', '../../made'])('git works in the same place if they name its top: %s', (value) => {
    git('config', 'core.worktree', value);
    expect(git('rev-parse', '--show-toplevel')).toBe(realpathSync(join(top, 'made')));
    expect(placeOnDisk.isBareRepository(join(top, 'made'))).toBe(false);
  });

  it('git does not read the name in an included file', () => {
    git('config', 'include.path', 'more');
    writeFileSync(join(top, 'made/.git/more'), '[core]\n\tworktree = ../../other\n');
    expect(git('rev-parse', '--show-toplevel')).toBe(realpathSync(join(top, 'made')));
    expect(placeOnDisk.isBareRepository(join(top, 'made'))).toBe(false);
  });
});

it('the ends of lines in a file .git and in commondir are read as git reads them', () => {
  execFileSync('git', ['init', '-q', join(top, 'made')]);
  mkdirSync(join(top, 'linked'));
  mkdirSync(join(top, 'record'));
  writeFileSync(join(top, 'linked/.git'), `gitdir: ${join(top, 'record')}\r\n`);
  writeFileSync(join(top, 'record/HEAD'), 'ref: refs/heads/x\n');
  execFileSync('mv', [join(top, 'made/.git'), join(top, 'record/ common')]);
  writeFileSync(join(top, 'record/commondir'), ' common\r\n');
  const common = execFileSync('git', ['-C', join(top, 'linked'), 'rev-parse', '--git-common-dir'], {
    encoding: 'utf8',
  });
  expect(realpathSync(common.replace(/\n$/, ''))).toBe(realpathSync(join(top, 'record/ common')));
  expect(gitPlaceOf(join(top, 'linked'))).toMatchObject({
    directory: join(top, 'record'),
    common: join(top, 'record/ common'),
  });
});

it('a .git whose commondir file names other settings may be a bare repository', () => {
  execFileSync('git', ['init', '-q', top]);
  expect(placeOnDisk.isBareRepository(top)).toBe(false);
  writeFileSync(join(top, '.git/commondir'), '../other\n');
  expect(placeOnDisk.isBareRepository(top)).toBe(true);
});

it.each([['--initial-branch=feature/x'], ['--separate-git-dir=apart']])(
  'a repository made by git init %s is not taken for a bare repository',
  (option) => {
    execFileSync('git', ['init', '-q', option, join(top, 'made')], { cwd: top });
    expect(placeOnDisk.isBareRepository(join(top, 'made'))).toBe(false);
  },
);

it('a repository is found from a directory below it; outside every repository the answer is null', () => {
  mkdirSync(join(top, 'a/.git'));
  expect(repositoryOf(join(top, 'a/b'))).toBe(join(top, 'a'));
  expect(repositoryOf('/')).toBe(null);
});
