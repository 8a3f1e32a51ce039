/** Only one of many processes takes the lock, also if a process that has ended left the lock. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lockHolder, takeLock } from '../../src/platform/lock-file.ts';
import { bundleWorker, type Workers } from '../contract/worker.ts';

const directory = mkdtempSync(join(tmpdir(), 'ape-lock-'));
const path = join(directory, 'a.lock');
const others = mkdtempSync(join(tmpdir(), 'ape-lock-log-'));
let workers: Workers;
beforeAll(() => {
  workers = bundleWorker(fileURLToPath(new URL('cli-lock-worker.ts', import.meta.url)));
});
afterAll(() => {
  workers.remove();
  for (const each of [directory, others]) rmSync(each, { recursive: true });
});

it('exactly one of ten processes takes the lock each time, although each holder is killed while it holds the lock', async () => {
  for (let round = 0; round < 4; round++) {
    const log = join(others, String(round));
    const outcomes = await workers.run(Array.from({ length: 10 }, () => [path, 'main/apes.cjs', log, '10']));
    expect(outcomes.toSorted()).toEqual([...Array.from({ length: 9 }, () => 'held'), 'taken']);
    expect(existsSync(path)).toBe(true);
  }
  expect(readdirSync(directory)).toEqual(['a.lock']);
});

it('a process that stops while it breaks a stale lock loses the lock to no other process', () => {
  const stale = join(directory, 'stopped.lock');
  writeFileSync(stale, '999999999\n');
  let outcome = '';
  let looks = 0;
  const lock = takeLock(stale, (pid) => {
    looks += 1;
    // During the second look, the `.break` file exists. Here it becomes an old file.
    if (looks === 2) {
      utimesSync(`${stale}.break`, 0, 0);
      const words = [workers.script, stale, 'main/apes.cjs', join(others, 'stopped'), '1'];
      outcome = spawnSync(process.execPath, words, { input: '', encoding: 'utf8' }).stdout;
    }
    return pid !== 999999999;
  });
  expect([lock.kind, outcome]).toEqual(['taken', 'ready\nheld']);
  if (lock.kind === 'taken') lock.release();
});

it('the `.break` file and the claim of a killed process stop no other process, and disappear', async () => {
  const stale = join(directory, 'left.lock');
  for (let round = 0; round < 3; round++) {
    for (const each of [stale, `${stale}.break`, `${stale}.break.999999999.ab`]) writeFileSync(each, '999999999\n');
    const args = [stale, 'main/apes.cjs', join(others, `left-${round}`), '8'];
    const outcomes = await workers.run(Array.from({ length: 8 }, () => args));
    expect(outcomes.filter((kind) => kind === 'taken').length).toBeLessThan(2);
    // Two processes at once may both give up. Then the next one takes the lock.
    const lock = takeLock(stale);
    expect(lock.kind).toBe('taken');
    if (lock.kind === 'taken') lock.release();
    expect(readdirSync(directory).filter((name) => name.startsWith('left'))).toEqual([]);
  }
});

it('a lock does not count if its pid is not a number, or belongs to another program by now', () => {
  const stranger = spawn('sleep', ['30']);
  for (const text of [`${stranger.pid}\n`, '999999999\n', 'x', '', '-1', '0']) {
    writeFileSync(path, text);
    expect(lockHolder(path)).toBeNull();
    const lock = takeLock(path);
    expect(lock.kind).toBe('taken');
    if (lock.kind === 'taken') lock.release();
    expect(existsSync(path)).toBe(false);
  }
  stranger.kill();
});

it('a lock with our own process id is stale if this process did not take it: a killed process had this id before', () => {
  writeFileSync(path, `${process.pid}\n`);
  expect(lockHolder(path)).toBeNull();
  const lock = takeLock(path);
  expect(lock.kind).toBe('taken');
  expect(lockHolder(path)).toBe(process.pid);
  if (lock.kind === 'taken') lock.release();
  expect(existsSync(path)).toBe(false);
});

it('an attempt names the process that holds the lock, and a process releases only its own lock', () => {
  const lock = takeLock(path);
  expect(takeLock(path)).toEqual({ kind: 'held', pid: process.pid });
  writeFileSync(path, '1\n');
  if (lock.kind === 'taken') lock.release();
  expect(readFileSync(path, 'utf8')).toBe('1\n');
});

it('a place that cannot be written is a failure that names the file', () => {
  const lock = takeLock(join(directory, 'none', 'b.lock'));
  expect(lock).toMatchObject({ kind: 'failed', failure: { code: 'system' } });
});
