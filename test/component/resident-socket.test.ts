/** The socket of the resident gate: a path that it cannot take, and the removal after a call of another build. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { encodeFrame } from '../../src/platform/frames.ts';
import { openResidentGate } from '../../src/shell/resident-gate.ts';
import { must } from '../contract/store-samples.ts';
import { makeTestDirectory } from '../fixtures/terminal/start-host.ts';

const path = join(makeTestDirectory(), 'gate.sock');
let hasEnded = false;
const parts: Parameters<typeof openResidentGate>[0] = {
  path,
  build: 'ours',
  dist: '/nowhere',
  idleMs: 60_000,
  open: () => Promise.reject(new Error('no call of this test is opened')),
  onOver: () => {
    hasEnded = true;
  },
  isNeeded: () => true,
  onBecome: () => {},
};
const opened = openResidentGate(parts);
afterAll(async () => {
  must(await opened).close();
});

it('answers every call of another build that was accepted before the socket was removed', async () => {
  must(await opened);
  const sockets = [1, 2, 3].map(() => connect(path));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  const answers = sockets.map(
    (socket) =>
      new Promise<string>((resolve, reject) => {
        socket.once('data', (data) => resolve(data.toString('latin1', 0, 1)));
        socket.once('close', () => reject(new Error('closed without an answer')));
      }),
  );
  for (const [index, socket] of sockets.entries()) {
    socket.write(Buffer.concat([encodeFrame('V', 'another'), encodeFrame('G')]));
    expect(await answers[index]).toBe('f');
  }
  expect([existsSync(path), hasEnded]).toEqual([false, false]);
  for (const socket of sockets) socket.destroy();
});

it('fails, and leaves no socket behind, if the path is taken by a directory', async () => {
  const directory = makeTestDirectory();
  const taken = join(directory, 'gate.sock');
  mkdirSync(taken);
  expect(await openResidentGate({ ...parts, path: taken })).toMatchObject({
    ok: false,
    failure: { code: 'system', message: `cannot listen on ${taken} (EISDIR)` },
  });
  expect(readdirSync(directory)).toEqual(['gate.sock']);
});
