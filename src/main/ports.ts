/** Everything with an effect, built once and handed inwards. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Journal, openJournal } from '../audit/journal.ts';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { Gate } from '../gate/authorize.ts';
import { sealRules } from '../gate/seal-rules.ts';
import type { GrantClient } from '../grants/client.ts';
import { type Identity, type KeyRole, loadIdentity } from '../grants/enrolment.ts';
import type { Server } from '../grants/http.ts';
import { PersistentConnection } from '../grants/persistent-connection.ts';
import { readAuthorities } from '../platform/authorities.ts';
import { systemClock } from '../platform/clock.ts';
import type { Installation } from '../platform/installation.ts';
import { serverKeyPath } from '../platform/paths.ts';
import { ensurePrivateDirectory } from '../platform/private-files.ts';
import { currentHost, currentUser } from '../platform/surroundings.ts';
import { notifyPending } from '../shell/notify.ts';

/** The server this identity asks; `server.url` in the settings wins over the enrolment, the pinned key stays. */
export function serverOf(installation: Installation, identity: Identity): Result<Server, Failure> {
  const { url, timeoutMs } = installation.settings.server;
  const address = url ?? identity.serverUrl;
  const ca = readAuthorities(installation, address);
  if (!ca.ok) return ca;
  const isElsewhere = !existsSync(serverKeyPath(installation.paths.data));
  return success({ url: address, timeoutMs, ca: ca.value, isElsewhere });
}

/** The client for one role of this host; fails (78) when it is not enrolled, or enrolled as another host or user. */
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
    follow: () => {
      const url = movedTo(installation, identity.value, role);
      if (url === null || url === at.url) return false;
      at.url = url;
      return true;
    },
  });
}

/** Where the same server is now, by the enrolment, which `apes up` keeps; null where the settings name the address. */
function movedTo({ paths, settings }: Installation, before: Identity, role: KeyRole): string | null {
  if (settings.server.url !== null) return null;
  const now = loadIdentity(paths.keys, role);
  if (!now.ok) return null;
  const isSame = now.value.serverPublicKey === before.serverPublicKey && now.value.subjectId === before.subjectId;
  return isSame ? now.value.serverUrl : null;
}

/**
 * The gate of this host. The journal is opened first: what cannot be recorded is not even asked for.
 * @param keeps whether this process goes on asking, so that a connection to the server is worth keeping
 */
export function openGate(installation: Installation, keeps = false): Result<Gate, Failure> {
  const { paths, settings, caller, dist } = installation;
  const opened = openClient(installation, 'requester');
  if (!opened.ok) return opened;
  const client = keeps
    ? { ...opened.value, kept: connectionTo(opened.value.server, opened.value.identity) }
    : opened.value;
  const journal = journalOf(join(paths.state, 'audit'));
  if (!journal.ok) return journal;
  const command = settings.notifications.pendingCommand;
  const announce: Gate['announce'] = async (grant) => {
    if (command !== null && command !== '')
      await notifyPending(command, grant, caller.environment, { dist, state: paths.state });
  };
  const lookUp: Gate['lookUp'] = async (request, line) =>
    (await import('./looking-up.ts')).lookUpFor(installation)(request, line);
  const seals: Gate['seals'] = () =>
    sealRules({
      keys: paths.keys,
      server: client.identity.serverPublicKey,
      setting: settings.approvals.sealed,
      mcpRules: async () => (await import('../platform/mcp-rule-files.ts')).loadMcpRules(dist, paths.configFile),
    });
  return success({ client, journal: journal.value, announce, seals, lookUp });
}

const journals = new Map<string, Journal>();

/** One open file a process: the resident gate opens the gate anew for every call. */
function journalOf(directory: string): Result<Journal, Failure> {
  const kept = journals.get(directory);
  if (kept !== undefined) return success(kept);
  const opened = openJournal(directory, systemClock);
  if (opened.ok) journals.set(directory, opened.value);
  return opened;
}

const connections = new Map<string, PersistentConnection>();

/** One a server, identity and process: the resident gate opens the gate anew for every call. */
function connectionTo(server: Server, identity: Identity): PersistentConnection {
  const key = [server.url, server.timeoutMs, identity.serverPublicKey, identity.subjectId].join(' ');
  const connection = connections.get(key) ?? new PersistentConnection(server, identity);
  connections.set(key, connection);
  return connection;
}
