/**
 * Plays a grant server that an attacker controls: it has the server's key, signs whatever it wants, and answers a real host
 * (`ape-shell`, `apes`) that takes sealed approvals only.
 */
import { spawn } from 'node:child_process';
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { canonicalHostFacts } from '../../src/core/effects/host-facts.ts';
import type { Grant, Term } from '../../src/core/grant/grant.ts';
import { canonicalRequest, type ExecutionRequest } from '../../src/core/grant/request.ts';
import type { GrantScope } from '../../src/core/scope/command-scope.ts';
import { boundVariables } from '../../src/core/scope/conditions.ts';
import { firstApprovers } from '../../src/core/sealed/approver-list.ts';
import { decisionDocument } from '../../src/core/sealed/decision-document.ts';
import type { AskBody } from '../../src/core/wire/ask.ts';
import type { PermitPayload } from '../../src/core/wire/permit.ts';
import type { DecisionDocument, SealedApprovers } from '../../src/core/wire/sealed.ts';
import { pinText } from '../../src/grants/approver-pin.ts';
import { saveIdentity } from '../../src/grants/enrolment.ts';
import { keyApprover, sealWithKey } from '../../src/platform/approver-key.ts';
import { sha256Hex } from '../../src/platform/digest.ts';
import { currentHost, currentUser } from '../../src/platform/surroundings.ts';
import { programPath } from '../fixtures/programs.ts';
import { removeInstallation } from '../fixtures/remove-installation.ts';
import { Terminal } from '../login/terminal.ts';

/** A key pair that seals. */
export interface Sealer {
  readonly name: string;
  readonly privateKey: string;
  readonly publicKey: string;
}

function pair(): { readonly key: KeyObject; readonly pem: string; readonly x: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { key: privateKey, pem, x: publicKey.export({ format: 'jwk' }).x ?? '' };
}

export function newSealer(name: string): Sealer {
  const { pem, x } = pair();
  return { name, privateKey: pem, publicKey: x };
}

export const sealed = <Document extends DecisionDocument>(document: Document, { privateKey, publicKey }: Sealer) => ({
  document,
  seal: sealWithKey(document, privateKey, publicKey),
});

/** A call of the host. An honest decision about it binds `request` and its fingerprint. */
export interface Asked {
  readonly body: AskBody;
  readonly request: ExecutionRequest;
  readonly fingerprint: string;
}

/** The members of the permit that a lie changes. All other members fit the call. */
export type Lie = (asked: Asked) => Partial<Omit<PermitPayload, 'seals'>> & { readonly seals?: unknown };

export interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  readonly hasRun: boolean;
}

export const GRANT_ID = `g_${'a'.repeat(26)}`;
export const REQUESTER_ID = `s_${'r'.repeat(26)}`;

export class HostileServer {
  readonly owner = newSealer('the owner');
  readonly directory = mkdtempSync(join(tmpdir(), 'ape-hostile-'));
  readonly #key = pair();
  readonly #server = http.createServer((request, response) => void this.#serve(request, response));
  #lie: Lie = () => ({});
  /** The answer to a call for one grant by its id. */
  grant: object | null = null;
  /** The lists of approvers that this server sends. */
  lists: readonly unknown[] = [];
  /** The answers of a test, by path. Each is made from the body of the call. A promise delays the answer. */
  answers: Readonly<Record<string, (body: Record<string, unknown>) => unknown>> = {};
  /** The paths of all calls. */
  readonly called: string[] = [];

  get publicKey(): string {
    return this.#key.x;
  }

  get firstList(): SealedApprovers {
    const { name, privateKey, publicKey } = this.owner;
    const document = firstApprovers(this.publicKey, 1, keyApprover(name, publicKey), 1_000_000);
    return { document, seal: sealWithKey(document, privateKey, publicKey) };
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const { port } = this.#server.address() as AddressInfo;
    const [keys, work] = [join(this.#home, 'keys'), join(this.directory, 'work')];
    for (const path of [this.#home, keys, work]) mkdirSync(path, { mode: 0o700 });
    const server = { serverUrl: `http://127.0.0.1:${port}`, serverPublicKey: this.publicKey };
    const who = { subjectId: REQUESTER_ID, name: 'agent', host: currentHost(), user: currentUser() };
    const fault = saveIdentity(keys, 'requester', { ...server, ...who, privateKey: pair().pem });
    if (fault !== null) throw new Error(fault.message);
    this.pin(this.firstList);
    writeFileSync(join(this.#home, 'config.toml'), '[shell]\nresident = false\n', { mode: 0o600 });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    removeInstallation(this.directory);
  }

  /** Pins the list on this host as a person would; null removes the pin. */
  pin(list: SealedApprovers | null, required: 'required' | 'optional' = 'required'): void {
    const path = join(this.#home, 'keys', 'approvers');
    if (list === null) rmSync(path, { force: true });
    else writeFileSync(path, pinText({ server: this.publicKey, sealed: required, list }), { mode: 0o600 });
  }

  configure(text: string, isResident = false): void {
    writeFileSync(join(this.#home, 'config.toml'), `[shell]\nresident = ${isResident}\n${text}`, { mode: 0o600 });
  }

  /** Returns the process id of the resident gate, and its socket; null if no resident gate runs. */
  get residentGate(): { readonly pid: number; readonly socket: string } | null {
    const [socket, pid] = ['gate.sock', 'gate.pid'].map((name) => join(this.#home, 'run', name));
    return existsSync(socket ?? '') && existsSync(pid ?? '')
      ? { pid: Number(readFileSync(pid ?? '', 'utf8')), socket: socket ?? '' }
      : null;
  }

  /** Removes what the host has stored during earlier calls. */
  forget(): void {
    rmSync(join(this.#home, 'state'), { recursive: true, force: true });
  }

  get #home(): string {
    return join(this.directory, 'apes');
  }

  get environment(): Readonly<Record<string, string>> {
    return { PATH: '/usr/bin:/bin', HOME: this.directory, APES_HOME: this.#home, LC_ALL: 'C.UTF-8', TERM: 'xterm' };
  }

  /** Expects that the host runs what this lie permits. */
  async runs(lie: Lie, text?: string): Promise<void> {
    const { status, hasRun, err } = await this.command(lie, text);
    expect({ status, hasRun, err }).toMatchObject({ status: 0, hasRun: true });
  }

  /** Expects that the host runs nothing, and says why. */
  async refuses(lie: Lie, detail: string, text?: string): Promise<Ended> {
    const ended = await this.command(lie, text);
    expect({ hasRun: ended.hasRun, err: ended.err }).toEqual({ hasRun: false, err: expect.stringContaining(detail) });
    return ended;
  }

  /** `ape-shell -c`, with a command that leaves a file when it runs. */
  async command(lie: Lie, text = 'touch ran'): Promise<Ended> {
    return this.#run('ape-shell', ['-c', text], lie);
  }

  /** `apes hooks gate claude-code`, as the harness calls it before it writes a file of the working directory. */
  async fileTool(lie: Lie, name: string): Promise<Ended> {
    const [cwd, content] = [join(this.directory, 'work'), 'x\n'];
    const tool = { tool_name: 'Write', tool_input: { file_path: join(cwd, name), content } };
    const event = { hook_event_name: 'PreToolUse', session_id: 's', cwd, ...tool };
    return this.#run('apes', ['hooks', 'gate', 'claude-code'], lie, JSON.stringify(event));
  }

  /** `apes approvers pin --replace`, as the person at the host calls it. */
  async pinAgain(): Promise<Ended> {
    return this.#run('apes', ['approvers', 'pin', '--replace'], () => ({}));
  }

  /** `apes grants approve`, as the owner calls it on this device, with the owner key. */
  approve(...options: readonly string[]): Promise<Ended> {
    return this.asOwner('grants', 'approve', GRANT_ID, ...options);
  }

  /** `apes`, as the owner calls it on this device. */
  async asOwner(...args: readonly string[]): Promise<Ended> {
    this.#enrolOwner();
    return this.#run('apes', args, () => ({}));
  }

  /** `apes grants approve`, as the owner calls it on a terminal of this device. */
  approveOnTerminal(...options: readonly string[]): Terminal {
    this.#enrolOwner();
    const { environment } = this;
    return new Terminal(programPath('apes'), ['grants', 'approve', GRANT_ID, ...options], environment);
  }

  #enrolOwner(): void {
    const { publicKey: serverPublicKey } = this;
    const { port } = this.#server.address() as AddressInfo;
    const { name, privateKey } = this.owner;
    const who = { subjectId: `s_${'o'.repeat(26)}`, name, host: currentHost(), user: currentUser() };
    const identity = { serverUrl: `http://127.0.0.1:${port}`, serverPublicKey, ...who, privateKey };
    const fault = saveIdentity(join(this.#home, 'keys'), 'owner', identity);
    if (fault !== null) throw new Error(fault.message);
  }

  async grantsRun(lie: Lie): Promise<Ended> {
    return this.#run('apes', ['grants', 'run', GRANT_ID], lie);
  }

  /** Sets the lie for the next answers. */
  setLie(lie: Lie): void {
    this.#lie = lie;
  }

  get hasRun(): boolean {
    return existsSync(join(this.directory, 'work', 'ran'));
  }

  async #run(program: string, args: readonly string[], lie: Lie, input = ''): Promise<Ended> {
    this.#lie = lie;
    const work = join(this.directory, 'work');
    for (const name of readdirSync(work)) rmSync(join(work, name), { recursive: true });
    const child = spawn(programPath(program), args, { cwd: work, env: { ...this.environment } });
    child.stdin.on('error', () => undefined); // the program may end without reading it
    child.stdin.end(input);
    let [out, err] = ['', ''];
    child.stdout.on('data', (text: Buffer) => {
      out += text.toString();
    });
    child.stderr.on('data', (text: Buffer) => {
      err += text.toString();
    });
    const status = await new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)));
    return { status, out, err, hasRun: this.hasRun };
  }

  /** Makes an honest, unsealed decision about what was asked. */
  decision(asked: Pick<Asked, 'request' | 'fingerprint'>, given: Partial<Grant> & { readonly term?: Term } = {}) {
    const { term = { kind: 'once' }, scope = null, confinement = null, id = GRANT_ID } = given;
    const facts = { server: this.publicKey, decidedAtMs: Date.now() - 1_000, approversSequence: 1 };
    const grant = { id, requesterId: REQUESTER_ID, fingerprint: asked.fingerprint, request: asked.request };
    return decisionDocument(facts, grant, { term: term ?? { kind: 'once' }, scope, confinement });
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const path = request.url ?? '';
    this.called.push(path);
    const [status, body] = this.#answer(path, text === '' ? {} : (JSON.parse(text) as Record<string, unknown>));
    const said = JSON.stringify(await body);
    response.writeHead(status, { 'content-type': 'application/json', 'ape-api': '1' });
    response.end(said);
  }

  #answer(path: string, body: Record<string, unknown>): readonly [number, unknown] {
    const expiresAtMs = Date.now() + 900_000;
    const own = this.answers[path];
    if (own !== undefined) return [200, own(body)];
    if (path === '/v1/auth/challenge') return [200, { challenge: 'c'.repeat(43), expiresAtMs }];
    if (path === '/v1/auth/token') return [200, { token: 't'.repeat(43), expiresAtMs }];
    if (path.startsWith('/v1/approver-lists')) {
      const after = Number(/after=(\d+)/.exec(path)?.[1] ?? '0');
      return [200, { lists: this.lists.filter((each) => sequenceOf(each) > after) }];
    }
    if (path === '/v1/requests') return this.#permit(body as unknown as AskBody);
    if (path.endsWith('/redeem') && this.grant !== null) {
      const { request } = this.grant as { request: ExecutionRequest };
      const asked = { body: body as unknown as AskBody, request, fingerprint: String(body['fingerprint']) };
      return [200, { permit: this.#sign(asked, null) }];
    }
    if (path.startsWith('/v1/grants/') && this.grant !== null) return [200, this.grant];
    return [404, { error: { code: 'grant.not_found', message: 'nothing here' } }];
  }

  #permit(body: AskBody): readonly [number, unknown] {
    const asked = { body, request: body.request, fingerprint: sha256Hex(canonicalRequest(body.request)) };
    const wantsFacts = this.#lie(asked).coveredBy !== undefined && body.findings === undefined;
    if (wantsFacts) return [200, { outcome: 'wants-findings' }];
    const digest = body.findings ? createHash('sha256').update(canonicalHostFacts(body.findings)).digest('hex') : null;
    return [200, { outcome: 'permitted', permit: this.#sign(asked, digest) }];
  }

  #sign(asked: Asked, digest: string | null): string {
    const payload = {
      typ: 'ape-permit/1',
      grantId: GRANT_ID,
      requesterId: REQUESTER_ID,
      fingerprint: asked.fingerprint,
      nonce: asked.body.nonce,
      term: { kind: 'once' },
      ...(digest === null ? {} : { findingsDigest: digest }),
      issuedAtMs: Date.now(),
      ...this.#lie(asked),
    };
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'EdDSA', typ: 'JWT' })}.${part(payload)}`;
    return `${text}.${sign(null, Buffer.from(text), this.#key.key).toString('base64url')}`;
  }
}

const sequenceOf = (list: unknown): number => (list as SealedApprovers).document.sequence;

/** Returns the widest confinement that this host can apply. */
export const widestConfinement = ({ body }: Asked) => {
  const level = body.findings?.confinementLevel ?? 0;
  const all = { read: ['/'], write: ['/'], execute: ['/'], connect: 'any', readOnly: [], tools: [] };
  return level === 0 ? { level } : { level, ...all };
};

/** Returns a scope that covers every `touch` in the directory of this request, as an approver would give it. */
export const touchScope = (
  { host, user, environment }: ExecutionRequest,
  below: string,
  tool = 'touch',
): GrantScope => ({
  kind: 'commands',
  patterns: [
    {
      operations: [tool],
      options: 'any',
      resources: [{ kind: 'path', access: ['read', 'write'], values: { match: 'below', value: below } }],
      highestRisk: 'medium',
      programs: { listed: [], rootOwned: true },
    },
  ],
  conditions: {
    host,
    user,
    cwdBelow: null,
    hours: null,
    environment: boundVariables(environment),
    confinement: 0,
  },
  mostUses: null,
});
