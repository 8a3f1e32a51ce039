/** A host accepts a permit only if every part of it is as expected. */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Confinement } from '../../src/core/confinement/confinement.ts';
import type { PermitPayload } from '../../src/core/wire/permit.ts';
import { type Expectation, isSignedBy, verifyPermit } from '../../src/grants/permit.ts';
import { hs256 } from '../../src/platform/connection-key.ts';
import { signedBy, signedWithConnectionKey } from '../../src/server/grants/permit-token.ts';
import { loadOrCreateServerKey } from '../../src/server/identity/server-key.ts';

const server = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519');
const rawKey = (key: typeof server.publicKey): string => key.export({ format: 'jwk' }).x ?? '';

const expected: Expectation = {
  serverPublicKey: rawKey(server.publicKey),
  subjectId: 's_me',
  fingerprint: 'f'.repeat(64),
  nonce: 'n'.repeat(32),
  findingsDigest: null,
  connectionKey: null,
  confinementLevel: null,
};
const payload: PermitPayload = {
  typ: 'ape-permit/1',
  grantId: 'g_aaaaaaaaaaaaaaaaaaaaaaaaaa',
  requesterId: expected.subjectId,
  fingerprint: expected.fingerprint,
  nonce: expected.nonce,
  term: { kind: 'once' },
  issuedAtMs: 1,
};

/** What the server signs for a line that a standing grant with a scope covers. */
const confinement: Confinement = {
  level: 3,
  read: ['/home/u/app'],
  write: ['/home/u/app/build'],
  execute: ['/usr/bin/git'],
  connect: [443],
  readOnly: ['/home/u/app/build/.envrc'],
  tools: ['git'],
};
const covered: PermitPayload = { ...payload, coveredBy: [{ grantId: 'g_a', title: 'git log' }], confinement };

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function jws(body: unknown, header: unknown = { alg: 'EdDSA' }, key = server.privateKey): string {
  const text = `${part(header)}.${part(body)}`;
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}

test('a permit that the enrolled server signed for this request is accepted', () => {
  expect(verifyPermit(jws(payload), expected)).toEqual({ ok: true, value: payload });
});

test('a permit with a digest of host facts is valid only with exactly these host facts', () => {
  const found = { ...covered, findingsDigest: 'd'.repeat(64) };
  const check = (hostFactsDigest: string | null) =>
    verifyPermit(jws(found), { ...expected, findingsDigest: hostFactsDigest, confinementLevel: 3 }).ok;
  expect([check('d'.repeat(64)), check('e'.repeat(64)), check(null)]).toEqual([true, false, false]);
  expect(verifyPermit(jws(payload), { ...expected, findingsDigest: 'd'.repeat(64) }).ok).toBe(false);
});

describe('confinement', () => {
  const verdict = (body: object, confinementLevel: Expectation['confinementLevel']) =>
    verifyPermit(jws(body), { ...expected, confinementLevel });
  const isRefused = (body: object, level: Expectation['confinementLevel'] = 3) =>
    expect(verdict(body, level)).toMatchObject({ ok: false, failure: { code: 'protocol' } });
  const without = ({ confinement: _, ...rest }: PermitPayload) => rest;

  test('a permit under standing grants has the confinement, at the level that this host reported', () => {
    expect(verdict(covered, 3)).toEqual({ ok: true, value: covered });
    expect(verdict({ ...covered, confinement: { level: 0 } }, 0).ok).toBe(true);
  });

  test('a covered line whose permit has no confinement does not run', () => {
    for (const level of [null, 0, 1, 2, 3] as const) isRefused(without(covered), level);
  });

  test('a permit with another level than this host reported runs nothing, least of all unconfined', () => {
    isRefused({ ...covered, confinement: { level: 0 } }, 3);
    isRefused({ ...covered, confinement: { level: 0 } }, null);
    isRefused({ ...covered, confinement: { ...confinement, level: 2 } }, 3);
    isRefused(covered, 2);
    isRefused(covered, 0);
  });

  test('an exact approval may have a confinement, but never the level 0', () => {
    const { coveredBy: _, ...exact } = covered;
    expect(verdict(exact, null).ok).toBe(true);
    isRefused({ ...exact, confinement: { level: 0 } }, 0);
  });

  test('a scope that covers its own request confines it at the level that this host reported', () => {
    const { coveredBy: _, ...own } = covered;
    const check = (body: object, confinementLevel: 0 | 1 | 2 | 3) =>
      verifyPermit(jws(body), { ...expected, confinementLevel, isByScope: true }).ok;
    expect(check(own, 3)).toBe(true);
    expect(check(without(own), 0)).toBe(true);
    for (const level of [1, 2, 3] as const) expect(check(without(own), level)).toBe(false);
    for (const level of [0, 1, 2] as const) expect(check(own, level)).toBe(false);
    expect(check({ ...own, confinement: { level: 0 } }, 3)).toBe(false);
  });

  test('only a confinement of exactly the right shape is accepted', () => {
    const wrong: readonly unknown[] = [
      null,
      true,
      [],
      {},
      { level: '0' },
      { level: 0, read: [] },
      { ...confinement, level: 4 },
      { ...confinement, level: '3' },
      { ...confinement, read: '/' },
      { ...confinement, read: [1] },
      { ...confinement, write: ['relative'] },
      { ...confinement, write: ['/home/u/../v'] },
      { ...confinement, write: ['/home/u/'] },
      { ...confinement, execute: ['/usr/bin/a\0b'] },
      { ...confinement, connect: 'none' },
      { ...confinement, connect: ['443'] },
      { ...confinement, connect: [0] },
      { ...confinement, connect: [65_536] },
      { ...confinement, connect: [1.5] },
      { ...confinement, readOnly: [''] },
      { ...confinement, tools: [null] },
      { ...confinement, more: true },
    ];
    for (const each of wrong) isRefused({ ...covered, confinement: each });
    for (const name of Object.keys(confinement)) {
      const { [name as keyof Confinement]: _, ...rest } = confinement;
      isRefused({ ...covered, confinement: rest });
    }
  });
});

describe('over a persistent connection', () => {
  const connectionKey = Buffer.alloc(32, 7);
  const sealed = (key: Buffer, header: unknown = { alg: 'HS256' }, body: unknown = payload) => {
    const text = `${part(header)}.${part(body)}`;
    return `${text}.${hs256(key, text).toString('base64url')}`;
  };
  const check = (permit: string, key: Buffer | null) => verifyPermit(permit, { ...expected, connectionKey: key }).ok;

  test('only a permit that is sealed with the key of its connection is accepted', () => {
    expect(check(sealed(connectionKey), connectionKey)).toBe(true);
    expect(check(sealed(Buffer.alloc(32, 8)), connectionKey)).toBe(false);
    expect(check(sealed(connectionKey, { alg: 'HS256' }, { ...payload, nonce: 'm' }), connectionKey)).toBe(false);
    expect(check(sealed(connectionKey).slice(0, -2), connectionKey)).toBe(false);
    expect(check(`${sealed(connectionKey).split('.').slice(0, 2).join('.')}.`, connectionKey)).toBe(false);
  });

  test('the connection decides which algorithm is valid, never the permit itself', () => {
    expect(check(jws(payload), connectionKey)).toBe(false);
    expect(check(jws(payload, { alg: 'HS256' }), null)).toBe(false);
    for (const key of [Buffer.from(expected.serverPublicKey), Buffer.from(expected.serverPublicKey, 'base64url')])
      for (const alg of ['HS256', 'EdDSA', 'none']) expect(check(sealed(key, { alg }), null)).toBe(false);
    expect(check(sealed(connectionKey, { alg: 'EdDSA' }), connectionKey)).toBe(false);
  });
});

describe('what is refused as malformed (exit status 76)', () => {
  const refused = (permit: unknown) => {
    const result = verifyPermit(permit, expected);
    expect(result.ok ? 'believed' : result.failure.code).toBe('protocol');
  };

  test.each([
    ['signed by another key', jws(payload, { alg: 'EdDSA' }, stranger.privateKey)],
    ['with no algorithm', jws(payload, { alg: 'none' })],
    ['with an empty signature', `${jws(payload).split('.').slice(0, 2).join('.')}.`],
    ['for another requester', jws({ ...payload, requesterId: 's_you' })],
    ['for another command', jws({ ...payload, fingerprint: 'e'.repeat(64) })],
    ['with the nonce of an earlier call', jws({ ...payload, nonce: 'm'.repeat(32) })],
    ['for other host facts', jws({ ...payload, findingsDigest: 'd'.repeat(64) })],
    ['with an empty list of covering grants', jws({ ...payload, coveredBy: [] })],
    ['with a covering grant without a title', jws({ ...payload, coveredBy: [{ grantId: 'g_a' }] })],
    ['of another type', jws({ ...payload, typ: 'ape-permit/2' })],
    ['without a grant', jws({ ...payload, grantId: undefined })],
    ['without a term', jws({ ...payload, term: undefined })],
    ['with null as its term', jws({ ...payload, term: null })],
    ['with a fourth part', `${jws(payload)}.x`],
    ['that is not a string', { permit: true }],
    ['that is missing', undefined],
    ['whose payload is null', jws(null)],
  ])('a permit %s', (_title, permit) => refused(permit));

  test('a permit with any one character changed', () => {
    const good = jws(payload);
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.constantFrom(...'ABCxyz019-_'), (at, character) => {
        const changed = good.slice(0, at) + character + good.slice(at + 1);
        // The last character of a part may have unused bits: then another spelling of the same bytes is the same permit.
        const isSame = changed
          .split('.')
          .every((text, index) =>
            Buffer.from(text, 'base64url').equals(Buffer.from(good.split('.')[index] ?? '', 'base64url')),
          );
        if (changed !== good && !isSame) refused(changed);
      }),
      { numRuns: 500 },
    );
  });

  test('a permit of any other shape', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => refused(value)));
    fc.assert(fc.property(fc.jsonValue(), (value) => refused(jws(value))));
  });
});

describe('the test vectors of the standards', () => {
  // RFC 8037, appendix A.1, A.2, A.4 and A.5.
  const d = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A';
  const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
  const signed = 'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc';
  const signature = 'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg';

  test("RFC 8037 A.4: the server's signature is that of the standard", () => {
    const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
    const directory = mkdtempSync(join(tmpdir(), 'ape-key-'));
    writeFileSync(join(directory, 'server-key.pem'), key.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    const loaded = loadOrCreateServerKey(directory);
    rmSync(directory, { recursive: true });
    if (!loaded.ok) throw new Error(loaded.failure.message);
    expect(loaded.value.publicKey).toBe(x);
    expect(signedBy(loaded.value).sign(signed).toString('base64url')).toBe(signature);
  });

  test('RFC 8037 A.5: the host verifies that signature, and with no other text, signature or key', () => {
    const bytes = Buffer.from(signature, 'base64url');
    expect(isSignedBy(x, signed, bytes)).toBe(true);
    expect(isSignedBy(x, `${signed}A`, bytes)).toBe(false);
    expect(isSignedBy(x, signed, Buffer.from(bytes.map((byte, at) => (at === 40 ? byte ^ 1 : byte))))).toBe(false);
    expect(isSignedBy(rawKey(stranger.publicKey), signed, bytes)).toBe(false);
  });

  test('RFC 7515 A.1: the seal of a persistent connection is HS256', () => {
    const key = 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow';
    const text =
      'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ';
    const seal = signedWithConnectionKey(Buffer.from(key, 'base64url')).sign(text);
    expect(seal.toString('base64url')).toBe('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk');
  });
});
