/** A grant: the request, the decision about it, and the states of the grant with their transitions. */
import type { Confinement } from '../confinement/confinement.ts';
import { type FileScope, scopeFault } from '../files/file-scope.ts';
import { isUsedUp as isPlanUsedUp, usedParts } from '../plan/plan-scope.ts';
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

export const GRANT_STATES = ['pending', 'approved', 'denied', 'withdrawn', 'used', 'revoked', 'expired'] as const;
export type GrantState = (typeof GRANT_STATES)[number];
/** The states that are stored. `expired` is computed from the time, so no clean-up job has to be in time. */
export type StoredState = Exclude<GrantState, 'expired'>;

/**
 * A grant as it is stored. The API shows the present state in place of the stored state, and adds the address of the page (`url`).
 * @property id           `g_` and 26 lower-case base32 characters
 * @property version      1, and one more with every stored change; compare-and-set uses it
 * @property fingerprint  SHA-256 (hex) of `canonicalRequest(request)`
 * @property reason       the requester's reason, for the approver; null: no reason was given
 * @property proposedTerm what the requester proposes; the approver decides
 * @property term         what the approver set; null until approved
 * @property scope        what the approval covers beyond the request itself; null: only the request
 * @property confinement  the confinement that the approver chose for an approval of exact bytes; null: none was chosen, or there is a
 *                        scope, which decides the confinement
 * @property touches      the impact preview that the host sent with the request; null: the host sent no preview
 * @property decidedAtMs  when it was approved or denied (Unix ms); null: not decided
 * @property decidedBy    the id of who approved or denied it, or of who revoked it later; null: not decided
 * @property denyReason   the approver's reason; null: no reason was given, or the request is not denied
 * @property uses         how often it was used; of a plan, one use can be a use of several parts
 * @property usedAtMs     when it was last used (Unix ms); for a plan that was ended without a use, when it was ended; null: not used
 * @property revokedAtMs  Unix ms; null: not revoked
 * @property sealed       the approval as the approver's own device signed it; absent: only the server vouches for the approval
 * @property sealedOnly   present if the host, when it last asked, demanded a sealed approval
 * @property pin          where the host keeps its pin, as the host said when it last asked; absent: the host did not say
 * @property batches      present if the host, when it last asked, said that it verifies seals of batches
 * @property partUses     of a plan: how often each part was used, in the order of the parts in the filed plan; absent for other grants
 * @property approvals    the approvals so far, if several people have to approve; this member stays after the last approval. Absent: one
 *                        approval was enough, or the request has no approval yet
 * @property approvedDeciding SHA-256 (hex) of `canonicalDeciding` of the request, stored with the approval. In a later request with the
 *                        same digest, the deciding variables do not make the risk unknown. Absent: the request has no such variables, is
 *                        not approved, or was approved by a version without this member. The API does not show this member
 * @property expiresAtMs  when a pending request, or an unused approval for `once`, expires (Unix ms); for other terms see `expiryAtMs`
 */
export interface Grant extends Omit<GrantView, 'state' | 'url' | 'match' | 'paused'> {
  readonly state: StoredState;
  readonly approvedDeciding?: string;
}

/** How long a request can be decided: 48 h. */
export const PENDING_LIFETIME_MS = 48 * 3_600_000;
/** How long after the decision an approved `once` grant can be used: 48 h. */
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
 * Returns when the grant expires (Unix ms); null: it never expires, or has ended otherwise; 0: the approval is malformed. By `stateAt`, a
 * pending or approved grant is `expired` from this moment on.
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
 * Compares two grants that cover the same request, for sorting them into the order in which they are used: `always`, then `timed`, then
 * `once`, so that a single use is spent last. Among equal terms the older grant comes first.
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
 * The scope of an approval, or the confinement of an approval of exact bytes. `transition` itself checks a scope of files. For every other
 * scope, the grant does not contain what the check needs, such as the assessment of the line. So the caller checks the scope.
 * @property fault       what the caller found wrong with the scope; null: the scope may be given
 * @property confinement a failure: the approval is refused for this reason
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
  /** `parts`: the numbers of the plan's parts that are used, from 1, each once; absent or empty for a grant that is no plan. */
  | { readonly kind: 'use'; readonly parts?: readonly number[] }
  /** The requester ends its plan. */
  | { readonly kind: 'finish' }
  | { readonly kind: 'revoke'; readonly by: string };

/** Why a change was refused: the state of the grant, a term that is already over, a scope that may not be given, or the parts of a plan. */
export type TransitionRefusal =
  | { readonly kind: 'wrong-state'; readonly state: GrantState }
  | { readonly kind: 'term-over'; readonly untilMs: number }
  | { readonly kind: 'scope'; readonly fault: ScopeFault }
  /**
   * The event names no part of a plan, a part that cannot be used now, or a part twice. Or the grant is no plan, and the event names parts or is
   * `finish`.
   */
  | { readonly kind: 'by-parts' };

/** Returns the grant after `event`, or why the event is refused. The store writes the grant only if the stored version is still the old one. */
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
        state: isUsedUp(grant) ? 'used' : 'approved',
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
    state: isPlanUsedUp(scope, partUses) ? 'used' : 'approved',
    usedAtMs: nowMs,
    uses: grant.uses + 1,
    partUses,
  });
}

/** Whether the next use is the last one. */
function isUsedUp({ term, scope, uses }: Grant): boolean {
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
