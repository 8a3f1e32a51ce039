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

it.each([
  '/home/u/bin/python3.11',
  '/home/u/bin/lua5.4',
  '/home/u/bin/bash-5.2',
  '/home/u/bin/Python',
  '/home/u/bin/gdb',
])(
  'an interpreter with the path %s is opaque with and without a version in its name: its arguments are commands',
  (path) => {
    expect(effectsOfLine(`${path} x`)).toMatchObject({ kind: 'opaque' });
  },
);

it.each(['/home/u/bin/tool2', '/home/u/bin/at-home', '/home/u/bin/make-release'])(
  '%s is a program of its own',
  (path) => {
    expect(effectsOfLine(`${path} x`)).not.toMatchObject({ kind: 'opaque' });
  },
);
