/** The list of login shells (shells(5)): a line counts as glibc reads it. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { addToList, isListed, removeFromList } from '../../src/cli/shell/list.ts';

const directory = mkdtempSync(join(tmpdir(), 'apes-shells-'));
afterAll(() => removeDirectory(directory));
const file = join(directory, 'shells');
const SHELL = '/opt/x/ape-shell';

it.each([SHELL, `  ${SHELL}`, `\t${SHELL} # ours`, `x${SHELL}#`])('names the shell in the line %j', (line) => {
  writeFileSync(file, `/bin/sh\n${line}\n`);
  expect(isListed(SHELL, file)).toEqual({ ok: true, value: true });
  expect(addToList(SHELL, file)).toEqual({ ok: true, value: false });
  expect(removeFromList(SHELL, file)).toEqual({ ok: true, value: true });
  expect(readFileSync(file, 'utf8')).toBe('/bin/sh\n');
});

it.each([`# ${SHELL}`, `${SHELL}2`, `/usr${SHELL}`, ''])('does not name it in the line %j', (line) => {
  writeFileSync(file, `${line}\n`);
  expect(isListed(SHELL, file)).toEqual({ ok: true, value: false });
  expect(removeFromList(SHELL, file)).toEqual({ ok: true, value: false });
});

it('keeps the bytes of other lines', () => {
  const others = Buffer.from('# caf\xe9\n/bin/sh\n', 'latin1');
  writeFileSync(file, others);
  expect(addToList('/opt/é/ape-shell', file)).toEqual({ ok: true, value: true });
  expect(readFileSync(file)).toEqual(Buffer.concat([others, Buffer.from('/opt/é/ape-shell\n')]));
  expect(isListed('/opt/é/ape-shell', file)).toEqual({ ok: true, value: true });
  expect(removeFromList('/opt/é/ape-shell', file)).toEqual({ ok: true, value: true });
  expect(readFileSync(file)).toEqual(others);
});
