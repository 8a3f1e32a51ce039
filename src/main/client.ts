/**
 * `ape-shell/client`: the client that `apes` uses, as a library for other programs. The client reads the enrolment of this host and calls
 * the grant server. The client runs no command.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Failure } from '../core/failure.ts';
import type { Result } from '../core/result.ts';
import type { GrantClient } from '../grants/client.ts';
import type { KeyRole } from '../grants/enrolment.ts';
import { openClient } from './open-client.ts';
import { openInstallation } from './open-installation.ts';

export type { Failure, FailureCode } from '../core/failure.ts';
export type { ExecutionRequest } from '../core/grant/request.ts';
export type { Result } from '../core/result.ts';
export type { GrantView } from '../core/wire/grant-view.ts';
export type { PermitPayload } from '../core/wire/permit.ts';
export type { AskOptions, AskResult, GrantClient } from '../grants/client.ts';
export { askGrant, fetchGrant, listGrants, postGrantChange, redeemGrant } from '../grants/client.ts';
export type { KeyRole } from '../grants/enrolment.ts';
export type { StreamEnd } from '../grants/watch.ts';
export { followGrant } from '../grants/watch.ts';
export { fingerprintOf } from '../platform/surroundings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens a client of this host for the role. Fails if this host has no key for the role. The owner's key exists only after
 * `apes owner key create --here`.
 * @param environment has the variables with which `apes` finds the installation: APES_HOME, or HOME and the XDG variables
 */
export async function openGrantClient(
  role: KeyRole,
  environment: Environment = process.env,
): Promise<Result<GrantClient, Failure>> {
  const variables = new Map<string, Buffer>();
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined) variables.set(name, Buffer.from(value));
  const caller = { argv: [], environment: variables, isClosed: [false, false, false] as const, pid: null };
  const installation = await openInstallation(caller, dirname(dirname(fileURLToPath(import.meta.url))));
  return installation.ok ? openClient(installation.value, role) : installation;
}
