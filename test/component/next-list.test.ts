/** A person removes a device from the list of approvers on the page: another passkey of theirs that stays on the list signs the next list. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { firstApprovers, nextApprovers } from '../../src/core/sealed/approver-list.ts';
import { sealedText } from '../../src/core/sealed/sealed-text.ts';
import type { PasskeyRequest, PasskeyView } from '../../src/core/wire/passkeys.ts';
import type { Approver, ApproversDocument, ListToSeal, ListWish, SealedApprovers } from '../../src/core/wire/sealed.ts';
import { breakGlassApprover, documentDigest } from '../../src/platform/approver-key.ts';
import { newSealingCode } from '../../src/platform/break-glass-code.ts';
import { challengeOfText } from '../../src/platform/passkey-signature.ts';
import { revokePerson } from '../../src/server/identity/people.ts';
import { type Headers, originOf, ownerWithDevice, type Refused, register } from './passkey-person.ts';
import { TestServer } from './server-fixture.ts';
import { SoftwareAuthenticator } from './software-authenticator.ts';

let server: TestServer;
let headers: Headers;
let lost: { readonly device: SoftwareAuthenticator; readonly passkey: PasskeyView };
let kept: { readonly device: SoftwareAuthenticator; readonly passkey: PasskeyView };
beforeEach(async () => {
  server = await TestServer.start();
  const first = await ownerWithDevice(server);
  headers = first.headers;
  lost = first;
  const device = new SoftwareAuthenticator(originOf(server));
  const { body } = await register(server, headers, device);
  kept = { device, passkey: body };
});
afterEach(() => server.stop());

const approverOf = ({ passkey }: typeof lost): Approver => ({
  kind: 'passkey',
  keyId: passkey.credentialId,
  name: passkey.id,
  publicKey: passkey.publicKey,
  rpId: passkey.rpId,
  origins: [originOf(server)],
});

function sealed(document: ApproversDocument, { device }: typeof lost, asked?: PasskeyRequest): SealedApprovers {
  const challenge = challengeOfText(sealedText(document) ?? '');
  const request = asked ?? { challenge, rpId: 'localhost', credentials: [], timeoutMs: 1 };
  const { credentialId, userHandle: _, ...signed } = device.get(request);
  return { document, seal: { kind: 'passkey', keyId: credentialId, ...signed } };
}

const publish = (list: SealedApprovers) => server.call<Refused>('POST', '/v1/approver-lists', headers, list);
const next = (wish: ListWish, as = headers) =>
  server.call<ListToSeal & Refused>('POST', '/v1/approver-lists/next', as, wish);
const without = ({ passkey }: typeof lost, as = headers) => next({ without: passkey.id }, as);
const newest = async () => {
  const { body } = await server.call<{ lists: SealedApprovers[] }>('GET', '/v1/approver-lists', headers);
  return body.lists.at(-1)?.document.approvers.map(({ keyId }) => keyId);
};

async function listBoth(): Promise<void> {
  const { publicKey } = (await server.call<{ publicKey: string }>('GET', '/v1/server')).body;
  const first = firstApprovers(publicKey, 1, approverOf(lost), server.nowMs());
  expect((await publish(sealed(first, lost))).status).toBe(200);
  const second = nextApprovers(first, documentDigest(first), { added: approverOf(kept) }, server.nowMs());
  expect((await publish(sealed(second, lost))).status).toBe(200);
}

it('the next list is signed with the remaining passkey, and lacks the removed one', async () => {
  await listBoth();
  const { status, body } = await without(lost);
  expect(status).toBe(200);
  expect(body.passkey.credentials.map(({ id }) => id)).toEqual([kept.passkey.credentialId]);
  expect((await publish(sealed(body.document, kept, body.passkey))).status).toBe(200);
  expect(await newest()).toEqual([kept.passkey.credentialId]);
  expect((await without(lost)).body.error?.code).toBe('approvers.unfit');
});

it('the lists name the passkeys that were removed or blocked', async () => {
  await listBoth();
  const revoked = async () =>
    (await server.call<{ revoked: string[] }>('GET', '/v1/approver-lists?after=9', headers)).body.revoked;
  expect(await revoked()).toEqual([]);
  await server.running.store.write((rows) => rows.passkeys.putPasskeyAside(kept.passkey.id, server.nowMs()));
  expect(await revoked()).toEqual([kept.passkey.credentialId]);
});

it('the next list is refused if its signature is for another list, or by a key that is on no list', async () => {
  await listBoth();
  const { body } = await without(lost);
  const changed = { ...body.document, approvers: [approverOf(lost)] };
  expect((await publish({ ...sealed(body.document, kept, body.passkey), document: changed })).status).toBe(422);
  const stranger = { ...kept, device: new SoftwareAuthenticator(originOf(server)) };
  expect((await publish(sealed(body.document, stranger, body.passkey))).status).toBe(422);
  expect(await newest()).toHaveLength(2);
});

it('removal is not offered if no other passkey could sign, nor for a device of another person', async () => {
  expect((await without(lost)).body.error?.code).toBe('approvers.unfit');
  const { publicKey } = (await server.call<{ publicKey: string }>('GET', '/v1/server')).body;
  const alone = firstApprovers(publicKey, 1, approverOf(lost), server.nowMs());
  expect((await publish(sealed(alone, lost))).status).toBe(200);
  expect((await without(lost)).body.error?.code).toBe('seal.unfit');
  const key = await server.approverKey();
  expect((await without(lost, key.headers)).body.error?.code).toBe('passkey.unknown');
  const page = await server.call<string>('GET', '/devices', { ...headers, accept: 'text/html' });
  expect(page.body).toContain('You have no other passkey that may sign such a list');
  expect(page.body).not.toContain('data-sealing');
});

it('the page People removes the key of a used break-glass code, and no other key in this way', async () => {
  await listBoth();
  const { publicKey } = newSealingCode();
  const listed = (await server.call<{ lists: SealedApprovers[] }>('GET', '/v1/approver-lists', headers)).body.lists;
  const from = listed.at(-1)?.document as ApproversDocument;
  const code = breakGlassApprover('b_1', publicKey, server.nowMs() + 86_400_000);
  const third = nextApprovers(from, documentDigest(from), { added: code }, server.nowMs());
  expect((await publish(sealed(third, kept))).status).toBe(200);
  expect(await peoplePageOf()).toContain('Sign a list without it');
  for (const keyId of [kept.passkey.credentialId, 'k_nothing'])
    expect([keyId, (await next({ withoutCode: keyId })).body.error?.code]).toEqual([keyId, 'approvers.unfit']);
  const { status, body } = await next({ withoutCode: code.keyId });
  expect(status).toBe(200);
  expect((await publish(sealed(body.document, lost, body.passkey))).status).toBe(200);
  expect(await newest()).toEqual([lost, kept].map(({ passkey }) => passkey.credentialId));
  expect(await peoplePageOf()).not.toContain('Sign a list without it');
});

it('the page offers both passkeys on the list', async () => {
  await listBoth();
  const page = await server.call<string>('GET', '/devices', { ...headers, accept: 'text/html' });
  expect(page.body.match(/data-sealing/g)).toHaveLength(2);
});

const limits = { requesters: null, hosts: null, upTo: 'medium' as const };
const peoplePageOf = (as = headers) =>
  server.call<string>('GET', '/people', { ...as, accept: 'text/html' }).then(({ body }) => body);

async function deviceOf(name: string, upTo: typeof limits | null = null, role: 'approver' | 'auditor' = 'approver') {
  const person = await server.person(name, role, upTo);
  const device = new SoftwareAuthenticator(originOf(server));
  const { body: passkey } = await register(server, person.headers, device);
  return { ...person, device, passkey };
}

it('the next list admits the device of another approver, with the person who owns it', async () => {
  await listBoth();
  const grace = await deviceOf('Grace');
  expect(await peoplePageOf()).toContain('Sign a list with it');
  const { status, body } = await next({ add: grace.passkey.id });
  expect(status).toBe(200);
  expect(body.document.approvers.at(-1)).toEqual({ ...approverOf(grace), name: 'Grace', person: grace.id });
  expect(body.document.approvers.slice(0, -1)).toEqual([approverOf(lost), approverOf(kept)]);
  expect((await publish(sealed(body.document, kept, body.passkey))).status).toBe(200);
  expect(await newest()).toContain(grace.passkey.credentialId);
  expect(await peoplePageOf()).not.toContain('Sign a list with it');
  expect((await next({ add: grace.passkey.id })).body.error?.code).toBe('approvers.unfit');
});

it('the next list has the rules for people and the person of each key', async () => {
  await listBoth();
  expect(await peoplePageOf()).not.toContain('Sign the rules');
  const grace = await deviceOf('Grace', limits);
  expect(await peoplePageOf()).toContain('Sign the rules');
  const { body } = await next({ people: true });
  expect(body.document.typ).toBe('ape-approvers/2');
  expect(body.document.people?.persons).toEqual([{ id: grace.id, limits, own: [] }]);
  expect(body.document.approvers.map(({ person }) => person)).toEqual(['s_owner', 's_owner']);
  expect((await publish(sealed(body.document, kept, body.passkey))).status).toBe(200);
  expect(await peoplePageOf()).not.toContain('Sign the rules');
});

it('the next list has the right person for a key that the list so far gives to the owner', async () => {
  await listBoth();
  const grace = await deviceOf('Grace');
  const { body } = await next({ add: grace.passkey.id });
  const nameless = { ...body.document, approvers: body.document.approvers.map(({ person: _, ...each }) => each) };
  expect((await publish(sealed(nameless, kept))).status).toBe(200);
  expect(await peoplePageOf()).toContain('Sign the rules');
  expect((await next({ people: true })).body.document.approvers.map(({ person }) => person)).toEqual([
    's_owner',
    's_owner',
    grace.id,
  ]);
});

it('no person with limits signs the next list, and it admits no auditor, no revoked person and no possibly copied passkey', async () => {
  await listBoth();
  const grace = await deviceOf('Grace', limits);
  for (const wish of [{ people: true } as const, { add: grace.passkey.id }]) {
    const { body } = await next(wish);
    expect((await publish(sealed(body.document, kept, body.passkey))).status).toBe(200);
  }
  const other = await deviceOf('Ada');
  expect((await next({ add: other.passkey.id }, grace.headers)).body.error?.code).toBe('auth.forbidden');
  expect(await peoplePageOf(grace.headers)).not.toContain('data-passkey="sign-list"');
  expect(await peoplePageOf()).toContain('data-passkey="sign-list"');
  // Hosts decide by the list, which still has the limits.
  await server.call('POST', `/v1/people/${grace.id}`, headers, { limits: null });
  expect((await next({ add: other.passkey.id }, grace.headers)).body.error?.code).toBe('seal.unfit');
  const auditor = await deviceOf('Ann', null, 'auditor');
  expect((await next({ people: true }, auditor.headers)).status).toBe(403);
  expect((await next({ add: auditor.passkey.id })).body.error?.code).toBe('passkey.unknown');
  await server.running.store.write((rows) => rows.passkeys.putPasskeyAside(other.passkey.id, server.nowMs()));
  expect((await next({ add: other.passkey.id })).body.error?.code).toBe('approvers.unfit');
  const gone = await deviceOf('Gone');
  await server.running.store.write((rows) => revokePerson(rows, gone.id, null, server.nowMs()));
  expect((await next({ add: gone.passkey.id })).body.error?.code).toBe('passkey.unknown');
});

it('there is nothing to sign before the first list', async () => {
  expect((await next({ people: true })).body.error?.code).toBe('approvers.unfit');
  expect(await peoplePageOf()).not.toContain('What the hosts follow');
});
