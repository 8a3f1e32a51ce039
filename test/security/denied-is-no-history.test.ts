/** A denied line is in no history, so neither `fc` nor a history file that a later shell reads as commands can run it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Attack, carryOut, type Step } from '../fixtures/terminal/attacker.ts';
import { gatedBash, makePlace } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from '../terminal/keyboard.ts';

const PROMPT = /U# $/;
const DENIED = 'touch pwned';
const refused: readonly Step[] = [`${DENIED}\r`, /refused: touch pwned[\s\S]*U# $/];

/** An attack that types these approved lines after the denied line. */
const after = (...texts: readonly string[]): Attack => ({
  approved: texts,
  steps: [...refused, ...texts.flatMap((text): Step[] => [`${text}\r`, PROMPT])],
});

const ATTACKS: Readonly<Record<string, Attack>> = {
  'fc -s': after('fc -s touch', 'fc -s -1', 'fc -s'),
  'fc -s with a change': after('fc -s pwned=pwned2 touch', 'fc -s a=b'),
  'fc with an editor that changes nothing': after(
    'FCEDIT=true fc',
    'fc -e true touch',
    'fc -e true -1',
    'fc -e true 1 9',
  ),
  'fc -e -': after('fc -e - touch'),
  'fc in a function and in eval': after('f() { fc -s touch; }; f', 'eval "f""c -s touch"', 'builtin fc -s touch'),
  'the history file, sourced': after('history -w ./kept', 'grep -v kept kept >kept2; source ./kept2; rm kept kept2'),
  'the history file, appended to by PROMPT_COMMAND': after(
    "PROMPT_COMMAND='history -a ./kept'",
    'true',
    'unset PROMPT_COMMAND; grep -v kept kept >kept2; source ./kept2; rm kept kept2',
  ),
};

describe.concurrent('A denied line', () => {
  test.for(Object.keys(ATTACKS))('is not run by %s', async (name, { expect }) => {
    const { left, screen } = await carryOut(ATTACKS[name] ?? { approved: [], steps: [] });
    expect(
      left.filter((file) => !file.startsWith('kept')),
      screen,
    ).toEqual([]);
  });
});

test('a denied line is in no file that a later session reads', async () => {
  const place = makePlace();
  const set = 'HISTFILE=~/.bashrc';
  const keys = new Keyboard(gatedBash(place, false, [set, 'echo fine', 'exit']));
  await keys.see(PROMPT);
  for (const text of [set, DENIED, 'echo fine', DENIED]) {
    keys.type(`${text}\r`);
    await keys.see(PROMPT);
  }
  keys.type('exit\r');
  await keys.ended();
  for (const file of readdirSync(place.home))
    expect(readFileSync(path.join(place.home, file), 'utf8'), file).not.toContain('pwned');
  const next = new Keyboard(gatedBash(place)); // it reads the approved lines from `.bashrc`; the `exit` among them ends it
  await next.ended();
  expect(existsSync(path.join(place.work, 'pwned'))).toBe(false);
});

test('the text that `fc` would run is shown with the line, and bound', async () => {
  const place = makePlace();
  const keys = new Keyboard(gatedBash(place));
  await keys.see(PROMPT);
  for (const text of ['echo in-the-history', 'fc -l']) {
    keys.type(`${text}\r`);
    await keys.see(PROMPT);
  }
  keys.close();
  expect(readFileSync(place.log, 'utf8')).toMatch(/"name":"history fc","value":"[^"]*echo in-the-history/);
});
