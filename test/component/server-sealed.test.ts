/** The server's side of sealed decisions: which documents it makes, which seals it accepts, and what ends with a key. */
import type { KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../src/core/grant/audit-event.ts';
import { firstApprovers, nextApprovers } from '../../src/core/sealed/approver-list.ts';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { ApproversDocument, DecisionToSeal, SealedApprovers } from '../../src/core/wire/sealed.ts';
import { documentDigest, keyApprover, sealWithKey } from '../../src/platform/approver-key.ts';
import { enrolApproverKey } from '../../src/server/identity/administration.ts';
import { newKey, nonce, type Person, requestFor, TestServer } from './server-fixture.ts';

interface Approver extends Person {
  readonly publicKey: string;
  readonly name: string;
}

let server: TestServer;
let agent: Person;
let owner: Approver;
let second: Approver;
beforeAll(async () => {
  server = await TestServer.start();
  agent = await server.requester();
  owner = await approver('first');
  second = await approver('second');
});
afterAll(() => server.stop());

async function approver(name: string): Promise<Approver> {
  const { privateKey, publicKey } = newKey();
  const enrolled = await enrolApproverKey(server.running.store, { name, publicKey });
  if (!enrolled.ok) throw new Error(enrolled.failure.message);
  return { ...(await server.signedIn(enrolled.value, privateKey)), publicKey, name };
}

const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const signed = (document: ApproversDocument, by: Approver): SealedApprovers => ({
  document,
  seal: sealWithKey(document, pem(by.privateKey), by.publicKey),
});
const publish = (list: SealedApprovers, by: Person = owner) =>
  server.call<ErrorBody>('POST', '/v1/approver-lists', by.headers, list);
const lists = async (after = 0) =>
  (await server.call<{ lists: SealedApprovers[] }>('GET', `/v1/approver-lists?after=${after}`, agent.headers)).body
    .lists;
const serverKey = async () => (await server.call<{ publicKey: string }>('GET', '/v1/server')).body.publicKey;

const toSeal = (id: string, by: Person, more: object = {}) =>
  server.call<DecisionToSeal & ErrorBody>('POST', `/v1/grants/${id}/approval-document`, by.headers, {
    version: 1,
    term: { kind: 'once' },
    ...more,
  });

async function sealedBody(id: string, by: Approver, more: object = {}) {
  const { document } = (await toSeal(id, by, more)).body;
  const seal = sealWithKey(document, pem(by.privateKey), by.publicKey);
  return { version: 1, term: { kind: 'once' as const }, ...more, sealed: { document, seal } };
}

describe('sealed approvals', () => {
  it('need a list of approvers; only an approver can publish the first list, signed with a key of their own', async () => {
    const grant = await server.pending(agent, 'before');
    expect((await toSeal(grant.id, owner)).body.error.code).toBe('seal.unfit');
    const document = firstApprovers(await serverKey(), 1, keyApprover(owner.name, owner.publicKey), 1_000);
    expect((await publish(signed(document, second))).body.error.code).toBe('approvers.unfit');
    expect((await publish(signed({ ...document, server: second.publicKey }, owner))).status).toBe(422);
    expect((await publish(signed({ ...document, sequence: 2 }, owner))).status).toBe(422);
    expect((await publish(signed(document, owner))).status).toBe(200);
    expect(await lists()).toEqual([signed(document, owner)]);
    expect((await publish(signed({ ...document, sequence: 2 }, owner))).body.error.code).toBe('approvers.unfit');
  });

  it('are stored as they were signed, and are in the audit record and in permits', async () => {
    const grant = await server.pending(agent, 'sealed');
    const body = await sealedBody(grant.id, owner);
    const approved = await server.decide(owner.headers, grant.id, 'approve', body);
    expect(approved.body).toMatchObject({ state: 'approved', sealed: { ...body.sealed, by: 'first' } });
    const { permit } = (await server.redeem(agent, grant)).body;
    const payload = JSON.parse(Buffer.from(permit.split('.')[1] ?? '', 'base64url').toString()) as object;
    expect(payload).toMatchObject({ seals: [body.sealed], approversSequence: 1 });
    const audit = await server.call<{ events: AuditEvent[] }>('GET', '/v1/audit?limit=1000', owner.headers);
    const event = audit.body.events.find(({ kind, grantId }) => kind === 'grant.approved' && grantId === grant.id);
    expect(event?.facts['sealedBy']).toBe('first');
  });

  it.each([
    ['with another term than was signed', { term: { kind: 'always' } }, {}],
    ['with a key that is not on the list of approvers', {}, { by: true }],
    ['with a decision from long ago', {}, { decidedAtMs: 1 }],
    ['for another grant', {}, { grantId: `g_${'b'.repeat(26)}` }],
    ['for another host', {}, { host: 'other' }],
  ] as const)('are refused %s', async (what, approval, change) => {
    const grant = await server.pending(agent, `refused ${what}`);
    const body = await sealedBody(grant.id, owner);
    const by = 'by' in change ? second : owner;
    const document = { ...body.sealed.document, ...('by' in change ? {} : change) };
    const seal = sealWithKey(document, pem(by.privateKey), by.publicKey);
    const sent = { ...body, ...approval, sealed: { document, seal } };
    const answer = await server.decide(owner.headers, grant.id, 'approve', sent);
    expect(answer.body.error.code).toBe('seal.unfit');
    expect((await server.call('GET', `/v1/grants/${grant.id}`, agent.headers)).body).toMatchObject({
      state: 'pending',
    });
  });

  it('are the only approvals that cover requests of a host that demands seals', async () => {
    const grant = await server.pending(agent, 'only');
    await server.decide(owner.headers, grant.id, 'approve', { version: 1, term: { kind: 'always' } });
    const ask = { request: requestFor('only'), findings: null };
    const asked = await server.call<{ outcome: string }>('POST', '/v1/requests', agent.headers, {
      ...ask,
      nonce: nonce(),
      sealedOnly: true,
    });
    expect(asked.body.outcome).toBe('pending');
    const redeemed = await server.call<ErrorBody>('POST', `/v1/grants/${grant.id}/redeem`, agent.headers, {
      fingerprint: grant.fingerprint,
      nonce: nonce(),
      sealedOnly: true,
    });
    expect(redeemed.body.error.code).toBe('seal.required');
    const plain = await server.call<{ outcome: string }>('POST', '/v1/requests', agent.headers, {
      ...ask,
      nonce: nonce(),
    });
    expect(plain.body.outcome).toBe('permitted');
  });

  it('are the only approvals of a pending request of such a host; a denial needs no seal', async () => {
    const filed = async (text: string, demand: object) => {
      const body = { request: requestFor(text), findings: null, nonce: nonce(), ...demand };
      return (await server.call<{ grant: GrantView }>('POST', '/v1/requests', agent.headers, body)).body.grant;
    };
    const browser = await server.owner();
    const page = async (id: string) => (await server.call<string>('GET', `/grants/${id}`, browser)).body;
    const once = (version: number) => ({ version, term: { kind: 'once' } });

    const grant = await filed('demanding', { sealedOnly: true });
    expect(await page(grant.id)).toContain('This host runs only what is approved with a passkey or an owner key.');
    for (const headers of [browser, owner.headers]) {
      const refused = await server.decide(headers, grant.id, 'approve', once(1));
      expect([refused.status, refused.body.error.code]).toEqual([409, 'seal.needed']);
      expect(refused.body.error.message).toContain('Register a passkey on the page Devices');
    }
    expect((await server.call('GET', `/v1/grants/${grant.id}`, agent.headers)).body).toMatchObject({
      state: 'pending',
      version: 1,
    });
    const sealed = await server.decide(owner.headers, grant.id, 'approve', await sealedBody(grant.id, owner));
    expect(sealed.body).toMatchObject({ state: 'approved', sealed: { by: 'first' } });

    const denied = await filed('denied', { sealedOnly: true });
    expect((await server.decide(browser, denied.id, 'deny', { version: 1 })).body).toMatchObject({ state: 'denied' });

    // If the host changes its demand, the grant gets a new version, because the approver saw a card with the old demand.
    const changed = await filed('changed', {});
    expect(await page(changed.id)).toContain('An approval on this page is not sealed: only the server vouches for it.');
    expect(await filed('changed', { sealedOnly: true })).toMatchObject({ id: changed.id, version: 2 });
    expect((await server.decide(browser, changed.id, 'approve', once(1))).body.error.code).toBe('grant.stale');
    expect((await server.decide(browser, changed.id, 'approve', once(2))).body.error.code).toBe('seal.needed');
    expect(await filed('changed', {})).toMatchObject({ id: changed.id, version: 3 });
    expect((await server.decide(browser, changed.id, 'approve', once(3))).body).toMatchObject({ state: 'approved' });
    expect(await page(changed.id)).toContain('unsealed');

    // An approver can deny an old version too; else a requester could prevent the denial by changing its demand again and again.
    const shaken = await filed('shaken', {});
    await filed('shaken', { sealedOnly: true });
    const late = await server.decide(browser, shaken.id, 'deny', { version: 1 });
    expect(late.body).toMatchObject({ state: 'denied', version: 3 });
  });

  it('are checked against a pin; the host says where its pin is, and only the card shows that', async () => {
    const file = async (text: string, claims: object) => {
      const body = { request: requestFor(text), findings: null, nonce: nonce(), ...claims };
      return (await server.call<{ grant: GrantView }>('POST', '/v1/requests', agent.headers, body)).body.grant;
    };
    const browser = await server.owner();
    const page = async (id: string) => (await server.call<string>('GET', `/grants/${id}`, browser)).body;
    const older = await file('says nothing', {});
    expect(older).not.toHaveProperty('pin');
    expect(await page(older.id)).not.toContain('class="hint pin"');

    const grant = await file('claims', { pin: 'system' });
    expect(grant).toMatchObject({ pin: 'system', version: 1 });
    expect(await page(grant.id)).toContain('says: it checks seals by a pin in a place where only root can write.');
    // If the host reports another place, the grant gets a new version. If it reports no place, the last one stays.
    expect(await file('claims', { pin: 'system' })).toMatchObject({ id: grant.id, version: 1 });
    expect(await file('claims', { pin: 'none' })).toMatchObject({ id: grant.id, pin: 'none', version: 2 });
    expect(await file('claims', {})).toMatchObject({ id: grant.id, pin: 'none', version: 2 });
    expect(await page(grant.id)).toContain('so it accepts unsealed approvals.');
    const body = { request: requestFor('odd'), findings: null, nonce: nonce(), pin: 'somewhere' };
    expect((await server.call('POST', '/v1/requests', agent.headers, body)).status).toBe(400);
  });

  it('are revoked if the key that sealed them leaves the list of approvers', async () => {
    const [first] = await lists();
    if (first === undefined) throw new Error('no list');
    const added = { added: keyApprover(second.name, second.publicKey) };
    const two = signed(nextApprovers(first.document, documentDigest(first.document), added, 2_000), owner);
    expect((await publish(signed(two.document, second))).status).toBe(422); // signed by a key that is not on the list before this one
    expect((await publish(two)).status).toBe(200);
    const grant = await server.pending(agent, 'of the second');
    const body = await sealedBody(grant.id, second, { term: { kind: 'always' } });
    expect((await server.decide(second.headers, grant.id, 'approve', body)).status).toBe(200);
    const removed = { removed: keyApprover(second.name, second.publicKey).keyId };
    const three = signed(nextApprovers(two.document, documentDigest(two.document), removed, 3_000), owner);
    expect((await publish(three)).status).toBe(200);
    const ended = await server.call('GET', `/v1/grants/${grant.id}`, agent.headers);
    expect(ended.body).toMatchObject({ state: 'revoked' });
    expect((await toSeal((await server.pending(agent, 'later')).id, second)).body.error.code).toBe('seal.unfit');
    expect(await lists(1)).toEqual([two, three]);
  });
});
