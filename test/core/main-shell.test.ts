/** A redirection that a session's own bash opens is not confined, so its path must be known, and nothing in the line may change where it leads. */

import { parse } from 'unbash';
import { expect, it } from 'vitest';
import { assessRequest, commandsOfRequest } from '../../src/core/effects/assess-request.ts';
import { allRules } from './rule-effects.ts';
import { assess, lookupsIn, requestOf, world } from './scope-fixture.ts';

const opaqueIn = (kind: 'line' | 'command', text: string): readonly string[] => {
  const argv = kind === 'line' ? [] : ['-c', text];
  const request = { ...requestOf(text), kind, argv };
  const { opaque } = assessRequest(request, commandsOfRequest(request, parse), 'agrees', {
    rules: allRules,
    lookups: lookupsIn(world),
  });
  return opaque.map(({ reason, advice }) => `${reason}; ${advice}`);
};
const ADVICE = 'write the file in a separate line, with a command that names its full path: printf … | tee FILE';
const UNKNOWN = `makes the session itself open a file whose name is only known at run time; ${ADVICE}`;
const BESIDE_STATE =
  'makes the session itself open a file, beside a command that changes the directory or variables of the session';
const LED = `makes the session itself open a file, beside a program that writes files; ${ADVICE}`;

it.each([
  'echo x > *.txt',
  'echo x >> src/?',
  'printf x > ~/notes',
  '{ ls; } > a*',
  'echo x | echo y > b*',
  'echo < a*',
  'echo "$(< a*)"', // bash itself reads this file
])('a redirection to a name that is not literal is opaque in a session: %s', (text) => {
  expect(opaqueIn('line', text)).toContain(UNKNOWN);
  expect(opaqueIn('command', text)).not.toContain(UNKNOWN);
});

it.each([
  'ln -s /etc d && echo x > d/y',
  'npm test; echo x > out',
  '{ ln -s /etc d; } > out',
  'make && echo x >> out',
  'ln -s /etc d; echo "$(< d/y)"',
])(
  'a redirection to a name that another program of the line may replace by a link is opaque in a session: %s',
  (text) => {
    expect(opaqueIn('line', text)).toContain(LED);
    expect(opaqueIn('command', text)).not.toContain(LED);
  },
);

it.each([
  ...['cd d && echo x > y', 'cd d; { ls; } < y', 'x=1; echo x > y', 'read -r x < y', 'if cd d; then echo x > y; fi'],
  ...['umask 77; printf x >> y', 'pushd d && echo x > y', 'for i in 1; do cd d; echo x > y; done'],
  ...['x=$(< y)', 'cd d && echo "$(< y)"'],
])('a redirection beside a command that changes the shell is opaque in a session: %s', (text) => {
  expect(opaqueIn('line', text).some((each) => each.startsWith(BESIDE_STATE))).toBe(true);
  expect(opaqueIn('command', text).some((each) => each.startsWith(BESIDE_STATE))).toBe(false);
});

it.each([
  'echo x > out',
  'cd d && ls > out',
  'cd d && (echo x > y)',
  'echo x > out; git log',
  'ls > a*', // the shell opens nothing itself: its confined fork does
  'ln -s a b > out',
  '(ln -s /etc d; echo x > d/y)',
  'echo x > d/y &',
  '(ln -s /etc d; echo "$(< d/y)")',
  'x=$(cat < y)',
  'echo x 2>&1',
  'npm test; echo x > /dev/null',
  'cat <<E\nx\nE',
])('a redirection that a fork opens, or whose path is known, is not opaque in a session: %s', (text) => {
  expect(assess(text).opaque.length).toBe(opaqueIn('line', text).length);
});
