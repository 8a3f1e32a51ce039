/** A policy that allows reading is sealed by a passkey: what the server offers for signing, what it accepts, and what the page Rules says. */
import type { KeyObject } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../src/core/grant/audit-event.ts';
import { firstApprovers, nextApprovers } from '../../src/core/sealed/approver-list.ts';
import type { AskAnswer } from '../../src/core/wire/ask.ts';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { PolicyBody, PolicyView } from '../../src/core/wire/policy.ts';
import type { Approver, ApproversDocument, PolicyToSeal } from '../../src/core/wire/sealed.ts';
import { documentDigest, keyApprover, sealWithKey } from '../../src/platform/approver-key.ts';
import { enrolApproverKey } from '../../src/server/identity/administration.ts';
import { allRules } from '../core/rule-effects.ts';
import { type Headers, originOf, ownerWithDevice } from './passkey-person.ts';
import { newKey, nonce, type Person, TestServer } from './server-fixture.ts';
import { hostFactsFor, lineRequest, PROJECT, payloadOf } from './server-lines.ts';
import type { SoftwareAuthenticator } from './software-authenticator.ts';

let server: TestServer;
let agent: Person;
let phone: { device: SoftwareAuthenticator; headers: Headers };
beforeEach(async () => {
  server = await TestServer.start({ rules: allRules });
  agent = await server.requester();
  phone = await ownerWithDevice(server);
});
afterEach(() => server.stop());

/** Makes the list of approvers: an owner key, then the phone. */
async function admit(): Promise<void> {
  const { privateKey, publicKey } = newKey();
  const enrolled = await enrolApproverKey(server.running.store, { name: 'owner key', publicKey });
  if (!enrolled.ok) throw new Error(enrolled.failure.message);
  const { headers } = await server.signedIn(enrolled.value, privateKey);
  const key = (await server.call<{ publicKey: string }>('GET', '/v1/server')).body.publicKey;
  const first = firstApprovers(key, 1, keyApprover('owner key', publicKey), Date.now());
  const added: Approver = {
    kind: 'passkey',
    keyId: Buffer.from(phone.device.credentialId).toString('base64url'),
    name: 'phone',
    publicKey: phone.device.pair.publicKey.export({ format: 'jwk' }) as Record<string, string>,
    rpId: 'localhost',
    origins: [originOf(server)],
  };
  const pem = (of: KeyObject): string => of.export({ type: 'pkcs8', format: 'pem' }).toString();
  const send = async (document: ApproversDocument) => {
    const seal = sealWithKey(document, pem(privateKey), publicKey);
    const { status, body } = await server.call('POST', '/v1/approver-lists', headers, { document, seal });
    if (status !== 200) throw new Error(JSON.stringify(body));
  };
  await send(first);
  await send(nextApprovers(first, documentDigest(first), { added }, Date.now()));
}

/** Asks as a host that takes only sealed approvals, unless `demand` says otherwise. */
async function ask(text: string, demand: object = { sealedOnly: true }): Promise<AskAnswer> {
  const request = lineRequest(text);
  const body = { request, nonce: nonce(), findings: hostFactsFor(request), ...demand };
  return (await server.call<AskAnswer>('POST', '/v1/requests', agent.headers, body)).body;
}

async function readingOf(demand?: object): Promise<PolicyBody> {
  const asked = await ask('ls src', demand);
  if (asked.outcome !== 'pending') throw new Error(JSON.stringify(asked));
  const { id: environmentOf } = asked.grant;
  return { effect: 'allow-reading', requesterId: agent.id, directories: [PROJECT], environmentOf };
}

const toSeal = (body: PolicyBody) =>
  server.call<PolicyToSeal & Partial<ErrorBody>>('POST', '/v1/policies/document', phone.headers, body);
const make = (body: object) =>
  server.call<PolicyView & Partial<ErrorBody>>('POST', '/v1/policies', phone.headers, body);
const rules = async () =>
  (await server.call<string>('GET', '/rules', phone.headers)).body
    .replace(/<(?!strong|code)[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

function signed(body: PolicyBody, { document, passkey }: PolicyToSeal) {
  if (passkey === undefined) throw new Error('there is nothing for a passkey to sign');
  const { credentialId: keyId, userHandle: _, ...assertion } = phone.device.get(passkey);
  return { ...body, sealed: { document, seal: { kind: 'passkey' as const, keyId, ...assertion } } };
}

it('of a host that takes only sealed approvals: the page Rules tells approvers, but not auditors, to register a passkey', async () => {
  await ask('ls src');
  const { headers } = await server.person('Aud', 'auditor');
  const seen = (await server.call<string>('GET', '/rules', headers)).body;
  const advice = 'Register a passkey on the page';
  expect([await rules(), seen.includes('takes only') || seen.includes('runs only'), seen.includes(advice)]).toEqual([
    expect.stringContaining(advice),
    true,
    false,
  ]);
});

describe('a reading policy', () => {
  it('is sealed by a passkey, and then covers requests of a host that takes only sealed approvals', async () => {
    await admit();
    const body = await readingOf();
    const asked = await toSeal(body);
    expect(asked.body).toMatchObject({ document: { typ: 'ape-policy/1', requesterId: agent.id } });
    const sent = signed(body, asked.body);
    const made = await make(sent);
    expect([made.status, made.body]).toEqual([
      200,
      expect.objectContaining({ id: sent.sealed.document.policyId, sealed: { ...sent.sealed, by: 'phone' } }),
    ]);
    const covered = await ask('cat src/a.ts');
    expect(covered.outcome === 'permitted' && payloadOf(covered.permit)).toMatchObject({
      coveredBy: [{ grantId: made.body.id }],
      seals: [sent.sealed],
      approversSequence: 2,
    });
    const { events } = (await server.call<{ events: AuditEvent[] }>('GET', '/v1/audit?limit=1000', phone.headers)).body;
    const facts = (kind: string) => events.find((event) => event.kind === kind)?.facts;
    expect(facts('policy.created')).toMatchObject({ policyId: made.body.id, sealedBy: 'phone' });
    expect(facts('passkey.confirmed')).toMatchObject({ verb: 'seal' });
    expect(await rules()).toMatch(/ On .* · sealed by phone/);
  });

  it('is not made twice from one signature, or from a signature over another text', async () => {
    await admit();
    const body = await readingOf();
    const sent = signed(body, (await toSeal(body)).body);
    const wider = await make({ ...sent, directories: ['/home/agent'] });
    expect(wider.body.error?.code).toBe('seal.unfit');
    const again = signed(body, (await toSeal(body)).body);
    expect((await make(again)).status).toBe(200);
    expect((await make(again)).status).not.toBe(200);
    const { policies } = (await server.call<{ policies: PolicyView[] }>('GET', '/v1/policies', phone.headers)).body;
    expect(policies.length).toBe(1);
  });

  it('checks the counter of the passkey, so that a copy of the passkey is noticed', async () => {
    await admit();
    const body = await readingOf();
    const asked = (await toSeal(body)).body;
    phone.device.counter += 5;
    expect((await make(signed(body, asked))).status).toBe(200);
    phone.device.counter -= 5;
    const copied = await make(signed(body, (await toSeal(body)).body));
    expect([copied.status, copied.body.error?.code]).toEqual([403, 'passkey.copied']);
  });

  it('without a seal is labelled as such, and as without effect if its host takes only sealed approvals', async () => {
    const open = await readingOf({});
    expect(await rules()).toMatch(/Let reading there run without asking not sealed/);
    await make(open);
    expect(await rules()).toMatch(/ On may run without asking.* · not sealed/);
    expect((await ask('cat src/a.ts')).outcome).toBe('pending');
    expect(await rules()).toMatch(/ No effect may run without asking.* · not sealed/);
    expect(await rules()).toContain('This host runs only what is approved with a passkey or an owner key.');
  });
});
