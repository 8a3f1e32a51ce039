// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/** Threat: an approved line of a session does something else later, because other approved lines have changed the state of its bash. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { gatedBash, makePlace } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from '../terminal/keyboard.ts';

interface Asked {
  readonly asked?: string;
  readonly environment?: readonly { readonly name: string; readonly value: string }[];
}

/** Returns what a new session binds for the line after the other lines have run, as one text. */
async function boundAfter(lines: readonly string[], line: string): Promise<string> {
  const place = makePlace();
  const keys = new Keyboard(gatedBash(place, false, null));
  const asked = (): Asked['environment'] =>
    existsSync(place.log)
      ? readFileSync(place.log, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((entry) => JSON.parse(entry) as Asked)
          .findLast((entry) => entry.asked === line)?.environment
      : undefined;
  try {
    await keys.see(/U# $/);
    for (const each of lines) {
      keys.type(`${each}\r`);
      await keys.see(/\n[^\n]*U# $/);
    }
    keys.type(`${line}\r`);
    while (asked() === undefined) await setTimeout(30);
    const entries = (asked() ?? []).map(({ name, value }) => `${name}=${value}`).sort();
    return entries.join('\n').replaceAll(place.home.slice(0, -'/h'.length), 'PLACE');
  } finally {
    keys.close();
  }
}

/** [the line, lines before it in both sessions, a line that only the second session runs] */
type Attack = readonly [line: string, before: readonly string[], change: string];

test.concurrent.each<Attack>([
  // The line names a variable in a way that only looks like an assignment, or assigns it too late.
  ['echo rm $out out', ['out=/a'], 'out=/b'],
  ['echo rm $d; d=x', ['d=/a'], 'd=/b'],
  ['d=/x echo rm $d', ['d=/a'], 'd=/b'],
  ['(d=/x); echo rm $d', ['d=/a'], 'd=/b'],
  ['false && d=/x; echo rm $d', ['d=/a'], 'd=/b'],
  ['for d in; do :; done; echo rm $d', ['d=/a'], 'd=/b'],
  ['clean build', ['clean() { echo rm "$build"; }', 'build=/a'], 'build=/b'],
  // The assignment of the line does not have its usual effect.
  ['export d=/x; echo rm $d', [], 'readonly d=/b'],
  ['read -r d <<<x; echo rm $d', [], 'readonly d=/b'],
  ['printf -v d %s /x; echo rm $d', [], 'readonly d=/b'],
  ['a[i]=/x; echo rm ${a[0]}/', [], 'declare -A a=([0]=/etc)'],
  ['d=/x; echo rm ${d[@]}', [], 'd=(/etc /home)'],
  ['echo rm ${d[1]}', ['export d', 'd=(/x /a)'], 'd[1]=/b'],
  // Variables that bash itself may set, numbers, empty values.
  ['echo rm $REPLY', ['REPLY=/a'], 'REPLY=/b'],
  ['echo rm ${MAPFILE[@]}', ['MAPFILE=(/a)'], 'MAPFILE=(/b)'],
  ['echo rm $OPTARG', ['OPTARG=/a'], 'OPTARG=/b'],
  ['echo ssh $HOSTNAME', ['HOSTNAME=a'], 'HOSTNAME=b'],
  ['echo rm ${BASH_REMATCH[1]}', ['[[ /a =~ (/.*) ]]'], '[[ /b =~ (/.*) ]]'],
  ['echo $BASH -c', ['BASH=/a'], 'BASH=/b'],
  ['echo rm -rf "${d-/tmp/x}/"', [], 'd='],
  ['echo rm -rf /data/$run', ['run=17'], 'run=18'],
  ['echo rm -rf /data/$run', ['run=17'], 'unset run'],
  // bash builds the name at run time, or a builtin uses the variable by itself.
  ['n=$p$q; echo rm "${!n}"', ['p=x q=y', 'xy=/a'], 'xy=/b'],
  ['eval "echo rm \\$$p$q"', ['p=x q=y', 'xy=/a'], 'xy=/b'],
  ['export target; echo make', ['target=/a'], 'target=/b'],
  ['history -w', ['HISTFILE=$HOME/a'], 'HISTFILE=$HOME/b'],
  ['cd foo', ['shopt -s cdable_vars', 'foo=/usr'], 'foo=/bin'],
  ['read x || echo rm', [], 'TMOUT=100'],
  // Variables with names like those that bash itself sets, and variables of bash that a line has set or made its own.
  ['$BASH_FOO', ["BASH_FOO='echo a'"], "BASH_FOO='echo b'"],
  ['echo rmdir "$BASH_DIR"', ['BASH_DIR=/a'], 'BASH_DIR=/b'],
  ['echo kill $BASHN $HIST_PID', ['BASHN=1 HIST_PID=4'], 'BASHN=1 HIST_PID=5'],
  ['f', ['f() { $BASH_Q; }', 'BASH_Q="echo a"'], 'BASH_Q="echo b"'],
  ['R=x', ['declare -n R=good'], 'declare -n R=bad'],
  ['BASH_R=x', ['declare -n BASH_R=good'], 'declare -n BASH_R=bad'],
  ['$EPOCHFOO', ["EPOCHFOO='echo a'"], "EPOCHFOO='echo b'"],
  ['$BASH_VERSION', ["BASH_VERSION='echo a'"], "BASH_VERSION='echo b'"],
  ['eval "$COMP_WORDBREAKS"', ["COMP_WORDBREAKS='echo a'"], "COMP_WORDBREAKS='echo b'"],
  ['eval "$PS2"', ["PS2='echo a'"], "PS2='echo b'"],
  ['$PS3', ["PS3='echo a'"], "PS3='echo b'"],
  ['$PS4', ["PS4='echo a'"], "PS4='echo b'"],
  ['$SECONDS', ['unset SECONDS'], "SECONDS='echo b'"],
  ['$HISTCMD', ['unset HISTCMD'], "HISTCMD='echo b'"],
  ['$RANDOM$LINENO', ['unset RANDOM LINENO'], "LINENO='echo b' RANDOM="],
  ['echo kill $BASHPID', ['unset BASHPID'], 'BASHPID=5'],
  ['echo rm $EPOCHSECONDS', ['unset EPOCHSECONDS'], 'EPOCHSECONDS=5'],
  ['$DIRSTACK', ['unset DIRSTACK'], 'DIRSTACK=date'],
  ['echo kill $COLUMNS', ['shopt -u checkwinsize'], 'COLUMNS=17'],
  // Parameters.
  ['echo rm "$1"', ['set -- /a'], 'set -- /b'],
  ['for d; do echo rm $d; done', ['set -- /a'], 'set -- /b'],
  ['echo $0 x', [], 'BASH_ARGV0=rm'],
  ['echo rm $_', [': /a'], ': /b'],
  ['mkdir made >/dev/null && echo rm $_', [': /a'], ': /b'],
  // Options and attributes.
  ['case $x in A*) echo rm;; esac', ['x=abc'], 'shopt -s nocasematch'],
  ['f', ['f() { local d; echo ${d:-x}; }'], 'shopt -s localvar_inherit'],
  ['d=x; ./program', [], 'set -a'],
  ['FOO=x; ./program', [], 'export FOO'],
  ['a[i]=/x; echo rm ${a[0]}/', [], 'declare -A a'],
  ['a[i]=/x; echo rm ${!a[@]}', ['declare -a a=()'], 'unset a; declare -A a=()'],
  ['f build', ['f() { d=$1; echo rm ./$d; }'], 'declare -i d'],
  ['f build', ['f() { d[i]=$1; echo rm ./${d[0]}; }'], 'declare -A d'],
  ['f', ['f() { local d=/x; echo rm $d; }'], 'readonly d=/b'],
  // What a function of the line calls.
  ['f', ['g() { echo a; }', 'f() { g; }'], 'g() { echo b; }'],
  ['f', ['h() { :; }', 'g() { "h" x; }', 'f() { g; }'], 'h() { echo b; }'],
  ['f', ['f() { sometool; }'], 'hash -p /bin/ls sometool'],
  ['f', ['f() { kill -0 1; }'], 'enable -n kill'],
  ['f', ['f() { eval say; }', 'alias say=ls'], 'alias say=pwd'],
  // What is called by a name that is no written word: of a value, of a body, or built.
  ['eval "$step"', ['step=h', 'h() { echo a; }'], 'h() { echo b; }'],
  ['eval "$step"', ['step=h', 'alias h="echo a"'], 'alias h="echo b"'],
  ['trap "$t" USR1; kill -USR1 $$', ['t=h', 'h() { echo a; }'], 'h() { echo b; }'],
  ['eval "coproc $cq"', ['cq=h', 'h() { echo a; }'], 'h() { echo b; }'],
  ['echo "${x@P}"', ["x='$(h)'", 'h() { echo a; }'], 'h() { echo b; }'],
  ['echo $((x))', ["x='a[$(h)0]'", 'h() { :; }'], 'h() { ls; }'],
  ['echo ps4', ["PS4='$(h)+'", 'h() { echo a; }', 'set -x'], 'h() { echo b; }'],
  ['mapfile -c1 -C hl$y <<< a', ['hl() { echo a; }'], 'hl() { echo b; }'],
  ['compgen -F hl$y x', ['hl() { echo a; }'], 'hl() { echo b; }'],
  ['g2', ['c=h', 'g2() { $c; }', 'h() { echo a; }'], 'h() { echo b; }'],
  ['f3 p3', ['f3() { "hl$1"; }', 'hlp3() { echo a; }'], 'hlp3() { echo b; }'],
  ['fs "$A"', ['A=h', 'fs() { "$@"; }', 'h() { echo a; }'], 'h() { echo b; }'],
  ['fz', ['fz() { ${Z:-h"l"p}; }', 'hlp() { echo a; }'], 'hlp() { echo b; }'],
  ['q1', [`alias q1='"h$y"'`, 'h() { echo a; }'], 'h() { echo b; }'],
  ['w1 $al', ["al=h; alias w1='time '", 'h() { echo a; }'], 'h() { echo b; }'],
  ['f5', ['function a}b { echo a; }', 'f5() { a}b; }'], 'function a}b { echo b; }'],
  ['fe', ['function a=b { echo a; }', 'fe() { a\\=b; }'], 'function a=b { echo b; }'],
  ['fh', ['hc=tput; fh() { $hc cols; }'], 'hash -p /tmp/x tput'],
  ['nosuchtool x', ['command_not_found_handle() { h; }', 'h() { echo a; }'], 'h() { echo b; }'],
  // Parameters and options that the line reads without naming them.
  ['"${!x}" +SAME', ['x=1', 'set -- date'], 'set -- echo b'],
  ['[ -v 1 ] && echo b || echo a', [], 'set -- x'],
  ["x='echo a'; echo echo b | read -r x; $x", ['shopt -s lastpipe'], 'set +m'],
  ['[[ -o monitor ]] && echo a || echo b', [], 'set +m'],
  ['shopt -q histappend && echo a', [], 'shopt -s histappend'],
  ['hh', ['alias hh="echo b"', 'hh() { :; }', 'shopt -u expand_aliases'], 'shopt -s expand_aliases'],
  ['../h', ['shopt -s autocd'], 'cd() { echo b; }'],
  [': ${vv:=ECHO}; echo $vv; unset -v q', [], 'declare -l vv'],
  ['nosuchtool x', [], 'command_not_found_handle() { echo evil; }'],
])('`%s` after %j, and after `%s`', async (line, before, change) => {
  expect(await boundAfter([...before, change], line)).not.toBe(await boundAfter(before, line));
});

test.concurrent.each<Attack>([
  ['d=/x; echo rm $d', ['d=/a'], 'd=/b'],
  ['for f in a b; do echo $f; done', ['f=/a'], 'f=/b'],
  ['x=$(pwd) && echo $x', ['x=1'], 'x=2'],
  ['((count = count + 1)); mkdir -p made', ['count=1'], 'count=2'],
  ['ls | while read -r f; do echo $f; done', ['f=/a'], 'f=/b'],
  ['mkdir -p made && echo $_', [': /a'], ': /b'],
  ['f', ['f() { echo "$1"; }'], 'g() { :; }; alias other=ls'],
  ['f', ['f() { local d=$1; [ -d "$d" ] && ls -- "$d"; }', 'alias l="ls -l"'], 'g() { :; }'],
  ['l a', ['alias l="ls --color=auto -l"'], 'g() { :; }'],
  ['echo $RANDOM $SECONDS $EPOCHSECONDS $EPOCHREALTIME $LINENO $HISTCMD $BASHPID $BASH_COMMAND $SRANDOM', [], ':'],
  ['mkdir -p made', ['d=/a', 'f() { :; }'], 'd=/b; f() { ls; }; e=(x y)'],
])('but `%s` means the same after %j and after `%s`', async (line, before, change) => {
  expect(await boundAfter([...before, change], line)).toBe(await boundAfter(before, line));
});
