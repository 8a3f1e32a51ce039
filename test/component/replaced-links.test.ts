/**
 * A command of the line removes or replaces a link. The lookups follow the link as it is before the line starts. A later command of the
 * line may reach another file, so its path must not count as known. Bash runs each line, and shows which file the line really reaches.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAtOrBelow } from '../../src/core/text/path.ts';
import { assessOnHost } from './assess-on-host.ts';

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'ape-links-')));
  for (const name of ['repo/d', 'near', 'far', 'links', 'home']) mkdirSync(join(top, name), { recursive: true });
  for (const name of ['near', 'far']) writeFileSync(join(top, name, 'x'), `${name}\n`);
  symlinkSync('../near', join(top, 'repo/l'));
  symlinkSync('../../near', join(top, 'repo/d/l'));
  symlinkSync('repo/l', join(top, 'chain'));
  symlinkSync('../near/x', join(top, 'repo/f'));
  symlinkSync('../repo/l/x', join(top, 'links/x'));
  writeFileSync(join(top, 'home/n'), 'n\n');
  writeFileSync(join(top, 'repo/own'), 'own\n');
  writeFileSync(join(top, 'repo/other'), 'other\n');
  run(
    'git init -q -b A && git add . && git commit -q -m a && git checkout -q -b B && ln -sfn ../far l && ln -sfn ../../far d/l && ' +
      'git commit -q -a -m b && git checkout -q A && ln -sfn ../far l && git stash -q && ' +
      'mkdir ../t ../t/d && ln -s ../far ../t/l && ln -s ../../far ../t/d/l && tar cf ../t.tar -C ../t .',
  );
});
afterEach(() => rmSync(top, { recursive: true }));

function run(line: string): string {
  const environment = { PATH: process.env['PATH'], HOME: join(top, 'home'), GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
  const names = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const done = spawnSync('bash', ['-c', line], { cwd: join(top, 'repo'), env: { ...environment, ...names } });
  expect([line, done.status, String(done.stderr)]).toMatchObject([line, 0, expect.anything()]);
  return String(done.stdout);
}

/**
 * The paths that the last command of the line may read or write by its assessment; null if a command is opaque.
 * @param tool the first command of this tool counts, in place of the last command
 */
function pathsOf(line: string, access: 'read' | 'write' | 'delete', tool?: string) {
  const assessment = assessOnHost(line, join(top, 'repo'), join(top, 'home'));
  const permissions = assessment.requiredPermissions?.map(({ permission }) => permission) ?? null;
  const one = tool === undefined ? permissions?.at(-1) : permissions?.find((each) => each.tool === tool);
  return one?.resources.filter((each) => each.kind === 'path' && each.access === access) ?? null;
}

describe('a command after one that may replace a link', () => {
  it.each([
    ['git checkout -q B && cat l/x', 'far\n'],
    ['git checkout -q B && cat d/l/x', 'far\n'],
    ['git checkout -q B && cat ../chain/x', 'far\n'],
    ['git checkout -q B && cd l && cat x', 'far\n'],
    ['git checkout -q B && cat l/*', 'far\n'],
    ['git checkout -q B && find l/ -type f -exec cat {} +', 'far\n'],
    ['git stash pop -q && cat l/x', 'far\n'],
    ['git reset -q --hard B && cat l/x', 'far\n'],
    ['ln -sfn ../far l && cat l/x', 'far\n'],
    ['ln -sfn ../../far d/l && cat d/l/x', 'far\n'],
    ['rm l && ln -s ../far l && cat l/x', 'far\n'],
    ['rm l && cp -r ../far l && cat l/x', 'far\n'],
    ['rm l && mv ../far l && cat l/x', 'far\n'],
    ['mv l m && mv ../t/l l && cat l/x', 'far\n'],
    ['mv -T ../t/l l && cat l/x', 'far\n'],
    ['rm -r d && cp -r ../t/d d && cat d/l/x', 'far\n'],
    ['mv d e && mv ../t/d d && cat d/l/x', 'far\n'],
    ['git checkout -q B && cat ../links/*', 'far\n'],
    ['tar xf ../t.tar && cat l/x', 'far\n'],
    ['tar xf ../t.tar && cat d/l/x', 'far\n'],
    ['tar xf ../t.tar && cat ../chain/x', 'far\n'],
  ] as const)('does not read a known path: %s', (line, shown) => {
    const paths = pathsOf(line, 'read');
    expect(run(line)).toBe(shown);
    expect(
      paths === null || paths.some(({ value, isExact }) => !isExact && isAtOrBelow(join(top, 'far/x'), value)),
      JSON.stringify(paths),
    ).toBe(true);
  });

  it.each([
    '{ sleep 0.3; cat l/x; } & mv -T ../t/l l; wait',
    '(sleep 0.3; cat l/x) & (mv -T ../t/l l); wait',
    "sh -c '{ sleep 0.3; cat l/x; } & mv -T ../t/l l; wait'",
    "sh -c 'sleep 0.3; cat l/x' & mv -T ../t/l l; wait",
    '(sleep 0.3; cat l/x) | cat & mv -T ../t/l l; wait',
    "bash -c '{ sleep 0.3; cat l/x; } &'; mv -T ../t/l l; sleep 0.6",
    '({ sleep 0.3; cat l/x; } &); mv -T ../t/l l; sleep 0.6',
    "setsid -f sh -c 'sleep 0.3; cat l/x'; mv -T ../t/l l; sleep 0.6",
    "nohup sh -c 'sleep 0.3; cat l/x' & mv -T ../t/l l; wait",
    "timeout --foreground 0.1 sh -c '(sleep 0.3; cat l/x); echo'; mv -T ../t/l l; sleep 0.6",
    'cat <(sleep 0.3; cat l/x) & mv -T ../t/l l; wait',
  ])('a command in the background does not read a known path: %s', (line) => {
    const paths = pathsOf(line, 'read', 'cat');
    expect(run(line)).toBe('far\n');
    expect(
      paths === null || paths.some(({ value, isExact }) => !isExact && isAtOrBelow(join(top, 'far/x'), value)),
      JSON.stringify(paths),
    ).toBe(true);
  });

  it.each(['cat l/x; mv -T ../t/l l', 'cat l/x | grep near; mv -T ../t/l l', 'echo $(cat l/x); mv -T ../t/l l'])(
    'a command that ends before the link is replaced reads a known path: %s',
    (line) => {
      expect(pathsOf(line, 'read', 'cat')).toMatchObject([{ value: join(top, 'near/x'), isExact: true }]);
      expect(run(line)).toBe('near\n');
    },
  );

  it.each([
    ['rm f && cp own f', 'f'],
    ['rm f && echo > f', 'f'],
    ['mv f g && echo > f', 'f'],
    ['mv other f && echo > f', 'f'],
    ['rm *[f] && echo > f', 'f'],
    ['find . -name f -delete && echo > f', 'f'],
    ['sed -i s/a/b/ f && echo > f', 'f'],
    ['cp --remove-destination own f && echo > f', 'f'],
    ['ln -f own f && echo > f', 'own'],
    ['rm -r d && mkdir -p d/l && echo > d/l/x', 'd/l/x'],
    ['mv d e && mkdir -p d/l && echo > d/l/x', 'd/l/x'],
  ] as const)('does not write a known path: %s', (line, written) => {
    const paths = pathsOf(line, 'write');
    run(line);
    expect(
      paths === null ||
        paths.some(({ value, isExact }) =>
          isExact ? value === join(top, 'repo', written) : isAtOrBelow(join(top, 'repo', written), value),
        ),
      JSON.stringify(paths),
    ).toBe(true);
  });

  it.each([
    ['rm own && cat f', 'near/x'],
    ['rm -r d && cat l/x', 'near/x'],
    ['mv other new && cat ../chain/x', 'near/x'],
    ['echo > own && cat l/x', 'near/x'],
    ['sed -i s/a/b/ own && cat l/x', 'near/x'],
    ['git checkout -q B && cat ~/n', 'home/n'],
    ['rm own && echo > own && cat own', 'repo/own'],
  ])('reads a known path if that command cannot change a link on its way: %s', (line, read) => {
    expect(pathsOf(line, 'read')).toMatchObject([{ value: join(top, read), isExact: true }]);
    run(line);
  });

  it.each(['git checkout -q B && cd l && git add .', 'rm l && mkdir l && cd l && git add .'])(
    'does not find a known repository: %s',
    (line) => {
      run('git init -q ../near');
      expect(pathsOf('cd l && git add .', 'write')).not.toBeNull();
      expect(pathsOf(line, 'write')).toBeNull();
    },
  );
});

it('git in a repository whose settings name another work tree has no known paths', () => {
  expect(pathsOf('git rm -f own', 'delete')).not.toBeNull();
  run('git config core.worktree ../../near');
  expect(pathsOf('git rm -f own', 'delete')).toBeNull();
});

it('git below the top may find a bare repository that an earlier git of the line has checked out', () => {
  const bare = { HEAD: 'ref: refs/heads/x\n', 'objects/keep': '', 'refs/keep': '', 'tree/a': '' };
  const settings = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = tree\n\tfsmonitor = "touch ${top}/ran; false"\n`;
  for (const name of ['in/objects', 'in/refs', 'in/tree']) mkdirSync(join(top, 'repo', name), { recursive: true });
  for (const [name, text] of Object.entries({ ...bare, config: settings }))
    writeFileSync(join(top, 'repo/in', name), text);
  run('git checkout -q B && git add . && git commit -q -m bare && git checkout -q A && mkdir -p in');
  const line = 'git checkout -q B && cd in && git status';
  expect(pathsOf('cd in && git status', 'read')).not.toBeNull();
  expect(pathsOf('git checkout -q B && git status', 'read')).not.toBeNull();
  expect(pathsOf(line, 'read')).toBeNull();
  run(line);
  expect(existsSync(join(top, 'ran'))).toBe(true); // the settings of the bare repository made git run this
});
