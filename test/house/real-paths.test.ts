/**
 * A real path comes from the kernel (`realpathSync.native`) or from `walkPath`. `realpathSync` of Node.js drops `x/..` by the text before it
 * looks whether x is a link, also in the target of a link.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const SRC = path.resolve(import.meta.dirname, '../../src');
const BY_THE_TEXT = /\brealpath(?:Sync)?\(|\bresolve\([^)]*readlink/;

it('no file of src takes a real path from Node.js by the text', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.[jt]s$/.test(name));
  expect(files.length).toBeGreaterThan(900);
  const found = files.filter((name) => BY_THE_TEXT.test(readFileSync(path.join(SRC, name), 'utf8')));
  expect(found).toEqual([]);
});

it('the check finds such a call', () => {
  const calls = ['realpathSync(file)', 'resolve(at, readlinkSync(next))', 'realpathSync.native(file)'];
  expect(calls.map((call) => BY_THE_TEXT.test(call))).toEqual([true, true, false]);
});
