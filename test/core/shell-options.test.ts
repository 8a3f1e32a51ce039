/** Options of a session's bash that change what a line means: such a line can be approved only by its exact bytes. */
import { parse } from 'unbash';
import { expect, it } from 'vitest';
import { assessRequest, commandsOfRequest } from '../../src/core/effects/assess-request.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
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
  [`${SHELLOPTS}:keyword`, BASHOPTS, '-s keyword'],
  [`${SHELLOPTS}:onecmd`, BASHOPTS, '-s onecmd'],
  [SHELLOPTS, `${BASHOPTS}:cdspell`, '-s cdspell'],
  [SHELLOPTS, `cdable_vars:${BASHOPTS}`, '-s cdable_vars'],
  [SHELLOPTS, `${BASHOPTS}:lastpipe`, '-s lastpipe'],
  [SHELLOPTS, `${BASHOPTS}:compat44`, '-s compat44'],
  [SHELLOPTS, BASHOPTS.replace('interactive_comments:', ''), '-u interactive_comments'],
  [SHELLOPTS, BASHOPTS.replace('extquote:', ''), '-u extquote'],
  [SHELLOPTS, '', '-u interactive_comments, -u extquote'],
])(
  'with SHELLOPTS %s and BASHOPTS %s, the line can be approved only by its exact bytes',
  (shellopts, bashopts, options) => {
    expect(reasonsFor(shellopts, bashopts)).toEqual([text(options)]);
  },
);
