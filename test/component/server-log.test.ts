/** The log of a server stays short, even if the server runs for months. */
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { MAX_LOG_BYTES, openServerLog } from '../../src/cli/server/log.ts';

it('the log stays below its limit, with one older file beside it, and no line is missing in these two files', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ape-log-'));
  const file = join(directory, 'server.log');
  const descriptor = openSync(file, 'a', 0o600);
  const log = await openServerLog({ level: 'info', isTerminal: false, descriptor, file });
  const text = 'x'.repeat(64 * 1024);
  const lines = Math.ceil((MAX_LOG_BYTES / text.length) * 2.5);
  for (let number = 0; number < lines; number += 1) log.info({ number }, text);
  const parts = [`${file}.1`, file];
  for (const part of parts) {
    expect(statSync(part).size).toBeLessThan(MAX_LOG_BYTES + 2 * text.length);
    expect(statSync(part).mode & 0o777).toBe(0o600);
  }
  const numbers = parts.flatMap((part) =>
    readFileSync(part, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { number: number }).number),
  );
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => lines - numbers.length + index));
  expect(numbers.length).toBeGreaterThan(lines / 2);
  closeSync(descriptor);
  removeDirectory(directory);
});

it('a log that is redirected away from its file is left unchanged', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ape-log-'));
  const descriptor = openSync(join(directory, 'elsewhere'), 'a', 0o600);
  const log = await openServerLog({
    level: 'info',
    isTerminal: false,
    descriptor,
    file: join(directory, 'server.log'),
  });
  for (let number = 0; number < 200; number += 1) log.info('y'.repeat(64 * 1024));
  expect(statSync(join(directory, 'elsewhere')).size).toBeGreaterThan(MAX_LOG_BYTES);
  expect(existsSync(join(directory, 'server.log.1'))).toBe(false);
  closeSync(descriptor);
  removeDirectory(directory);
});
