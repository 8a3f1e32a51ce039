/** A real server on a loopback port with a real database, and calls to it as a requester and as an approver. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DestinationStream, pino } from 'pino';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import type { HostFacts } from '../../src/core/effects/host-facts.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import type { RuleBook } from '../../src/core/rules/rule.ts';
import type { AskAnswer } from '../../src/core/wire/ask.ts';
import type { EnrolAnswer, EnrolNonceAnswer } from '../../src/core/wire/enrolment.ts';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { Limits } from '../../src/core/wire/limits.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { enrolmentCommitment, newEnrolmentNonce } from '../../src/platform/enrolment-code.ts';
import { createOwnerLink, enrolApproverKey, enrolRequester } from '../../src/server/identity/administration.ts';
import { csrfTokenOf } from '../../src/server/identity/authentication.ts';
import { invitePerson } from '../../src/server/identity/people-administration.ts';
import type { NotificationSettings } from '../../src/server/notifications/notification-ports.ts';
import type { KeptTimes } from '../../src/server/retention.ts';
import { type RunningServer, runServer } from '../../src/server/run-server.ts';

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;
}

export interface Person {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly headers: Readonly<Record<string, string>>;
}

export const nonce = (): string => randomBytes(16).toString('base64url');

export function requestFor(text: string, more: Partial<ExecutionRequest> = {}): ExecutionRequest {
  return { kind: 'command', text, argv: [], cwd: '/home/agent', host: 'box', user: 'agent', environment: [], ...more };
}

export interface Asking {
  readonly name: string;
  readonly host: string;
  readonly user: string;
  readonly publicKey: string;
}

export function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey, publicKey: publicKey.export({ format: 'jwk' }).x ?? '' };
}

export class TestServer {
  readonly running: RunningServer;
  readonly directory: string;
  private readonly ownsDirectory: boolean;
  /** The server's clock, in Unix ms. */
  readonly nowMs: () => number;
  private constructor(running: RunningServer, directory: string, ownsDirectory: boolean, nowMs: () => number) {
    this.nowMs = nowMs;
    this.running = running;
    this.directory = directory;
    this.ownsDirectory = ownsDirectory;
  }

  static async start(
    more: {
      clock?: () => number;
      /** The clock for the server's time limits. */
      elapsedMs?: () => number;
      database?: string;
      directory?: string;
      port?: number;
      publicUrl?: string;
      rules?: RuleBook;
      metrics?: string;
      notifications?: NotificationSettings;
      keptTimes?: KeptTimes;
      log?: DestinationStream;
    } = {},
  ) {
    const directory = more.directory ?? mkdtempSync(join(tmpdir(), 'ape-server-'));
    const started = await runServer({
      port: more.port ?? 0,
      database: more.database ?? join(directory, 'grants.db'),
      keyDirectory: join(directory, 'keys'),
      log: more.log === undefined ? pino({ level: process.env['APE_TEST_LOG'] ?? 'silent' }) : pino({}, more.log),
      clock: {
        nowMs: more.clock ?? systemClock.nowMs,
        elapsedMs: more.elapsedMs ?? systemClock.elapsedMs,
      },
      publicUrl: more.publicUrl,
      rules: more.rules,
      metrics: more.metrics,
      notifications: more.notifications,
      keptTimes: more.keptTimes,
    });
    if (!started.ok) {
      if (more.directory === undefined) removeDirectory(directory);
      throw new Error(started.failure.message);
    }
    return new TestServer(started.value, directory, more.directory === undefined, more.clock ?? Date.now);
  }

  get url(): string {
    return `http://127.0.0.1:${this.running.port}`;
  }

  async stop(): Promise<void> {
    await this.running.stop();
    if (this.ownsDirectory) removeDirectory(this.directory);
  }

  async call<T>(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: unknown,
  ): Promise<Answer<T>> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return { status: answer.status, body: (isJson ? JSON.parse(text) : text) as T, headers: answer.headers };
  }

  async requester(name = 'agent', host = 'box', user = 'agent'): Promise<Person> {
    const key = newKey();
    const enrolled = await enrolRequester(this.running.store, { name, host, user, publicKey: key.publicKey });
    if (!enrolled.ok) throw new Error(enrolled.failure.message);
    return this.signedIn(enrolled.value, key.privateKey);
  }

  async approverKey(): Promise<Person> {
    const key = newKey();
    const enrolled = await enrolApproverKey(this.running.store, { name: 'owner key', publicKey: key.publicKey });
    if (!enrolled.ok) throw new Error(enrolled.failure.message);
    return this.signedIn(enrolled.value, key.privateKey);
  }

  /** Asks for the enrolment of a host. Does not send the nonce. */
  async asksForEnrolment(who: Asking) {
    const nonce = newEnrolmentNonce();
    const body = { ...who, role: 'requester', commitment: enrolmentCommitment(nonce) };
    return { nonce, ...(await this.call<EnrolAnswer & ErrorBody>('POST', '/v1/enrolments', {}, body)) };
  }

  sendNonce(enrolmentId: string, nonce: string) {
    return this.call<EnrolNonceAnswer & ErrorBody>('POST', `/v1/enrolments/${enrolmentId}/nonce`, {}, { nonce });
  }

  /** Asks for the enrolment of a host, and sends the nonce. */
  async enrolling(who: Asking): Promise<EnrolAnswer & EnrolNonceAnswer> {
    const { nonce, status, body } = await this.asksForEnrolment(who);
    if (status !== 201) throw new Error(body.error.message);
    const sent = await this.sendNonce(body.enrolmentId, nonce);
    if (sent.status !== 200) throw new Error(sent.body.error.message);
    return { ...body, code: sent.body.code };
  }

  async signedIn(id: string, privateKey: KeyObject): Promise<Person> {
    const token = await this.token(id, privateKey);
    return { id, privateKey, headers: { authorization: `Bearer ${token.body.token}` } };
  }

  async token(subjectId: string, privateKey: KeyObject) {
    const body = await this.signInBody(subjectId, privateKey);
    return this.call<{ token: string; expiresAtMs: number }>('POST', '/v1/auth/token', {}, body);
  }

  /** Returns a proof of the private key, valid once. */
  async signInBody(subjectId: string, privateKey: KeyObject) {
    const { body } = await this.call<{ challenge: string }>('POST', '/v1/auth/challenge', {}, { subjectId });
    const { publicKey } = (await this.call<{ publicKey: string }>('GET', '/v1/server')).body;
    const text = `ape-auth/1\n${publicKey}\n${subjectId}\n${body.challenge}`;
    const signature = sign(null, Buffer.from(text), privateKey).toString('base64url');
    return { subjectId, challenge: body.challenge, signature };
  }

  async ownerLink(nowMs = this.nowMs()): Promise<string> {
    const link = await createOwnerLink(this.running.store, { nowMs });
    if (!link.ok) throw new Error(link.failure.message);
    return link.value;
  }

  /** Returns the headers that a page of a fresh session sends. */
  async owner(nowMs?: number): Promise<Readonly<Record<string, string>>> {
    return this.opened(await this.ownerLink(nowMs));
  }

  private async opened(token: string): Promise<Readonly<Record<string, string>>> {
    const answer = await this.call('POST', `/sign-in/${token}`);
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    return { cookie, origin: this.url, 'x-csrf-token': csrfTokenOf(cookie.split('=')[1] ?? '') };
  }

  /** Invites a person as the owner and signs them in. Returns the id, and the headers that a page sends. */
  async person(name: string, role: 'approver' | 'auditor' = 'approver', limits: Limits | null = null) {
    const invited = await invitePerson(this.running.store, name, role, limits, { nowMs: this.nowMs() });
    if (!invited.ok) throw new Error(invited.failure.message);
    return { id: invited.value.personId, headers: await this.opened(invited.value.token) };
  }

  /** Asks as a host that looked up nothing, unless `hostFacts` is given. */
  ask(by: Person, text: string, more: Partial<ExecutionRequest> = {}, hostFacts: HostFacts | null = null) {
    return this.call<AskAnswer & ErrorBody>('POST', '/v1/requests', by.headers, {
      request: requestFor(text, more),
      nonce: nonce(),
      findings: hostFacts,
    });
  }

  /** Files a request that nothing covers. */
  async pending(by: Person, text: string, more: Partial<ExecutionRequest> = {}): Promise<GrantView> {
    const { body } = await this.ask(by, text, more);
    if (body.outcome !== 'pending') throw new Error(`not pending: ${JSON.stringify(body)}`);
    return body.grant;
  }

  /** Approves with the number that the requester was shown, unless `body` has another number. */
  async decide(
    headers: Readonly<Record<string, string>>,
    id: string,
    verb: 'approve' | 'deny' | 'revoke',
    body: object,
  ) {
    const number = verb === 'approve' ? await this.matchNumber(id) : null;
    const sent = number === null ? body : { match: number, ...body };
    return this.call<GrantView & ErrorBody>('POST', `/v1/grants/${id}/${verb}`, headers, sent);
  }

  /** Resumes a requester, which many denials in a short time pause. */
  async resume(headers: Readonly<Record<string, string>>, requester: Person): Promise<void> {
    const { status } = await this.call('POST', `/v1/requesters/${requester.id}/resume`, headers);
    if (status !== 200 && status !== 204) throw new Error(`not resumed (${status})`);
  }

  /** Returns the number that the requester's side shows for the approver to pick, or null if a tap alone approves. */
  async matchNumber(id: string): Promise<string | null> {
    const match = await this.running.store.read((rows) => rows.match(id));
    return match.ok ? (match.value?.number ?? null) : null;
  }

  /** @param findings host facts, for a grant with a scope of command lines */
  redeem(by: Person, grant: { id: string; fingerprint: string }, findings?: HostFacts) {
    const body = { fingerprint: grant.fingerprint, nonce: nonce(), ...(findings === undefined ? {} : { findings }) };
    return this.call<{ permit: string } & ErrorBody>('POST', `/v1/grants/${grant.id}/redeem`, by.headers, body);
  }
}
