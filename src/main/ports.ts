/** Opens the gate of this host, and connects the gate with the server, the journal and the notifications. */
import { join } from 'node:path';
import { type Journal, openJournal } from '../audit/journal.ts';
import type { Failure } from '../core/failure.ts';
import { type Result, success } from '../core/result.ts';
import type { Gate } from '../gate/authorize.ts';
import { sealRules } from '../gate/seal-rules.ts';
import type { Identity } from '../grants/enrolment.ts';
import type { Server } from '../grants/http.ts';
import { PersistentConnection } from '../grants/persistent-connection.ts';
import { systemClock } from '../platform/clock.ts';
import type { Installation } from '../platform/installation.ts';
import { notifyPending } from '../shell/notify.ts';
import { openClient } from './open-client.ts';

/**
 * Fails as `openClient` does. Also fails if the journal cannot be opened: a request that cannot be recorded is not sent.
 * @param keepsConnection whether to use a persistent connection to the server. Such a connection saves time in a process that sends several
 *   requests
 */
export function openGate(installation: Installation, keepsConnection = false): Result<Gate, Failure> {
  const { paths, settings, caller, dist } = installation;
  const opened = openClient(installation, 'requester');
  if (!opened.ok) return opened;
  const client = keepsConnection
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

/** Opens each journal only once in this process. The resident gate calls `openGate` anew for every caller. */
function journalOf(directory: string): Result<Journal, Failure> {
  const kept = journals.get(directory);
  if (kept !== undefined) return success(kept);
  const opened = openJournal(directory, systemClock);
  if (opened.ok) journals.set(directory, opened.value);
  return opened;
}

const connections = new Map<string, PersistentConnection>();

/** Returns the connection for this server and identity. This process keeps the connection for later calls of `openGate`. */
function connectionTo(server: Server, identity: Identity): PersistentConnection {
  const key = [server.url, server.timeoutMs, identity.serverPublicKey, identity.subjectId].join(' ');
  const connection = connections.get(key) ?? new PersistentConnection(server, identity);
  connections.set(key, connection);
  return connection;
}
