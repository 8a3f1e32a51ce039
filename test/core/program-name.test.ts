/** Which paths of a program mean the tool with the name of the program. */
import { expect, it } from 'vitest';
import { effectsOfLine } from './rule-effects.ts';

it.each(['/bin/ls', '/usr/bin/ls', '/usr/local/bin/ls', '/usr/sbin/ls', '/usr/local/sbin/ls', '/opt/homebrew/bin/ls'])(
  '%s in a system directory does',
  (path) => {
    expect(effectsOfLine(path)).toEqual(effectsOfLine('ls'));
  },
);

it.each(['/local/bin/ls', '/local/sbin/ls', '/usr/usr/bin/ls', '/tmp/bin/ls'])(
  '%s in another directory does not',
  (path) => {
    expect(effectsOfLine(path)).toMatchObject({ kind: 'opaque' });
  },
);
