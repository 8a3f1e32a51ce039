/** A command inside wrappers (`sudo`, `timeout`, `find -exec`, …) is read as the command that runs. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_LAYERS } from '../../../src/core/reading/unwrap.ts';
import { quoteWord } from '../../../src/core/text/quote.ts';
import { commandsOf, reasonsOf, understand, wrappersOf } from './reading-fixture.ts';

describe('a wrapped command is read as the command that it runs', () => {
  test.each([
    ['env -u FOO BAR=1 git log', 'git log', ['env']],
    ['env -i git log', 'git log', ['env, clean environment']],
    ['env - git log', 'git log', ['env, clean environment']],
    ['env -C /tmp ls', 'ls', ['env, directory /tmp']],
    ['env --chdir=/tmp ls', 'ls', ['env, directory /tmp']],
    ["env -S 'nice -n 5 ls' -l", 'ls -l', ['env', 'nice']],
    ['timeout -k 5 --signal=KILL 10s make all', 'make all', ['timeout']],
    ['timeout -k5 -sKILL 1.5m make', 'make', ['timeout']],
    ['nice -n 10 make', 'make', ['nice']],
    ['nice -10 make', 'make', ['nice']],
    ['ionice -c2 -n 7 tar cf x y', 'tar cf x y', ['ionice']],
    ['chrt -b 0 make', 'make', ['chrt']],
    ['taskset -c 0,1 make', 'make', ['taskset']],
    ['stdbuf -oL -e 0 grep x', 'grep x', ['stdbuf']],
    ['nohup make', 'make', ['nohup']],
    ['setsid -w make', 'make', ['setsid']],
    ['time -p make', 'make', []],
    ['command time -p make', 'make', ['command', 'time']],
    ['command git log', 'git log', ['command']],
    ['command -- git log', 'git log', ['command']],
    ['exec git log', 'git log', ['exec']],
    ['xargs -0 -n1 rm -v', 'rm -v <input…>', ['xargs, repeated']],
    ['xargs', 'echo <input…>', ['xargs, repeated']],
    ['xargs -I{} cp {} /tmp/{}.bak', 'cp <input> /tmp/<input>', ['xargs, repeated']],
    ['flock -n /tmp/l make', 'make', ['flock']],
    ["flock /tmp/l -c 'make all'", 'make all', ['flock, login shell']],
    ['sudo -n -u www ls /', 'ls /', ['sudo, user www']],
    ['sudo ls /', 'ls /', ['sudo, user root']],
    ['sudo -D /srv FOO=1 ls', 'ls', ['sudo, user root, directory /srv']],
    ['doas -u www ls', 'ls', ['doas, user www']],
    ["su -c 'ls /' www", 'ls /', ['su, user www']],
    ["su - www -c 'ls /'", 'ls /', ['su, user www, login shell']],
    ['runuser -u www -- ls /', 'ls /', ['runuser, user www']],
    ['chroot /mnt ls /', 'ls /', ['chroot, root directory /mnt']],
    ['unshare -rn ls', 'ls', ['unshare, namespace']],
    ['watch -n1 -x git status', 'git status', ['watch, repeated']],
    ['watch -n 1 git status', 'git status', ['watch, repeated']],
    ['strace -f -o /tmp/t -e trace=execve ls', 'ls', ['strace']],
    ['parallel -j4 gzip -9 ::: a b', 'gzip -9 <input…>', ['parallel, repeated']],
    ['parallel convert {} {.}.png ::: a b', 'convert <input> <input>', ['parallel, repeated']],
    [
      'parallel -P 50% --halt now,fail=1 -n1 --delay 0.5s --timeout 200% -d , echo x{} ::: a',
      'echo x<input>',
      ['parallel, repeated'],
    ],
    ['parallel -n 2 echo x{}y ::: a b', 'echo <input…>', ['parallel, repeated']],
    ['parallel echo x{}y ::: a b ::: -c', 'echo <input…>', ['parallel, repeated']],
    ['parallel -a f echo x{}y ::: a b', 'echo <input…>', ['parallel, repeated']],
    ['parallel echo x{}y :::: f g', 'echo x<input>', ['parallel, repeated']],
    ['ssh -q deploy@web.example uptime -p', 'uptime -p', ['ssh, host deploy@web.example']],
    ['docker exec -i -u www -w /srv web ls -l', 'ls -l', ['docker exec, container web, user www, directory /srv']],
    ['docker container exec web ls', 'ls', ['docker container exec, container web']],
    ['docker compose exec -T web ls', 'ls', ['docker compose exec, container web']],
    ['podman exec web ls', 'ls', ['podman exec, container web']],
    ['kubectl exec -i pod -- ls -l', 'ls -l', ['kubectl exec, container pod']],
    ["bash -c 'git log'", 'git log', ['bash -c']],
    ["bash -lc 'git log'", 'git log', ['bash -c, login shell']],
    ["bash -euo pipefail -c 'git log'", 'git log', ['bash -c']],
    ["bash -o pipefail -c 'git log'", 'git log', ['bash -c']],
    ["bash -e -o pipefail -o nounset -c 'git log'", 'git log', ['bash -c']],
    ["bash -c -o errexit 'git log'", 'git log', ['bash -c']],
    ["bash -c -l 'git log'", 'git log', ['bash -c, login shell']],
    ["/bin/sh -c 'git log'", 'git log', ['sh -c']],
    ["sh -lc 'git log'", 'git log', ['sh -c, login shell']],
    [`sh -c 'rm "$1" "$0"' a b`, 'rm b a', ['sh -c']],
    [`sh -c 'exec "$@"' _ git log`, 'git log', ['sh -c', 'exec']],
    [`bash -c 'rm "$1/x"' a b`, 'rm <variable>', ['bash -c']],
    [`bash -c 'shift; rm "$1"' a b c`, 'rm <variable>', ['bash -c']],
    [`bash -c 'shift; "$0" -c "rm x"' bash c`, 'rm x', ['bash -c', 'bash -c']],
    [`bash -c 'rm $1 \${2} $9 $@ "$*"' _ a`, 'rm a a a', ['bash -c']],
    [`bash -c 'rm $1 $@ "$*"' _ a "b c"`, 'rm a <variable…> <variable>', ['bash -c']],
    [`bash -c 'rm $1' _ '*'`, 'rm <variable…>', ['bash -c']],
    [`sh -c '$0 -c "rm x"'`, 'rm x', ['sh -c', 'sh -c']],
    [`watch '"$0" -c "rm x"'`, 'rm x', ['watch, repeated', 'sh -c']],
    [`watch '\${0} -c "rm x"'`, 'rm x', ['watch, repeated', 'sh -c']],
    [`watch '"$@" rm "$#"'`, 'rm <variable>', ['watch, repeated']],
    [`xargs sh -c 'rm "$@" "$1"'`, 'rm <variable…> <variable>', ['xargs, repeated', 'sh -c']],
    [`find . -exec sh -c 'rm "$1"' _ {} \\;`, 'rm .<input>', ['find -exec, repeated', 'sh -c']],
  ])('in %s', (line, last, wrappers) => {
    expect(reasonsOf(line)).toEqual([]);
    expect(commandsOf(line).at(-1)).toBe(last);
    expect(wrappersOf(line)).toEqual(wrappers);
  });

  test('find keeps its own effects, and each of its commands is a separate command', () => {
    expect(commandsOf(`find src -name '-exec' -exec grep -l x {} + -o -type d -execdir touch {} \\;`)).toEqual([
      'find src -name -exec -o -type d',
      'grep -l x src<input…>',
      'touch ./<input>',
    ]);
  });

  test('every command of a text is read, and inherits what surrounds the text', () => {
    const line = "timeout 5 bash -c 'cd a && psql; ls' <<< 'DROP TABLE x'";
    expect(commandsOf(line)).toEqual(['cd a', 'psql', 'ls']);
    const psql = understand(line).commands.find(({ command }) => command.words[0]?.source === 'psql');
    expect(psql?.command.redirections.map(({ operator }) => operator)).toEqual(['<<<']);
  });

  test.each(['setsid ls', 'setsid -f ls', "setsid -f sh -c 'ls'", 'sudo -b ls', 'ssh -f h ls', 'timeout -f 1 ls'])(
    'a wrapper that may end before its command leaves it in the background: %s',
    (line) => {
      expect(understand(line).commands.at(-1)?.command.within).toContain('background');
    },
  );

  test.each(['sudo ls', 'ssh h ls', 'timeout 1 ls', "sh -c 'ls'"])('other wrappers wait: %s', (line) => {
    expect(understand(line).commands.at(-1)?.command.within).not.toContain('background');
  });

  test.each([
    ['nohup cat a', ['nohup.out', '~/nohup.out']],
    ['nohup cat a 2> err', ['err', 'nohup.out', '~/nohup.out']],
    ['nohup cat a > /dev/tty', ['/dev/tty', 'nohup.out', '~/nohup.out']],
    ['nohup cat a > out 1<> x', ['out', 'x', 'nohup.out', '~/nohup.out']],
    ['nohup cat a > out 2>&1', ['out', '1']],
    ['nohup cat a > tty', ['tty', 'nohup.out', '~/nohup.out']],
    ['nohup cat a > ../pts/3', ['../pts/3', 'nohup.out', '~/nohup.out']],
    ['nohup cat a &> /dev/null', ['/dev/null']],
  ])('nohup writes nohup.out if its output may be a terminal: %s', (line, files) => {
    const { command } = understand(line).commands[0] ?? {};
    expect(
      command?.redirections.map(({ target }) => (target.kind === 'literal' ? target.value : target.source)),
    ).toEqual(files);
  });

  test('the redirections and assignments of a wrapped command, and the files its wrapper opens, are kept', () => {
    const [shell] = understand('X=1 strace -o trace.txt ls > out').commands;
    expect(shell?.command.words).toEqual([]);
    expect(shell?.command.assignments.map(({ name }) => name)).toEqual(['X']);
    expect(shell?.command.redirections.map(({ target }) => target.source)).toEqual(['out', 'trace.txt']);
  });

  test.each([
    ['parallel -a f --arg-file=g echo {}', ['f', 'g']],
    ['parallel -a - echo {}', []],
    ['parallel echo {} :::: f g', ['f', 'g']],
    ['parallel echo {} ::::+ f ::: a :::+ b :::: g - ::: c', ['f', 'g']],
    ['parallel echo {} :::: "$F" *.txt', ['"$F"', '*.txt']],
    ['parallel echo {} ::: a *.txt x$X/"$Y" "x$Y" b', ['x$X/"$Y"', '"x$Y"', 'b']],
    ['parallel echo {} ::: a *.txt img{1..3} ~/d/* "x$Y" b', []],
    ['parallel echo {} ::: a * f', ['*', 'f']],
    ['parallel echo {} ::: {a,::::} f', ['{a,::::}', 'f']],
    ['parallel echo {} ::: "$X" f ::: g', ['"$X"', 'f', 'g']],
    ['parallel echo {} ::: ":$X" f', ['":$X"', 'f']],
  ])('%s reads the files with arguments %j', (line, files) => {
    expect(reasonsOf(line)).toEqual([]);
    const read = understand(line).commands.flatMap(({ command }) => command.redirections);
    expect(read.map(({ operator, target }) => [operator, target.source])).toEqual(files.map((file) => ['<', file]));
  });

  test('another program with the name of a wrapper is no wrapper', () => {
    for (const line of ['./timeout 5 rm x', '/tmp/bin/env rm x', 'mytimeout 5 rm x'])
      expect(commandsOf(line), line).toHaveLength(1);
    expect(commandsOf('/usr/bin/timeout 5 rm x')).toEqual(['rm x']);
  });
});

describe('a command that gets a terminal of its own is for exact approvals only, and is still read', () => {
  test.each([
    "script -qc 'git log' /dev/null",
    "script -c 'git log'",
    'unbuffer git log',
    'unbuffer -p git log',
    'setsid -c git log',
    'setsid -wc git log',
    'setsid --ctty git log',
    'xargs -o git log',
    'xargs --open-tty git log',
    'ssh -t web git log',
    'ssh -tt web git log',
    'ssh -4tq web git log',
    'docker exec -it web git log',
    'docker container exec --tty web git log',
    'docker compose exec web git log',
    'podman exec -ti web git log',
    'kubectl exec -it pod -- git log',
    'timeout 5 unbuffer nice git log',
  ])('%s is opaque because of the terminal, and its command is read', (line) => {
    expect(reasonsOf(line)).toEqual([expect.stringContaining('gives its command a terminal')]);
    expect(commandsOf(line).at(-1)).toMatch(/^git log/);
  });

  test.each(['ssh -o RequestTTY=force web git log', 'ssh -oRequestTTY=yes web git log', 'openvt git log'])(
    '%s may give such a terminal, and has a reason against it',
    (line) => {
      expect(reasonsOf(line)).not.toEqual([]);
    },
  );

  test.each([
    'ssh -T web git log',
    'docker compose exec -T web git log',
    'setsid -w git log',
    'docker exec -i web git log',
  ])('%s gives no such terminal', (line) => {
    expect(reasonsOf(line)).toEqual([]);
  });
});

describe('a wrapper without a command runs nothing that can be read', () => {
  test.each([
    "ls; ssh host ''",
    "ls; ssh -i key host '  '",
    "ls; bash -c ''",
    "ls; bash -c '# nothing'",
    "ls; timeout 1 bash -c ''",
    "ls; docker exec c sh -c ''",
    "ls; kubectl exec p -- sh -c ''",
    "ls; su -c ''",
    "ls; chroot . sh -c ''",
    "ls; watch ''",
    'ls; ssh host \'bash -c ""\'',
  ])('%s is opaque', (line) => {
    expect(reasonsOf(line)).toContain('is given no command to run');
  });

  test('a text that has anything to run is not opaque for this reason', () => {
    expect(reasonsOf("ls; bash -c 'ls; # more'")).toEqual([]);
    expect(reasonsOf("ls; ssh host 'A=1'")).not.toContain('is given no command to run');
  });
});

describe('text that is not understood', () => {
  test.each([
    'echo (',
    'echo ( ; id',
    'timeout --sig=KILL 5 ls',
    'timeout $T ls',
    'timeout "$T" ls',
    'timeout 5$X ls',
    'timeout -q 5 ls',
    'nice --adjust=5 ls',
    'env -S "ls $X"',
    `env -S 'ls "a b"'`,
    'env $X ls',
    'env "$X" ls',
    'env X=$Y ls',
    'env -a sh busybox',
    'env -u PATH ls',
    'env PATH=/tmp ls',
    'env -u LD_PRELOAD ls',
    'command -p ls',
    'exec -a sh ls',
    'exec > file',
    'builtin eval ls',
    'env command ls',
    'xargs -I% sh -c "rm %"',
    'xargs -I{} {} x',
    'xargs sh',
    'xargs env',
    'xargs timeout 5',
    'xargs -n1 -I{} rm {}',
    'find . -exec {} \\;',
    'find $X -exec rm {} \\;',
    'find . -exec rm {}',
    'find . -exec rm $X \\;',
    'find . -frobnicate -exec rm {} \\;',
    'find . -exec echo \\;"$X" -exec rm {} \\;',
    'find . -exec echo \\;x"$X" -exec rm {} \\;',
    'find . -exec echo {} +x"$X" -exec rm {} \\;',
    'find . -exec echo {} +"$X" -exec rm {} \\;',
    'find . -exec echo {}"$X" + -exec rm {} \\;',
    'find . -exec echo {"$X" + -exec rm {} \\;',
    'find . -exec echo \\;x -exec rm {} \\;',
    'find a -ok sort {} + -o -name \\;',
    'find a -okdir sort {} + -o -name \\;',
    'find $X -name y',
    'flock /tmp/l -c "ls" x',
    'sudo -i',
    'sudo -s ls',
    'sudo -e /etc/passwd',
    'sudo -R / ls',
    'su',
    'su www',
    'su -s /bin/sh -c ls',
    'chroot /mnt',
    'unshare -r',
    'watch',
    'watch ls $X',
    'watch -dx ls',
    'strace -o "|sh" ls',
    'strace -o !sh ls',
    'strace -p 1',
    'strace -ff -o x ls',
    'strace -f -o x --follow-forks ls',
    'strace -e inject=read:retval=1 ls',
    'script x',
    'ssh host',
    'ssh -o ProxyCommand=x host ls',
    'ssh -oProxyCommand=x host ls',
    'ssh -F conf host ls',
    'ssh -L 1:x:2 host ls',
    'ssh host -p 22 ls',
    'ssh host ls "$X"',
    "ssh host 'ls > x'",
    "ssh host 'echo $(id)'",
    'ssh -- -oProxyCommand=x ls',
    'ssh "$H" ls',
    'docker exec --privileged web ls',
    'docker exec -e PATH=/x web ls',
    'docker -H tcp://x exec web ls',
    'docker exec',
    'kubectl exec pod ls',
    'kubectl exec -n prod pod -- ls',
    'kubectl exec --context=other pod -- ls',
    'kubectl exec pod -c app -- ls',
    'docker compose exec --index=2 db ls',
    'ssh -p 2222 web.example uptime',
    'ssh -o Port=2222 web.example uptime',
    'ssh -o User=root web.example uptime',
    'ssh -o StrictHostKeyChecking=no web.example uptime',
    'ssh -o UserKnownHostsFile=/dev/null web.example uptime',
    'sudo -g docker ls',
    'sudo -E ls',
    'sudo -P ls',
    'runuser -u www -g docker ls',
    'chroot --groups=docker /mnt ls',
    'kubectl -n x exec pod -- ls',
    'parallel',
    'parallel {} ::: ls id',
    "parallel 'rm {}; id' ::: a",
    'parallel --pipe sh',
    // Options that name files, programs, hosts or texts of Perl.
    'parallel --joblog f echo {} ::: a',
    'parallel --results d echo {} ::: a',
    'parallel --tmpdir d echo {} ::: a',
    'parallel --sshloginfile f echo {} ::: a',
    'parallel --slf f echo {} ::: a',
    'parallel -S host echo {} ::: a',
    'parallel --env X echo {} ::: a',
    'parallel --profile f echo {} ::: a',
    'parallel -J f echo {} ::: a',
    "parallel --rpl '{x} `./a`' echo {x} ::: a",
    'parallel --pipepart -a f cat',
    'parallel --pipe-part -a f cat',
    'parallel --transferfile f echo {} ::: a',
    'parallel --basefile f echo {} ::: a',
    'parallel --return f echo {} ::: a',
    'parallel --trc f echo {} ::: a',
    'parallel --wd d echo {} ::: a',
    'parallel --workdir d echo {} ::: a',
    'parallel --template f=g echo {} ::: a',
    'parallel --tmpl f=g echo {} ::: a',
    'parallel --compress-program ./x echo {} ::: a',
    'parallel --limit ./x echo {} ::: a',
    "parallel --filter '`./a`' echo {} ::: a",
    'parallel --sqlmaster sqlite3:///f echo {} ::: a',
    'parallel --arg-file-sep :: echo {} :: f',
    'parallel --arg-sep x echo {} x a',
    'parallel --shebang f',
    "parallel echo '{= `./a` =}' ::: a",
    // The value of an option may be a file or a text of Perl.
    'parallel -j f echo {} ::: a',
    'parallel -j4x echo {} ::: a',
    'parallel --jobs ~/.ssh/id_rsa echo {} ::: a',
    'parallel -P f echo {} ::: a',
    'parallel --max-procs=f echo {} ::: a',
    'parallel -j "$J" echo {} ::: a',
    "parallel -n '`./a`' echo {} ::: a",
    "parallel --max-args='`./a`' echo {} ::: a",
    "parallel --delay '`./a`' echo {} ::: a",
    "parallel --timeout '`./a`' echo {} ::: a",
    "parallel --retries '`./a`' echo {} ::: a",
    "parallel --halt '`./a`' echo {} ::: a",
    "parallel -d '\\1`./a`' echo {} ::: a",
    'parallel -n "$N" echo {} ::: a',
    'bash',
    'bash -s',
    'bash -i -c ls',
    'bash --rcfile x -c ls',
    'bash --init-file x -c ls',
    'bash -O extglob -c ls',
    'bash +c ls',
    'bash -c "$X"',
    'bash -c "rm $X"',
    'bash "$X"',
    'bash $X script',
    'fish -c ls',
    'pwsh -c ls',
    "sh -c 'ls &> x'",
    `sh -c "echo \\$'a\\\\'; id #'"`,
    "sh -c '[[ -e x ]]'",
    "sh -c 'cat <(ls)'",
    "sh -c 'rm {a,b}'",
    `sh -c 'cat src/{a,"b c"}/k'`,
    "sh -c 'cat {a\\ x,b}'",
    `sh -c 'cat {a"}",b}'`,
    "sh -c 'echo $[1+1]'",
    "zsh -c 'ls *(e:id:)'",
    "zsh -c '=ls'",
    "zsh -c 'rm ~x'",
    'busybox rm x',
    'tmux new-session rm',
    'systemd-run rm x',
    'nsenter -t 1 -m rm x',
    'ssh ssh://prod ls',
    'ssh ssh://www@prod:22/ ls',
    'ssh prod/ ls',
    'setpriv --reuid 0 rm x',
    '$X',
    '"$X" a',
    '~/bin/x',
    'bash -c \'bash -c "$1"\' _ "$X"',
    'parallel A=1 rm -rf ::: x',
    'parallel PATH=/tmp/x ls ::: a',
    'parallel a[0]=1 ls ::: a',
    'parallel if ::: a',
    'parallel ! ls ::: a',
    'parallel time ls ::: a',
    'parallel noglob ls ::: a',
  ])('%s is opaque', (line) => {
    expect(reasonsOf(line)).not.toEqual([]);
  });

  test.each(['su -c', 'flock LOCK -c', 'script -c', 'ssh web'])(
    'the name of the shell in the text of %s is not known, and no parameter follows',
    (wrapper) => {
      expect(commandsOf(`${wrapper} '"$0" x'`).at(-1)).toBe('<variable> x');
      expect(commandsOf(`${wrapper} '$0 x'`).at(-1)).toBe('<variable…> x');
      expect(commandsOf(`${wrapper} '"$@" rm x'`).at(-1)).toBe('rm x');
    },
  );

  test('a line with more wrappers than the limit is opaque', () => {
    expect(reasonsOf('env env env env ls')).toEqual([]);
    expect(reasonsOf('env env env env env ls')).toEqual([`is wrapped more than ${MAX_LAYERS} times`]);
    expect(reasonsOf(`bash -c "timeout 5 bash -c 'sudo env nice ls'"`)).toEqual([
      `is wrapped more than ${MAX_LAYERS} times`,
    ]);
  });
});

const words = fc.array(
  fc.oneof(
    fc.constantFrom(
      'env',
      'timeout',
      '5',
      'nice',
      '-n',
      '--',
      '-c',
      'bash',
      'sudo',
      '-u',
      'xargs',
      '-I{}',
      '{}',
      'find',
      '-exec',
      ';',
      '+',
      'rm',
      'A=1',
      'ssh',
      'h',
      'exec',
    ),
    fc.string({ maxLength: 6 }).filter((text) => !text.includes('\0')),
  ),
  { minLength: 1, maxLength: 12 },
);

describe('for any words', () => {
  test('unwrapping loses no command: the innermost word is still in a command, or the line is opaque', () => {
    fc.assert(
      fc.property(words, (argv) => {
        const understanding = understand([...argv, 'innermost'].map(quoteWord).join(' '));
        const named = understanding.commands.filter(({ command }) => command.words.length > 0);
        const { opaque, texts } = understanding;
        // A shell with an empty text runs nothing; `fi` and similar words begin no command, because bash refuses the line.
        expect(named.length > 0 || texts.length > 2 || opaque.length > 0).toBe(true);
        const everything = understanding.commands.flatMap(({ command, through }) => [
          ...command.words.map(({ source }) => source),
          ...command.assignments.map(({ value }) => value?.source ?? ''),
          ...through.flatMap(({ settings }) => settings.map(({ value }) => value ?? '')),
          ...command.redirections.map(({ target }) => target.source),
        ]);
        const isThere = everything.some((text) => text.includes('innermost'));
        expect(isThere || opaque.length > 0 || texts.length > 2).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  test('there are never more wrappers than the limit', () => {
    fc.assert(
      fc.property(words, (argv) => {
        const { commands } = understand(argv.map(quoteWord).join(' '));
        for (const { through } of commands) expect(through.length).toBeLessThanOrEqual(MAX_LAYERS);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the directory in which a command starts', () => {
  const directoryOf = (line: string) => understand(line).commands.at(-1)?.directory;
  test.each([
    ['ls', ''],
    ['cd /a && ls', '/a'],
    ['cd a && cd b && ls', 'a/b'],
    ['cd /a && x && ls', '/a'],
    ['cd /a && { x; ls; }', '/a'],
    ['cd /a && x | ls', '/a'],
    ["cd /a && bash -c 'cd b && ls'", '/a/b'],
    ['cd /a && env -C b ls', '/a/b'],
    ["bash -c 'cd /a' && ls", ''],
    ['cd /a; ls', null],
    ['cd /a || ls', null],
    ['cd /a && x || ls', null],
    ['x || cd /a && ls', null],
    ['cd /a && x; cd b && ls', null],
    ['cd a/.. && ls', null],
    ['cd "$X" && ls', null],
    ['cd - && ls', null],
    ['cd && ls', null],
    ['pushd /a && ls', null],
    ['(cd /a; ls)', null],
    ['(cd /a) && ls', null],
    ['! cd /a && ls', null],
    ['command cd /a; ls', null],
    ['while x; do cd a && ls; done', null],
    ['while x; do cd /a && ls; done', '/a'],
    ['cd /a & ls', null],
    ['ssh h ls', null],
    ['docker exec -w /srv c ls', '/srv'],
    ['find . -execdir ls \\;', null],
  ])('is found for the last command of %s', (line, expected) => {
    expect(directoryOf(line)).toBe(expected);
  });

  test('in a loop, a later `cd` also applies to the commands before it', () => {
    const [, , first] = understand('for x in 1 2; do rm y; cd /a; done').commands;
    expect(understand('for x in 1 2; do rm y; cd /a; done').commands.map(({ directory }) => directory)).toContain(null);
    expect(first).toBeDefined();
  });
});
