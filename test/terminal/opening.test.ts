/** The first prompt does not wait for the message about the gate. The shell prints the message as soon as it has it, and loses no output. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { gatedBash, makePlace, type Place } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from './keyboard.ts';

const MESSAGE = 'the gate is broken\nmend it\n';

/** Makes a place whose gate waits for the file `word`, which contains its message. */
function placeWithMessage(startUp?: string): Place & { readonly word: string } {
  const place = makePlace(startUp);
  return { ...place, word: path.join(path.dirname(place.work), 'word') };
}

/** Renames a complete file: the gate polls for this name, and must not read half of the message. */
function writeMessage({ word }: { readonly word: string }, text: string): void {
  writeFileSync(`${word}.new`, text);
  renameSync(`${word}.new`, word);
}

const isGateOpening = (place: Place): boolean =>
  existsSync(place.log) && readFileSync(place.log, 'utf8').includes('"opened"');

test('the message about the gate is printed below the first prompt, and then the prompt and the typed text again', async () => {
  const place = placeWithMessage();
  const keys = new Keyboard(gatedBash(place));
  await keys.see(/U# $/);
  await expect.poll(() => isGateOpening(place)).toBe(true);
  keys.type('echo on');
  await keys.see(/echo on$/);
  writeMessage(place, MESSAGE);
  await keys.see(/^\r\nthe gate is broken\r\nmend it\r\n(?:\x1b\[\?2004h)?U# echo on$/);
  keys.type('ce\r');
  await keys.see(/ce\r\n(?:\x1b\[\?2004l\r)?once\r\n(?:\x1b\[\?2004h)?U# $/);
  keys.type('exit\r');
  expect(await keys.exit).toEqual({ status: 0, signal: 0 });
});

test('start-up files that run for long do not hold back the message about the gate', async () => {
  const place = placeWithMessage(`while [[ ! -e go ]]; do sleep 0.1; done; PS1='U# '\n`);
  writeMessage(place, MESSAGE);
  const keys = new Keyboard(gatedBash(place));
  await keys.see(/^the gate is broken\r\nmend it\r\n$/);
  writeFileSync(path.join(place.work, 'go'), '');
  await keys.see(/^(?:\x1b\[\?2004h)?U# $/);
  keys.type('exit\r');
  expect(await keys.exit).toEqual({ status: 0, signal: 0 });
});

test('if the gate works, nothing is printed, and the check is made only once', async () => {
  const place = placeWithMessage();
  const keys = new Keyboard(gatedBash(place));
  await keys.see(/U# $/);
  await expect.poll(() => isGateOpening(place)).toBe(true);
  writeMessage(place, '');
  for (const line of ['true\r', ':reset\r', 'true\r']) {
    keys.type(line);
    await keys.see(/U# $/);
  }
  keys.type('exit\r');
  await keys.exit;
  expect(keys.printed).not.toContain('gate');
  expect(readFileSync(place.log, 'utf8').split('"opened"')).toHaveLength(2);
});
