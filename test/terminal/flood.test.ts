/** Bulk output, which a C program relays: screen, keys and exits are the same as without the relay, and no process is left. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isSanitized, programPath } from '../fixtures/programs.ts';
import { gatedBash, makePlace, type Place } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from './keyboard.ts';

const PROMPT = /U# $/;
const TIMEOUT_MS = 120_000;

async function open(place: Place = makePlace()): Promise<Keyboard> {
  const keys = new Keyboard(gatedBash(place));
  await keys.see(PROMPT);
  return keys;
}

/** Returns process ids in one string. */
function find(...words: readonly string[]): string {
  try {
    return execFileSync('pgrep', words, { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}

/** Returns the process id of the gate's pump, or an empty string. */
function pumpOf(keys: Keyboard): string {
  try {
    const children = readFileSync(`/proc/${keys.pid}/task/${keys.pid}/children`, 'latin1').trim().split(' ');
    return children.find((pid) => readFileSync(`/proc/${pid}/comm`, 'latin1') === 'pump\n') ?? '';
  } catch {
    return '';
  }
}

/** Waits for the end of the output. `keys.see` searches after every piece of output, which is too slow for a flood. */
async function seeEnd(keys: Keyboard, end: RegExp): Promise<void> {
  await until(String(end), () => end.test(keys.printed.slice(-200)));
  await keys.see(end);
}

async function until<Value>(what: string, look: () => Value | null | '' | false): Promise<Value> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const value = look();
    if (value !== null && value !== '' && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`never saw ${what}`);
    await pause(5);
  }
}

const numbers = (from: number, to: number): string => {
  let text = '';
  for (let n = from; n <= to; n++) text += `${n}\r\n`;
  return text;
};

/** A line that prints numbers without end, and a word that finds its process. */
function endless(place: Place): { readonly line: string; readonly word: string } {
  const word = `flood-${process.pid}-${path.basename(place.work)}-${path.basename(path.dirname(place.work))}`;
  writeFileSync(
    path.join(place.work, word),
    '#!/bin/sh\nexec -a "$0" seq 1 1000000000\n'.replace('/bin/sh', '/bin/bash'),
  );
  chmodSync(path.join(place.work, word), 0o755);
  return { line: `./${word}\r`, word };
}

test('A flood arrives complete and in order without passing through the gate, and the next line works as usual', async () => {
  const keys = await open();
  keys.type('seq 1 900000; echo "<$?>"\r');
  await until('a pump', () => pumpOf(keys));
  await seeEnd(keys, /<0>\r\n\S*U# $/);
  const from = keys.printed.indexOf('1\r\n2\r\n3\r\n');
  expect(keys.printed.slice(from).startsWith(`${numbers(1, 900_000)}<0>\r\n`)).toBe(true);
  await until('the end of the pump', () => pumpOf(keys) === '');
  keys.type('echo "ne"xt\r');
  await keys.see(/next\r\n\S*U# $/);
  keys.close();
});

test('The last bytes of a flood that ends with the shell are not lost', async () => {
  for (const line of ['seq 1 300000; exit 7', 'exec sh -c "seq 1 300000; exit 7"']) {
    const keys = await open();
    keys.type(`${line}\r`);
    await until('a pump', () => pumpOf(keys));
    const exit = await keys.ended(TIMEOUT_MS);
    expect(exit?.status).toBe(7);
    const from = keys.printed.indexOf('1\r\n2\r\n3\r\n');
    const whole = numbers(1, 300_000);
    expect(keys.printed.slice(from).startsWith(whole)).toBe(true);
    expect(keys.printed.slice(from + whole.length)).toMatch(/^(exit\r\n)?$/); // and nothing of ours
    expect(pumpOf(keys)).toBe('');
  }
});

test('Ctrl-C and Ctrl-Z stop a flood, and the shell goes on', { timeout: 300_000 }, async () => {
  const keys = await open();
  for (const [key, marks] of [
    ['\x03', ['^C']],
    ['\x1a', ['^Z', 'Stopped']],
  ] as const) {
    keys.type('seq 1 1000000000\r');
    await until('a pump', () => pumpOf(keys));
    await pause(100);
    const from = keys.printed.length;
    keys.type(key);
    await until(
      `${marks} and a prompt`,
      () => PROMPT.test(keys.printed.slice(-200)) && marks.every((mark) => keys.printed.includes(mark, from)),
    );
    await keys.see(PROMPT);
    await until('the end of the pump', () => pumpOf(keys) === '');
  }
  keys.type('kill %1; echo "go"es on\r');
  await keys.see(/goes on[\s\S]*U# $/);
  keys.close();
});

test('A terminal that reads nothing stops the program, needs no memory, and loses no output', async () => {
  const keys = await open();
  keys.type('seq 1 900000; echo "<$?>"\r');
  const pump = await until('a pump', () => pumpOf(keys));
  keys.stopReading();
  await pause(1_500);
  const printed = keys.printed.length;
  await pause(500);
  expect(keys.printed.length).toBe(printed);
  const held = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pump}/status`, 'latin1'))?.[1]);
  expect(held).toBeGreaterThan(0);
  expect(held).toBeLessThan(isSanitized ? 12_000 : 4_000); // the sanitizer keeps a map of the memory
  keys.readOn();
  await seeEnd(keys, /<0>\r\n\S*U# $/);
  expect(keys.printed.includes(numbers(1, 900_000))).toBe(true);
  keys.close();
});

test('A new window size reaches the program in the middle of a flood', async () => {
  const place = makePlace();
  const keys = await open(place);
  const text = "trap 'stty size > resized' WINCH; seq 1 1000000000 & while :; do wait; done";
  keys.type(`bash -c "${text}"\r`);
  await until('a pump', () => pumpOf(keys));
  keys.resize(77, 33);
  const resized = path.join(place.work, 'resized');
  expect(await until('the size', () => existsSync(resized) && readFileSync(resized, 'latin1'))).toBe('33 77\n');
  keys.close();
});

test('kill -9 of the pump loses the output in its buffer; the shell and its program go on', async () => {
  const keys = await open();
  keys.type('seq 1 600000; echo "<$?>"\r');
  const pump = await until('a pump', () => pumpOf(keys));
  process.kill(Number(pump), 'SIGKILL');
  await seeEnd(keys, /\n600000\r\n<0>\r\n\S*U# $/);
  keys.type('echo "ne"xt\r');
  await keys.see(/next\r\n\S*U# $/);
  keys.close();
});

test('A pump that is stopped does not hold back a viewer', async () => {
  const place = makePlace();
  const seen = path.join(place.work, 'seen');
  const keys = await open({ ...place, seen });
  keys.type('seq 1 600000; echo "<$?>"\r');
  const pump = await until('a pump', () => pumpOf(keys));
  process.kill(Number(pump), 'SIGSTOP');
  process.kill(keys.pid, 'SIGUSR2');
  await until('its being recalled', () => readFileSync(place.log, 'utf8').includes('recalled'));
  await seeEnd(keys, /\n600000\r\n<0>\r\n\S*U# $/);
  keys.close();
});

test.each([
  ['the gate dies by kill -9', (keys: Keyboard) => process.kill(keys.pid, 'SIGKILL')],
  ['the terminal goes away', (keys: Keyboard) => keys.hangUp()],
])('When %s in the middle of a flood, no process is left', async (_what, end) => {
  const place = makePlace();
  const keys = await open(place);
  const { line, word } = endless(place);
  keys.type(line);
  const pump = await until('a pump', () => pumpOf(keys));
  expect(find('-f', word)).not.toBe('');
  end(keys);
  await until('the end of the pump', () => !existsSync(`/proc/${pump}`));
  await until('the end of the program', () => find('-f', word) === '');
});

test('An onlooker sees the modes and the title that a flood set, and the last MiB of it', async () => {
  const place = makePlace();
  const seen = path.join(place.work, 'seen');
  const keys = await open({ ...place, seen });
  keys.type('seq 1 400000; printf \'\\e]2;a title\\a\\e[?1049h\'; seq 1 900000; echo "<$?>"\r');
  await until('a pump', () => pumpOf(keys));
  await seeEnd(keys, /<0>\r\n\S*U# $/);
  await until('the end of the pump', () => pumpOf(keys) === '');
  const all = await until('all of it', () => {
    const bytes = readFileSync(seen, 'latin1');
    return /<0>\r\n\S*U# $/.test(bytes.slice(-50)) && bytes;
  });
  expect(all.length).toBeLessThan(keys.printed.length / 2); // the gate slept
  expect(all).toContain('\x1b]2;a title\x07\x1b[?1049h');
  expect(all.slice(-(1 << 20)) === keys.printed.slice(-(1 << 20))).toBe(true);
  keys.close();
});

test('A viewer sees every byte from the moment it begins to look, and much of the output before', async () => {
  const place = makePlace();
  const seen = path.join(place.work, 'seen');
  const keys = await open({ ...place, seen });
  keys.type('seq 1 900000; echo "<$?>"\r');
  await until('a pump', () => pumpOf(keys));
  await until('3 MB', () => keys.printed.length > 3e6);
  keys.stopReading();
  await pause(500); // the terminal is full and cannot show what the pump holds
  const before = keys.printed.length;
  process.kill(keys.pid, 'SIGUSR2');
  await until('its being recalled', () => readFileSync(place.log, 'utf8').includes('recalled'));
  keys.readOn();
  await seeEnd(keys, /<0>\r\n\S*U# $/);
  const all = await until('all of it', () => {
    const bytes = readFileSync(seen, 'latin1');
    return /<0>\r\n\S*U# $/.test(bytes.slice(-50)) && bytes;
  });
  const rest = keys.printed.slice(before - (1 << 19)); // the last MiB of what was read, which is more than what was printed
  expect(rest.length).toBeGreaterThan(2 << 20);
  expect(all.endsWith(rest)).toBe(true);
  expect(keys.printed.includes(numbers(1, 900_000))).toBe(true);
  expect(pumpOf(keys)).toBe('');
  keys.close();
});

test('An onlooker sees all of a small output at once', async () => {
  const place = makePlace();
  const seen = path.join(place.work, 'seen');
  const keys = await open({ ...place, seen });
  keys.type('seq 1 20000; echo "<$?>"\r');
  await seeEnd(keys, /<0>\r\n\S*U# $/);
  await until('all of it', () => readFileSync(seen, 'latin1').length >= keys.printed.length);
  expect(readFileSync(seen, 'latin1')).toBe(keys.printed);
  keys.close();
});

test('pump refuses to run when a user starts it', () => {
  const pump = programPath('pump');
  expect(() => execFileSync(pump, { stdio: ['ignore', 'ignore', 'pipe'] })).toThrow(/started by ape-shell only/);
});
