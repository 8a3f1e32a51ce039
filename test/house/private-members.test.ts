/** A private member of a class is private for the running program too: it is written `#name`, not `private name`. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const SRC = path.resolve(import.meta.dirname, '../../src');
const ONLY_FOR_THE_COMPILER = /^\s*(?:(?:static|readonly|async) )*private (?:(?:static|readonly|async) )*\w/m;

it('no member is private for the compiler alone', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(900);
  const found = files.filter((name) => ONLY_FOR_THE_COMPILER.test(readFileSync(path.join(SRC, name), 'utf8')));
  expect(found).toEqual([]);
});

it('the check finds such a member', () => {
  const members = ['  private readonly store: Store;', '  private async check(): Promise<void> {', '  #store: Store;'];
  expect(members.map((member) => ONLY_FOR_THE_COMPILER.test(member))).toEqual([true, true, false]);
});
