/**
 * Threat: git stores its data elsewhere than in its working directory. The approver must be shown where, and the kernel must
 * confine git to that. Tried: a linked work tree, a repository whose `.git` is a link, and one that is replaced later. Real git.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { REACHED } from '../fixtures/held-run.ts';
import { GatedStage } from './gated-stage.ts';

const stage = new GatedStage();
const isHeld = REACHED.level > 0;
const isKept = REACHED.level === 3;
const inside = (directory: string, command: string) => stage.run(`cd "$SCRATCH/work/${directory}" && ${command}`);
const gated = (directory: string, line: string) => inside(directory, `ape-shell -c '${line}'`);
const at = (...parts: string[]): string => join(stage.scratch, 'work', ...parts);

beforeAll(async () => {
  await stage.open();
  const made = await stage.run(
    [
      'mkdir -p "$SCRATCH/work/repo" && cd "$SCRATCH/work/repo" && git init -q . && git config user.name u',
      'git config user.email u@x && echo one > a && git add . && git commit -qm first && git branch side',
      'git worktree add -q ../linked side && git clone -q . ../other && cd .. && mkdir moved',
      'git clone -q repo moved && mv moved/.git record && ln -s ../record moved/.git',
    ].join(' && '),
  );
  if (made.status !== 0) throw new Error(made.err);
});
afterAll(() => stage.close());

async function approve(directory: string, line: string, how: string): Promise<string> {
  const asked = await gated(directory, line);
  const id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0] ?? '';
  const decided = await stage.run(`apes grants approve ${id} ${how}`);
  if (asked.status !== 75 || decided.status !== 0) throw new Error(`${line}: ${asked.err} ${decided.err}`);
  return id;
}

test.each([
  ['linked', 'repo/.git'],
  ['moved', 'record'],
])(
  'in %s a covered line reads the git data in its own place, which the approver was shown',
  async (directory, record) => {
    const id = await approve(directory, 'git status --short', '--term always --as reading');
    const ran = await gated(directory, 'git status --short && git log --oneline');
    expect([ran.status, ran.out]).toEqual([0, expect.stringContaining('first')]);
    expect(ran.err).toContain(id);
    if (isHeld) expect(ran.err).toContain(at(record));
    expect((await stage.run(`apes grants show ${id}`)).out).toContain(at(record));
  },
);

test('after .git was changed to lead to another repository, git needs a new approval to read there', async () => {
  await stage.run('cd "$SCRATCH/work" && cp linked/.git kept && echo "gitdir: $PWD/other/.git" > linked/.git');
  expect((await gated('linked', 'git log --oneline')).status).toBe(75);
  await stage.run('cd "$SCRATCH/work" && cp kept linked/.git');
  expect((await gated('linked', 'git log --oneline')).status).toBe(0);
});

test('a commit that runs hooks is for exact approvals, so no hook can name another repository for git', async () => {
  const hook = at('repo', '.husky', 'pre-commit');
  await approve('repo', 'git commit --allow-empty -qm covered', '--term always --as operation');
  expect((await gated('repo', 'git commit --allow-empty -qm covered-too')).status).toBe(0);
  await inside('repo', `mkdir .husky && echo 'echo .. > .git/commondir' > ${hook} && chmod +x ${hook}`);
  await inside('repo', 'git config core.hooksPath .husky');
  const asked = await gated('repo', 'git commit --allow-empty -qm hooked');
  expect([asked.status, existsSync(at('repo', '.git', 'commondir'))]).toEqual([75, false]);
  const id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0] ?? '';
  expect((await stage.run(`apes grants approve ${id} --term always --as operation`)).status).not.toBe(0);
  await inside('repo', 'git config --unset core.hooksPath && rm -r .husky');
});

test('git add of a repository that git does not follow yet is for exact approvals', async () => {
  const id = await approve('repo', 'git add -A', '--term always --as operation');
  expect((await gated('repo', 'git add -A')).status).toBe(0);
  expect((await inside('repo', `apes grants run ${id}`)).status).toBe(0);
  await inside('repo', 'git init -q nest && git -C nest -c user.name=u -c user.email=u@x commit -q --allow-empty -m x');
  for (const line of ['git add -A', 'git add .', 'git add nest', 'git add nest/'])
    expect([line, (await gated('repo', line)).status]).toEqual([line, 75]);
  expect((await gated('repo', 'git add a')).status).toBe(0);
  // Run by its id, the request itself is covered only if the host facts of that moment allow it.
  const byId = await inside('repo', `apes grants run ${id}`);
  expect([byId.status, byId.err]).toEqual([77, expect.stringContaining('ask for it again')]);
  expect((await inside('repo', 'git ls-files -s nest')).out).toBe('');
});

test('git add through a filter of the project is for exact approvals', async () => {
  expect((await gated('repo', 'git add a')).status).toBe(0);
  await inside('repo', 'git config filter.x.clean "node tools/x.js" && echo "a filter=x" > .git/info/attributes');
  expect((await gated('repo', 'git add a')).status).toBe(75);
  await inside('repo', 'git config filter.x.clean "git-lfs clean -- %f"');
  expect((await gated('repo', 'git add a')).status).toBe(0);
  await inside('repo', 'git config --remove-section filter.x && rm .git/info/attributes');
});

test('git reset is for exact approvals where it may make git follow a repository in the work tree', async () => {
  await inside('repo', 'mv nest ../aside');
  await approve('repo', 'git reset -q HEAD', '--term always --as operation');
  expect((await gated('repo', 'git reset -q HEAD')).status).toBe(0);
  await inside('repo', 'mv ../aside nest');
  expect((await gated('repo', 'git reset -q HEAD')).status).toBe(75);
});

test('git in a nested repository, which may run code, is not covered beside a command that writes .git', async () => {
  await approve('repo', 'git status -s', '--term always --as operation');
  expect((await gated('repo', 'git status -s; git add a')).status).toBe(0);
  expect((await gated('repo', 'git -C nest status -s')).status).toBe(0);
  const lines = ['git -C nest status -s; git add a', 'git -C nest status -s ..; git add a'];
  for (const line of [...lines, 'git add a && cd nest && git status -s', 'git add a && cd nest && git status -s ..'])
    expect([line, (await gated('repo', line)).status]).toEqual([line, 75]);
});

test.each(['mkdir sub/.git', 'ln -s .git sub/.git'])(
  'after `%s` git looks for its repository in the directories above, and the line needs an approval',
  async (make) => {
    await inside('repo', `mkdir -p sub && ${make}`);
    for (const line of ['git -C sub add a', 'cd sub && git commit -qm z --allow-empty'])
      expect([line, (await gated('repo', line)).status]).toEqual([line, 75]);
    await inside('repo', 'rm -r sub');
  },
);

test('git push and git fetch are for exact approvals if the remote is a repository on this host, which may run its own code', async () => {
  await inside('repo', 'git remote add origin ssh://u@nowhere.invalid/x');
  for (const line of ['git push', 'git fetch']) await approve('repo', line, '--term always --as operation');
  expect((await gated('repo', 'git fetch')).status).toBe(128);
  await inside(
    'repo',
    'git init -q --bare near && mkdir near/hooks; git -C near config receive.denyNonFastForwards false',
  );
  await inside(
    'repo',
    `printf '#!/bin/sh\necho ran > ${at('repo', 'ran')}\n' > near/hooks/post-receive && chmod +x near/hooks/post-receive`,
  );
  for (const line of ['git push ./near HEAD:main', 'git fetch ../other', 'git push --repo=./near'])
    expect([line, (await gated('repo', line)).status]).toEqual([line, 75]);
  // `near` is no remote, so git takes it for a path.
  for (const line of ['git push near', 'git fetch near']) {
    const tried = await gated('repo', line);
    expect([tried.status, tried.err]).toEqual([128, expect.stringContaining("transport 'file' not allowed")]);
  }
  // This variable takes precedence over the setting that refuses such a remote.
  expect((await inside('repo', "GIT_ALLOW_PROTOCOL=file ape-shell -c 'git fetch near'")).status).toBe(75);
  expect(existsSync(at('repo', 'ran'))).toBe(false);
  await inside('repo', 'git remote set-url origin ./near');
  for (const line of ['git push', 'git fetch', 'git push origin HEAD:main'])
    expect([line, (await gated('repo', line)).status]).toEqual([line, 75]);
  // With an approval of the exact bytes the attack works.
  await approve('repo', 'git push origin HEAD:main', '--term once');
  expect((await gated('repo', 'git push origin HEAD:main')).status).toBe(0);
  expect(existsSync(at('repo', 'ran'))).toBe(true);
  await inside('repo', 'git remote remove origin && rm -r near ran');
});

test('git add is for exact approvals if a repository has replaced a followed file, also if .gitignore names it as a directory', async () => {
  await inside(
    'repo',
    'echo x > was && git add was && git commit -qm was && echo was/ > .gitignore && rm was && git init -q was',
  );
  await inside('repo', 'git -C was -c user.name=u -c user.email=u@x commit -q --allow-empty -m x');
  await inside('repo', 'mv nest ../aside');
  for (const line of ['git add -u', 'git add -A', 'git add .'])
    expect([line, (await gated('repo', line)).status]).toEqual([line, 75]);
  await inside('repo', 'rm -rf was .gitignore && git checkout -q was');
  expect((await gated('repo', 'git add -A')).status).toBe(0);
  await inside('repo', 'mv ../aside nest');
});

test('covered git runs no hook and no fsmonitor that appears while the line runs', async () => {
  const line = 'touch begun && sleep 2 && git status -s && git commit --allow-empty -qm late';
  const attack = [
    'for n in {1..400}; do [ -e begun ] && break; sleep 0.05; done',
    `printf '#!/bin/sh\\necho "$0" >> ${at('late', 'ran')}\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit`,
    'cp .git/hooks/pre-commit .git/monitor && git config core.fsmonitor "$PWD/.git/monitor"',
  ].join(' && ');
  const attacked = (command: string) => inside('late', `{ (${attack}) & ${command}; s=$?; wait; exit $s; }`);
  await inside('.', 'mkdir late && cd late && git init -q . && git config user.name u && git config user.email u@x');
  await approve('late', line, '--term always --as operation');
  const covered = await attacked(`ape-shell -c '${line}'`);
  expect([covered.status, covered.err]).toEqual([0, expect.stringContaining('granted')]);
  expect(existsSync(at('late', 'ran'))).toBe(false);
  // Without a gate git runs both, which proves that the attack works.
  await inside('late', 'rm -f begun ran .git/hooks/pre-commit .git/monitor; git config --unset core.fsmonitor');
  expect((await attacked(line)).status).toBe(0);
  expect(readFileSync(at('late', 'ran'), 'utf8')).toMatch(/monitor[\s\S]*pre-commit/);
  await inside('.', 'rm -rf late');
});

test('covered git has settings that keep it from hooks, fsmonitor and submodules', async () => {
  await approve('repo', 'git config --get core.hooksPath', '--term always --as reading');
  const values = {
    'core.hooksPath': '/dev/null',
    'core.fsmonitor': 'false',
    'fetch.recurseSubmodules': 'false',
    'submodule.recurse': 'false',
  };
  for (const [name, value] of Object.entries(values))
    expect([name, (await gated('repo', `git config --get ${name}`)).out]).toEqual([name, `${value}\n`]);
});

test('git add is for exact approvals if there is a hook that runs at each change of the index', async () => {
  const hook = at('repo', 'hooks', 'post-index-change');
  await inside('repo', 'mkdir hooks && git config core.hooksPath hooks && ln -s /bin/true hooks/pre-commit');
  expect((await gated('repo', 'git add a')).status).toBe(0);
  await inside('repo', `ln -s /bin/sh ${hook}`);
  expect((await gated('repo', 'git add a')).status).toBe(75);
  await inside('repo', 'git config --unset core.hooksPath && rm -r hooks');
});

test('.git of a repository that git follows stays as it is while code of the project runs', async () => {
  await inside(
    'repo',
    "git add nest && printf 'x:\\n\\techo ran > built; rm -r nest/.git; mv nest other; echo y > nest/.git\\n' > Makefile",
  );
  const head = at('repo', 'nest', '.git', 'HEAD');
  const before = readFileSync(head, 'utf8');
  await approve('repo', 'make -i', '--term always --as operation');
  await gated('repo', 'make -i');
  expect(readFileSync(at('repo', 'built'), 'utf8')).toBe('ran\n');
  expect(existsSync(head) && readFileSync(head, 'utf8') === before).toBe(isKept);
  await inside('repo', 'git rm -qf --cached nest; rm -rf nest built Makefile');
});

test('a directory above a place that is kept read-only cannot be renamed, and stays writable', async () => {
  const make =
    'x:\\n\\techo ran > built; mv .cargo moved; mkdir -p .cargo; echo evil > .cargo/config.toml; echo y > .cargo/other\\n';
  await inside('repo', `mkdir .cargo && echo own > .cargo/config.toml && printf '${make}' > Makefile`);
  await gated('repo', 'make -i'); // covered by the scope of the test before
  const read = (name: string) => readFileSync(at('repo', ...name.split('/')), 'utf8');
  expect([read('built'), read('.cargo/config.toml'), read('.cargo/other')]).toEqual([
    'ran\n',
    isKept ? 'own\n' : 'evil\n',
    'y\n',
  ]);
  await inside('repo', 'rm -rf .cargo built Makefile');
});

test('a command that writes git data in another directory is for exact approvals, which can be confined', async () => {
  const line = 'git commit --allow-empty -qm second';
  const asked = await gated('linked', line);
  const id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0] ?? '';
  expect((await stage.run(`apes grants approve ${id} --term always --as narrow`)).status).not.toBe(0);
  if (!isHeld) return expect((await stage.run(`apes grants approve ${id} --confined`)).status).not.toBe(0);
  expect(await stage.run(`apes grants approve ${id} --confined`)).toMatchObject({ status: 0 });
  const ran = await gated('linked', line);
  expect([ran.status, ran.err]).toEqual([0, expect.stringContaining(`writes ${at('linked')}, ${at('repo', '.git')}`)]);
  expect((await inside('linked', 'git log --oneline')).out).toContain('second');
});

test.each([
  ['git restore a', 'echo two > a', () => expect(readFileSync(at('repo', 'a'), 'utf8')).toBe('one\n')],
  ['git restore --staged a', 'echo two > a; git add a', () => expect(existsSync(at('repo', 'a'))).toBe(true)],
  ['git rm -qf a', 'git checkout -q HEAD a', () => expect(existsSync(at('repo', 'a'))).toBe(false)],
  ['git checkout -q HEAD a', 'true', () => expect(existsSync(at('repo', 'a'))).toBe(true)],
  ['git stash -q', 'echo two > a', () => expect(readFileSync(at('repo', 'a'), 'utf8')).toBe('one\n')],
  ['git mv a b', 'true', () => expect(existsSync(at('repo', 'b'))).toBe(true)],
  ['git reset -q --hard', 'true', () => expect(existsSync(at('repo', 'a'))).toBe(true)],
  ['git clean -qf', 'echo x > new', () => expect(existsSync(at('repo', 'new'))).toBe(false)],
  ['git tag v1', 'true', () => undefined],
  ['git branch third', 'true', () => undefined],
  ['git clone -q . nested', 'true', () => expect(existsSync(at('repo', 'nested', '.git', 'config'))).toBe(true)],
  ['git branch -m third fourth', 'true', () => undefined],
  [
    'git remote add up ../other',
    'true',
    () => expect(readFileSync(at('repo', '.git', 'config'), 'utf8')).toContain('"up"'),
  ],
])('`%s` can be approved confined, and does its work', async (line, before, after) => {
  expect(await inside('repo', before)).toMatchObject({ status: 0 });
  const asked = await gated('repo', line);
  const id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0] ?? '';
  const decided = await stage.run(`apes grants approve ${id} --confined`);
  if (!isHeld) return expect(decided.status).not.toBe(0);
  expect(decided).toMatchObject({ status: 0 });
  const ran = await gated('repo', line);
  expect([ran.status, ran.err]).toEqual([0, expect.stringContaining('confined: reads')]);
  after();
  rmSync(at('repo', '.git', 'index.lock'), { force: true });
});
