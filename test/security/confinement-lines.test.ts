// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/**
 * Threat: a covered line of a session starts something that its scope does not cover. Real bash with the real set-up text; the gate
 * of these tests gives one profile to every line with `heldline` in it. Every process of such a line must be confined. Processes of
 * earlier and later lines must not be.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Confinement } from '../../src/core/confinement/confinement.ts';
import { NOTHING, profileOf, REACHED } from '../fixtures/held-run.ts';
import { gatedBash, makePlace, type Place } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from '../terminal/keyboard.ts';

const PROMPT = /U# $/;
const isHeld = REACHED.level > 0;
let place: Place;
let keys: Keyboard;

/** A confined line may write files in `in`, and may not even read files in `out`. */
beforeEach(async () => {
  const made = makePlace();
  for (const folder of ['in', 'out']) mkdirSync(join(made.work, folder));
  writeFileSync(join(made.work, 'out', 'secret'), 'a-secret\n');
  await open(made, ['in']);
});
afterEach(() => keys.type(Buffer.from('\u0003\u0004')));

async function open(made: Place, writable: readonly string[], more: Partial<Confinement> = {}): Promise<void> {
  const write = writable.map((folder) => join(made.work, folder));
  const profile = profileOf({ ...NOTHING, write, ...more })
    .toString()
    .replace('.\0', 'tof the test\0.\0')
    .split('\0')
    .slice(0, -1);
  place = { ...made, profile };
  keys = new Keyboard(gatedBash(place));
  await keys.see(PROMPT);
}

async function line(text: string): Promise<string> {
  const before = keys.printed.length;
  keys.type(`${text}\r`);
  await keys.see(PROMPT);
  return keys.printed.slice(before);
}

const at = (...parts: string[]): string => join(place.work, ...parts);

/** Lines that make bash fork in every way that it knows. */
const FORKS: readonly (readonly [string, string])[] = [
  ['a command', '/bin/cat out/secret'],
  ['a pipeline', ': | /bin/cat out/secret | /bin/cat'],
  ['a subshell', '(/bin/cat < out/secret)'],
  ['a subshell of a subshell', '( (:; (/bin/cat out/secret) ) )'],
  ['a substitution', 'x=$(cat out/secret); echo "[$x]"'],
  ['a process substitution', 'cat <(cat out/secret)'],
  ['a coprocess', 'coproc { cat out/secret; }; cat <&"${COPROC[0]}"; wait'],
  ['a job in the background', 'cat out/secret & wait'],
  ['a chain of exec', "(exec bash -c 'exec env cat out/secret')"],
  ['a function', 'f() { cat out/secret; }; f'],
  ['a loop in a pipeline', 'for i in 1 2; do cat out/secret; done | cat'],
  ['another directory', 'cd out; cat secret; cd ..'],
  ['eval', "eval 'cat out/secret'"],
  ['a here-document', 'cat out/secret - <<< x'],
  ['command and env', 'command cat out/secret; env cat out/secret'],
  [
    'a disowned job',
    'rm -f in/d; bash -c "sleep 0.05; cat out/secret; : >in/d" & disown; until [ -e in/d ]; do sleep 0.02; done',
  ],
];

test.each(FORKS)('%s is confined', async (_name, text) => {
  expect(await line(text)).toContain('a-secret');
  const shown = await line(`${text} #heldline`);
  expect(shown).not.toContain('a-secret');
  expect(shown).toContain(isHeld ? 'Permission denied' : 'nothing ran');
});

test('a file that bash itself opens is not confined: the gate covers such a line only if its words are literal', async () => {
  const opened = ['echo "[$(<out/secret)]"', 'mapfile -t x < out/secret; echo "$x"', 'echo x > out/by-bash'];
  if (!isHeld) return expect(await line(`${opened[0]} #heldline`)).toContain('nothing ran');
  for (const text of opened.slice(0, 2)) expect(await line(`${text} #heldline`)).toContain('a-secret');
  await line(`${opened[2]} #heldline`);
  expect(existsSync(at('out', 'by-bash'))).toBe(true);
});

test('a confined line writes only where its profile allows it; the next line is free again', async () => {
  const shown = await line('touch in/a out/a; (echo x > in/b; echo x > out/b); mkdir out/c; mv in/a out/d #heldline');
  expect(existsSync(at('in', 'b'))).toBe(isHeld);
  for (const name of ['a', 'b', 'c', 'd']) expect(existsSync(at('out', name))).toBe(false);
  expect(shown).toContain(isHeld ? 'Permission denied' : 'nothing ran');
  await line('touch out/free');
  expect(existsSync(at('out', 'free'))).toBe(true);
});

test('bash itself stays free: cd, variables and jobs work as usual', async () => {
  await line('cd in; v=1; export w=2; set -- a b; sleep 100 & #heldline');
  expect(await line('echo "$v$w$#$(jobs | wc -l)$PWD"; kill %1')).toMatch(
    isHeld ? /[\r\n]1221\S*\/in\r\n/ : /\n0\/\S*\r\n/,
  );
});

test('a job of an earlier free line stays free while a confined line runs', async () => {
  await line('(until [ -e in/go ]; do sleep 0.02; done; echo late > out/late) &');
  const untilLate = 'touch in/go; until [ -s out/late ]; do sleep 0.02; done';
  await line(`${untilLate} #heldline`);
  if (!isHeld) await line(untilLate);
  expect(readFileSync(at('out', 'late'), 'utf8')).toBe('late\n');
});

test('a job of a confined line stays confined during later lines, also when it returns to the foreground', async () => {
  await line('bash -c "kill -STOP \\$\\$; cat out/secret" & #heldline');
  await line('sleep 0.3');
  expect(await line('fg; :')).not.toContain('a-secret');
});

test('Ctrl-C ends a confined line, and the next line is free', async () => {
  const before = keys.printed.length;
  // The program prints that it runs. A Ctrl-C that comes earlier, while bash forks, interrupts only bash.
  keys.type(`sh -c 'echo begun; exec sleep 100'; echo never #heldline\r`);
  await keys.see(isHeld ? /begun\r\n$/ : PROMPT);
  keys.type(Buffer.from('\u0003'));
  await keys.see(PROMPT);
  expect(keys.printed.slice(before)).not.toContain('never\r\n');
  expect(await line('cat out/secret')).toContain('a-secret');
});

test('a confined line that fails keeps its status, and a message says that it was confined and what to do', async () => {
  const shown = await line('(exit 3) #heldline');
  if (isHeld) {
    expect(shown).toContain('ape-shell: status 3; the line was confined: of the test. If the line needs more');
    expect(shown.match(/ape-shell:/g)).toHaveLength(1);
  }
  expect(await line('echo "status $?"')).toContain(`status ${isHeld ? 3 : 72}`);
  expect(await line('true #heldline')).not.toMatch(isHeld ? /ape-shell:/ : /^$/);
});

test('a confined line cannot replace bash by another program, nor change its builtins', async () => {
  for (const text of [
    'exec cat out/secret',
    'exec -a x cat out/secret',
    'command exec cat out/secret',
    'builtin exec cat out/secret',
  ]) {
    const shown = await line(`${text} #heldline`);
    expect(shown).not.toContain('a-secret');
    expect(shown).toMatch(isHeld ? /may not change its own shell/ : /nothing ran/);
  }
  for (const text of ['enable -d __ape_confine', 'enable -f /x __ape_confine', 'enable -n -d __ape_confine'])
    expect(await line(`${text} #heldline`)).toMatch(isHeld ? /may not change its own shell/ : /nothing ran/);
  await line('f=(a)');
  for (const text of [
    "declare 'f=(${EXPANDED:=again})'",
    "typeset f='(${EXPANDED:=again})'",
    "declare -x 'f+=(${EXPANDED:=again})'",
  ])
    expect(await line(`${text} #heldline`)).toMatch(isHeld ? /may not change its own shell/ : /nothing ran/);
  expect(await line('echo "<$EXPANDED>"')).toContain('<>\r\n');
  expect(await line('declare f=(b c) #heldline')).toMatch(isHeld ? /^(?!.*may not)/s : /nothing ran/);
  expect(await line('declare "f=(d)"; echo "${f[@]}"')).toContain('d\r\n');
  expect(await line('(exec echo sub-exec) #heldline')).toMatch(isHeld ? /sub-exec\r\n/ : /nothing ran/);
  expect(await line('exec 7>in/seven; echo x >&7; exec 7>&-; cat in/seven')).toContain('x\r\n');
});

test.each([
  ["trap 'echo x > out/late' EXIT"],
  ["trap 'echo x > out/late' DEBUG"],
  ["builtin trap -- 'echo x > out/late' RETURN"],
  ["command trap 'echo x > out/late' CHLD; :"],
  ["trap -- 'builtin exit 0; echo x > out/late' ALRM"],
  ["trap -- 'builtin exit 0' USR1"],
  [`bind -x '"a": echo x > out/late'`],
  [`bind '"a": "echo x > out/late\\C-m"'`],
  ['bind -f out/script'],
  ['. out/script'],
  ['builtin source out/script'],
  ['fc -s'],
  ['history -w out/late'],
  ['history -a out/late'],
  ["mapfile -C 'echo x > out/late;' -c 1 lines <<< a"],
  ["readarray -d C -C'echo x > out/late;' -c 1 lines <<< a"],
  ["mapfile -d -- -C 'echo x > out/late;' -c 1 lines <<< a"],
  ['hash -p /bin/sleep cat'],
  ["readonly -a 'f=($(</etc/hostname))'"],
  ["export 'f=($(</etc/hostname))'"],
  ['__ape_wrapped=\'echo x > out/late\'; trap "$__ape_wrapped" DEBUG'],
  ['compgen -F f x'],
  ["compgen -W '$(echo x > out/late)'"],
])('a confined line cannot make bash itself run a command or open a file: %s', async (text) => {
  writeFileSync(at('out', 'script'), 'echo x > out/late\n');
  await line('f() { echo x > out/late; }; history -s echo x');
  const listed = await line('trap -p; bind -X; bind -m vi -X');
  expect(await line(`${text} #heldline`)).toMatch(isHeld ? /may not change its own shell/ : /nothing ran/);
  expect(await line('trap -p; bind -X; bind -m vi -X')).toBe(listed);
  expect(existsSync(at('out', 'late'))).toBe(false);
});

test('commands that only list or reset work, and a subshell may set its own traps', async () => {
  if (!isHeld) return expect(await line('trap #heldline')).toContain('nothing ran');
  await line("trap 'echo usr' USR1; history -s echo an-entry");
  expect(await line('trap; bind -l | head -1; history 2; mapfile -t lines <<< a; compgen -c ec #heldline')).toMatch(
    /trap -- 'echo usr' SIGUSR1[\s\S]*abort\r\n[\s\S]*an-entry\r\n[\s\S]*echo\r\n/,
  );
  expect(await line("trap - USR1; (trap 'echo sub-trap' EXIT) #heldline")).toContain('sub-trap\r\n');
  expect(await line('echo "<$(trap)>"')).toContain('<>\r\n');
});

const RAN = '$(echo x > out/ran)';
/** Ways in which a line may set a variable to a command that bash itself would run. */
const WAYS: readonly (readonly [string, (name: string) => string])[] = [
  ['an assignment', (name) => `${name}='${RAN}U# '`],
  ['printf -v', (name) => `printf -v ${name} '%s' '${RAN}U# '`],
  ['printf -v twice', (name) => `printf -v x -v ${name} '%s' '${RAN}U# '`],
  ['read', (name) => `read -r ${name} <<< '${RAN}U# '`],
  ['declare', (name) => `declare '${name}=${RAN}U# '`],
  ['a reference', (name) => `unset ${name}; declare -n ${name}=other; other='${RAN}U# '`],
  ['a loop', (name) => `for ${name} in '${RAN}U# '; do :; done`],
  ['an expansion', (name) => `unset ${name}; : "\${${name}:='${RAN}U# '}"`],
];

test.each(WAYS)('%s in a confined line changes no variable that bash itself expands', async (_name, way) => {
  for (const name of ['PS0', 'PS1', 'PS2', 'PS4', 'PROMPT_COMMAND'])
    expect(await line(`${way(name)} #heldline`)).toMatch(
      isHeld ? /may not change its own shell|readonly variable/ : /nothing ran/,
    );
  await line('set -x; :; set +x; echo "\n"');
  await line(':');
  expect(existsSync(at('out', 'ran'))).toBe(false);
  expect(await line('PS1=free#U#\\ ')).toMatch(/free#U# $/);
});

test('a confined line that Ctrl-C ends has changed no variable that bash itself expands', async () => {
  for (const name of ['PROMPT_COMMAND', 'PS1']) {
    keys.type(`${name}='${RAN}U# '; sh -c 'echo begun; exec sleep 100' #heldline\r`);
    if (isHeld && name === 'PS1') await keys.see(/begun\r\n$/);
    else await keys.see(PROMPT);
    keys.type(Buffer.from('\u0003'));
    await keys.see(PROMPT);
    await line(':');
    expect(existsSync(at('out', 'ran'))).toBe(false);
  }
});

/** Runs a confined line, interrupts it, and returns the output after the Ctrl-C. */
async function interrupted(text = "sh -c 'echo begun; exec sleep 100'"): Promise<string> {
  const before = keys.printed.length;
  keys.type(`${text} #heldline\r`);
  if (!isHeld) {
    await keys.see(PROMPT);
    return keys.printed.slice(before);
  }
  await keys.see(/begun\r\n$/);
  const begun = keys.printed.length;
  keys.type(Buffer.from('\u0003'));
  await keys.see(PROMPT);
  return keys.printed.slice(begun);
}

test('PROMPT_COMMAND of the user sets PS1 and sees the status, also after a Ctrl-C; the next line may change it', async () => {
  await line('n=0; PROMPT_COMMAND=(\'PS1="$? $((++n))U# "\')');
  expect(await line(': #heldline')).toMatch(isHeld ? /^(?!.*may not)[\s\S]*0 2U# $/ : /nothing ran/);
  expect(await interrupted()).toMatch(isHeld ? /^(?!.*(?:may not|readonly))[\s\S]*130 3U# $/ : /nothing ran/);
  expect(await line(':')).toMatch(/0 4U# $/);
  expect(await line('PROMPT_COMMAND+=("echo as-before"); :')).toContain('as-before\r\n');
});

/** Commands that people have in PROMPT_COMMAND. They are not part of the interrupted line, so they run unconfined. */
test.each([
  ['history -a', 'cat "$HISTFILE"', /echo early/],
  ["trap -- '' SIGUSR1; trap - SIGUSR1; echo hooked", ':', /hooked\r\n/],
  ["trap 'last=$BASH_COMMAND' DEBUG", ':', /U# $/],
  ['PROMPT_COMMAND+=("later")', 'echo "${PROMPT_COMMAND[@]}"', /later/],
  ['/bin/echo x >> out/by-prompt', 'cat out/by-prompt', /x\r\n/],
])(
  '%s in PROMPT_COMMAND runs after a Ctrl-C in a confined line as after any other',
  async (command, text, expected) => {
    await line(
      `HISTFILE=$PWD/out/history; echo early; later() { :; }; PROMPT_COMMAND=(${JSON.stringify(command).replaceAll('$', '\\$')})`,
    );
    const shown = await interrupted();
    if (isHeld) expect(shown).not.toMatch(/may not|readonly|denied/);
    expect(await line(text)).toMatch(expected);
  },
);

test('traps of the user run as in any bash while a confined line runs', async () => {
  if (!isHeld) return expect(await line(': #heldline')).toContain('nothing ran');
  await line(
    "HISTFILE=$PWD/out/history; echo early; echo 'n=$((n + 1))' > out/counted; trap 'history -a; . out/counted' DEBUG",
  );
  expect(await line('true; true #heldline')).not.toContain('may not');
  expect(await line('trap - DEBUG; cat out/history; echo "<$n>"')).toMatch(/early[\s\S]*<[1-9]\d*>/);
  await line("trap 'history -a; (/bin/echo bye) > out/bye; (/bin/date) >> out/bye' EXIT");
  keys.type('true; exit #heldline\r');
  await keys.exit;
  expect(keys.printed).not.toMatch(/may not|denied/);
  expect(readFileSync(at('out', 'bye'), 'utf8').split('\n')).toHaveLength(3);
});

test('a prompt stays as it was in every locale, and a DEBUG trap may set it before each command of a line', async () => {
  await line("PS1='❯ é U# '");
  for (const text of ['LANG=C', 'export LC_ALL=C', 'LC_ALL=C.UTF-8', 'unset LC_ALL LANG'])
    expect(await line(`${text} #heldline`)).toMatch(isHeld ? /^(?!.*may not)[\s\S]*U# $/ : /nothing ran/);
  await line('PS1="U# "; n=0; trap \'PS1="$((++n))U# "\' DEBUG');
  const [, count = ''] = /(\d+)U# $/.exec(await line(': #heldline')) ?? [];
  const shown = await line(': #heldline');
  expect(shown).toMatch(isHeld ? /^(?!.*may not)/s : /nothing ran/);
  expect(Number(/(\d+)U# $/.exec(shown)?.[1])).toBeGreaterThan(Number(count));
});

test('a value that cannot be restored ends the session with a message, and bash does not run the value', async () => {
  if (!isHeld) return expect(await line('readonly PS1=x #heldline')).toContain('nothing ran');
  await line('HISTFILE=$PWD/out/history; echo early');
  expect(await line('HISTFILE=out/ran #heldline')).toContain('HISTFILE: readonly variable');
  expect(await line('HISTFILESIZE=7 HISTFILE=out/ran; exit #heldline')).toContain('HISTFILESIZE: readonly variable');
  keys.type(`readonly PS1='${RAN}U# ' #heldline\r`);
  await keys.exit;
  expect(keys.printed).toMatch(/a confined line made PS1 read-only/);
  expect(existsSync(at('out', 'ran'))).toBe(false);
});

test.each([
  ['unset HISTFILE'],
  ['unset HISTFILE HISTFILESIZE'],
  ["HISTFILE=$PWD/out/history; echo early; trap 'x=1' DEBUG"],
])('after `%s` a confined line does not make bash truncate a file', async (text) => {
  await line(text);
  await line('HISTFILE=out/secret; HISTFILESIZE=0 #heldline');
  await line('HISTFILESIZE=0 #heldline');
  await line('HISTFILE=out/secret #heldline');
  expect(readFileSync(at('out', 'secret'), 'utf8')).toBe('a-secret\n');
  expect(await line('echo "<$HISTFILE>"')).not.toContain('secret');
  expect(await line('HISTFILE=out/own; HISTFILESIZE=7; echo "$HISTFILE$HISTFILESIZE"')).toContain('out/own7\r\n');
});

test('a confined line sets no PATH for the commands of hooks, also if PATH is unset', async () => {
  await line('x=$PATH; unset PATH');
  const shown = await line('PATH=$PWD/out #heldline');
  expect(shown).toContain(isHeld ? 'PATH: readonly variable' : 'nothing ran');
  expect(await line('echo "<${PATH-unset}>"; PATH=$x; command -v cat')).toMatch(/<unset>[\s\S]*\/cat\r\n/);
});

test('a confined line changes no function or alias that hooks and traps call, and leaves no new one', async () => {
  await line('cleanup() { echo clean; }; trap cleanup USR1; alias say=echo; PROMPT_COMMAND="date +hook"');
  for (const text of [
    'cleanup() { exec /bin/cat out/secret; }; kill -USR1 $$',
    'date() { cat out/secret; }',
    'function date { exec cat out/secret; }; :',
    "alias date='cat out/secret'",
    "BASH_ALIASES[date]='cat out/secret'",
    'unset -f cleanup; cleanup() { cat out/secret; }',
    'BASH_CMDS[date]=/bin/cat',
    'PATH=out:$PATH',
  ])
    expect(await line(`${text} #heldline`)).not.toContain('a-secret');
  expect(await interrupted("date() { cat out/secret; }; sh -c 'echo begun; exec sleep 100'")).not.toContain('a-secret');
  expect(await line('kill -USR1 $$; declare -F date; alias; echo "$PATH"')).toMatch(
    /clean\r\nalias say='echo'\r\n\/.*\r\nhook\r\n\S*U# $/,
  );
  expect(await line('cleanup() { echo own; }; date() { echo mine; }; cleanup')).toContain('own\r\nmine\r\n');
});

test('hooks of a read-only PROMPT_COMMAND are not confined, also after a Ctrl-C in a confined line', async () => {
  await line('hook() { cat out/secret; }; PROMPT_COMMAND=hook; readonly PROMPT_COMMAND');
  expect(await line(': #heldline')).toMatch(/a-secret\r\n\S*U# $/);
  expect(await interrupted()).toMatch(/a-secret\r\n\S*U# $/);
  expect(await line('PROMPT_COMMAND=x')).toMatch(/readonly variable[\s\S]*a-secret\r\n\S*U# $/);
});

test.each([
  ['enable -d __ape_confine'],
  ['enable -n __ape_confine'],
  ['__ape_confine() { :; }; alias __ape_confine=:'],
  ['for ((fd = 10; fd < 400; fd++)); do [[ $fd == 255 ]] || continue; done'],
])('after the free line `%s` a covered line runs confined or does not run', async (text) => {
  await line(text);
  expect(await line('cat out/secret #heldline')).not.toContain('a-secret');
  expect(await line('cat out/secret #heldline')).not.toContain('a-secret');
});

test('the builtin that confines cannot be unloaded, and no subshell can arm it', async () => {
  expect(await line('enable -d __ape_confine')).toContain('not dynamically loaded');
  expect(await line('cat out/secret #heldline')).toContain(isHeld ? 'Permission denied' : 'nothing ran');
  writeFileSync(at('in', 'profile'), place.profile?.map((part) => `${part}\0`).join('') ?? '');
  const shown = await line('(__ape_confine arm 9 "$(stat -c %s in/profile)" token 9< in/profile; echo "status $?")');
  expect(shown).toMatch(/this is a subshell; nothing ran[\s\S]*status 72/);
});

test('a child of a confined line has no more descriptors than a child of a free line', async () => {
  const open = 'for n in {3..1023}; do { : >&$n; } 2>&- && echo -n "$n,"; done';
  const listed = async (text: string): Promise<readonly string[]> => (await line(text)).match(/\d+,/g) ?? [];
  const free = await listed(`echo; (${open})`);
  expect(await listed(`echo; (${open}) #heldline`)).toEqual(isHeld ? free : []);
});

test('a confined line that closes or replaces descriptors stays confined', async () => {
  const shown = await line(
    'for ((fd = 58; fd < 260; fd++)); do eval "exec $fd</dev/null"; done 2>/dev/null; cat out/secret #heldline',
  );
  expect(shown).not.toContain('a-secret');
});

test('nested processes add no layers of rules, so that a confined line can nest them to any depth', async () => {
  let nested = 'echo deep-enough';
  for (let depth = 0; depth < 24; depth++) nested = `(${nested}; :)`;
  expect(await line(`${nested} #heldline`)).toMatch(isHeld ? /deep-enough\r\n/ : /nothing ran/);
});

test('signals to outside are refused from Linux 6.12 on', async () => {
  await line('sleep 1000 & victim=$!');
  const shown = await line('(kill -9 $victim || echo refused) #heldline');
  expect(shown).toMatch(!isHeld ? /nothing ran/ : REACHED.landlockAbi >= 6 ? /refused/ : /U# $/);
  await line('kill %1');
});

test('a confined line does not run if a path of its profile no longer exists', async () => {
  await line('mv in elsewhere');
  const shown = await line('echo it-ran #heldline');
  expect(shown).not.toMatch(/^it-ran/m);
  expect(shown).toMatch(/cannot confine it: .*nothing ran/);
  expect(await line('echo "status $?"')).toContain('status 72');
});

test('a child that cannot be confined at the last moment does not run', async () => {
  keys.type(Buffer.from('\u0003\u0004'));
  const made = makePlace();
  for (const folder of ['in', 'out']) mkdirSync(join(made.work, folder));
  symlinkSync(join(made.work, 'out'), join(made.work, 'in', 'kept'));
  await open(made, ['in'], { level: 3, readOnly: [join(made.work, 'in', 'kept')] });
  const shown = await line('/bin/echo it-"ran" #heldline');
  expect(shown).not.toContain('it-ran');
  expect(shown).toMatch(/cannot confine it: .*nothing ran/);
});

test('a bash that cannot load confine.so runs no line that has to be confined', async () => {
  keys.type(Buffer.from('\u0003\u0004'));
  place = { ...place, isUnconfinable: true };
  keys = new Keyboard(gatedBash(place));
  await keys.see(PROMPT);
  const shown = await line('echo it-ran #heldline');
  expect(shown).not.toMatch(/^it-ran/m);
  expect(shown).toMatch(/cannot confine it: \S+ cannot load confine.so; nothing ran/);
  expect(await line('echo "status $?"')).toContain('status 72');
  expect(await line('echo it-lives')).toContain('it-lives\r\n');
});
