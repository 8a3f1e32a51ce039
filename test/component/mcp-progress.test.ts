/** The progress of a call through the MCP proxy never goes back: first the gate notifies the client, then the server. */
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { success } from '../../src/core/result.ts';
import { Relay } from '../../src/mcp/proxy/relay.ts';

it('each notification has a greater number than the one before', async () => {
  const client = { input: new PassThrough(), output: new PassThrough() };
  const server = { input: new PassThrough(), output: new PassThrough() };
  const relay = new Relay({
    client,
    server,
    askGate: async (_wanted, talk) => {
      for (const [ms, text] of [
        [0, 'waiting'],
        [15_000, 'still waiting'],
        [0, 'paused'],
        [0, 'resumed'],
      ] as const)
        talk.progress(ms, text);
      return success({ grantId: null });
    },
    onAnswer: () => undefined,
    isSamplingAllowed: false,
    complain: (line) => {
      throw new Error(line);
    },
  });
  const read = (stream: PassThrough, count: number) =>
    new Promise<Record<string, Record<string, unknown>>[]>((resolve) => {
      let text = '';
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const lines = text.split('\n').slice(0, -1);
        if (lines.length >= count) resolve(lines.map((line) => JSON.parse(line)));
      });
    });
  void relay.fromClient();
  void relay.fromServer();
  const write = (stream: PassThrough, message: object) =>
    stream.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const asked = read(server.input, 1);
  const shown = read(client.output, 7);
  const params = { name: 'tool', arguments: {}, _meta: { progressToken: 't' } };
  write(client.input, { id: 1, method: 'tools/call', params });
  await asked;
  const notify = (progress: number, more: object) =>
    write(server.output, { method: 'notifications/progress', params: { progressToken: 't', progress, ...more } });
  notify(0, { total: 10 });
  notify(5, { total: 10 });
  write(server.output, { method: 'notifications/progress', params: { progressToken: 'other', progress: 1 } });
  const numbers = (await shown).map(({ params: { progressToken, progress, total } = {} }) => [
    progressToken,
    progress,
    total,
  ]);
  expect(numbers).toEqual([
    ['t', 0, undefined],
    ['t', 15, undefined],
    ['t', 16, undefined],
    ['t', 17, undefined],
    ['t', 18, 28],
    ['t', 23, 28],
    ['other', 1, undefined],
  ]);
  await relay.end('test');
});
