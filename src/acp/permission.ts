/** `session/request_permission`: the call as the approver sees it, and the answer to the agent. */
import { type Fault, fault } from '../core/fault.ts';
import { failed, type Result, success } from '../core/result.ts';
import { isJsonRecord, type JsonRecord } from '../rpc/messages.ts';

/**
 * The options that an answer to the agent can select. Neither option makes the agent remember the answer: the grant server decides each
 * call.
 * @property allow  id of the option that allows the call once. Null: there is no such option, and the call cannot be allowed
 * @property reject id of the option that rejects the call once. Null: there is no such option, and a rejected call gets the answer
 *   `cancelled`
 */
export interface PermissionOptions {
  readonly allow: string | null;
  readonly reject: string | null;
}

/** Ignores each option that has the same id as another option. */
export function readPermissionOptions(value: unknown): Result<PermissionOptions, Fault> {
  if (!Array.isArray(value)) return failed(fault('the options are not a list'));
  const options: { readonly id: string; readonly kind: unknown }[] = [];
  for (const option of value as readonly unknown[]) {
    if (!isJsonRecord(option) || typeof option['optionId'] !== 'string')
      return failed(fault('an option has no optionId'));
    options.push({ id: option['optionId'], kind: option['kind'] });
  }
  const idOfKind = (kind: string): string | null =>
    options.find((one) => one.kind === kind && options.filter(({ id }) => id === one.id).length === 1)?.id ?? null;
  return success({ allow: idOfKind('allow_once'), reject: idOfKind('reject_once') });
}

export const allowedOutcome = (optionId: string): JsonRecord => ({ outcome: { outcome: 'selected', optionId } });

/** @param why the reason, for people who read the protocol's messages; `noteFor` makes the message that the editor shows */
export const rejectedOutcome = ({ reject }: PermissionOptions, why: string): JsonRecord => ({
  ...(reject === null ? CANCELLED_OUTCOME : { outcome: { outcome: 'selected', optionId: reject } }),
  _meta: { 'ape-shell': why },
});

export const CANCELLED_OUTCOME: JsonRecord = { outcome: { outcome: 'cancelled' } };

/** Members that do not say what the call does. These members change with every call, or are sent after the call. */
const UNBOUND: ReadonlySet<string> = new Set(['toolCallId', 'sessionUpdate', 'status', 'rawOutput', '_meta']);

/**
 * Returns the name of the tool, and the members that the approver sees: all members except those in `UNBOUND`. The name is the call's
 * `name`, else its `kind`, else `tool`.
 * @param members all that the agent has sent about the call
 */
export function shownCall(members: JsonRecord): { readonly tool: string; readonly arguments: JsonRecord } {
  const shown = Object.fromEntries(Object.entries(members).filter(([name]) => !UNBOUND.has(name)));
  const named = [members['name'], members['kind']].find((each) => typeof each === 'string' && each !== '');
  return { tool: typeof named === 'string' ? named : 'tool', arguments: shown };
}
