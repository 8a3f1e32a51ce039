/** After the clock of a server is set back, what has expired stays expired. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { steadyClock } from '../../src/platform/clock.ts';
import { type Person, TestServer } from './server-fixture.ts';

describe('steady time', () => {
  it('equals wall time, jumps forward with it, and continues steadily if wall time is set back', () => {
    let wallMs = 1_000;
    let elapsedMs = 0.4;
    const clock = steadyClock({ nowMs: () => wallMs, elapsedMs: () => elapsedMs });
    const now = () => clock.nowMs();
    expect(now()).toBe(1_000);
    wallMs = 5_000;
    expect(now()).toBe(5_000);
    wallMs = 100;
    expect(now()).toBe(5_000);
    for (let step = 0; step < 10; step++) {
      elapsedMs += 0.3;
      now();
    }
    expect(now()).toBe(5_003);
    wallMs = 5_002;
    expect(now()).toBe(5_003);
    wallMs = 6_000;
    expect(now()).toBe(6_000);
  });
});

describe('a server whose clock goes back', () => {
  let server: TestServer;
  let agent: Person;
  let owner: Readonly<Record<string, string>>;
  let skipMs = 0;
  beforeEach(async () => {
    skipMs = 0;
    server = await TestServer.start({ clock: () => Date.now() + skipMs });
    agent = await server.requester();
    owner = await server.owner();
  });
  afterEach(() => server.stop());

  const stateOf = async (id: string) =>
    (await server.call<GrantView>('GET', `/v1/grants/${id}`, agent.headers)).body.state;

  it('lets a timed grant run until its end, and not again later', async () => {
    const grant = await server.pending(agent, 'timed');
    const term = { kind: 'timed', forMs: 60_000 };
    await server.decide(owner, grant.id, 'approve', { version: 1, term });
    expect((await server.redeem(agent, grant)).status).toBe(200);
    skipMs = 61_000;
    expect((await server.redeem(agent, grant)).status).not.toBe(200);
    skipMs = 0;
    expect((await server.redeem(agent, grant)).status).not.toBe(200);
  });

  it('does the same if only a list has noticed that the grant had ended', async () => {
    const grant = await server.pending(agent, 'timed');
    await server.decide(owner, grant.id, 'approve', { version: 1, term: { kind: 'timed', forMs: 60_000 } });
    skipMs = 61_000;
    expect(await stateOf(grant.id)).toBe('expired');
    skipMs = -3_600_000;
    expect(await stateOf(grant.id)).toBe('expired');
    expect((await server.redeem(agent, grant)).status).not.toBe(200);
  });
});
