/** Makes the message that tells the editor's user that a request waits or was refused. */
import { listOf } from '../core/shape.ts';
import type { JsonRecord, RpcMessage } from '../rpc/messages.ts';
import type { GatedRequest } from './gated-request.ts';
import { SESSION_UPDATE } from './methods.ts';

/**
 * @param isKnown only for a request for permission: whether the editor already shows the tool call. If so, the message updates this call;
 *                if not, the message adds the call
 */
export function noteFor(asked: GatedRequest, text: string, isKnown: boolean): RpcMessage {
  const update = asked.kind === 'permission' ? toolCallUpdate(asked, text, isKnown) : textMessage(text);
  return { kind: 'notification', method: SESSION_UPDATE, params: { sessionId: asked.sessionId, update } };
}

const textMessage = (text: string): JsonRecord => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text: `${text}\n` },
});

function toolCallUpdate(
  { toolCallId, call }: GatedRequest & { readonly kind: 'permission' },
  text: string,
  isKnown: boolean,
): JsonRecord {
  const { title, kind, locations, content } = call.arguments;
  const shown = { content: [{ type: 'content', content: { type: 'text', text } }, ...listOf(content)] };
  if (isKnown) return { sessionUpdate: 'tool_call_update', toolCallId, ...shown };
  const name = typeof title === 'string' ? title : call.tool;
  return {
    sessionUpdate: 'tool_call',
    toolCallId,
    title: name,
    status: 'pending',
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(Array.isArray(locations) ? { locations } : {}),
    ...shown,
  };
}
