/** The effects of one simple command: which paths it touches, as whom it acts, and when it is opaque. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textualContext } from '../../src/core/effects/command-context.ts';
import { effectsOfSimple } from '../../src/core/effects/effects-of-simple.ts';
import { canonicalPermission, type Permission, RISKS } from '../../src/core/effects/permission.ts';
import { allRules, commandsOf, effectsAlone, effectsOfLine, here } from './rule-effects.ts';

const understood = (line: string, context = here): Permission => {
  const effects = effectsOfLine(line, context);
  if (effects.kind === 'opaque') throw new Error(`${line} is opaque: it ${effects.reason}`);
  return effects.permission;
};
const paths = (line: string): readonly string[] =>
  understood(line).resources.map(({ access, value, isExact }) => `${access} ${value}${isExact ? '' : '…'}`);

it('the card says as whom a tool acts, but only if the tool contacts another host', () => {
  expect(understood('git push https://example.com/x.git main').sentence).toContain('Logs in with ~/.netrc.');
  expect(understood('gh pr list').sentence).toContain('Logs in with ~/.config/gh/hosts.yml.');
  expect(understood('git log').sentence).not.toMatch(/Logs in|login/);
  expect(understood('aws --version').sentence).toContain('Reads its login in ~/.aws/.');
});

it('a command that replaces a name replaces /dev/null, /dev/stdout and /dev/stderr; one that opens the name writes to the target', () => {
  const linked = {
    ...here,
    resolvePath: (path: string, end: 'target' | 'itself') =>
      end === 'target' && path === '/dev/stdout' ? '/proc/self/fd/1' : here.resolvePath(path, end),
  };
  const written = (line: string) =>
    understood(line, linked).resources.flatMap(({ kind, access, value }) =>
      kind === 'path' && access === 'write' && value.startsWith('/') && !value.startsWith('/proj') ? value : [],
    );
  for (const line of [
    'tee /dev/stdout',
    'tee -a /dev/stdout',
    'sort -o /dev/stdout a',
    'tee /dev/null',
    'sort -o /dev/null a',
  ])
    expect([line, written(line)]).toEqual([line, []]);
  for (const line of [
    'mv a /dev/stdout',
    'ln -sf a /dev/stdout',
    'cp --remove-destination a /dev/stdout',
    'sed -i s/a/b/ /dev/stdout',
  ])
    expect([line, written(line)]).toEqual([line, ['/dev/stdout']]);
  for (const line of [
    'mv a /dev/null',
    'ln -sf a /dev/null',
    'cp --remove-destination a /dev/null',
    'chmod 600 /dev/null',
    'chown x /dev/null',
    'chgrp x /dev/null',
    'touch -d yesterday /dev/null',
  ])
    expect([line, written(line)]).toEqual([line, ['/dev/null']]);
});

it('a target or a makefile behind a link that leads out of the directory is opaque', () => {
  const linked = {
    ...here,
    resolvePath: (path: string, end: 'target' | 'itself') =>
      here.resolvePath(path.replace(/\/out(?=\/|$)/, '/../elsewhere'), end),
  };
  expect(effectsOfLine('make sub/x', linked).kind).toBe('understood');
  expect(effectsOfLine('make -f sub/x', linked).kind).toBe('understood');
  expect(effectsOfLine('make out/x', linked).kind).toBe('opaque');
  expect(effectsOfLine('make -f out/x', linked).kind).toBe('opaque');
});

describe('Arguments that run code are opaque', () => {
  it.each([
    'sort --compress-program=./x a',
    'sort --compress-prog=./x a',
    'sort --compress-program ./x a',
    'sort --co=./x a',
    'rg --pre ./x foo',
    'rg --pre=./x foo',
    "sed 's/a/b/e' a",
    "sed 's/a/b/w x' a",
    'sed 1e a',
    "sed -n 'w x' a",
    'sed -f x a',
    'find . -exec rm {} +',
    'find . -execdir x +',
    'find . -fprintf x %p',
    'find . -fprint x',
    'find . -fls x',
    "find . -ok rm ';'",
    'tar -xf a --to-command=./x',
    'tar -xf a --to-comm=./x',
    'tar --checkpoint=1 --checkpoint-action=exec=./x -xf a',
    'tar -I ./x -xf a',
    'tar -xf a -I./x',
    'tar xIf ./x a',
    'tar --use-compress-program=./x -xf a',
    'git -c core.pager=./x log',
    'git -c alias.a=!x a',
    'git -calias.a=!x a',
    'git --exec-path=./x log',
    'git --exec-path ./x log',
    'git --config-env=core.pager=X log',
    'git -p log',
    'git diff --ext-diff',
    'git grep -Ox a',
    'git rebase -x ./x',
    'git clone -u ./x a',
    'git clone -c a=b https://x.de/y',
    'git fetch ext::./x',
    'git push --receive-pack=./x o',
    'git ls-remote --upload-pack=./x o',
    'git submodule foreach x',
    'git bisect run x',
    'awk \'BEGIN{system("x")}\'',
    'awk \'{print | "sh"}\' a',
    'awk \'{print > "x"}\' a',
    'awk -f x a',
    'ssh -o ProxyCommand=./x h',
    'ssh -oProxyCommand=./x h',
    'ssh -F x h',
    'ssh h rm x',
    'env -S x',
    'env x',
    'man -P ./x ls',
    'man --pager=./x ls',
    'xargs rm',
    'curl -K x',
    'curl -Kx',
    'curl --config x',
    'python -c x',
    'python3 -c x',
    'python -Bc x',
    'python -m http.server',
    'node -e x',
    'node --eval x',
    'node -pe x',
    'node -r ./x a.js',
    'node --import ./x a.js',
    'node inspect /x/a.js',
    'node --no-warnings inspect h:1',
    'npx -c x',
    'bash -c x',
    'bash -lc x',
    'bash -s x',
    'sh -c x',
    'rsync -e ./x a h:b',
    'rsync --rsh=./x a h:b',
    'rsync -ae ./x a h:b',
    'scp -S ./x a h:',
    'scp -o ProxyCommand=x a h:',
    'zip -TT ./x a b',
    'zip --unzip-command=x a b',
    'split --filter=./x a',
    'fd a -x rm',
    'fd a -X rm',
    'fd a --exec rm',
    'make SHELL=./x',
    'make --eval=x',
    'go test -exec ./x ./...',
    'go build -toolexec ./x',
    'go run a.de/b@latest',
    'go run a.de/b',
    'go run cmd/asm',
    'cargo clippy -- -o /x',
    'cargo clippy -- --emit=metadata=/x',
    'cargo --config x build',
    'apt-get -o Dpkg::Pre-Invoke::=x update',
    'apt-get install ./x.deb',
    'docker run --privileged x',
    'psql -c x',
    "sqlite3 a.db '.shell x'",
    'kubectl exec a -- x',
    'tmux new x',
    'wget -e use_askpass=x https://a.de',
    'wget --use-askpass=x https://a.de',
    'diff -l a b',
    'perl -e x',
    'ruby -e x',
    'eval x',
    '. x',
    'source x',
    'exec x',
    'trap x EXIT',
    'printf -v x y',
    "printf '%n' x",
    '[ -v x ]',
    "test -v 'a[0]'",
    'pip install -e ./x',
    'gh alias set a b',
    'gh pr view -w 1',
    'gh run view -w 1',
    'gh pr view https://a.de/b/c/pull/1',
    'gh pr comment https://a.de/b/c/pull/1 -b x',
    'gh issue view https://a.de/b/c/issues/1',
    'gh repo view a.de/b/c',
    'gh pr merge 1 -d',
    'gh pr list --json title -q env',
    'gh api a -q env',
    'npm exec x',
    'npm --script-shell x run y',
    'yarn dlx x',
    'yarn run -w a b',
    'sudo ls',
    'alias a=b',
    'export PATH=x',
    'export BASH_ENV=x',
    'LD_PRELOAD=./x ls',
    'PATH=. ls',
    'GIT_PAGER=./x git log',
    'LESSOPEN=x less a',
    'GIT_SSH_COMMAND=x git fetch',
    'PAGER=x man ls',
    'KUBECTL_EXTERNAL_DIFF=x kubectl get a',
    'FOO_COMMAND=x ls',
    'vim -c x a',
    'vim +x -c y',
    'less -S a',
  ])('%s is opaque', (line) => {
    expect(effectsOfLine(line).kind).toBe('opaque');
  });
});

describe('Running code that cannot be seen never has low risk', () => {
  it.each([
    'bash a.sh',
    'python3 a.py',
    'node a.js',
    'make',
    'npm run x',
    'npm test',
    'npm ci',
    'npx a',
    'cargo build',
    'go test ./...',
    'vim a',
    'less a',
    'docker run a',
    'docker exec a ls',
    './a.sh',
    'git clone https://a.de/b',
    'pip install a',
    'ssh h',
  ])('%s has high risk or more', (line) => {
    expect(RISKS.indexOf(understood(line).risk)).toBeGreaterThanOrEqual(RISKS.indexOf('high'));
  });
});

describe('Every program that runs is named', () => {
  it.each([
    ['node --test a.js /x/b.js', 'execute /x/b.js…'],
    ['node --test test', 'execute /home/u/w/test…'],
    ['go run ./cmd/x', 'execute /home/u/w/cmd/x…'],
    ['gh pr create --title a --body b', 'execute /home/u/w/.git/hooks…'],
    ['npm init -y', 'execute /home/u/w…'],
    ['npm run --if-present true build', 'execute build'],
    ['npm run --workspaces false build', 'execute build'],
    ['yarn view x', 'execute /home/u/w…'],
    ['yarn ls', 'execute /home/u/w…'],
    ['yarn --version', 'execute /home/u/w…'],
  ])('%s has the effect "%s"', (line, expected) => {
    expect(paths(line)).toContain(expected);
  });
});

describe('Words that are only known at run time', () => {
  it.each([
    'cat $x',
    'cat "$x"',
    'cat *.ts',
    'rm -rf $d',
    'cat a$x',
    'cat {a,-b}',
    'git log $(x)',
    'cp a $d',
    'head -n$n a$x',
  ])('%s may become an option, or several words, and is opaque', (line) => {
    const [command] = commandsOf(line) ?? [];
    expect(command === undefined ? 'unread' : effectsOfSimple(command, here).kind).toBe('opaque');
  });

  it('may be any path if a variable may contain a parent directory', () => {
    expect(paths('cat "src/$x"')).toEqual(['read /…']);
    expect(paths('rm -- "$x"')).toEqual(['delete /…']);
  });

  it.each(['cat src/*/../../x', 'cat src/.*', 'cat src/[.]./x', 'cat src/*/.*'])(
    '%s may lead out of its directory',
    (line) => {
      expect(paths(line)).toContain('read /…');
    },
  );

  it('are paths below the directory of a plain pattern', () => {
    expect(paths('cat src/a/*.ts')).toEqual(['read /home/u/w/src/a…']);
    expect(paths('cat ~/x/*.ts')).toEqual(['read /home/u/x…']);
    expect(paths('cat src/{a,b}.ts')).toEqual(['read /home/u/w/src/a.ts', 'read /home/u/w/src/b.ts']);
  });

  it('include the target of a matching link and the directory of the link', () => {
    const linked = { ...here, matchesOf: () => [{ name: 'a.ts', target: '/etc/passwd', itself: null }] };
    expect(understood('cat src/*.ts', linked).resources).toEqual([
      { kind: 'path', access: 'read', value: '/home/u/w/src', isExact: false },
      { kind: 'path', access: 'read', value: '/etc/passwd', isExact: true },
    ]);
  });

  it('may be any path if the host cannot say what matches', () => {
    const full = { ...here, matchesOf: () => null };
    expect(understood('cat src/*.ts', full).resources).toEqual([
      { kind: 'path', access: 'read', value: '/', isExact: false },
    ]);
  });

  it('may be any path if the directory is unknown', () => {
    const lost = textualContext(allRules, null, '/home/u');
    expect(understood('cat a', lost).resources[0]).toMatchObject({ value: '/', isExact: false });
    expect(understood('cat /a', lost).resources[0]).toMatchObject({ value: '/a', isExact: true });
  });
});

describe('Options as the program reads them', () => {
  it('may be bundled with a value', () => {
    expect(understood('sort -rnk2 -t, a').options).toEqual([
      '--field-separator',
      '--key',
      '--numeric-sort',
      '--reverse',
    ]);
    expect(paths('sort -ro out a')).toEqual(['read /home/u/w/a', 'write /home/u/w/out']);
    expect(paths('sort -roout a')).toEqual(['read /home/u/w/a', 'write /home/u/w/out']);
  });

  it('end at --', () => {
    expect(paths('sort -- -o x')).toEqual(['read /home/u/w/-o', 'read /home/u/w/x']);
  });

  it.each(['sort -o -r a', 'git log -n --output=x', 'tar -xf -C/', 'head -n "$n" a', 'mvn -pl -f test'])(
    'are opaque if a value in the next word looks like an option: %s',
    (line) => {
      expect(effectsOfLine(line)).toMatchObject({
        kind: 'opaque',
        reason: expect.stringContaining('looks like an option'),
      });
    },
  );

  it.each(['sort -o - a', 'head -n -5 a', 'sort -k 2.1 a', 'sort --output=-r a'])(
    'may have a dash, a negative number or the rest of the same word as value: %s',
    (line) => {
      expect(effectsOfLine(line).kind).toBe('understood');
    },
  );

  it('may follow operands', () => {
    expect(paths('sort a -o x')).toEqual(['read /home/u/w/a', 'write /home/u/w/x']);
  });

  it('are opaque with a value for an option that takes none', () => {
    expect(effectsOfLine('sort --reverse=yes a').kind).toBe('opaque');
  });
});

describe('the context of a command', () => {
  it('gives the paths of its redirections', () => {
    expect(paths('echo a > b')).toEqual(['write /home/u/w/b']);
    expect(paths('cat < a 2>> b')).toEqual(['read /home/u/w/a', 'write /home/u/w/b']);
    expect(paths('echo a 2>&1 >/dev/null')).toEqual([]);
    expect(paths('echo a &> b')).toEqual(['write /home/u/w/b']);
    expect(paths('echo a >& b')).toEqual(['write /home/u/w/b']);
    expect(paths('> b')).toEqual(['write /home/u/w/b']);
  });

  it('gives the host of a connection', () => {
    expect(effectsAlone('echo a > /dev/tcp/Example.com/80')).toMatchObject({
      permission: {
        risk: 'high',
        resources: [{ kind: 'host', access: 'contact', value: 'example.com:80', isExact: true }],
      },
    });
  });

  it.each([
    'echo a > $x',
    'echo a > /dev/tcp/$h/80',
    'echo a > /dev/tcp/x',
    'echo a > /dev/*/x/1',
    'cat < /dev/udp/$x',
  ])('%s is opaque', (line) => {
    expect(effectsAlone(line).kind).toBe('opaque');
  });

  it('gives the variables that are assigned, with their values', () => {
    expect(understood('A=b ls').resources).toContainEqual({
      kind: 'variable',
      access: 'write',
      value: 'A=b',
      isExact: true,
    });
    expect(understood('A=b').resources).toEqual([{ kind: 'variable', access: 'write', value: 'A=b', isExact: true }]);
  });
});

describe('Names', () => {
  it('a program in a system directory has its rules', () => {
    expect(understood('/usr/bin/sort a').operation).toBe('sort');
  });

  it('a program in another directory is just that file, with any arguments', () => {
    expect(understood('./run.sh -x y')).toMatchObject({
      tool: 'program',
      risk: 'high',
      resources: [{ access: 'execute', value: '/home/u/w/run.sh' }],
    });
  });

  it.each(['./git status', './x/python3 -c y', '/usr/bin/nothing a', '$x a', 'nothing a', '/opt/x/y z'])(
    '%s is opaque',
    (line) => {
      expect(effectsOfLine(line).kind).toBe('opaque');
    },
  );

  it('a link to an interpreter is not just a file', () => {
    const context = { ...here, resolvePath: () => '/home/u/bin/python3' };
    expect(effectsOfLine('./x -c y', context).kind).toBe('opaque');
  });

  it('the name of an alias or a function is not the tool of that name', () => {
    expect(effectsOfLine('git status', { ...here, isRedefined: true }).kind).toBe('opaque');
    expect(effectsOfLine('/usr/bin/git status', { ...here, isRedefined: true }).kind).toBe('opaque');
  });
});

describe('Properties', () => {
  const line = fc.constantFrom(
    ['sort', '-r', '-n', '-u', '--key=1', '--debug', '-o out'],
    ['ls', '-l', '-a', '-R', '--color=auto', '-h', '-w 80'],
    ['git log', '--oneline', '--stat', '-p', '--since=x', '--output=y', '-n 3'],
    ['tar', '-x', '-v', '-f a.tar', '-k', '-z', '--exclude=x'],
    ['grep', '-r', '-n', '-e x', '-i', '--include=a', '-A 3'],
    ['curl', '-s', '-o x', '-L', '-X POST', '-d a=b', '-I'],
    ['cp', '-r', '-t d', '-f', '-v', '-p', '-n'],
    ['curl', '-o z', '-c y', '-D x', '--cacert=w'],
    ['docker run', '-i', '-t', '-v /a:/b', '--rm', '-e A=b', '--name=x'],
  );
  const shuffled = line.chain((words) => {
    const [tool = '', ...options] = words;
    return fc
      .subarray(options)
      .chain((chosen) =>
        fc.tuple(fc.constant(tool), fc.constant(chosen), fc.shuffledSubarray(chosen, { minLength: chosen.length })),
      );
  });
  const text = (line: string): string => {
    const effects = effectsOfLine(line);
    return effects.kind === 'opaque'
      ? 'opaque'
      : `${canonicalPermission(effects.permission)}${effects.permission.sentence}`;
  };

  it('the order of independent options does not change the permission', () => {
    fc.assert(
      fc.property(shuffled, ([tool, one, other]) => {
        expect(text(`${tool} ${other.join(' ')} a`)).toBe(text(`${tool} ${one.join(' ')} a`));
      }),
      { numRuns: 600 },
    );
  });

  const word = fc.oneof(
    fc.constantFrom(
      '-a',
      '-rf',
      '--',
      '-',
      '-o',
      '--output=x',
      '--foo',
      '"$x"',
      '$y',
      '*',
      'src/*',
      '~/x',
      '-5',
      'log',
      'status',
      "'a b'",
      '-C',
      '-f',
      'HEAD',
      '--help',
      '-e',
    ),
    fc.stringMatching(/^[a-z./-]{1,6}$/),
  );
  const tool = fc.constantFrom(
    'sort',
    'git',
    'ls',
    'tar',
    'find',
    'sed',
    'awk',
    'curl',
    'docker',
    'npm',
    'rm',
    'kill',
    'xargs',
    'ssh',
    'jq',
    'python3',
    'dd',
    '[',
  );
  const anyLine = fc.tuple(tool, fc.array(word, { maxLength: 6 })).map(([name, words]) => [name, ...words].join(' '));

  it('reading never throws, and gives the same result twice', () => {
    fc.assert(
      fc.property(anyLine, (line) => {
        const [command] = commandsOf(line) ?? [];
        if (command === undefined) return;
        expect(effectsOfSimple(command, here)).toEqual(effectsOfSimple(command, here));
      }),
      { numRuns: 3000 },
    );
  });

  it('an unknown option never makes an opaque command understood', () => {
    fc.assert(
      fc.property(anyLine, (line) => {
        const [command] = commandsOf(line) ?? [];
        if (command === undefined || line.startsWith('[') || effectsOfSimple(command, here).kind === 'understood')
          return;
        const option = { kind: 'literal', value: '--no-such-option', source: '--no-such-option' } as const;
        expect(effectsOfSimple({ ...command, words: command.words.toSpliced(1, 0, option) }, here)).toMatchObject({
          kind: 'opaque',
        });
      }),
      { numRuns: 3000 },
    );
  });

  it('an unknown option in front makes every command of our rules opaque, if the command has options at all', () => {
    for (const line of [
      'sort a',
      'ls',
      'git status',
      'tar -tf a',
      'rm a',
      'curl https://a.de',
      'docker ps',
      'npm ls',
      'find .',
      'sed p a',
    ]) {
      expect(effectsOfLine(line).kind).toBe('understood');
      expect(effectsOfLine(line.replace(/^(\S+)/, '$1 --no-such-option')).kind).toBe('opaque');
    }
  });

  it('a word that is only known at run time never lowers the risk and never narrows the resource', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('cat', 'rm', 'cp x', 'tee', 'touch', 'head -5'),
        fc.stringMatching(/^[a-z]{1,4}$/),
        (tool, name) => {
          const exact = understood(`${tool} dir/${name}`);
          const pattern = understood(`${tool} "dir/$${name}"`);
          expect(RISKS.indexOf(pattern.risk)).toBeGreaterThanOrEqual(RISKS.indexOf(exact.risk));
          expect(pattern.resources.some(({ value, isExact }) => value === '/' && !isExact)).toBe(true);
        },
      ),
    );
  });

  it('a permission does not depend on the spelling of the options', () => {
    expect(text('sort -o x a')).toBe(text('sort --output=x a'));
    expect(text('sort -ox a')).toBe(text('sort --output x a'));
    expect(text('git -C ../w log')).toBe(text('git -C . log'));
  });
});

it.each([
  ["git rm 'd/s*t'", 'delete', '/home/u/w/d'],
  ["git rm 's*t'", 'delete', '/home/u/w'],
  ["git rm 'd/secre\\t'", 'delete', '/home/u/w/d'],
  ["git restore 'd/[a]'", 'write', '/home/u/w/d'],
  ["git -C e rm 'd?'", 'delete', '/home/u/w/e'],
  ["git add 'd/*'", 'read', '/home/u/w/d'],
])('git takes a path for a pattern: %s', (line, access, value) => {
  const found = effectsOfLine(line);
  expect(found.kind === 'understood' ? found.permission.resources : []).toContainEqual({
    kind: 'path',
    access,
    value,
    isExact: false,
  });
});

it.each(['/dev', '/dev/tcp', '/dev/tcp/127.0.0.1'])(
  'with HOME=%s, a redirection to `~/…` may open a connection',
  (home) => {
    expect(effectsOfLine('echo x > ~/tcp/127.0.0.1/1', { ...here, home })).toMatchObject({ kind: 'opaque' });
    expect(effectsOfLine('echo x > ~/*', { ...here, home })).toMatchObject({ kind: 'opaque' });
  },
);

it.each([
  ["prettier --write '/home/u/w/app/[id]/*.js'", '/home/u/w/app'],
  ["prettier --write '*.js'", '/home/u/w/app/[id]'],
  ["git add '/home/u/w/app/[id]/*.js'", '/home/u/w/app/[id]'],
])(
  'only for a glob that is an absolute path, the name of the working directory is a part of the pattern: %s',
  (line, value) => {
    const found = effectsOfLine(line, textualContext(allRules, '/home/u/w/app/[id]', '/home/u'));
    const directories = found.kind === 'understood' ? found.permission.resources.map((each) => each.value) : [];
    expect(directories).toContain(value);
  },
);

it.each(['pytest', 'python3 -m pytest', 'uv run pytest', 'poetry run pytest'])(
  '%s in a directory of a repository may write .pytest_cache in a directory above',
  (line) => {
    const { resources } = understood(line, { ...here, repositoryOf: () => '/home/u' });
    expect(resources).toContainEqual({ kind: 'path', access: 'write', value: '/home/u', isExact: false });
  },
);
