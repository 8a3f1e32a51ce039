/** Links in /proc that have another target for each process. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { processLinkOn } from '../../src/gate/facts/process-links.ts';
import { resolveTarget } from '../../src/gate/facts/real-path.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ape-process-links-'));
  symlinkSync('/proc/self', join(directory, 'me'));
  symlinkSync('me/cwd', join(directory, 'here'));
  symlinkSync('here/..', join(directory, 'above'));
  symlinkSync('round', join(directory, 'round'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it.each([
  ['/proc/self/cwd/../x', '/proc/self/cwd'],
  ['/proc/thread-self/root/etc', '/proc/thread-self/root'],
  ['/proc/1/fd/3', '/proc/1/fd'],
  ['/proc/self/task/7/cwd', '/proc/self/task'],
  ['/dev/fd/3', '/proc/self/fd'],
  ['/dev/stdin', '/proc/self/fd'],
  ['/dev/../proc/./self//exe', '/proc/self/exe'],
  ['@/here/x', '/proc/self/cwd'],
  ['@/above', '/proc/self/cwd'],
  ['@/me/fd/0', '/proc/self/fd'],
])('%s leads through %s', (path, link) => {
  const absolute = path.replace('@', directory);
  expect(processLinkOn(absolute)).toBe(link);
  expect(resolveTarget(absolute)).toBe(link);
});

it.each([
  '/etc/hostname',
  '/proc/self/status',
  '/proc/cpuinfo',
  '/proc',
  '/',
  '@/round',
  '@/missing/cwd',
  '/proc/self/../x',
])('%s leads through no such link', (path) => {
  expect(processLinkOn(path.replace('@', directory))).toBeNull();
});
