/** After a restore, a sign-in that was made before the backup cannot be repeated. */
import { expect, it } from 'vitest';
import { endRestored } from '../../src/server/identity/restored.ts';
import { TestServer } from './server-fixture.ts';

it('ends every token, and accepts no proof a second time', async () => {
  const server = await TestServer.start();
  try {
    const { id, privateKey } = await server.requester();
    const proof = await server.signInBody(id, privateKey);
    const redeem = () => server.call<{ token?: string }>('POST', '/v1/auth/token', {}, proof);
    const { status, body } = await redeem();
    expect(status).toBe(200);
    expect((await endRestored(server.running.store, Date.now())).ok).toBe(true);
    const headers = { authorization: `Bearer ${body.token}` };
    expect((await server.call('GET', '/v1/grants', headers)).status).toBe(401);
    expect((await redeem()).status).toBe(401);
    expect((await server.token(id, privateKey)).status).toBe(200);
  } finally {
    await server.stop();
  }
});
