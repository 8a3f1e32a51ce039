/** Which commands a scope covers. */
import { describe, expect, it } from 'vitest';
import type { CommandScope } from '../../src/core/scope/command-scope.ts';
import { coverLine } from '../../src/core/scope/cover-line.ts';
import { missOf } from '../../src/core/scope/covers-required.ts';
import { uncoveredTexts } from '../../src/core/scope/miss-text.ts';
import { isReadingPermission } from '../../src/core/scope/reading-permission.ts';
import {
  APP,
  assess,
  covers,
  factsIn,
  NOON,
  pattern,
  programAt,
  READ_APP,
  requestOf,
  requiredPermissionsOf,
  scope,
  world,
} from './scope-fixture.ts';

const gitLog = scope();
const readingGit = scope([pattern({ operations: { reading: true, tool: 'git' } })]);
const reading = scope([pattern({ operations: { reading: true, tool: null } })]);

it('git log with any options is covered, anywhere in the repository', () => {
  for (const text of ['git log', 'git log --oneline -5', 'git log -p --stat', 'timeout 5 git log', 'cd src && git log'])
    expect([text, covers(gitLog, text)]).toEqual([text, true]);
  expect(covers(gitLog, 'git log', { ...world, cwd: `${APP}/src/core` })).toBe(true);
});

it.each([
  ['an option that writes', 'git log --output=/x'],
  ['an option that writes inside the directory', `git log --output=${APP}/x`],
  ['a setting that names a program', 'git -c core.pager=./x log'],
  ['a shell at the end of the pipe', 'git log | sh'],
  ['a redirection into a start-up file', 'git log > ~/.bashrc'],
  ['a redirection anywhere', 'git log > out.txt'],
  ['another PATH', 'PATH=/tmp git log'],
  ['a variable that names a program', 'GIT_SSH_COMMAND=./x git log'],
  ['another git command', 'git push'],
  ['another command after it', 'git log; ls'],
  ['another command in the background', 'git log & git fetch'],
  ['a substitution', 'git log $(id)'],
  ['another user', 'sudo -u root git log'],
  ['another host', 'ssh web git log'],
  ['a container', 'docker exec app git log'],
  ['an alias made in the same line', 'alias git=rm; git log'],
  ['a function made in the same line', 'git() { rm -rf x; }; git log'],
  ['a remembered path', 'hash -p /tmp/evil git; git log'],
  ['a repository in another directory', 'git -C /home/u/other log'],
  ['a directory that is entered first', 'cd /home/u/other && git log'],
  ['a wrapper that writes', 'script -c "git log" /tmp/typescript'],
])('a grant for git log does not cover %s', (_, text) => {
  expect(covers(gitLog, text)).toBe(false);
});

it('what a program name resolves to is compared, not the name', () => {
  expect(covers(gitLog, 'git log', { ...world, names: { git: { kind: 'alias', text: 'rm' } } })).toBe(false);
  expect(covers(gitLog, 'git log', { ...world, names: { git: { kind: 'function', text: 'rm' } } })).toBe(false);
  const own = { ...world, names: { git: programAt('/home/u/bin/git', 'user') } };
  expect(covers(gitLog, 'git log', own)).toBe(false);
  const listed = scope([pattern({ programs: { listed: ['/home/u/bin/git'], rootOwned: false } })]);
  expect(covers(listed, 'git log', own)).toBe(true);
  expect(covers(listed, 'git log')).toBe(false);
  const replaced = { ...world, names: { git: programAt('/home/u/bin/git-2', 'user') } };
  expect(covers(listed, 'git log', replaced)).toBe(false);
});

it('a wrapper must itself be a program that the scope lets run', () => {
  const own = { ...world, names: { timeout: programAt('/home/u/bin/timeout', 'user') } };
  expect(covers(gitLog, 'timeout 5 git log', own)).toBe(false);
});

it('a directory is compared by its whole name', () => {
  expect(covers(gitLog, 'git log', { ...world, cwd: '/home/u/app-evil' })).toBe(false);
  expect(covers(reading, 'cat /home/u/app-evil/x')).toBe(false);
  expect(covers(reading, `cat ${APP}/x`)).toBe(true);
  expect(covers(reading, `cat ${APP}/../app-evil/x`)).toBe(false);
});

it('a link that leads out of the directory is not covered', () => {
  const linked = { ...world, links: { [`${APP}/link`]: '/etc' } };
  expect(covers(reading, 'cat link/passwd', linked)).toBe(false);
  expect(covers(reading, 'cat link/../x', linked)).toBe(false);
  expect(covers(reading, 'cat -- *', linked)).toBe(false);
  expect(covers(reading, 'cat -- *')).toBe(true);
  expect(covers(reading, 'cat x', { ...linked, cwd: `${APP}/link` })).toBe(false);
});

it('a file with secrets is packed from a commit only if it is named, and only under a scope for that file', () => {
  const archive = scope([
    pattern({
      operations: ['git archive'],
      highestRisk: 'high',
      resources: [READ_APP, { kind: 'ref', access: ['read'], values: { match: 'any' } }],
    }),
  ]);
  expect(covers(archive, 'git archive HEAD src/a.ts')).toBe(true);
  for (const text of ['git archive HEAD .env', 'git archive HEAD:sub .env', 'git archive HEAD src sub/.env'])
    expect([text, covers(archive, text)]).toEqual([text, false]);
});

it('a file with the name of a secret gets no other name under a scope, but may be deleted', () => {
  const changing = scope([
    pattern({
      operations: ['mv', 'git mv', 'rm', 'gzip'],
      highestRisk: 'high',
      resources: [
        { ...READ_APP, access: ['read', 'write', 'delete'] },
        { kind: 'ref', access: ['write'], values: { match: 'any' } },
      ],
    }),
  ]);
  for (const text of ['mv src/a src/b', 'git mv src/a src/b', 'rm .env', 'gzip src/a'])
    expect([text, covers(changing, text)]).toEqual([text, true]);
  for (const text of ['mv .env src/b', 'mv src/a .env src', 'mv -t src server.key', 'git mv .env src/b', 'gzip .env'])
    expect([text, covers(changing, text)]).toEqual([text, false]);
});

it('a written file may be a new file in place of a link, so the link and its target must both be covered', () => {
  const writing = (tool: string) =>
    scope([
      pattern({
        operations: [tool],
        highestRisk: 'high',
        resources: [{ kind: 'path', access: ['read', 'write', 'delete'], values: { match: 'below', value: APP } }],
      }),
    ]);
  const elsewhere = { ...world, links: { '/home/u/other/link': `${APP}/g` } };
  for (const [tool, text] of [
    ['mv', 'mv a /home/u/other/link'],
    ['ln', 'ln -sf /home/u/app/a /home/u/other/link'],
    ['cp', 'cp --remove-destination a /home/u/other/link'],
    ['tee', 'tee /home/u/other/link'],
  ] as const) {
    expect([text, covers(writing(tool), text, elsewhere)]).toEqual([text, false]);
    expect([text, covers(writing(tool), text.replace('/home/u/other', APP))]).toEqual([text, true]);
  }
});

it('a tool that follows the links in a tree reads their targets', () => {
  const linked = { ...world, links: { [`${APP}/d/link`]: '/srv' } };
  expect(covers(reading, 'biome lint .')).toBe(true);
  expect(covers(reading, 'biome lint .', linked)).toBe(false);
  expect(covers(reading, 'biome lint', linked)).toBe(false);
});

it('shared memory is no sensitive path, like the directory of temporary files; other devices are', () => {
  const checking = scope([
    pattern({
      operations: ['flake8'],
      options: 'any',
      highestRisk: 'high',
      resources: [
        { kind: 'path', access: ['read', 'execute'], values: { match: 'below', value: APP } },
        { kind: 'path', access: ['write'], values: { match: 'below', value: '/dev/shm' } },
      ],
    }),
  ]);
  expect(covers(checking, 'flake8 .')).toBe(true);
  const readingBelow = (value: string) =>
    scope([
      pattern({
        operations: { reading: true, tool: null },
        highestRisk: 'high',
        resources: [{ kind: 'path', access: ['read'], values: { match: 'below', value } }],
      }),
    ]);
  expect(covers(readingBelow('/dev/shm'), 'cat /dev/shm/x')).toBe(true);
  for (const name of ['sda', 'mem', 'input/event0', 'shmx'])
    expect([name, covers(readingBelow('/dev'), `cat /dev/${name}`)]).toEqual([name, false]);
});

it('a tool that runs the tests of a tree runs those behind its links, also if another tool starts it', () => {
  const linked = { ...world, links: { [`${APP}/d/link`]: '/srv' } };
  for (const [operation, text] of [
    ['pytest', 'pytest'],
    ['pytest', 'pytest d'],
    ['python -m pytest', 'python -m pytest -q'],
    ['poetry run pytest', 'poetry run pytest d'],
  ] as const) {
    const testing = scope([
      pattern({
        operations: [operation],
        options: 'any',
        highestRisk: 'high',
        resources: [{ kind: 'path', access: ['execute', 'write'], values: { match: 'below', value: APP } }],
      }),
    ]);
    expect([text, covers(testing, text)]).toEqual([text, true]);
    expect([text, covers(testing, text, linked)]).toEqual([text, false]);
    expect([text, covers(testing, `cd d && ${text}`)]).toEqual([text, true]);
  }
});

it('paths with secrets are never read below a directory, and nothing is written where programs start', () => {
  const home = scope([
    pattern({
      operations: { reading: true, tool: null },
      highestRisk: 'high',
      resources: [{ kind: 'path', access: ['read'], values: { match: 'below', value: '/home/u' } }],
    }),
  ]);
  expect(covers(home, 'cat /home/u/notes')).toBe(true);
  const logins = ['turborepo/auth.json', 'turborepo/config.json', 'com.vercel.cli/auth.json'];
  for (const text of [...logins.map((name) => `cat ~/.config/${name}`), 'cat ~/.local/share/com.vercel.cli/auth.json'])
    expect([text, covers(home, text)]).toEqual([text, false]);
  for (const text of ['cat ~/.ssh/id_rsa', 'cat ~/.aws/credentials', 'grep -r x ~', 'grep -r x ~/.config', 'ls -R ~'])
    expect([text, covers(home, text)]).toEqual([text, false]);
  const writing = scope([
    pattern({
      operations: ['shell', 'cp', 'tee', 'mkdir'],
      highestRisk: 'high',
      resources: [{ kind: 'path', access: ['read', 'write', 'delete'], values: { match: 'below', value: '/home/u' } }],
    }),
  ]);
  expect(covers(writing, 'echo x > ~/app/a')).toBe(true);
  for (const text of [
    'echo x > ~/.bashrc',
    'echo x > .git/hooks/pre-commit',
    'cp x ~/.ssh/',
    'mkdir ~/.config/systemd',
  ])
    expect([text, covers(writing, text)]).toEqual([text, false]);
});

it('a file with a secret-like name is not read as part of a tree, under any spelling of the name', () => {
  const anyTool = scope([
    pattern({
      operations: { reading: true, tool: null },
      highestRisk: 'high',
      resources: [
        { kind: 'path', access: ['read'], values: { match: 'below', value: APP } },
        { kind: 'ref', access: ['read'], values: { match: 'any' } },
      ],
    }),
    pattern({
      operations: ['scp', 'rsync'],
      highestRisk: 'high',
      resources: [
        { kind: 'path', access: ['read'], values: { match: 'below', value: APP } },
        { kind: 'host', access: ['contact'], values: { match: 'exact', value: 'web' } },
      ],
    }),
  ]);
  for (const text of [
    'scp a.txt web:',
    'rsync -a src/ web:',
    'git blame a',
    'git blame HEAD -- a',
    'git grep x -- src',
  ])
    expect([text, covers(anyTool, text)]).toEqual([text, true]);
  for (const text of [
    'scp .env web:',
    'scp server.pem web:',
    'scp ./out/id_rsa web:',
    'rsync -a .env web:',
    'git blame .env',
    'git blame -L1,1 ./.env',
    'git blame HEAD server.pem',
    "git diff ':(glob).env'",
    "git grep x -- ':.env'",
    "git grep x -- ':(icase).ENV'",
    "git log -p -- ':/.env'",
    "git show ':(top).env'",
    "git show ':(icase).ENV'",
    "git log -p ':(top,literal).env'",
    "git show ':!f.txt'",
    'git show :/x',
  ])
    expect([text, covers(anyTool, text)]).toEqual([text, false]);
  for (const text of [
    'find . -name "*.ts"',
    'find . -name "*" -type f',
    'grep -rn --include="*.ts" --exclude=.env x .',
    'rg -g "!.env" x',
    'git show HEAD:src/a.ts',
    'grep -rn --include=*.{ts,tsx} x src',
    'git log -p main -- "*.ts"',
    'find . -path "./src/*/test/*.ts"',
    'find . -path "./Library/*"',
    'find . -path "./.local/share/*"',
    'find . -path "*/fixtures/?.json" -o -name "[Rr]eadme*"',
    'rg -g "src/**/*.{ts,tsx}" -g "**/k[a-z]*.py" x',
    'git diff --relative=src/ HEAD~',
    'git log -p -- "src/[a-z]*/*.ts" "docs/**/*.md"',
    "find . -name '[!.]*' -type f",
    "find . -name '[[:upper:]]*' -type f",
    "find . -name 'S*' -type f",
    "grep -r --include='*[[:digit:]].ts' x src",
    "git log -p -- 'app/[slug]/page.tsx' 'app/[[]id]/page.tsx' 'app/[[...path]]/page.tsx'",
    'find a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r -path "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/*.ts"',
  ])
    expect([text, covers(anyTool, text)]).toEqual([text, true]);
  for (const text of [
    'find . -name .env',
    'find . -name .env -exec cat {} +',
    'find . -iname "ID_R*" -exec cat {} +',
    'find . -path "*/.netrc"',
    'grep -r --include=.env x .',
    'grep -r --include="*.pe?" x .',
    'grep -r --include="*.pf?" x .',
    'find . -name "shado?" -exec cat {} +',
    "find . -name '*.keystor[e]' -exec cat {} +",
    "git log -p -- '.local/share/keyring?'",
    "rg -uu -g 'secret[.]toml' ''",
    'rg -uu -g .env x',
    'rg -g "{a,.env}" x',
    'git show HEAD:.env',
    'cat keystore.jks',
    'cat service-account.json',
    'git cat-file -p HEAD:sub/.env.local',
    'git log -p .env',
    'git log -p --follow .env',
    'git log -L1,1:.env',
    'git whatchanged -p server.pem',
    "git log -p -- '*.pe?'",
    "git diff HEAD -- 'conf/*.pem'",
    'find . -maxdepth 0 -exec cat {}/.env \\;',
    'find . -maxdepth 0 -exec cat {}env \\;',
    'find . -maxdepth 0 -exec git show HEAD:{}/.env \\;',
    'git show HEAD:{.env,.npmrc}',
    'git show {HEAD:.env,HEAD:.npmrc}',
    'git show HEAD:.e{nv,nv}',
    "grep -r --include={.env,x} '' .",
    "rg -uu --glob={.env,x} ''",
    "find . -name '\\.env' -exec cat {} +",
    "find . -name '.[[:alpha:]]nv' -exec cat {} +",
    "grep -r --include='*.pe\\m' '' .",
    "git log -p -- '\\.env'",
    "git log -p -- '[[:alpha:]]d_rsa'",
    "rg -uu -g'.e{n,m}v' ''",
    "rg -uu -g '{}{}{}{}{}{}{}{}{.e,x}nv' ''",
    "rg -uu -g '*.{pem,x}' ''",
    'git diff --relative=.e HEAD~',
    'git diff --relative=.ss HEAD~',
    'git show --relative=sub/. HEAD',
    'git diff --relative=.docker/config HEAD~',
    'git diff --relative=.aws/ HEAD~',
    "find . -path '.[/].env' -exec cat {} +",
    "find . -name '.[]e]nv' -exec cat {} +",
    "find . -name '.[!x]nv' -exec cat {} +",
    "find . -name '.[!]x]nv' -exec cat {} +",
    "find . -name '.[^]x]nv' -exec cat {} +",
    "find . -name '.[\\]e]nv' -exec cat {} +",
    "find . -name '.[[=e=]]nv' -exec cat {} +",
    "find . -name '.[[.e.]]nv' -exec cat {} +",
    "find . -name '.[+-f]nv' -exec cat {} +",
    "find . -name '[!A-Z]d_rsa' -exec cat {} +",
    "grep -r --include='.[]e]nv' '' .",
    "git log -p -- '.[]e]nv'",
    "rg -uu -g '.[]e]nv' ''",
    "rg -uu -g '.[[:lower:]nv' ''",
    "find . -path './.aws[/]credentials' -exec cat {} +",
    "find . -ipath '.?.ENV' -exec cat {} +",
    "find . -wholename '*[^a-z].git-credentials' -exec cat {} +",
    "find . -path '.[/].ssh' -exec grep -rh . {} +",
    "find . -path './.docker/config.jso?' -exec cat {} +",
    "find . -name '.[a]ws' -exec grep -rh '' {} +",
    "git show HEAD -- 'sub[/].env'",
    "git log -p -- '.aws?credentials'",
    "git log -p -- '.docker[/]config.json'",
    "git log -p -- '.[a]ws/*'",
    "git grep . HEAD -- '.[d]ocker/config*'",
    "rg -uuu -g '.[s]sh/**' ''",
    "rg -uuu -g '.docker/*.json' ''",
    "rg -uuu -g '.s[a-z]h/*' ''",
    'find . -inum 12345 -exec cat {} +',
    'cat prod.env',
    'cat config/secrets.yml',
    'cat terraform.tfstate',
    'cat .htpasswd',
    'cat .envrc',
    'X=.env; grep -r --include=$X x .',
  ])
    expect([text, covers(anyTool, text)]).toEqual([text, false]);
});

it('a command that brings names into a directory brings no sensitive ones under a scope', () => {
  const writing = scope([
    pattern({
      operations: ['cp', 'mv', 'tar extract', 'unzip', 'rsync', 'scp', 'curl'],
      highestRisk: 'high',
      resources: [
        { kind: 'path', access: ['read', 'write', 'delete'], values: { match: 'below', value: APP } },
        { kind: 'host', access: ['contact'], values: { match: 'exact', value: 'web' } },
        { kind: 'url', access: ['contact'], values: { match: 'glob', value: 'https://a.example.com/**' } },
      ],
    }),
  ]);
  for (const text of ['cp a b', 'cp -r src dst', 'mv a b', 'mv src/a .', 'tar tf a.tar'])
    expect([text, covers(writing, text)]).toEqual([text, text !== 'tar tf a.tar']);
  for (const text of [
    'cp x/.envrc .',
    'cp -r x/.github .',
    'mv x/.git sub',
    'mv x/.vscode sub/',
    'cp -t . x/.gitmodules',
    'tar xf a.tar',
    'unzip a.zip',
    'rsync -a web:x .',
    'scp web:.envrc .',
    'curl -O https://a.example.com/.envrc',
  ])
    expect([text, covers(writing, text)]).toEqual([text, false]);
});

it('a home directory with an unusual name is recognised by the environment', () => {
  const place = { ...world, cwd: '/data/u', environment: [{ name: 'HOME', value: '/data/u' }] };
  const given = scope(
    [
      pattern({
        operations: { reading: true, tool: null },
        resources: [{ kind: 'path', access: ['read'], values: { match: 'below', value: '/data/u' } }],
      }),
    ],
    { environment: place.environment },
  );
  expect(covers(given, 'cat /data/u/x', place)).toBe(true);
  expect(covers(given, 'grep -r x /data/u', place)).toBe(false);
});

it('a value of which only the beginning is known fits no exact value', () => {
  const exact = scope([
    pattern({ operations: ['grep'], resources: [{ ...READ_APP, values: { match: 'exact', value: APP } }] }),
  ]);
  expect(requiredPermissionsOf('grep -r x .')[0]?.permission.resources[0]).toMatchObject({
    value: APP,
    isExact: false,
  });
  expect(covers(exact, 'grep -r x .')).toBe(false);
});

describe('the scope for reading', () => {
  it('covers git status, git diff, ls, cat, grep, and a pipe of them', () => {
    for (const text of ['git status', 'git diff --stat', 'ls -la', 'cat a | grep -n x | head -5', 'wc -l < a', 'date'])
      expect([text, covers(reading, text)]).toEqual([text, true]);
  });
  it('covers harmless variables in front of a command, and no others', () => {
    expect(covers(reading, 'LC_ALL=C sort a')).toBe(true);
    expect(covers(reading, 'TZ=UTC date')).toBe(true);
    for (const text of ['LC_ALL=../../x sort a', 'FOO=1 sort a', 'LC_ALL=$X sort a', 'LOCPATH=. sort a'])
      expect([text, covers(reading, text)]).toEqual([text, false]);
  });
  it('covers no writing, contacting, executing or deleting', () => {
    for (const text of [
      'git commit -m x',
      'git fetch',
      'npm test',
      'rm a',
      'cat a > b',
      'curl https://x.org/',
      'gh pr list',
    ])
      expect([text, covers(reading, text)]).toEqual([text, false]);
  });
  it('covers no printing of variables', () => {
    for (const text of ['printenv PATH', 'env', 'export', 'set'])
      expect([text, covers(reading, text)]).toEqual([text, false]);
  });
  it('covers `echo $TOKEN` as the name of a variable, not as the paths that the value may be', () => {
    const [required] = requiredPermissionsOf('cat a');
    if (required === undefined) throw new Error('no permission');
    const anywhere = { kind: 'path', access: 'read', value: '/', isExact: false } as const;
    const token = { kind: 'variable', access: 'read', value: 'TOKEN', isExact: true } as const;
    const permission = { ...required.permission, resources: [anywhere, token] };
    const miss = missOf(
      scope([pattern({ operations: [permission.operation] })]),
      { ...required, permission },
      factsIn(),
    );
    expect(miss).toMatchObject({ kind: 'resource', resource: token });
  });
  it('covers no change of the shell except options and the directory', () => {
    for (const text of ['export FOO=1', 'umask 0', 'unset FOO', 'ls; export FOO=1'])
      expect([text, covers(reading, text), covers(gitLog, text)]).toEqual([text, false, false]);
    expect(covers(reading, 'set -e; cd src && ls')).toBe(true);
  });
  it('needs low risk, the tool itself, and reading only; each of these is necessary', () => {
    const permission = requiredPermissionsOf('cat a')[0]?.permission;
    if (permission === undefined) throw new Error('no permission');
    const resource = permission.resources[0] ?? READ_APP;
    const is = (over: object) => isReadingPermission({ ...permission, ...over });
    expect(is({})).toBe(true);
    expect(is({ risk: 'medium' })).toBe(false);
    for (const operation of ['on web: cat', 'as root: cat', 'catalogue'])
      expect([operation, is({ operation })]).toEqual([operation, false]);
    for (const access of ['write', 'delete', 'execute', 'contact'])
      expect([access, is({ resources: [{ ...resource, access }] })]).toEqual([access, false]);
    expect(is({ resources: [{ kind: 'variable', access: 'read', value: 'TOKEN', isExact: true }] })).toBe(false);
  });
  it('for one tool covers only that tool', () => {
    expect(covers(readingGit, 'git status')).toBe(true);
    expect(covers(readingGit, 'ls')).toBe(false);
  });
});

describe('the conditions of a scope', () => {
  it('are the host and the user', () => {
    expect(covers(gitLog, 'git log', { ...world, host: 'db' })).toBe(false);
    expect(covers(gitLog, 'git log', { ...world, user: 'root' })).toBe(false);
  });

  it('include the variables that change what programs do, with their values, and no other variables', () => {
    const over = (entry: { readonly name: string; readonly value: string }) => ({
      ...world,
      environment: [...world.environment.filter(({ name }) => name !== entry.name), entry],
    });
    for (const name of ['GIT_SSH_COMMAND', 'GIT_EXTERNAL_DIFF', 'LD_PRELOAD', 'BASH_ENV', 'PATH', 'BASH_FUNC_git%%'])
      expect([name, covers(gitLog, 'git log', over({ name, value: './x' }))]).toEqual([name, false]);
    expect(covers(gitLog, 'git log', over({ name: 'TERM_PROGRAM', value: 'x' }))).toBe(true);
    expect(covers(gitLog, 'git log', over({ name: 'alias ll', value: 'ls -l' }))).toBe(true);
    expect(covers(gitLog, 'git log', { ...world, environment: [] })).toBe(false);
  });

  it('include the directory in which the line starts, with its links followed', () => {
    const there = scope([pattern({ resources: [], operations: ['date'] })], { cwdBelow: APP });
    expect(covers(there, 'date')).toBe(true);
    expect(covers(there, 'date', { ...world, cwd: '/home/u/app-evil' })).toBe(false);
    expect(covers(there, 'date', { ...world, cwd: `${APP}/link`, links: { [`${APP}/link`]: '/etc' } })).toBe(false);
  });

  it('are hours of the wall clock, also on the days on which the clock is changed', () => {
    const at = (hours: CommandScope['conditions']['hours'], time: string) =>
      covers(scope(undefined, { hours }), 'git log', world, Date.parse(time));
    const office = { from: 9 * 60, to: 17 * 60, days: [1, 2, 3, 4, 5], timeZone: 'Europe/Berlin' };
    expect(at(office, '2026-06-15T07:00:00Z')).toBe(true);
    expect(at(office, '2026-06-15T06:59:59Z')).toBe(false);
    expect(at(office, '2026-06-15T14:59:59Z')).toBe(true);
    expect(at(office, '2026-06-15T15:00:00Z')).toBe(false);
    expect(at(office, '2026-06-14T12:00:00Z')).toBe(false);
    // In winter the same hours begin an hour later in UTC.
    expect(at(office, '2026-01-12T07:30:00Z')).toBe(false);
    expect(at(office, '2026-01-12T08:00:00Z')).toBe(true);
    // On 2026-03-29 the wall clock in Berlin skips 02:00 to 03:00; on 2026-10-25 it repeats that hour.
    const night = { from: 120, to: 180, days: [0], timeZone: 'Europe/Berlin' };
    expect(at(night, '2026-03-29T00:59:59Z')).toBe(false);
    expect(at(night, '2026-03-29T01:00:00Z')).toBe(false);
    expect(at(night, '2026-10-25T00:30:00Z')).toBe(true);
    expect(at(night, '2026-10-25T01:30:00Z')).toBe(true);
    expect(at(night, '2026-10-25T02:00:00Z')).toBe(false);
  });

  it('extend over midnight from the day on which they begin', () => {
    const at = (time: string) =>
      covers(
        scope(undefined, { hours: { from: 1320, to: 360, days: [5], timeZone: 'UTC' } }),
        'git log',
        world,
        Date.parse(time),
      );
    expect(at('2026-06-19T22:00:00Z')).toBe(true); // Friday
    expect(at('2026-06-20T05:59:00Z')).toBe(true);
    expect(at('2026-06-20T06:00:00Z')).toBe(false);
    expect(at('2026-06-20T22:00:00Z')).toBe(false);
    expect(at('2026-06-19T05:00:00Z')).toBe(false);
  });

  it('are not met at an invalid time', () => {
    const hours = { from: 0, to: 1440, days: [0, 1, 2, 3, 4, 5, 6], timeZone: 'UTC' };
    expect(covers(scope(undefined, { hours }), 'git log', world, NOON)).toBe(true);
    expect(covers(scope(undefined, { hours }), 'git log', world, Number.NaN)).toBe(false);
    expect(covers(scope(undefined, { hours }), 'git log', world, 1e300)).toBe(false);
  });
});

it('a covered line has at most the highest risk of the scope, and never a critical risk', () => {
  const wide = [
    { kind: 'path', access: ['read', 'write', 'delete'], values: { match: 'below', value: '/home/u' } },
  ] as const;
  expect(covers(scope([pattern({ operations: ['rm'], resources: wide, highestRisk: 'high' })]), 'rm -rf build')).toBe(
    true,
  );
  expect(covers(scope([pattern({ operations: ['rm'], resources: wide, highestRisk: 'medium' })]), 'rm -rf build')).toBe(
    false,
  );
  expect(assess('rm -rf ~').risk).toBe('critical');
  expect(covers(scope([pattern({ operations: ['rm'], resources: wide, highestRisk: 'high' })]), 'rm -rf ~')).toBe(
    false,
  );
});

it('a line with an unknown risk is covered by no scope', () => {
  const [required] = requiredPermissionsOf('git log');
  if (required === undefined) throw new Error('no permission');
  const odd = { ...required, permission: { ...required.permission, risk: 'extreme' as never } };
  const found = coverLine([odd], [{ grantId: 'g_1', scope: gitLog }], factsIn());
  expect(found).toMatchObject({ kind: 'uncovered', misses: [{ miss: { kind: 'critical' } }] });
});

it('options are a set: each may be left out, and none may be added', () => {
  const one = scope([pattern({ options: ['--oneline', '--max-count'] })]);
  expect(covers(one, 'git log --oneline -5')).toBe(true);
  expect(covers(one, 'git log')).toBe(true);
  expect(covers(one, 'git log --stat')).toBe(false);
  expect(covers(scope([pattern({ options: [] })]), 'git log')).toBe(true);
  expect(covers(scope([pattern({ options: [] })]), 'git log --oneline')).toBe(false);
});

describe('a malformed stored scope covers nothing', () => {
  const broken: readonly (readonly [string, unknown])[] = [
    ['no patterns', { ...gitLog, patterns: [] }],
    ['an unknown member', { ...gitLog, onlyOnTuesdays: true }],
    ['an unknown condition', scope(undefined, { load: 1 } as never)],
    ['a kind for other requests', { ...gitLog, kind: 'files' }],
    ['no conditions', { ...gitLog, conditions: null }],
    [
      'a time zone that does not exist',
      scope(undefined, { hours: { from: 0, to: 1440, days: [1], timeZone: 'Mars/Olympus' } }),
    ],
    ['a critical risk', scope([pattern({ highestRisk: 'critical' as never })])],
    ['the root directory', scope([pattern({ resources: [{ ...READ_APP, values: { match: 'below', value: '/' } }] })])],
    [
      'a directory with ..',
      scope([pattern({ resources: [{ ...READ_APP, values: { match: 'below', value: `${APP}/../app` } }] })]),
    ],
    ['half a use', { ...gitLog, mostUses: 0.5 }],
    ['a text in place of an object', 'commands'],
  ];
  it.each(broken)('a stored scope with %s', (_, stored) => {
    const found = coverLine(
      requiredPermissionsOf('git log'),
      [{ grantId: 'g_1', scope: stored as CommandScope }],
      factsIn(),
    );
    expect(found).toMatchObject({ kind: 'uncovered', misses: [{ miss: { kind: 'malformed' } }] });
  });
});

describe('several grants', () => {
  const ls = scope([pattern({ operations: ['ls'] })]);
  const both = scope([pattern({ operations: ['ls', 'git log'] })]);
  const counted = scope([pattern({ operations: ['ls', 'git log'] })], {}, 5);
  const line = requiredPermissionsOf('git log && ls');
  it('cover a line together, each command by one grant', () => {
    const found = coverLine(
      line,
      [
        { grantId: 'a', scope: ls },
        { grantId: 'b', scope: gitLog },
      ],
      factsIn(),
    );
    expect(found).toEqual({ kind: 'covered', by: ['b', 'a'], grantIds: ['b', 'a'] });
  });
  it('are used as few as possible, and a grant without a number of uses is preferred', () => {
    const all = [
      { grantId: 'a', scope: ls },
      { grantId: 'c', scope: counted },
      { grantId: 'd', scope: both },
    ];
    expect(coverLine(line, all, factsIn())).toMatchObject({ grantIds: ['d'] });
    expect(coverLine(line, all.slice(0, 2), factsIn())).toMatchObject({ grantIds: ['c'] });
  });
  it('give, for each of them, what the first uncovered command lacks', () => {
    const found = coverLine(
      requiredPermissionsOf('ls && git push'),
      [
        { grantId: 'g_1', scope: readingGit },
        { grantId: 'g_2', scope: ls },
      ],
      factsIn(),
    );
    if (found.kind !== 'uncovered') throw new Error('covered');
    expect(uncoveredTexts(found)).toEqual([
      'git push is not covered: grant g_1 covers reading git commands only',
      'git push is not covered: grant g_2 covers ls only',
    ]);
  });
  it('cover nothing if there are none, not even a line that does nothing', () => {
    expect(coverLine(line, [], factsIn())).toMatchObject({ kind: 'uncovered', misses: [] });
    expect(coverLine(requiredPermissionsOf('cd src'), [], factsIn()).kind).toBe('uncovered');
    expect(coverLine([], [{ grantId: 'a', scope: both }], factsIn()).kind).toBe('uncovered');
  });
  it('cover no line without required permissions, and this is the reason that is given', () => {
    const found = coverLine([], [{ grantId: 'a', scope: both }], factsIn());
    if (found.kind !== 'uncovered') throw new Error('covered');
    expect(uncoveredTexts(found)).toEqual([
      'no standing grant can cover this line: it needs no permission that a grant gives',
    ]);
  });
});

it('a host is the same in any case, and the account on it is another one in another case', () => {
  const deploy = scope([
    pattern({
      operations: ['scp'],
      highestRisk: 'high',
      resources: [
        { kind: 'path', access: ['read'], values: { match: 'below', value: APP } },
        { kind: 'host', access: ['contact'], values: { match: 'exact', value: 'deploy@web' } },
      ],
    }),
  ]);
  expect(covers(deploy, 'scp a.txt deploy@WEB:')).toBe(true);
  expect(covers(deploy, 'scp a.txt Deploy@web:')).toBe(false);
});

it('hosts, URLs and refs are matched by globs that match no separator', () => {
  const curl = (value: string) =>
    scope([
      pattern({
        operations: ['curl'],
        highestRisk: 'medium',
        resources: [{ kind: 'url', access: ['contact'], values: { match: 'glob', value } }],
      }),
    ]);
  const api = curl('https://api.example.com/v1/*');
  expect(covers(api, 'curl https://api.example.com/v1/users')).toBe(true);
  for (const url of ['v1/users/3', 'v1/../admin', 'v1/%2e%2e', 'v2/users'])
    expect([url, covers(api, `curl https://api.example.com/${url}`)]).toEqual([url, false]);
  const rows = curl('https://api.example.com/v1/*/rows');
  expect(covers(rows, 'curl https://api.example.com/v1/users/rows')).toBe(true);
  expect(covers(rows, "curl 'https://api.example.com/v1/users#/rows'")).toBe(false);
  const sub = curl('https://*.example.com/**');
  expect(covers(sub, 'curl https://a.example.com/x/y')).toBe(true);
  for (const url of [
    'https://a.b.example.com/',
    'https://evil.org?.example.com/',
    'https://evil.org/.example.com/',
    'http://a.example.com/',
    'https://evilexample.com/',
  ])
    expect([url, covers(sub, `curl '${url}'`)]).toEqual([url, false]);
  expect(covers(sub, 'curl "https://a.example.com/$ID"')).toBe(true);
  expect(covers(curl('https://a.example.com/v1/**'), 'curl "https://a.example.com/v1/$ID"')).toBe(false);
  for (const wide of ['https://**', 'https://*.com/**', '**', 'https://a.example.com**'])
    expect([wide, covers(curl(wide), 'curl https://a.example.com/')]).toEqual([wide, false]);
  for (const shared of ['co.uk', 'github.io', 'vercel.app', 's3.amazonaws.com', 's3.eu-west-1.amazonaws.com', 'com.au'])
    for (const star of ['*', 'a*', '*.*', 'x.*'])
      expect([shared, star, covers(curl(`https://${star}.${shared}/**`), `curl https://a.${shared}/`)]).toEqual([
        shared,
        star,
        false,
      ]);
  for (const owned of ['example.co.uk', 'me.github.io', 'app.example.com', 'example.io'])
    expect([owned, covers(curl(`https://*.${owned}/**`), `curl https://a.${owned}/`)]).toEqual([owned, true]);
});

it('the request of a test is one that a client would send', () => {
  expect(requestOf('git log')).toMatchObject({ kind: 'command', cwd: APP, host: 'web' });
});
