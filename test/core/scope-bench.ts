/** Many grants and rules, as a busy installation has them. The same number always makes the same grant or rule. */
import type { CommandScope, DenyRule } from '../../src/core/scope/command-scope.ts';
import { APP, pattern, READ_APP, scope } from './scope-fixture.ts';

const TOOLS =
  'git log|git status|git diff|ls|cat|grep|head|npm test|git push|git commit|curl|rm|mkdir|docker ps|sort|wc'.split(
    '|',
  );

/** Makes a scope. One in 199 is for `APP`, to which the measured lines belong; each other scope is for a directory of its own. One in ten covers reading. */
export function scopeOfNumber(number: number): CommandScope {
  const directory = number % 199 === 0 ? APP : `/home/u/projects/p${number % 5_000}`;
  const operation = TOOLS[number % TOOLS.length] ?? 'ls';
  const operations = number % 10 === 0 ? { reading: true as const, tool: 'git' } : [operation];
  const resources = [{ ...READ_APP, values: { match: 'below' as const, value: directory } }];
  return scope([pattern({ operations, resources, options: number % 7 === 0 ? ['--all'] : 'any' })], {
    cwdBelow: number % 100 === 0 ? null : directory,
  });
}

const COMMANDS = 'git push|rm -rf|docker run|kubectl delete|npm publish|curl -X|terraform apply|ssh prod'.split('|');

/** Makes a rule. Half are by text, with and without stars in front; half are by operation, with and without a resource. */
export function ruleOfNumber(number: number): DenyRule {
  const rule = { id: `d_${number}`, requesterId: number % 3 === 0 ? 'r_1' : null, reason: 'not here' };
  const command = COMMANDS[number % COMMANDS.length] ?? 'rm';
  if (number % 4 === 0) return { ...rule, text: `${command} *production-${number}*`, pattern: null };
  if (number % 4 === 1) return { ...rule, text: `*server-${number}.example.com*`, pattern: null };
  if (number % 4 === 2)
    return {
      ...rule,
      text: null,
      pattern: { operations: [`tool-${number % 500} *`, `on host-${number}: *`], resources: [] },
    };
  const values = { match: 'below' as const, value: `/home/u/secret-${number}` };
  const operations = [TOOLS[number % TOOLS.length] ?? 'rm'];
  return {
    ...rule,
    text: null,
    pattern: { operations, resources: [{ kind: 'path', access: ['read', 'write', 'delete'], values }] },
  };
}
