/** What git would discard: read from real repositories, and compared with what git itself says that it would do. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ImpactStage } from './impact-stage.ts';

let stage: ImpactStage;
beforeEach(() => {
  stage = new ImpactStage();
  stage.git('init', '-q');
});
afterEach(() => stage.close());

const write = (name: string, text: string) => {
  stage.files([name]);
  writeFileSync(join(stage.directory, name), text);
};

function commit(...names: readonly string[]): void {
  stage.git('add', ...names);
  stage.git('commit', '-qm', 'x');
}

describe('a repository with SHA-256', () => {
  it('has an index that is not read, so the number of files is said to be not known', async () => {
    rmSync(join(stage.directory, '.git'), { recursive: true });
    stage.git('init', '-q', '--object-format=sha256');
    write('kept', 'x');
    commit('kept');
    stage.files(['fresh']);
    for (const line of ['git clean -f', 'git reset --hard'])
      expect(await stage.one(line), line).toMatchObject({ count: null, note: expect.stringContaining('is not known') });
  });
});

describe('git clean', () => {
  beforeEach(() => {
    stage.files(['a.c', 'src/b.c', 'src/deep/c.c', 'keep/x']);
    write('.gitignore', '# objects\n*.o\n!important.o\n/build/\nlogs/**/*.log\n\\#odd\nsp ace \ndeep/only\n');
    write('src/.gitignore', '!b.o\n/local\n');
    commit('.');
    stage.files([
      'new.c',
      'new.o',
      'important.o',
      'build/1',
      'build/2',
      'src/b.o',
      'src/c.o',
      'src/local',
      'src/deep/local',
      'src/deep/only',
      'fresh/a',
      'fresh/b.o',
      'fresh/build/x',
      'logs/a/b/c.log',
      'logs/c.log',
      'logs/c.txt',
      '#odd',
      'sp ace',
      'keep/y',
      'inner/file',
      'empty/',
    ]);
    stage.git('init', '-q', 'inner');
    stage.git('add', 'a.c');
  });

  /** Returns the files that git says it would remove, with each directory expanded to its files. */
  function gitSays(words: string): readonly string[] {
    const named = stage
      .git(...words.split(' ').filter((word) => word !== 'git'), '-n')
      .trim()
      .split('\n');
    return named
      .filter((line) => line.startsWith('Would remove '))
      .map((line) => line.slice('Would remove '.length).replace(/^"(.*)"$/, '$1'))
      .flatMap((name) =>
        name.endsWith('/')
          ? execFileSync('find', [name, '-type', 'f'], { cwd: stage.directory, encoding: 'utf8' }).trim().split('\n')
          : [name],
      )
      .filter((name) => name !== '')
      .sort();
  }

  it('a .gitignore says nothing about its own directory', async () => {
    stage.files(['kept/deep/keep.txt', 'kept/deep/other.txt']);
    writeFileSync(join(stage.directory, 'kept/deep/.gitignore'), '*\n!keep.txt\n');
    const line = 'git clean -f kept/deep/keep.txt';
    expect(gitSays(line)).toEqual(['kept/deep/keep.txt']);
    expect(stage.names(await stage.one(line))).toEqual(gitSays(line));
  });

  it.each([
    'git clean -f',
    'git clean -fd',
    'git clean -fx',
    'git clean -fdx',
    'git clean -fdX',
    'git clean -fd src',
    'git clean -f fresh keep',
    'git clean -fdx build src',
  ])('"%s" deletes exactly what git says it would delete', async (line) => {
    const found = await stage.one(line);
    const expected = gitSays(line);
    expect(found.count).toBe(expected.length);
    if (expected.length <= 8) expect(stage.names(found)).toEqual(expected);
    else expect(expected).toEqual(expect.arrayContaining([...stage.names(found)]));
    expect(existsSync(join(stage.directory, 'new.c'))).toBe(true);
  });

  it.each([
    'git clean -f other/build',
    'git clean -fX other/build',
    'git clean -fx other/build',
    'git clean -fd other',
    'git clean -f other/link/',
    'git clean -f other/*/',
  ])('"%s" takes a file with the name of an ignored directory, and a link, as git does', async (line) => {
    write('other/.gitignore', 'build/\nlink/\n');
    commit('other/.gitignore');
    stage.files(['other/build', 'other/dir/x', 'elsewhere/file']);
    symlinkSync('../elsewhere', join(stage.directory, 'other/link'));
    const expanded = line.replace('other/*/', 'other/dir/ other/link/');
    expect(stage.names(await stage.one(line))).toEqual(gitSays(expanded));
  });

  it('may name too many files if it deletes only ignored files, and the note says so', async () => {
    const found = await stage.one('git clean -fX');
    expect(stage.names(found)).toEqual(expect.arrayContaining([...gitSays('git clean -fX')]));
    expect(found.note).toContain('there may be fewer');
  });

  it('includes nested repositories only with a double -f', async () => {
    const once = await stage.one('git clean -fdx inner');
    const twice = await stage.one('git clean -ffdx inner');
    expect([once.count, twice.count]).toEqual([gitSays('git clean -fdx inner').length, 1]);
    const named = 'git clean -fdx inner my-file';
    expect((await stage.one(named)).count).toBe(gitSays(named).length);
  });

  it('is looked up in the directory where it runs, also with -C', async () => {
    for (const line of ['cd src && git clean -fd', 'git -C src clean -fd'])
      expect(stage.names(await stage.one(line))).toEqual(['src/b.o', 'src/deep/local', 'src/deep/only']);
  });

  it('is not counted for a dry run, or without force', async () => {
    expect(await stage.look('git clean -n')).toEqual([]);
    expect(await stage.look('git clean -fdn')).toEqual([]);
    for (const line of ['git clean', 'git clean -d', 'git clean --dry -f', 'git -c core.pager=cat clean -d'])
      expect([line, await stage.look(line)]).toEqual([line, []]);
  });

  it('is counted without force if a setting may allow it, and the card says that git may refuse', async () => {
    const counted = {
      count: (await stage.one('git clean -fd')).count,
      note: expect.stringContaining('git may refuse this without -f'),
    };
    for (const line of [
      'git -c clean.requireForce=false clean -d',
      'git -c CLEAN.requireforce clean -d',
      'git --config-env=clean.requireForce=X clean -d',
      'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=clean.requireForce GIT_CONFIG_VALUE_0=no git clean -d',
    ])
      expect([line, await stage.one(line)]).toMatchObject([line, counted]);
    expect(await stage.one('git clean -di')).toMatchObject({ count: null, note: 'git asks which files to delete' });
    stage.environment.set('GIT_CONFIG_COUNT', '1');
    expect(await stage.one('git clean -d')).toMatchObject(counted);
    stage.environment.delete('GIT_CONFIG_COUNT');
    writeFileSync(join(stage.directory, '.gitconfig'), '[clean] requireForce = false\n');
    writeFileSync(join(stage.directory, '.git/info/exclude'), '.gitconfig\n');
    expect(await stage.one('git clean -d')).toMatchObject(counted);
    rmSync(join(stage.directory, '.gitconfig'));
    stage.git('config', 'clean.requireForce', 'false');
    expect(await stage.one('git clean -d')).toMatchObject(counted);
  });

  it('is counted with a shortened --force', async () => {
    expect(await stage.one('git clean -d --for')).toMatchObject({
      count: (await stage.one('git clean -fd')).count,
      note: null,
    });
  });

  it('follows the ignore file of the user also if XDG_CONFIG_HOME is empty', async () => {
    stage.environment.set('XDG_CONFIG_HOME', '');
    stage.files(['.config/git/ignore']);
    writeFileSync(join(stage.directory, '.config/git/ignore'), '*\n');
    expect(stage.names(await stage.one('git clean -fd'))).toEqual(gitSays('git clean -fd'));
  });

  it('follows the ignore file that the environment of the request chooses', async () => {
    stage.environment.set('XDG_CONFIG_HOME', join(stage.directory, '.settings'));
    const count = (await stage.one('git clean -fd')).count ?? 0;
    write('.settings/git/ignore', 'new.c\n/.settings\n');
    expect((await stage.one('git clean -fd')).count).toBe(count - 1);
  });

  it('says which files it does not count', async () => {
    expect((await stage.one("git clean -fd -e '*.c'")).note).toBe('excluded files stay');
    stage.git('config', 'core.excludesFile', '/x');
    expect((await stage.one('git clean -fd')).note).toBe('core.excludesFile is not read: there may be fewer');
    expect((await stage.one('git clean -fdX')).note).toContain('core.excludesFile is not read: there may be more');
    expect((await stage.one('git clean -fdx')).note).toBeNull();
  });

  it.each(['.gitconfig', '.config/git/config', '.settings/git/config', '.git/config.worktree'])(
    'says that it does not count what core.excludesFile of %s ignores',
    async (file) => {
      stage.environment.set('XDG_CONFIG_HOME', join(stage.directory, '.settings'));
      expect((await stage.one('git clean -fd')).note).toBeNull();
      write(file, '[core]\n\texcludesFile = /x\n');
      expect((await stage.one('git clean -fd')).note).toBe('core.excludesFile is not read: there may be fewer');
    },
  );

  it.each(['git -c core.excludesFile=/x clean -fd', 'HOME=/x git clean -fd', 'XDG_CONFIG_HOME=/x git clean -fd'])(
    'says that it does not count what %s ignores',
    async (line) => expect((await stage.one(line)).note).toBe('core.excludesFile is not read: there may be fewer'),
  );

  it('reads an index in every format, or says that it cannot', async () => {
    const count = (await stage.one('git clean -fd')).count;
    for (const version of ['2', '3', '4']) {
      stage.git('update-index', '--index-version', version);
      stage.files(['later']);
      stage.git('add', '-N', 'later');
      expect([version, (await stage.one('git clean -fd')).count]).toEqual([version, count]);
    }
    const whole = readFileSync(join(stage.directory, '.git/index'));
    for (const cut of [1, 20, 40]) {
      writeFileSync(join(stage.directory, '.git/index'), whole.subarray(0, -cut));
      expect([cut, (await stage.one('git clean -fd')).count]).toEqual([cut, null]);
    }
    writeFileSync(join(stage.directory, '.git/index'), whole);
    stage.git('update-index', '--split-index');
    expect(await stage.one('git clean -fd')).toMatchObject({
      count: null,
      note: expect.stringContaining('index cannot be read'),
    });
    writeFileSync(join(stage.directory, '.git/index'), 'DIRC\0\0\0\x02\xff\xff\xff\xff');
    expect((await stage.one('git clean -fd')).count).toBeNull();
  });

  it('does not wait if the index is a FIFO', async () => {
    rmSync(join(stage.directory, '.git/index'));
    execFileSync('mkfifo', [join(stage.directory, '.git/index')]);
    expect((await stage.one('git clean -fd')).count).toBeNull();
  });
});

describe('git reset --hard and checkout', () => {
  beforeEach(() => {
    stage.files(['a', 'b', 'c', 'd/e', 'd/f'], 5);
    commit('.');
    for (const name of ['a', 'b', 'c', 'd/e', 'd/f']) utimesSync(join(stage.directory, name), 1e9, 1e9);
    stage.git('update-index', '--refresh');
  });

  it('discard what differs from the index', async () => {
    expect(await stage.one('git reset --hard')).toMatchObject({ count: 0 });
    stage.files(['a', 'd/e'], 7);
    renameSync(join(stage.directory, 'b'), join(stage.directory, 'new'));
    const found = await stage.one('git reset --hard HEAD');
    expect(found.count).toBe(3);
    expect(stage.names(found)).toEqual(['a', 'b', 'd/e']);
    expect(found.note).toContain('compared by size and time');
    expect(stage.names(await stage.one('git checkout -- d'))).toEqual(['d/e']);
    expect(stage.names(await stage.one('git restore .'))).toEqual(['a', 'b', 'd/e']);
    expect(stage.names(await stage.one("git checkout -- 'd' a"))).toEqual(['a', 'd/e']);
    for (const line of ['git checkout d a', 'git checkout HEAD d a', 'git checkout main ./a d'])
      expect([line, stage.names(await stage.one(line))]).toEqual([line, ['a', 'd/e']]);
    for (const line of ['git checkout -f -- d', 'git checkout -f HEAD -- d', 'git checkout --force -- ./d'])
      expect([line, stage.names(await stage.one(line))]).toEqual([line, ['d/e']]);
    for (const line of ['git checkout -f', 'git checkout -f main', 'git checkout -f main --'])
      expect([line, (await stage.one(line)).count]).toEqual([line, 3]);
    expect(stage.names(await stage.one('git checkout a'))).toEqual(['a']);
    expect(await stage.one('git checkout main')).toMatchObject({ count: 0 });
    expect(await stage.look('git checkout -b a')).toEqual([]);
    expect(await stage.look('git reset HEAD a')).toEqual([]);
    expect(await stage.look('git restore --staged a')).toEqual([]);
  });

  it('say that something may be staged, and where the branch goes', async () => {
    stage.files(['a'], 7);
    stage.git('commit', '-aqm', 'second');
    const [second, first] = stage.git('log', '--format=%h', '--abbrev=8').trim().split('\n');
    stage.git('branch', 'old', 'HEAD~1');
    expect((await stage.one('git reset --hard old')).note).toContain(`main moves from ${second} to old (${first})`);
    expect((await stage.one('git reset --hard HEAD~1')).note).toContain(`main moves from ${second} to HEAD~1`);
    // With the format reftable, `.git/HEAD` names a branch that does not exist.
    const head = readFileSync(join(stage.directory, '.git/HEAD'), 'utf8');
    mkdirSync(join(stage.directory, '.git/reftable'));
    writeFileSync(join(stage.directory, '.git/HEAD'), 'ref: refs/heads/.invalid\n');
    expect((await stage.one('git reset --hard old')).note).toContain('HEAD moves from');
    rmSync(join(stage.directory, '.git/reftable'), { recursive: true });
    writeFileSync(join(stage.directory, '.git/HEAD'), head);
    stage.files(['b'], 9);
    stage.git('add', 'b');
    expect((await stage.one('git reset --hard')).note).toContain('staged changes may be lost too');
  });

  it('are looked up in a linked work tree', async () => {
    stage.git('worktree', 'add', '-q', 'tree', '-b', 'side');
    stage.files(['tree/a'], 9);
    const found = await stage.one('cd tree && git reset --hard main');
    expect(found.count).toBe(1);
    expect(found.note).toContain('side stays at');
  });

  it('go to the refs of the work tree in which git runs', async () => {
    stage.files(['a'], 7);
    stage.git('commit', '-aqm', 'second');
    const [second = '', first = ''] = stage.git('log', '--format=%H').trim().split('\n');
    stage.git('worktree', 'add', '-q', 'tree', '-b', 'side');
    const bisect = join('.git/worktrees/tree/refs/bisect');
    write(join(bisect, 'bad'), `${first}\n`);
    write('.git/refs/bisect/good', `${first}\n`);
    expect(stage.git('-C', 'tree', 'rev-parse', 'bisect/bad').trim()).toBe(first);
    const note = async (name: string) => (await stage.one(`cd tree && git reset --hard ${name}`)).note;
    expect(await note('bisect/bad')).toContain(`to bisect/bad (${first.slice(0, 8)})`);
    expect(await note('bisect/good')).toMatch(/to bisect\/good;/);
    expect((await stage.one('git reset --hard bisect/bad')).note).toMatch(/to bisect\/bad;/);
    // Git prefers a file in its own directory to the branch of this name.
    write('.git/side', `${first}\n`);
    expect(stage.git('rev-parse', 'side').trim()).toBe(first);
    expect((await stage.one('git reset --hard side')).note).toMatch(/to side;/);
    expect(await note('side')).toMatch(/to side;/);
    expect((await stage.one('git reset --hard heads/side')).note).toContain(`main stays at ${second.slice(0, 8)}`);
    expect(await note('main-worktree/HEAD')).toMatch(/to main-worktree\/HEAD;/);
  });

  it('are unknown if an option in front of the sub-command may choose another repository', async () => {
    stage.files(['a'], 7);
    for (const options of [
      '-p',
      '--exec-path=/x',
      '-c user.name=x',
      '--config-env user.name=HOME',
      '-C .',
      '-C d -C ..',
    ])
      expect([options, (await stage.one(`git ${options} reset --hard`)).count]).toEqual([options, 1]);
    for (const options of [
      '--git-dir=.git --work-tree=.',
      '--git-dir .git --work-tree .',
      `--git-dir=/x -C ${stage.directory}`,
      '--bare',
      '-c core.worktree=/x',
      '-c Core.Bare',
      '-c includeIf.gitdir:/.path=x',
      '-c "$SETTING"',
      '--config-env=core.worktree=HOME',
      '--config-env core.worktree=HOME',
    ])
      expect([options, await stage.one(`git ${options} reset --hard`)]).toMatchObject([
        options,
        { count: null, note: 'the repository is not known' },
      ]);
  });

  it('are unknown if a variable chooses another repository, index or work tree', async () => {
    stage.files(['a'], 7);
    const unknown = { count: null, note: 'the repository is not known' };
    expect(await stage.one('GIT_DIR=/x git reset --hard')).toMatchObject(unknown);
    for (const name of ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE']) {
      stage.environment.set(name, '/x');
      for (const line of ['git reset --hard', 'git clean -fdx', 'git stash clear', 'git branch -D x'])
        expect([name, line, await stage.one(line)]).toMatchObject([name, line, unknown]);
      stage.environment.delete(name);
    }
    expect((await stage.one('GIT_TRACE=0 git reset --hard')).count).toBe(1);
  });

  it('are unknown if the paths are only known at run time, or are in a file', async () => {
    stage.files(['a', 'b'], 7);
    for (const line of ['git restore "$X"', 'git restore a "$X"', 'git checkout -- a "$X"'])
      expect([line, await stage.one(line)]).toMatchObject([
        line,
        { count: null, note: 'the names are only known when the command runs' },
      ]);
    for (const option of ['--pathspec-from-file=c', '--pathspec-from-file c'])
      for (const verb of ['restore', 'checkout'])
        expect([verb, option, await stage.one(`git ${verb} ${option}`)]).toMatchObject([
          verb,
          option,
          { count: null, note: 'the paths are in a file' },
        ]);
  });

  it('are unknown outside a repository', async () => {
    rmSync(join(stage.directory, '.git'), { recursive: true });
    expect((await stage.one('git reset --hard')).note).toContain('there is no git repository');
  });
});

describe('refs', () => {
  const id = (name: string) => stage.git('rev-parse', '--short=8', name).trim();
  beforeEach(() => {
    stage.files(['a']);
    commit('.');
    stage.git('init', '-q', '--bare', '../far.git');
    stage.git('remote', 'add', 'origin', join(stage.directory, '../far.git'));
    stage.git('push', '-q', 'origin', 'main', 'main:other');
    stage.git('commit', '--amend', '-qm', 'again');
  });
  afterEach(() => rmSync(join(stage.directory, '../far.git'), { recursive: true, force: true }));

  it('are shown as they are here, and as they were last seen on the remote', async () => {
    const expected = `main: ${id('origin/main')} → ${id('main')}`;
    for (const line of [
      'git push --force',
      'git push -f origin main',
      'git push origin +main',
      'git push --force-with-lease origin HEAD:main',
    ])
      expect([line, (await stage.one(line)).items]).toEqual([line, [expected]]);
    stage.git('pack-refs', '--all');
    expect((await stage.one('git push -f origin main')).items).toEqual([expected]);
    expect((await stage.look('git push --mirror --force'))[0]).toMatchObject({
      count: 2,
      what: expect.stringContaining('at origin'),
    });
    for (const line of ['git push --forc origin main', 'git push -f origin main ^refs/heads/x'])
      expect([line, (await stage.one(line)).items]).toEqual([line, [expected]]);
    expect(await stage.look('git push origin main')).toEqual([]);
    expect((await stage.one('git push --recurse-submodules check -f origin main')).items).toEqual([expected]);
  });

  it.each([
    ['git push -f origin main', 'refs overwritten at origin'],
    ['git push --all -f', 'refs overwritten at origin'],
    ['git push origin :other', 'refs deleted at origin'],
    ['git push -d origin other', 'refs deleted at origin'],
    ['git push -f origin main :other', 'refs overwritten or deleted at origin'],
    ['git push -f origin tag v1', 'refs overwritten at origin'],
    ['git push --force --tags origin', 'tags overwritten at origin'],
    ['git push --prune origin', 'refs overwritten or deleted at origin'],
  ])('of %s are "%s"', async (line, what) => {
    expect((await stage.one(line)).what).toBe(`${what} by ${line}`);
  });

  it('of --mirror, and of --tags beside others, have their tags in a second entry', async () => {
    for (const [line, refs, tags] of [
      ['git push --mirror', 'refs overwritten or deleted', 'tags overwritten or deleted'],
      ['git push -f --tags origin main', 'refs overwritten', 'tags overwritten'],
    ] as const)
      expect((await stage.look(line)).map(({ what }) => what)).toEqual([
        `${refs} at origin by ${line}`,
        `${tags} at origin by ${line}`,
      ]);
    expect(await stage.one('git push --force --tags origin')).toMatchObject({
      count: null,
      note: expect.stringContaining('not known'),
    });
    expect(await stage.look('git push --tags origin')).toEqual([]);
  });

  it.each([
    "git push -f origin 'refs/heads/*:refs/heads/*'",
    "git push origin '+refs/tags/*'",
    'git push -f origin :',
    'git push origin +:',
  ])('of %s are not known', async (line) => {
    expect(await stage.one(line)).toMatchObject({ count: null, note: expect.stringContaining('several refs') });
  });

  it('of `tag NAME` are one tag', async () => {
    expect((await stage.one('git push -f origin tag v1')).count).toBe(1);
    expect((await stage.one('git push -f origin tag tag')).items).toEqual(['refs/tags/tag: not known → refs/tags/tag']);
  });

  it.each([
    ['git push -f origin "$X"', 'refs overwritten or deleted'],
    ['git push -f "$X" main', 'refs overwritten or deleted'],
    ['git push "$X" +main', 'refs overwritten or deleted'],
    ['git branch -D "$X"', 'refs deleted'],
    ['git tag -d v1 "$X"', 'refs deleted'],
  ])('of %s are not known', async (line, what) => {
    expect(await stage.one(line)).toMatchObject({
      what: `${what} by ${line}`,
      count: null,
      note: 'the names are only known when the command runs',
    });
  });

  it('are shown if they would be deleted', async () => {
    stage.git('branch', 'side');
    stage.git('tag', 'v1');
    expect((await stage.one('git push origin --delete other')).items).toEqual([
      `other: ${id('origin/other')} → deleted`,
    ]);
    expect((await stage.one('git push origin :other')).items).toEqual([`other: ${id('origin/other')} → deleted`]);
    expect((await stage.one('git branch -D side')).items).toEqual([`side: ${id('side')} → deleted`]);
    expect((await stage.one('git tag -d v1')).items).toEqual([`v1: ${id('v1')} → deleted`]);
    expect((await stage.one('git branch -D ../../../x')).items).toEqual(['../../../x: not known → deleted']);
    expect((await stage.one('git branch -rd origin/other')).items).toEqual([
      `refs/remotes/origin/other: ${id('origin/other')} → deleted`,
    ]);
    expect(await stage.look('git branch')).toEqual([]);
  });

  it('are counted if they are stashes', async () => {
    for (const text of ['1', '2', '3']) {
      writeFileSync(join(stage.directory, 'a'), text);
      stage.git('stash', 'push', '-qm', `number ${text}`);
    }
    expect(await stage.one('git stash clear')).toMatchObject({
      count: 3,
      items: ['On main: number 3', 'On main: number 2', 'On main: number 1'],
    });
    expect(await stage.one('git stash drop')).toMatchObject({ count: 1, note: 'of 3' });
  });
});
