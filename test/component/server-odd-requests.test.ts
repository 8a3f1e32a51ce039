/** Requests and keys that can be read in two ways, or not at all, are refused like any other faulty call. */
import { type ClientRequest, get } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicKeyFault } from '../../src/platform/public-key.ts';
import { MAX_STREAMS_PER_SUBJECT } from '../../src/server/limits.ts';
import { startPostgres } from '../contract/postgres.ts';
import { newKey, TestServer } from './server-fixture.ts';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

/** Sends the bytes, and returns the answer with head and body. */
const sendRaw = (bytes: string | Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(server.running.port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });

const asking = (publicKey: string, host = 'ci') => ({ name: 'n', host, user: 'u', publicKey });
const enrol = (publicKey: string) => server.asksForEnrolment(asking(publicKey));

describe('a key', () => {
  it('has only one spelling: the unused bits of its base64url are 0', async () => {
    const { publicKey } = newKey();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(publicKey.slice(-1));
    for (let bits = 1; bits < 4; bits += 1) {
      const other = publicKey.slice(0, -1) + alphabet.charAt(last + bits);
      expect(Buffer.from(other, 'base64url').equals(Buffer.from(publicKey, 'base64url'))).toBe(true);
      expect((await enrol(other)).status).toBe(400);
      expect(publicKeyFault(other)).not.toBeNull();
    }
    expect((await enrol(publicKey)).status).toBe(201);
  });

  it('is not a point of small order, in any spelling, because anyone could sign for such a key without a private key', async () => {
    const points = [
      '0000000000000000000000000000000000000000000000000000000000000000',
      '0100000000000000000000000000000000000000000000000000000000000000',
      'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    ];
    for (const point of points)
      for (const sign of [0, 0x80]) {
        const bytes = Buffer.from(point, 'hex');
        bytes[31] = (bytes[31] ?? 0) | sign;
        const answer = await enrol(bytes.toString('base64url'));
        expect([point, sign, answer.status, answer.body.error.code]).toEqual([point, sign, 400, 'request.malformed']);
      }
    for (let count = 0; count < 200; count += 1) expect(publicKeyFault(newKey().publicKey)).toBeNull();
  });

  it('for which two hosts asked belongs to the host that is approved first; the approval of the second is refused', async () => {
    const owner = await server.owner();
    const { publicKey } = newKey();
    const both = [await server.enrolling(asking(publicKey, 'one')), await server.enrolling(asking(publicKey, 'two'))];
    const answers = await Promise.all(
      both.map(({ enrolmentId, code }) =>
        server.call('POST', `/v1/enrolments/${enrolmentId}/approve`, owner, { code }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });
});

describe('a request', () => {
  it('with two Host headers is refused', async () => {
    const answer = await sendRaw(
      'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*request\.malformed/);
  });

  it('with a body that is not UTF-8 is refused, whatever its content type says', async () => {
    const post = (type: string, body: Buffer) =>
      sendRaw(
        Buffer.concat([
          Buffer.from(
            `POST /v1/auth/challenge HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`,
          ),
          body,
        ]),
      );
    const good = Buffer.from('{"subjectId":"s_1"}');
    expect(await post('application/json; charset=utf-8', good)).toMatch(/^HTTP\/1.1 200/);
    expect(await post('application/json', Buffer.from('{"subjectId":"s_\xff"}', 'latin1'))).toMatch(
      /^HTTP\/1.1 400 [\s\S]*UTF-8/,
    );
    expect(await post('application/json; charset=utf-16', good)).toMatch(/^HTTP\/1.1 415 [\s\S]*UTF-8/);
  });

  it('that is no valid HTTP, or has headers that are too long, is refused with an error of the API, and the connection is closed', async () => {
    const long = await sendRaw(`GET /v1/server?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    expect(long).toMatch(/^HTTP\/1.1 431 [\s\S]*problem\+json[\s\S]*\{"error":\{"code":"request\.malformed"/);
    const other = await sendRaw('NONSENSE\r\n\r\n');
    expect(other).toMatch(/^HTTP\/1.1 400 [\s\S]*no-store[\s\S]*\{"error":\{"code":"request\.malformed"/);
  });

  it('with a malformed address is refused with an error of the API', async () => {
    const answer = await sendRaw('GET /v1/grants/%ff%fe HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*\{"error":\{"code":"request\.malformed"/);
  });
});

describe('streams that are opened at the same moment', () => {
  it('do not exceed the limit, also if the database is slow', async () => {
    const postgres = await startPostgres();
    const shared = await TestServer.start({ database: await postgres.newDatabase() });
    const agent = await shared.requester();
    const grant = await shared.pending(agent, 'x');
    const opened: ClientRequest[] = [];
    const statuses = await Promise.all(
      Array.from(
        { length: MAX_STREAMS_PER_SUBJECT + 60 },
        () =>
          new Promise<number>((resolve) => {
            const request = get(`${shared.url}/v1/grants/${grant.id}/events`, { agent: false, headers: agent.headers });
            opened.push(request);
            request.on('response', (answer) => resolve(answer.statusCode ?? 0));
            request.on('error', () => resolve(0));
          }),
      ),
    );
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(MAX_STREAMS_PER_SUBJECT);
    for (const request of opened) request.destroy();
    await shared.stop();
    await postgres.stop();
  });
});
