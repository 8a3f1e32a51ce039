// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/**
 * Threat: standing grants cover harmless kinds of lines. A later line of the same session then reaches bash's private descriptors, runs
 * a command that an alias or an option hides, or makes bash itself open a file outside of the scope.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { REACHED } from '../fixtures/held-run.ts';
import type { Keyboard } from '../terminal/keyboard.ts';
import { GatedStage } from './gated-stage.ts';

const PROMPT = /U# $/;
const WAITS = 'Waiting for approval';
const gated = new GatedStage();
let keys: Keyboard;
let isGranted = false;

const at = (...parts: readonly string[]): string => join(gated.scratch, 'work', ...parts);

beforeAll(async () => {
  await gated.open();
  for (const folder of ['p/out', 'p/sub', 'outside/sub']) mkdirSync(at(folder), { recursive: true });
  writeFileSync(join(gated.scratch, 'home/.bashrc'), 'PS1="U# "; bind "set enable-bracketed-paste off"\n');
});
afterAll(() => gated.close());

beforeEach(async () => {
  keys = await gated.session('p');
  if (isGranted) return;
  for (const text of ['ls', 'sleep 0.1', 'echo hi > out/f']) await approve(text, '--as operation --term always');
  isGranted = true;
});
afterEach(() => keys.type(Buffer.from('\u0003\u0004')));

async function approve(text: string, how: string): Promise<void> {
  keys.type(`${text}\r`);
  const id = (await keys.see(/g_[a-z2-7]{26}/))[0];
  const { status, err } = await gated.run(`apes grants approve ${id} ${how}`);
  expect(err).toBe('');
  expect(status).toBe(0);
  await keys.see(PROMPT);
}

/** Types a line and returns the screen text until the next prompt. A line that waits for approval is interrupted. */
async function typed(text: string): Promise<string> {
  const before = keys.printed.length;
  keys.type(`${text}\r`);
  await keys.see(/Waiting for approval|U# $/);
  const shown = keys.printed.slice(before);
  if (shown.includes(WAITS)) {
    keys.type('\u0003');
    await keys.see(PROMPT);
  }
  return shown;
}

test('the grants of these tests cover their lines', async () => {
  expect(await typed('ls')).not.toContain(WAITS);
  expect(await typed('sleep 0.1 && echo covered > out/g')).not.toContain(WAITS);
  expect(readFileSync(at('p/out/g'), 'utf8')).toBe('covered\n');
});

test('a scope for a line of the session also covers the line as a one-shot call, and the reverse', async () => {
  const oneShot = (text: string) => gated.run(`cd ${at('p')} && ape-shell -c '${text}'`);
  expect((await oneShot('sleep 0.2')).status).toBe(0);
  const asked = await oneShot('du out');
  expect(asked.status).toBe(75);
  const [id] = /g_[a-z2-7]{26}/.exec(asked.err) ?? [];
  expect((await gated.run(`apes grants approve ${id} --as operation --term always`)).status).toBe(0);
  expect(await typed('du out')).not.toContain(WAITS);
  expect(await typed('BASH_LOADABLES_PATH=/tmp/x; du out')).toContain(WAITS);
});

describe('a line that names a descriptor above 9 is not covered', () => {
  test.each([
    ...['printf "trap -- \'touch ../ran\' DEBUG\\n" >&246', 'echo x >&243', 'ls 3>&00246 >&3', 'ls 1>&246-'],
    ...['ls <&243', 'ls 243>&-', '{ ls; } <&242', 'ls 255>&1', 'echo x >& 246', 'ls 17> out/f'],
  ])('%s waits for an approver', async (text) => {
    expect(await typed(text)).toContain(WAITS);
    expect(existsSync(at('ran'))).toBe(false);
  });
});

const OPEN_DESCRIPTORS = `
import os
def is_open(number):
    try:
        os.fstat(number)
        return True
    except OSError:
        return False
print("open:", [number for number in range(3, 10) if is_open(number)])
`;

describe('a descriptor that an earlier line has left open', () => {
  beforeEach(async () => {
    writeFileSync(at('outside/secret'), 'secret of another directory\n');
    await approve('exec 7<../outside/secret 8>>../outside/written', '--term once');
  });
  afterEach(() => approve('exec 7<&- 8>&-', '--term once'));

  test.each([
    'ls <&7',
    'echo x >&8',
    'ls >&8',
    '{ ls; } >&8',
    '{ ls >&8; }',
    'ls 3>&8 >&3',
    'ls 8>out/f; ls >&8',
    'ls <&7-',
  ])('%s waits for an approver', async (text) => {
    expect(await typed(text)).toContain(WAITS);
    expect(readFileSync(at('outside/written'), 'utf8')).toBe('');
  });

  test.each(['{ ls >&8; } 8>out/f', 'ls 3>&1 >&2 2>&3'])('%s has its own descriptors, and is covered', async (text) => {
    expect(await typed(text)).not.toContain(WAITS);
    expect(readFileSync(at('outside/written'), 'utf8')).toBe('');
  });

  test('is closed in a covered program, which could use it without naming it, and stays open in the session', async () => {
    writeFileSync(at('p/open.py'), OPEN_DESCRIPTORS);
    await approve('python3 open.py', '--as operation --term always');
    const confined = REACHED.level > 0;
    expect(await typed('python3 open.py')).toContain(confined ? 'open: []' : 'open: [7, 8]');
    expect(await typed('{ echo x >&8; } 8>out/f')).not.toContain(WAITS);
    expect(await typed('python3 open.py')).toContain(confined ? 'open: []' : 'open: [7, 8]');
    keys.type('sed "s/of/OF/" <&7\r');
    const id = (await keys.see(/g_[a-z2-7]{26}/))[0];
    await gated.run(`apes grants approve ${id} --term once`);
    await keys.see(/secret OF another directory/);
    await keys.see(PROMPT);
  });
});

test('an alias of a reserved word is gone before the next line, and no text of ours runs it', async () => {
  for (const word of ['time', '!', '{', '[[', 'then', 'if', 'case', 'while'])
    await approve(`alias '${word}=echo x > ../ran; ${word}'`, '--term once');
  if (existsSync(at('ran'))) unlinkSync(at('ran')); // the line that sets the alias may run it once
  for (const text of ['ls', 'time ls', '! ls', 'if ls; then ls; fi', '[[ a == a ]] && ls', '{ ls; }'])
    expect(await typed(text)).not.toContain(WAITS);
  expect(existsSync(at('ran'))).toBe(false);
  expect(await typed('alias | grep -c . ')).toContain(WAITS);
});

describe('a file that bash itself opens', () => {
  test('is refused by the kernel if it leads elsewhere at the last moment', async () => {
    // A host that cannot confine asks, and nothing runs.
    if (REACHED.level === 0) return expect(await typed('echo x > out/late')).toContain(WAITS);
    keys.type(`ls && ${'sleep 0.1 && '.repeat(15)}echo x > out/late\r`);
    await keys.see(/sub\r\n/); // the line was checked, and runs
    expect(keys.printed).not.toContain(WAITS);
    symlinkSync(at('outside/late'), at('p/out/late'));
    await keys.see(PROMPT);
    expect(keys.printed).toContain('Permission denied');
    expect(existsSync(at('outside/late'))).toBe(false);
  });

  // Since 5.2 bash reads the file of `$(< FILE)` itself, without a child.
  test('to read words of the line from it is refused by the kernel, too', async () => {
    const text = 'echo "read: $(< out/known)"';
    writeFileSync(at('p/out/known'), 'known\n');
    writeFileSync(at('outside/secret'), 'secret\n');
    if (REACHED.level === 0) return expect(await typed(text)).toContain(WAITS);
    await approve(text, '--as operation --term always');
    keys.type(`ls && ${'sleep 0.1 && '.repeat(15)}${text}\r`);
    await keys.see(/sub\r\n/); // the line was checked, and runs
    unlinkSync(at('p/out/known'));
    symlinkSync(at('outside/secret'), at('p/out/known'));
    const before = keys.printed.length;
    await keys.see(PROMPT);
    expect(keys.printed.slice(before)).toContain('Permission denied');
    expect(keys.printed.slice(before)).not.toContain('read: secret');
    unlinkSync(at('p/out/known'));
  });

  test('beside a command that changes the shell is for exact approval', async () => {
    symlinkSync(at('p/sub'), at('p/link'));
    await typed('cd link');
    unlinkSync(at('p/link'));
    symlinkSync(at('outside'), at('p/link'));
    for (const text of ['cd sub && echo x > out', 'cd sub && { ls; } > out', 'x=1; echo $x > out/f', 'x=$(< out/f)'])
      expect(await typed(text)).toContain(WAITS);
    expect(existsSync(at('outside/sub/out'))).toBe(false);
    unlinkSync(at('p/link'));
  });

  test('leaves status and history unchanged', async () => {
    await typed('echo covered > out/g');
    expect(await typed('echo more >> out/g; ! ls')).not.toContain(WAITS);
    expect(readFileSync(at('p/out/g'), 'utf8')).toBe('covered\nmore\n');
    const shown = await typed('echo "status=$?"; history 2');
    expect(shown).toContain('status=1');
    expect(shown).toMatch(/\d+ +echo more >> out\/g; ! ls/);
  });
});

describe('a variable with attributes', () => {
  const LOOP = 'for v in f g; do cat "$v"; done';

  beforeAll(() => {
    for (const name of ['f', 'g', 'w']) writeFileSync(at('p', name), `content of ${name}\n`);
  });

  test('that a covered loop sets has the value that the line gives it', async () => {
    await approve(LOOP, '--as operation --term always');
    const shown = await typed(LOOP);
    expect(shown).not.toContain(WAITS);
    expect(shown).toContain('content of g');
  });

  test.each([
    ['declare -n v=w', 'v=n'],
    ['declare -i v', 'v=i'],
    ['declare -u v', 'v=u'],
    ['declare -l v', 'v=l'],
    ['declare -xi v', 'v=ix'],
  ])('after `%s`, a line that sets it is for exact approval, and shows why', async (made, shown) => {
    await approve(made, '--term once');
    for (const text of [LOOP, 'v=f; ls', 'ls; v=f']) {
      const printed = await typed(text);
      expect(printed).toContain(WAITS);
      const details = await gated.run(`apes grants show ${/g_[a-z2-7]{26}/.exec(printed)?.[0]}`);
      expect(details.out).toContain(`attribute ${shown}`);
    }
    expect(await typed('ls')).not.toContain(WAITS);
  });

  test('that do not change its value does not matter: a line that sets it is covered', async () => {
    await approve('declare -a v=(1)', '--term once');
    expect(await typed(LOOP)).not.toContain(WAITS);
  });
});

test('a list given to `declare` is not expanded once more by the session itself', async () => {
  await approve('for f in f g; do cat "$f"; done', '--as operation --term always');
  expect(await typed('f=(a)')).not.toContain(WAITS);
  for (const text of [
    "declare 'f=(${PROMPT_COMMAND:=touch ../ran})'",
    "declare f='(${PROMPT_COMMAND:=touch ../ran})'",
    'for f in \'(${PROMPT_COMMAND:=touch ../ran})\'; do declare f="$f"; done',
    "typeset -x 'f+=(${PROMPT_COMMAND:=touch ../ran})'",
  ])
    expect(await typed(text)).toContain(WAITS);
  await typed('ls');
  expect(existsSync(at('ran'))).toBe(false);
});

test('with auto_resume every line is for exact approval, and no stopped job continues in place of one of our commands', async () => {
  await approve('auto_resume=substring; (while :; do sleep 0.1; done; : __ape_words) & kill -STOP $!', '--term once');
  const shown = await typed('ls');
  expect(shown).toContain(WAITS);
  const details = await gated.run(`apes grants show ${/g_[a-z2-7]{26}/.exec(shown)?.[0]}`);
  expect(details.out).toContain('auto_resume');
  await approve('kill -KILL $!; unset auto_resume', '--term once');
  expect(await typed('ls')).not.toContain(WAITS);
});

test('a directory does not become a repository whose settings a prompt would run', async () => {
  mkdirSync(at('p/out/r/objects'), { recursive: true });
  mkdirSync(at('p/out/r/refs'));
  expect(await typed('echo x > out/r/config')).not.toContain(WAITS);
  expect(await typed("echo 'ref: refs/heads/x' > out/r/HEAD")).toContain(WAITS);
});

test('the files of `hash -p` are compared by name: the link may lead elsewhere when the line runs', async () => {
  symlinkSync('/bin/ls', at('p/elsewhere'));
  await approve('hash -p ./elsewhere ls', '--term once');
  expect(await typed('ls')).toContain(WAITS);
});

test.each(['fc -s zebra', "$'\\x66c' -s zebra"])('%s shows the history that it may run', async (text) => {
  await typed('true zebra');
  const printed = await typed(text);
  expect(printed).toContain(WAITS);
  const details = await gated.run(`apes grants show ${/g_[a-z2-7]{26}/.exec(printed)?.[0]}`);
  expect(details.out).toMatch(/history fc=\s*[\s\S]*true zebra/);
});

/** Reads the token that waits for bash on the channel, makes FILE.seen, and, when FILE exists, asks for a covered line with this token. $1: FILE */
const SECOND_ASKER = `use Socket;
open(my $channel, "+<&=0") or die;
my $token;
while (!$token) { recv($channel, my $seen, 4096, MSG_PEEK); $token = $1 if $seen =~ / K ([0-9a-f]+)\0/; }
open(my $mark, ">", "$ARGV[0].seen");
select(undef, undef, undef, 0.02) while !-e $ARGV[0];
syswrite($channel, "\0\0L\0$token\0=/\0ls\0$token\0");
`;

test('a second line on the private channel before the answer ends the session, and no line runs', async () => {
  const program = gated.file('ask.pl', SECOND_ASKER);
  await approve(`perl ${program} ${at('go')} <&243 &`, '--term once');
  await expect.poll(() => existsSync(at('go.seen'))).toBe(true); // it stays false if bash has taken the token
  keys.type('echo x > ../ran\r');
  await keys.see(/Waiting for approval/);
  writeFileSync(at('go'), '');
  await keys.see(/another process wrote to its private channel/);
  expect(existsSync(at('ran'))).toBe(false);
});
