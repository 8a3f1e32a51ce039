/** Approvals of a group with one signature: for which requests, by which signature, and what is still checked for each request. */
import type { KeyObject } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../src/core/grant/audit-event.ts';
import { firstApprovers, nextApprovers } from '../../src/core/sealed/approver-list.ts';
import { batchText } from '../../src/core/sealed/batch.ts';
import type { AskAnswer } from '../../src/core/wire/ask.ts';
import type { BatchAnswer, ShownGrants } from '../../src/core/wire/decisions.ts';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { PasskeyRequest } from '../../src/core/wire/passkeys.ts';
import type { Approver, BatchToSeal, DecisionDocument, SealedApprovers } from '../../src/core/wire/sealed.ts';
import { documentDigest, keyApprover, sealWithKey } from '../../src/platform/approver-key.ts';
import { challengeOfText } from '../../src/platform/passkey-signature.ts';
import { enrolApproverKey } from '../../src/server/identity/administration.ts';
import { setPerson, setQuorum } from '../../src/server/identity/people-administration.ts';
import { allRules } from '../core/rule-effects.ts';
import { type Headers, originOf, ownerWithDevice, register } from './passkey-person.ts';
import { newKey, nonce, type Person, TestServer } from './server-fixture.ts';
import { hostFactsFor, lineRequest, payloadOf, pendingLine } from './server-lines.ts';
import { SoftwareAuthenticator } from './software-authenticator.ts';

const LATER_MS = 11 * 60_000;
let nowMs = Date.now();
let server: TestServer;
let agent: Person;
let phone: { device: SoftwareAuthenticator; headers: Headers };
let owner: { person: Person; publicKey: string };
beforeEach(async () => {
  nowMs = Date.now();
  server = await TestServer.start({ rules: allRules, clock: () => nowMs });
  agent = await server.requester();
  phone = await ownerWithDevice(server);
  const { privateKey, publicKey } = newKey();
  const enrolled = await enrolApproverKey(server.running.store, { name: 'owner key', publicKey });
  if (!enrolled.ok) throw new Error(enrolled.failure.message);
  owner = { person: await server.signedIn(enrolled.value, privateKey), publicKey };
});
afterEach(() => server.stop());

const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const asApprover = (device: SoftwareAuthenticator, name: string, person?: string): Approver => ({
  kind: 'passkey',
  keyId: Buffer.from(device.credentialId).toString('base64url'),
  name,
  publicKey: device.pair.publicKey.export({ format: 'jwk' }) as Record<string, string>,
  rpId: 'localhost',
  origins: [originOf(server)],
  ...(person === undefined ? {} : { person }),
});

/** Makes the list of approvers: the owner key, then each passkey. */
async function admit(...passkeys: readonly Approver[]): Promise<void> {
  const { publicKey } = (await server.call<{ publicKey: string }>('GET', '/v1/server')).body;
  let list = firstApprovers(publicKey, 1, keyApprover('owner key', owner.publicKey), nowMs);
  for (const added of [null, ...passkeys]) {
    if (added !== null) list = nextApprovers(list, documentDigest(list), { added }, nowMs);
    const sent: SealedApprovers = {
      document: list,
      seal: sealWithKey(list, pem(owner.person.privateKey), owner.publicKey),
    };
    const { status, body } = await server.call('POST', '/v1/approver-lists', owner.person.headers, sent);
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
}

/** Files a line as a host that knows batches does, unless `more` says otherwise. */
async function asked(
  text: string,
  more: object = { batches: true },
  by = agent,
  about: Parameters<typeof lineRequest>[1] = {},
): Promise<GrantView> {
  const request = lineRequest(text, about);
  const body = { request, nonce: nonce(), findings: hostFactsFor(request), ...more };
  const answer = await server.call<AskAnswer>('POST', '/v1/requests', by.headers, body);
  if (answer.body.outcome !== 'pending') throw new Error(JSON.stringify(answer.body));
  return answer.body.grant;
}

const shownOf = (grants: readonly GrantView[]): ShownGrants => grants.map(({ id, version }) => ({ id, version }));
const toSeal = (grants: ShownGrants, headers = phone.headers) =>
  server.call<BatchToSeal & ErrorBody>('POST', '/v1/approvals/document', headers, { grants });
const approve = (body: object, headers = phone.headers) =>
  server.call<BatchAnswer & ErrorBody>('POST', '/v1/approvals', headers, body);
const stored = async ({ id }: Pick<GrantView, 'id'>) =>
  (await server.call<GrantView>('GET', `/v1/grants/${id}`, phone.headers)).body;
const statesOf = async (grants: readonly GrantView[]) =>
  Promise.all(grants.map(async (grant) => (await stored(grant)).state));
const codeOf = ({ status, body }: { status: number; body: Partial<ErrorBody> }) => [status, body.error?.code];

function sign({ documents, batch, passkey }: BatchToSeal, device = phone.device) {
  const { credentialId: keyId, userHandle: _, ...signed } = device.get(passkey);
  return { documents, seal: { kind: 'passkey' as const, keyId, ...signed, batch } };
}

async function signedFor(grants: readonly GrantView[], by = phone) {
  const { status, body } = await toSeal(shownOf(grants), by.headers);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { grants: shownOf(grants), sealed: sign(body, by.device) };
}

describe('a sealed batch', () => {
  beforeEach(() => admit(asApprover(phone.device, 'phone')));

  it('approves each request once and exactly, with a document for each and one signature for all', async () => {
    const grants = [await asked('touch a'), await asked('touch b'), await asked('touch c')];
    const body = await signedFor(grants);
    const counter = phone.device.counter;
    expect((await approve(body)).body).toEqual({ approved: grants.map(({ id }) => id), refused: [] });
    expect(phone.device.counter).toBe(counter);
    for (const [at, grant] of grants.entries()) {
      const document = body.sealed.documents[at];
      expect(document).toMatchObject({ grantId: grant.id, fingerprint: grant.fingerprint, scope: null });
      expect(await stored(grant)).toMatchObject({
        state: 'approved',
        term: { kind: 'once' },
        sealed: { document, seal: body.sealed.seal, by: 'phone' },
      });
      const { permit } = (await server.redeem(agent, grant)).body;
      expect(payloadOf(permit).seals).toEqual([{ document, seal: body.sealed.seal }]);
      expect((await stored(grant)).state).toBe('used');
    }
    const { events } = (
      await server.call<{ events: AuditEvent[] }>('GET', '/v1/audit?limit=1000', owner.person.headers)
    ).body;
    expect(events.filter(({ kind }) => kind === 'passkey.confirmed')).toHaveLength(1);
    expect(events.filter(({ kind, facts }) => kind === 'grant.approved' && facts['sealedBy'] === 'phone')).toHaveLength(
      3,
    );
  });

  it('is valid once: neither the batch nor one of its approvals can be sent again', async () => {
    const grants = [await asked('touch a'), await asked('touch b')];
    const body = await signedFor(grants);
    expect((await approve(body)).status).toBe(200);
    expect(codeOf(await approve(body))).toEqual([403, 'passkey.over']);
    const [document] = body.sealed.documents;
    const alone = { version: 1, term: { kind: 'once' }, sealed: { document, seal: body.sealed.seal } };
    expect(codeOf(await server.decide(phone.headers, grants[0]?.id ?? '', 'approve', alone))).toEqual([
      422,
      'seal.unfit',
    ]);
  });

  it('leaves out requests that were decided meanwhile, and names them as not approved', async () => {
    const grants = [await asked('touch a'), await asked('touch b'), await asked('touch c')];
    const [first, ...others] = grants as [GrantView, GrantView, GrantView];
    await server.decide(phone.headers, first.id, 'deny', { version: 1 });
    const { body } = await toSeal(shownOf(grants));
    expect(body.documents.map(({ grantId }) => grantId)).toEqual(others.map(({ id }) => id));
    const signed = { grants: shownOf(others), sealed: sign(body) };
    await server.decide(phone.headers, others[0].id, 'deny', { version: 1 });
    expect((await approve(signed)).body).toMatchObject({
      approved: [others[1].id],
      refused: [{ id: others[0].id, code: 'grant.denied' }],
    });
  });

  it.each([
    ['with fewer grants than were signed', (body: Signed) => ({ ...body, grants: body.grants.slice(0, 2) })],
    ['with the documents in another order', (body: Signed) => ({ ...body, grants: body.grants.toReversed() })],
    [
      'with a document that is not in the batch',
      (body: Signed) =>
        withDocuments(body, ([one, ...others]) => [{ ...(one as DecisionDocument), host: 'x' }, ...others]),
    ],
    ['with one digest more than documents', (body: Signed) => withBatch(body, (batch) => [...batch, 'f'.repeat(64)])],
    ['with its digests in another order', (body: Signed) => withBatch(body, (batch) => batch.toReversed())],
    ['with a digest twice', (body: Signed) => withBatch(body, ([one = '']) => [one, one, one])],
  ] as const)('is refused %s, and approves nothing', async (_, change) => {
    const grants = [await asked('touch a'), await asked('touch b'), await asked('touch c')];
    const answer = await approve((change as (body: Signed) => object)(await signedFor(grants)));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await statesOf(grants)).toEqual(['pending', 'pending', 'pending']);
  });

  it('is refused if documents were changed before they were signed', async () => {
    const grants = [await asked('touch a'), await asked('touch b')];
    const { body } = await toSeal(shownOf(grants));
    const always = body.documents.map((document) => ({ ...document, term: { kind: 'always' as const } }));
    const digests = always.map(documentDigest);
    const challenge = challengeOfText(batchText(digests) ?? '');
    const sealed = sign({ documents: always, batch: digests, passkey: { ...body.passkey, challenge } });
    expect((await approve({ grants: shownOf(grants), sealed })).body).toMatchObject({
      approved: [],
      refused: [{ code: 'seal.unfit' }, { code: 'seal.unfit' }],
    });
    expect(await statesOf(grants)).toEqual(['pending', 'pending']);
  });

  it('is refused as too old after ten minutes', async () => {
    const grants = [await asked('touch a'), await asked('touch b')];
    const body = await signedFor(grants);
    nowMs += LATER_MS;
    const { body: answer } = await approve(body);
    expect(answer.approved ?? []).toEqual([]);
  });

  it('is not offered if a host does not know batches, because that host would refuse the seal', async () => {
    const grants = [await asked('touch a'), await asked('touch b', {})];
    expect(codeOf(await toSeal(shownOf(grants)))).toEqual([422, 'batch.one_by_one']);
    // At its next call the host has a version that knows batches.
    const again = await asked('touch b');
    expect(again).toMatchObject({ id: grants[1]?.id, batches: true, version: 2 });
    expect((await toSeal(shownOf([grants[0] as GrantView, again]))).status).toBe(200);
  });
});

type Signed = Awaited<ReturnType<typeof signedFor>>;
const withBatch = (body: Signed, change: (batch: readonly string[]) => readonly string[]) => ({
  ...body,
  sealed: { ...body.sealed, seal: { ...body.sealed.seal, batch: change(body.sealed.seal.batch ?? []) } },
});
const withDocuments = (body: Signed, change: (all: readonly DecisionDocument[]) => readonly DecisionDocument[]) => ({
  ...body,
  sealed: { ...body.sealed, documents: change(body.sealed.documents) },
});

describe('a batch has only requests of one group', () => {
  beforeEach(() => admit(asApprover(phone.device, 'phone')));

  it.each([
    ['requests of two risks', ['touch a', 'cat a']],
    ['requests of two risks with one kind of command', ['cat a', 'cat /home/agent/.ssh/id_ed25519']],
    ['lines that the inbox does not show whole', [`touch ${'a'.repeat(200)}`, `touch ${'b'.repeat(200)}`]],
    ['requests whose risk needs a number', ['rm -rf a', 'rm -rf b']],
    ['opaque lines', ['unheard-of 1', 'unheard-of 2']],
    ['requests with two kinds of commands', ['touch a', 'mkdir b']],
  ] as const)('not %s', async (_, lines) => {
    const grants: GrantView[] = [];
    for (const line of lines) grants.push(await asked(line));
    expect(codeOf(await toSeal(shownOf(grants)))).toEqual([422, 'batch.unfit']);
    expect(codeOf(await approve({ grants: shownOf(grants) }))).toEqual([422, 'batch.unfit']);
    expect(await statesOf(grants)).toEqual(['pending', 'pending']);
  });

  it('not those of two requesters, not one request twice, not one alone, and not more than fifty', async () => {
    const other = await server.requester('other');
    const grants = [await asked('touch a'), await asked('touch b', { batches: true }, other)];
    expect(codeOf(await approve({ grants: shownOf(grants) }))).toEqual([422, 'batch.unfit']);
    const [one] = shownOf(grants) as [ShownGrants[number]];
    expect(codeOf(await approve({ grants: [one, one] }))).toEqual([422, 'batch.unfit']);
    for (const count of [0, 1, 51]) {
      const many = Array.from({ length: count }, (_, at) => ({ ...one, id: `${one.id.slice(0, -2)}${10 + at}` }));
      expect([count, codeOf(await approve({ grants: many }))]).toEqual([count, [400, 'request.malformed']]);
      expect([count, codeOf(await toSeal(many))]).toEqual([count, [400, 'request.malformed']]);
    }
    expect(await statesOf(grants)).toEqual(['pending', 'pending']);
  });

  it('not those whose commands depend on an unusual variable, even if an approval has known that variable', async () => {
    const about = { environment: [{ name: 'LD_PRELOAD', value: '/opt/lib.so' }] };
    const known = await asked('touch first', { batches: true }, agent, about);
    const once = { version: 1, term: { kind: 'once' } };
    expect((await server.decide(owner.person.headers, known.id, 'approve', once)).status).toBe(200);
    const grants = [];
    for (const text of ['touch a', 'touch b']) grants.push(await asked(text, { batches: true }, agent, about));
    expect(codeOf(await toSeal(shownOf(grants)))).toEqual([422, 'batch.unfit']);
    expect(codeOf(await approve({ grants: shownOf(grants) }))).toEqual([422, 'batch.unfit']);
    expect(await statesOf(grants)).toEqual(['pending', 'pending']);
  });

  it("not the approver's own requests", async () => {
    const grants = [await asked('touch a'), await asked('touch b')];
    const body = await signedFor(grants);
    const set = await setPerson(server.running.store, 's_owner', { limits: null, own: [agent.id] }, { nowMs });
    expect(set.ok).toBe(true);
    expect((await approve(body)).body.refused).toMatchObject([
      { code: 'approver.own_request' },
      { code: 'approver.own_request' },
    ]);
    expect(codeOf(await toSeal(shownOf(grants)))).toEqual([422, 'batch.one_by_one']);
  });
});

it('an owner key signs each decision separately, and gets no batch', async () => {
  await admit();
  const grants = [await asked('touch a'), await asked('touch b')];
  expect(codeOf(await toSeal(shownOf(grants), owner.person.headers))).toEqual([422, 'seal.unfit']);
});

it('if two people have to approve, each of them signs a batch, and the second batch completes the approvals', async () => {
  const grace = await server.person('Grace');
  const device = new SoftwareAuthenticator(originOf(server));
  await register(server, grace.headers, device);
  await admit(asApprover(phone.device, 'phone'), asApprover(device, 'tablet', grace.id));
  const two = await setQuorum(server.running.store, { medium: 2 }, { nowMs });
  expect(two.ok).toBe(true);
  const grants = [await asked('touch a'), await asked('touch b')];
  expect((await approve(await signedFor(grants))).status).toBe(200);
  const halfway = await Promise.all(grants.map(stored));
  expect(halfway.map(({ state, version }) => [state, version])).toEqual([
    ['pending', 2],
    ['pending', 2],
  ]);
  // The same person cannot count as the second person.
  nowMs += 1_000;
  expect((await approve(await signedFor(halfway))).status).toBe(200);
  const again = await Promise.all(grants.map(stored));
  expect(again.map(({ state }) => state)).toEqual(['pending', 'pending']);
  nowMs += 1_000;
  expect((await approve(await signedFor(again, { device, headers: grace.headers }), grace.headers)).status).toBe(200);
  for (const grant of grants) {
    const { state, sealed } = await stored(grant);
    expect([state, sealed?.by, sealed?.also?.map(({ by }) => by)]).toEqual(['approved', 'tablet', ['phone']]);
  }
});

describe('a batch without a seal', () => {
  const first = async (grants: readonly GrantView[]) => {
    const answer = await approve({ grants: shownOf(grants) });
    expect(codeOf(answer)).toEqual([403, 'passkey.needed']);
    return answer.body.error.passkey as PasskeyRequest;
  };

  it('is confirmed once, for exactly these requests', async () => {
    const grants = [await pendingLine(server, agent, 'touch a'), await pendingLine(server, agent, 'touch b')];
    const other = await pendingLine(server, agent, 'touch c');
    const assertion = phone.device.get(await first(grants));
    const more = shownOf([...grants, other]);
    expect(codeOf(await approve({ grants: more, assertion }))).toEqual([403, 'passkey.over']);
    expect(codeOf(await approve({ grants: more.slice(1), assertion }))).toEqual([403, 'passkey.over']);
    expect(await statesOf([...grants, other])).toEqual(['pending', 'pending', 'pending']);
    expect((await approve({ grants: shownOf(grants), assertion })).body.approved).toHaveLength(2);
    // Sent again, the batch approves nothing, because its requests are approved already.
    expect((await approve({ grants: shownOf(grants), assertion })).body.approved).toEqual([]);
    expect(
      codeOf(await approve({ grants: shownOf([other, await pendingLine(server, agent, 'touch d')]), assertion })),
    ).toEqual([403, 'passkey.over']);
    expect(await statesOf([...grants, other])).toEqual(['approved', 'approved', 'pending']);
  });

  it('is refused if the database fails while the server looks up whether a passkey is needed', async () => {
    const grants = [await pendingLine(server, agent, 'touch a'), await pendingLine(server, agent, 'touch b')];
    const { store } = server.running;
    const read = store.read.bind(store);
    let fails = grants.length;
    store.read = (work) =>
      read(async (rows) => {
        const result = await work(rows);
        const isLookup = (result as { readonly value?: unknown } | undefined)?.value === true; // a passkey is needed
        if (isLookup && fails-- > 0) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
        return result;
      });
    const answer = await approve({ grants: shownOf(grants) });
    expect(answer.status).toBe(503);
    expect(await statesOf(grants)).toEqual(['pending', 'pending']);
  });

  it('is not valid for a request whose host demands a seal', async () => {
    const grants = [
      await asked('touch a', { sealedOnly: true, batches: true }),
      await asked('touch b', { sealedOnly: true, batches: true }),
    ];
    expect((await approve({ grants: shownOf(grants) })).body).toMatchObject({
      approved: [],
      refused: [{ code: 'seal.needed' }, { code: 'seal.needed' }],
    });
  });
});
