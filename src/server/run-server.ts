/** Starts and stops the server. */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { RuleBook } from '../core/rules/rule.ts';
import type { McpServerRule } from '../core/tools/mcp-rule.ts';
import { type Clock, steadyClock, systemClock } from '../platform/clock.ts';
import { plainAddress } from '../platform/web-origin.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { loadWebAssets } from '../web/assets.ts';
import { checkBasePath, checkBind } from './bind.ts';
import { buildServer } from './http/build-server.ts';
import { loadOrCreateServerKey } from './identity/server-key.ts';
import { newMetrics } from './metrics.ts';
import { NO_NOTIFICATION_SETTINGS, type NotificationSettings } from './notifications/notification-ports.ts';
import { ownAssetsDirectory, ownVersion } from './own-files.ts';
import { KEEP_ALL, type KeptTimes } from './retention.ts';

/**
 * @property host         the address to listen on; default `127.0.0.1`
 * @property port         0: some free port
 * @property publicUrl    the address by which approvers reach the server; default `http://HOST:PORT`
 * @property database     a path, `sqlite:PATH` or `postgres://…`
 * @property keyDirectory the directory of the server's key; servers that share a database must share the key
 * @property log          pino, or a logger with the same methods
 * @property sessionDirectory the directory with the records of the sessions of this installation; absent: the server lists no sessions
 * @property rules        the rule files of tools; absent: a grant covers only exact bytes
 * @property mcpRules     the rule files of MCP servers; default: none
 * @property metrics      `HOST:PORT` at which the server serves metrics for Prometheus; absent: the server serves no metrics
 * @property clock        default: the clock of the system
 * @property notifications the mail relay, and the private hosts to which notifications may be sent; default: none
 * @property keptTimes     how long requests, uses and events are kept; default: for ever
 * @property assetsDirectory the directory of `pages.css` and `pages.js`; default: the directory of the installed program
 */
export interface ServerSettings {
  readonly host?: string | undefined;
  readonly port: number;
  readonly publicUrl?: string | undefined;
  readonly database: string;
  readonly keyDirectory: string;
  readonly log: FastifyBaseLogger;
  readonly sessionDirectory?: string | undefined;
  readonly rules?: RuleBook | undefined;
  readonly mcpRules?: readonly McpServerRule[] | undefined;
  readonly assetsDirectory?: string | undefined;
  readonly metrics?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly notifications?: NotificationSettings | undefined;
  readonly keptTimes?: KeptTimes | undefined;
}

/**
 * @property url        the address by which approvers reach the server (`publicUrl`)
 * @property port       the port on which the server listens
 * @property publicKey  the public key of the server
 * @property store      for the functions of `administration.ts` in the same process
 * @property metricsUrl null: the server serves no metrics
 */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly publicKey: string;
  readonly store: Store;
  readonly metricsUrl: string | null;
  /** Waits at most 5 s for running HTTP calls, ends streams, and closes the database. Later calls of `stop` return the same promise. */
  stop(): Promise<void>;
}

const STOP_TIMEOUT_MS = 5_000;

/** Starts the server. Fails if an address, the key or the database cannot be used. After a failure nothing is left open. */
export async function runServer(settings: ServerSettings): Promise<Result<RunningServer, Failure>> {
  const host = settings.host ?? '127.0.0.1';
  const unsafe = checkBind({ host, publicUrl: settings.publicUrl });
  if (unsafe !== null) return failed(unsafe);
  const serverKey = loadOrCreateServerKey(settings.keyDirectory);
  if (!serverKey.ok) return serverKey;
  const metrics = settings.metrics === undefined ? success(null) : await newMetrics(settings.metrics);
  if (!metrics.ok) return metrics;
  const opened = await openStore(settings.database);
  if (!opened.ok) return opened;
  const store = opened.value;
  let publicUrl = settings.publicUrl === undefined ? addressOf(host, settings.port) : plainAddress(settings.publicUrl);
  const clock = steadyClock(settings.clock ?? systemClock);
  const { app, ownPaths } = await buildServer({
    store,
    clock,
    random: (bytes) => randomBytes(bytes),
    serverKey: serverKey.value,
    log: settings.log,
    publicUrl: () => publicUrl,
    assets: loadWebAssets(
      settings.assetsDirectory ?? ownAssetsDirectory(),
      new URL(publicUrl).pathname.replace(/\/$/, ''),
    ),
    version: ownVersion(),
    rules: settings.rules ?? null,
    mcpRules: settings.mcpRules ?? [],
    sessionDirectory: settings.sessionDirectory ?? null,
    observe: metrics.value?.observe ?? null,
    notificationSettings: settings.notifications ?? NO_NOTIFICATION_SETTINGS,
    keptTimes: settings.keptTimes ?? KEEP_ALL,
  });
  const giveUp = async (why: Failure) => {
    await app.close();
    await store.close();
    return failed(why);
  };
  const hidden = checkBasePath(publicUrl, ownPaths);
  if (hidden !== null) return giveUp(hidden);
  const figures = await metrics.value?.listen({ store, clock, connections: () => connectionsOf(app) });
  if (figures?.ok === false) return giveUp(figures.failure);
  const listening = await listen(app, host, settings.port);
  if (!listening.ok) {
    await figures?.value.stop();
    return giveUp(listening.failure);
  }
  const port = listening.value;
  if (settings.publicUrl === undefined) publicUrl = addressOf(host, port);
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= Promise.all([stopServer(app, store), figures?.value.stop()]).then(() => undefined));
  const { publicKey } = serverKey.value;
  return success({ url: publicUrl, port, publicKey, store, metricsUrl: figures?.value.url ?? null, stop });
}

const addressOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Makes the server listen. Returns the port. */
async function listen(app: FastifyInstance, host: string, port: number): Promise<Result<number, Failure>> {
  try {
    await app.listen({ host, port, backlog: 1024 });
    return success((app.server.address() as AddressInfo).port);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      return failed(
        failure(
          'unavailable',
          `port ${port} on ${host} is taken`,
          'stop what listens there, or give --port',
          'bind.taken',
        ),
      );
    return failed(
      failure(
        'configuration',
        `cannot listen on ${host}:${port} (${code ?? message})`,
        'check --host and --port',
        'bind.failed',
      ),
    );
  }
}

const connectionsOf = (app: FastifyInstance): Promise<number> =>
  new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count ?? 0)));

async function stopServer(app: FastifyInstance, store: Store): Promise<void> {
  const hurry = setTimeout(() => app.server.closeAllConnections(), STOP_TIMEOUT_MS);
  await app.close();
  clearTimeout(hurry);
  await store.close();
}
