/** A host asks to be enrolled, and an approver decides. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import { enrolmentCode, newEnrolmentNonce } from '../../src/platform/enrolment-code.ts';
import { enrolRequester } from '../../src/server/identity/administration.ts';
import { ENROLMENT_LIFETIME_MS } from '../../src/server/identity/enrolment.ts';
import { MAX_PENDING_ENROLMENTS } from '../../src/server/limits.ts';
import { newKey, TestServer } from './server-fixture.ts';

let server: TestServer;
let skipMs = 0;
beforeAll(async () => {
  server = await TestServer.start({ clock: () => Date.now() + skipMs });
});
afterAll(() => server.stop());

interface State {
  readonly state: string;
  readonly requesterId?: string;
  readonly serverPublicKey: string;
}
const identity = (publicKey: string) => ({ name: 'builder', host: 'ci', user: 'ci', publicKey });
const asks = (publicKey: string) => server.asksForEnrolment(identity(publicKey));
const approve = async (id: string, code: string) => {
  const path = `/v1/enrolments/${id}/approve`;
  const answer = await server.call<State & ErrorBody>('POST', path, await server.owner(), { code });
  return [answer.status, answer.body.error?.code ?? answer.body.state];
};
const listedCode = async (id: string) => {
  type List = { enrolments: { id: string; code: string | null }[] };
  const { enrolments } = (await server.call<List>('GET', '/v1/enrolments?state=pending', await server.owner())).body;
  return enrolments.find((each) => each.id === id)?.code;
};
const state = async (id: string) => (await server.call<State & ErrorBody>('GET', `/v1/enrolments/${id}`)).body;

describe('a host that asks to be enrolled', () => {
  it('has no role until an approver approves it, and is then a requester', async () => {
    const key = newKey();
    const { nonce, body: asked } = await asks(key.publicKey);
    expect(await listedCode(asked.enrolmentId)).toBeNull();
    const { code } = (await server.sendNonce(asked.enrolmentId, nonce)).body;
    const pending = await state(asked.enrolmentId);
    expect(pending).toMatchObject({ state: 'pending' });
    const { serverPublicKey } = pending;
    expect(code).toBe(
      enrolmentCode({ ...identity(key.publicKey), serverPublicKey, enrolmentId: asked.enrolmentId, nonce }),
    );
    expect(code).toMatch(/^[A-Z2-7]{8}$/);
    expect(await listedCode(asked.enrolmentId)).toBe(code);
    const owner = await server.owner();
    expect(await approve(asked.enrolmentId, code)).toEqual([200, 'approved']);
    const requesterId = (await state(asked.enrolmentId)).requesterId ?? '';
    const builder = await server.signedIn(requesterId, key.privateKey);
    const grant = await server.pending(builder, 'make', { host: 'ci', user: 'ci' });
    expect(grant.requesterName).toBe('builder');
    const again = await server.call<ErrorBody>('POST', `/v1/enrolments/${asked.enrolmentId}/deny`, owner);
    expect([again.status, again.body.error.code]).toEqual([409, 'enrolment.decided']);
  });

  it('is shown with other requesters that may ask already and have the same name, or the same host and user', async () => {
    const owner = await server.owner();
    const own = newKey();
    const enrolled = await enrolRequester(server.running.store, {
      name: 'Builder-2',
      host: 'alpha',
      user: 'u',
      publicKey: own.publicKey,
    });
    if (!enrolled.ok) throw new Error(enrolled.failure.message);
    const named = { requesterId: enrolled.value, name: 'Builder-2', host: 'alpha', user: 'u' };
    const pageOf = async (id: string) => (await server.call<string>('GET', `/enrolments/${id}`, owner)).body;
    const asks = async (name: string, host: string, user: string, publicKey = newKey().publicKey) => {
      const { enrolmentId } = await server.enrolling({ name, host, user, publicKey });
      const { enrolments } = (
        await server.call<{ enrolments: { id: string; twins?: object[] }[] }>('GET', '/v1/enrolments', owner)
      ).body;
      const note = 'exists already';
      const parts = [pageOf(enrolmentId), server.call<string>('GET', '/', owner).then(({ body: inbox }) => inbox)];
      const shown = (await Promise.all(parts)).map((page) => page.includes(note));
      await server.call('POST', `/v1/enrolments/${enrolmentId}/deny`, owner);
      return { twins: enrolments.find(({ id }) => id === enrolmentId)?.twins, shown };
    };
    const withTwins = { twins: [expect.objectContaining(named)], shown: [true, true] };
    const withoutTwins = { twins: [], shown: [false, false] };
    expect(await asks('builder-2', 'elsewhere', 'x')).toEqual(withTwins);
    expect(await asks('another', 'ALPHA', 'u')).toEqual(withTwins);
    expect(await asks('Вuildеr‑2', 'elsewhere', 'x')).toEqual(withTwins); // В, е and ‑ are not those of ASCII
    expect(await asks('Build er-2', 'elsewhere', 'x')).toEqual(withTwins);
    expect(await asks('another', 'alpha', 'v')).toEqual(withoutTwins);
    expect(await asks('another', 'beta', 'u')).toEqual(withoutTwins);
    expect(await asks('Builder-2', 'alpha', 'u', own.publicKey)).toEqual(withoutTwins);
    await server.call('POST', `/v1/requesters/${enrolled.value}/revoke`, owner);
    expect(await asks('builder-2', 'elsewhere', 'x')).toEqual(withoutTwins);
  });

  it.each([
    ['a lone surrogate', 'web\ud800', '\\u{d800}'],
    ['a mark that turns the direction', 'web\u202e1', '\\u{202e}'],
    ['a character without width', 'web\u200b', '\\u{200b}'],
    ['a line separator', 'web\u2028', '\\u{2028}'],
    ['a C1 control', 'web\u0085', '\\u{85}'],
    ['a space that is none', 'web\u00a01', '\\u{a0}'],
    ['a space at the end', 'web ', 'ends with a space'],
    ['two spaces', 'web  1', 'two spaces'],
  ])('is refused with %s in one of its names', async (_what, odd, said) => {
    for (const part of ['name', 'host', 'user']) {
      const body = { ...identity(newKey().publicKey), [part]: odd, role: 'requester', commitment: newEnrolmentNonce() };
      const { status, body: answer } = await server.call<ErrorBody>('POST', '/v1/enrolments', {}, body);
      expect([part, status, answer.error.code]).toEqual([part, 400, 'request.malformed']);
      expect(answer.error.message).toContain(said);
    }
    expect(
      (await server.call<{ enrolments: [] }>('GET', '/v1/enrolments', await server.owner())).body.enrolments,
    ).toEqual([]);
  });

  it('gets no role if it is denied, or if no approver decides within 15 minutes', async () => {
    const denied = (await asks(newKey().publicKey)).body; // an enrolment without a nonce can be denied
    const late = await server.enrolling(identity(newKey().publicKey));
    const silent = await asks(newKey().publicKey);
    await server.call('POST', `/v1/enrolments/${denied.enrolmentId}/deny`, await server.owner());
    expect(await state(denied.enrolmentId)).toMatchObject({ state: 'denied' });
    skipMs += ENROLMENT_LIFETIME_MS;
    expect(await state(late.enrolmentId)).toMatchObject({ state: 'expired' });
    expect(await approve(late.enrolmentId, late.code)).toEqual([409, 'enrolment.decided']);
    const sent = await server.sendNonce(silent.body.enrolmentId, silent.nonce);
    expect([sent.status, sent.body.error.code]).toEqual([409, 'enrolment.decided']);
  });

  it('cannot use a key that another requester already has', async () => {
    const key = newKey();
    const known = { name: 'old', host: 'elsewhere', user: 'u', publicKey: key.publicKey };
    const first = await enrolRequester(server.running.store, known);
    expect(await enrolRequester(server.running.store, known)).toEqual(first);
    const clash = await asks(key.publicKey);
    expect([clash.status, clash.body.error.code]).toEqual([400, 'request.malformed']);
    expect((await enrolRequester(server.running.store, { ...known, host: 'third' })).ok).toBe(false);
  });

  it('cannot fill the list of enrolments without limit', async () => {
    const proxied = await TestServer.start({ clock: () => Date.now() + skipMs, publicUrl: 'https://apes.example.org' });
    const asksFrom = (address: string) =>
      proxied.call<ErrorBody>(
        'POST',
        '/v1/enrolments',
        { 'x-forwarded-for': address },
        { ...identity(newKey().publicKey), role: 'requester', commitment: newEnrolmentNonce() },
      );
    const answers = await Promise.all(
      Array.from({ length: MAX_PENDING_ENROLMENTS + 5 }, (_, index) => asksFrom(`10.0.0.${index}`)),
    );
    expect(answers.filter((answer) => answer.status === 503).length).toBeGreaterThanOrEqual(5);
    expect(answers.filter((answer) => answer.status === 201).length).toBeLessThanOrEqual(MAX_PENDING_ENROLMENTS);
    skipMs += ENROLMENT_LIFETIME_MS;
    expect((await asksFrom('10.0.1.1')).status).toBe(201);
    await proxied.stop();
  });
});
