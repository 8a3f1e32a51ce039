/** Checks of the answer of an authenticator to a given challenge. Each fault has a name. */
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { PasskeyCreation } from '../../src/core/wire/passkeys.ts';
import { passkeyPlace } from '../../src/server/identity/passkey-place.ts';
import { checkAssertion, checkRegistration } from '../../src/server/identity/webauthn.ts';
import { type Lies, SoftwareAuthenticator } from './software-authenticator.ts';

const place = { rpId: 'localhost', origin: 'http://localhost:7417' };
const challenge = Buffer.alloc(32, 7).toString('base64url');
const creation: PasskeyCreation = {
  challenge,
  rpId: place.rpId,
  userId: 'cw',
  userName: 'Ada',
  algorithms: [-7],
  known: [],
  timeoutMs: 1,
};

async function registered() {
  const device = new SoftwareAuthenticator(place.origin);
  const key = await checkRegistration(device.create(creation), place, challenge);
  if (!key.ok) throw new Error(key.failure);
  return { device, key: key.value };
}

describe('an assertion over a given challenge', () => {
  it('gives the counter, and whether the user was verified', async () => {
    const { device, key } = await registered();
    const { x, y } = device.pair.publicKey.export({ format: 'jwk' });
    expect(key).toMatchObject({ algorithm: -7, publicKey: { kty: 'EC', crv: 'P-256', x, y }, counter: 0 });
    const asked = { challenge, rpId: place.rpId };
    const value = { counter: 1, isUserVerified: false, isBackedUp: false };
    const signed = await checkAssertion(key, device.get(asked, { isVerified: false }), place, challenge);
    expect(signed).toEqual({ ok: true, value });
  });

  it.each<[string, Lies]>([
    ['origin', { origin: 'http://localhost:1' }],
    ['challenge', { challenge: Buffer.alloc(32, 8).toString('base64url') }],
    ['forged', { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }],
    ['forged', { rpId: 'other' }],
    ['forged', { type: 'webauthn.create' }],
    ['forged', { isPresent: false }],
  ])('is refused as "%s"', async (failure, lies) => {
    const { device, key } = await registered();
    const assertion = device.get({ challenge, rpId: place.rpId }, lies);
    expect(await checkAssertion(key, assertion, place, challenge)).toEqual({ ok: false, failure });
  });

  it('is refused if another credential made it', async () => {
    const [one, other] = [await registered(), await registered()];
    const assertion = one.device.get({ challenge, rpId: place.rpId });
    const wrong = { ...one.key, credentialId: other.key.credentialId };
    expect(await checkAssertion(wrong, assertion, place, challenge)).toEqual({ ok: false, failure: 'forged' });
  });
});

it.each([
  ['http://127.0.0.1:7417', { rpId: 'localhost', origin: 'http://localhost:7417' }],
  ['http://[::1]:7417', { rpId: 'localhost', origin: 'http://localhost:7417' }],
  ['http://localhost:7417', { rpId: 'localhost', origin: 'http://localhost:7417' }],
  ['https://approve.example.org', { rpId: 'approve.example.org', origin: 'https://approve.example.org' }],
  ['https://approve.example.org:8443', { rpId: 'approve.example.org', origin: 'https://approve.example.org:8443' }],
  ['https://192.0.2.1', null],
  ['https://127.0.0.1', null],
])('at the address %s passkeys are made for %j', (publicUrl, expected) => {
  expect(passkeyPlace(publicUrl)).toEqual(expected);
});
