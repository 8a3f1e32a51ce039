/**
 * `GET /v1/connection` with `Upgrade: ape-gate/2`: a persistent connection for a program that asks often. An interactive shell asks about
 * every line. A call over HTTP spends more time on HTTP than on the answer.
 *
 * The connection serves two calls that HTTP serves too: ask and report. Each call has its own token, and the server checks each token.
 */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { PERSISTENT_CONNECTION } from '../../core/api-protocol.ts';
import { failed, type Result } from '../../core/result.ts';
import { AskBodySchema } from '../../core/wire/ask.ts';
import type { ConnectionCall } from '../../core/wire/connection.ts';
import { ReportBodySchema } from '../../core/wire/report.ts';
import type { Shape } from '../../core/wire/schema-parts.ts';
import { newKeyShare, transcriptOf } from '../../platform/connection-key.ts';
import type { Subject } from '../../store/store.ts';
import { type PermitSigner, signedWithConnectionKey } from '../grants/permit-token.ts';
import { audienceRefusal } from '../identity/audience.ts';
import { callerByToken } from '../identity/authentication.ts';
import { MAX_STREAMS_PER_SUBJECT, MAX_UPGRADE_MS } from '../limits.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import { type ApiRoutes, callerOf, refuse, route } from './api-route.ts';
import { type Calls, type ConnectionPeer, ServedConnection } from './persistent-connection.ts';
import { type Reply, replyOf } from './reply.ts';
import { answerAsk, inTurn, recordReport } from './requester-calls.ts';
import { compileSchema } from './validation.ts';

export const persistentConnectionRoutes: ApiRoutes = (app, parts) => {
  const upgrading = new WeakMap<IncomingMessage, Upgrade>();
  const open = new Set<ServedConnection>();
  const answered = new Set<Socket>();
  app.addHook('onReady', async () => passUpgradesOn(app, upgrading, answered));
  app.addHook('preClose', async () => {
    for (const socket of answered) socket.destroy();
    for (const connection of [...open]) connection.finish();
    // A client that does not read its answer must not delay the stop.
    setTimeout(() => {
      for (const connection of open) connection.destroy();
    }, FINISH_MS).unref();
  });
  parts.feed.watchSessionEnds({
    look: () => void endConnectionsOfOldKeys(parts, [...open]),
    hasReaders: () => open.size > 0,
  });
  const calls = callsOf(parts);
  app.get(
    '/v1/connection',
    route('requester', { summary: `Keep a connection for many calls (HTTP upgrade to ${PERSISTENT_CONNECTION})` }),
    async (request, reply) => {
      const upgrade = upgrading.get(request.raw);
      if (upgrade === undefined || !isOurUpgrade(request))
        return refuse(
          parts,
          reply,
          refusal('request.malformed', `this call needs an upgrade to ${PERSISTENT_CONNECTION}`),
        );
      const { subject } = callerOf(request);
      if ([...open].filter((each) => each.subjectId === subject.id).length >= MAX_STREAMS_PER_SUBJECT)
        return refuse(parts, reply, refusal('server.too_many', 'this requester keeps too many connections already'));
      const peer = peerFor(parts, subject, request.headers['ape-share']);
      if (peer === null) return refuse(parts, reply, refusal('request.malformed', 'ape-share is no X25519 key'));
      reply.hijack();
      const connection = new ServedConnection(upgrade.take(), peer, calls, () => open.delete(connection));
      open.add(connection);
      connection.start(upgrade.head);
      return reply;
    },
  );
};

/** How long a stopping server waits for the calls on these connections: less than `STOP_TIMEOUT_MS` of `run-server.ts`. */
const FINISH_MS = 4_000;

const isOurUpgrade = ({ headers }: FastifyRequest): boolean => headers.upgrade?.toLowerCase() === PERSISTENT_CONNECTION;

/**
 * Ends the connections of requesters that were revoked or have another key now. Each call has its own token, but a connection that the
 * old key opened must not stay open. If the database cannot be read, the connections stay open: the server then permits nothing.
 */
async function endConnectionsOfOldKeys(
  { store }: ServerParts,
  connections: readonly ServedConnection[],
): Promise<void> {
  if (connections.length === 0) return;
  const ids = new Set(connections.map(({ subjectId }) => subjectId));
  const found = await store.read(async (rows) => Promise.all([...ids].map((id) => rows.subject(id))));
  if (!found.ok) return;
  const keys = new Map(found.value.map((one) => [one?.id, one?.revokedAtMs === null ? one.publicKey : null]));
  for (const each of connections) if (keys.get(each.subjectId) !== each.publicKey) each.finishSoon();
}

/** Returns null if `clientShare` is not a public key of X25519. */
function peerFor(
  { serverKey, budgets }: ServerParts,
  { id: subjectId, publicKey: hostKey }: Subject,
  clientShare: unknown,
): ConnectionPeer | null {
  if (typeof clientShare !== 'string' || !/^[A-Za-z0-9_-]{43}$/.test(clientShare)) return null;
  const { publicKey: serverShare, agree } = newKeyShare();
  const transcript = transcriptOf({ serverPublicKey: serverKey.publicKey, subjectId, clientShare, serverShare });
  const key = agree(clientShare, transcript);
  if (key === null) return null;
  const proof = serverKey.sign(Buffer.from(transcript)).toString('base64url');
  return {
    subjectId,
    publicKey: hostKey,
    signer: signedWithConnectionKey(key),
    held: budgets.held,
    headers: `ape-share: ${serverShare}\r\nape-proof: ${proof}\r\n`,
  };
}

interface Upgrade {
  /** What the client has sent after the request. */
  readonly head: Buffer;
  /** Takes the socket over from HTTP, and ends the timer of the upgrade. */
  readonly take: () => Socket;
}

/**
 * Sends requests for an upgrade through the usual routes and guards. Node passes every request with an `Upgrade` header to this listener,
 * whatever protocol the header names. A request for another protocol gets an ordinary answer.
 */
function passUpgradesOn(
  app: FastifyInstance,
  upgrading: WeakMap<IncomingMessage, Upgrade>,
  answered: Set<Socket>,
): void {
  app.server.on('upgrade', (request, stream, head) => {
    const socket = stream as Socket;
    socket.on('error', () => socket.destroy());
    answered.add(socket);
    socket.once('close', () => answered.delete(socket));
    // Node's HTTP timers no longer cover this socket. After `end()`, the socket would stay half open until the client closes it. So this
    // timer destroys the socket.
    const deadline = setTimeout(() => socket.destroy(), MAX_UPGRADE_MS);
    socket.once('close', () => clearTimeout(deadline));
    // A request with another method can have a body. No code would read this body: Node's parser has left the socket.
    if (request.method !== 'GET') {
      socket.write('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
      return void socket.destroySoon();
    }
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.on('finish', () => socket.destroySoon());
    upgrading.set(request, {
      head,
      take: () => {
        clearTimeout(deadline);
        answered.delete(socket);
        response.detachSocket(socket);
        return socket;
      },
    });
    app.routing(request, response);
  });
}

/** Answers calls. Authenticates each call by the token of the call. So the server refuses a revoked token here too. */
function callsOf(parts: ServerParts): Calls {
  const answers: Record<ConnectionCall['call'], Answering<unknown>> = {
    ask: checked(AskBodySchema, (subject, body, signer) => answerAsk(parts, subject, body, signer)),
    report: checked(ReportBodySchema, (subject, body) => recordReport(parts, subject, body)),
  };
  return async ({ call, token, body }, { subjectId, signer }) => {
    const startedMs = parts.clock.elapsedMs();
    let subject: Subject | null = null;
    // `inTurn` includes the lookup of the token. Otherwise a thousand calls in one write would delay other callers.
    const result = await inTurn(parts, subjectId, async () => {
      const found = await callerByToken(parts, `Bearer ${token}`);
      if (!found.ok) return found;
      subject = found.value.subject;
      const refused = await audienceRefusal(parts, subject, 'requester');
      return refused === null ? answers[call](found.value.subject, body, signer) : failed(refused);
    }).catch((error: unknown) => {
      parts.log.error({ error, route: call }, 'a call failed');
      return failed(refusal('server.failed', 'the server failed; nothing was decided or run'));
    });
    const who = (subject as Subject | null)?.id;
    if (!result.ok && result.failure.code.startsWith('auth.'))
      parts.log.warn({ subject: who, code: result.failure.code, route: call }, 'a call was refused');
    const reply = replyOf(parts, result, INSTANCES[call]);
    const ms = Math.round((parts.clock.elapsedMs() - startedMs) * 10) / 10;
    parts.log.debug({ call, status: reply.status, ms, subject: who }, 'a call was answered');
    return reply;
  };
}

/** The address of the same call over HTTP. */
const INSTANCES: Readonly<Record<ConnectionCall['call'], string>> = { ask: '/v1/requests', report: '/v1/reports' };

type Answering<Body> = (subject: Subject, body: Body, signer: PermitSigner) => Promise<Result<Reply, Refusal>>;

function checked<Schema extends TSchema>(schema: Schema, answer: Answering<Shape<Schema>>): Answering<unknown> {
  const check = compileSchema({ schema, method: 'POST', url: '', httpPart: 'body' });
  return async (subject, body, signer) => {
    const { error } = check(body) as { readonly error?: Error };
    if (error !== undefined) return failed(refusal('request.malformed', error.message));
    return answer(subject, body as Shape<Schema>, signer);
  };
}
