// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/** Promise 3 of SECURITY.md: typed-ahead text, pastes, program output, key bindings and editing modes run nothing. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Attack, carryOut, isThere, MARK, permit, type Step } from '../fixtures/terminal/attacker.ts';

const ENTER = '\r';
const line = (text: string): Step => `${text}${ENTER}`;
const PROMPT = /U# $/;
/** An approved line, and the prompt after it. */
const run = (text: string): readonly Step[] => [line(text), PROMPT];
const refused = (text: string): readonly Step[] => [line(text), /refused: [\s\S]*U# $/];

/** An attack in which only the lines `approved` are approved. */
const attack = (approved: readonly string[], ...steps: readonly (Step | readonly Step[])[]): Attack => ({
  approved,
  steps: steps.flat() as Step[],
});

/** Puts a line into the editor, and then types a key that would run it without Enter. */
const key = (keys: string, before: readonly string[] = []): Attack =>
  attack(before, ...before.map(run), `${MARK}`, 80, keys, 300, ENTER, 200);

const bound = (binding: string, ...steps: readonly Step[]): Attack =>
  attack([binding], run(binding), ...steps, 300, ENTER, 200);

const ATTACKS: Readonly<Record<string, Attack>> = {
  'a plain line': attack([], line(MARK), 200),
  'a line typed ahead while a command runs': attack(
    ['echo GO; sleep 0.4'],
    line('echo GO; sleep 0.4'),
    /GO/,
    line(MARK),
    700,
  ),
  'a line typed ahead at the moment a child exits': attack(['sleep 0.1'], line('sleep 0.1'), 95, line(MARK), 400),
  'a line typed ahead of a refused one': attack([], `nope${ENTER}${MARK}${ENTER}`, 400),
  'a line typed while the approval is awaited': attack(
    ['echo slowapprove'],
    line('echo slowapprove'),
    /waiting/,
    line(MARK),
    100,
    permit,
    /slowapprove\r\n[\s\S]*U# /,
    300,
  ),
  'many lines typed ahead': attack(['sleep 0.2'], line('sleep 0.2'), `${MARK}${ENTER}`.repeat(20), 900),
  'a bracketed paste of two lines, one approved': attack(
    ['echo one'],
    `\x1b[200~echo one\n${MARK}\n\x1b[201~`,
    100,
    ENTER,
    300,
  ),
  'a raw paste of lines': attack(['echo one'], `echo one\n${MARK}\necho one\n${MARK}\n`, 600),
  'a paste that ends itself and goes on': attack([], `\x1b[200~echo\x1b[201~\n${MARK}\n\x1b[200~`, 300, ENTER, 200),
  'history expansion that differs from what was approved': attack(
    ['!!', 'echo !$'],
    refused(MARK),
    line('!!'),
    300,
    line('echo !$'),
    300,
  ),
  'history expansion of a refused line with a change': attack(['^x^y'], refused(`${MARK}`), line('^pwned^pwned2'), 300),
  'a line that was cancelled and approved afterwards': attack(
    [`${MARK} # slowapprove`],
    line(`${MARK} # slowapprove`),
    /waiting/,
    '\x03',
    PROMPT,
    permit,
    300,
  ),
  'a cancelled line, approved while the next one waits': attack(
    [`${MARK} # slowapprove`, 'echo two'],
    line(`${MARK} # slowapprove`),
    /waiting/,
    '\x03',
    PROMPT,
    permit,
    run('echo two'),
    200,
  ),
  'a late verdict that arrives with the next line': attack(
    ['echo slowapprove'],
    line('echo slowapprove'),
    /waiting/,
    '\x03',
    PROMPT,
    permit,
    100,
    line(MARK),
    300,
  ),
  'PROMPT_COMMAND unset, then Ctrl-C': attack(
    ['unset PROMPT_COMMAND; sleep 5'],
    line('unset PROMPT_COMMAND; sleep 5'),
    200,
    '\x03',
    200,
    line(MARK),
    300,
  ),
  'PROMPT_COMMAND replaced, then Ctrl-C': attack(
    ["PROMPT_COMMAND=('true'); sleep 5"],
    line("PROMPT_COMMAND=('true'); sleep 5"),
    200,
    '\x03',
    200,
    line(MARK),
    300,
  ),
  'PROMPT_COMMAND readonly, then Ctrl-C': attack(
    ['readonly PROMPT_COMMAND=; sleep 5'],
    line('readonly PROMPT_COMMAND=; sleep 5'),
    200,
    '\x03',
    200,
    line(MARK),
    300,
    line(MARK),
    300,
  ),
  'Alt-Ctrl-E': key('\x1b\x05'),
  'Ctrl-X Ctrl-E': key('\x18\x05', ['export EDITOR=true VISUAL=true']),
  'v in vi mode': key('\x1bv', ['set -o vi; export EDITOR=true VISUAL=true']),
  'shell-expand-line on a substitution': attack([], `: $(${MARK})`, '\x1b\x05', 300, '\x03', 200),
  'TAB on a substitution': attack([], `ls $(${MARK})\t\t`, 300, '\x03', 200),
  'TAB on backticks': attack([], `ls \`${MARK}\`/\t\t`, 300, '\x03', 200),
  'operate-and-get-next': attack(
    ['echo A', 'echo C'],
    run('echo A'),
    refused(MARK),
    run('echo C'),
    '\x1b[A\x1b[A\x1b[A',
    100,
    '\x0f',
    400,
    ENTER,
    200,
  ),
  'set +o emacs': attack(['set +o emacs'], run('set +o emacs'), line(MARK), 300, '\x03', 200, line(MARK), 300),
  'set +o vi': attack(['set -o vi', 'set +o vi'], run('set -o vi'), run('set +o vi'), line(MARK), 300, line(MARK), 300),
  'set +o emacs in a function, PROMPT_COMMAND unset': attack(
    ['f() { unset PROMPT_COMMAND; set +o emacs; }', 'f; echo done'],
    run('f() { unset PROMPT_COMMAND; set +o emacs; }'),
    line('f; echo done'),
    300,
    line(MARK),
    300,
    '\x03',
    200,
    line(MARK),
    300,
  ),
  'set +o emacs at every place of a block of ticks': attack(
    ['unset PROMPT_COMMAND; set +o emacs', 'set -o emacs', 'true'],
    ...Array.from({ length: 14 }, (_, at) => [
      line('unset PROMPT_COMMAND; set +o emacs'),
      60,
      line(MARK),
      60,
      ...(at % 2 === 0 ? [line('true'), 40] : ['\x03', 40]),
    ]),
    200,
  ),
  'a key macro of two lines': bound(`bind '"\\C-x9": "echo mac\\n${MARK}\\n"'`, '\x189'),
  'a key macro, interrupted': bound(`bind '"\\C-x9": "echo mac\\n${MARK}\\n"'`, '\x189', 30, '\x03', 100),
  'a letter of the tick bound to a macro': bound(`bind '"e": "${MARK}\\n"'`),
  'another letter of the tick bound to a macro': bound(`bind '"_": "\\C-u${MARK}\\n"'`),
  'a letter bound to a command': bound(`bind -x '"l": ${MARK}'`, 'l'),
  'a control key bound to a command': bound(`bind -x '"\\C-t": ${MARK}'`, '\x14', 100, '\x14'),
  'Enter bound to something else': bound(`bind '"\\C-m": "${MARK}\\C-j"'`),
  'another key bound to Enter': attack(
    [`bind '"\\C-g": accept-line'`],
    run(`bind '"\\C-g": accept-line'`),
    MARK,
    '\x07',
    300,
  ),
  'edit-and-execute bound again': bound(`bind '"\\C-g": edit-and-execute-command'`, MARK, '\x07', 200),
  'edit-and-execute bound to a sequence of three keys': bound(
    `bind '"\\C-x\\C-a\\C-g": edit-and-execute-command'`,
    MARK,
    '\x18\x01\x07',
    200,
  ),
  'edit-and-execute bound in another keymap': bound(
    `bind -m vi-command '"g": edit-and-execute-command'`,
    MARK,
    '\x1b\x0a',
    60,
    '\x1b',
    700,
    'g',
    200,
  ),
  'shell-expand-line bound again': bound(`bind '"\\C-g": shell-expand-line'`, `: $(${MARK})`, '\x07', 200, '\x03', 100),
  'a keyboard macro': attack(['echo k'], '\x18(', run('echo k'), refused(MARK), '\x18)', 100, '\x18e', 500),
  'many Ctrl-C while a line is typed': attack(
    [],
    ...Array.from({ length: 30 }, () => [`${MARK}${ENTER}\x03`, 15]),
    300,
  ),
  'many Ctrl-C while a line runs': attack(
    ['true'],
    ...Array.from({ length: 30 }, (_, at) => [
      `true${ENTER}`,
      at % 7,
      '\x03',
      at % 5,
      `${MARK}${ENTER}`,
      at % 3,
      '\x03',
    ]),
    500,
  ),
  'exec </dev/tty': attack(['exec </dev/tty'], line('exec </dev/tty'), 200, line(MARK), 300),
  'exec 0<&1': attack(['exec 0<&1'], line('exec 0<&1'), 200, line(MARK), 300),
  'a failing DEBUG trap under extdebug': attack(
    ["shopt -s extdebug; trap 'false' DEBUG"],
    line("shopt -s extdebug; trap 'false' DEBUG"),
    300,
    line(MARK),
    200,
    '\x03',
    200,
    line(MARK),
    300,
  ),
  'reading disabled': attack(
    ['enable -n read eval builtin'],
    line('enable -n read eval builtin'),
    300,
    line(MARK),
    300,
  ),
  'eval, builtin and read as functions': attack(
    ['builtin() { :; }; eval() { :; }; read() { :; }; printf() { :; }'],
    line('builtin() { :; }; eval() { :; }; read() { :; }; printf() { :; }'),
    300,
    line(MARK),
    300,
  ),
  'a line injected into the terminal (TIOCSTI)': attack(
    ['python3 sti.py'],
    (place) =>
      writeFileSync(
        path.join(place.work, 'sti.py'),
        `import fcntl, termios\nfor c in b"${MARK}\\r":\n  try: fcntl.ioctl(0, termios.TIOCSTI, bytes([c]))\n  except OSError: pass\n`,
      ),
    line('python3 sti.py'),
    900,
  ),
};

describe.concurrent('Nothing but an approved line runs', () => {
  test.for(Object.entries(ATTACKS))('after this attack: %s', { timeout: 180_000 }, async ([, attack], { expect }) => {
    const { left, screen } = await carryOut({ ...attack, leaves: ['sti.py'] });
    expect(left, JSON.stringify(screen.slice(-1_500))).toEqual([]);
  });
});

test('The line of the attacks leaves its file if it is approved, which proves that the tests would see it run', async () => {
  const { left } = await carryOut(attack([MARK], run(MARK)));
  expect(left).toEqual(['pwned']);
});

test('An approved line runs once, although Ctrl-C and the next line follow it at once', async () => {
  const { left } = await carryOut(
    attack(['echo x >>once'], `echo x >>once${ENTER}`, PROMPT, '\x03', PROMPT, ENTER, PROMPT, (place) => {
      expect(isThere(place, 'once')).toBe(true);
    }),
  );
  expect(left).toEqual(['once']);
});
