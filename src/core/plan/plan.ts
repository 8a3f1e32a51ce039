/** A plan lists the lines, or the kinds of lines, that a requester wants to run. A human decides about the whole plan. */

import type { ExecutionRequest } from '../grant/request.ts';
import { formatDuration } from '../text/duration.ts';
import { boundBy, knownValue } from '../variables/bound-variables.ts';
import type { Plan, PlanPart } from '../wire/plan.ts';

/**
 * Returns the request that `ape-shell -c TEXT` would make in the directory of the part. An exact part has the fingerprint of this request.
 * The first parameter is the request of the plan, with the variables of all parts.
 */
export function partRequest({ host, user, environment }: ExecutionRequest, { text, cwd }: PlanPart): ExecutionRequest {
  const entries = new Map(environment.map((entry) => [entry.name, entry]));
  const isBound = boundBy(['-c', text], false, (name) => knownValue(entries.get(name)));
  return {
    kind: 'command',
    text,
    argv: ['-c', text],
    cwd,
    host,
    user,
    environment: environment.filter(({ name, value, digest }) => isBound(name, digest === true ? null : value)),
  };
}

/**
 * Returns the plan as one text. The server refuses a plan request whose `text` differs from this text.
 * @param cwd the directory of the request. The text names the directory of a part only if that directory differs from `cwd`
 */
export function planText({ order, parts }: Plan, cwd: string): string {
  const head = `plan of ${parts.length} ${parts.length === 1 ? 'part' : 'parts'}${order ? ', in this order' : ''}`;
  return [head, ...parts.map((part, at) => `${at + 1}. ${partText(part, cwd)}`)].join('\n');
}

function partText({ text, cwd, as, uses, paths = [] }: PlanPart, usual: string): string {
  const place = cwd === usual ? '' : `, in ${cwd}`;
  const reach = as === 'exact' ? '' : `, and what is like it (${as})`;
  const below = paths.length === 0 ? '' : ` below ${paths.join(', ')}`;
  return `${text}${place}${reach}${below}${uses === 1 ? '' : `, up to ${uses} times`}`;
}

/** Returns for example `for 2 h from the approval` or `until 2030-01-31T18:00:00.000Z`. */
export const endText = ({ end }: Pick<Plan, 'end'>): string =>
  'forMs' in end
    ? `for ${formatDuration(end.forMs)} from the approval`
    : `until ${new Date(end.untilMs).toISOString()}`;

/** Returns the array for `canonicalRequest`. The position of each value is fixed. */
export const canonicalPlan = ({ order, end, parts }: Plan): unknown => [
  order ? 1 : 0,
  'forMs' in end ? ['for', end.forMs] : ['until', end.untilMs],
  parts.map(({ text, cwd, as, uses, paths = [] }) => [text, cwd, as, uses, paths]),
];
