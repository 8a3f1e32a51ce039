/** `apes serve`: runs the server until a signal comes. While the server runs, `state/server.json` has its address and process id. */

import { constants } from 'node:os';
import { join } from 'node:path';
import { failure } from '../../core/failure.ts';
import type { Settings } from '../../core/settings.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Installation } from '../../platform/installation.ts';
import { loadMcpRules } from '../../platform/mcp-rule-files.ts';
import { databasePath } from '../../platform/paths.ts';
import { loadRules } from '../../platform/rule-files.ts';
import type { NotificationSettings } from '../../server/notifications/notification-ports.ts';
import type { KeptTimes } from '../../server/retention.ts';
import { sessionDirectory } from '../../session/registry.ts';
import type { CliContext } from '../context.ts';
import { done, type Ending, failing } from '../ending.ts';
import { removeServerRecord, type ServerRecord, underServerLock, writeServerRecord } from './local-server.ts';
import { openServerLog } from './log.ts';

/**
 * @property port      0: the system chooses a port
 * @property publicUrl the address for approvers; null: the address at which the server listens
 * @property database  null: `grants.sqlite` in the data directory
 */
export interface ServePlace {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | null;
  readonly database: string | null;
}

export async function serveHere(context: CliContext, installation: Installation, place: ServePlace): Promise<Ending> {
  const whenHeld = (pid: number) =>
    failure('unavailable', `the server of this installation runs already (pid ${pid})`, 'apes down ends it');
  return underServerLock(installation.paths, whenHeld, () => serveUntilSignal(context, installation, place));
}

async function serveUntilSignal(context: CliContext, installation: Installation, place: ServePlace): Promise<Ending> {
  const { paths, settings } = installation;
  const stopped = stopSignal(context);
  const log = await openServerLog({
    level: settings.serve.logLevel,
    isTerminal: context.isTerminal(2),
    descriptor: 2,
    file: join(paths.state, 'server.log'),
  });
  const rules = await loadRules(context.dist, paths.configFile);
  if (!rules.ok) return failing(rules.failure);
  const mcpRules = await loadMcpRules(context.dist, paths.configFile);
  if (!mcpRules.ok) return failing(mcpRules.failure);
  const { runServer } = await import('../../server/run-server.ts');
  const database = place.database ?? databasePath(paths.data);
  const running = await runServer({
    host: place.host,
    port: place.port,
    publicUrl: place.publicUrl ?? undefined,
    database,
    keyDirectory: paths.data,
    sessionDirectory: sessionDirectory(paths),
    rules: rules.value,
    mcpRules: mcpRules.value,
    metrics: settings.serve.metrics ?? undefined,
    notifications: notificationSettingsOf(settings.serve),
    keptTimes: keptTimesOf(settings.serve),
    log,
  });
  if (!running.ok) return failing(running.failure);
  const { url: publicUrl, port, publicKey } = running.value;
  const record: ServerRecord = {
    pid: process.pid,
    url: localUrl(place.host, port, publicUrl),
    publicUrl,
    port,
    database,
    publicKey,
    startedAt: new Date(systemClock.nowMs()).toISOString(),
    version: context.version,
    build: context.build,
  };
  const unwritten = writeServerRecord(paths, record);
  if (unwritten === null) {
    log.info({ url: record.url, publicUrl, metrics: running.value.metricsUrl, pid: process.pid }, 'the server listens');
    const signal = await stopped;
    log.info({ signal }, 'the server stops');
  }
  removeServerRecord(paths);
  await running.value.stop();
  return unwritten === null ? done : failing(unwritten);
}

/** A mail relay needs a sender. Without `mailFrom`, `senderOf` makes the sender from the relay's URL. */
function notificationSettingsOf({ smtpUrl, mailFrom, notificationHosts }: Settings['serve']): NotificationSettings {
  const relay = smtpUrl === null ? null : { url: smtpUrl, from: mailFrom ?? senderOf(smtpUrl) };
  return { relay, allowedHosts: notificationHosts };
}

const keptTimesOf = ({ keepRequestsMs, keepUsesMs, keepEventsMs }: Settings['serve']): KeptTimes => ({
  requests: keepRequestsMs,
  uses: keepUsesMs,
  events: keepEventsMs,
});

function senderOf(smtpUrl: string): string {
  const { username, hostname } = new URL(smtpUrl);
  const user = username === '' ? 'ape-shell' : username.replaceAll('%40', '@');
  return user.includes('@') ? user : `${user}@${hostname}`;
}

/**
 * Returns the address for programs on this host: loopback if the server listens on all addresses or on loopback, else
 * `publicUrl`.
 */
function localUrl(host: string, port: number, publicUrl: string): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  const isLoopback = host === 'localhost' || host === '::1' || host.startsWith('127.');
  return isLoopback ? `http://${host.includes(':') ? `[${host}]` : host}:${port}` : publicUrl;
}

/** Waits for a signal that the launcher passes on, or for the SIGTERM that `apes down` sends to this process. */
function stopSignal(context: CliContext): Promise<number> {
  return new Promise((resolve) => {
    context.onFatalSignal(resolve);
    process.on('SIGTERM', () => resolve(constants.signals.SIGTERM));
  });
}
