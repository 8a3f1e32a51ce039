/** Asks the gate about one request of an agent, and waits for the decision. Meanwhile the agent waits for the editor's answer. */

import { type Failure, failureText } from '../core/failure.ts';
import { type Fault, fault } from '../core/fault.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import { type Authorization, authorize } from '../gate/authorize.ts';
import { authorizeFileOperation, type FileGate } from '../gate/file-operation.ts';
import { describeToolCall, type StartedServer } from '../gate/tool-request.ts';
import type { Conversation } from '../mcp/conversation.ts';
import { openDecisionWait } from '../mcp/decision-wait.ts';
import type { AskedCall, GatedRequest } from './gated-request.ts';

/**
 * @property agent  the command line that started the agent, and the files that this command line names
 * @property waitMs how long a request waits for the decision
 */
export interface AgentGate {
  readonly files: FileGate;
  readonly agent: StartedServer;
  readonly waitMs: number;
}

/**
 * Returns null if a grant covers the request, or if the request needs no grant. In all other cases, fails: the fault's message says why
 * the request is not carried out.
 * @param cwd the directory of the agent's session
 */
export async function askForAgent(
  parts: AgentGate,
  asked: GatedRequest,
  cwd: string,
  talk: Conversation,
): Promise<Result<null, Fault>> {
  const wait = openDecisionWait(talk, parts.waitMs);
  const waitOptions = { ...wait.waitOptions, onPending: (grant: GrantView) => wait.begin(grant) };
  const outcome =
    asked.kind === 'file'
      ? await authorizeFileOperation(parts.files, { operations: [asked.operation], cwd, project: cwd }, { waitOptions })
      : await authorizeCall(parts, asked.call, cwd, waitOptions);
  await wait.finish();
  return outcome.kind === 'permitted' ? success(null) : failed(fault(notRunText(outcome)));
}

async function authorizeCall(
  { files, agent }: AgentGate,
  { tool, arguments: given }: AskedCall,
  cwd: string,
  waitOptions: Parameters<typeof authorize>[2]['waitOptions'],
): Promise<Authorization> {
  const wanted = { tool, arguments: given, declared: null, listed: null, protocol: 'acp' } as const;
  const described = describeToolCall({ ...agent, cwd }, wanted, [], files.places);
  if (described.ok) return authorize(files.gate, described.value, { waitOptions });
  const { code, message } = described.failure;
  const unrecorded = files.gate.journal({ event: 'refused', kind: 'mcp', code, message });
  return { kind: 'refused', failure: unrecorded ?? described.failure };
}

/** Says to the agent, and to the person at the editor, why the request is not carried out. */
function notRunText(outcome: Exclude<Authorization, { kind: 'permitted' }>): string {
  if (outcome.kind === 'refused') return refusalText(outcome.failure);
  return `NOT RUN: no approver decided in time; grant ${outcome.grant.id} stays pending`;
}

export const refusalText = (why: Failure): string => `NOT RUN: ${failureText(why)}`;
