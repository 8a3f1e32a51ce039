/** Assesses a line with the rule files of the project and with lookups on this host. */
import { parse } from 'unbash';
import type { Assessment } from '../../src/core/effects/assess-line.ts';
import { assessRequest, commandsOfRequest } from '../../src/core/effects/assess-request.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import { lookupsOf } from '../../src/gate/facts/look-up.ts';
import { allRules } from '../core/rule-effects.ts';

/** @param home the value of `HOME`; PATH is that of the tests */
export function assessOnHost(line: string, cwd: string, home: string): Assessment {
  const entries = new Map([
    ['HOME', home],
    ['PATH', process.env['PATH'] ?? ''],
  ]);
  const request: ExecutionRequest = {
    kind: 'command',
    text: line,
    argv: ['-c', line],
    cwd,
    host: 'h',
    user: 'u',
    environment: [],
  };
  return assessRequest(request, commandsOfRequest(request, parse), 'agrees', {
    rules: allRules,
    lookups: lookupsOf({ cwd, entries }),
  });
}
