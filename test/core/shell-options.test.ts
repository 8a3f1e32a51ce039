/** Options of a session's bash that change what a line means: such a line can be approved only by its exact bytes. */
import { execFileSync } from 'node:child_process';
import { parse } from 'unbash';
import { expect, it } from 'vitest';
import { assessRequest, commandsOfRequest } from '../../src/core/effects/assess-request.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import { changedOptions } from '../../src/core/variables/shell-options.ts';
import { allRules } from './rule-effects.ts';
import { lookupsIn, requestOf, world } from './scope-fixture.ts';

/** The options as bash 5.2 reports them in an interactive shell. */
const SHELLOPTS = 'braceexpand:emacs:hashall:histexpand:history:interactive-comments:monitor';
const BASHOPTS =
  'checkwinsize:cmdhist:complete_fullquote:expand_aliases:extquote:force_fignore:globasciiranges:globskipdots:hostcomplete:interactive_comments:patsub_replacement:progcomp:promptvars:sourcepath';

function reasonsFor(shellopts: string, bashopts: string, kind: ExecutionRequest['kind'] = 'line'): readonly string[] {
  const bound = [
    { name: 'BASHOPTS', value: bashopts },
    { name: 'SHELLOPTS', value: shellopts },
  ];
  const before = requestOf('ls');
  const environment = [...before.environment, ...(kind === 'line' ? bound : [])];
  const request = { ...before, kind, argv: kind === 'line' ? [] : ['-c', 'ls'], environment };
  const { opaque } = assessRequest(request, commandsOfRequest(request, parse), 'agrees', {
    rules: allRules,
    lookups: lookupsIn(world),
  });
  return opaque.map(({ reason }) => reason);
}

const text = (options: string): string => `is read by a bash with other options than usual (${options})`;

it('the default options, and options that only change how the shell behaves, give no reason', () => {
  expect(reasonsFor(SHELLOPTS, BASHOPTS)).toEqual([]);
  expect(reasonsFor(`${SHELLOPTS}:noclobber:pipefail:vi`, `${BASHOPTS}:histappend:autocd:globstar`)).toEqual([]);
});

it.each([
  [`${SHELLOPTS}:keyword`, BASHOPTS, '-o keyword'],
  [`${SHELLOPTS}:onecmd`, BASHOPTS, '-o onecmd'],
  [`${SHELLOPTS}:posix`, BASHOPTS, '-o posix'],
  [`${SHELLOPTS}:noglob:physical`, BASHOPTS, '-o noglob, -o physical'],
  [SHELLOPTS.replace('braceexpand:', ''), BASHOPTS, '+o braceexpand'],
  [SHELLOPTS.replace('interactive-comments:', ''), BASHOPTS, '+o interactive-comments'],
  [SHELLOPTS, `${BASHOPTS}:cdspell`, '-s cdspell'],
  [SHELLOPTS, `cdable_vars:${BASHOPTS}`, '-s cdable_vars'],
  [SHELLOPTS, `${BASHOPTS}:lastpipe`, '-s lastpipe'],
  [SHELLOPTS, `${BASHOPTS}:nullglob`, '-s nullglob'],
  [SHELLOPTS, `${BASHOPTS}:xpg_echo`, '-s xpg_echo'],
  [SHELLOPTS, `${BASHOPTS}:compat44`, '-s compat44'],
  [SHELLOPTS, `${BASHOPTS}:option_of_bash_9`, '-s option_of_bash_9'],
  [SHELLOPTS, BASHOPTS.replace('interactive_comments:', ''), '-u interactive_comments'],
  [SHELLOPTS, BASHOPTS.replace('extquote:', ''), '-u extquote'],
  [SHELLOPTS, BASHOPTS.replace(':sourcepath', ''), '-u sourcepath'],
  [SHELLOPTS, '', '-u expand_aliases, -u extquote, -u interactive_comments, -u sourcepath'],
])(
  'with SHELLOPTS %s and BASHOPTS %s, the line can be approved only by its exact bytes',
  (shellopts, bashopts, options) => {
    expect(reasonsFor(shellopts, bashopts)).toEqual([text(options)]);
  },
);

it('the options of an interactive bash of this host as it starts give no reason', () => {
  const print = 'printf "%s\\n" "$SHELLOPTS" "$BASHOPTS"';
  const [shellopts = '', bashopts = ''] = execFileSync('bash', ['--norc', '-ic', print], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'ignore'],
  }).split('\n');
  expect(bashopts).toContain('expand_aliases');
  expect(reasonsFor(shellopts, bashopts)).toEqual([]);
});

it('every option of this bash is one whose effect was looked up, in its default state or the other one', () => {
  const changed = (name: 'SHELLOPTS' | 'BASHOPTS', list: readonly string[]) =>
    changedOptions([{ name, value: list.join(':') }])?.split(', ') ?? [];
  const optionsBy = (command: string) =>
    execFileSync('bash', ['-c', command], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/)[0] ?? '');
  // Options that differ in every state: with them a line may mean something else.
  expect(changed('SHELLOPTS', optionsBy('set -o'))).toEqual(
    ['allexport', 'keyword', 'noexec', 'noglob', 'onecmd', 'physical', 'posix', 'privileged'].map((one) => `-o ${one}`),
  );
  const differ = changed('BASHOPTS', optionsBy('shopt')).filter((one) => !/ compat/.test(one));
  const known = 'array_expand_once assoc_expand_once cdable_vars cdspell checkhash extdebug lastpipe localvar_inherit';
  const all = `${known} localvar_unset noexpand_translation nullglob xpg_echo`.split(' ').map((one) => `-s ${one}`);
  expect(all).toEqual(expect.arrayContaining(differ));
});
