/** A real server, a real gate with its journal, and a directory of real files. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal } from '../../src/audit/journal.ts';
import type { FileScope } from '../../src/core/files/file-scope.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import { success } from '../../src/core/result.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { ApprovalWait, Authorization, Gate } from '../../src/gate/authorize.ts';
import { authorizeFileOperation, type FileGate, type WantedOperation } from '../../src/gate/file-operation.ts';
import { describeFileRequest } from '../../src/gate/file-request.ts';
import type { GrantClient } from '../../src/grants/client.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { currentHost, currentUser } from '../../src/platform/surroundings.ts';
import { type Person, TestServer } from './server-fixture.ts';

export class FileStage {
  readonly server: TestServer;
  readonly agent: Person;
  readonly owner: Readonly<Record<string, string>>;
  readonly parts: FileGate;
  /** An absolute path without links. It holds `project`, `home`, and `apes` for our installation. */
  readonly directory: string;
  readonly journalDirectory: string;

  private constructor(
    server: TestServer,
    agent: Person,
    owner: FileStage['owner'],
    parts: FileGate,
    directory: string,
  ) {
    this.server = server;
    this.agent = agent;
    this.owner = owner;
    this.parts = parts;
    this.directory = directory;
    this.journalDirectory = join(directory, 'apes', 'audit');
  }

  static async open(options: { readonly readRoots?: readonly string[] } = {}): Promise<FileStage> {
    const server = await TestServer.start();
    const agent = await server.requester('agent', currentHost(), currentUser());
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'ape-files-')));
    for (const name of ['project', 'home', 'apes']) mkdirSync(join(directory, name), { mode: 0o700 });
    const journal = openJournal(join(directory, 'apes', 'audit'), systemClock);
    if (!journal.ok) throw new Error(journal.failure.message);
    const gate: Gate = {
      client: await clientOf(server, agent, join(directory, 'apes')),
      journal: journal.value,
      announce: async () => {},
      seals: () => success({ pin: null, isRequired: false, mcpRules: async () => success([]) }),
      lookUp: async () => null,
    };
    const places = { home: join(directory, 'home'), own: [join(directory, 'apes')] };
    const parts = { gate, places, readRoots: options.readRoots ?? ['.'], gatesFetches: true };
    return new FileStage(server, agent, await server.owner(), parts, directory);
  }

  async close(): Promise<void> {
    await this.server.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  get project(): string {
    return join(this.directory, 'project');
  }

  in(...parts: readonly string[]): string {
    return join(this.directory, ...parts);
  }

  call(operations: readonly WantedOperation[]) {
    return { operations, cwd: this.project, project: this.project };
  }

  /** @throws when the operation cannot be described */
  describe(...operations: readonly WantedOperation[]): ExecutionRequest {
    const described = describeFileRequest(this.call(operations), this.parts.places);
    if (!described.ok) throw new Error(described.failure.message);
    return described.value;
  }

  authorize(operations: readonly WantedOperation[], waitOptions: ApprovalWait | null = null): Promise<Authorization> {
    return authorizeFileOperation(this.parts, this.call(operations), { waitOptions });
  }

  /** @throws when the outcome is not pending */
  async pending(...operations: readonly WantedOperation[]): Promise<GrantView> {
    const outcome = await this.authorize(operations);
    if (outcome.kind !== 'pending') throw new Error(`not pending: ${JSON.stringify(outcome)}`);
    return outcome.grant;
  }

  approve(grant: { readonly id: string; readonly version: number }, term: object, scope?: FileScope) {
    const body = { version: grant.version, term, ...(scope === undefined ? {} : { scope }) };
    return this.server.decide(this.owner, grant.id, 'approve', body);
  }

  /** Files the operations, and approves what `scope` covers for ten minutes. */
  async approvedBelow(scope: FileScope, ...operations: readonly WantedOperation[]): Promise<GrantView> {
    const approved = await this.approve(await this.pending(...operations), { kind: 'timed', forMs: 600_000 }, scope);
    if (approved.status !== 200) throw new Error(JSON.stringify(approved.body));
    return approved.body;
  }

  stored(id: string): Promise<GrantView> {
    return this.server.call<GrantView>('GET', `/v1/grants/${id}`, this.owner).then(({ body }) => body);
  }

  journal(): readonly Record<string, unknown>[] {
    return readdirSync(this.journalDirectory)
      .flatMap((name) => readFileSync(join(this.journalDirectory, name), 'utf8').split('\n'))
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

export async function clientOf(server: TestServer, agent: Person, stateDirectory: string): Promise<GrantClient> {
  const { publicKey } = (await server.call<{ publicKey: string }>('GET', '/v1/server')).body;
  return {
    server: { url: server.url, timeoutMs: 10_000, ca: null },
    identity: {
      serverUrl: server.url,
      serverPublicKey: publicKey,
      subjectId: agent.id,
      name: 'agent',
      host: currentHost(),
      user: currentUser(),
      privateKey: agent.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    },
    stateDirectory,
    clock: systemClock,
  };
}
