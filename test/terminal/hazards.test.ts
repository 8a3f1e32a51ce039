// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/** Faults that can happen between two terminals and their processes: lost output, leftover processes, doubled line ends, slow readers. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { spawn } from 'node-pty';
import { expect, test } from 'vitest';
import { gatedBash, makePlace, type Place, plainBash } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from './keyboard.ts';

const PROMPT = /U# $/;

async function open(place: Place = makePlace(), isLogin = false): Promise<Keyboard> {
  const keys = new Keyboard(gatedBash(place, isLogin));
  await keys.see(PROMPT);
  return keys;
}

async function line(keys: Keyboard, text: string): Promise<void> {
  keys.type(`${text}\r`);
  await keys.see(PROMPT);
}

interface LogEntry {
  readonly asked?: string;
  readonly environment?: readonly { readonly name: string; readonly value: string }[];
  readonly finished?: { readonly status: number; readonly wasInterrupted: boolean };
}
const logOf = (place: Place): readonly LogEntry[] =>
  readFileSync(place.log, 'utf8')
    .trim()
    .split('\n')
    .map((entry) => JSON.parse(entry) as LogEntry);
const askedOf = (place: Place): readonly string[] => logOf(place).flatMap(({ asked }) => asked ?? []);

const POLL = { timeout: 60_000, interval: 50 };

/** Returns the lines of ps(1) that contain this text, without those of zombies. */
const processesWith = (text: string): string =>
  execFileSync('ps', ['-eo', 'pid,stat,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((row) => row.includes(text) && !/^\s*\d+\s+Z/.test(row))
    .join('\n');

async function untilGone(text: string): Promise<string> {
  await expect.poll(() => processesWith(text), POLL).toBe('');
  return processesWith(text);
}

/** Waits until `count` processes run whose arguments contain the text. */
const untilThere = (text: string, count: number) =>
  expect.poll(() => processesWith(text).split('\n').filter(Boolean).length, POLL).toBe(count);

test('The last output before the end is never lost, in a hundred sessions', { timeout: 300_000 }, async () => {
  let complete = 0;
  const session = async () => {
    const keys = await open();
    keys.type('seq 20000; exit 7\r');
    const exit = await keys.ended(60_000);
    const isWhole = exit?.status === 7 && /\n19999\r\n20000\r\nexit\r\n$/.test(keys.printed);
    expect(isWhole, `${JSON.stringify(exit)} ${JSON.stringify(keys.printed.slice(-120))}`).toBe(true);
    complete += 1;
  };
  for (let round = 0; round < 25; round++) await Promise.all([session(), session(), session(), session()]);
  expect(complete).toBe(100);
});

test('No line end is doubled', async () => {
  const keys = await open();
  await line(keys, 'seq 5; printf "a\\nb\\n"');
  expect(keys.printed).not.toContain('\r\r\n');
  keys.close();
});

test('A prompt without a newline, and a bar that draws over itself, show at once', async () => {
  const keys = await open();
  keys.type('printf "name? "; read n; echo "[$n]"\r');
  await keys.see(/\rname\? $/);
  keys.type('ann\r');
  await keys.see(/\[ann\]/);
  keys.type('printf "10%%"; read -n1; printf "\\r20%%"; read -n1; echo\r');
  await keys.see(/\r10%$/);
  keys.type('x');
  await keys.see(/\r20%$/);
  keys.close();
});

test('Text that is typed at a hidden prompt reaches neither the gate nor a log', async () => {
  const place = makePlace();
  const keys = await open(place);
  keys.type('read -s -p "Password: " p; echo; echo ${#p}\r');
  await keys.see(/\rPassword: $/);
  keys.type('hunter2-secret\r');
  await keys.see(/14\r\n[\s\S]*U# $/);
  expect(keys.printed).not.toContain('hunter2');
  expect(readFileSync(place.log, 'utf8')).not.toContain('hunter2');
  keys.close();
});

test('100 MB of output arrive complete, in bounded memory', { timeout: 300_000 }, async () => {
  const command = gatedBash(makePlace());
  const [file, ...argv] = command.argv;
  const terminal = spawn(file ?? '', argv, {
    cols: 100,
    rows: 24,
    cwd: command.cwd,
    env: { ...command.environment },
    encoding: null,
  });
  let received = 0;
  let tail = '';
  const ended = new Promise<void>((resolve) => {
    terminal.onData((data: unknown) => {
      const chunk = data as Buffer;
      received += chunk.length;
      tail = (tail + chunk.toString('latin1')).slice(-200);
      if (/\r\n[^\r\n]*U# $/.test(tail) && /END/.test(tail)) resolve();
      else if (/U# $/.test(tail) && received < 1_000)
        terminal.write('yes 0123456789012345678901234567890123456789012345678 | head -n 2000000; echo END\r');
    });
  });
  await ended;
  const kilobytes = Number(
    execFileSync('awk', ['/VmHWM/{print $2}', `/proc/${terminal.pid}/status`], { encoding: 'utf8' }),
  );
  expect(received).toBeGreaterThan(2_000_000 * 51);
  expect(received).toBeLessThan(2_000_000 * 51 + 2_000);
  expect(kilobytes).toBeLessThan(160_000);
  terminal.kill('SIGKILL');
});

test.each([
  ['the gate', (keys: Keyboard) => String(keys.pid)],
  ['bash', (keys: Keyboard) => execFileSync('pgrep', ['-P', String(keys.pid)], { encoding: 'utf8' }).trim()],
])('kill -9 of %s leaves no process behind', { timeout: 120_000 }, async (_who, pidOf) => {
  const keys = await open();
  const nap = `97${String(process.pid)}${String(Date.now()).slice(-5)}`;
  await line(keys, `sleep ${nap} &`);
  keys.type(`sleep ${nap}\r`);
  await untilThere(`sleep ${nap}`, 2);
  process.kill(Number(pidOf(keys)), 'SIGKILL');
  expect(await untilGone(`sleep ${nap}`)).toBe('');
  await keys.ended();
  keys.close();
});

test('A terminal that goes away hangs up bash and its jobs', { timeout: 120_000 }, async () => {
  const keys = await open();
  const nap = `96${String(process.pid)}${String(Date.now()).slice(-5)}`;
  await line(keys, `sleep ${nap} &`);
  keys.type(`sleep ${nap}\r`);
  await untilThere(`sleep ${nap}`, 2);
  keys.hangUp();
  expect(await untilGone(`sleep ${nap}`)).toBe('');
});

test('A pasted block is one request, shown whole', async () => {
  const place = makePlace();
  const keys = await open(place);
  keys.type('\x1b[200~for i in 1 2; do\n  echo "n $i"\ndone\x1b[201~');
  await keys.see(/done/);
  keys.type('\r');
  await keys.see(/n 1\r\nn 2\r\n/);
  expect(askedOf(place)).toEqual(['for i in 1 2; do\n  echo "n $i"\ndone']);
  keys.close();
});

test('Lines typed one by one at the second prompt are one request', async () => {
  const place = makePlace();
  const keys = await open(place);
  for (const text of ['cat <<EOF', 'hello', 'EOF']) {
    keys.type(`${text}\r`);
    await keys.see(/(> |U# )$/);
  }
  expect(askedOf(place)).toEqual(['cat <<EOF\nhello\nEOF']);
  keys.close();
});

test('The history file has the typed lines and none of our texts', async () => {
  const place = makePlace();
  const keys = await open(place);
  await line(keys, 'echo kept one');
  keys.type('abc');
  await keys.see(/abc/);
  keys.type('\x03');
  await keys.see(PROMPT);
  await line(keys, 'echo kept two');
  keys.type('exit\r');
  await keys.ended();
  expect(readFileSync(path.join(place.home, 'history'), 'utf8')).toBe('echo kept one\necho kept two\nexit\n');
});

test('No variable of ours reaches a child', async () => {
  const place = makePlace();
  const keys = await open({
    ...place,
    environment: { ...place.environment, APES_SHELL_WRAPPER: '1', APES_HOME: '/x' },
  });
  await line(keys, 'env | grep -i ape');
  expect(keys.printed).toContain('APES_HOME=/x');
  expect(keys.printed.replace(/APES_HOME/g, '')).not.toMatch(/\n[^\r\n]*(APES?_|__ape)[^\r\n]*=/);
  keys.close();
});

test('A request contains the meanings of its words: aliases, functions, disabled builtins', async () => {
  const place = makePlace();
  const keys = await open(place);
  await line(
    keys,
    'alias gg="git status"; git() { echo fake; }; enable -n kill; export LD_PRELOAD=/nothing; unset LD_PRELOAD',
  );
  await line(keys, 'gg; "gi"t; kill');
  const entries = logOf(place).filter(({ asked }) => asked === 'gg; "gi"t; kill')[0]?.environment ?? [];
  const value = (name: string) => entries.find((entry) => entry.name === name)?.value;
  expect(value('alias gg')).toBe('git status');
  expect(value('function git')).toContain('echo fake');
  expect(value('disabled kill')).toBe('1');
  expect(value('PATH')).toBe(place.environment['PATH']);
  keys.close();
});

test('Completion knows commands, files, variables, functions and the functions of the user', {
  timeout: 120_000,
}, async () => {
  const place = makePlace(
    'PS1=\'U# \'\n_col() { COMPREPLY=($(compgen -W \'apple apricot banana\' -- "$2")); }\ncomplete -F _col fruit\nfruit() { echo "<$1>"; }\n',
  );
  writeFileSync(path.join(place.work, 'averylongname'), '');
  const keys = await open(place);
  for (const [typed, shown] of [
    ['fruit ban\t', /fruit banana $/],
    ['fruit ap\t', /\x07[\s\S]*fruit ap$/],
    ['frui\t', /fruit $/],
    ['cat avery\t', /cat averylongname $/],
    ['echo $SHLV\t', /echo \$SHLVL /],
    ['hist\t', /history $/],
  ] as const) {
    keys.type(typed);
    await keys.see(shown);
    keys.type('\x03');
    await keys.see(PROMPT);
  }
  keys.type('fruit ap\t\t');
  await keys.see(/apple +apricot/);
  keys.close();
});

test('A completion function is not called when the line holds anything but plain text', async () => {
  const place = makePlace(`PS1='U# '\n_col() { eval "echo $2"; touch called; }\ncomplete -F _col fruit\n`);
  const keys = await open(place);
  keys.type('fruit $(touch pwned)\t\t');
  await keys.quiet(250);
  keys.type('\x03');
  await keys.see(PROMPT);
  await line(keys, 'ls');
  expect(keys.printed).not.toMatch(/pwned\r\n|called/);
  keys.close();
});

test('A login shell reads its profile, is one, and reads .bash_logout at its end', async () => {
  const place = makePlace("PS1='U# '; echo profile\n");
  writeFileSync(path.join(place.home, '.bash_logout'), 'echo bye\n');
  const keys = await open(place, true);
  await line(
    keys,
    'shopt -q login_shell && echo is-login; echo $0 ${ENV-none} $HISTFILE; [[ -o posix ]] || echo no-posix',
  );
  keys.type('logout\r');
  expect((await keys.ended())?.status).toBe(0);
  expect(keys.printed).toContain('profile');
  expect(keys.printed).toContain(`is-login\r\n-bash none ${place.environment['HISTFILE']}\r\nno-posix`);
  expect(keys.printed).toMatch(/logout\r\n[^\n]*bye\r\n$/);
});

test(':reset starts a new bash in the same directory, and the gate may answer a line itself or rewrite it', async () => {
  const keys = await open();
  await line(keys, 'mkdir sub; cd sub; marker=old');
  await line(keys, ':reset');
  await line(keys, 'echo "<$marker>" "${PWD##*/}"');
  expect(keys.printed).toContain('<> sub\r\n');
  await line(keys, ':help');
  expect(keys.printed).toContain('the help\r\n');
  await line(keys, 'echo rewriteme');
  expect(keys.printed).toContain('\r\x1b[?2004l\rrewritten\r\n'.slice(1));
  keys.close();
});

test('after :reset, the new bash gets keys, even if the old bash left a large paste unread', async () => {
  const keys = await open();
  await line(keys, "trap '' HUP");
  keys.type(`:reset\r${'k'.repeat(300_000)}`);
  const isAnswered = () => {
    keys.type('\x15echo is-$((40 + 2))\r');
    return keys.printed.includes('is-42\r\n');
  };
  await expect.poll(isAnswered, { ...POLL, interval: 500 }).toBe(true);
  keys.close();
});

test('Ctrl-C while a line waits for approval withdraws it, and the report says how each line ended', async () => {
  const place = makePlace();
  const keys = await open(place);
  keys.type('echo slowapprove\r');
  await keys.see(/waiting/);
  keys.type('\x03');
  await keys.see(PROMPT);
  await line(keys, 'false');
  const nap = `sleep 20.${process.pid}`;
  keys.type(`${nap}\r`);
  await untilThere(nap, 1);
  keys.type('\x03');
  await keys.see(PROMPT);
  // The screen and the report arrive on different ways, so either can come first.
  await expect.poll(() => logOf(place), POLL).toContainEqual({ cancelled: 'echo slowapprove' });
  const runs = () =>
    logOf(place).flatMap(
      ({ asked, finished }): unknown => asked ?? (finished ? [[finished.status, finished.wasInterrupted]] : []),
    );
  await expect.poll(runs, POLL).toEqual(['echo slowapprove', 'false', [1, false], nap, [130, true]]);
  keys.close();
});

test('A line of 100 kB runs unchanged, and at most a fixed factor slower than in plain bash', {
  timeout: 240_000,
}, async () => {
  const text = `printf %s ${'x'.repeat(100_000)} | wc -c`;
  const time = async (keys: Keyboard) => {
    await keys.see(PROMPT);
    const from = Date.now();
    keys.type(`\x1b[200~${text}\x1b[201~\r`);
    await keys.see(/\r\n[^\n]*\r100000\r\n/);
    keys.close();
    return Date.now() - from;
  };
  const plain = await time(new Keyboard(plainBash(makePlace())));
  const gated = await time(new Keyboard(gatedBash(makePlace())));
  expect(gated).toBeLessThan(plain * 5 + 5_000);
});

test.each(['set -v', 'set -x', 'set -xv', 'set -xE; trap : ERR', 'set -x; trap : DEBUG'])(
  'after `%s` bash shows the lines and commands of the person, and none of the gate',
  async (options) => {
    const keys = await open();
    await line(keys, options);
    const before = keys.printed.length;
    for (const text of [
      'echo one',
      'f() { echo two; }; f',
      '(exit 3)',
      'echo $?',
      'false | true',
      'echo "${PIPESTATUS[@]}"',
      '',
    ])
      await line(keys, text);
    const shown = keys.printed.slice(before);
    expect(shown).toMatch(/(\+ |\r)echo one\r/);
    expect(shown).toMatch(/\n3\r\n/);
    expect(shown).not.toMatch(/__ape|builtin/);
    keys.type('\u0004');
  },
);
