/** Shapes on the wire between client and server, shared as types. The server's schemas must agree (checked by the compiler). */
import type { AssessmentView } from './assessment/assessment-view.ts';
import type { HostFacts } from './assessment/host-facts.ts';
import type { Confinement, ConfinementLevel, Unconfined } from './confinement/confinement.ts';
import type { FileScope, ScopeFault } from './file-scope.ts';
import type { Grant, GrantState, Term } from './grant.ts';
import type { Impact } from './impact/impact.ts';
import type { ExecutionRequest } from './request.ts';
import type { DenyPattern, Proposal } from './scope/command-scope.ts';
import type { Policy } from './scope/policy.ts';

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
  /** What the host found when it looked up what the line is about; null: it cannot tell. Absent: not yet looked. */
  readonly findings?: HostFacts | null;
  /** What it would touch now; only for the approver. */
  readonly touches?: readonly Impact[] | null;
}

/**
 * `permitted` (200): covered and redeemed. `wants-findings` (200): nothing was filed; look everything up and ask again.
 * `pending` (202): filed; `filed` is false when the same request waited already.
 */
export type AskAnswer =
  | { readonly outcome: 'permitted'; readonly permit: string }
  | { readonly outcome: 'wants-findings' }
  | { readonly outcome: 'pending'; readonly filed: boolean; readonly grant: GrantView };

/** `POST /v1/grants/:id/redeem` */
export interface RedeemBody {
  readonly fingerprint: string;
  readonly nonce: string;
}
export interface RedeemAnswer {
  readonly permit: string;
}

/**
 * The payload of a permit: a compact JWS (RFC 7515) with `alg` EdDSA (RFC 8037), signed by the server's key; on a kept
 * connection with `alg` HS256 and the key of that connection.
 */
export interface PermitPayload {
  readonly typ: 'ape-permit/1';
  readonly grantId: string;
  readonly requesterId: string;
  readonly fingerprint: string;
  readonly nonce: string;
  readonly term: Term;
  /** Present when the grant was given for another request and covers this one by its path prefix. */
  readonly scope?: FileScope;
  /** SHA-256 (hex) of `canonicalHostFacts` of what was sent; absent when no host facts were. */
  readonly findingsDigest?: string;
  /** The standing grants, or the policy, that cover it together; absent when `grantId` was given for exactly this. */
  readonly coveredBy?: readonly CoveredBy[];
  /** What the kernel must hold it to; never absent beside `coveredBy`, where only level 0 says that nothing is held. */
  readonly confinement?: Confinement | Unconfined;
  /** Unix ms, by the server's clock. */
  readonly issuedAtMs: number;
}

/** @property grantId of a grant (`g_…`) or of a policy (`p_…`) */
export interface CoveredBy {
  readonly grantId: string;
  readonly title: string;
}

/**
 * What a scope would have covered of what this requester asked for before.
 * @property of      requests that were looked at: the last ones with host facts
 * @property samples texts of some that were covered, the newest first, none twice; at most five
 */
export interface WouldHaveCovered {
  readonly count: number;
  readonly of: number;
  readonly samples: readonly string[];
}

/** `GET /v1/grants/:id/proposals`; `assessment` is null for kinds of requests that are not read as a line. */
export interface ProposalsAnswer {
  readonly assessment: AssessmentView | null;
  readonly proposals: readonly ProposalView[];
}
export interface ProposalView extends Proposal {
  readonly wouldHaveCovered: WouldHaveCovered;
}

/** `POST /v1/grants/:id/preview`, body `{scope}` */
export type PreviewAnswer =
  | { readonly outcome: 'fault'; readonly fault: ScopeFault }
  | {
      readonly outcome: 'fits';
      readonly title: string;
      readonly held: Confinement | Unconfined | null;
      readonly wouldHaveCovered: WouldHaveCovered;
    };

/**
 * `GET /v1/grants/:id/why`
 * @property decidedBy  who approved, denied or revoked it; null while nobody has
 * @property proposals  titles, for an approver who would let more run than this
 * @property coverable  whether standing grants could cover such a line at all, and if not what would have to change
 * @property uses       the last lines it was used for, the newest first; at most 20
 */
export interface WhyAnswer {
  readonly grant: GrantView;
  readonly decidedBy: { readonly id: string; readonly name: string } | null;
  readonly assessment: AssessmentView | null;
  readonly proposals: readonly string[];
  readonly coverable: { readonly isCoverable: boolean; readonly advice: readonly string[] };
  readonly uses: readonly UseView[];
}

/** @property others the grants that covered the line together with this one */
export interface UseView {
  readonly atMs: number;
  readonly line: string | null;
  readonly others: readonly string[];
  /** What the host's kernel held it to; null where nothing was said about that. */
  readonly confinement: ConfinementLevel | null;
}

/** `POST /v1/explain`: what would be decided if this were asked now. Files, uses and records nothing. */
export interface ExplainBody {
  readonly request: ExecutionRequest;
  readonly findings: HostFacts | null;
}

/**
 * - `forbidden`: a rule would veto it; `reason` is the rule's
 * - `covered`:   it would run, by these grants or policies together, or by the one given for exactly this
 * - `uncovered`: it would wait for a human
 * @property held      what the kernel would hold it to; null: nothing is said about exactly this
 * @property misses    why none of the standing grants covers it
 * @property proposals titles of the scopes that an approver would be offered, the narrowest first
 */
export type ExplainAnswer =
  | { readonly outcome: 'forbidden'; readonly ruleId: string; readonly reason: string }
  | {
      readonly outcome: 'covered';
      readonly isExact: boolean;
      readonly coveredBy: readonly CoveredBy[];
      readonly held: Confinement | Unconfined | null;
    }
  | { readonly outcome: 'uncovered'; readonly misses: readonly string[]; readonly proposals: readonly string[] };

/** `title` says in one line what it is about. */
export type PolicyView = Policy & { readonly title: string };

/** `POST /v1/policies` */
export type PolicyBody =
  | {
      readonly effect: 'deny';
      readonly requesterId: string | null;
      readonly text: string | null;
      readonly pattern: DenyPattern | null;
      readonly reason: string;
    }
  | {
      readonly effect: 'allow-reading';
      readonly requesterId: string;
      /** Absolute, resolved; at least one. */
      readonly directories: readonly string[];
      /** A past request of that requester (its grant's id): what its environment was is what it must be. */
      readonly environmentOf: string;
      readonly reason?: string;
    };

/**
 * `GET /v1/requesters/:id/reading-evidence`
 * @property of          requests that were looked at: the last ones with host facts
 * @property reading     how many of them only read
 * @property directories where they did, the most frequent first
 */
export interface ReadingEvidence {
  readonly requesterId: string;
  readonly requesterName: string;
  readonly of: number;
  readonly reading: number;
  readonly directories: readonly ReadingDirectory[];
}

/** @property environmentOf the newest of those requests, for `PolicyBody` */
export interface ReadingDirectory {
  readonly directory: string;
  readonly count: number;
  readonly samples: readonly string[];
  readonly environmentOf: string;
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
  | 'policy.denied'
  | 'policy.not_found'
  | 'policy.ended'
  | 'policy.unfit'
  | 'requester.not_found'
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
export const KEPT_CONNECTION = 'ape-gate/2';

/** @property id chosen by the caller; the answer has it again */
export interface ConnectionCall {
  readonly id: number;
  /** `POST /v1/requests` or `POST /v1/reports`. */
  readonly call: 'ask' | 'report';
  readonly token: string;
  readonly body: unknown;
}

/** @property status and body as in the answer over HTTP */
export interface ConnectionAnswer {
  readonly id: number;
  readonly status: number;
  readonly body?: unknown;
}
