/**
 * Says why a standing grant does not cover a command. The text is the end of a sentence that begins "grant g_…" or "the scope". Agents and
 * approvers read this sentence.
 */
import type { RequiredPermission } from '../effects/assess-line.ts';
import type { Resource } from '../effects/permission.ts';
import type { CommandScope } from './command-scope.ts';
import { leastLevel } from './conditions.ts';
import type { LineCoverage } from './cover-line.ts';
import type { Miss } from './covers-required.ts';
import { accessText, hoursText, inWords, operationsText, valuesText } from './scope-text.ts';

export const CODE_BESIDE =
  'one command of the line runs code, and this code would get the rights of all commands of the line; ask for each command by itself';

export function missText(miss: Miss, scope: CommandScope): string {
  switch (miss.kind) {
    case 'malformed':
      return 'has a scope that is malformed, and covers nothing';
    case 'condition':
      return conditionText(miss, scope);
    case 'critical':
      return 'covers no command of critical risk; such a command is approved exactly, each time';
    case 'code-beside':
      return `does not cover the command in this line: ${CODE_BESIDE}`;
    case 'danger':
      return `does not reach ${miss.resource.value}: it ${miss.danger}; such a command is approved exactly`;
    case 'operation':
      return `covers ${inWords([...new Set(scope.patterns.map(operationsText))], 'and')} only`;
    case 'risk':
      return `covers ${operationsText(miss.pattern.pattern)} up to ${miss.pattern.pattern.highestRisk} risk only`;
    case 'options':
      return `covers ${operationsText(miss.pattern.pattern)} without ${miss.option}`;
    case 'program':
      return `does not cover the program ${miss.program.realPath ?? miss.program.name}`;
    case 'unconfinable':
      return `covers ${operationsText(miss.pattern.pattern)} only if the kernel can confine the command, but the command ${miss.reason}`;
    case 'resource':
      return resourceMiss(miss.resource, miss.pattern.pattern.resources);
  }
}

/** Names variables without their values, because a value can be secret. */
function conditionText({ condition, variables }: Miss & { kind: 'condition' }, { conditions }: CommandScope): string {
  switch (condition) {
    case 'confinement':
      return `demands confinement level ${leastLevel(conditions)}, and this host does not reach it now (see \`apes health\`)`;
    case 'host':
      return `is for host ${conditions.host}`;
    case 'user':
      return `is for user ${conditions.user}`;
    case 'cwd':
      return `is for ${conditions.cwdBelow} and below`;
    case 'hours':
      return conditions.hours === null ? 'is for other hours' : `covers lines only ${hoursText(conditions.hours)}`;
    case 'environment':
      return `was given with other values of variables that change what programs do: ${variables.join(', ')}`;
  }
}

function resourceMiss(resource: Resource, patterns: CommandScope['patterns'][number]['resources']): string {
  const same = patterns.filter(({ kind, access }) => kind === resource.kind && access.includes(resource.access));
  const doing = accessText(resource.access);
  if (same.length === 0) return `does not cover ${doing} ${resourceText(resource)}`;
  const allowed = inWords([...new Set(same.map(({ kind, values }) => valuesText(kind, values)))], 'or');
  return `covers ${doing} ${allowed} only, not ${resourceText(resource)}`;
}

const resourceText = ({ kind, value, isExact }: Resource): string => {
  const text = isExact ? value : kind === 'path' ? `anything below ${value}` : `${value}…`;
  return kind === 'path' ? text : `${kind} ${text}`;
};

/**
 * Returns one line for each grant in `misses`: `git push is not covered: grant g_… covers reading git commands only`. Returns a single
 * line in two cases: `misses` is empty, or the command line needs no permission.
 */
export function uncoveredTexts({ required, misses }: LineCoverage & { kind: 'uncovered' }): readonly string[] {
  if (required === null) return ['no standing grant can cover this line: it needs no permission that a grant gives'];
  const what = requiredPermissionText(required);
  if (misses.length === 0) return [`${what} is not covered: there is no standing grant for it`];
  return misses.map(({ grantId, scope, miss }) => `${what} is not covered: grant ${grantId} ${missText(miss, scope)}`);
}

const requiredPermissionText = ({ permission, source }: RequiredPermission): string =>
  permission.tool === 'shell' ? source.slice(0, 80) : permission.operation;
