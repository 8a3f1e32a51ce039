/** A standing grant for reading git in a repository, and attempts to run something else under it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const stage = new GatedStage();
let id = '';
const inRepository = (command: string): string => `cd "$SCRATCH/work/repo" && ${command}`;

beforeAll(async () => {
  await stage.open();
  const made = await stage.run(
    [
      'mkdir -p "$SCRATCH/work/repo/src" "$SCRATCH/work/bin" "$SCRATCH/work/other"',
      'cd "$SCRATCH/work/repo" && git init -q . && echo one > src/a && git add . ',
      'git -c user.name=u -c user.email=u@x commit -qm first',
      'ln -s "$SCRATCH/work/other" out && echo secret > "$SCRATCH/work/other/b"',
    ].join(' && '),
  );
  if (made.status !== 0) throw new Error(made.err);
  const asked = await stage.run(inRepository(`ape-shell -c 'git log --oneline'`));
  expect(asked.status).toBe(75);
  id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0] ?? '';
  const offered = await stage.run(`apes grants proposals ${id}`);
  expect(offered.out).toMatch(/^exact [\s\S]*^operation [\s\S]*^reading /m);
  const approved = await stage.run(`apes grants approve ${id} --term always --as reading`);
  expect(approved).toMatchObject({ status: 0 });
});
afterAll(() => stage.close());

describe('a line that the standing grant covers runs at once', () => {
  it.each([
    'git log --oneline',
    'git log -1 --stat',
    'git status --short',
    'cd src && git diff',
    'git show HEAD:src/a && git branch -a',
    'timeout 5 git status',
  ])('%s runs', async (line) => {
    const ran = await stage.run(inRepository(`ape-shell -c '${line}'`));
    expect(ran.err).toContain(id);
    expect(ran.status).toBe(0);
  });
});

describe('a line that only resembles a covered one is not covered', () => {
  it.each([
    ['writes a file', `ape-shell -c 'git log > x'`],
    ['writes by an option', `ape-shell -c 'git log --output=x'`],
    ['names a pager', `ape-shell -c 'git -c core.pager=id log'`],
    ['pipes its output into a shell', `ape-shell -c 'git log | sh'`],
    ['changes the repository', `ape-shell -c 'git commit --allow-empty -m x'`],
    ['has a command substitution', `ape-shell -c 'git log $(id)'`],
    ['reads another repository', `ape-shell -c 'git -C "$SCRATCH/work/other" log'`],
    ['follows a link out', `ape-shell -c 'cd out && git status'`],
    ['runs another tool', `ape-shell -c 'cat src/a'`],
    ['runs outside of the repository', `cd .. && ape-shell -c 'git status'`],
    [
      'runs another file named git',
      `ln -sf /bin/true ../bin/git && PATH="$PWD/../bin:$PATH" ape-shell -c 'git status'`,
    ],
    ['runs a function named git', `git() { id; }; export -f git; ape-shell -c 'git status'`],
    ['sets the ssh command', `GIT_SSH_COMMAND=id ape-shell -c 'git status'`],
    ['sets the pager', `GIT_PAGER=id ape-shell -c 'git log'`],
    ['sets an external diff', `GIT_EXTERNAL_DIFF=id ape-shell -c 'git diff'`],
    ['names a file that bash reads first', `BASH_ENV=/dev/null ape-shell -c 'git status'`],
    ['is a login shell by its option', `ape-shell -lc 'git status'`],
    ['is a login shell by its name', `(exec -a -ape-shell ape-shell -c 'git status')`],
    ['is a script', `echo 'git status' | ape-shell -s`],
  ])('waits for an approver: it %s', async (_what, command) => {
    const asked = await stage.run(inRepository(command));
    expect(asked.err).toContain('NOT RUN YET');
    expect(asked.status).toBe(75);
  });
});

it('a revoked standing grant covers no line', async () => {
  expect((await stage.run(inRepository(`ape-shell -c 'git status'`))).status).toBe(0);
  expect((await stage.run(`apes grants revoke ${id}`)).status).toBe(0);
  expect((await stage.run(inRepository(`ape-shell -c 'git status'`))).status).toBe(75);
});
