/** A stream with a slow reader uses a limited amount of memory, and the timer wakes when something expires. */
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../src/core/failure.ts';
import { failed } from '../../src/core/result.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { ExpiryTimer } from '../../src/server/grants/expiry-timer.ts';
import { EventStream } from '../../src/server/http/event-stream.ts';
import type { Store } from '../../src/store/store.ts';
import { openMemoryStore } from '../contract/memory-store.ts';

const MEGABYTE = 'x'.repeat(1_000_000);

describe('a stream whose reader does not read', () => {
  let app: FastifyInstance;
  let stream: EventStream;
  let raw: FastifyReply['raw'];
  let reader: Socket;
  let received = '';
  let isEnded = false;
  let mayRead = true;
  let aheadMs = 0;

  beforeEach(async () => {
    received = '';
    isEnded = false;
    mayRead = true;
    aheadMs = 0;
    app = fastify();
    const opened = new Promise<void>((resolve) => {
      app.get('/', (_request, reply) => {
        raw = reply.raw;
        stream = new EventStream(
          reply,
          () => {
            isEnded = true;
          },
          async () => mayRead,
          () => systemClock.elapsedMs() + aheadMs,
        );
        resolve();
        return reply;
      });
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    reader = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    reader.on('error', () => {});
    reader.pause();
    reader.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await opened;
  });
  afterEach(async () => {
    reader.destroy();
    await app.close();
  });

  /** Sends more than the buffers of the kernel hold. */
  const fill = () => {
    for (let number = 0; number < 60; number += 1) stream.send(`fill ${number}`, 'grant', null, { number, MEGABYTE });
  };

  it('keeps only the newest state of each thing, and sends it when the reader reads again', async () => {
    for (let number = 0; number < 200; number += 1) stream.send('one', 'grant', number, { number, MEGABYTE });
    expect(raw.writableLength).toBeLessThan(20_000_000);
    reader.on('data', (chunk: Buffer) => {
      received = (received + chunk.toString()).slice(-2_000_000);
    });
    reader.resume();
    const giveUpAtMs = Date.now() + 60_000;
    while (!received.includes('"number":199') && Date.now() < giveUpAtMs) await sleep(20);
    expect(received).toContain('"number":199');
    expect(received).not.toContain('"number":100,');
  });

  it('is closed if too many different things wait for it', async () => {
    for (let number = 0; number < 20; number += 1) stream.send('fill', 'grant', null, { number, MEGABYTE });
    for (let number = 0; number < 1_000; number += 1) stream.send(`thing ${number}`, 'grant', null, { number });
    expect([raw.destroyed, isEnded]).toEqual([true, true]);
    stream.send('after', 'grant', null, {}); // a call after the end does no harm
  });

  it('is closed without its waiting events if it may no longer be read', async () => {
    fill();
    stream.send('last', 'grant', null, { text: 'after the revocation' });
    mayRead = false;
    stream.check();
    reader.on('data', (chunk: Buffer) => {
      received = (received + chunk.toString()).slice(-2_000_000);
    });
    const closed = new Promise((resolve) => reader.on('close', resolve));
    while (!raw.writableEnded && !raw.destroyed) await sleep(5);
    reader.resume();
    if (raw.destroyed) await closed;
    else while (!received.includes('after the revocation')) await sleep(20);
    expect(received).not.toContain('after the revocation');
    expect(isEnded).toBe(true);
  });

  it('is cut off some time after its end too, and keeps its place until then', async () => {
    fill();
    stream.finish();
    stream.check();
    await new Promise((resolve) => setImmediate(resolve));
    expect([raw.destroyed, isEnded]).toEqual([false, false]);
    aheadMs = 50_000;
    stream.check();
    expect([raw.destroyed, isEnded]).toEqual([true, true]);
  });
});

describe('the timer for expiries', () => {
  /** A store that counts how often it is asked. */
  function countingStore() {
    const store = openMemoryStore();
    let reads = 0;
    const counting: Store = {
      ...store,
      read: (work) => {
        reads += 1;
        return store.read(work);
      },
    };
    return { counting, reads: () => reads };
  }

  it('sleeps until an expiry in a hundred years, and does not fire at once again and again', async () => {
    const { counting, reads } = countingStore();
    const timer = new ExpiryTimer(counting, systemClock, () => {});
    timer.expect(Date.now() + 100 * 365 * 86_400_000);
    await sleep(300);
    timer.stop();
    expect(reads()).toBe(0);
  });

  it('wakes at the earliest of several moments', async () => {
    const { counting, reads } = countingStore();
    const timer = new ExpiryTimer(counting, systemClock, () => {});
    timer.expect(Date.now() + 5_000);
    timer.expect(Date.now() + 100);
    timer.expect(Date.now() + 8_000);
    await sleep(400);
    timer.stop();
    expect(reads()).toBe(1);
  });

  it('tries again after a second if the store does not answer', async () => {
    let reads = 0;
    const broken: Store = {
      ...openMemoryStore(),
      read: async () => {
        reads += 1;
        return failed(failure('unavailable', 'away'));
      },
    };
    const timer = new ExpiryTimer(broken, systemClock, () => {});
    timer.lookUp();
    await sleep(1_500);
    timer.stop();
    expect(reads).toBe(2);
  });
});
