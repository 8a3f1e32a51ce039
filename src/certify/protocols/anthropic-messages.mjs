/** Answers of the scripted model in the Anthropic Messages API: POST /v1/messages. */
import { sendEvents, sendJson } from './server-sent-events.mjs';

const USAGE = { input_tokens: 10, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

export const anthropicMessages = {
  name: 'anthropic-messages',
  matches: (path) => /\/v1\/messages\/?$/.test(path),
  toolNames: (body) => (body.tools ?? []).map(({ name }) => name),
  answer(response, { body, turn, id }) {
    const isTool = turn.kind !== 'text';
    const blocks = isTool
      ? (turn.kind === 'several' ? turn.calls : [turn]).map(({ name, input }, index) => ({
          type: 'tool_use',
          id: `toolu_mock${id}_${index}`,
          name,
          input,
        }))
      : [{ type: 'text', text: turn.text }];
    const stop_reason = isTool ? 'tool_use' : 'end_turn';
    const message = { id: `msg_mock${id}`, type: 'message', role: 'assistant', model: body.model, usage: USAGE };
    if (body.stream !== true)
      return sendJson(response, { ...message, content: blocks, stop_reason, stop_sequence: null });
    const events = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
      ...blocks.flatMap(eventsOf),
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: USAGE },
      { type: 'message_stop' },
    ];
    sendEvents(
      response,
      events.map((event) => [event.type, event]),
    );
  },
};

/** The three events of one streamed block: start, content, stop. */
const eventsOf = (block, index) => [
  {
    type: 'content_block_start',
    index,
    content_block: block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} },
  },
  {
    type: 'content_block_delta',
    index,
    delta:
      block.type === 'text'
        ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
  },
  { type: 'content_block_stop', index },
];
