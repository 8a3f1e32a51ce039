/** The wait for a decision: with decisions at every moment, and with a server that stops and starts again at another address. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openJournal } from '../../src/audit/journal.ts';
import { success } from '../../src/core/result.ts';
import { leftText } from '../../src/core/server-notice.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import {
  type ApprovalWait,
  type Authorization,
  authorize,
  type Gate,
  waitAndRedeem,
} from '../../src/gate/authorize.ts';
import { waitForDecision } from '../../src/gate/wait.ts';
import { followEvents } from '../../src/grants/watch.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { currentHost, currentUser } from '../../src/platform/surroundings.ts';
import { TOKEN_LIFETIME_MS } from '../../src/server/identity/challenge.ts';
import { clientOf } from './file-stage.ts';
import { type Person, requestFor, TestServer } from './server-fixture.ts';

let server: TestServer;
let agent: Person;
let owner: Readonly<Record<string, string>>;
let gate: Gate;
let directory: string;
/** Errors that nothing catches: each would end the shell. */
const uncaught: unknown[] = [];
const note = (error: unknown) => void uncaught.push(error);

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ape-wait-'));
  server = await TestServer.start({ directory: join(directory, 'server') });
  agent = await server.requester('agent', currentHost(), currentUser());
  owner = await server.owner();
  const journal = openJournal(join(directory, 'audit'), systemClock);
  if (!journal.ok) throw new Error(journal.failure.message);
  gate = {
    client: await clientOf(server, agent, directory),
    journal: journal.value,
    announce: async () => {},
    seals: () => success({ pin: null, isRequired: false, mcpRules: async () => success([]) }),
    lookUp: async () => null,
  };
  process.on('uncaughtException', note);
});
afterAll(async () => {
  process.off('uncaughtException', note);
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

const wanted = (text: string) => requestFor(text, { host: currentHost(), user: currentUser(), argv: ['-c', text] });
const waitOptions = (more: Partial<ApprovalWait>): ApprovalWait => ({
  timeoutMs: 20_000,
  cancelled: new AbortController().signal,
  withdrawsOnCancel: true,
  onBeat: () => {},
  onServer: () => {},
  onPause: () => {},
  onPending: () => {},
  ...more,
});

/** Asks, and lets an approver decide `ms` after the request was filed. */
async function decidedAfter(ms: number, verb: 'approve' | 'deny', text: string): Promise<Authorization> {
  let decision: Promise<unknown> = Promise.resolve();
  const decide = async (grant: GrantView) => {
    if (ms > 0) await sleep(ms);
    const body = verb === 'approve' ? { version: grant.version, term: { kind: 'once' } } : { version: grant.version };
    await server.decide(owner, grant.id, verb, body);
    if (verb === 'deny') await server.resume(owner, agent);
  };
  const outcome = await authorize(gate, wanted(text), {
    waitOptions: waitOptions({
      onPending: (grant) => {
        decision = decide(grant);
      },
    }),
  });
  await decision;
  return outcome;
}

describe('a decision', () => {
  it.each(['deny', 'approve'] as const)(
    'to %s is noticed whenever it is made, from the first moment on',
    async (verb) => {
      for (let ms = 0; ms <= 60; ms += ms < 20 ? 1 : 8) {
        const both = await Promise.all([0, 1].map((n) => decidedAfter(ms, verb, `${verb} after ${ms}, ${n}`)));
        for (const outcome of both)
          expect([ms, outcome.kind]).toEqual([ms, verb === 'approve' ? 'permitted' : 'refused']);
      }
      expect(uncaught).toEqual([]);
    },
  );

  it('at the moment of Ctrl-C ends the wait either with this decision or as cancelled', async () => {
    for (let ms = 0; ms <= 40; ms += 2) {
      const cancelled = new AbortController();
      let decision: Promise<unknown> = Promise.resolve();
      const outcome = await authorize(gate, wanted(`left at ${ms}`), {
        waitOptions: waitOptions({
          cancelled: cancelled.signal,
          onPending: (grant) => {
            decision = sleep(ms).then(() => {
              cancelled.abort();
              return server.decide(owner, grant.id, 'deny', { version: grant.version });
            });
          },
        }),
      });
      await decision;
      await server.resume(owner, agent);
      expect(['cancelled', 'refused']).toContain(outcome.kind);
    }
    expect(uncaught).toEqual([]);
  });
});

describe('a wait for an approved grant of a paused requester', () => {
  it('says at its end that the grant is approved and the requester paused', async () => {
    const grant = await server.pending(agent, 'echo paused', { host: currentHost(), user: currentUser() });
    await server.decide(owner, grant.id, 'approve', { version: grant.version, term: { kind: 'once' } });
    await server.call('POST', `/v1/requesters/${agent.id}/pause`, owner, {});
    const left = `the request is approved, but this requester is paused (grant ${grant.id})`;
    const late = await waitAndRedeem(gate, grant.request, grant, waitOptions({ timeoutMs: 3000 }));
    expect(late).toMatchObject({
      failure: { code: 'pending', message: `the wait timed out; ${left}`, detail: 'paused' },
    });
    const cancelled = new AbortController();
    const onPause = () => cancelled.abort();
    const ended = await waitAndRedeem(
      gate,
      grant.request,
      grant,
      waitOptions({ cancelled: cancelled.signal, onPause }),
    );
    expect(ended).toMatchObject({ kind: 'cancelled', grant: { state: 'approved' } });
    expect(ended.kind === 'cancelled' && leftText(ended.grant, 'request')).toBe(left);
    await server.resume(owner, agent);
  });
});

describe('a token', () => {
  it('that expires during the wait is replaced, and the wait continues', async () => {
    let aheadMs = 0;
    const later = await TestServer.start({ directory: join(directory, 'later'), clock: () => Date.now() + aheadMs });
    const asker = await later.requester('agent', currentHost(), currentUser());
    const approver = await later.owner();
    const client = await clientOf(later, asker, join(directory, 'later-client'));
    let decision: Promise<unknown> = Promise.resolve();
    let lost = 0;
    const outcome = await authorize({ ...gate, client }, wanted('token'), {
      waitOptions: waitOptions({
        onServer: (isBack) => {
          if (!isBack) lost += 1;
        },
        onPending: (grant) => {
          aheadMs = TOKEN_LIFETIME_MS + 1000;
          const body = { version: grant.version, term: { kind: 'once' } };
          decision = sleep(300).then(() => later.decide(approver, grant.id, 'approve', body));
        },
      }),
    });
    await decision;
    await later.stop();
    expect([outcome.kind, lost]).toEqual(['permitted', 0]);
  });
});

describe('a server that stops', () => {
  it('and comes back on another port is found again, and both events are reported, the second with the new page of the request', async () => {
    const moving = await TestServer.start({ directory: join(directory, 'moving') });
    const person = await moving.requester('agent', currentHost(), currentUser());
    const at = await clientOf(moving, person, join(directory, 'moving'));
    const place = { ...at.server };
    let now = place.url;
    const client = {
      ...at,
      server: place,
      follow: () => {
        const isElsewhere = place.url !== now;
        place.url = now;
        return isElsewhere;
      },
    };
    const said: [boolean, string | null][] = [];
    let filed: GrantView | null = null;
    const keep = (grant: GrantView): void => {
      filed = grant;
    };
    const waiting = authorize({ ...gate, client }, wanted('moved'), {
      waitOptions: waitOptions({ onServer: (...event) => said.push(event), onPending: keep }),
    });
    while (filed === null) await sleep(5);
    await sleep(100);
    await moving.running.stop();
    while (said.length === 0) await sleep(5);
    const next = await TestServer.start({ directory: join(directory, 'moving'), port: 0 });
    now = next.url;
    while (said.length === 1) await sleep(5);
    const grant = filed as GrantView;
    await next.decide(await next.owner(), grant.id, 'approve', { version: grant.version, term: { kind: 'once' } });
    expect(await waiting).toMatchObject({ kind: 'permitted' });
    expect(said).toEqual([
      [false, null],
      [true, `${next.url}/grants/${grant.id}`],
    ]);
    expect(next.url).not.toBe(moving.url);
    await next.stop();
  });

  it('learns of a withdrawal as soon as it is reachable again', async () => {
    const leaving = await TestServer.start({ directory: join(directory, 'leaving') });
    const person = await leaving.requester('agent', currentHost(), currentUser());
    const client = await clientOf(leaving, person, join(directory, 'leaving'));
    const cancelled = new AbortController();
    let filed: GrantView | null = null;
    const keep = (grant: GrantView): void => {
      filed = grant;
    };
    const waiting = authorize({ ...gate, client }, wanted('left alone'), {
      waitOptions: waitOptions({ cancelled: cancelled.signal, onPending: keep }),
    });
    while (filed === null) await sleep(5);
    const { port } = leaving.running;
    await leaving.running.stop();
    cancelled.abort();
    expect(await waiting).toMatchObject({ kind: 'cancelled' });
    const next = await TestServer.start({ directory: join(directory, 'leaving'), port });
    const headers = await next.owner();
    const stateNow = async () =>
      (await next.call<GrantView>('GET', `/v1/grants/${(filed as GrantView | null)?.id}`, headers)).body.state;
    while ((await stateNow()) === 'pending') await sleep(50);
    expect(await stateNow()).toBe('withdrawn');
    await next.stop();
  });
});

/** Passes a call on, as a proxy does. */
async function passOn(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', headers } = request;
  const body = method === 'GET' ? null : await text(request);
  const answer = await fetch(url + String(request.url), {
    method,
    headers: { 'content-type': headers['content-type'] ?? '', authorization: headers.authorization ?? '' },
    body,
  });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const chunk of answer.body ?? []) response.write(chunk);
  response.end();
}

/** Starts this program in place of the server, and returns a client that calls it. */
async function clientOfOther(other: Server): Promise<Gate['client']> {
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { ...gate.client, server: { ...gate.client.server, url: `http://127.0.0.1:${port}` } };
}

describe('an answer from another program in place of the server', () => {
  it.each([
    [500, /cannot be asked: .*error \(HTTP 500\)/],
    [502, /cannot be asked: .*proxy.*\(HTTP 502\)/],
    [503, /cannot be asked: .*proxy.*\(HTTP 503\)/],
    [504, /cannot be asked: .*proxy.*\(HTTP 504\)/],
    [200, /cannot be trusted/],
  ])('with HTTP %i is described correctly', async (status, words) => {
    const other = createServer((_request, response) => response.writeHead(status).end('<html>no</html>'));
    const client = await clientOfOther(other);
    const outcome = await authorize({ ...gate, client }, wanted('x'), { waitOptions: null });
    expect(outcome.kind === 'refused' && outcome.failure.message).toMatch(words);
    other.close();
  });

  it.each([
    [503, /cannot be asked: .*proxy.*\(HTTP 503\)/],
    [404, /cannot be trusted: .*not a grant server \(HTTP 404\)/],
  ])('with HTTP %i to a caller that already waits is described correctly', async (status, words) => {
    const other = createServer((request, response) => {
      if (request.url?.startsWith('/v1/grants/')) response.writeHead(status).end('<html>no</html>');
      else void passOn(gate.client.server.url, request, response);
    });
    const client = await clientOfOther(other);
    const outcome = await waitForDecision(client, 'g_aaaaaaaaaaaaaaaaaaaaaaaaaa', {
      timeoutMs: 3000,
      cancelled: new AbortController().signal,
      onBeat: () => undefined,
      onServer: () => undefined,
      onPause: () => undefined,
    });
    expect(outcome).toMatchObject({
      kind: 'timed-out',
      lastFailure: { message: expect.stringMatching(words) as string },
    });
    other.close();
  });

  it('gets no event after the one with which the caller had enough, although both came at once', async () => {
    const other = createServer((request, response) => {
      if (request.url !== '/v1/two') return void passOn(gate.client.server.url, request, response);
      response.writeHead(200, { 'content-type': 'text/event-stream', 'ape-api': '1' });
      response.write('event: one\ndata: 1\n\nevent: two\ndata: 2\n\n');
    });
    const client = await clientOfOther(other);
    const seen: unknown[] = [];
    const end = await followEvents(
      client,
      { path: '/v1/two', mustBeFresh: false, signal: new AbortController().signal },
      (event, data) => {
        seen.push([event, data]);
        return 'enough';
      },
      () => undefined,
    );
    expect([end, seen]).toEqual([{ kind: 'ended' }, [['one', 1]]]);
    other.close();
    other.closeAllConnections();
  });
  it('is reported once: a token that ended meanwhile is no further failure', async () => {
    const answers = [503, 503, 401];
    const other = createServer((request, response) => {
      const status = request.url?.startsWith('/v1/grants/') === true ? answers.shift() : undefined;
      if (status === undefined) void passOn(gate.client.server.url, request, response);
      else response.writeHead(status, { 'ape-api': '1' }).end('<html>no</html>');
    });
    const client = await clientOfOther(other);
    const filed = await authorize(gate, wanted('echo waits for a server'), { waitOptions: null });
    const grantId = filed.kind === 'pending' ? filed.grant.id : '';
    const reports: boolean[] = [];
    const cancelled = new AbortController();
    await waitForDecision(client, grantId, {
      timeoutMs: 20_000,
      cancelled: cancelled.signal,
      onBeat: () => undefined,
      onServer: (isThere) => {
        reports.push(isThere);
        if (isThere) cancelled.abort();
      },
      onPause: () => undefined,
    });
    expect(reports).toEqual([false, true]);
    other.close();
    other.closeAllConnections();
  });
});
