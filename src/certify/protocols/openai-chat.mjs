/** The OpenAI Chat Completions API: POST /v1/chat/completions. */
import { sendEvents, sendJson } from './server-sent-events.mjs';

const USAGE = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };

export const openaiChat = {
  name: 'openai-chat',
  matches: (path) => path.endsWith('/chat/completions'),
  toolNames: (body) => (body.tools ?? []).map((each) => each.function?.name ?? each.name),
  answer(response, { body, turn, id }) {
    const isTool = turn.kind !== 'text';
    const calls = (turn.kind === 'several' ? turn.calls : [turn]).map(({ name, input }, index) => ({
      id: `call_mock${id}_${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }));
    const message = isTool
      ? { role: 'assistant', content: null, tool_calls: calls }
      : { role: 'assistant', content: turn.text };
    const finish_reason = isTool ? 'tool_calls' : 'stop';
    const head = { id: `chatcmpl-mock${id}`, created: Math.floor(Date.now() / 1000), model: body.model };
    if (body.stream !== true)
      return sendJson(response, {
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason }],
        usage: USAGE,
      });
    const delta = isTool ? { ...message, tool_calls: calls.map((call, index) => ({ index, ...call })) } : message;
    const chunk = (choices, more = {}) => [null, { ...head, object: 'chat.completion.chunk', choices, ...more }];
    sendEvents(
      response,
      [
        chunk([{ index: 0, delta, finish_reason: null }]),
        chunk([{ index: 0, delta: {}, finish_reason }]),
        chunk([], { usage: USAGE }),
      ],
      'data: [DONE]\n\n',
    );
  },
};
