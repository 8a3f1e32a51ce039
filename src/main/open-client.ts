/** Opens the client of the grant server for one role of this host. Does not open the gate. */
import { existsSync } from 'node:fs';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { GrantClient } from '../grants/client.ts';
import { type Identity, type KeyRole, loadIdentity } from '../grants/enrolment.ts';
import type { Server } from '../grants/http.ts';
import { readAuthorities } from '../platform/authorities.ts';
import { systemClock } from '../platform/clock.ts';
import type { Installation } from '../platform/installation.ts';
import { serverKeyPath } from '../platform/paths.ts';
import { ensurePrivateDirectory } from '../platform/private-files.ts';
import { currentHost, currentUser } from '../platform/surroundings.ts';

/**
 * Returns the server of this identity. The setting `server.url` replaces the address of the enrolment, but not the pinned server key.
 * Fails if `readAuthorities` fails.
 */
export function serverOf(installation: Installation, identity: Identity): Result<Server, Failure> {
  const { url, timeoutMs } = installation.settings.server;
  const address = url ?? identity.serverUrl;
  const ca = readAuthorities(installation, address);
  if (!ca.ok) return ca;
  const isElsewhere = !existsSync(serverKeyPath(installation.paths.data));
  return success({ url: address, timeoutMs, ca: ca.value, isElsewhere });
}

/**
 * Opens the client for one role of this host. Makes the state directory if it is missing. Fails with exit status 78 in these cases:
 * - the host is not enrolled for this role
 * - the requester was enrolled as another host or user
 * - a file or directory of the client is not private, or cannot be read
 */
export function openClient(installation: Installation, role: KeyRole): Result<GrantClient, Failure> {
  const { paths } = installation;
  const identity = loadIdentity(paths.keys, role);
  if (!identity.ok) return identity;
  const server = serverOf(installation, identity.value);
  if (!server.ok) return server;
  if (role === 'requester' && (identity.value.host !== currentHost() || identity.value.user !== currentUser()))
    return failed(
      failure(
        'configuration',
        `this installation was enrolled as ${identity.value.user}@${identity.value.host}, and this is ${currentUser()}@${currentHost()}`,
        'enrol again: apes up, or apes login URL',
      ),
    );
  const wide = ensurePrivateDirectory(paths.state);
  if (wide !== null) return failed(wide);
  const at = { ...server.value };
  return success({
    server: at,
    identity: identity.value,
    stateDirectory: paths.state,
    clock: systemClock,
    ...(role === 'requester' ? { keyDirectory: paths.keys } : {}),
    follow: () => {
      const url = movedTo(installation, identity.value, role);
      if (url === null || url === at.url) return false;
      at.url = url;
      return true;
    },
  });
}

/**
 * Reads the server's present address from the enrolment. `apes up` updates the enrolment. Returns null if the settings name the address,
 * if the enrolment cannot be read, or if the enrolment is now for another server or subject.
 */
function movedTo({ paths, settings }: Installation, before: Identity, role: KeyRole): string | null {
  if (settings.server.url !== null) return null;
  const now = loadIdentity(paths.keys, role);
  if (!now.ok) return null;
  const isSame = now.value.serverPublicKey === before.serverPublicKey && now.value.subjectId === before.subjectId;
  return isSame ? now.value.serverUrl : null;
}
