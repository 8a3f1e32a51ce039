// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/**
 * Ctrl-C at many different moments: the next prompt is always complete, and the status is 130. A terminal that closes at many
 * different moments: the shell always ends too.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { gatedBash, makePlace } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from './keyboard.ts';

/** The gate may have begun to print a message about a line at the moment of the interrupt. */
const PROMPT = /U# (?:waiting\r\n)?$/;
const TIMEOUT_MS = 60_000;
const TIMES = 150;
const SHELLS_CLOSED = 20;

/** Waits for an exact time without a timer, because a timer takes at least a millisecond. */
async function pass(ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
}

/** Returns times between 0 and `ms`, spread evenly, in a mixed order. */
const moment = (time: number, ms: number): number => (((time * 61) % TIMES) / TIMES) * ms;

/** @param provoke types the text to interrupt, and then the Ctrl-C */
async function interrupt(times: number, provoke: (keys: Keyboard, time: number) => Promise<void>): Promise<void> {
  const keys = new Keyboard(gatedBash(makePlace()));
  try {
    await keys.see(PROMPT, TIMEOUT_MS);
    for (let time = 0; time < times; time++) {
      await provoke(keys, time);
      await keys.see(PROMPT, TIMEOUT_MS);
      keys.type('echo "<$?>"\r');
      const [told] = await keys.see(/\r<\d+>\r\n/, TIMEOUT_MS);
      expect(told, `interrupt ${time}`).toBe('\r<130>\r\n');
      await keys.see(PROMPT, TIMEOUT_MS);
    }
    keys.type('echo "[$(history | grep -c __ape)]"\r');
    const [told] = await keys.see(/\r\[\d+\]\r\n/, TIMEOUT_MS);
    expect(told, 'lines of the set-up text in the history').toBe('\r[1]\r\n'); // this line itself
  } finally {
    keys.close();
  }
}

describe.concurrent('After a Ctrl-C the next prompt is complete and $? is 130', () => {
  test('right after the prompt came', () =>
    interrupt(TIMES, async (keys, time) => {
      await pass(moment(time, 3));
      keys.type('\x03');
    }));

  test('right after the output of a line', () =>
    interrupt(TIMES / 5, async (keys, time) => {
      keys.type('echo "GO"\r');
      await keys.see(/\rGO\r\n/, TIMEOUT_MS);
      await pass(moment(time * 5, 2));
      keys.type('\x03');
      await keys.quiet(60);
      keys.type('\r');
    }));

  test('right after keys were typed', () =>
    interrupt(TIMES, async (keys, time) => {
      keys.type('abc def'.slice(0, (time % 7) + 1));
      await pass(moment(time, 2));
      keys.type('\x03');
    }));

  test('in one piece with keys', () =>
    interrupt(TIMES, async (keys, time) => keys.type(`${'abc def'.slice(0, time % 8)}\x03`)));

  test('while the line is on its way to the gate, or waits there', () =>
    interrupt(TIMES, async (keys, time) => {
      keys.type(': slowapprove\r');
      await pass(moment(time, 12));
      keys.type('\x03');
    }));

  test('while the line sets arrays, where plain bash loses its place in its input', () =>
    interrupt(TIMES / 5, async (keys, time) => {
      keys.type('echo "GO"; while :; do a=(x y z); done\r');
      await keys.see(/\rGO\r\n/, TIMEOUT_MS);
      await pass(moment(time * 5, 6));
      keys.type('\x03');
    }));
});

test.each([
  ['emacs', ''],
  ['vi', 'set -o vi\n'],
  ['no line editing', 'set +o emacs\n'],
  ['no history', 'set +o history\n'],
  ['read-only PROMPT_COMMAND', 'PROMPT_COMMAND=: && readonly PROMPT_COMMAND\n'],
  ['PROMPT_COMMAND, which runs after it', "FUNCNEST=1 PROMPT_COMMAND='hooks+=${#ran},'\n"],
])(
  'With an INT trap of the user each Ctrl-C ends the line that is edited, and runs the trap once: %s',
  async (_, options) => {
    const keys = new Keyboard(gatedBash(makePlace(`PS1='U# '\n${options}trap 'ran+=" $?"' INT\n`)));
    try {
      await keys.see(PROMPT, TIMEOUT_MS);
      for (let time = 0; time < TIMES / 5; time++) {
        keys.type('abc');
        await pass(moment(time * 5, 60));
        keys.type('\x03');
        await keys.see(PROMPT, TIMEOUT_MS);
      }
      keys.type('echo "[$ran]"\r');
      const [told] = await keys.see(/[\r\n]\[[ \d]*\]\r\n/, TIMEOUT_MS);
      expect(told).toMatch(/\[( \d+){30}\]/);
      await keys.see(PROMPT, TIMEOUT_MS);
      keys.type('trap -p INT\r');
      await keys.see(/trap -- 'ran\+=" \$\?"' SIGINT\r\n/, TIMEOUT_MS);
      await keys.see(PROMPT, TIMEOUT_MS);
      keys.type('echo "{$hooks}"\r');
      const [hooks] = await keys.see(/[\r\n]\{[\d,]*\}\r\n/, TIMEOUT_MS);
      if (options.includes('hooks')) expect(hooks).toContain('{0,4,8,12,16,20,24,28,32,36,40,44,48,52,56,60,64,68,72,');
    } finally {
      keys.close();
    }
  },
);

test('A Ctrl-C at the prompt leaves the DEBUG trap, and prints PS0 no more', async () => {
  const keys = new Keyboard(gatedBash(makePlace(`PS1='U# ' PS0='<begins>'\ntrap 'seen=$BASH_COMMAND' DEBUG\n`)));
  try {
    for (let time = 0; time < 3; time++) {
      await keys.see(PROMPT, TIMEOUT_MS);
      keys.type('abc\x03');
    }
    await keys.see(PROMPT, TIMEOUT_MS);
    expect(keys.printed).not.toContain('begins');
    keys.type('trap -p DEBUG\r');
    await keys.see(/<begins>trap -- 'seen=\$BASH_COMMAND' DEBUG\r\n/, TIMEOUT_MS);
  } finally {
    keys.close();
  }
});

/** Types a line after many signals. The last signal may reach the line editor together with the next key, which is then lost, as in any bash. */
async function typeAfterSignals(keys: Keyboard, line: string): Promise<void> {
  await pass(200);
  keys.type('\r');
  await pass(500);
  keys.type(line);
}

test('Many Ctrl-Cs in a row leave line editing, the DEBUG trap and disabled builtins as they were', async () => {
  const keys = new Keyboard(
    gatedBash(makePlace("PS1='U# '\nset -o vi\nenable -n kill\ntrap 'seen=$BASH_COMMAND' DEBUG\n")),
  );
  try {
    await keys.see(PROMPT, TIMEOUT_MS);
    for (let time = 0; time < 25; time++) {
      keys.type('sleep 9\r');
      await pass(5 + moment(time, 30));
      for (let press = 0; press < 6; press++) {
        keys.type('\x03');
        await pass(moment(time * 6 + press, 4));
      }
      await typeAfterSignals(keys, `echo "<${time}>"\r`);
      await keys.see(new RegExp(`[\\r\\n]<${time}>\\r\\n`), TIMEOUT_MS);
      await keys.see(PROMPT, TIMEOUT_MS);
    }
    keys.type('set -o | grep "^vi"; enable -n; trap -p DEBUG\r');
    await keys.see(/vi\s+on\r\nenable -n kill\r\ntrap -- 'seen=\$BASH_COMMAND' DEBUG\r\n/, TIMEOUT_MS);
  } finally {
    keys.close();
  }
});

test('Many Ctrl-Cs in a row leave no tick in the history', async () => {
  const keys = new Keyboard(gatedBash(makePlace()));
  try {
    await keys.see(PROMPT, TIMEOUT_MS);
    for (let time = 0; time < 15; time++) {
      keys.type('sleep 9\r');
      await pass(4 + moment(time, 6));
      for (let press = 0; press < 6; press++) {
        keys.type('\x03');
        await pass(moment(time * 6 + press, 0.5));
      }
      await pass(12);
    }
    await typeAfterSignals(keys, '\x03');
    await typeAfterSignals(keys, 'echo "[$(history | grep -c __ape)]"\r');
    expect((await keys.see(/\r\[(\d+)\]\r\n/, TIMEOUT_MS))[1]).toBe('1'); // this line itself
  } finally {
    keys.close();
  }
});

/** The masks of blocked signals, which only Linux shows (proc(5)): of bash in a line, of a program, and of a subshell. */
const MASKS = 'grep -h SigBlk /proc/$$/status /proc/self/status; (grep SigBlk /proc/self/status)';
/** While bash waits for a program it blocks SIGCHLD. */
const UNBLOCKED = /(?:SigBlk:\t0{11}[01]0{4}\r\n){3}/;
const SEES_MASK = '[[ $(</proc/$$/status) =~ SigBlk:.([0-9a-f]*) ]]; hooks+=${BASH_REMATCH[1]},';
/** INT, QUIT, USR1, USR2, ALRM, TERM, TSTP, VTALRM, PROF, WINCH, IO, PWR, and the first and the last real-time signal. */
const BLOCKED = [2, 3, 10, 12, 14, 15, 20, 26, 27, 28, 29, 30, 34, 64];
const LEFT_ALONE = [1, 4, 8, 11, 13, 18, 21, 22]; // HUP, ILL, FPE, SEGV, PIPE, CONT, TTIN, TTOU
const isIn = (mask: string) => (signal: number) => ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;

test.each(process.platform === 'linux' ? ['', 'abc', 'sleep 9\r', ': slowapprove\r'] : [])(
  'bash blocks signals that can have a trap between lines, but not in a line or in its programs, also after Ctrl-C in %j',
  async (interrupted) => {
    const keys = new Keyboard(gatedBash(makePlace(`PS1='U# '\nPROMPT_COMMAND='${SEES_MASK}'\n`)));
    try {
      await keys.see(PROMPT, TIMEOUT_MS);
      keys.type(interrupted);
      await pass(300);
      keys.type('\x03');
      await keys.see(PROMPT, TIMEOUT_MS);
      keys.type(`${MASKS}\r`);
      await keys.see(UNBLOCKED, TIMEOUT_MS);
      await keys.see(PROMPT, TIMEOUT_MS);
      keys.type('echo "{$hooks}"\r');
      const [, masks = ''] = await keys.see(/\{([0-9a-f,]+),\}\r\n/, TIMEOUT_MS);
      for (const mask of masks.split(',')) {
        expect([mask, BLOCKED.filter((signal) => !isIn(mask)(signal))]).toEqual([mask, []]);
        expect([mask, LEFT_ALONE.filter(isIn(mask))]).toEqual([mask, []]);
      }
    } finally {
      keys.close();
    }
  },
);

test.each(['sleep 9; x=after\nx=after\n', 'sleep 9\nx=after\n', 'for ((;;)); do :; done\nx=after\n', 'sleep 9\n'])(
  'A Ctrl-C in a start-up file brings the prompt, as in plain bash, and shows nothing of ours: %s',
  async (text) => {
    const keys = new Keyboard(gatedBash(makePlace(`PS1='U# ' x=before\necho GO\n${text}`)));
    try {
      await keys.see(/GO\r\n/, TIMEOUT_MS);
      await pass(200);
      keys.type('\x03');
      await keys.see(PROMPT, TIMEOUT_MS);
      await keys.quiet(300);
      keys.type('echo "<$x $?>"\r');
      await keys.see(/\r<before 130>\r\n/, TIMEOUT_MS);
      await keys.see(PROMPT, TIMEOUT_MS);
      keys.type('echo forbidden\r');
      await keys.see(/refused: echo forbidden\r\n/, TIMEOUT_MS);
      await keys.see(PROMPT, TIMEOUT_MS);
      keys.type('set -o | grep ^emacs; history | grep -c __ape\r');
      await keys.see(/emacs\s+on\r\n1\r\n/, TIMEOUT_MS);
      expect(keys.printed.replaceAll('grep -c __ape', '')).not.toContain('__ape');
    } finally {
      keys.close();
    }
  },
);

test('A PROMPT_COMMAND that interrupts its own shell brings one prompt, and $? is 130', async () => {
  const keys = new Keyboard(gatedBash(makePlace("PS1='U# '\nPROMPT_COMMAND='runs+=x; kill -INT $$'\n")));
  try {
    await keys.see(PROMPT, TIMEOUT_MS);
    keys.type('echo "<$? $runs>"\r');
    await keys.see(/<130 x>\r\n\r?\n?/, TIMEOUT_MS);
    await keys.see(PROMPT, TIMEOUT_MS);
  } finally {
    keys.close();
  }
});

test('A CHLD trap that sets REPLY delays no prompt', async () => {
  const keys = new Keyboard(gatedBash(makePlace("PS1='U# '\ntrap 'REPLY=x' CHLD\n")));
  try {
    for (let time = 0; time < 25; time++) {
      await keys.see(PROMPT, 5_000);
      keys.type('true & true\r');
    }
    await keys.see(PROMPT, 5_000);
  } finally {
    keys.close();
  }
});

test.each([
  ['enable -n builtin', 'PROMPT_COMMAND=:', 'enable -n builtin; sleep 9'],
  ['builtins in a start-up file', 'enable -n printf read kill test [', 'sleep 9'],
])('The prompt comes after a Ctrl-C with disabled builtins: %s', async (_, startUp, text) => {
  const keys = new Keyboard(gatedBash(makePlace(`PS1='U# '\n${startUp}\n`)));
  try {
    await keys.see(PROMPT, TIMEOUT_MS);
    keys.type(`${text}\r`);
    await pass(200);
    keys.type('\x03');
    await keys.see(PROMPT, 10_000);
    keys.type('enable -n; echo "<$?>"\r');
    await keys.see(/<0>\r\n/, TIMEOUT_MS);
    if (startUp.startsWith('enable')) expect(keys.printed).toMatch(/enable -n kill\r\n[\s\S]*enable -n read\r\n/);
  } finally {
    keys.close();
  }
});

test.each([
  ['set -e', 'set -e; (exit 3) && :', '(exit 3) && :'],
  ['set -e and a trap on ERR', "set -eE; trap 'echo ERR' ERR; (exit 3) && :", '(exit 3) && :'],
  ['a last command that fails', 'false || (exit 3)', '(exit 3)'],
])(
  'A start-up file that ends with a status other than 0 leaves a shell with this status: %s',
  async (_, text, line) => {
    const keys = new Keyboard(gatedBash(makePlace(`PS1='U# '\n${text}\n`)));
    try {
      await keys.see(PROMPT, TIMEOUT_MS);
      keys.type('echo "<$?>"\r');
      expect((await keys.see(/\r<(\d+)>\r\n/, TIMEOUT_MS))[1]).toBe('3');
      for (let time = 0; time < 8; time++) {
        await keys.see(PROMPT, TIMEOUT_MS);
        keys.type(`${line}\r`); // also when a block of ticks is used up
      }
      await keys.see(PROMPT, TIMEOUT_MS);
      keys.type('echo "<$?>"\r');
      expect((await keys.see(/\r<(\d+)>\r\n/, TIMEOUT_MS))[1]).toBe('3');
      expect(keys.printed).not.toContain('ERR');
    } finally {
      keys.close();
    }
  },
);

test.each([
  ['set -x', 'set -x'],
  ['read-only PROMPT_COMMAND', 'PROMPT_COMMAND=: && readonly PROMPT_COMMAND'],
  ['no line editing', 'set +o emacs'],
])('Nothing of the ticks is on the screen, also after Ctrl-C: %s', async (_, text) => {
  const keys = new Keyboard(gatedBash(makePlace(`PS1='U# ' PS2='%%'\n${text}\n`)));
  try {
    await keys.see(PROMPT, TIMEOUT_MS);
    for (let time = 0; time < 8; time++) {
      keys.type('sleep 9\r');
      await pass(100);
      keys.type('\x03');
      await keys.see(PROMPT, TIMEOUT_MS);
      keys.type('true\r');
      await keys.see(PROMPT, TIMEOUT_MS);
    }
    expect(keys.printed).not.toMatch(/__ape|%%|warning/);
  } finally {
    keys.close();
  }
});

test('A Ctrl-C with `set -u` prints the same as without it', async () => {
  const keys = new Keyboard(gatedBash(makePlace()));
  await keys.see(PROMPT, TIMEOUT_MS);
  keys.type('set -u\r');
  for (let time = 0; time < 12; time++) {
    await keys.see(PROMPT, TIMEOUT_MS);
    keys.type('abc\x03');
  }
  await keys.see(PROMPT, TIMEOUT_MS);
  expect(keys.printed).not.toContain('unbound');
  keys.close();
});

test('The shell ends when its terminal is closed while the shell handles keys', async () => {
  const closed = Array.from({ length: SHELLS_CLOSED }, async (_, shell) => {
    const keys = new Keyboard(gatedBash(makePlace()));
    await keys.see(PROMPT, TIMEOUT_MS);
    keys.type('echo "<$$>"\r');
    const bash = Number((await keys.see(/\r<(\d+)>\r\n/, TIMEOUT_MS))[1]);
    await keys.see(PROMPT, TIMEOUT_MS);
    keys.type('abcdef');
    await pass(1 + (shell % 10) / 5);
    keys.hangUp();
    try {
      await expect.poll(() => [keys.pid, bash].filter(isAlive), { timeout: TIMEOUT_MS }).toEqual([]);
    } finally {
      for (const pid of [keys.pid, bash].filter(isAlive)) process.kill(pid, 'SIGKILL');
    }
  });
  await Promise.all(closed);
});

test.each([["trap '' HUP"], ["trap 'x=1' HUP"]])(
  'A shell with %s ends too, when its terminal is gone and no line runs',
  async (text) => {
    const keys = new Keyboard(gatedBash(makePlace(`PS1='U# '\n${text}\n`)));
    await keys.see(PROMPT, TIMEOUT_MS);
    keys.type('echo "<$$>"\r');
    const bash = Number((await keys.see(/\r<(\d+)>\r\n/, TIMEOUT_MS))[1]);
    await keys.see(PROMPT, TIMEOUT_MS);
    keys.hangUp();
    try {
      await expect.poll(() => [keys.pid, bash].filter(isAlive), { timeout: 20_000 }).toEqual([]);
    } finally {
      for (const pid of [keys.pid, bash].filter(isAlive)) process.kill(pid, 'SIGKILL');
    }
  },
);

/** A zombie has ended: its parent has not called wait(2) yet. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
