// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/**
 * Threat: a Ctrl-C interrupts bash after it has written a typed text to the private file, and before it reads the text. The next tick
 * takes the text for the DEBUG trap of the user, and evaluates it. In this test a trap on INT writes the text to the file.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { gatedBash, makePlace } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from '../terminal/keyboard.ts';

const PROMPT = /U# $/;
let keys: Keyboard;
afterEach(() => keys.type(Buffer.from('\u0003\u0004')));

async function line(text: string): Promise<string> {
  const before = keys.printed.length;
  keys.type(`${text}\r`);
  await keys.see(PROMPT);
  return keys.printed.slice(before);
}

/** A trap that writes to the private file: descriptor 246, the last but one of bash's descriptors. The number depends on `ulimit -n`. */
const LEFT = `trap 'printf "%s\\n" "xx trap -- \\$(touch left-over) DEBUG" >&246' INT`;

async function interruptPrompt(): Promise<void> {
  keys.type('abc\u0003');
  await keys.see(PROMPT);
}

test.each(['set -o emacs', 'set +o history', 'set -o vi'])(
  'a text that an interrupted command left in the private file is not evaluated: %s',
  async (options) => {
    const place = makePlace(`PS1='U# '\nbind 'set enable-bracketed-paste off'\n${options}\n${LEFT}\n`);
    keys = new Keyboard(gatedBash(place));
    await keys.see(PROMPT);
    for (let time = 0; time < 4; time++) await interruptPrompt();
    await line('trap - INT');
    expect(await line('echo "<$(trap -p DEBUG)>"')).toContain('<>\r\n');
    expect(existsSync(join(place.work, 'left-over'))).toBe(false);
    await line("trap 'x=1' DEBUG");
    expect(await line('trap -p DEBUG')).toContain("trap -- 'x=1' DEBUG");
  },
);
