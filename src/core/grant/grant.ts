/** A grant (a request with the decision about it), its states, and the transitions between them. */
import type { Confinement } from '../confinement/confinement.ts';
import { type FileScope, scopeFault } from '../files/file-scope.ts';
import { isUsedUp, usedParts } from '../plan/plan-scope.ts';
import { failed, type Result, success } from '../result.ts';
import type { CallScope, CommandScope, GrantScope, PlanScope } from '../scope/command-scope.ts';
import { type ScopeFault, unfit } from '../scope/unfit.ts';
import type { GrantView } from '../wire/grant-view.ts';
import type { Shape } from '../wire/schema-parts.ts';
import type { SealedDecision } from '../wire/sealed.ts';
import type { TermSchema } from '../wire/term.ts';

/** `once`: one use. `timed`: any number of uses until `untilMs`. `always`: until revoked. */
export type Term = Shape<typeof TermSchema>;

/** Whether the end of the term has come. Only a timed term has an end. */
export const isTermOver = (term: Term, nowMs: number): boolean => term.kind === 'timed' && term.untilMs <= nowMs;

/**
 * Combines the terms that one use or one approval needs together. Returns the timed term that ends first. If no term is timed, returns
 * `once` if one of the terms is `once`, else `always`.
 */
export function earliestTerm(terms: readonly Term[]): Term {
  const ends = terms.flatMap((term) => (term.kind === 'timed' ? [term.untilMs] : []));
  if (ends.length > 0) return { kind: 'timed', untilMs: Math.min(...ends) };
  return terms.find(({ kind }) => kind === 'once') ?? { kind: 'always' };
}

export const GRANT_STATES = ['pending', 'approved', 'denied', 'withdrawn', 'used', 'revoked', 'expired'] as const;
export type GrantState = (typeof GRANT_STATES)[number];
/** Whether no later decision or use can follow. */
export const isFinalState = (state: GrantState): boolean => state !== 'pending' && state !== 'approved';
/** The states that are stored. `expired` follows from the time. So no clean-up job has to store `expired`. */
export type StoredState = Exclude<GrantState, 'expired'>;

/**
 * A grant as it is stored. The API shows the present state (`stateAt`), and adds `url`, `match` and `paused`.
 * @property id           `g_` and 26 lower-case base32 characters
 * @property version      1 at first; each stored change adds 1. Compare-and-set uses the version
 * @property fingerprint  SHA-256 (hex) of `canonicalRequest(request)`
 * @property reason       the requester's reason, for the approver; null: no reason was given
 * @property proposedTerm the term that the requester proposes
 * @property term         the term that the approver set; null until approved
 * @property scope        what the approval covers beyond the request itself; null: only the request
 * @property confinement  the confinement that the approver chose for an approval of exact bytes; null: none was chosen, or the scope
 *                        decides the confinement
 * @property touches      the impact preview from the host; null: the host sent no preview
 * @property decidedAtMs  when the request was approved or denied (Unix ms); null: not decided
 * @property decidedBy    the id of the subject that approved, denied or (later) revoked; null: not decided
 * @property denyReason   the approver's reason; null: no reason was given, or the request is not denied
 * @property uses         how often the grant was used; one use of a plan can use several parts
 * @property usedAtMs     the time of the last use (Unix ms); null: not used. For a plan that was ended without a use: the time of the
 *                        plan's end
 * @property revokedAtMs  Unix ms; null: not revoked
 * @property sealed       the approval, signed by the approver's own device; absent: only the server vouches for an approval
 * @property sealedOnly   present if the host demanded a sealed approval in its last ask
 * @property pin          where the host keeps its pin, according to the host's last ask; absent: the ask does not say where
 * @property batches      present if the host said in its last ask that it verifies seals of batches
 * @property partUses     how often each part of a plan was used, in the order of the filed plan; absent if the grant is no plan
 * @property approvals    all approvals, if several people have to approve. Absent: one approval was enough, or the request has no approval
 *                        yet
 * @property approvedDeciding SHA-256 (hex) of `canonicalDeciding` of the request, stored with the approval. In a later request with the
 *                        same digest, the deciding variables do not make the risk unknown. Absent: the request has no such variables, is
 *                        not approved, or was approved by a version without this member. The API does not show this member
 * @property expiresAtMs  when a pending request or an unused `once` approval expires (Unix ms); for other terms see `expiryAtMs`
 */
export interface Grant extends Omit<GrantView, 'state' | 'url' | 'match' | 'paused'> {
  readonly state: StoredState;
  readonly approvedDeciding?: string;
}

/**
 * Whether a host can take this approval or policy.
 * @param isSealedOnly whether the host takes only what has a seal
 */
export const hasNeededSeal = ({ sealed }: { readonly sealed?: unknown }, isSealedOnly: boolean): boolean =>
  sealed !== undefined || !isSealedOnly;

/** A request expires if it is not decided within 48 h. */
export const PENDING_LIFETIME_MS = 48 * 3_600_000;
/** A `once` grant expires if it is not used within 48 h after the approval. A seal can set another time. */
export const UNUSED_ONCE_LIFETIME_MS = 48 * 3_600_000;

/** Returns the state at `nowMs`. */
export function stateAt(grant: Grant, nowMs: number): GrantState {
  if (grant.state === 'pending') return nowMs >= grant.expiresAtMs ? 'expired' : 'pending';
  if (grant.state !== 'approved') return grant.state;
  if (grant.term === null) return 'expired'; // an approval without a term is malformed, and cannot be used
  if (grant.term.kind === 'timed') return nowMs >= grant.term.untilMs ? 'expired' : 'approved';
  if (grant.term.kind === 'once') return nowMs >= grant.expiresAtMs ? 'expired' : 'approved';
  return 'approved';
}

/**
 * Returns when the grant expires (Unix ms): from this time on, `stateAt` returns `expired`. Returns null if the grant never expires, or
 * is neither pending nor approved. Returns 0 if the approval is malformed.
 */
export function expiryAtMs(grant: Grant): number | null {
  if (grant.state === 'pending') return grant.expiresAtMs;
  if (grant.state !== 'approved') return null;
  if (grant.term === null) return 0; // a malformed approval, see `stateAt`
  if (grant.term.kind === 'timed') return grant.term.untilMs;
  return grant.term.kind === 'once' ? grant.expiresAtMs : null;
}

const TERM_RANK = { always: 0, timed: 1, once: 2 } as const;

/**
 * Compares two grants that cover the same request. The order of use is `always`, `timed`, `once`, so that a single use is spent last.
 * Among equal terms, the older grant comes first.
 */
export function compareForUse(left: Grant, right: Grant): number {
  const rank = (grant: Grant) => (grant.term === null ? 3 : TERM_RANK[grant.term.kind]);
  return rank(left) - rank(right) || left.createdAtMs - right.createdAtMs || (left.id < right.id ? -1 : 1);
}

export const isForCommands = (scope: GrantScope | null): scope is CommandScope =>
  scope !== null && 'kind' in scope && scope.kind === 'commands';
/** Whether the scope covers calls of tools (file operations, MCP calls, fetches) and not command lines. */
export const isForCalls = (scope: GrantScope | null): scope is CallScope =>
  scope !== null && !isForCommands(scope) && !isForPlan(scope);
export const isForPlan = (scope: GrantScope | null): scope is PlanScope =>
  scope !== null && 'kind' in scope && scope.kind === 'plan';
export const isForFiles = (scope: GrantScope | null): scope is FileScope => scope !== null && !('kind' in scope);

/**
 * The scope of an approval, or the confinement of an approval of exact bytes. `transition` itself checks a scope of files. The caller
 * checks every other scope, because that check needs more than the grant, such as the assessment of the line.
 * @property fault       what the caller found wrong with the scope; null: the scope may be given
 * @property confinement the chosen confinement, or the reason why the approval is refused
 */
export type GivenScope =
  | { readonly scope?: FileScope | null }
  | { readonly scope: Exclude<GrantScope, FileScope>; readonly fault: ScopeFault | null }
  | { readonly scope: null; readonly confinement: Result<Confinement, ScopeFault> };

export type GrantEvent =
  | ({
      readonly kind: 'approve';
      readonly by: string;
      readonly term: Term;
      readonly sealed?: SealedDecision;
    } & GivenScope)
  | { readonly kind: 'deny'; readonly by: string; readonly reason: string | null }
  | { readonly kind: 'withdraw' }
  /** `parts`: the numbers of the used parts of a plan, without repetition. The first part is 1. Absent or empty if the grant is no plan. */
  | { readonly kind: 'use'; readonly parts?: readonly number[] }
  /** The requester ends its plan. */
  | { readonly kind: 'finish' }
  | { readonly kind: 'revoke'; readonly by: string };

/** Why a change was refused. */
export type TransitionRefusal =
  | { readonly kind: 'wrong-state'; readonly state: GrantState }
  | { readonly kind: 'term-over'; readonly untilMs: number }
  | { readonly kind: 'scope'; readonly fault: ScopeFault }
  /**
   * For a plan: the event names no part, a part that cannot be used now, or a part twice. For another grant: the event names parts, or
   * is `finish`.
   */
  | { readonly kind: 'by-parts' };

/**
 * Returns the grant after `event`, or why the event is refused. The store writes the result only if the stored grant still has the version
 * of `grant`.
 */
export function transition(grant: Grant, event: GrantEvent, nowMs: number): Result<Grant, TransitionRefusal> {
  const state = stateAt(grant, nowMs);
  const expected = NEEDS_APPROVAL.has(event.kind) ? 'approved' : 'pending';
  if (state !== expected) return failed({ kind: 'wrong-state', state });
  const next = { ...grant, version: grant.version + 1 };
  switch (event.kind) {
    case 'approve':
      return approve(grant, event, nowMs);
    case 'deny':
      return success({ ...next, state: 'denied', decidedAtMs: nowMs, decidedBy: event.by, denyReason: event.reason });
    case 'withdraw':
      return success({ ...next, state: 'withdrawn' });
    case 'revoke':
      return success({ ...next, state: 'revoked', revokedAtMs: nowMs, decidedBy: event.by });
    case 'finish':
      return isForPlan(grant.scope)
        ? success({ ...next, state: 'used', usedAtMs: grant.usedAtMs ?? nowMs })
        : failed({ kind: 'by-parts' });
    case 'use': {
      const { parts = [] } = event;
      if (isForPlan(grant.scope)) return usePlan(grant, grant.scope, parts, nowMs);
      if (parts.length > 0) return failed({ kind: 'by-parts' });
      return success({
        ...next,
        state: isLastUse(grant) ? 'used' : 'approved',
        usedAtMs: nowMs,
        uses: grant.uses + 1,
      });
    }
  }
}

const NEEDS_APPROVAL: ReadonlySet<GrantEvent['kind']> = new Set(['use', 'revoke', 'finish']);

function usePlan(
  grant: Grant,
  scope: PlanScope,
  parts: readonly number[],
  nowMs: number,
): Result<Grant, TransitionRefusal> {
  const partUses = usedParts(scope, grant.partUses ?? [], parts);
  if (partUses === null) return failed({ kind: 'by-parts' });
  return success({
    ...grant,
    version: grant.version + 1,
    state: isUsedUp(scope, partUses) ? 'used' : 'approved',
    usedAtMs: nowMs,
    uses: grant.uses + 1,
    partUses,
  });
}

/** Whether the next use is the last use. */
function isLastUse({ term, scope, uses }: Grant): boolean {
  if (term?.kind === 'once') return true;
  return isForCommands(scope) && scope.mostUses !== null && uses + 1 >= scope.mostUses;
}

function approve(
  grant: Grant,
  event: GrantEvent & { readonly kind: 'approve' },
  nowMs: number,
): Result<Grant, TransitionRefusal> {
  const { term, scope = null, sealed } = event;
  if (term.kind === 'timed' && isTermOver(term, nowMs)) return failed({ kind: 'term-over', untilMs: term.untilMs });
  const fault = faultOf(event, grant);
  if (fault !== null) return failed({ kind: 'scope', fault });
  return success({
    ...grant,
    version: grant.version + 1,
    state: 'approved',
    term,
    scope,
    confinement: 'confinement' in event && event.confinement.ok ? event.confinement.value : null,
    decidedAtMs: nowMs,
    decidedBy: event.by,
    expiresAtMs:
      sealed?.document.expiresAtMs ?? (term.kind === 'once' ? nowMs + UNUSED_ONCE_LIFETIME_MS : grant.expiresAtMs),
    ...(sealed === undefined ? {} : { sealed }),
  });
}

function faultOf(event: GrantEvent & { readonly kind: 'approve' }, grant: Grant): ScopeFault | null {
  if ('confinement' in event) return event.confinement.ok ? null : event.confinement.failure;
  if ('fault' in event)
    return event.term.kind === 'once'
      ? unfit('a scope makes no sense for one use; choose a time, or always')
      : event.fault;
  return event.scope ? scopeFault(event.scope, grant.request, event.term.kind === 'once') : null;
}
