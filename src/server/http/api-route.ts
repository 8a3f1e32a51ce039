/** What every route of the API shares: its audience, its schemas, and how an outcome becomes an answer. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Failure } from '../../core/failure.ts';
import type { Result } from '../../core/result.ts';
import type { Audience, Caller } from '../identity/authentication.ts';
import { type Refusal, sendRefusal, storeRefusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import { ErrorSchema } from './schemas.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public routes. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    audience?: Audience;
    /** Pages answer in HTML where the API answers in JSON. */
    isPage?: boolean;
  }
}

export interface RouteShape {
  readonly summary: string;
  readonly body?: TSchema;
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  /** By status. */
  readonly answers?: Readonly<Record<number, TSchema>>;
}

/** The options of a route for `audience`; every refusal it can give has one shape. */
export function route(audience: Audience, shape: RouteShape, bodyLimit = 64 * 1024) {
  const { summary, answers, ...inputs } = shape;
  const security = audience === 'public' ? [] : [{ bearer: [] }, { session: [] }];
  const schema = { summary, ...inputs, security, response: { ...answers, '4xx': ErrorSchema, '5xx': ErrorSchema } };
  return { config: { audience }, schema, bodyLimit };
}

/** The caller of a route that is not public; the hook before it has set it. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('a route that is not public has no caller');
  return request.caller;
}

export function refuse(parts: ServerParts, reply: FastifyReply, refused: Refusal): FastifyReply {
  return sendRefusal(reply, refused, parts.clock.nowMs(), parts.publicUrl());
}

/** The value, or undefined after the trouble was logged and answered. */
export function valueOrRefuse<T>(parts: ServerParts, reply: FastifyReply, result: Result<T, Failure>): T | undefined {
  if (result.ok) return result.value;
  parts.log.error({ failure: result.failure }, 'database');
  refuse(parts, reply, storeRefusal(result.failure));
  return undefined;
}

export type ApiRoutes = (app: FastifyInstance, parts: ServerParts) => void;
