/**
 * The code of an enrolment cannot be chosen in advance. The host commits to a nonce before the server gives the enrolment its id. An
 * approver approves only the code that they saw, and a computer between the host and the server cannot make both sides show one code.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import { enrolmentCode, enrolmentCommitment, newEnrolmentNonce } from '../../src/platform/enrolment-code.ts';
import { newKey, TestServer } from '../component/server-fixture.ts';
import { programPath } from '../fixtures/programs.ts';
import { removeInstallation } from '../fixtures/remove-installation.ts';

let server: TestServer;
beforeEach(async () => {
  server = await TestServer.start();
});
afterEach(() => server.stop());

interface State {
  readonly state: string;
}
const identity = (publicKey: string) => ({ name: 'builder', host: 'ci', user: 'ci', publicKey });
const asks = (publicKey: string) => server.asksForEnrolment(identity(publicKey));
const approve = (id: string, body?: object) => approveAt(server, id, body);
const approveAt = async (at: TestServer, id: string, body?: object) => {
  const path = `/v1/enrolments/${id}/approve`;
  const answer = await at.call<State & ErrorBody>('POST', path, await at.owner(), body);
  return [answer.status, answer.body.error?.code ?? answer.body.state];
};
/** The code on the list, and whether the page shows a code and offers the approval. */
const shown = async (id: string) => {
  const owner = await server.owner();
  type List = { enrolments: { id: string; code: string | null }[] };
  const { enrolments } = (await server.call<List>('GET', '/v1/enrolments', owner)).body;
  const page = (await server.call<string>('GET', `/enrolments/${id}`, owner)).body;
  return {
    code: enrolments.find((each) => each.id === id)?.code,
    hasCodeOnPage: page.includes('class="code-line"'),
    isOffered: page.includes('Same code: approve'),
  };
};
const WITHOUT_CODE = { code: null, hasCodeOnPage: false, isOffered: false };
const state = async (id: string) => (await server.call<State>('GET', `/v1/enrolments/${id}`)).body;

describe('the nonce of a host', () => {
  const sends = async (id: string, nonce: unknown) => {
    const { status, body } = await server.call<ErrorBody>('POST', `/v1/enrolments/${id}/nonce`, {}, { nonce });
    return [status, body.error?.code ?? null];
  };
  const nonceOf = async (id: string) => {
    const found = await server.running.store.read((rows) => rows.enrolment(id));
    return found.ok ? found.value?.nonce : undefined;
  };

  it('is needed for an approval, whatever code the approval says', async () => {
    const { body } = await asks(newKey().publicKey);
    for (const said of [undefined, {}, { code: 'AAAAAAAA' }])
      expect(await approve(body.enrolmentId, said)).toEqual([409, 'enrolment.no_code']);
    for (const said of [{ code: '' }, { code: null }, { code: 'null' }])
      expect(await approve(body.enrolmentId, said)).toEqual([400, 'request.malformed']);
    expect(await state(body.enrolmentId)).toMatchObject({ state: 'pending' });
  });

  it('is taken only if its SHA-256 is the commitment; another nonce changes nothing', async () => {
    const { nonce, body } = await asks(newKey().publicKey);
    const { enrolmentId: id } = body;
    expect(await sends(id, newEnrolmentNonce())).toEqual([422, 'enrolment.nonce_wrong']);
    const bytes = Buffer.from(nonce, 'base64url');
    const commitment = createHash('sha256').update(bytes).digest('base64url');
    expect(await sends(id, commitment)).toEqual([422, 'enrolment.nonce_wrong']);
    const longer = Buffer.concat([bytes, Buffer.of(0)]).toString('base64url');
    for (const malformed of [undefined, null, '', nonce.slice(1), `${nonce}A`, `${nonce}=`, longer, ` ${nonce}`, 1])
      expect([malformed, ...(await sends(id, malformed))]).toEqual([malformed, 400, 'request.malformed']);
    // Another spelling of the same bytes: the unused bits of the last character are not 0.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const respelled = nonce.slice(0, -1) + alphabet.charAt(alphabet.indexOf(nonce.slice(-1)) + 1);
    expect(await sends(id, respelled)).toEqual([400, 'request.malformed']);
    expect([await nonceOf(id), await shown(id)]).toEqual([null, WITHOUT_CODE]);
    expect(await sends(id, nonce)).toEqual([200, null]);
  });

  it('is taken once; the same nonce again, another nonce, and the nonce of another enrolment are refused', async () => {
    const [one, other] = [await asks(newKey().publicKey), await asks(newKey().publicKey)];
    const { enrolmentId: id } = one.body;
    expect(await sends(id, other.nonce)).toEqual([422, 'enrolment.nonce_wrong']);
    expect(await sends(id, one.nonce)).toEqual([200, null]);
    const before = await shown(id);
    for (const nonce of [one.nonce, other.nonce, newEnrolmentNonce()])
      expect(await sends(id, nonce)).toEqual([409, 'enrolment.nonce_known']);
    expect(await sends('e_none', one.nonce)).toEqual([404, 'enrolment.not_found']);
    expect([await nonceOf(id), await shown(id)]).toEqual([one.nonce, before]);
  });

  it('is taken once if ten calls send it at the same time', async () => {
    const { nonce, body } = await asks(newKey().publicKey);
    const answers = await Promise.all(Array.from({ length: 10 }, () => sends(body.enrolmentId, nonce)));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    expect(answers.filter(([, code]) => code === 'enrolment.nonce_known')).toHaveLength(9);
    const audit = await server.running.store.read((rows) => rows.events(0, 10_000));
    const kinds = (audit.ok ? audit.value : []).filter(({ enrolmentId }) => enrolmentId === body.enrolmentId);
    expect(kinds.map(({ kind, facts }) => [kind, facts['code']])).toEqual([
      ['enrolment.requested', null],
      ['enrolment.revealed', (await shown(body.enrolmentId)).code],
    ]);
  });

  it('is refused after a denial', async () => {
    const { nonce, body } = await asks(newKey().publicKey);
    await server.call('POST', `/v1/enrolments/${body.enrolmentId}/deny`, await server.owner());
    expect(await sends(body.enrolmentId, nonce)).toEqual([409, 'enrolment.decided']);
    expect(await nonceOf(body.enrolmentId)).toBeNull();
  });

  it('gives an equal commitment another code for another key or another enrolment', async () => {
    const { nonce, body } = await asks(newKey().publicKey);
    const commitment = createHash('sha256').update(Buffer.from(nonce, 'base64url')).digest('base64url');
    const copy = { ...identity(newKey().publicKey), role: 'requester', commitment };
    const copied = await server.call<{ enrolmentId: string }>('POST', '/v1/enrolments', {}, copy);
    const codes = await Promise.all(
      [body.enrolmentId, copied.body.enrolmentId].map(async (id) => (await server.sendNonce(id, nonce)).body.code),
    );
    expect(new Set(codes).size).toBe(2);
  });

  it('can be sent after a restart of the server, to the same enrolment, with the same code', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ape-restart-'));
    const first = await TestServer.start({ directory });
    const key = newKey();
    const { nonce, body } = await first.asksForEnrolment(identity(key.publicKey));
    const { publicKey: serverPublicKey } = (await first.call<{ publicKey: string }>('GET', '/v1/server')).body;
    await first.stop();
    const second = await TestServer.start({ directory });
    const { enrolmentId } = body;
    expect(await approveAt(second, enrolmentId, { code: 'AAAAAAAA' })).toEqual([409, 'enrolment.no_code']);
    const { code } = (await second.sendNonce(enrolmentId, nonce)).body;
    expect(code).toBe(enrolmentCode({ ...identity(key.publicKey), serverPublicKey, enrolmentId, nonce }));
    await second.stop();
    const third = await TestServer.start({ directory });
    expect(await approveAt(third, enrolmentId, { code })).toEqual([200, 'approved']);
    await third.stop();
    removeDirectory(directory);
  });
});

describe('an approval of a host', () => {
  it('has to say the code that was compared: no code, or the code of another enrolment, approves nothing', async () => {
    const [one, other] = [
      await server.enrolling(identity(newKey().publicKey)),
      await server.enrolling(identity(newKey().publicKey)),
    ];
    for (const said of [
      undefined,
      {},
      { code: one.code.toLowerCase() },
      { code: `${one.code}A` },
      { code: one.code, x: 1 },
    ])
      expect(await approve(one.enrolmentId, said)).toEqual([400, 'request.malformed']);
    expect(await approve(one.enrolmentId, { code: other.code })).toEqual([409, 'enrolment.other_code']);
    expect(await state(one.enrolmentId)).toMatchObject({ state: 'pending' });
    expect(await approve(one.enrolmentId, { code: one.code })).toEqual([200, 'approved']);
  });

  it('is refused if the page was made before the host sent its nonce', async () => {
    const { nonce, body } = await asks(newKey().publicKey);
    const page = (await server.call<string>('GET', `/enrolments/${body.enrolmentId}`, await server.owner())).body;
    expect(page).toContain('data-code=""');
    await server.sendNonce(body.enrolmentId, nonce);
    expect(await approve(body.enrolmentId, { code: '' })).toEqual([400, 'request.malformed']);
    expect(await approve(body.enrolmentId)).toEqual([400, 'request.malformed']);
    expect(await state(body.enrolmentId)).toMatchObject({ state: 'pending' });
  });
});

describe('an older version', () => {
  it('of a host, which sends no commitment, is refused with what to do', async () => {
    const body = { ...identity(newKey().publicKey), role: 'requester' };
    const { status, body: answer } = await server.call<ErrorBody>('POST', '/v1/enrolments', {}, body);
    expect([status, answer.error.code]).toEqual([400, 'request.malformed']);
    expect(answer.error.message).toContain('upgrade ape-shell on this host');
  });

  it('of a page, which says no code, is told to reload', async () => {
    const { enrolmentId } = await server.enrolling(identity(newKey().publicKey));
    const path = `/v1/enrolments/${enrolmentId}/approve`;
    const { body } = await server.call<ErrorBody>('POST', path, await server.owner());
    expect(body.error.message).toContain('if this is a page, reload it');
  });
});

/** A computer between a host and the server. It sees each call and each answer, and may change them. */
class Middle {
  readonly home = mkdtempSync(join(tmpdir(), 'ape-middle-'));
  readonly #http: Server;
  readonly #logins: ChildProcess[] = [];
  /** The paths of the calls, in order. */
  readonly called: string[] = [];
  changeCall = (_path: string, body: Json): Json => body;
  changeAnswer = async (_path: string, answer: MiddleAnswer): Promise<MiddleAnswer> => answer;

  constructor() {
    this.#http = createServer((request, reply) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', async () => {
        const path = request.url ?? '';
        this.called.push(`${request.method} ${path}`);
        const text = Buffer.concat(chunks).toString('utf8');
        const body = text === '' ? undefined : this.changeCall(path, JSON.parse(text) as Json);
        const real = await server.call<Json>(request.method ?? '', path, {}, body);
        const answer = await this.changeAnswer(path, { status: real.status, body: real.body });
        reply.writeHead(answer.status, { 'ape-api': '1', 'content-type': 'application/json' });
        reply.end(JSON.stringify(answer.body));
      });
    });
  }

  async start(): Promise<this> {
    await once(this.#http.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Calls `apes login` through this computer, and returns what it has printed so far, and its end. */
  login(...options: readonly string[]) {
    const { url } = this;
    const env = { PATH: '/usr/bin:/bin', HOME: this.home, APES_HOME: join(this.home, 'apes') };
    const child = spawn(programPath('apes'), ['login', url, ...(options.length === 0 ? ['--json'] : options)], { env });
    this.#logins.push(child);
    const printed = { out: '', err: '' };
    for (const name of ['out', 'err'] as const)
      child[`std${name}`].setEncoding('utf8').on('data', (text: string) => {
        printed[name] += text;
      });
    const closed = once(child, 'close').then(([status]) => status as number);
    const ended = () => Promise.race([closed, sleep(30_000, 'still waits', { ref: false })]);
    return { printed, ended };
  }

  stop(): void {
    for (const child of this.#logins) child.kill('SIGKILL');
    this.#http.closeAllConnections();
    this.#http.close();
    removeInstallation(this.home);
  }
}

type Json = Record<string, unknown>;
interface MiddleAnswer {
  readonly status: number;
  readonly body: Json;
}
const isNonce = (path: string) => path.endsWith('/nonce');

describe('apes login through another computer', () => {
  let middle: Middle;
  beforeEach(async () => {
    middle = await new Middle().start();
  });
  afterEach(() => middle.stop());

  /** Waits until the host shows its code; the code of the page is that of the only pending enrolment. */
  const bothCodes = async () => {
    const { printed, ended } = middle.login();
    await expect.poll(() => printed.out + printed.err, { timeout: 60_000 }).toContain('"pending"');
    const [line = ''] = printed.out.split('\n');
    type List = { enrolments: { id: string; code: string | null }[] };
    const { enrolments } = (await server.call<List>('GET', '/v1/enrolments', await server.owner())).body;
    const { id = '', code = null } = enrolments[0] ?? {};
    return { host: (JSON.parse(line) as { data: { code: string } }).data.code, page: code, id, ended };
  };

  it('shows the code of the page if that computer changes nothing', async () => {
    const { host, page, id, ended } = await bothCodes();
    expect(page).toBe(host);
    expect(await approve(id, { code: host })).toEqual([200, 'approved']);
    expect(await ended()).toBe(0);
  });

  /** The forger knows all that the host knows, except the nonce before the host sends it. */
  const forge = ({ ownKey = false, ownNonce = false, ownServer = false, names = {} }) => {
    const [host, other] = [newKey().publicKey, newKey().publicKey];
    const nonce = newEnrolmentNonce();
    const seen = { publicKey: '', nonce: '', serverPublicKey: '', name: '', host: '', user: '' };
    middle.changeCall = (path, body) => {
      if (path === '/v1/enrolments') {
        for (const part of ['publicKey', 'name', 'host', 'user'] as const) seen[part] = String(body[part]);
        return {
          ...body,
          ...names,
          ...(ownKey ? { publicKey: host } : {}),
          ...(ownNonce ? { commitment: enrolmentCommitment(nonce) } : {}),
        };
      }
      if (!isNonce(path)) return body;
      seen.nonce = String(body['nonce']);
      return ownNonce ? { nonce } : body;
    };
    middle.changeAnswer = async (path, { status, body }) => {
      if (path === '/v1/server') {
        seen.serverPublicKey = ownServer ? other : String(body['publicKey']);
        return { status, body: { ...body, publicKey: seen.serverPublicKey } };
      }
      // The host compares the code in this answer with its own code.
      const enrolmentId = path.split('/')[3] ?? '';
      if (isNonce(path)) return { status, body: { code: enrolmentCode({ ...seen, enrolmentId }) } };
      return 'serverPublicKey' in body
        ? { status, body: { ...body, serverPublicKey: seen.serverPublicKey } }
        : { status, body };
    };
  };

  it.each([
    ['the key of the host', { ownKey: true }],
    ['the key and the nonce of the host', { ownKey: true, ownNonce: true }],
    ['the key of the server', { ownServer: true }],
    ['both keys', { ownKey: true, ownServer: true }],
    ['the name of the host', { names: { host: 'prod-db' } }],
    ['the account', { names: { user: 'postgres' } }],
    ['the name for approvers', { names: { name: 'root@prod-db' } }],
    ['both keys and the nonce', { ownKey: true, ownNonce: true, ownServer: true }],
  ])('shows another code than the page if that computer replaces %s', async (_, how) => {
    forge(how);
    const { host, page, id } = await bothCodes();
    expect(host).toMatch(/^[A-Z2-7]{8}$/);
    expect(page).toMatch(/^[A-Z2-7]{8}$/);
    expect(page).not.toBe(host);
    expect(await approve(id, { code: host })).toEqual([409, 'enrolment.other_code']);
  });

  it('sends its nonce, and shows its code, only after the answer with the id', async () => {
    let commitment = '';
    let nonce = '';
    middle.changeCall = (path, body) => {
      if (path === '/v1/enrolments') commitment = String(body['commitment']);
      if (isNonce(path)) nonce = String(body['nonce']);
      return body;
    };
    const before: string[] = [];
    const { printed } = middle.login();
    middle.changeAnswer = async (path, answer) => {
      if (path !== '/v1/enrolments' && !isNonce(path)) return answer;
      await sleep(1_000);
      before.push(middle.called.at(-1) ?? '', printed.out, printed.err);
      return answer;
    };
    await expect.poll(() => printed.out, { timeout: 60_000 }).toContain('"pending"');
    const sent = middle.called.find(isNonce);
    expect(before).toEqual(['POST /v1/enrolments', '', '', sent, '', '']);
    expect(commitment).toBe(enrolmentCommitment(nonce));
    expect(Buffer.from(nonce, 'base64url')).toHaveLength(32);
  });

  it('makes a new nonce for each login', async () => {
    const commitments: string[] = [];
    middle.changeCall = (path, body) => {
      if (path === '/v1/enrolments') commitments.push(String(body['commitment']));
      return body;
    };
    middle.changeAnswer = async (path, answer) =>
      isNonce(path) ? { status: 503, body: { error: { code: 'server.busy', message: 'busy' } } } : answer;
    for (let turn = 0; turn < 2; turn += 1) {
      const { printed, ended } = middle.login();
      expect(await ended()).toBe(69);
      expect(printed.err).toBe(
        'apes: the grant server did not take the nonce of this host: busy; call apes login again\n',
      );
    }
    expect(new Set(commitments).size).toBe(2);
  });

  const TOO_OLD =
    /^apes: the version of ape-shell on the grant server at \S+ is too old: .*; upgrade ape-shell on that server\n$/;
  const error = (code: string, message: string) => ({ error: { code, message } });
  it.each<[string, number, RegExp, (path: string, answer: MiddleAnswer) => MiddleAnswer]>([
    [
      'is of a version without commitments',
      76,
      TOO_OLD,
      (_, { status, body: { enrolment: _enrolment, ...body } }) => ({ status, body }),
    ],
    [
      'makes codes that do not cover the names of the host',
      76,
      TOO_OLD,
      (path, { status, body }) => ({
        status,
        body: path === '/v1/server' ? { ...body, enrolment: 'ape-enrol/2' } : body,
      }),
    ],
    [
      'makes codes in a later way',
      76,
      /; upgrade ape-shell here\n$/,
      (path, { status, body }) => ({
        status,
        body: path === '/v1/server' ? { ...body, enrolment: 'ape-enrol/4' } : body,
      }),
    ],
    [
      'has no route for a nonce',
      76,
      TOO_OLD,
      (path, answer) =>
        isNonce(path) ? { status: 404, body: error('request.malformed', 'there is nothing at this address') } : answer,
    ],
    [
      'refuses the nonce',
      77,
      /did not take the nonce of this host: no; call apes login again\n$/,
      (path, answer) => (isNonce(path) ? { status: 409, body: error('enrolment.nonce_known', 'no') } : answer),
    ],
    [
      'answers the nonce with another code',
      76,
      /the code in its answer is not the code of this host; /,
      (path, { status, body }) => ({
        status,
        body: isNonce(path) ? { code: 'AAAAAAAA' } : body,
      }),
    ],
    [
      'answers the nonce without a code',
      76,
      /the code in its answer is not the code of this host; /,
      (path, { status, body }) => ({
        status,
        body: isNonce(path) ? {} : body,
      }),
    ],
    [
      'gives an id with a line break',
      76,
      /its answer has an unknown shape/,
      (path, { status, body }) => ({
        status,
        body: path === '/v1/enrolments' ? { ...body, enrolmentId: `${body['enrolmentId']}\nx` } : body,
      }),
    ],
    [
      'has a key that is no key',
      76,
      /its key is not a valid Ed25519 key/,
      (path, { status, body }) => ({
        status,
        body: path === '/v1/server' ? { ...body, publicKey: `${body['publicKey']}\nx` } : body,
      }),
    ],
  ])('fails with one line, and shows no code, if the server %s', async (_, status, line, change) => {
    middle.changeAnswer = async (path, answer) => change(path, answer);
    const { printed, ended } = middle.login();
    expect(await ended()).toBe(status);
    expect(printed.err).toMatch(line);
    expect(printed.err.trimEnd().split('\n')).toHaveLength(1);
    expect(printed.out + printed.err).not.toMatch(/"pending"|\b[A-Z2-7]{4}-?[A-Z2-7]{4}\b/);
  });

  const ODD = ['\u001b]8;;https://evil.example\u0007', '\u009b2J', '\u202e', ' ', '\n', '%0a', '?', '#x', '\\'];
  it.each<[string, (origin: string, page: string) => string, boolean]>([
    ['at the named server', (origin, page) => `${origin}/below${page}`, false],
    ['at another server', (_, page) => `https://evil.example${page}`, true],
    ['of another enrolment', (origin) => `${origin}/enrolments/e_other`, false],
    ['with a user', (_, page) => `http://127.0.0.1@evil.example${page}`, false],
    ['with another scheme', (_, page) => `javascript://x${page}`, false],
    ['in the query', (origin, page) => `${origin}/x?to=${page}`, false],
    ['that is no address', () => 'any text\u001b[2J', false],
    ...ODD.map((odd): [string, (origin: string, page: string) => string, boolean] => [
      `with ${JSON.stringify(odd)}`,
      (_, page) => `https://evil.example/${odd}${page}${odd}`,
      false,
    ]),
  ])('an address %s is shown as it is only at the named server', async (what, make, isShown) => {
    const ids: string[] = [];
    const said = () => make(middle.url, `/enrolments/${ids.at(-1)}`);
    middle.changeAnswer = async (path, { status, body }) => {
      if (path !== '/v1/enrolments') return { status, body };
      ids.push(String(body['enrolmentId']));
      return { status, body: { ...body, url: said() } };
    };
    const own = what === 'at the named server' ? said : () => `${middle.url}/enrolments/${ids.at(-1)}`;
    const json = middle.login();
    await expect.poll(() => json.printed.out, { timeout: 60_000 }).toContain('"pending"');
    const { data } = JSON.parse(json.printed.out) as { data: { url: string; otherUrl?: string } };
    expect([data.url, data.otherUrl]).toEqual([own(), isShown ? said() : undefined]);
    const text = middle.login('--name', 'x');
    await expect.poll(() => text.printed.err, { timeout: 60_000 }).toContain('deny this host');
    const other = `  The server says that the page is at ${said()}. Open that address only if you know that it is your server's.\n`;
    expect(text.printed.err).toContain(`within 15 minutes:\n  ${own()}\n${isShown ? other : ''}  The page must show`);
  });

  it('an id of the requester with another character is refused', async () => {
    middle.changeAnswer = async (path, { status, body }) =>
      /^\/v1\/enrolments\/[^/]+$/.test(path)
        ? { status, body: { ...body, state: 'approved', requesterId: 's_1\u001b[2J' } }
        : { status, body };
    const { printed, ended } = middle.login();
    expect(await ended()).toBe(76);
    expect(printed.err).toMatch(/it approved without a valid id/);
  });

  it('asks an older server for nothing but its version', async () => {
    middle.changeAnswer = async (_, { status, body: { enrolment: _enrolment, ...body } }) => ({ status, body });
    expect(await middle.login().ended()).toBe(76);
    expect(middle.called).toEqual(['GET /v1/server']);
  });
});
