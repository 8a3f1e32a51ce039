/** POST /v1/messages */
import { sendEvents, sendJson } from './server-sent-events.mjs';

const USAGE = { input_tokens: 10, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

export const anthropicMessages = {
  name: 'anthropic-messages',
  matches: (path) => /\/v1\/messages\/?$/.test(path),
  toolNames: (body) => (body.tools ?? []).map(({ name }) => name),
  answer(response, { body, turn, id }) {
    const isTool = turn.kind === 'tool';
    const block = isTool
      ? { type: 'tool_use', id: `toolu_mock${id}`, name: turn.name, input: turn.input }
      : { type: 'text', text: turn.text };
    const stop_reason = isTool ? 'tool_use' : 'end_turn';
    const message = { id: `msg_mock${id}`, type: 'message', role: 'assistant', model: body.model, usage: USAGE };
    if (body.stream !== true)
      return sendJson(response, { ...message, content: [block], stop_reason, stop_sequence: null });
    const delta = isTool
      ? { type: 'input_json_delta', partial_json: JSON.stringify(turn.input) }
      : { type: 'text_delta', text: turn.text };
    const empty = isTool ? { ...block, input: {} } : { ...block, text: '' };
    const events = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
      { type: 'content_block_start', index: 0, content_block: empty },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: USAGE },
      { type: 'message_stop' },
    ];
    sendEvents(
      response,
      events.map((event) => [event.type, event]),
    );
  },
};
