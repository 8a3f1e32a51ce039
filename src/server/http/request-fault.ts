/** Checks the bodies of calls for faults that a schema cannot express. Each check returns the fault, or null. */

import {
  canonicalHostFacts,
  type HostFacts,
  hostFactsFault as insideFault,
  MAX_HOST_FACTS_SIZE,
} from '../../core/effects/host-facts.ts';
import { type Fault, fault } from '../../core/fault.ts';
import { operationFault } from '../../core/files/file-operation.ts';
import type { ExecutionRequest } from '../../core/grant/request.ts';
import type { Impact } from '../../core/impact/impact.ts';
import { planText } from '../../core/plan/plan.ts';
import { fetchesFault } from '../../core/tools/fetch.ts';
import { mcpCallFault } from '../../core/tools/mcp-call.ts';
import { webOrigin } from '../../platform/web-origin.ts';

/** Returns the fault of a text, or null. UTF-8 cannot encode half of a surrogate pair. An undefined text has no fault. */
export function textFault(text: string | undefined): Fault | null {
  if (text === undefined) return null;
  if (text.includes('\0')) return fault('text must not contain NUL');
  return /\p{Surrogate}/u.test(text) ? fault('text must be valid Unicode') : null;
}

/** Returns the first fault of the texts, or null. */
export const textsFault = (texts: readonly (string | undefined)[]): Fault | null =>
  texts.map(textFault).find((each) => each !== null) ?? null;

/** Returns the fault of a name that a person gives, or null. */
export const nameFault = (name: string, named: 'person' | 'device' | 'code'): Fault | null =>
  name.trim() === '' ? fault(`give the ${named} a name`) : textFault(name);

/**
 * Returns the fault of a request, or null. A request must have the host and the user of the requester's enrolment.
 * @param isPlan whether the request is filed as a plan
 */
export function requestFault(
  request: ExecutionRequest,
  enrolled: { readonly host: string; readonly user: string },
  isPlan = false,
): Fault | null {
  if (request.host !== enrolled.host)
    return fault(`this requester is enrolled for the host ${JSON.stringify(enrolled.host)}`);
  if (request.user !== enrolled.user)
    return fault(`this requester is enrolled for the user ${JSON.stringify(enrolled.user)}`);
  const names = request.environment.map((entry) => entry.name);
  if (names.some((name, index) => index > 0 && name <= (names[index - 1] ?? '')))
    return fault('the environment must be sorted by name, each name once');
  const wrong =
    filesFault(request) ?? mcpCallFault(request) ?? fetchesFault(request, webOrigin) ?? planFault(request, isPlan);
  if (wrong !== null) return wrong;
  const values = request.environment.map((entry) => entry.value);
  return textsFault([
    request.text,
    request.cwd,
    ...request.argv,
    ...names,
    ...values,
    ...pathsOf(request),
    ...namesOf(request),
  ]);
}

/** Returns the fault of host facts, or null. If the facts are too large, the client has to send its request without facts. */
export function hostFactsRequestFault(hostFacts: HostFacts | null): Fault | null {
  if (hostFacts === null) return null;
  if (canonicalHostFacts(hostFacts).length > MAX_HOST_FACTS_SIZE)
    return fault(`the findings are larger than ${MAX_HOST_FACTS_SIZE / 1024} KiB; send null`);
  const inside = insideFault(hostFacts);
  return inside === null ? null : fault(`the findings hold ${inside.message}`);
}

/** The largest size of a preview as JSON, in characters. */
const MAX_IMPACT_SIZE = 64 * 1024;

/** Returns the fault of an impact preview, or null. */
export function impactFault(impact: readonly Impact[] | null): Fault | null {
  if (impact === null) return null;
  const text = JSON.stringify(impact);
  if (text.length > MAX_IMPACT_SIZE)
    return fault(`the impact preview "touches" is larger than ${MAX_IMPACT_SIZE / 1024} KiB; send null instead`);
  return textsFault(impact.flatMap(({ what, items, note }) => [what, note ?? '', ...items]));
}

/**
 * A request of kind `file` must have file operations, and must not have an argv or an environment. A request of kind `mcp` may have file
 * operations. Other requests must not have file operations.
 */
function filesFault({ kind, files, argv, environment }: ExecutionRequest): Fault | null {
  if (kind === 'mcp' && files !== undefined) return files.map(operationFault).find((fault) => fault !== null) ?? null;
  if (kind !== 'file') return files === undefined ? null : fault(`a request of kind ${kind} must not have files`);
  if (files === undefined) return fault('a request of kind file must name its files');
  if (argv.length > 0 || environment.length > 0)
    return fault('a request of kind file must not have an argv or an environment');
  return files.map(operationFault).find((fault) => fault !== null) ?? null;
}

/** Only `POST /v1/plans` takes plans. People read the text of a plan, so the text must match the parts (`planText`). */
function planFault({ kind, plan, text, argv, cwd }: ExecutionRequest, isPlan: boolean): Fault | null {
  if (!isPlan)
    return kind === 'plan' || plan !== undefined
      ? fault('this call takes no plan; send a plan with POST /v1/plans')
      : null;
  if (kind !== 'plan' || plan === undefined) return fault('this is no plan');
  if (argv.length > 0) return fault('a plan has no argv');
  return text === planText(plan, cwd)
    ? null
    : fault('the text of the plan does not match its parts; send the text that its parts make');
}

const namesOf = ({ mcp, fetches = [], plan }: ExecutionRequest): readonly string[] => [
  ...(mcp === undefined ? [] : [mcp.server, mcp.tool, mcp.arguments, ...mcp.files.map(({ path }) => path)]),
  ...fetches.map(({ url }) => url),
  ...(plan?.parts ?? []).flatMap(({ text, cwd, paths = [] }) => [text, cwd, ...paths]),
];

const pathsOf = ({ files = [] }: ExecutionRequest): readonly string[] =>
  files.flatMap(({ path, askedPath }) => [path, askedPath]);
