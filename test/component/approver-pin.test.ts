/** The pin that root puts on a host. Anything else in its place is an error that says how to correct it. */
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { readPin } from '../../src/grants/approver-pin.ts';

let place: string;
let keys: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'ape-pin-'));
  keys = join(place, 'keys');
  mkdirSync(keys, { mode: 0o700 });
});
afterAll(() => removeDirectory(place));

it('there is no pin if neither root nor the user has made one', () => {
  expect(readPin(keys, join(place, 'none'))).toEqual({ ok: true, value: null });
});

it('a symbolic link in place of the pin is an error that names the link and suggests no mode to set', () => {
  writeFileSync(join(place, 'elsewhere'), '{}');
  symlinkSync('elsewhere', join(place, 'link'));
  expect(readPin(keys, join(place, 'link'))).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining('(ELOOP)'), advice: expect.stringMatching(/symbolic link/) },
  });
});
