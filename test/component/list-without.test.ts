/** A person removes a device from the list of approvers on the page: another passkey of this person, which stays on the list, signs the next one. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { firstApprovers, nextApprovers } from '../../src/core/sealed/approver-list.ts';
import { sealedText } from '../../src/core/sealed/sealed-text.ts';
import type { PasskeyRequest, PasskeyView } from '../../src/core/wire/passkeys.ts';
import type { Approver, ApproversDocument, ListToSeal, SealedApprovers } from '../../src/core/wire/sealed.ts';
import { documentDigest } from '../../src/platform/approver-key.ts';
import { challengeOfText } from '../../src/platform/passkey-signature.ts';
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
const without = ({ passkey }: typeof lost, as = headers) =>
  server.call<ListToSeal & Refused>('POST', `/v1/passkeys/${passkey.id}/list-without`, as);
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

it('is signed with the other passkey, and the removed one is on it no more', async () => {
  await listBoth();
  const { status, body } = await without(lost);
  expect(status).toBe(200);
  expect(body.passkey.credentials.map(({ id }) => id)).toEqual([kept.passkey.credentialId]);
  expect((await publish(sealed(body.document, kept, body.passkey))).status).toBe(200);
  expect(await newest()).toEqual([kept.passkey.credentialId]);
  expect((await without(lost)).body.error?.code).toBe('approvers.unfit');
});

it('is refused where the signature is for another list, or by a key that is on none', async () => {
  await listBoth();
  const { body } = await without(lost);
  const changed = { ...body.document, approvers: [approverOf(lost)] };
  expect((await publish({ ...sealed(body.document, kept, body.passkey), document: changed })).status).toBe(422);
  const stranger = { ...kept, device: new SoftwareAuthenticator(originOf(server)) };
  expect((await publish(sealed(body.document, stranger, body.passkey))).status).toBe(422);
  expect(await newest()).toHaveLength(2);
});

it('is not offered where no other passkey could sign, nor for a device of another person', async () => {
  expect((await without(lost)).body.error?.code).toBe('approvers.unfit');
  const { publicKey } = (await server.call<{ publicKey: string }>('GET', '/v1/server')).body;
  const alone = firstApprovers(publicKey, 1, approverOf(lost), server.nowMs());
  expect((await publish(sealed(alone, lost))).status).toBe(200);
  expect((await without(lost)).body.error?.code).toBe('seal.unfit');
  const key = await server.approverKey();
  expect((await without(lost, key.headers)).body.error?.code).toBe('passkey.unknown');
  const page = await server.call<string>('GET', '/devices', { ...headers, accept: 'text/html' });
  expect(page.body).toContain('you have no other passkey that may sign one');
  expect(page.body).not.toContain('data-sealing');
});

it('is what the page offers where there is one', async () => {
  await listBoth();
  const page = await server.call<string>('GET', '/devices', { ...headers, accept: 'text/html' });
  expect(page.body.match(/data-sealing/g)).toHaveLength(2);
});
