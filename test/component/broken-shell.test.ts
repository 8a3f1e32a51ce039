/** Ctrl-C makes bash drop ticks. The session must not end while more ticks can still bring a prompt. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { BrokenShellWatch } from '../../src/pty/broken-shell.ts';

const CTRL_C = Buffer.from('\u0003');
const sendTicks = vi.fn();
const onBroken = vi.fn();
let watch: BrokenShellWatch;

function begin(): void {
  vi.clearAllMocks();
  watch = new BrokenShellWatch(() => process.pid, sendTicks, onBroken);
}
afterEach(() => watch.close());

test('bash gets three more blocks of ticks, and one block for each Ctrl-C, before it counts as broken', () => {
  begin();
  watch.typed(CTRL_C);
  watch.typed(Buffer.from('abc'));
  for (let time = 0; time < 4; time++) watch.usedUp();
  expect(sendTicks).toHaveBeenCalledTimes(4);
  expect(onBroken).not.toHaveBeenCalled();
  watch.usedUp();
  watch.usedUp();
  expect(sendTicks).toHaveBeenCalledTimes(4);
  expect(onBroken.mock.calls).toEqual([['it offers no prompt any more']]);
});

test('each prompt restores the full number of blocks', () => {
  begin();
  for (let turn = 1; turn < 4; turn++) {
    for (let time = 0; time < 3; time++) watch.usedUp();
    watch.onFrame({ kind: 'prompt', turn: String(turn), status: 0 });
  }
  expect(sendTicks).toHaveBeenCalledTimes(9);
  expect(onBroken).not.toHaveBeenCalled();
});

test('a bash that reads from a connection of its own does not count as broken', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  // 242 is the descriptor of the ticks in setup.bash.
  const text = `exec 242<&0; read -r line < /dev/tcp/127.0.0.1/${port}`;
  const bash = spawn('bash', ['-c', text]);
  const [socket] = (await once(server, 'connection')) as [Socket];
  try {
    vi.clearAllMocks();
    watch = new BrokenShellWatch(() => bash.pid ?? 0, sendTicks, onBroken);
    for (let time = 0; time < 5; time++) {
      watch.typed(Buffer.from('a'));
      await sleep(500);
    }
    expect(sendTicks).not.toHaveBeenCalled();
  } finally {
    bash.kill();
    socket.destroy();
    server.close();
  }
});

test('a bash that is still busy when a key is typed is checked again later', async () => {
  // Node gives a child a socket as its standard input, as the gate gives bash a socket for the ticks.
  const bash = spawn('bash', ['-c', 'echo; end=$((SECONDS + 2)); while ((SECONDS < end)); do :; done; read -r line']);
  try {
    await once(bash.stdout, 'data');
    vi.clearAllMocks();
    watch = new BrokenShellWatch(() => bash.pid ?? 0, sendTicks, onBroken);
    watch.typed(Buffer.from('a'));
    await vi.waitFor(() => expect(onBroken.mock.calls).toEqual([['it offers no prompt any more']]), 10_000);
    expect(sendTicks).toHaveBeenCalledTimes(3);
  } finally {
    bash.kill();
  }
});
