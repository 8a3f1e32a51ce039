/** Shapes on the wire between client and server, shared as types. The server's schemas must agree (checked by the compiler). */
import type { FileScope } from './file-scope.ts';
import type { Grant, GrantState, Term } from './grant.ts';
import type { ExecutionRequest } from './request.ts';

/** A grant as the API shows it: the stored fields plus the state computed now, and the page where it is decided. */
export interface GrantView extends Omit<Grant, 'state'> {
  readonly state: GrantState;
  readonly url: string;
}

/** `POST /v1/requests` */
export interface AskBody {
  readonly request: ExecutionRequest;
  /** 16 to 64 characters of base64url, fresh for every call; the permit repeats it. */
  readonly nonce: string;
  readonly reason?: string;
  readonly proposedTerm?: Term;
}

/** `permitted` (200): covered and redeemed. `pending` (202): filed; `filed` is false when the same request waited already. */
export type AskAnswer =
  | { readonly outcome: 'permitted'; readonly permit: string }
  | { readonly outcome: 'pending'; readonly filed: boolean; readonly grant: GrantView };

/** `POST /v1/grants/:id/redeem` */
export interface RedeemBody {
  readonly fingerprint: string;
  readonly nonce: string;
}
export interface RedeemAnswer {
  readonly permit: string;
}

/** The payload of a permit: a compact JWS (RFC 7515) with `alg` EdDSA (RFC 8037), signed by the server's key. */
export interface PermitPayload {
  readonly typ: 'ape-permit/1';
  readonly grantId: string;
  readonly requesterId: string;
  readonly fingerprint: string;
  readonly nonce: string;
  readonly term: Term;
  /** Present when the grant was given for another request and covers this one by its path prefix. */
  readonly scope?: FileScope;
  /** Unix ms, by the server's clock. */
  readonly issuedAtMs: number;
}

/** Body of every answer that is not 2xx. `code` is stable, `message` is for people. `grant` where one is concerned. */
export interface ErrorBody {
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly grant?: GrantView };
}

export type ErrorCode =
  | 'request.malformed'
  | 'auth.missing'
  | 'auth.expired'
  | 'auth.unknown'
  | 'auth.forbidden'
  | 'csrf.failed'
  | 'grant.not_found'
  | 'grant.not_yours'
  | 'grant.pending'
  | 'grant.denied'
  | 'grant.withdrawn'
  | 'grant.used'
  | 'grant.revoked'
  | 'grant.expired'
  | 'grant.already_approved'
  | 'grant.stale'
  | 'grant.fingerprint_mismatch'
  | 'term.over'
  | 'scope.unfit'
  | 'scope.forbidden'
  | 'scope.not_covering'
  | 'enrolment.not_found'
  | 'enrolment.decided'
  | 'server.busy'
  | 'server.failed'
  | SessionErrorCode;

/** Of messages into sessions; as in the table of `src/core/send-outcome.ts`. */
export type SessionErrorCode =
  | 'MESSAGE_REQUIRED'
  | 'MESSAGE_TOO_LONG'
  | 'MESSAGE_IS_COMMAND'
  | 'MESSAGE_NOT_TAKEN'
  | 'SESSION_AWAITING_DECISION'
  | 'SESSION_BUSY'
  | 'SESSION_DRAFT_PRESENT'
  | 'SESSION_NOT_FOUND'
  | 'SESSION_STATE_UNKNOWN'
  | 'SESSION_TERMINATED'
  | 'SESSION_UNREACHABLE';

/** `GET /v1/server` (no authentication) */
export interface ServerInfo {
  readonly product: 'ape-shell';
  readonly version: string;
  /** Raw Ed25519 public key, base64url; clients pin it at enrolment. */
  readonly publicKey: string;
  readonly timeMs: number;
}

/** The version of the HTTP API; a client refuses another major. */
export const API_VERSION = 1;

/**
 * The protocol of a connection that is kept for many calls (HTTP upgrade at `/v1/connection`), only ever used on one host.
 * Each way frames with JSON in them; answers come in any order.
 */
export const KEPT_CONNECTION = 'ape-gate/1';

/** @property id chosen by the caller; the answer has it again */
export interface KeptCall {
  readonly id: number;
  /** `POST /v1/requests` or `POST /v1/reports`. */
  readonly call: 'ask' | 'report';
  readonly token: string;
  readonly body: unknown;
}

/** @property status and body as in the answer over HTTP */
export interface KeptAnswer {
  readonly id: number;
  readonly status: number;
  readonly body?: unknown;
}
