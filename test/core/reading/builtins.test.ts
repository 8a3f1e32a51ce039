/** Which builtins of bash a line may use, and which make it opaque. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBuiltinName } from '../../../src/core/reading/builtins.ts';
import { reasonsOf, understand } from './reading-fixture.ts';

const meaningOf = (line: string) => understand(line).commands.at(-1)?.meaning.kind;

describe('builtins that a line may use freely', () => {
  test.each([
    'echo hello',
    'echo "$X" $Y *',
    'printf "%s\\n" a b',
    "printf -- '-x'",
    "printf '100%%'",
    'true',
    ':',
    'false',
    'pwd -P',
    'exit 3',
    'umask 022',
    'umask 0077',
    'umask -S',
    'ulimit -a',
    'declare f="a$x"',
    '[ -f x ]',
    '[ "$a" = b ]',
    'test -n "$a"',
    '[ $? -eq 0 ]',
    '[ ! -d x ]',
    '[ ! "$a" = b ]',
    '[ a = b -o -d x ]',
    'test "$x"',
    'read -r line',
    'read -rp "Name: " name',
    'read -t 5 -n 1 x',
    'export FOO=bar',
    'export FOO="$X"',
    'export FOO=$X',
    'export FOO',
    'declare -x FOO=1',
    'local x=1',
    'unset FOO',
    'unset -v FOO',
    'set -e',
    'set -euo pipefail',
    'set +x',
    'set -o errexit',
    'command -v git',
    'type git',
    'hash -r',
    'jobs -l',
    'wait',
    'wait $!',
    'wait %1',
    'trap -p',
    'alias',
    'shopt -q extglob',
    'history',
    'shift',
    'times',
    'FOO=bar',
    'X=1 Y="$Z"',
    'NODE_ENV=test true',
    'for f in a b; do echo "$f"; done',
  ])('no reason is found against %s', (line) => {
    expect(reasonsOf(line)).toEqual([]);
    if (understand(line).commands.at(-1)?.command.words.length !== 0) expect(meaningOf(line)).toBe('harmless');
  });

  test('cd has a directory as its meaning, and kill is read as a program', () => {
    expect(meaningOf('cd /tmp')).toBe('directory');
    expect(meaningOf('kill 1')).toBe('tool');
  });

  test('a program file with the name of a builtin is no builtin', () => {
    expect(meaningOf('env echo x')).toBe('other');
    expect(meaningOf('/bin/echo x')).toBe('other');
    expect(meaningOf('timeout 5 exit')).toBe('other');
  });

  test('in a line for another shell, the builtins of bash are not known', () => {
    expect(reasonsOf("sh -c 'echo x'")).toEqual([]);
    expect(reasonsOf("sh -c 'help'")).not.toEqual([]);
    expect(reasonsOf("sh -c 'export X=$Y'")).not.toEqual([]);
    expect(reasonsOf("sh -c 'chdir src && cat k'")).toEqual(['is a builtin of some shells, and no builtin of bash']);
    expect(reasonsOf("bash -c 'chdir src && cat k'")).toEqual([]);
  });
});

describe('builtins that evaluate strings or change what later commands mean', () => {
  test.each([
    'eval ls',
    'source x',
    '. x',
    "trap 'ls' EXIT",
    'trap ls INT',
    'trap - INT',
    'alias ls=rm',
    'unalias ls',
    'enable -n test',
    'hash -p /tmp/x git',
    'hash -p x git',
    'hash -d git',
    'shopt -s expand_aliases',
    'set -k',
    'set -a',
    'set -o posix',
    'set -- a',
    'set a',
    'set',
    'set -f',
    'readonly X=1',
    'export PATH=/tmp',
    'export LD_PRELOAD=x',
    'export -f f',
    'export -n X',
    'export',
    "declare 'f=(${X:=1})'",
    "declare f='(${X:=1})'",
    "declare -x 'f+=(a)'",
    "typeset 'f=([X=7]=a)'",
    "local 'f=(a)'",
    "export 'f=(a)'",
    'declare f="$x"',
    'declare f=$x',
    'declare -x f="$(cat p)"',
    'command declare f="$x"',
    'declare f=(a b)',
    'umask 0',
    'umask 002',
    'umask 020',
    'umask u=rwx,g=rwx',
    'umask "$x"',
    'ulimit -f 0',
    'ulimit -n 3',
    'declare -i x=1',
    'declare -n x=PATH',
    'declare -p',
    'declare PATH=/x',
    'typeset -f',
    'local -n x=y',
    'unset PATH',
    'unset -f ls',
    "unset 'a[1]'",
    'unset -n x',
    'read PATH',
    'read -a x',
    "read 'a[$(id)]'",
    'read $X',
    'read -u 3 x',
    'mapfile x',
    'mapfile -C id -c 1 x',
    'readarray x',
    'complete -F f x',
    'compgen -C id',
    'compgen -W "$(id)"',
    'bind -x "a:id"',
    'let x=1',
    'exec > x',
    'exec 3<x',
    'fc -s',
    'history -w',
    'history -s x',
    'history -c',
    'jobs -x ls',
    'wait -p x',
    'wait $X',
    'getopts ab x',
    'printf -v x y',
    'printf -v x %s y',
    'printf -v x -v PROMPT_COMMAND id',
    "printf -v x -- '3%n' PROMPT_COMMAND",
    'ulimit -cunlimited',
    'ulimit -Sfunlimited',
    'export a=(/root/.*)',
    'a=(/root/.*)',
    'a=(x *.ts); echo "${a[*]}"',
    'a+=(~/*)',
    'printf -v PATH y',
    "printf -v 'a[$(id)]' y",
    'printf -v "$X" y',
    'printf -v x "$Y"',
    'printf -v x',
    'printf -vx y',
    "printf '%n' x",
    "printf '%5.3ln' x",
    'printf "$X" y',
    'printf $X',
    "test -v 'a[$(id)]'",
    '[ "$a" "$b" ]',
    '[ -n $X ]',
    'test $X',
    '[ a -a "$b" "$c" ]',
    '[ ! -v x ]',
    'test -R x',
    '[ x',
    'PROMPT_COMMAND=id',
    'PATH=/tmp',
    'PATH=/tmp ls',
    'LD_PRELOAD=x ls',
    'IFS=x',
    'GIT_DIR=x git log',
    'BASH_ENV=x bash -c ls',
    'PS4="$(id)"',
    'FOO_PAGER=x ls',
    'HTTPS_PROXY=x curl y',
    'for PATH in /tmp; do ls; done',
    'builtin export X=$Y',
    'command export X=$Y',
    'command eval ls',
    'builtin source x',
    'suspend',
    'declare -a x',
    'enable -f x y',
  ])('a reason is found against %s', (line) => {
    expect(reasonsOf(line)).not.toEqual([]);
  });
});

describe('against bash itself', () => {
  test('every builtin of bash is in our table', () => {
    const names = execFileSync('/bin/bash', ['-c', 'compgen -b'], { encoding: 'utf8' }).trim().split('\n');
    expect(names.filter((name) => !isBuiltinName(name))).toEqual([]);
  });

  /** Words that do harm when a builtin evaluates them: a substitution in them that runs makes the file `CANARY`. */
  const word = fc.constantFrom(
    'a',
    '-v',
    '-n',
    '-f',
    '-e',
    '-p',
    '-a',
    '-i',
    '-r',
    '-x',
    '=',
    '-eq',
    '!',
    "'('",
    "')'",
    '-o',
    '1',
    '--',
    '-t',
    '-R',
    '-d',
    '%n',
    '%s',
    '-u',
    "'a[$(>CANARY)]'",
    '"$W"',
    '$W',
    '$V',
    '"$V"',
    '$X',
    '"$X"',
    'b=$X',
    "'b=$X'",
    'b="$W"',
    '-vb',
    '"-v$W"',
    '-',
    '+x',
    'pipefail',
    "'%d%n'",
    '"$@"',
    '$?',
    '-C',
    '-p$W',
    'PATH',
    'PATH=/x',
    'P=1',
    '/x',
    'git',
    "'>CANARY'",
    'EXIT',
  );
  const name = fc.constantFrom(
    'test',
    '[',
    'printf',
    'read',
    'export',
    'declare',
    'unset',
    'wait',
    'set',
    'cd',
    'echo',
    'jobs',
    'hash',
    'trap',
    'alias',
    'shopt',
    'history',
    'local',
    'typeset',
    'exit',
    'shift',
    'return',
    'type',
    'bind',
    'dirs',
    'umask',
    'break',
    'caller',
    'disown',
    'fg',
    'times',
    'command',
    'builtin',
    'help',
    'pwd',
    'true',
    'logout',
    'continue',
    'pushd',
    'bg',
  );
  const call = fc
    .tuple(name, fc.array(word, { maxLength: 4 }))
    .map(([first, rest]) => [first, ...rest, ...(first === '[' ? [']'] : [])].join(' '));

  test('a line that is called harmless runs nothing, and leaves PATH, aliases, functions, traps and options unchanged', () => {
    const folder = mkdtempSync(join(tmpdir(), 'builtins-'));
    let harmless = 0;
    try {
      fc.assert(
        fc.property(fc.array(call, { minLength: 40, maxLength: 40 }), (calls) => {
          const judged = calls.filter((line) => reasonsOf(line).length === 0);
          harmless += judged.length;
          execFileSync('/bin/bash', ['-c', script(judged)], {
            cwd: folder,
            stdio: ['ignore', 'pipe', 'ignore'],
            timeout: 120_000,
          });
          const broken = readdirSync(folder).map((file) =>
            file.startsWith('CHANGED-') ? (judged[Number(file.slice(8))] ?? file) : file,
          );
          expect(broken, judged.join('\n')).toEqual([]);
        }),
        { numRuns: 12, endOnFailure: true },
      );
      expect(harmless).toBeGreaterThan(150);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  /** Runs each line in a subshell of its own, with hostile variables. A change of what names mean makes a file too. */
  const script = (lines: readonly string[]) => `
    W='a[$(>CANARY)]' V=-v X='-v a[$(>CANARY)]' P='$(>CANARY)'
    state() { builtin echo "$PATH|$IFS|$BASH_ENV"; builtin alias; builtin declare -F; builtin trap; builtin shopt -p; }
    before=$(state)
    ${lines
      .map(
        (line, at) =>
          `( builtin set -- a b\n${line} </dev/null >/dev/null 2>&1\nbuiltin set +eux; [[ $(state) == "$before" ]] || >CHANGED-${at} )`,
      )
      .join('\n')}
    builtin exit 0`;
});
