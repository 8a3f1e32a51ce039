/** `session/request_permission`: what the approver is shown, and how the agent is answered. */
import { failed, type Result, success } from '../core/result.ts';
import { isJsonRecord, type JsonRecord } from '../mcp/proxy/messages.ts';

/**
 * How the agent is answered. An option that makes the agent remember an answer is never chosen: what a grant covers from now
 * on is the grant server's to know, which is asked every time.
 * @property allow  the option for this time only; null: there is none, so it cannot be allowed
 * @property reject likewise; null: it is answered `cancelled`
 */
export interface PermissionOptions {
  readonly allow: string | null;
  readonly reject: string | null;
}

/** An option is only chosen by an id that stands for it alone. */
export function readPermissionOptions(value: unknown): Result<PermissionOptions, string> {
  if (!Array.isArray(value)) return failed('its options are no list');
  const options: { readonly id: string; readonly kind: unknown }[] = [];
  for (const option of value as readonly unknown[]) {
    if (!isJsonRecord(option) || typeof option['optionId'] !== 'string') return failed('an option has no optionId');
    options.push({ id: option['optionId'], kind: option['kind'] });
  }
  const only = (kind: string): string | null =>
    options.find((one) => one.kind === kind && options.filter(({ id }) => id === one.id).length === 1)?.id ?? null;
  return success({ allow: only('allow_once'), reject: only('reject_once') });
}

export const allowed = (optionId: string): JsonRecord => ({ outcome: { outcome: 'selected', optionId } });

/** @param why for a reader of the protocol; the editor shows it as well */
export const rejected = ({ reject }: PermissionOptions, why: string): JsonRecord => ({
  ...(reject === null ? CANCELLED : { outcome: { outcome: 'selected', optionId: reject } }),
  _meta: { 'ape-shell': why },
});

export const CANCELLED: JsonRecord = { outcome: { outcome: 'cancelled' } };

/** Not what the call does: it changes with every call, or is told afterwards. */
const UNBOUND: ReadonlySet<string> = new Set(['toolCallId', 'sessionUpdate', 'status', 'rawOutput', '_meta']);

/** The tool by the name it has for the agent, and everything the agent told of the call. */
export function shownCall(whole: JsonRecord): { readonly tool: string; readonly arguments: JsonRecord } {
  const shown = Object.fromEntries(Object.entries(whole).filter(([name]) => !UNBOUND.has(name)));
  const named = [whole['name'], whole['kind']].find((each) => typeof each === 'string' && each !== '');
  return { tool: typeof named === 'string' ? named : 'tool', arguments: shown };
}
