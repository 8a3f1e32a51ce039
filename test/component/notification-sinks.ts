/** Receivers of notifications in tests: an HTTP server that stores its calls, a browser's subscription that decrypts pushes, a mail server. */
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { expect } from 'vitest';
import type { TestServer } from './server-fixture.ts';

interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What the receiver answers: a status, or nothing at all. */
type Reply = number | 'silence' | { readonly status: number; readonly headers: Readonly<Record<string, string>> };

export interface Receiver {
  readonly host: string;
  readonly url: string;
  readonly received: Received[];
  /** The replies to the next calls, in this order; after them the reply is 200. */
  readonly replies: Reply[];
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const replies: Reply[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', method = '', headers } = request;
      received.push({ path, method, headers, body: Buffer.concat(chunks) });
      const reply = replies.shift() ?? 200;
      if (reply === 'silence') return;
      const { status, headers: replyHeaders } = typeof reply === 'number' ? { status: reply, headers: {} } : reply;
      response.writeHead(status, replyHeaders).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    received,
    replies,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Mail {
  readonly to: readonly string[];
  readonly text: string;
}

export async function startMailServer(login: { readonly user: string; readonly pass: string }) {
  const mails: Mail[] = [];
  const refusals: number[] = [];
  const refusedLogins: number[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) => {
      const refused = refusedLogins.shift();
      if (refused !== undefined) return done(Object.assign(new Error('not now'), { responseCode: refused }));
      return username === login.user && password === login.pass
        ? done(null, { user: username })
        : done(new Error('no such user'));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const refused = refusals.shift();
        if (refused !== undefined) return done(Object.assign(new Error('not now'), { responseCode: refused }));
        mails.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
        });
        return done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  return {
    mails,
    refusals,
    refusedLogins,
    port,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** A browser that has subscribed. It knows the private key, so it can read what a push service carries. */
export function newSubscription(endpoint: string) {
  const keys = createECDH('prime256v1');
  const publicKey = keys.generateKeys();
  const auth = randomBytes(16);
  return {
    endpoint,
    p256dh: publicKey.toString('base64url'),
    auth: auth.toString('base64url'),
    decrypt: (body: Buffer): string => decryptPush(body, keys, publicKey, auth),
  };
}

/** Decrypts a push as the browser does (RFC 8188 and RFC 8291). */
function decryptPush(body: Buffer, keys: ReturnType<typeof createECDH>, publicKey: Buffer, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  expect(body.readUInt32BE(16)).toBeGreaterThanOrEqual(body.length - 86);
  const keyLength = body.readUInt8(20);
  expect(keyLength).toBe(65);
  const theirKey = body.subarray(21, 21 + keyLength);
  const encrypted = body.subarray(21 + keyLength);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, theirKey]);
  const secret = Buffer.from(hkdfSync('sha256', keys.computeSecret(theirKey), auth, info, 32));
  const derive = (name: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, Buffer.from(`Content-Encoding: ${name}\0`), length));
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  decipher.setAuthTag(encrypted.subarray(-16));
  const padded = Buffer.concat([decipher.update(encrypted.subarray(0, -16)), decipher.final()]);
  const end = padded.lastIndexOf(2);
  expect(padded.subarray(end + 1).every((byte) => byte === 0)).toBe(true);
  return padded.subarray(0, end).toString();
}

/** Checks the sender of a push as a push service does (RFC 8292). @throws if a check fails */
export function checkVapid(
  authorization: string | undefined,
  endpoint: string,
  knownKey: string,
  nowMs: number,
): string {
  const [, header = '', claims = '', signature = '', key = ''] =
    /^vapid t=([^.]+)\.([^.]+)\.([^,]+), ?k=(\S+)$/.exec(authorization ?? '') ?? [];
  expect(key).toBe(knownKey);
  const point = Buffer.from(key, 'base64url');
  expect([point.length, point[0]]).toEqual([65, 4]);
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' });
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ typ: 'JWT', alg: 'ES256' });
  const signed = Buffer.from(`${header}.${claims}`);
  const isGood = verify(
    'sha256',
    signed,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  expect(isGood).toBe(true);
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  expect(aud).toBe(new URL(endpoint).origin);
  expect(exp).toBeGreaterThan(nowMs / 1_000);
  expect(exp).toBeLessThanOrEqual(nowMs / 1_000 + 24 * 3600);
  return sub;
}

export async function until<T>(look: () => T | Promise<T>, isThere: (found: T) => boolean, ms = 20_000): Promise<T> {
  const endMs = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (isThere(found)) return found;
    if (performance.now() > endMs)
      throw new Error(`not seen within ${ms} ms: ${JSON.stringify(found)?.slice(0, 2_000)}`);
    await sleep(25);
  }
}

type Headers = Readonly<Record<string, string>>;
interface Shown {
  readonly channels: readonly {
    readonly id: string;
    readonly endedAtMs: number | null;
    readonly last: { readonly isOk: boolean; readonly text: string } | null;
  }[];
  readonly pushKey: string;
}

export const notificationsOf = async (server: TestServer, who: Headers): Promise<Shown> =>
  (await server.call<Shown>('GET', '/v1/notifications', who)).body;

export async function addChannel(server: TestServer, who: Headers, channel: object) {
  const { status, body } = await server.call<{ channel: { id: string; target: string }; secret: string | null }>(
    'POST',
    '/v1/notifications/channels',
    who,
    channel,
  );
  expect([status, body]).toEqual([200, expect.anything()]);
  return { ...body.channel, secret: body.secret ?? '' };
}

const USUAL = {
  minimumRisk: 'low',
  shows: 'all',
  quiet: null,
  onlyWhenEscalated: false,
  escalation: null,
  decided: false,
  expired: false,
};

export async function prefer(server: TestServer, who: Headers, preferences: object): Promise<void> {
  const saved = await server.call('POST', '/v1/notifications/preferences', who, { ...USUAL, ...preferences });
  expect([saved.status, saved.body]).toEqual([200, expect.anything()]);
}

/** Returns the result of a channel as its approver sees it. */
export const resultOf = async (server: TestServer, who: Headers, id: string) =>
  (await notificationsOf(server, who)).channels.find((channel) => channel.id === id);
