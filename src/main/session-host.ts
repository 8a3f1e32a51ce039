/** The host of one program's session. `apes session start` starts the host as a separate process. The host ends with the program. */

import { hostProgram } from '../session/host/program-host.ts';
import type { StartAnswer, StartOrder } from '../session/host/start-order.ts';

/** An order contains a whole environment as base64. An environment that exceeds this maximum is too large for the kernel, too. */
const MAX_ORDER_BYTES = 16 << 20;

for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGPIPE'] as const) process.on(signal, () => undefined);
process.stdout.on('error', () => undefined); // the starter was killed: the session goes on

void run();

async function run(): Promise<void> {
  const order = await readOrder();
  if (order !== null) await hostProgram(order, answer);
  process.exit(0);
}

/** Returns null if the order is incomplete (the starter ended too early) or too long. Then nothing runs. */
async function readOrder(): Promise<StartOrder | null> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    parts.push(part);
    length += part.length;
    if (length > MAX_ORDER_BYTES) return null;
  }
  const text = Buffer.concat(parts).toString('utf8');
  return text.endsWith('\n') ? (JSON.parse(text) as StartOrder) : null;
}

function answer(startAnswer: StartAnswer): void {
  process.stdout.end(`${JSON.stringify(startAnswer)}\n`);
}
