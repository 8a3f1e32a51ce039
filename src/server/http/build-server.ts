/** Builds the server as a Fastify instance: the hooks that guard every route, and the routes. The instance does not listen yet. */
import { isUtf8 } from 'node:buffer';
import type { Server } from 'node:net';
import cookie from '@fastify/cookie';
import swagger from '@fastify/swagger';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { isOurHost } from '../bind.ts';
import { boundedLog } from '../bounded-log.ts';
import { BriefLines } from '../grants/brief-lines.ts';
import { GrantFeed } from '../grants/grant-feed.ts';
import { PastLines } from '../grants/past-lines.ts';
import { SearchPace } from '../grants/search-pace.ts';
import { newSharedUses } from '../grants/shared-uses.ts';
import { StandingIndex } from '../grants/standing-index.ts';
import { HostLinks } from '../hosts/host-links.ts';
import { type Audience, audienceRefusal } from '../identity/audience.ts';
import { type Caller, checkCrossSite, findCaller, newTokenHolders } from '../identity/authentication.ts';
import { newSecret } from '../identity/secrets.ts';
import { slideSession } from '../identity/session.ts';
import { MAX_CONNECTIONS, MAX_HELD_BYTES_PER_ADDRESS, MAX_HELD_BYTES_PER_REQUESTER } from '../limits.ts';
import { NotificationDispatcher } from '../notifications/dispatcher.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { Retention } from '../retention.ts';
import { newBudgets, type ServerParts, type ServerPorts } from '../server-ports.ts';
import { callerOf, refuse } from './api-route.ts';
import { approverListRoutes } from './approver-list-routes.ts';
import { approverRoutes } from './approver-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { breakGlassRoutes } from './break-glass-routes.ts';
import { answerBrokenCall } from './broken-call.ts';
import { callerAddress } from './caller-address.ts';
import { enrolmentRoutes } from './enrolment-routes.ts';
import { explainRoutes } from './explain-routes.ts';
import { notificationPages } from './notification-pages.ts';
import { notificationRoutes } from './notification-routes.ts';
import { orderRoutes } from './order-routes.ts';
import { ownSignInRoutes } from './own-sign-in-routes.ts';
import { pageRoutes, sendNothingHere } from './page-routes.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import { pauseRoutes } from './pause-routes.ts';
import { peopleRoutes } from './people-routes.ts';
import { persistentConnectionRoutes } from './persistent-connection-routes.ts';
import { planRoutes } from './plan-routes.ts';
import { policyRoutes } from './policy-routes.ts';
import { problemRoutes } from './problem-routes.ts';
import { publicRoutes } from './public-routes.ts';
import { readinessRoutes } from './readiness-routes.ts';
import { sendMalformed } from './reply.ts';
import { requesterRoutes } from './requester-routes.ts';
import { runningPages } from './running-pages.ts';
import { runningRoutes } from './running-routes.ts';
import { scopeRoutes } from './scope-routes.ts';
import { securityHeaders } from './security-headers.ts';
import { sessionRoutes } from './session-routes.ts';
import { sendNotSignedIn } from './sign-in-routes.ts';
import { streamRoutes } from './stream-routes.ts';
import { compileSchema } from './validation.ts';

/** The time in which a client has to send the headers of a request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;

const ROUTES = [
  publicRoutes,
  problemRoutes,
  readinessRoutes,
  requesterRoutes,
  planRoutes,
  persistentConnectionRoutes,
  approverRoutes,
  enrolmentRoutes,
  auditRoutes,
  scopeRoutes,
  explainRoutes,
  pauseRoutes,
  policyRoutes,
  passkeyRoutes,
  peopleRoutes,
  breakGlassRoutes,
  ownSignInRoutes,
  approverListRoutes,
  sessionRoutes,
  orderRoutes,
  runningRoutes,
  notificationRoutes,
  streamRoutes,
  pageRoutes,
  runningPages,
  notificationPages,
];

/** @property ownPaths for each route, the first part of the route's path, without a slash */
interface BuiltServer {
  readonly app: FastifyInstance;
  readonly ownPaths: ReadonlySet<string>;
}

export async function buildServer(ports: ServerPorts): Promise<BuiltServer> {
  const app = fastify({
    loggerInstance: ports.log,
    logController: new LogController({ disableRequestLogging: true }), // the URL of a sign-in contains a secret
    trustProxy: false,
    bodyLimit: 64 * 1024,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 2_000 },
    routerOptions: { maxParamLength: 128 },
    rewriteUrl: ({ url = '/' }) => withoutBase(url, ports.assets.basePath),
    clientErrorHandler: (error, socket) => answerBrokenCall(error, socket, ports.clock.nowMs()),
    frameworkErrors: (error, _request, reply) => {
      void sendMalformed(reply as unknown as FastifyReply, 400, error.message);
    },
  });
  const ownPaths = new Set<string>();
  app.addHook('onRoute', ({ url }) => void ownPaths.add(url.split('/')[1] ?? ''));
  limitConnections(app.server);
  const log = boundedLog(ports.log, ports.clock);
  const parts: ServerParts = {
    ...ports,
    log,
    budgets: newBudgets(ports.clock),
    feed: new GrantFeed(ports.store, ports.clock, log),
    hosts: new HostLinks(ports.clock, () => newSecret(ports.random)),
    standing: new StandingIndex(),
    past: new PastLines(ports.rules),
    briefLines: new BriefLines(),
    sharedUses: newSharedUses(() => parts),
    tokens: newTokenHolders(ports),
    searches: { pace: new SearchPace(ports.clock, ports.store.isInProcess), titles: new Map() },
    notifications: new NotificationDispatcher(() => parts, ports.clock),
  };
  const retention = new Retention(() => parts);
  app.setValidatorCompiler(compileSchema);
  app.setSerializerCompiler(() => (body) => JSON.stringify(body));
  app.decorateRequest('caller', null);
  app.addHook('onReady', () => parts.feed.start());
  app.addHook('onReady', async () => parts.notifications.start());
  app.addHook('onReady', async () => retention.start());
  app.addHook('onClose', () => parts.notifications.stop());
  app.addHook('onClose', () => retention.stop());
  app.addHook('onClose', async () => parts.feed.stop());
  await app.register(cookie);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'ape-shell grant server', version: ports.version },
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          session: { type: 'apiKey', in: 'cookie', name: 'ape_session' },
        },
      },
    },
  });
  readJsonAsUtf8(app);
  guard(app, parts);
  answerErrors(app, parts);
  for (const routes of ROUTES) await app.register(async (scope) => routes(scope, parts));
  app.get('/openapi.json', { config: { audience: 'public' }, schema: { hide: true } }, async () => app.swagger());
  return { app, ownPaths };
}

/** Removes the base path of the public address from `url`. Some proxies have removed the base path already. */
function withoutBase(url: string, basePath: string): string {
  const isBelow = basePath !== '' && url.startsWith(basePath) && /^[/?]?$/.test(url.charAt(basePath.length));
  return isBelow ? url.slice(basePath.length).replace(/^(?!\/)/, '/') : url;
}

/** Limits the number of connections. The server closes each further connection at once, without an answer. */
export function limitConnections(server: Server, most = MAX_CONNECTIONS): void {
  server.maxConnections = most;
}

/** Refuses JSON that is not UTF-8 (RFC 8259). Without this check, the server would read another text than the client sent. */
function readJsonAsUtf8(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
    if (charset !== undefined && !/^utf-?8$/i.test(charset))
      return done(Object.assign(new Error('JSON is UTF-8; send no other charset'), { statusCode: 415 }));
    if (!isUtf8(body as Buffer)) return done(Object.assign(new Error('the body is not UTF-8'), { statusCode: 400 }));
    return parse(request, body.toString('utf8'), done);
  });
}

/** Checks the host name, the caller and the caller's rights before a body is read. The default audience of a route is `approver`. */
function guard(app: FastifyInstance, parts: ServerParts): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders(parts.clock.nowMs()));
    const publicUrl = parts.publicUrl();
    const hosts = request.raw.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
    if (hosts.length > 1) return refuse(parts, reply, refusal('request.malformed', 'there are several Host headers'));
    if (!isOurHost(request.headers.host, publicUrl))
      return refuse(parts, reply, refusal('request.malformed', 'this server does not answer to that name'));
    // Fastify calls the not-found handler only after it has read the body, and `holdBody` counts no byte of such a body. So this hook
    // sends the answer.
    if (request.is404) return sendNothingHere(request, reply, parts);
    const { audience, isPage } = request.routeOptions.config;
    const refused = audience === 'public' ? null : await admit(request, reply, parts, audience ?? 'approver');
    if (refused === null) {
      const tooMuch = holdBody(request, reply, parts);
      return tooMuch === null ? undefined : refuse(parts, reply, tooMuch);
    }
    return isPage === true ? sendNotSignedIn(request, reply, parts, refused) : refuse(parts, reply, refused);
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    const route = request.is404 ? 'none' : (routeOptions.url ?? 'none');
    parts.observe?.({ method, route, status: reply.statusCode, ms: reply.elapsedTime });
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    parts.log.debug(
      { method, route: routeOptions.url, status: reply.statusCode, ms, subject: request.caller?.subject.id },
      'a call was answered',
    );
  });
}

/**
 * Counts the bytes of the body as held memory until the response is closed. Returns a refusal if a limit would be exceeded. Counts the
 * announced length, but at most the body limit of the route. Without an announced length, counts the body limit.
 */
function holdBody(request: FastifyRequest, reply: FastifyReply, { budgets, publicUrl }: ServerParts): Refusal | null {
  const { method, headers, caller, routeOptions } = request;
  if (method === 'GET' || method === 'HEAD') return null;
  const announced = Number(headers['content-length'] ?? Number.NaN);
  const bytes = Math.min(Number.isNaN(announced) ? Number.POSITIVE_INFINITY : announced, routeOptions.bodyLimit);
  const key = caller?.subject.id ?? callerAddress(request, publicUrl());
  const outcome = budgets.held.hold(
    key,
    bytes,
    caller === null ? MAX_HELD_BYTES_PER_ADDRESS : MAX_HELD_BYTES_PER_REQUESTER,
  );
  if (outcome === 'own')
    return refusal('server.too_many', 'your unfinished calls hold too many bytes already; let them end first');
  if (outcome === 'all') return refusal('server.busy', 'calls hold too many bytes already; try again');
  // If the caller left while `admit` waited, `close` has been emitted already.
  if (reply.raw.closed) budgets.held.release(key, bytes);
  else reply.raw.once('close', () => budgets.held.release(key, bytes));
  return null;
}

async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ServerParts,
  audience: Exclude<Audience, 'public'>,
): Promise<Refusal | null> {
  const found = await findCaller(parts, request);
  if (!found.ok) return found.failure;
  const caller: Caller = found.value;
  const refused =
    (await audienceRefusal(parts, caller.subject, audience)) ?? checkCrossSite(request, caller, parts.publicUrl());
  if (refused !== null) {
    parts.log.warn(
      { subject: caller.subject.id, code: refused.code, route: request.routeOptions.url },
      'a call was refused',
    );
    return refused;
  }
  request.caller = caller;
  await slideSession(parts, request, reply, callerOf(request));
  return null;
}

function answerErrors(app: FastifyInstance, parts: ServerParts): void {
  app.setNotFoundHandler((request, reply) => sendNothingHere(request, reply, parts));
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status < 500) return sendMalformed(reply, status, error.message);
    parts.log.error({ error, route: request.routeOptions.url }, 'a call failed');
    return refuse(parts, reply, refusal('server.failed', 'the server failed; nothing was decided or run'));
  });
}
