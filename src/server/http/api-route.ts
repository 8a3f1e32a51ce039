/** Defines routes of the API with their audience and their schemas. Turns the results of the routes into answers. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { failed, type Result, success } from '../../core/result.ts';
import { KeyHeaders, TagHeaders } from '../../core/wire/call-headers.ts';
import { ErrorBodySchema } from '../../core/wire/error.ts';
import { NoContent, type Shape } from '../../core/wire/schema-parts.ts';
import { doneOnce, type KeyedCall } from '../idempotency.ts';
import type { Audience } from '../identity/audience.ts';
import type { Caller } from '../identity/authentication.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import { callerAddress } from './caller-address.ts';
import { sendFresh } from './fresh-answer.ts';
import { PROBLEM_TYPE } from './problem.ts';
import { sendResult } from './reply.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller that a hook has identified; null on public routes. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Who may call the route; absent: `approver`. */
    audience?: Audience;
    /** Whether the route answers in HTML; absent: in JSON. */
    isPage?: boolean;
  }
}

/** The summary of a route for the description of the API, and the schemas of the route's inputs and answers. */
export interface RouteShape {
  readonly summary: string;
  readonly body?: TSchema;
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  readonly headers?: TSchema;
  readonly answers?: AnswerSchemas;
}

/** The schemas of the answers by status. */
type AnswerSchemas = Readonly<Record<number, TSchema>>;

const PROBLEM = { description: 'Why the call failed', content: { [PROBLEM_TYPE]: { schema: ErrorBodySchema } } };

/**
 * Returns Fastify's options for a route. All refusals of the route have the same schema.
 * @param bodyLimit in bytes
 */
export function route(audience: Audience, shape: RouteShape, bodyLimit = 64 * 1024) {
  const { summary, answers, ...inputs } = shape;
  const security = audience === 'public' ? [] : [{ bearer: [] }, { session: [] }];
  const schema = {
    summary,
    ...inputs,
    security,
    response: { ...answers, '4xx': PROBLEM, '5xx': PROBLEM },
  };
  return { config: { audience }, schema, bodyLimit };
}

interface EndpointShape<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Answers extends AnswerSchemas,
> {
  readonly summary: string;
  readonly params?: Params;
  readonly querystring?: Query;
  readonly body?: Body;
  /** In bytes; default 64 KiB. */
  readonly bodyLimit?: number;
  /** Decides what the server keeps of an answer to a call with an `Idempotency-Key`; absent: the route takes no such key. */
  readonly keeps?: KeyedCall['keeps'];
  readonly answers: Answers;
}

/**
 * An answer of the route: a status in `Answers`, and a body with the schema of this status. If this schema is null, there is no body.
 */
type AnswerOf<Answers extends AnswerSchemas> = {
  [Status in keyof Answers & number]: Shape<Answers[Status]> extends null
    ? { readonly status: Status }
    : { readonly status: Status; readonly body: Shape<Answers[Status]> };
}[keyof Answers & number];

/** The input of a call, checked by the schemas. */
interface Sent<Who extends Audience, Params extends TSchema, Query extends TSchema, Body extends TSchema> {
  readonly caller: Who extends 'public' ? null : Caller;
  readonly params: Shape<Params>;
  readonly query: Shape<Query>;
  readonly body: Shape<Body>;
  /**
   * The caller's IPv4 address, or the /64 network of the caller's IPv6 address. A call without a credential is charged to the budget of
   * this address.
   */
  readonly address: string;
}

/**
 * Returns the function `endpoint`, which adds one route of the API. For each call of the route, the function `answer` makes the answer or a
 * refusal. A route that answers with more than JSON (a stream, a page, a cookie) uses `route` and `sendResult`.
 */
export function endpointsOf(app: FastifyInstance, parts: ServerParts) {
  return function endpoint<
    Who extends Audience,
    Params extends TSchema,
    Query extends TSchema,
    Body extends TSchema,
    Answers extends AnswerSchemas,
  >(
    audience: Who,
    method: 'GET' | 'POST' | 'DELETE',
    url: `/${string}`,
    { bodyLimit, keeps, ...shape }: EndpointShape<Params, Query, Body, Answers>,
    answer: (sent: Sent<Who, Params, Query, Body>) => Promise<Result<AnswerOf<Answers>, Refusal>>,
  ): void {
    app.route({
      method,
      url,
      ...route(audience, withHeaders(method, shape, keeps !== undefined), bodyLimit),
      handler: async (request, reply) => {
        const caller = audience === 'public' ? null : callerOf(request);
        const { params, query, body } = request;
        const address = callerAddress(request, parts.publicUrl());
        const work = () => answer({ caller, params, query, body, address } as Sent<Who, Params, Query, Body>);
        if (method === 'GET') return sendFresh(parts, request, reply, await work());
        const key = request.headers['idempotency-key'];
        if (key === undefined) return sendResult(parts, reply, await work());
        if (keeps === undefined || caller === null || Array.isArray(key)) return refuse(parts, reply, takesNoKey);
        const name = `${method} ${request.url}`;
        const call = { subjectId: caller.subject.id, key, name, body, keeps };
        return sendResult(parts, reply, await doneOnce(parts, call, work));
      },
    });
  };
}

/**
 * The refusal of a call with an idempotency key, on a route that takes no such key. If the route ignored the key, a client could repeat
 * the call with the same key, and the server would do the work twice.
 */
const takesNoKey = refusal(
  'request.malformed',
  'this call takes no Idempotency-Key; send the call without this header',
);

function withHeaders(method: string, shape: RouteShape, takesKey: boolean): RouteShape {
  if (takesKey) return { ...shape, headers: KeyHeaders };
  return method === 'GET' ? { ...shape, headers: TagHeaders, answers: { ...shape.answers, 304: NoContent } } : shape;
}

/** Makes an answer with status 200. */
export const withBody = <const T>(body: T) => ({ ok: true, value: { status: 200, body } }) as const;

/** Makes an answer with status 200 whose body is the value of the result. Returns a refusal as it is. */
export const withBodyOf = <Body>(result: Result<Body, Refusal>) => (result.ok ? withBody(result.value) : result);

/** Makes an answer with status 204, without the value of the result. Returns a refusal as it is. */
export const noContent = (result: Result<unknown, Refusal>) => (result.ok ? success({ status: 204 } as const) : result);

/** Returns the caller that a hook has identified. Throws on a public route, which has no caller. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('this route is public, so it has no caller');
  return request.caller;
}

export const refuse = (parts: ServerParts, reply: FastifyReply, refused: Refusal): FastifyReply =>
  sendResult(parts, reply, failed(refused));

/** Adds routes to the server. */
export type ApiRoutes = (app: FastifyInstance, parts: ServerParts) => void;
