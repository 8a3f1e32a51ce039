/** A passkey signs in only its own person, and confirms only what this person meant. Each attack is refused with its own error. */
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { PasskeyCreation } from '../../src/core/wire/passkeys.ts';
import {
  approveWith,
  type Headers,
  headersOf,
  originOf,
  ownerWithDevice,
  type Refused,
  register,
  sendAssertion,
  signInRequest,
} from '../component/passkey-person.ts';
import { type Person, TestServer } from '../component/server-fixture.ts';
import { type Lies, SoftwareAuthenticator } from '../component/software-authenticator.ts';

const LATER_MS = 11 * 60_000;

let nowMs = Date.now();
let server: TestServer;
let agent: Person;
// Each test has its own server, because a person may have only a limited number of devices.
beforeEach(async () => {
  server = await TestServer.start({ clock: () => nowMs });
  agent = await server.requester();
});
afterEach(() => server.stop());

const stateOf = async (grant: GrantView) =>
  (await server.call<GrantView>('GET', `/v1/grants/${grant.id}`, (await freshAgent()).headers)).body.state;
/** Signs the agent in again: tokens end after 15 minutes, and these tests let time pass. */
const freshAgent = () => server.signedIn(agent.id, agent.privateKey);
const pending = async (text: string) => server.pending(await freshAgent(), text);
const codeOf = ({ status, body }: { status: number; body: Refused }) => [status, body.error?.code];
const whoami = (headers: Headers) => server.call('GET', '/v1/whoami', headers);

const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const LIES: readonly (readonly [string, Lies, number, string])[] = [
  ['made on a page of another origin', { origin: 'https://evil.example' }, 403, 'passkey.origin'],
  ['made on another port of the same name', { origin: 'http://localhost:1' }, 403, 'passkey.origin'],
  ['made under another name', { rpId: 'evil.example' }, 403, 'passkey.refused'],
  ['of another ceremony', { type: 'webauthn.create' }, 403, 'passkey.refused'],
  ['by a device that did not check its user', { isVerified: false }, 403, 'passkey.unverified'],
  ['by a device that no person touched', { isPresent: false }, 403, 'passkey.refused'],
  ['signed with another key', { key: otherKey }, 403, 'passkey.refused'],
  ['over another challenge', { challenge: Buffer.alloc(32).toString('base64url') }, 403, 'passkey.over'],
];

describe('a sign-in with a passkey', () => {
  it('needs no link, and opens a session that decides', async () => {
    const { device } = await ownerWithDevice(server);
    const answer = await sendAssertion(server, device.get(await signInRequest(server)));
    expect(answer).toMatchObject({ status: 200, body: { location: '/' } });
    const headers = headersOf(server, answer);
    expect((await whoami(headers)).body).toMatchObject({ subjectId: 's_owner', role: 'approver' });
    expect((await server.decide(headers, (await pending('echo in')).id, 'deny', { version: 1 })).status).toBe(200);
  });

  it.each(LIES)('%s is refused', async (_, lies, status, code) => {
    const { device } = await ownerWithDevice(server);
    const answer = await sendAssertion(server, device.get(await signInRequest(server), lies));
    expect(codeOf(answer)).toEqual([status, code]);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.body.error?.message).toMatch(/^[^!]{20,}$/); // a calm sentence
  });

  it('that is sent again is refused', async () => {
    const { device } = await ownerWithDevice(server);
    const assertion = device.get(await signInRequest(server));
    expect((await sendAssertion(server, assertion)).status).toBe(200);
    expect(codeOf(await sendAssertion(server, assertion))).toEqual([403, 'passkey.over']);
  });

  it('that comes after five minutes is refused', async () => {
    const { device } = await ownerWithDevice(server);
    const assertion = device.get(await signInRequest(server));
    nowMs += 5 * 60_000;
    expect(codeOf(await sendAssertion(server, assertion))).toEqual([403, 'passkey.over']);
  });

  it('with a removed passkey is refused, and the sessions that began with it end at once', async () => {
    const { device, headers, passkey } = await ownerWithDevice(server);
    const second = new SoftwareAuthenticator(originOf(server));
    expect((await register(server, headers, second)).status).toBe(201);
    const began = headersOf(server, await sendAssertion(server, device.get(await signInRequest(server))));
    const kept = headersOf(server, await sendAssertion(server, second.get(await signInRequest(server))));
    expect((await whoami(began)).status).toBe(200);
    expect((await server.call('POST', `/v1/passkeys/${passkey.id}/remove`, kept, {})).status).toBe(204);
    expect([(await whoami(began)).status, (await whoami(headers)).status]).toEqual([401, 401]);
    expect((await whoami(kept)).status).toBe(200);
    const answer = await sendAssertion(server, device.get(await signInRequest(server)));
    expect(codeOf(answer)).toEqual([404, 'passkey.unknown']);
  });

  it('ends when its passkey is removed, and so does the stream of events of its open pages, before the next beat', async () => {
    const { device, passkey } = await ownerWithDevice(server);
    const began = headersOf(server, await sendAssertion(server, device.get(await signInRequest(server))));
    const kept = await server.owner();
    const stream = await fetch(`${server.url}/v1/events`, { headers: began, signal: AbortSignal.timeout(30_000) });
    const atMs = performance.now();
    await server.call('POST', '/v1/recovery-codes', kept, {});
    expect((await server.call('POST', `/v1/passkeys/${passkey.id}/remove`, kept, {})).status).toBe(204);
    expect(await stream.text()).toContain('hello');
    expect(performance.now() - atMs).toBeLessThan(10_000); // the server sends the next beat after 15 s
  });

  it('with a copied passkey is refused: its counter went back, so the passkey is blocked, and an event records it', async () => {
    const { device, headers, passkey } = await ownerWithDevice(server);
    for (let times = 0; times < 3; times += 1) await sendAssertion(server, device.get(await signInRequest(server)));
    const copied = await sendAssertion(server, device.get(await signInRequest(server), { counter: 2 }));
    expect(codeOf(copied)).toEqual([403, 'passkey.copied']);
    expect(codeOf(await sendAssertion(server, device.get(await signInRequest(server))))).toEqual([
      403,
      'passkey.copied',
    ]);
    expect((await whoami(headers)).status).toBe(401); // the session in which the passkey was registered
    const events = await server.running.store.read((rows) => rows.events(0, 1000));
    const copies = events.ok ? events.value.filter(({ kind }) => kind === 'passkey.copied') : [];
    expect(copies.at(-1)?.facts).toMatchObject({ passkeyId: passkey.id, counter: 2, counterBefore: 3 });
  });

  it('with a counter that went back, but with a false signature, puts no passkey aside', async () => {
    const { device } = await ownerWithDevice(server);
    await sendAssertion(server, device.get(await signInRequest(server)));
    const forged = device.get(await signInRequest(server), { counter: 1, key: otherKey });
    expect(codeOf(await sendAssertion(server, forged))).toEqual([403, 'passkey.refused']);
    expect((await sendAssertion(server, device.get(await signInRequest(server)))).status).toBe(200);
  });

  it('for the name of another person is refused', async () => {
    const { device } = await ownerWithDevice(server);
    const lies = { userHandle: Buffer.from('s_somebody').toString('base64url') };
    const answer = await sendAssertion(server, device.get(await signInRequest(server), lies));
    expect(codeOf(answer)).toEqual([404, 'passkey.unknown']);
  });

  it('from a page of another site is refused', async () => {
    const { device } = await ownerWithDevice(server);
    const assertion = device.get(await signInRequest(server));
    for (const origin of ['https://evil.example', 'null', undefined]) {
      const headers = origin === undefined ? {} : { origin };
      const answer = await server.call<Refused>('POST', '/v1/sign-in/passkey', headers, { assertion });
      expect(codeOf(answer)).toEqual([403, 'csrf.failed']);
    }
  });

  it('with anything but an assertion is refused', async () => {
    const { device } = await ownerWithDevice(server);
    const whole = device.get(await signInRequest(server));
    for (const broken of [
      { ...whole, clientDataJSON: 'e30' },
      { ...whole, clientDataJSON: 'bnVsbA' },
      { ...whole, authenticatorData: 'AA' },
      { ...whole, signature: 'AA' },
      { ...whole, credentialId: 'AA' },
      { ...whole, more: 'AA' },
      {},
    ])
      expect((await sendAssertion(server, broken as never)).status).toBeGreaterThanOrEqual(400);
  });
});

describe('a registration', () => {
  it.each(LIES.filter(([, lies]) => lies.key === undefined && lies.type === undefined))(
    '%s is refused, and nothing is on record',
    async (_, lies, status, code) => {
      const headers = await server.owner();
      const device = new SoftwareAuthenticator(originOf(server));
      expect(codeOf(await register(server, headers, device, lies))).toEqual([status, code]);
      const answer = await sendAssertion(server, device.get(await signInRequest(server)));
      expect(codeOf(answer)).toEqual([404, 'passkey.unknown']);
    },
  );

  it('is accepted once, and only in the session that asked for it', async () => {
    const [mine, other] = [await server.owner(), await server.owner()];
    const creation = await server.call<PasskeyCreation>('POST', '/v1/passkeys/creation', mine, {});
    const registration = new SoftwareAuthenticator(originOf(server)).create(creation.body);
    const send = (headers: Headers) =>
      server.call<Refused>('POST', '/v1/passkeys', headers, { name: 'x', registration });
    expect(codeOf(await send(other))).toEqual([403, 'passkey.over']);
    expect((await send(mine)).status).toBe(201);
    expect(codeOf(await send(mine))).toEqual([403, 'passkey.over']);
  });

  it('needs an existing passkey, if there is one and the session is not fresh', async () => {
    const { device, headers } = await ownerWithDevice(server);
    nowMs += LATER_MS;
    const first = await server.call<Refused>('POST', '/v1/passkeys/creation', headers, {});
    const asked = first.body.error?.passkey;
    if (asked === undefined) throw new Error('nothing to sign');
    const assertion = device.get(asked);
    const elsewhere = await server.call<Refused>('POST', '/v1/recovery-codes', headers, { assertion });
    expect(codeOf(elsewhere)).toEqual([403, 'passkey.over']);
    expect((await server.call('POST', '/v1/passkeys/creation', headers, { assertion })).status).toBe(200);
  });
});

/** The routes that need a passkey in a session that is not fresh, each with a body that the route accepts. */
const CONFIRMED: readonly (readonly [string, object])[] = [
  ['/v1/passkeys/creation', {}],
  ['/v1/passkeys/{id}/remove', {}],
  ['/v1/recovery-codes', {}],
  ['/v1/people', { name: 'eve' }],
  ['/v1/people/{id}', { limits: null }],
  ['/v1/people/{id}/revoke', {}],
  ['/v1/people-rules', { quorum: { high: 2 } }],
  ['/v1/people-rules', { delegation: { from: 's_owner', to: 's_eve', untilMs: null } }],
  ['/v1/approval-settings', { passkeyAbove: 'critical' }],
  ['/v1/break-glass', { name: 'eve' }],
  ['/v1/requesters/{id}/rotate', {}],
];
/** The routes whose own tests show when a passkey is needed. */
const APPROVALS = ['/v1/grants/{id}/approve', '/v1/approvals'];
type Documented = {
  readonly paths: Record<string, Record<string, { readonly requestBody?: { readonly content: unknown } }>>;
};

describe('a change in a session that is not fresh', () => {
  it.each(CONFIRMED)('%s %j is refused with only the cookie', async (path, body) => {
    const { headers } = await ownerWithDevice(server);
    nowMs += LATER_MS;
    const answer = await server.call<Refused>('POST', path.replace('{id}', agent.id), headers, body);
    expect(codeOf(answer)).toEqual([403, 'passkey.needed']);
  });

  it('is tested for each route whose body may have an assertion', async () => {
    const { paths } = (await server.call<Documented>('GET', '/openapi.json')).body;
    const withAssertion = Object.entries(paths).flatMap(([path, { post }]) =>
      JSON.stringify(post?.requestBody?.content ?? null).includes('"assertion":') ? [path] : [],
    );
    const tested = new Set([...CONFIRMED.map(([path]) => path), ...APPROVALS, '/v1/sign-in/passkey']);
    expect(withAssertion.sort()).toEqual([...tested].sort());
  });
});

describe('an approval above the risk that the owner set', () => {
  it('is refused with only the cookie, and accepted with the passkey', async () => {
    const { device, headers } = await ownerWithDevice(server);
    const grant = await pending('unknown-program --now');
    const answer = await server.decide(headers, grant.id, 'approve', { version: 1, term: { kind: 'once' } });
    expect(codeOf(answer)).toEqual([403, 'passkey.needed']);
    expect(await stateOf(grant)).toBe('pending');
    const approved = await approveWith(server, headers, device, grant);
    expect(approved.answer).toMatchObject({ status: 200, body: { state: 'approved' } });
  });

  it.each(LIES)('with an assertion %s decides nothing', async (_, lies, status, code) => {
    const { device, headers } = await ownerWithDevice(server);
    const grant = await pending('unknown-program');
    const { answer } = await approveWith(server, headers, device, grant, lies);
    expect(codeOf(answer)).toEqual([status, code]);
    expect(await stateOf(grant)).toBe('pending');
  });

  it('accepts an assertion once, in this session, and only for this grant, version, term and scope', async () => {
    const { device, headers } = await ownerWithDevice(server);
    const grant = await pending('unknown-program first');
    const other = await pending('unknown-program second');
    const once = { version: 1, term: { kind: 'once' } };
    const asked = async () => {
      const answer = await server.decide(headers, grant.id, 'approve', once);
      const request = (answer.body as Refused).error?.passkey;
      if (request === undefined) throw new Error('nothing to sign');
      return device.get(request);
    };
    const again = headersOf(server, await sendAssertion(server, device.get(await signInRequest(server))));
    const signed = await signInRequest(server);
    for (const [by, id, body] of [
      [headers, other.id, { ...once, assertion: await asked() }],
      [headers, grant.id, { ...once, version: 2, assertion: await asked() }],
      [headers, grant.id, { version: 1, term: { kind: 'always' }, assertion: await asked() }],
      [headers, grant.id, { ...once, confined: true, assertion: await asked() }],
      [headers, grant.id, { ...once, scope: { operations: ['read'], pathPrefix: '/' }, assertion: await asked() }],
      [again, grant.id, { ...once, assertion: await asked() }],
      [headers, grant.id, { ...once, assertion: device.get(signed) }],
    ] as const)
      expect(codeOf(await server.decide(by, id, 'approve', body))).toEqual([403, 'passkey.over']);
    expect([await stateOf(grant), await stateOf(other)]).toEqual(['pending', 'pending']);
    const assertion = await asked();
    expect((await server.decide(headers, grant.id, 'approve', { ...once, assertion })).status).toBe(200);
    expect((await server.decide(headers, grant.id, 'approve', { ...once, assertion })).status).toBe(409);
  });

  it('accepts only the person’s own passkey', async () => {
    const { headers } = await ownerWithDevice(server);
    const invited = await server.call<{ signInUrl: string }>('POST', '/v1/people', headers, { name: 'Grace' });
    const theirs = headersOf(server, await server.call('POST', new URL(invited.body.signInUrl).pathname));
    const device = new SoftwareAuthenticator(originOf(server));
    expect((await register(server, theirs, device)).status).toBe(201);
    const grant = await pending('unknown-program third');
    const { answer } = await approveWith(server, headers, device, grant);
    expect(codeOf(answer)).toEqual([404, 'passkey.unknown']);
    expect((await approveWith(server, theirs, device, grant)).answer.status).toBe(200);
  });
});

describe('people', () => {
  async function invited() {
    const { headers } = await ownerWithDevice(server);
    const { body } = await server.call<{ personId: string; signInUrl: string }>('POST', '/v1/people', headers, {
      name: 'Grace',
    });
    const theirs = headersOf(server, await server.call('POST', new URL(body.signInUrl).pathname));
    return { headers, theirs, personId: body.personId };
  }

  it('who were invited can decide, and can change neither people nor the approval settings', async () => {
    const { theirs } = await invited();
    expect((await whoami(theirs)).body).toMatchObject({ name: 'Grace', role: 'approver' });
    for (const [path, body] of [
      ['/v1/people', { name: 'eve' }],
      ['/v1/people/s_owner/revoke', {}],
      ['/v1/approval-settings', { passkeyAbove: 'critical' }],
    ] as const)
      expect(codeOf(await server.call<Refused>('POST', path, theirs, body))).toEqual([403, 'auth.forbidden']);
  });

  it('see and change their own devices only', async () => {
    const { headers, theirs } = await invited();
    const [mine] = (await server.call<{ passkeys: { id: string }[] }>('GET', '/v1/passkeys', headers)).body.passkeys;
    expect((await server.call('GET', '/v1/passkeys', theirs)).body).toEqual({ passkeys: [], recoveryCodesLeft: 0 });
    for (const [verb, body] of [
      ['remove', {}],
      ['rename', { name: 'x' }],
    ] as const) {
      const answer = await server.call<Refused>('POST', `/v1/passkeys/${mine?.id}/${verb}`, theirs, body);
      expect(codeOf(answer)).toEqual([404, 'passkey.unknown']);
    }
  });

  it('who are revoked have no session, passkey or code any more, at once', async () => {
    const { headers, theirs, personId } = await invited();
    const device = new SoftwareAuthenticator(originOf(server));
    expect((await register(server, theirs, device)).status).toBe(201);
    const { codes } = (await server.call<{ codes: string[] }>('POST', '/v1/recovery-codes', theirs, {})).body;
    expect((await server.call('POST', `/v1/people/${personId}/revoke`, headers, {})).status).toBe(204);
    expect((await whoami(theirs)).status).toBe(401);
    const answer = await sendAssertion(server, device.get(await signInRequest(server)));
    expect(codeOf(answer)).toEqual([404, 'passkey.unknown']);
    const byCode = await server.call<Refused>(
      'POST',
      '/v1/sign-in/recovery-code',
      { origin: server.url },
      { code: codes[0] },
    );
    expect(codeOf(byCode)).toEqual([403, 'recovery.unknown']);
    const again = await server.call<Refused>('POST', `/v1/people/${personId}/revoke`, headers, {});
    expect(codeOf(again)).toEqual([404, 'person.not_found']);
    const owner = await server.call<Refused>('POST', '/v1/people/s_owner/revoke', headers, {});
    expect(codeOf(owner)).toEqual([403, 'auth.forbidden']);
  });

  it('cannot remove their last way to sign in', async () => {
    const { theirs } = await invited();
    const { body } = await register(server, theirs, new SoftwareAuthenticator(originOf(server)));
    const remove = () => server.call<Refused>('POST', `/v1/passkeys/${body.id}/remove`, theirs, {});
    expect(codeOf(await remove())).toEqual([409, 'passkey.last']);
    await server.call('POST', '/v1/recovery-codes', theirs, {});
    expect((await remove()).status).toBe(204);
  });
});

describe('the setting `passkeyAbove`', () => {
  const FILE = { kind: 'file' as const, argv: [], environment: [] };
  const file = (verb: 'read' | 'write', path: string) => ({
    ...FILE,
    files: [
      {
        verb,
        path,
        askedPath: path,
        digest: verb === 'read' ? null : 'a'.repeat(64),
        resultDigest: null,
        bytes: verb === 'read' ? null : 3,
        danger: null,
      },
    ],
  });

  it.each([
    ['none', { low: true, medium: true, unread: true }],
    ['low', { low: false, medium: true, unread: true }],
    ['medium', { low: false, medium: false, unread: true }],
    ['critical', { low: false, medium: false, unread: false }],
  ] as const)('%s: only an approval above this risk needs a passkey', async (passkeyAbove, needs) => {
    const { headers } = await ownerWithDevice(server);
    expect((await server.call('POST', '/v1/approval-settings', headers, { passkeyAbove })).status).toBe(200);
    const by = await freshAgent();
    const asked = {
      low: await server.pending(by, 'read /p/a', file('read', '/p/a')),
      medium: await server.pending(by, 'write /p/a', file('write', '/p/a')),
      unread: await pending('unknown-program'),
    };
    for (const name of ['low', 'medium', 'unread'] as const) {
      const body = { version: 1, term: { kind: 'once' } };
      const { status } = await server.decide(headers, asked[name].id, 'approve', body);
      expect([name, status]).toEqual([name, needs[name] ? 403 : 200]);
    }
    const wide = await server.pending(by, 'read /p/b', file('read', '/p/b'));
    const scope = { operations: ['write', 'read'], pathPrefix: '/p' };
    const answer = await server.decide(headers, wide.id, 'approve', { version: 1, term: { kind: 'always' }, scope });
    expect([passkeyAbove, answer.status]).toEqual([passkeyAbove, needs.medium ? 403 : 200]);
    await server.call('POST', '/v1/approval-settings', headers, { passkeyAbove: 'low' });
  });
});
