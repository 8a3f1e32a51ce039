/** The build leaves the remarks out of the set-up text: the text stays the same program, with the same line numbers. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { withoutRemarks } from '../../scripts/without-remarks.mjs';
import { COMPLETION_TEXT, SETUP_TEXT } from '../fixtures/texts-for-bash.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'ape-remarks-'));
afterAll(() => removeDirectory(directory));

/** Returns the text as bash has parsed it, without remarks. */
function parsed(text: string): string {
  const file = path.join(directory, 'text.bash');
  writeFileSync(file, text);
  return execFileSync('bash', ['--pretty-print', '-O', 'extglob', file], { encoding: 'utf8' });
}

describe('a bash text without remarks', () => {
  it.each([
    ['setup.bash', SETUP_TEXT],
    ['completion.bash', COMPLETION_TEXT],
  ])('is the same program: %s', (_name, text) => {
    const short = withoutRemarks(text);
    expect(short.length).toBeLessThan(text.length * 0.9);
    expect(short.split('\n')).toHaveLength(text.split('\n').length);
    expect(parsed(short)).toBe(parsed(text));
  });

  it('is another program if a line of a text in quotes begins with #; the test above finds this', () => {
    const text = "echo 'a\n# b\nc'\n";
    expect(parsed(withoutRemarks(text))).not.toBe(parsed(text));
  });
});
