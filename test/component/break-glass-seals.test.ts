/** The server's side of break-glass codes that seal. The server knows the public half of the key, and never the code. */
import { createPrivateKey, sign } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredAuditEvent } from '../../src/core/grant/audit-event.ts';
import { firstApprovers, nextApprovers } from '../../src/core/sealed/approver-list.ts';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { BreakGlassView } from '../../src/core/wire/people.ts';
import type { ApproversDocument, DecisionToSeal, SealedApprovers } from '../../src/core/wire/sealed.ts';
import type { WhyAnswer } from '../../src/core/wire/why.ts';
import {
  breakGlassApprover,
  documentDigest,
  keyApprover,
  keyIdOf,
  sealWithKey,
} from '../../src/platform/approver-key.ts';
import { newSealingCode, secretsOf } from '../../src/platform/break-glass-code.ts';
import { documentOf } from '../../src/server/grants/seal-approval.ts';
import { enrolApproverKey } from '../../src/server/identity/administration.ts';
import { csrfTokenOf } from '../../src/server/identity/authentication.ts';
import { endBreakGlassOf, keepSealingCode, setQuorum } from '../../src/server/identity/people-administration.ts';
import type { ServerParts } from '../../src/server/server-ports.ts';
import type { Subject } from '../../src/store/store.ts';
import { newKey, nonce, type Person, requestFor, TestServer } from './server-fixture.ts';

type Headers = Readonly<Record<string, string>>;
type Code = ReturnType<typeof newSealingCode>;
const MINUTE_MS = 60_000;
const LASTS_MS = 15 * MINUTE_MS;

let server: TestServer;
let agent: Person;
let owner: Headers;
let key: Person & { readonly publicKey: string };
let newest: ApproversDocument;
let nowMs: number;
beforeEach(async () => {
  nowMs = Date.parse('2026-06-10T12:00:00Z');
  server = await TestServer.start({ clock: () => nowMs });
  agent = await server.requester();
  owner = await server.owner();
  const made = await server.approverKey();
  const publicKey = made.privateKey.export({ format: 'jwk' }).x ?? '';
  key = { ...made, publicKey };
  const about = (await server.call<{ publicKey: string }>('GET', '/v1/server')).body;
  await publish(firstApprovers(about.publicKey, 1, keyApprover('owner key', publicKey), nowMs));
});
afterEach(() => server.stop());

const pem = (person: Pick<Person, 'privateKey'>) =>
  person.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
async function publish(document: ApproversDocument): Promise<void> {
  const list: SealedApprovers = { document, seal: sealWithKey(document, pem(key), key.publicKey) };
  const answer = await server.call<ErrorBody>('POST', '/v1/approver-lists', key.headers, list);
  expect([answer.status, answer.body]).toMatchObject([200, {}]);
  newest = document;
}
const next = (change: Parameters<typeof nextApprovers>[2]) =>
  publish(nextApprovers(newest, documentDigest(newest), change, nowMs));

/** A code whose key is on the list of approvers. */
async function sealingCode(name = 'Safe', lastsMs = 86_400_000): Promise<Code & { readonly id: string }> {
  const code = newSealingCode();
  const { signInSecret: secret, publicKey } = code;
  const kept = await keepSealingCode(server.running.store, name, { secret, publicKey }, { nowMs });
  if (!kept.ok) throw new Error(kept.failure.message);
  await next({ added: breakGlassApprover(kept.value.id, publicKey, nowMs + lastsMs) });
  return { ...code, id: kept.value.id };
}

const signIn = (code: string) =>
  server.call<ErrorBody>('POST', '/v1/sign-in/recovery-code', { origin: server.url }, { code });
async function signedIn({ signInSecret }: Code): Promise<Headers> {
  const answer = await signIn(signInSecret);
  expect(answer.status).toBe(200);
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { cookie, origin: server.url, 'x-csrf-token': csrfTokenOf(cookie.split('=')[1] ?? '') };
}
/** The private key of a code, as a page derives it. */
const privateKeyOf = ({ code }: Code) => secretsOf(code.replaceAll('-', '').slice(0, 32)).privateKey;

const filed = async (text: string, demand: object = { sealedOnly: true }) => {
  const body = { request: requestFor(text), findings: null, nonce: nonce(), ...demand };
  return (await server.call<{ grant: GrantView }>('POST', '/v1/requests', agent.headers, body)).body.grant;
};
const toSeal = (by: Headers, { id, version }: GrantView, term: object = { kind: 'once' }) =>
  server.call<DecisionToSeal & ErrorBody>('POST', `/v1/grants/${id}/approval-document`, by, { version, term });
async function approve(
  by: Headers,
  code: Code,
  grant: GrantView,
  term: object = { kind: 'once' },
  change: object = {},
) {
  const { document } = (await toSeal(by, grant, term)).body;
  const seal = sealWithKey({ ...document, ...change }, privateKeyOf(code), code.publicKey);
  const body = { version: grant.version, term, sealed: { document: { ...document, ...change }, seal } };
  return server.decide(by, grant.id, 'approve', body);
}
const view = async () => (await server.call<BreakGlassView>('GET', '/v1/break-glass', owner)).body;
const events = async (): Promise<readonly StoredAuditEvent[]> => {
  const found = await server.running.store.read((rows) => rows.events(0, 200));
  if (!found.ok) throw new Error('no events');
  return found.value;
};

describe('a code that seals', () => {
  it('decides alone for a host that takes sealed approvals only; the record and the permit name its key', async () => {
    await setQuorum(server.running.store, { low: 3 }, { nowMs });
    const code = await sealingCode();
    const by = await signedIn(code);
    nowMs += 5 * MINUTE_MS;
    const grant = await filed('eval "$LINE"');
    const asked = (await toSeal(by, grant)).body;
    expect(asked).toMatchObject({
      keys: [{ keyId: keyIdOf(code.publicKey), kind: 'ed25519' }],
      needed: true,
      document: { expiresAtMs: nowMs + 10 * MINUTE_MS, approversSequence: 2 },
    });
    expect(asked.passkey).toBeUndefined();
    const approved = (await approve(by, code, grant)).body;
    expect(approved).toMatchObject({
      state: 'approved',
      expiresAtMs: nowMs + 10 * MINUTE_MS,
      sealed: { by: `break-glass code ${code.id}` },
    });
    const page = (await server.call<string>('GET', `/grants/${grant.id}`, owner)).body;
    expect(page).toContain(`sealed by break-glass code ${code.id}`);
    const { permit } = (await server.redeem(agent, approved)).body;
    const payload = JSON.parse(Buffer.from(permit.split('.')[1] ?? '', 'base64url').toString()) as {
      seals: readonly object[];
    };
    expect(payload).toMatchObject({ approversSequence: 2, seals: [{ seal: { keyId: keyIdOf(code.publicKey) } }] });
    expect(payload.seals[0]).not.toHaveProperty('also');
    const approvedEvent = (await events()).find(({ kind }) => kind === 'grant.approved');
    expect(approvedEvent?.facts).toMatchObject({ breakGlass: true, sealedBy: `break-glass code ${code.id}` });
  });

  it('gives approvals that end with its 15 minutes; the signed document says so too', async () => {
    const code = await sealingCode();
    const by = await signedIn(code);
    const endMs = nowMs + LASTS_MS;
    nowMs += 5 * MINUTE_MS;
    for (const [text, term, untilMs] of [
      ['ever', { kind: 'always' }, endMs],
      ['long', { kind: 'timed', forMs: 3_600_000 }, endMs],
      ['short', { kind: 'timed', forMs: MINUTE_MS }, nowMs + MINUTE_MS],
    ] as const) {
      const grant = await filed(text);
      expect((await toSeal(by, grant, term)).body.document.term).toEqual({ kind: 'timed', untilMs });
      const approved = (await approve(by, code, grant, term)).body;
      expect(approved).toMatchObject({ state: 'approved', term: { kind: 'timed', untilMs } });
    }
    const long = await approve(by, code, await filed('longer'), { kind: 'always' }, { term: { kind: 'always' } });
    expect(long.body.error.code).toBe('seal.unfit');
  });

  it('cannot approve for a sealed-only host without a seal, or with the seal of another key', async () => {
    const [code, other] = [await sealingCode(), await sealingCode('Till')];
    const by = await signedIn(code);
    const grant = await filed('only');
    const bare = { version: grant.version, term: { kind: 'once' } };
    expect((await server.decide(by, grant.id, 'approve', bare)).body.error.code).toBe('seal.needed');
    expect((await approve(by, other, grant)).body.error.code).toBe('seal.unfit');
    const { document } = (await toSeal(by, grant)).body;
    const sealed = { document, seal: sealWithKey(document, pem(key), key.publicKey) };
    expect((await server.decide(by, grant.id, 'approve', { ...bare, sealed })).body.error.code).toBe('seal.unfit');
    // The server stores what was signed: it refuses a document that was changed after the signature.
    const changed = {
      document: { ...document, host: 'other' },
      seal: sealWithKey(document, privateKeyOf(code), code.publicKey),
    };
    const after = await server.decide(by, grant.id, 'approve', { ...bare, sealed: changed });
    expect(after.body.error.code).toBe('seal.unfit');
    expect((await approve(by, code, grant)).body.state).toBe('approved');
  });

  it('may be used at the same time as another code, each with its own key', async () => {
    const codes = [await sealingCode('Safe'), await sealingCode('Till')];
    for (const code of codes) {
      const by = await signedIn(code);
      expect((await approve(by, code, await filed(`by ${code.code}`))).body.state).toBe('approved');
    }
    const { open, left } = await view();
    expect([open.map(({ isSealing }) => isSealing), left]).toEqual([[true, true], []]); // no key is left over while its code is valid
  });

  it('is not stored if nine other codes exist', async () => {
    const kept = async (name: string) => {
      const { signInSecret: secret, publicKey } = newSealingCode();
      return keepSealingCode(server.running.store, name, { secret, publicKey }, { nowMs });
    };
    for (let at = 1; at <= 9; at += 1) expect((await kept(`code ${at}`)).ok).toBe(true);
    expect(await kept('one more')).toMatchObject({ ok: false, failure: { message: expect.stringContaining('9') } });
    const made = await server.call<ErrorBody>('POST', '/v1/break-glass', owner, { name: 'one more' });
    expect([made.status, made.body.error.code]).toEqual([429, 'server.too_many']);
    expect((await view()).codes).toHaveLength(9);
  });

  it("is not an approver's key, even if the same key is enrolled as one", async () => {
    const code = await sealingCode();
    const enrolled = await enrolApproverKey(server.running.store, { name: 'again', publicKey: code.publicKey });
    if (!enrolled.ok) throw new Error(enrolled.failure.message);
    const { headers } = await server.signedIn(enrolled.value, createPrivateKey(privateKeyOf(code)));
    const asked = await toSeal(headers, await filed('by the key of a code'));
    expect([asked.status, asked.body.error.code]).toEqual([422, 'seal.unfit']);
  });

  it('gives approvals that end after 15 minutes by the clock of the approval, even if that clock is behind the clock of the sign-in', async () => {
    const { id } = await filed('earlier');
    const found = await server.running.store.read((rows) => rows.grant(id));
    if (!found.ok || found.value === undefined) throw new Error('no grant');
    const by = { role: 'break-glass', createdAtMs: nowMs + 2 * MINUTE_MS } as Subject;
    const serverKey = { publicKey: 'key' } as ServerParts['serverKey'];
    const document = documentOf({ serverKey }, by, { ...found.value, term: { kind: 'once' } }, nowMs, 1);
    expect(document?.expiresAtMs).toBe(nowMs + LASTS_MS);
  });

  it('cannot sign a list of approvers, and gets no token with its key', async () => {
    const code = await sealingCode();
    const by = await signedIn(code);
    const document = nextApprovers(
      newest,
      documentDigest(newest),
      { added: keyApprover('M', newKey().publicKey) },
      nowMs,
    );
    const list = { document, seal: sealWithKey(document, privateKeyOf(code), code.publicKey) };
    expect((await server.call('POST', '/v1/approver-lists', by, list)).status).toBe(403);
    const sent = await server.call<ErrorBody>('POST', '/v1/approver-lists', key.headers, list);
    expect(sent.body.error.code).toBe('approvers.unfit');
    const [open] = (await view()).open;
    const subjectId = open?.id ?? '';
    const { challenge } = (await server.call<{ challenge: string }>('POST', '/v1/auth/challenge', {}, { subjectId }))
      .body;
    const stored = await server.running.store.read((rows) => rows.subject(subjectId));
    expect(stored.ok && stored.value?.publicKey).toBeNull();
    const text = Buffer.from(challenge ?? '');
    const signature = sign(null, text, createPrivateKey(privateKeyOf(code))).toString('base64url');
    const token = await server.call('POST', '/v1/auth/token', {}, { subjectId, challenge, signature });
    expect(token.status).toBeGreaterThanOrEqual(400);
  });

  it('does not sign in by itself: the server takes only the secret that is derived from it', async () => {
    const code = await sealingCode();
    expect((await signIn(code.code)).status).toBe(403);
    const stored = await server.running.store.read((rows) => rows.passkeys.ownerSetting('break_glass'));
    for (const secret of [code.code, code.signInSecret, code.code.replaceAll('-', '').slice(0, 32)])
      expect(JSON.stringify(stored)).not.toContain(secret);
    expect((await signIn(code.signInSecret)).status).toBe(200);
    expect((await signIn(code.signInSecret)).status).toBe(403);
  });

  it('leaves its key on the list when it ends; the view names that key, and a list without it revokes what it sealed', async () => {
    const code = await sealingCode();
    const by = await signedIn(code);
    const grant = (await approve(by, code, await filed('ends'))).body;
    const [open] = (await view()).open;
    expect((await endBreakGlassOf(server.running.store, open?.id ?? '', { nowMs })).ok).toBe(true);
    const recorded = await server.running.store.read(async (rows) => rows.events(0, 1000));
    const ofCode = recorded.ok ? recorded.value.filter(({ kind }) => kind.startsWith('break_glass.')) : [];
    expect(ofCode.map(({ kind, facts }) => [kind, facts['codeId']])).toEqual(
      ['made', 'opened', 'ended'].map((how) => [`break_glass.${how}`, code.id]),
    );
    const keyId = keyIdOf(code.publicKey);
    expect(await view()).toEqual({ codes: [], open: [], left: [{ keyId, name: `break-glass code ${code.id}` }] });
    expect((await server.call<string>('GET', '/people', owner)).body).toContain(`apes owner break-glass end ${keyId}`);
    await next({ removed: keyId });
    expect(await view()).toEqual({ codes: [], open: [], left: [] });
    expect((await server.call<GrantView>('GET', `/v1/grants/${grant.id}`, owner)).body.state).toBe('revoked');
  });

  it('does not seal before its key is on the list, or after the key was removed from it', async () => {
    const { signInSecret: secret, publicKey, ...rest } = newSealingCode();
    const kept = await keepSealingCode(server.running.store, 'Early', { secret, publicKey }, { nowMs });
    const id = kept.ok ? kept.value.id : '';
    expect((await view()).codes).toMatchObject([{ name: 'Early', isSealing: false }]);
    const by = await signedIn({ ...rest, signInSecret: secret, publicKey });
    expect((await toSeal(by, await filed('early'))).body.error.code).toBe('seal.unfit');
    expect((await server.call<string>('GET', '/', by)).body).toContain('Hosts that take only sealed approvals');
    await next({ added: breakGlassApprover(id, publicKey, nowMs + 86_400_000) });
    expect((await server.call<string>('GET', '/', by)).body).toContain('The key of the code seals what you approve');
    await next({ removed: keyIdOf(publicKey) });
    expect((await toSeal(by, await filed('late'))).body.error.code).toBe('seal.unfit');
  });

  it('seals until the end of its key, which the view and the page show; after that it signs in but does not seal', async () => {
    const code = await sealingCode('Safe', 5 * MINUTE_MS);
    const keyEndsAtMs = nowMs + 5 * MINUTE_MS;
    expect((await view()).codes).toMatchObject([{ isSealing: true, keyEndsAtMs }]);
    const people = async () => (await server.call<string>('GET', '/people', owner)).body;
    expect(await people()).toContain('seals what it approves until <time datetime="2026-06-10T12:05:00.000Z"');
    nowMs = keyEndsAtMs;
    expect((await view()).codes).toMatchObject([{ isSealing: false, keyEndsAtMs }]);
    expect(await people()).toContain('its key ended <time datetime="2026-06-10T12:05:00.000Z"');
    const by = await signedIn(code);
    expect((await toSeal(by, await filed('late'))).body.error.code).toBe('seal.unfit');
    expect((await server.call<string>('GET', '/', by)).body).toContain('Hosts that take only sealed approvals');
  });

  it('is named in nothing that a requester can read', async () => {
    const code = await sealingCode('Behind the picture');
    const by = await signedIn(code);
    const grant = (await approve(by, code, await filed('named'))).body;
    const { permit } = (await server.redeem(agent, grant)).body;
    expect(Buffer.from(permit.split('.')[1] ?? '', 'base64url').toString()).not.toContain('picture');
    for (const path of ['/v1/approver-lists', `/v1/grants/${grant.id}`, '/v1/grants']) {
      const text = JSON.stringify((await server.call('GET', path, agent.headers)).body);
      expect([path, text.includes(code.id), text.includes('picture')]).toEqual([path, true, false]);
    }
    const whyFor = async (headers: Headers) =>
      (await server.call<WhyAnswer>('GET', `/v1/grants/${grant.id}/why`, headers)).body;
    const forRequester = await whyFor(agent.headers);
    expect(forRequester.decidedBy?.name).toBe('a break-glass code');
    expect(JSON.stringify(forRequester)).not.toContain('picture');
    expect((await whyFor(owner)).decidedBy?.name).toBe('Behind the picture (break-glass)');
  });
});

it('the page says that a code made there does not seal, if there is a list of approvers', async () => {
  const text = 'A code that is made on this page does not seal';
  const page = (await server.call<string>('GET', '/people', owner)).body;
  expect(page).toContain(text);
  expect(page).toContain('<code>apes owner break-glass make --seal NAME</code>');
  const fresh = await TestServer.start();
  expect((await fresh.call<string>('GET', '/people', await fresh.owner())).body).not.toContain(text);
  await fresh.stop();
});

it('the secrets that are derived from a code never change, so that a code on paper keeps working; each new code is different', () => {
  expect(secretsOf('a'.repeat(32))).toMatchInlineSnapshot(`
    {
      "privateKey": "-----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIIDW9UIJgp9ZjSZRJINeJyfKg+b7W+uBE/7/xIrGdFOk
    -----END PRIVATE KEY-----
    ",
      "publicKey": "IBciD1efvNCiuZdf8pYv1hwr8I18v8KXNTEGCC2sSus",
      "signInSecret": "5levd5ue26v2wh2ug754cdsqqkatfinm",
    }
  `);
  const { code } = newSealingCode((bytes) => Buffer.alloc(bytes));
  expect(code).toMatch(/^(aaaaa-){6}aa[a-z2-7]{3}$/);
  const codes = Array.from({ length: 50 }, () => newSealingCode());
  expect(new Set(codes.map(({ signInSecret, publicKey }) => signInSecret + publicKey)).size).toBe(50);
  for (const each of codes) expect(each.code).toMatch(/^([a-z2-7]{5}-){6}[a-z2-7]{5}$/);
});
