/** The OpenAI Responses API: POST /v1/responses. */
import { sendEvents, sendJson } from './server-sent-events.mjs';

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 20,
};

export const openaiResponses = {
  name: 'openai-responses',
  matches: (path) => path.endsWith('/responses'),
  /** A tool in a namespace gets the name NAMESPACE__NAME. */
  toolNames: (body) =>
    (body.tools ?? []).flatMap(({ type, name, tools }) =>
      type === 'namespace' ? tools.map((each) => `${name}__${each.name}`) : name ? [name] : [],
    ),
  answer(response, { body, turn, id }) {
    const output = (turn.kind === 'several' ? turn.calls : [turn]).map((call, index) =>
      call.kind === 'tool' ? functionCall(body, call, `mock${id}_${index}`) : message(call, `mock${id}`),
    );
    const head = { id: `resp_mock${id}`, object: 'response', model: body.model };
    const whole = { ...head, status: 'completed', output, usage: USAGE };
    if (body.stream !== true) return sendJson(response, whole);
    const events = [
      { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } },
      ...output.flatMap((item, output_index) => [
        { type: 'response.output_item.added', output_index, item },
        { type: 'response.output_item.done', output_index, item },
      ]),
      { type: 'response.completed', response: whole },
    ];
    sendEvents(
      response,
      events.map((event, sequence_number) => [event.type, { ...event, sequence_number }]),
    );
  },
};

const functionCall = (body, { name, input }, id) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: `call_${id}`,
  ...splitName(body, name),
  arguments: JSON.stringify(input),
  status: 'completed',
});

const message = ({ text }, id) => ({
  type: 'message',
  id: `msg_${id}`,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});

/** Splits NAMESPACE__NAME if the request has this namespace. */
function splitName(body, whole) {
  const space = (body.tools ?? []).find(({ type, name }) => type === 'namespace' && whole.startsWith(`${name}__`));
  return space ? { namespace: space.name, name: whole.slice(space.name.length + 2) } : { name: whole };
}
