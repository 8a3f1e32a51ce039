/** Sign-ins: people see their own sign-ins, and can end one of them, or all others, at once. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SignInView } from '../../src/core/wire/sign-ins.ts';
import { browserName } from '../../src/server/identity/browser-name.ts';
import { endSignIns, listSignIns } from '../../src/server/identity/device-administration.ts';
import { invite } from '../../src/server/identity/people.ts';
import { readEvents } from './event-reader.ts';
import { headersOf } from './passkey-person.ts';
import { TestServer } from './server-fixture.ts';

type Headers = Readonly<Record<string, string>>;
let server: TestServer;
beforeEach(async () => {
  server = await TestServer.start();
});
afterEach(() => server.stop());

async function signInWith(userAgent: string): Promise<Headers> {
  const answer = await server.call('POST', `/sign-in/${await server.ownerLink()}`, { 'user-agent': userAgent });
  return headersOf(server, answer);
}
const list = async (headers: Headers) =>
  (await server.call<{ signIns: SignInView[] }>('GET', '/v1/sign-ins', headers)).body.signIns;
const end = async (headers: Headers, what: string) =>
  (await server.call('POST', `/v1/sign-ins/${what}`, headers)).status;
const isIn = async (headers: Headers) => (await server.call('GET', '/v1/whoami', headers)).status === 200;
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Mobile Safari/604';

async function grace(): Promise<Headers> {
  const at = { random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)), nowMs: Date.now() };
  const invited = await server.running.store.write((rows) => invite(rows, 'Grace', null, 'approver', at));
  if (!invited.ok) throw new Error(invited.failure.message);
  return headersOf(server, await server.call('POST', `/sign-in/${invited.value.value.token}`));
}

describe('a person', () => {
  it('sees the browsers that are signed in, marked which one is this browser, and no secret of them', async () => {
    const phone = await signInWith(PHONE);
    const here = await signInWith('curl/8.0');
    const shown = await list(here);
    expect(shown.map(({ browser, isThis }) => [browser, isThis]).sort()).toEqual([
      ['Safari on iPhone', false],
      ['curl', true],
    ]);
    const text = JSON.stringify(shown);
    for (const { cookie = '' } of [phone, here]) expect(text).not.toContain(cookie.split('=')[1]);
  });

  it('ends one sign-in at once: it gets no more answers, and its open stream ends', async () => {
    const phone = await signInWith(PHONE);
    const here = await signInWith('curl/8.0');
    const stream = await readEvents(`${server.url}/v1/events`, phone);
    const [{ id } = { id: '' }] = (await list(here)).filter(({ isThis }) => !isThis);
    expect(await end(here, `${id}/end`)).toBe(204);
    expect(await isIn(phone)).toBe(false);
    await stream.ended;
    expect([await isIn(here), await end(here, `${id}/end`)]).toEqual([true, 404]);
  });

  it('ends all other sign-ins, and stays signed in', async () => {
    const others = [await signInWith(PHONE), await signInWith(PHONE), await signInWith(PHONE)];
    const here = await signInWith('curl/8.0');
    const ended = await server.call<{ ended: number }>('POST', '/v1/sign-ins/end-others', here);
    expect(ended.body).toEqual({ ended: 3 });
    expect(await Promise.all(others.map(isIn))).toEqual([false, false, false]);
    expect((await list(here)).map(({ isThis }) => isThis)).toEqual([true]);
  });

  it('neither sees nor ends the sign-ins of another person', async () => {
    const owner = await signInWith(PHONE);
    const other = await grace();
    const [{ id } = { id: '' }] = await list(owner);
    expect((await list(other)).map((each) => each.id)).not.toContain(id);
    expect(await end(other, `${id}/end`)).toBe(404);
    expect((await server.call<{ ended: number }>('POST', '/v1/sign-ins/end-others', other)).body).toEqual({ ended: 0 });
    expect(await isIn(owner)).toBe(true);
  });

  it('needs the token of its page, as for every change', async () => {
    const phone = await signInWith(PHONE);
    const { cookie = '' } = await signInWith('curl/8.0');
    for (const what of ['end-others', 'i_x/end']) expect(await end({ cookie, origin: server.url }, what)).toBe(403);
    expect(await isIn(phone)).toBe(true);
  });
});

describe('on the server’s machine', () => {
  it('the sign-ins of all people are listed, and all sign-ins of one person end at once, with their streams', async () => {
    const owner = await signInWith(PHONE);
    const other = await grace();
    const { store } = server.running;
    const stream = await readEvents(`${server.url}/v1/events`, other);
    const at = { nowMs: Date.now() };
    const all = await listSignIns(store, at);
    if (!all.ok) throw new Error(all.failure.message);
    expect(all.value.map(({ personName }) => personName).sort()).toEqual(['Grace', 'owner']);
    const person = all.value.find(({ personName }) => personName === 'Grace');
    expect(await endSignIns(store, person?.personId ?? '', at)).toEqual({ ok: true, value: 1 });
    expect([await isIn(other), await isIn(owner)]).toEqual([false, true]);
    await stream.ended; // another process ended the sign-in
    expect(await endSignIns(store, person?.id ?? '', at)).toEqual({ ok: true, value: 0 });
  });
});

describe('the name of a browser', () => {
  it('is one of the known names, never the text that the browser sent', () => {
    const names = {
      'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0': 'Firefox on Linux',
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140 Safari/537.36 Edg/140': 'Edge on Windows',
      'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/140 Mobile Safari/537.36': 'Chrome on Android',
      '<script>alert(1)</script>': null,
      '': null,
    };
    expect(Object.keys(names).map(browserName)).toEqual(Object.values(names));
  });
});
