/** A draft that a crash left under the name of an earlier process with the same pid stops no later write. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeSystemPin } from '../../src/cli/approvers/system-pin.ts';
import { loadOrCreateServerKey } from '../../src/server/identity/server-key.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ape-drafts-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

it('of the key of a server', () => {
  writeFileSync(join(directory, `server-key.pem.${process.pid}`), 'half', { mode: 0o600 });
  expect(loadOrCreateServerKey(directory)).toMatchObject({ ok: true });
  expect(readdirSync(directory)).toHaveLength(2);
});

it('of the pin of root', () => {
  const path = join(directory, 'pin');
  writeFileSync(`${path}.${process.pid}.new`, 'half');
  expect(writeSystemPin({ ownerKey: 'x', list: null } as never, 'replace', path)).toBeNull();
  expect(existsSync(path)).toBe(true);
});

it('a pin that root cannot write either is not answered with the advice to be root', () => {
  const path = join(directory, 'pin');
  mkdirSync(path);
  expect(writeSystemPin({ ownerKey: 'x', list: null } as never, 'replace', path)).toEqual({
    code: 'system',
    message: `cannot write ${path} (EISDIR)`,
  });
});
