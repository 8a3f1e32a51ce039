/** Decides which requests can be approved together. The server and the inbox use the same rule. */
import type { ShownRisk } from '../effects/shown-risk.ts';
import { oddEntries } from '../variables/usual-variables.ts';
import type { ExecutionRequest } from './request.ts';

/** The most characters of a command that the inbox shows whole, on one line. */
const MAX_LINE = 160;

/** Limits for the text that the inbox shows below a request's line. A longer text would push the group's other requests out of sight. */
const MAX_CONTENT = 1_500;
const MAX_CONTENT_LINES = 30;
const MAX_FILES = 5;

/** Whether the inbox shows the whole request. A request that the inbox does not show whole has to be decided separately. */
export function isShownWhole(request: ExecutionRequest): boolean {
  const { kind, text, argv, files = [] } = request;
  switch (kind) {
    case 'command':
    case 'line':
    case 'argv':
      // The `argv` of a `command` begins with `-c` and the text. The line shows only the text, and no further arguments.
      return text.length <= MAX_LINE && !text.trimEnd().includes('\n') && (kind !== 'command' || argv.length <= 2);
    case 'file':
    case 'mcp':
    case 'fetch':
      return text.length <= MAX_CONTENT && text.split('\n').length <= MAX_CONTENT_LINES && files.length <= MAX_FILES;
    default:
      return false;
  }
}

/**
 * A waiting request, as far as `mayApproveTogether` reads it.
 * @property groupKey equal for requests of one kind; null: the request belongs to no group
 */
interface GroupedRequest {
  readonly groupKey: string | null;
  readonly risk: ShownRisk;
  readonly grant: { readonly request: Pick<ExecutionRequest, 'environment'> };
}

/**
 * Returns false for an empty list. For any other list, returns true if all of these conditions hold:
 * - All requests have the same `groupKey`, and no key is null. Requests with the same key (`BriefLines`) have the same risk, and the inbox
 *   shows each of these requests in full.
 * - The risk is low or medium. At any other risk, the approver has to pick a number for each request.
 * - No request has an unusual variable.
 */
export function mayApproveTogether(requests: readonly GroupedRequest[]): boolean {
  const [first] = requests;
  return (
    first !== undefined &&
    first.groupKey !== null &&
    (first.risk === 'low' || first.risk === 'medium') &&
    requests.every(({ groupKey, grant }) => groupKey === first.groupKey && !hasOddVariables(grant.request))
  );
}

/** Whether the request has an unusual variable that may change what the command does. */
const hasOddVariables = ({ environment }: GroupedRequest['grant']['request']): boolean =>
  oddEntries(environment).length > 0;
