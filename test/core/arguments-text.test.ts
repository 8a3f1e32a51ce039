/** The arguments of bash, in which `…` replaces the command, and no other word. */
import { expect, it } from 'vitest';
import { readInvocation } from '../../src/core/grant/invocation.ts';
import { argumentsText } from '../../src/core/text/arguments-text.ts';

it.each([
  ['-c x', null],
  ['-c x x', '-c … x'],
  ['-ec x', '-ec …'],
  ['-o pipefail -c pipefail', '-o pipefail -c …'],
  ['-co pipefail pipefail pipefail', '-co pipefail … pipefail'],
  ['-oO posix extglob -c posix', '-oO posix extglob -c …'],
  ['--login -c -- --login', '--login -c -- …'],
  ['+e -c - x', '+e -c - …'],
])('bash %s', (line, shown) => {
  const argv = line.split(' ');
  const read = readInvocation(['bash', ...argv]);
  if (!read.ok || read.value.kind !== 'command') throw new Error(line);
  expect(argumentsText({ kind: 'command', argv, text: read.value.text })).toBe(shown);
});
