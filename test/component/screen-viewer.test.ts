/** A client that reads slowly has the last screen in the end, also if the program has ended meanwhile. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { HostedSession } from '../../src/session/host/hosted-session.ts';
import { AttachedViewer, ScreenViewer, WatchingViewer } from '../../src/session/host/stream-viewers.ts';
import { ScreenMirror } from '../../src/session/screen/screen-mirror.ts';

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'ape-viewer-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

/** A connected pair of sockets: the end of the session, and the end of the client. */
async function socketPair(): Promise<readonly [Socket, Socket]> {
  const server = createServer();
  server.listen(join(scratch, 'socket'));
  await once(server, 'listening');
  const client = connect(join(scratch, 'socket'));
  const [accepted] = (await once(server, 'connection')) as [Socket];
  server.close();
  return [accepted, client];
}

it('gets the last screen after it has read what waited for it, although the program prints nothing more', {
  timeout: 20_000,
}, async () => {
  const [ours, client] = await socketPair();
  const mirror = new ScreenMirror({ columns: 40, rows: 6 }, () => undefined);
  const viewer = new ScreenViewer({ mirror } as HostedSession, ours);
  client.pause();
  while (ours.writableLength < 1 << 20) ours.write(Buffer.alloc(1 << 16));
  mirror.take(Buffer.from('the last output'));
  await viewer.look();
  expect(ours.writableLength).toBeGreaterThan(1 << 16);
  const seen = new Promise<void>((resolve) => {
    let end = '';
    client.on('data', (bytes) => {
      end = (end + bytes.toString('latin1')).slice(-65_536);
      if (end.includes('the last output')) resolve();
    });
  });
  client.resume();
  await seen;
  await viewer.finish();
  client.destroy();
  ours.destroy();
});

it.each([
  ['attach', (session: HostedSession, socket: Socket) => new AttachedViewer(session, socket)],
  ['watch', (session: HostedSession, socket: Socket) => new WatchingViewer(session, socket)],
  ['watch --json', (session: HostedSession, socket: Socket) => new ScreenViewer(session, socket)],
])('gets the last screen of a program that ends while output waits for the client: %s', async (_name, make) => {
  const [ours, client] = await socketPair();
  const mirror = new ScreenMirror({ columns: 40, rows: 6 }, () => undefined);
  const viewer = make({ mirror, lastOutputAtMs: Date.now() } as HostedSession, ours);
  client.pause();
  while (ours.writableLength < 5 << 20) ours.write(Buffer.alloc(1 << 16));
  for (const output of ['much output\r\n', 'the last output']) {
    mirror.take(Buffer.from(output));
    viewer.take(Buffer.from(output));
  }
  const seen = new Promise<string>((resolve) => {
    let end = '';
    client.on('data', (bytes) => {
      end = (end + bytes.toString('latin1')).slice(-65_536);
    });
    client.on('end', () => resolve(end));
  });
  await viewer.finish();
  ours.end();
  client.resume();
  expect(await seen).toContain('the last output');
  client.destroy();
});

it('gets the output that came while the screen was painted for the first time, although the program ends', async () => {
  const [ours, client] = await socketPair();
  const mirror = new ScreenMirror({ columns: 40, rows: 6 }, () => undefined);
  const viewer = new AttachedViewer({ mirror } as HostedSession, ours);
  let seen = '';
  client.on('data', (bytes) => {
    seen += bytes.toString('latin1');
  });
  void viewer.paint(true);
  viewer.take(Buffer.from('the last output'));
  await viewer.finish();
  ours.end();
  await once(client, 'end');
  expect(seen).toContain('the last output');
});

it('gets the last screen of a watched session also if the clock was set back', { timeout: 20_000 }, async () => {
  const [ours, client] = await socketPair();
  const mirror = new ScreenMirror({ columns: 40, rows: 6 }, () => undefined);
  const viewer = new WatchingViewer({ mirror, lastOutputAtMs: Date.now() + 3_600_000 } as HostedSession, ours);
  client.pause();
  while (ours.writableLength < 1 << 20) ours.write(Buffer.alloc(1 << 16));
  mirror.take(Buffer.from('the last output'));
  viewer.take(Buffer.from('the last output'));
  await sleep(100); // The viewer leaves out the output, because too much waits.
  const seen = new Promise<void>((resolve) => {
    let end = '';
    client.on('data', (bytes) => {
      end = (end + bytes.toString('latin1')).slice(-65_536);
      if (end.includes('the last output')) resolve();
    });
  });
  client.resume();
  await seen;
  client.destroy();
  ours.destroy();
});
