/**
 * After a Ctrl-C bash reads the next tick with history expansion, as it reads any line at its top level. No value of `histchars` may put
 * an entry of the history into the tick, because the entry may come from an earlier bash, and bash does not ask the gate about a tick.
 */
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Attack, carryOut, MARK, type Step } from '../fixtures/terminal/attacker.ts';
import { gatedBash, makePlace } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from '../terminal/keyboard.ts';

const PROMPT = /U# $/;
/** A tick contains one `c`, before an `s`. If `c` is the history character, bash looks for an entry that begins with `s`. */
const CHARACTERS = "histchars='c^#'";
const ENTRY = `history -s 'sleep 0;${MARK};true'`;
const run = (text: string): readonly Step[] => [`${text}\r`, PROMPT];

/** Types these approved lines. Ctrl-C then ends the last line if that prints GO, and otherwise the editing of the next line. */
const lines = (...texts: readonly string[]): Attack => {
  const last = texts.at(-1) ?? '';
  const steps = texts.slice(0, -1).flatMap(run);
  const end: readonly Step[] = last.includes('GO') ? [`${last}\r`, /\rGO\r\n/] : run(last);
  return { approved: texts, steps: [...steps, ...end, '\x03', 500, '\r', 200, '\x03', 300] };
};

const LOCAL = `f() { local ${CHARACTERS}; echo "GO"; sleep 9; }; f`;

const ATTACKS: Readonly<Record<string, Attack>> = {
  'set by a line': lines(ENTRY, CHARACTERS),
  'set by a line that Ctrl-C ends': lines(ENTRY, `${CHARACTERS}; echo "GO"; sleep 9`),
  'set for the time of a function that Ctrl-C ends': lines(ENTRY, LOCAL),
  'made read-only': lines(ENTRY, `readonly ${CHARACTERS}`),
  'set for one command that Ctrl-C ends': lines(ENTRY, `${CHARACTERS} eval 'echo "GO"; sleep 9'`),
  'a reference to another variable': lines(ENTRY, "unset histchars; x='c^#'; declare -n histchars=x; histchars='c^#'"),
  'set before a line turns history expansion on again': lines(ENTRY, CHARACTERS, 'set -H; echo "GO"; sleep 9'),
  'set before a line makes PROMPT_COMMAND an array of which bash runs no entry': lines(
    ENTRY,
    CHARACTERS,
    'unset PROMPT_COMMAND; declare -A PROMPT_COMMAND',
  ),
  'set after a line made PROMPT_COMMAND an array of which bash runs no entry': lines(
    ENTRY,
    'unset PROMPT_COMMAND; declare -A PROMPT_COMMAND',
    CHARACTERS,
  ),
  'set before a line turns history on': lines(ENTRY, CHARACTERS, 'set -o history -H; echo "GO"; sleep 9'),
};

describe.concurrent('No history character puts an entry of the history into a tick', () => {
  test.for(Object.entries(ATTACKS))('if the characters are %s', { timeout: 60_000 }, async ([, attack], { expect }) => {
    const { left, screen } = await carryOut(attack);
    expect(left, screen.slice(-1_500)).toEqual([]);
    expect(screen).not.toContain('event not found');
  });
});

/** Closes the session, and expects that no entry of the history became a part of a tick. */
async function expectNoEntry(keys: Keyboard, work: string): Promise<void> {
  await keys.quiet(250);
  keys.close();
  expect(existsSync(path.join(work, 'pwned')), keys.printed).toBe(false);
  expect(keys.printed).not.toContain('event not found');
}

test.for([false, true])('no start-up file brings an entry into a tick (without confine.so: %s)', async (isBare) => {
  const place = makePlace(`PS1='U# '\n${CHARACTERS}\n`);
  writeFileSync(path.join(place.home, 'history'), `sleep 0;${MARK};true\n`);
  const keys = new Keyboard(gatedBash(isBare ? { ...place, isUnconfinable: true } : place, false, []));
  await keys.see(PROMPT);
  for (let time = 0; time < 2; time++) {
    keys.type('\x03');
    await keys.see(PROMPT);
  }
  await expectNoEntry(keys, place.work);
});

test('no start-up file that Ctrl-C ends brings an entry into a tick', async () => {
  const place = makePlace(`PS1='U# '\n${CHARACTERS}\necho "GO"; sleep 9\n`);
  writeFileSync(path.join(place.home, 'history'), `sleep 0;${MARK};true\n`);
  const keys = new Keyboard(gatedBash(place, false, []));
  await keys.see(/GO\r\n/);
  keys.type('\x03');
  await keys.see(PROMPT);
  await expectNoEntry(keys, place.work);
});

test('without confine.so `histchars` is removed when the line is over', async () => {
  const place = makePlace();
  const keys = new Keyboard(gatedBash({ ...place, isUnconfinable: true }, false, [ENTRY, CHARACTERS]));
  await keys.see(PROMPT);
  for (const text of [ENTRY, CHARACTERS]) {
    keys.type(`${text}\r`);
    await keys.see(PROMPT);
  }
  expect(keys.printed).toContain('ape-shell: histchars is removed');
  keys.type('\x03');
  await keys.see(PROMPT);
  await keys.quiet(250);
  keys.close();
  expect(existsSync(path.join(place.work, 'pwned')), keys.printed).toBe(false);
});

test('`histchars` and the option -H stay as the user set them, also after a Ctrl-C', async () => {
  const place = makePlace();
  const approved = ["histchars='c%#'", 'echo "[$-]"', 'echo "<one>"', 'set +H'];
  const keys = new Keyboard(gatedBash(place, false, approved));
  const see = async (text: string, what: RegExp): Promise<void> => {
    keys.type(`${text}\r`);
    await keys.see(what);
    await keys.see(PROMPT);
  };
  await keys.see(PROMPT);
  keys.type("histchars='c%#'\r");
  await keys.see(PROMPT);
  for (let time = 0; time < 2; time++) {
    await see('echo "[$-]"', /\r\[[a-zA-Z]*H[a-zA-Z]*\]\r\n/);
    await see('echo "<one>"', /\r<one>\r\n/);
    keys.type('\x03');
    await keys.see(PROMPT);
  }
  keys.type('set +H\r');
  await keys.see(PROMPT);
  keys.type('\x03');
  await keys.see(PROMPT);
  await see('echo "[$-]"', /\r\[[a-zA-GI-Z]*\]\r\n/);
  expect(keys.printed).not.toContain('event not found');
  keys.close();
});
