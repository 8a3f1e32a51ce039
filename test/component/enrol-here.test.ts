/** `apes up` while another process of this host replaces the key. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { enrolHere } from '../../src/cli/identity/enrol-here.ts';
import { loadIdentity } from '../../src/grants/enrolment.ts';
import { publicKeyOf } from '../../src/platform/key-pair.ts';
import * as administration from '../../src/server/identity/administration.ts';
import { pemOf, rotationBody, sendRotation } from './rotating-host.ts';
import { newKey, TestServer } from './server-fixture.ts';

it('waits until the key is replaced, and stays the same requester', async () => {
  const server = await TestServer.start();
  try {
    const keys = server.directory;
    const { publicKey } = (await server.call<{ publicKey: string }>('GET', '/v1/server')).body;
    const enrol = () =>
      enrolHere({ paths: { keys } }, { url: server.url, publicKey }, server.running.store, administration);
    const first = await enrol();
    if (!first.ok) throw new Error(first.failure.message);
    const { subjectId, privateKey } = first.value;
    const { createPrivateKey } = await import('node:crypto');
    const old = { privateKey: createPrivateKey(privateKey), publicKey: publicKeyOf(privateKey) ?? '' };
    const next = newKey();
    const [lock, nextFile] = [join(keys, 'rotation.lock'), join(keys, 'requester.next.key')];
    writeFileSync(lock, `${process.ppid}\n`); // another process that is alive
    writeFileSync(nextFile, pemOf(next.privateKey), { mode: 0o600 });
    const body = await rotationBody(server, { subjectId, old, next });
    expect((await sendRotation(server, body)).status).toBe(200);
    const second = enrol();
    await sleep(300);
    renameSync(nextFile, join(keys, 'requester.key'));
    rmSync(lock);
    expect(await second).toMatchObject({ ok: true, value: { subjectId } });
    expect(loadIdentity(keys, 'requester')).toMatchObject({
      ok: true,
      value: { subjectId, privateKey: pemOf(next.privateKey) },
    });
  } finally {
    await server.stop();
  }
});
