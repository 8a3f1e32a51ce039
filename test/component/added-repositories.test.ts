/** Whether `git add` would make git follow another repository, as the host finds out, compared with what real git does. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addsRepository } from '../../src/gate/facts/added-repositories.ts';

let top: string;
const git = (...words: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@x', ...words], {
    cwd: top,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], HOME: top },
    encoding: 'utf8',
  });
const put = (name: string, text = '') => {
  mkdirSync(join(top, name, '..'), { recursive: true });
  writeFileSync(join(top, name), text);
};
const nest = (name: string) => {
  mkdirSync(join(top, name), { recursive: true });
  git('-C', name, 'init', '-q', '.');
  git('-C', name, 'commit', '-q', '--allow-empty', '-m', 'x');
};
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'ape-added-')));
  git('init', '-q', '.');
  put('src/a');
  put('b');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

/** Returns the host's answer. The real git does the same: it may follow a new repository only if the host said so. */
function hostSaysAdds(words: readonly string[], trees: readonly string[] = [], isForced = false): boolean {
  const adds = addsRepository(
    top,
    trees.map((each) => join(top, each)),
    isForced,
  );
  const before = git('ls-files', '-s')
    .split('\n')
    .filter((line) => line.startsWith('160000')).length;
  git('add', ...words);
  const after = git('ls-files', '-s')
    .split('\n')
    .filter((line) => line.startsWith('160000')).length;
  expect(after > before && !adds, 'git follows a repository that the host did not find').toBe(false);
  return adds;
}

it('the host finds no other repository among the files and directories of this repository', () => {
  for (const [words, trees] of [
    [['-A'], []],
    [['src'], ['src']],
    [['b'], ['b']],
    [
      ['src/a', 'b'],
      ['src/a', 'b'],
    ],
  ] as const)
    expect(hostSaysAdds(words, trees)).toBe(false);
  expect(addsRepository(top, [join(top, 'gone')], false)).toBe(false);
});

it.each(['nest', 'src/deep/nest', 'node_modules/nest'])(
  'the host finds the repository %s, but not for a file beside it',
  (name) => {
    nest(name);
    expect(hostSaysAdds(['b'], ['b'])).toBe(false);
    expect(hostSaysAdds(['-A'])).toBe(true);
  },
);

it.each([
  [['nest'], ['nest']],
  [['nest/'], ['nest']],
  [['nest/inside'], ['nest/inside']],
  [['.'], ['']],
])('the host finds the repository nest for `git add %s`', (words, trees) => {
  nest('nest');
  put('nest/inside');
  expect(
    addsRepository(
      top,
      trees.map((each) => join(top, each)),
      false,
    ),
  ).toBe(true);
  expect(words.length).toBeGreaterThan(0);
});

it('the host does not report a repository that git follows already', () => {
  nest('nest');
  git('add', 'nest');
  expect(hostSaysAdds(['-A'])).toBe(false);
  nest('nest/inner');
  expect(hostSaysAdds(['-A'])).toBe(false); // the outer git does not look into it
});

it('the host accepts a plain line of .gitignore, but no pattern and no exception, and ignores .gitignore with --force', () => {
  nest('node_modules/nest');
  put('.gitignore', '# packages\nnode_modules/\n');
  expect(hostSaysAdds(['-A'])).toBe(false);
  expect(addsRepository(top, [join(top, 'node_modules')], true)).toBe(true);
  put('.gitignore', 'node_*\n');
  expect(addsRepository(top, [], false)).toBe(true);
  put('.gitignore', 'node_modules/\n!node_modules/nest\n');
  expect(addsRepository(top, [], false)).toBe(true);
});

it.each([
  ['dist\n', 'pkg/dist/nest', ['pkg/.gitignore', '!dist\n']],
  [' evil\n', 'evil', null],
  ['evil\t\n', 'evil', null],
] as const)(
  'the host does not take a .gitignore with %j as a reason to leave out %s, because git does not either',
  (text, name, more) => {
    nest(name);
    put('.gitignore', text);
    if (more !== null) put(...more);
    expect(hostSaysAdds(['-A'])).toBe(true);
  },
);

it('the host does not use .gitmodules, which any user can write', () => {
  nest('evil');
  put('.gitmodules', '[submodule "e"]\n\tpath = evil\n\turl = x\n');
  expect(hostSaysAdds(['evil'], ['evil'])).toBe(true);
});

it('the host finds a repository in place of a file that git follows', () => {
  git('add', '-A');
  rmSync(join(top, 'b'));
  nest('b');
  expect(hostSaysAdds(['-u'], [], true)).toBe(true);
});

it.each([
  ['one file', '--no-split-index'],
  ['two files', '--split-index'],
])(
  'with an index in %s, the host does not accept a line of .gitignore for a directory in which git follows files',
  (_, option) => {
    git('add', '-A');
    git('update-index', option);
    rmSync(join(top, 'src/a'));
    nest('src/a');
    put('.gitignore', 'src\n');
    expect(hostSaysAdds(['-A'])).toBe(true);
  },
);

it('the host follows no symbolic link', () => {
  const other = mkdtempSync(join(tmpdir(), 'ape-other-'));
  mkdirSync(join(other, 'nest/.git'), { recursive: true });
  symlinkSync(other, join(top, 'link'));
  expect(hostSaysAdds(['-A'])).toBe(false);
  rmSync(other, { recursive: true });
});
