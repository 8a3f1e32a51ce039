/** A standing grant for reading git in a repository, and attempts to run something else under it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const stage = new GatedStage();
let id = '';
/** Where the repository is, and a directory beside it. */
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

describe('what it is for runs at once', () => {
  it.each([
    'git log --oneline',
    'git log -1 --stat',
    'git status --short',
    'cd src && git diff',
    'git show HEAD:src/a && git branch -a',
    'timeout 5 git status',
  ])('%s', async (line) => {
    const ran = await stage.run(inRepository(`ape-shell -c '${line}'`));
    expect(ran.err).toContain(id);
    expect(ran.status).toBe(0);
  });
});

describe('what only looks like it is asked for', () => {
  it.each([
    ['writes a file', `ape-shell -c 'git log > x'`],
    ['writes by an option', `ape-shell -c 'git log --output=x'`],
    ['brings a pager', `ape-shell -c 'git -c core.pager=id log'`],
    ['goes into a shell', `ape-shell -c 'git log | sh'`],
    ['changes', `ape-shell -c 'git commit --allow-empty -m x'`],
    ['runs what it reads', `ape-shell -c 'git log $(id)'`],
    ['is another repository', `ape-shell -c 'git -C "$SCRATCH/work/other" log'`],
    ['follows a link out', `ape-shell -c 'cd out && git status'`],
    ['is another tool', `ape-shell -c 'cat src/a'`],
    ['stands elsewhere', `cd .. && ape-shell -c 'git status'`],
    ['is another file', `ln -sf /bin/true ../bin/git && PATH="$PWD/../bin:$PATH" ape-shell -c 'git status'`],
    ['is a function', `git() { id; }; export -f git; ape-shell -c 'git status'`],
    ['has an ssh of its own', `GIT_SSH_COMMAND=id ape-shell -c 'git status'`],
    ['has a pager of its own', `GIT_PAGER=id ape-shell -c 'git log'`],
    ['has an external diff', `GIT_EXTERNAL_DIFF=id ape-shell -c 'git diff'`],
    ['runs a file first', `BASH_ENV=/dev/null ape-shell -c 'git status'`],
    ['is a login shell by its option', `ape-shell -lc 'git status'`],
    ['is a login shell by its name', `(exec -a -ape-shell ape-shell -c 'git status')`],
    ['is a script', `echo 'git status' | ape-shell -s`],
  ])('%s', async (_what, command) => {
    const asked = await stage.run(inRepository(command));
    expect(asked.err).toContain('NOT RUN YET');
    expect(asked.status).toBe(75);
  });
});

it('once revoked nothing runs by it', async () => {
  expect((await stage.run(inRepository(`ape-shell -c 'git status'`))).status).toBe(0);
  expect((await stage.run(`apes grants revoke ${id}`)).status).toBe(0);
  expect((await stage.run(inRepository(`ape-shell -c 'git status'`))).status).toBe(75);
});
