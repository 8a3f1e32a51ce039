// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/**
 * The battery: 114 behaviours of an interactive bash, each with keys to type and texts to wait for. Plain bash and our shell have to
 * print the same for the same keys.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Scenario, Session } from './scenario.ts';

const PS2 = /> $/;
/** Stays in the foreground until the file `go` exists. */
const HOLD = 'until [[ -e go ]]; do sleep 0.05; done';

const lines =
  (...texts: readonly string[]): Scenario =>
  (s) =>
    s.lines(...texts);

/** The last line ends the shell. */
const linesToEnd =
  (...texts: readonly string[]): Scenario =>
  async (s) => {
    await s.lines(...texts.slice(0, -1));
    s.type(`${texts.at(-1)}\n`);
    await s.end();
  };

/** Types incomplete lines, and then the line that completes them. */
async function compound(s: Session, ...texts: readonly string[]): Promise<void> {
  for (const text of texts.slice(0, -1)) {
    s.type(`${text}\n`);
    await s.see(PS2);
  }
  await s.line(texts.at(-1) ?? '');
}

/** Starts a foreground command that prints GO when it runs. */
async function foreground(s: Session, text: string): Promise<void> {
  s.type(`${text}\n`);
  await s.see(/GO\r\n/);
  if (text.includes('./nap')) await s.runs('sleep');
}

/** Types a key and waits for the prompt. */
async function key(s: Session, keys: string): Promise<void> {
  s.type(keys);
  await s.prompt();
}

/** Makes the program `nap` in the working directory: it prints GO and sleeps 30 s. */
async function withNap(s: Session): Promise<void> {
  writeFileSync(path.join(s.place.work, 'nap'), '#!/bin/sh\necho GO\nexec sleep 30\n', { mode: 0o755 });
}

async function fired(s: Session, text: string, keys: string, ...after: readonly string[]): Promise<void> {
  await withNap(s);
  await foreground(s, text);
  await key(s, keys);
  await s.lines(...after);
}

export const BATTERY: Readonly<Record<string, Scenario>> = {
  status: lines('false', 'echo $?', 'true', 'echo $?', '(exit 42)', 'echo $?'),
  dollar_: lines('echo a b', 'echo $_', 'true x y z', 'echo $_'),
  lineno: lines('echo $LINENO', 'echo $LINENO'),
  set_e: linesToEnd('set -e', 'echo x', 'false'),
  set_e_list: linesToEnd('set -e', 'false || echo or', 'if false; then :; fi', 'echo still', 'ls /nonexist'),
  set_u: lines('set -u', 'echo $nope; echo after', 'echo ok $?'),
  exit3: linesToEnd('exit 3'),
  exit_last: linesToEnd('false', 'exit'),
  exec_cmd: linesToEnd('exec sleep 0.2'),
  exec_fail: lines('exec /nonexistent/x', 'echo st=$?'),
  heredoc: async (s) => {
    await compound(s, 'cat <<EOF', 'hello $((1+1))', 'EOF');
    await s.line('echo $?');
  },
  func_multiline: async (s) => {
    await compound(s, 'foo() {', 'local a=1', 'echo "in foo $a $1"', '}');
    await s.lines('foo bar', 'type foo');
  },
  alias_prev: lines('alias gg="echo AL"', 'gg x', 'alias mm="echo "', 'mm gg'),
  alias_sameline: lines('alias kk="echo K"; kk z', 'kk z'),
  history_bang: lines('echo one', '!!', 'echo two three', 'echo !$', '!echo', 'history 4'),
  history_keys: async (s) => {
    await s.lines('echo alpha', 'echo beta');
    s.type('\x1b[A\x1b[A');
    await s.see(/alpha$/);
    await s.line('');
    s.type('\x12alp');
    await s.see(/p': echo/);
    await s.quiet();
    await s.line('');
  },
  read_tty: async (s) => {
    s.type('echo GO; read x\n');
    await s.see(/GO\r\n/);
    await s.lines('abc def', 'echo "[$x]"');
    s.type('read -s -p pw: y\n');
    await s.see(/\rpw:$/);
    await s.lines('sec', 'echo "[$y]"');
  },
  cat_ctrl_d: async (s) => {
    s.type('echo GO; cat\n');
    await s.see(/GO\r\n/);
    for (const text of ['l1', 'l2']) {
      s.type(`${text}\n`);
      await s.see(new RegExp(`${text}\\r\\n${text}\\r\\n`));
    }
    await key(s, '\x04');
    await s.line('echo st $?');
  },
  dev_tty_reader: async (s) => {
    s.type('bash -c \'read -s -p "PW: " y </dev/tty; echo; echo got $y\'\n');
    await s.see(/\rPW: $/);
    await s.line('hunter2');
    s.type("bash -c 'echo GO; read y </dev/tty; echo got $y'\n");
    await s.see(/GO\r\n/);
    await s.line('zz');
  },
  stty_left_raw: lines('stty raw', 'echo hi', 'stty sane', 'echo hi2'),
  tui_killed_raw: async (s) => {
    await s.lines("sh -c 'stty raw -echo; kill -9 $$'", 'echo hi');
    await s.line('stty -a | grep -o -- "-\\?icanon\\|-\\?echo \\|-\\?opost"');
  },
  bg_done: async (s) => {
    await s.line('sleep 0.1 &');
    await s.reaped();
    await s.lines('echo x', 'echo y', 'jobs');
  },
  bg_output: async (s) => {
    await s.line(`(${HOLD}; echo BG) &`);
    s.go();
    await s.see(/BG\r\n/);
    await s.reaped();
    await s.line('echo x');
  },
  wait: async (s) => {
    await s.lines('sleep 0.5 & wait; echo done $?', 'sleep 0.5 & wait $!; echo $?', 'sleep 0.1 &');
    await s.reaped();
    await s.lines('wait $!; echo $?', 'wait; echo $?');
  },
  ctrl_z: async (s) => {
    await fired(s, './nap', '\x1a', 'echo $?', 'jobs', 'bg', 'jobs');
    s.type('fg\n');
    await s.see(/\.\/nap\r\n/);
    await s.runs('sleep');
    await key(s, '\x03');
    await s.lines('echo $?', 'jobs');
  },
  ctrl_z_pipeline: async (s) => {
    await withNap(s);
    await foreground(s, './nap | cat');
    await key(s, '\x1a');
    // Without the wait for their end plain bash itself differs from run to run.
    await s.line('p=$(jobs -p); kill -9 %1; while pgrep -g $p >/dev/null; do :; done; echo k');
    await s.line('echo z');
  },
  ctrl_c_fg: (s) => fired(s, './nap', '\x03', 'echo $?'),
  ctrl_c_loop: (s) => fired(s, 'echo GO; while :; do :; done', '\x03', 'echo $?', 'echo again'),
  ctrl_c_read: async (s) => {
    s.type('echo GO; read x\n');
    await s.see(/GO\r\n/);
    await s.pause(100);
    await key(s, 'par\x03');
    await s.line('echo $?');
  },
  ctrl_c_prompt: async (s) => {
    await s.line('true');
    s.type('abc def');
    await s.see(/abc def$/);
    await s.rest();
    await key(s, '\x03');
    await s.line('echo $?');
  },
  ctrl_c_list: (s) => fired(s, './nap; echo after', '\x03', 'echo $?'),
  ctrl_c_for: (s) => fired(s, 'for i in 1 2 3; do echo $i; ./nap; done', '\x03', 'echo $?'),
  ctrl_c_ps2: async (s) => {
    s.type('for i in 1 2\n');
    await s.see(PS2);
    await s.rest();
    await key(s, '\x03');
    await s.line('echo $?');
  },
  ctrl_c_func: async (s) => {
    await withNap(s);
    await s.line('f() { ./nap; echo no; }');
    await foreground(s, 'f');
    await key(s, '\x03');
    await s.line('echo $?');
  },
  ctrl_c_comsub: async (s) => {
    s.type('echo GO; echo $(sleep 30)\n');
    await s.see(/GO\r\n/);
    await s.runs('sleep');
    await key(s, '\x03');
    await s.line('echo $?');
  },
  ctrl_backslash: (s) => fired(s, 'ulimit -c 0; ./nap', '\x1c', 'echo $?'),
  trap_int: async (s) => {
    await withNap(s);
    await s.line("trap 'echo GOT' INT");
    await foreground(s, './nap');
    await key(s, '\x03');
    await s.line('echo $?');
    s.type('echo GO; while :; do :; done\n');
    await s.see(/GO\r\n/);
    s.type('\x03');
    await s.see(/GOT\r\n/);
    s.type('\x1c');
    await s.see(/\^\\$/);
  },
  trap_int_prompt: async (s) => {
    await s.line("trap 'echo GOT' INT");
    s.type('abc');
    await s.see(/abc$/);
    await s.rest();
    s.type('\x03');
    await s.see(/GOT/);
    await s.quiet();
    await s.line('echo x');
  },
  trap_debug: lines('trap \'echo "D:$BASH_COMMAND"\' DEBUG', 'echo x', 'trap - DEBUG', 'echo y'),
  trap_err: lines("trap 'echo ERR' ERR", 'false', 'true', 'ls /nonexist', 'echo ok'),
  trap_exit: linesToEnd("trap 'echo BYE' EXIT", 'exit 4'),
  trap_return: lines("trap 'echo RET' RETURN", 'echo x', 'f() { :; }; f', 'echo y'),
  trap_usr1: lines("trap 'echo USR' USR1", 'kill -USR1 $$', 'echo x'),
  trap_chld_read: async (s) => {
    await s.line('trap \'read -t 0.2 zz; echo "[$zz]"\' USR1');
    await s.line('(sleep 0.2; kill -USR1 $$) &');
    await s.ended();
    await s.pause(500);
    await s.lines('echo x', 'echo y');
  },
  coproc: async (s) => {
    await s.lines('coproc cat', 'echo hi >&${COPROC[1]}', 'read l <&${COPROC[0]}; echo "got $l"');
    // Without the wait for its end plain bash itself differs from run to run.
    await s.line('p=$COPROC_PID; kill %1; while [[ -e /proc/$p ]]; do :; done');
    await s.line('echo z');
  },
  prompt_command: lines(
    "PROMPT_COMMAND='echo PC'",
    'echo x',
    "PROMPT_COMMAND+=('echo PC2')",
    'false',
    'echo $?',
    'unset PROMPT_COMMAND',
    'echo z',
  ),
  prompt_command_ctrlc: (s) => fired(s, "PROMPT_COMMAND='echo PC'; ./nap", '\x03', 'echo x', 'echo y'),
  readonly_pc: lines('readonly PROMPT_COMMAND', 'echo x', 'PROMPT_COMMAND=foo', 'echo y'),
  ps1_change: lines(
    "PS1='<$?>\\u \\w U''# '", // not as the prompt itself: its echo would be taken for one
    'false',
    'cd /usr/bin',
    "PS1='\\[\\e[32m\\]G\\[\\e[0m\\]U''# '",
    'echo long',
    'PS1="U""# "',
  ),
  ps0: lines("PS0='<PS0>\\n'", 'echo x', 'PS0='),
  vi_mode: async (s) => {
    await s.line('set -o vi');
    s.type('echo abc');
    await s.see(/abc$/);
    s.type('\x1b');
    await s.pause(700);
    await key(s, 'bcwxyz\n');
    await s.lines('[[ -o vi ]] && echo isvi', 'set -o emacs', 'echo e');
  },
  set_x: lines('set -x', 'echo hi', 'set +x', 'echo y'),
  set_v: lines('set -v', 'echo hi', 'set +v', 'echo y'),
  posix: lines('set -o posix', 'echo hi', 'export FOO=1', 'set +o posix', 'echo y'),
  break_top: lines('break', 'continue', 'echo $?'),
  return_top: lines('return 3', 'echo $?'),
  local_top: lines('local x=1', 'echo $?', 'declare y=5', 'echo $y', 'declare -g z=6', 'echo $z'),
  ifs: lines('IFS=abc0123456789', 'x="1a2b3"; echo $x', 'echo ok'),
  exec_fd: lines(
    'exec 5>f5',
    'echo data >&5',
    'exec 5>&-',
    'cat f5',
    'exec 3>f3',
    'echo d3 >&3',
    'cat f3',
    'exec {q}>fq; echo $q',
  ),
  exec_10_11: lines('exec 10>f10 11>f11', 'echo t10 >&10; echo t11 >&11', 'cat f10 f11'),
  fds_child: lines('ls -l /proc/self/fd | sed 1d | sed "s/.* \\([0-9]* ->\\)/\\1/;s/pipe:.*/pipe/;s/proc.*/proc/"'),
  cd_pushd: lines('cd /usr', 'cd -', 'pushd /etc', 'dirs', 'popd'),
  autocd: lines('shopt -s autocd', '/usr', 'pwd'),
  extglob: lines('shopt -s extglob', 'echo @(a|b)', 'cd /; echo !(usr|proc)/nothing 2>/dev/null | head -c 20'),
  time: lines('time sleep 0.1', 'echo x'),
  typeahead: async (s) => {
    s.type(`echo GO; ${HOLD}\n`);
    await s.see(/GO\r\n/);
    s.type('echo TYPED\n');
    await s.see(/echo TYPED\r\n/);
    s.go();
    await s.see(/\rTYPED\r\n/);
    await s.prompt();
    await s.line('echo end');
  },
  typeahead_partial: async (s) => {
    s.type(`echo GO; ${HOLD}\n`);
    await s.see(/GO\r\n/);
    s.type('echo PAR');
    await s.see(/echo PAR$/);
    s.go();
    await s.see(/U# echo PAR$/);
    await s.lines('TIAL', 'echo end');
  },
  vim: async (s) => {
    s.type('vim -u NONE -N v.txt\n');
    await s.see(/"v\.txt" \[New/);
    await s.quiet(300);
    s.type('ggdGihello vim');
    await s.see(/hello vim/);
    s.type('\x1b');
    await s.quiet(300);
    await key(s, ':wq!\n');
    s.forget();
    await s.line('cat v.txt');
  },
  less: async (s) => {
    s.type('seq 500 | less\n');
    await s.see(/:/);
    await s.quiet();
    await key(s, ' q');
    s.forget();
    await s.line('echo ok');
  },
  top: async (s) => {
    s.type('top\n');
    await s.see(/PID/);
    await s.quiet(200);
    await key(s, 'q');
    s.forget();
    await s.line('echo ok');
  },
  nested_sh: async (s) => {
    s.type("PS1='N> ' script -q -c 'sh -i' /dev/null\n");
    await s.see(/\r(?:N> |[$#] )$/);
    s.type('echo in $((3+4))\n');
    await s.see(/in 7\r\n(?:N> |[$#] )$/);
    await key(s, 'exit\n');
    await s.line('echo back');
  },
  resize: async (s) => {
    s.resize(132, 40);
    await s.prompt();
    await s.lines('stty size', 'echo $COLUMNS $LINES');
    s.type(`bash -c 'trap "stty size" WINCH; echo GO; ${HOLD}'\n`);
    await s.see(/GO\r\n/);
    s.resize(90, 30);
    await s.see(/30 90\r\n/);
    s.go();
    await s.prompt();
    await s.line('stty size; echo $COLUMNS');
  },
  exit_stopped: async (s) => {
    await fired(s, './nap', '\x1a', 'exit', 'echo st=$?', 'exit');
    s.type('exit\n');
    await s.end();
  },
  ctrl_d: async (s) => {
    await s.line('false');
    s.type('\x04');
    await s.end();
  },
  ignoreeof: async (s) => {
    await s.line('IGNOREEOF=2');
    await key(s, '\x04');
    await key(s, '\x04');
    s.type('\x04');
    await s.end();
  },
  bad_utf8: lines("printf 'a\\xff\\xfeb\\n'", "printf 'n\\0l\\n' | od -c | head -1", "echo $'\\xe9t\\xc3\\xa9'"),
  utf8: lines('echo "äöü € 日本語 🎉"', 'x=é; echo ${#x}'),
  input_bad_utf8: async (s) => {
    s.type(Buffer.from('echo -n a\xffb | od -An -tx1\n', 'latin1'));
    await s.prompt();
  },
  longline: lines(`echo ${'x'.repeat(3000)} | wc -c`),
  history_ctl: lines(
    'HISTCONTROL=ignoreboth',
    'echo a',
    ' echo hidden',
    'echo a',
    'history 4',
    'history -c',
    'history',
  ),
  fc: lines('echo one', 'echo two', 'fc -l -2', 'fc -s one=three one'),
  syntax_err: async (s) => {
    await s.lines('echo )', 'echo $?', 'if then', 'echo $?');
    await compound(s, 'for do', 'echo ok');
  },
  unterminated_eof: async (s) => {
    s.type("echo 'abc\n");
    await s.see(PS2);
    s.type('\x04');
    await s.prompt(2_000);
    await s.line('echo $?', 2_000);
  },
  unterminated_close: async (s) => {
    await compound(s, "echo 'abc", "def'");
    await compound(s, 'echo foo \\', 'bar');
    await s.lines('# comment', '', 'echo x # c');
  },
  ulimit_fd: lines('ulimit -n 64', 'echo a', 'ls -d /', 'echo b'),
  umask: lines('umask 077', 'umask', 'ulimit -c 0; ulimit -c'),
  alias_builtins: lines('alias eval=echo', 'echo x', 'alias read=false', 'echo y', 'alias set=false', 'echo z'),
  func_builtins: lines(
    'read() { echo HIJACK; }',
    'echo x',
    'printf() { echo HJ; }',
    'echo y',
    'unset -f read printf',
    'echo z',
  ),
  enable_n: lines('enable -n read', 'echo x', 'enable read', 'echo y'),
  shellopts: lines('echo $-', 'echo $SHELLOPTS', 'echo $BASHOPTS', 'echo $SHLVL'),
  dollar0: lines('echo ${0##*/} $# "$@"', 'echo $BASH_SOURCE ${FUNCNAME[@]} $BASH_SUBSHELL', 'caller; echo $?'),
  bgpid: async (s) => {
    await s.line('sleep 0.1 & echo ${!:+set}');
    await s.reaped();
    await s.line('wait');
  },
  pipestatus: lines('false | true | (exit 3)', 'echo ${PIPESTATUS[@]}'),
  command_not_found: lines('nosuchcmd_xyz', 'echo $?'),
  signal_kill: lines('sh -c "kill -SEGV \\$\\$"', 'echo $?', 'sh -c "kill -TERM \\$\\$"', 'echo $?'),
  kill_self: linesToEnd('kill -9 $$'),
  kill_term_self: lines('kill -TERM $$', 'echo alive'),
  hup_self: linesToEnd('kill -HUP $$'),
  logout: lines('logout'),
  tty: lines(
    'tty',
    'test -t 0 && test -t 1 && test -t 2 && echo alltty',
    'ps -o tpgid= -p $$ | grep -q . && echo haspg',
  ),
  set_m: lines('set +m', 'sleep 0.1 & wait', 'echo x', 'set -m', 'echo y'),
  select: lines('select i in a b; do echo "got $i"; break; done <<< 2'),
  procsub: lines('cat <(echo a) <(echo b)', 'diff <(echo a) <(echo a) && echo same'),
  arith: lines('((x=5)); echo $x', 'let y=x+1; echo $y', '[[ abc == a* ]] && echo m'),
  brace: lines('echo {a,b}{1..3}', "echo $'a\\tb'", 'echo "${HOME:+x}" | wc -l'),
  source: lines('echo "v=77; return 4" > s.sh', '. ./s.sh', 'echo $? $v'),
  eval: lines('eval "echo a; false"', 'echo $?', 'eval "if"', 'echo $?'),
  extdebug_skip: async (s) => {
    await s.line("shopt -s extdebug; trap 'false' DEBUG", 2_000);
    await s.line('echo x', 2_000);
  },
  suspend: async (s) => {
    await s.line('echo a');
    await s.line('suspend', 1_500);
  },
  tmout: async (s) => {
    s.type('TMOUT=1\n');
    await s.end();
  },
  tab_file: async (s) => {
    mkdirSync(path.join(s.place.work, 'examples'));
    s.type('ls -d exam\t');
    await s.see(/examples\/$/);
    await s.line('');
    s.type('ech\t');
    await s.see(/echo $/);
    await s.line('hi');
  },
  editing: async (s) => {
    s.type('echo world\x01\x1bfX\x05Y');
    await s.quiet();
    await s.line('');
    s.type('echo kill me\x15echo fresh');
    await s.quiet();
    await s.line('');
    s.type('echo a b c\x17\x17\x19');
    await s.quiet();
    await s.line('');
  },
  paste_multi: async (s) => {
    s.type('\x1b[200~echo p1\necho p2\x1b[201~');
    await s.see(/p2/);
    await s.quiet();
    await s.line('');
  },
  paste_raw: async (s) => {
    s.type('echo r1\necho r2\ncat\ninput-for-cat\n');
    await s.see(/\rinput-for-cat\r\n/);
    await key(s, '\x04');
    await s.line('echo end');
  },
};
