/**
 * A scripted model on loopback. Its APIs are Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and Gemini.
 * The last message of the user is the script: `RUN[cmd]` makes the model call the shell tool, `WRITE[path]` the file tool, and
 * `SLOW[ms]` makes it wait before it answers. After a tool's result it finishes. Qwen Code asks after each turn what the user may type
 * next; then the model answers with SUGGESTION.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const texts = (content) =>
  typeof content === 'string'
    ? content
    : (content ?? []).map((part) => part.text ?? (typeof part.content === 'string' ? part.content : '')).join('\n');

export const SUGGESTION = 'run the tests';

/** Returns the model's next step: `waitMs`, and then a call of a tool (`tool`, `argument`) or a `text`. */
function plan(prompt, isAfterTool) {
  if (prompt.includes('[SUGGESTION MODE')) return { waitMs: 0, text: SUGGESTION };
  const waitMs = Number(/SLOW\[(\d+)\]/.exec(prompt)?.[1] ?? 0);
  if (isAfterTool) return { waitMs: 0, text: 'Done.' };
  const run = /RUN\[([^\]]*)\]/.exec(prompt)?.[1];
  if (run !== undefined) return { waitMs, tool: 'shell', argument: run };
  const write = /WRITE\[([^\]]*)\]/.exec(prompt)?.[1];
  if (write !== undefined) return { waitMs, tool: 'write', argument: write };
  return { waitMs, text: 'Understood.' };
}

const named = (tools, pattern) => tools.find((name) => pattern.test(name));

/** Returns the name and the arguments of the tool in this harness; null if the harness does not offer such a tool. */
function toolCall(tools, tool, argument) {
  if (tool === 'shell') {
    const name = named(tools, /^(Bash|bash|exec_command|shell|shell_command|run_shell_command)$/);
    if (name === undefined) return null;
    const input = {
      exec_command: { cmd: argument, sandbox_permissions: 'require_escalated', justification: 'the tripwire asks' },
      shell: { command: ['bash', '-lc', argument] },
      bash: { command: argument, description: 'the tripwire' },
      run_shell_command: { command: argument, description: 'the tripwire', is_background: false },
    }[name] ?? { command: argument, description: 'the tripwire' };
    return { name, input };
  }
  const name = named(tools, /^(Write|write|write_file|apply_patch)$/);
  if (name === undefined) return null;
  const input = {
    Write: { file_path: argument, content: 'tripwire\n' },
    write: { filePath: argument, content: 'tripwire\n' },
    write_file: { file_path: argument, content: 'tripwire\n' },
    apply_patch: { input: `*** Begin Patch\n*** Add File: ${argument}\n+tripwire\n*** End Patch\n` },
  }[name];
  return { name, input };
}

let count = 0;
const id = (prefix) => `${prefix}_${String(++count).padStart(8, '0')}`;

function anthropic(body, send) {
  const last = body.messages.findLast((message) => message.role === 'user');
  const isAfterTool = Array.isArray(last?.content) && last.content.some((part) => part.type === 'tool_result');
  const said = texts(last?.content);
  const step = plan(said, isAfterTool);
  const call = step.tool
    ? toolCall(
        (body.tools ?? []).map((tool) => tool.name),
        step.tool,
        step.argument,
      )
    : null;
  const message = {
    id: id('msg'),
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  };
  const block = call ? { type: 'tool_use', id: id('toolu'), name: call.name, input: {} } : { type: 'text', text: '' };
  const delta = call
    ? { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }
    : { type: 'text_delta', text: step.text ?? 'Understood.' };
  if (body.stream !== true) {
    const content = call ? [{ ...block, input: call.input }] : [{ type: 'text', text: delta.text }];
    return send.json({ ...message, content, stop_reason: call ? 'tool_use' : 'end_turn' }, step.waitMs);
  }
  return send.events(
    [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage: { output_tokens: 5 },
      },
      { type: 'message_stop' },
    ],
    step.waitMs,
  );
}

function responses(body, send) {
  const items = Array.isArray(body.input) ? body.input : [{ role: 'user', content: body.input }];
  const isAfterTool = /_output$/.test(items.at(-1)?.type ?? '');
  const last = items.findLast((item) => item.role === 'user');
  const step = plan(texts(last?.content), isAfterTool);
  const call = step.tool
    ? toolCall(
        (body.tools ?? []).map((tool) => tool.name ?? tool.type),
        step.tool,
        step.argument,
      )
    : null;
  const response = {
    id: id('resp'),
    object: 'response',
    created_at: 1,
    status: 'in_progress',
    model: body.model,
    output: [],
  };
  const isCustom =
    call?.name === 'apply_patch' &&
    (body.tools ?? []).some((tool) => tool.name === 'apply_patch' && tool.type === 'custom');
  const item = call
    ? isCustom
      ? {
          type: 'custom_tool_call',
          id: id('ctc'),
          call_id: id('call'),
          name: call.name,
          input: call.input.input,
          status: 'completed',
        }
      : {
          type: 'function_call',
          id: id('fc'),
          call_id: id('call'),
          name: call.name,
          arguments: JSON.stringify(call.input),
          status: 'completed',
        }
    : {
        type: 'message',
        id: id('msg'),
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: step.text ?? 'Understood.', annotations: [] }],
      };
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  };
  return send.events(
    [
      { type: 'response.created', response },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage } },
    ],
    step.waitMs,
  );
}

function chat(body, send) {
  const last = body.messages.findLast((message) => message.role === 'user');
  const isAfterTool = body.messages.at(-1)?.role === 'tool';
  const step = plan(texts(last?.content), isAfterTool);
  const call = step.tool
    ? toolCall(
        (body.tools ?? []).map((tool) => tool.function?.name),
        step.tool,
        step.argument,
      )
    : null;
  const base = { id: id('chatcmpl'), object: 'chat.completion.chunk', created: 1, model: body.model };
  const tool_calls = call
    ? [
        {
          index: 0,
          id: id('call'),
          type: 'function',
          function: { name: call.name, arguments: JSON.stringify(call.input) },
        },
      ]
    : undefined;
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const reason = call ? 'tool_calls' : 'stop';
  const message = call
    ? { role: 'assistant', content: null, tool_calls }
    : { role: 'assistant', content: step.text ?? 'Understood.' };
  if (body.stream !== true)
    return send.json(
      { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: reason }], usage },
      step.waitMs,
    );
  return send.events(
    [
      { ...base, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...base, choices: [{ index: 0, delta: {}, finish_reason: reason }] },
      { ...base, choices: [], usage },
    ],
    step.waitMs,
    true,
  );
}

function gemini(body, send, isStream) {
  const last = body.contents.at(-1);
  const isAfterTool = (last?.parts ?? []).some((part) => part.functionResponse);
  const step = plan((last?.parts ?? []).map((part) => part.text ?? '').join('\n'), isAfterTool);
  const names = (body.tools ?? []).flatMap((tool) => (tool.functionDeclarations ?? []).map((one) => one.name));
  const call = step.tool ? toolCall(names, step.tool, step.argument) : null;
  const parts = call
    ? [{ functionCall: { name: call.name, args: call.input } }]
    : [{ text: step.text ?? 'Understood.' }];
  const answer = {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  };
  return isStream ? send.events([answer], step.waitMs) : send.json(answer, step.waitMs);
}

/**
 * @returns {Promise<{url: string, requests: {path: string, body: string}[], stop(): Promise<void>}>}
 */
export async function startModel(port = 0) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const path = request.url ?? '';
    requests.push({ path, body: text });
    const send = {
      json: async (value, waitMs = 0) => {
        await sleep(waitMs);
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      },
      events: async (events, waitMs, isTerminated = false) => {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
        response.flushHeaders();
        await sleep(waitMs);
        for (const event of events)
          response.write(
            `${event.type === undefined ? '' : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`,
          );
        response.end(isTerminated ? 'data: [DONE]\n\n' : undefined);
      },
    };
    try {
      const body = text.startsWith('{') ? JSON.parse(text) : {};
      if (path.includes('count_tokens')) return await send.json({ input_tokens: 10 });
      if (/\/messages(\?|$)/.test(path)) return await anthropic(body, send);
      if (/\/responses(\?|$)/.test(path)) return await responses(body, send);
      if (/\/chat\/completions(\?|$)/.test(path)) return await chat(body, send);
      if (path.includes(':countTokens')) return await send.json({ totalTokens: 10 });
      if (/:(streamG|g)enerateContent/.test(path)) return await gemini(body, send, path.includes(':stream'));
      return await send.json({ data: [], models: [], object: 'list' });
    } catch (error) {
      requests.push({ path: 'FAULT', body: String(error instanceof Error ? error.stack : error) });
      response.writeHead(500).end();
    }
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`,
    requests,
    stop: () =>
      /** @type {Promise<void>} */ (
        new Promise((resolve) => {
          server.closeAllConnections();
          server.close(() => resolve());
        })
      ),
  };
}
