/** Files lines at a server with rule files, as a host that sends host facts does. */
import { parse } from 'unbash';
import type { ConfinementLevel } from '../../src/core/confinement/confinement.ts';
import { assessRequest, commandsOfRequest } from '../../src/core/effects/assess-request.ts';
import { normalizePath } from '../../src/core/effects/command-context.ts';
import { type Agreement, type HostFacts, type Lookups, recordLookups } from '../../src/core/effects/host-facts.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import type { Resolution } from '../../src/core/reading/resolution.ts';
import type { CommandPattern, CommandScope } from '../../src/core/scope/command-scope.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { type PermitPayload, PermitPayloadSchema } from '../../src/core/wire/permit.ts';
import { guardOf } from '../../src/server/http/validation.ts';
import { allRules } from '../core/rule-effects.ts';
import { type Person, requestFor, type TestServer } from './server-fixture.ts';

export const PROJECT = '/home/agent/app';
const ENVIRONMENT = [
  { name: 'HOME', value: '/home/agent' },
  { name: 'PATH', value: '/usr/bin' },
];

export const lineRequest = (text: string, more: Partial<ExecutionRequest> = {}): ExecutionRequest =>
  requestFor(text, { argv: ['-c', text], cwd: PROJECT, environment: ENVIRONMENT, ...more });

const program = (name: string): Resolution => ({
  kind: 'file',
  path: `/usr/bin/${name}`,
  realPath: `/usr/bin/${name}`,
  ownerUid: 0,
  writable: [],
});

const BUILTINS = new Set(['cd', 'echo', 'true', 'false', 'printf', 'test', 'pwd']);

/** A host without symbolic links, on which only root can change programs. */
export const PLAIN_HOST: Lookups = {
  home: '/home/agent',
  hasSearchedCd: false,
  resolveName: (name, _source, lookup) =>
    BUILTINS.has(name) && lookup !== 'file' ? { kind: 'builtin' } : program(name.slice(name.lastIndexOf('/') + 1)),
  resolvePath: normalizePath,
  projectOf: () => null,
  recordsOf: () => [],
  hasHooks: () => false,
  addsRepository: () => false,
  repositoryOf: (directory) => (`${directory}/`.startsWith(`${PROJECT}/`) ? PROJECT : null),
  hasLinksOut: () => false,
  isBareRepository: () => false,
  matchesOf: () => [],
  sensitiveBelow: () => [],
};

/** Returns all host facts that the host would send for the line. */
export function hostFactsFor(
  request: ExecutionRequest,
  host: Lookups = PLAIN_HOST,
  bash: Agreement = 'agrees',
  confinementLevel: ConfinementLevel = 0,
): HostFacts {
  const { lookups, recordedFacts } = recordLookups(host);
  assessRequest(request, commandsOfRequest(request, parse), bash, { rules: allRules, lookups });
  const hostFacts = recordedFacts(bash, confinementLevel);
  if (hostFacts === null) throw new Error('too much was looked up');
  return hostFacts;
}

/** Asks with all host facts of a plain host. */
export const askLine = (server: TestServer, by: Person, text: string, more: Partial<ExecutionRequest> = {}) => {
  const request = lineRequest(text, more);
  return server.ask(by, text, request, hostFactsFor(request));
};

export async function pendingLine(server: TestServer, by: Person, text: string, more: Partial<ExecutionRequest> = {}) {
  const { body } = await askLine(server, by, text, more);
  if (body.outcome !== 'pending') throw new Error(`not pending: ${JSON.stringify(body)}`);
  return body.grant;
}

const pattern = (more: Partial<CommandPattern>): CommandPattern => ({
  operations: ['git log'],
  options: 'any',
  resources: [
    { kind: 'path', access: ['read'], values: { match: 'below', value: PROJECT } },
    { kind: 'ref', access: ['read'], values: { match: 'any' } },
  ],
  highestRisk: 'low',
  programs: { listed: [], rootOwned: true },
  ...more,
});

export const scopeFor = (more: Partial<CommandPattern> = {}, rest: Partial<CommandScope> = {}): CommandScope => ({
  kind: 'commands',
  patterns: [pattern(more)],
  conditions: { host: 'box', user: 'agent', cwdBelow: PROJECT, hours: null, environment: ENVIRONMENT, confinement: 0 },
  mostUses: null,
  ...rest,
});

/** Files `text`, and approves the scope for it with a standing grant. */
export async function standing(
  server: TestServer,
  by: Person,
  owner: Readonly<Record<string, string>>,
  text: string,
  scope: CommandScope,
): Promise<GrantView> {
  const grant = await pendingLine(server, by, text);
  const answer = await server.decide(owner, grant.id, 'approve', {
    version: grant.version,
    term: { kind: 'always' },
    scope,
  });
  if (answer.status !== 200) throw new Error(`not approved: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const isPayload = guardOf(PermitPayloadSchema);

/** Returns the payload of a permit, after a check that it has the shape of the API. */
export function payloadOf(permit: string): PermitPayload {
  const payload: unknown = JSON.parse(Buffer.from(permit.split('.')[1] ?? '', 'base64url').toString());
  if (!isPayload(payload)) throw new Error(`no payload of a permit: ${JSON.stringify(payload)}`);
  return payload;
}
