/** The Gemini API: POST /v1beta/models/MODEL:generateContent and :streamGenerateContent. */
import { sendEvents, sendJson } from './server-sent-events.mjs';

export const geminiProtocol = {
  name: 'gemini',
  matches: (path) => /:(stream)?generateContent$/i.test(path),
  toolNames: (body) =>
    (body.tools ?? []).flatMap(({ functionDeclarations }) => (functionDeclarations ?? []).map(({ name }) => name)),
  answer(response, { path, turn, id }) {
    const parts = (turn.kind === 'several' ? turn.calls : [turn]).map((call, index) =>
      call.kind === 'tool'
        ? { functionCall: { id: `call_mock${id}_${index}`, name: call.name, args: call.input } }
        : { text: call.text },
    );
    const answer = {
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
      modelVersion: 'mock-model',
    };
    if (/:streamGenerateContent$/i.test(path)) sendEvents(response, [[null, answer]]);
    else sendJson(response, answer);
  },
};
