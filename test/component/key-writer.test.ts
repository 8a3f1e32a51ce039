/** Keys that wait because the terminal is full, and keys that are held back: a real descriptor whose kernel buffer fills up. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { KeyWriter } from '../../src/pty/key-writer.ts';

const LATER_MS = 1_000;
const PASTE = Buffer.alloc(1 << 18, 'k');

let directory: string;
let pipe: number;
let writer: KeyWriter;
beforeEach(() => {
  vi.useFakeTimers();
  directory = mkdtempSync(join(tmpdir(), 'ape-keys-'));
  const name = join(directory, 'pipe');
  execFileSync('mkfifo', [name]);
  pipe = openSync(name, constants.O_RDWR | constants.O_NONBLOCK);
  writer = new KeyWriter(pipe);
});
afterEach(() => {
  writer.close();
  vi.useRealTimers();
  closeSync(pipe);
  removeDirectory(directory);
});

/** Reads all that is in the pipe now. Returns the number of bytes. */
function drained(): number {
  const chunk = Buffer.alloc(1 << 16);
  let bytes = 0;
  try {
    for (;;) bytes += readSync(pipe, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
  return bytes;
}

it('the writer writes the rest of a paste when the program reads again, and reports free room once', () => {
  const onRoom = vi.fn();
  expect(writer.write(PASTE, onRoom)).toBe(false);
  let bytes = 0;
  for (let round = 0; round < 20; round++) {
    bytes += drained();
    vi.advanceTimersByTime(LATER_MS);
  }
  expect(bytes).toBe(PASTE.length);
  expect(onRoom).toHaveBeenCalledTimes(1);
});

it('the writer keeps held keys back until they are released, also the rest of a paste that has begun', () => {
  writer.write(PASTE, () => undefined);
  expect(drained()).toBeGreaterThan(0);
  writer.hold();
  vi.advanceTimersByTime(LATER_MS);
  writer.write(Buffer.from('x'), () => undefined);
  expect(drained()).toBe(0);
  writer.release();
  expect(drained()).toBeGreaterThan(0);
});

it('the writer reports free room once when it is closed', () => {
  const onRoom = vi.fn();
  expect(writer.write(PASTE, onRoom)).toBe(false);
  writer.close();
  writer.close();
  expect(onRoom).toHaveBeenCalledTimes(1);
  expect(writer.write(PASTE, onRoom)).toBe(true);
});

describe('after a failed write', () => {
  let reader: number;
  let end: number;
  beforeEach(() => {
    const name = join(directory, 'broken');
    execFileSync('mkfifo', [name]);
    reader = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    end = openSync(name, constants.O_WRONLY | constants.O_NONBLOCK);
  });
  afterEach(() => closeSync(end));

  it('the writer has room, and does not ask its caller to wait', () => {
    closeSync(reader);
    const onRoom = vi.fn();
    expect(new KeyWriter(end).write(PASTE, onRoom)).toBe(true);
    expect(onRoom).not.toHaveBeenCalled();
  });

  it('the writer reports free room once to a caller that waits', () => {
    const onRoom = vi.fn();
    expect(new KeyWriter(end).write(PASTE, onRoom)).toBe(false);
    closeSync(reader);
    vi.advanceTimersByTime(LATER_MS);
    expect(onRoom).toHaveBeenCalledTimes(1);
  });
});
