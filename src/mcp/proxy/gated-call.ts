/**
 * Asks the gate whether one `tools/call` may go to the server now. If the gate refuses the call, makes a text that tells the model why.
 */

import { EXIT_STATUS, type Failure, failureText } from '../../core/failure.ts';
import { type Fault, fault } from '../../core/fault.ts';
import type { ExecutionRequest } from '../../core/grant/request.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { formatDuration } from '../../core/text/duration.ts';
import type { McpServerRule } from '../../core/tools/mcp-rule.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import { type Authorization, authorize, type Gate, recordRefusal } from '../../gate/authorize.ts';
import type { HostPlaces } from '../../gate/file-request.ts';
import { describeToolCall, type StartedServer, type WantedCall } from '../../gate/tool-request.ts';
import { fingerprintOf } from '../../platform/surroundings.ts';
import { pendingBlock } from '../../run/pending-block.ts';
import type { Conversation } from '../conversation.ts';
import { openDecisionWait } from '../decision-wait.ts';

/**
 * @property waitMs  how long a call waits for the decision; null: it does not wait
 * @property control the name or the path of `apes`, as the reader of our texts has to write it
 */
export interface CallGate {
  readonly gate: Gate;
  readonly rules: readonly McpServerRule[];
  readonly places: HostPlaces;
  readonly server: StartedServer;
  readonly waitMs: number | null;
  readonly control: string;
}

/**
 * Succeeds if the call may go to the server. A success has already counted one use of the grant. On a failure, the message of the fault is
 * the whole text for the model. Also fails if a file or a link in a path of the call changes while this function runs. If the change comes
 * after the use of the grant, the use stays counted.
 * @returns `grantId`: the grant that covers the call; null: the call needs no grant
 */
export async function gateCall(
  parts: CallGate,
  wanted: WantedCall,
  talk: Conversation,
): Promise<Result<{ readonly grantId: string | null }, Fault>> {
  const described = describeToolCall(parts.server, wanted, parts.rules, parts.places);
  if (!described.ok) return failed(fault(refusedText(described.failure)));
  const request = described.value;
  const whyChanged = () => changeSince(parts, wanted, request);
  let waiting: GrantView | null = null;
  const wait = parts.waitMs === null ? null : openDecisionWait(talk, parts.waitMs);
  const waitOptions =
    wait === null
      ? null
      : {
          ...wait.waitOptions,
          whyChanged,
          onPending: (grant: GrantView) => {
            waiting = grant;
            wait.begin(grant);
          },
        };
  const outcome = await authorize(parts.gate, request, { waitOptions });
  await wait?.finish();
  if (outcome.kind !== 'permitted') return failed(fault(textOf(parts, outcome, waiting)));
  const changed = whyChanged();
  if (changed === null) return success({ grantId: outcome.permit.grantId });
  const late = recordRefusal(parts.gate, request, changed);
  return failed(fault(refusedText(late.kind === 'refused' ? late.failure : changed)));
}

/**
 * Returns null if the call still makes the same request. Returns a failure otherwise: a file or a link in a path of the call has changed.
 */
function changeSince(
  { server, rules, places }: CallGate,
  wanted: WantedCall,
  request: ExecutionRequest,
): Failure | null {
  const now = describeToolCall(server, wanted, rules, places);
  if (!now.ok) return now.failure;
  return fingerprintOf(now.value) === fingerprintOf(request)
    ? null
    : {
        code: 'refused',
        message: 'refused: a file or a link in a path of this call changed after the request was made',
        advice: 'ask again',
      };
}

function textOf(
  parts: CallGate,
  outcome: Exclude<Authorization, { kind: 'permitted' }>,
  waiting: GrantView | null,
): string {
  if (outcome.kind !== 'refused') return pendingText(parts, outcome.grant, outcome.kind === 'pending' && outcome.isNew);
  if (outcome.failure.detail !== 'timed-out' || waiting === null) return refusedText(outcome.failure);
  return `Not decided within ${formatDuration(parts.waitMs ?? 0)}.\n${pendingText(parts, waiting, false)}`;
}

const pendingText = ({ control, gate }: CallGate, grant: GrantView, isNew: boolean): string =>
  `${pendingBlock(grant, {
    audience: 'agent',
    status: EXIT_STATUS.pending,
    isNew,
    nowMs: gate.client.clock.nowMs(),
    control,
    assessment: null,
  })}  no shell? Tell the human the address above, and call the same tool again later.\n`;

/** Makes the text for the model about a call that does not go to the server. */
export const refusedText = (why: Failure): string =>
  `ape-shell: NOT RUN, the server has not seen it: ${failureText(why)}\n`;
