/** Uses of grants. A use says which approvals let something run, and what exactly runs. The server makes a permit from each use. */

import type { Confinement, Unconfined } from '../../core/confinement/confinement.ts';
import { type AuditEvent, type AuditFacts, grantEvent } from '../../core/grant/audit-event.ts';
import { type Grant, isForCalls, type Term, transition } from '../../core/grant/grant.ts';
import { type ExecutionRequest, isDoneByTool } from '../../core/grant/request.ts';
import type { CallScope } from '../../core/scope/command-scope.ts';
import type { CoveredBy } from '../../core/wire/covered-by.ts';
import type { PermitSeal, SealedDecision, SealedPolicy } from '../../core/wire/sealed.ts';
import type { StoreWriter } from '../../store/store.ts';

/**
 * @property grantId     id of the grant, or of the first of several grants
 * @property fingerprint fingerprint of the request that runs now. Under a scope or a plan, the grant itself has another fingerprint
 * @property scope       the call scope of the grant (a path prefix, tools or origins), if the grant covers the request only by this scope
 * @property coveredBy   the grants and policies that together cover the command line by their scopes for commands; null if one grant
 *                       covers the request in another way
 * @property confinement the confinement of the run by the kernel; null only if `coveredBy` is null
 * @property seals       the seals of all used grants; null if a used grant has no seal
 */
export interface Use {
  readonly grantId: string;
  readonly requesterId: string;
  readonly fingerprint: string;
  readonly term: Term;
  readonly scope: CallScope | null;
  readonly coveredBy: readonly CoveredBy[] | null;
  readonly confinement: Confinement | Unconfined | null;
  readonly seals: readonly PermitSeal[] | null;
  /** The number of the part, if the request is exactly a part of the plan `grantId`; else absent. */
  readonly part?: number;
}

/**
 * Describes a use of one grant, and writes nothing.
 * @param fingerprint the fingerprint of the request that runs now
 */
export function useOf(grant: Grant, fingerprint: string): Use {
  const scope = isForCalls(grant.scope) && grant.fingerprint !== fingerprint ? grant.scope : null;
  const asked = scope === null ? {} : { asked: grant.request };
  const seal = sealIn(grant.sealed);
  return {
    grantId: grant.id,
    requesterId: grant.requesterId,
    fingerprint,
    term: grant.term ?? { kind: 'once' },
    scope,
    coveredBy: null,
    confinement: grant.confinement,
    seals: seal === null ? null : [{ ...seal, ...asked }],
  };
}

/**
 * Returns only the members of a seal that a host verifies; null if there is no seal. Leaves out the names of the approvers, because the
 * names are not signed.
 */
export function sealIn(sealed: SealedDecision | SealedPolicy | undefined): PermitSeal | null {
  if (sealed === undefined) return null;
  const { document, seal } = sealed;
  const also =
    'also' in sealed ? sealed.also?.map((other) => ({ document: other.document, seal: other.seal })) : undefined;
  return { document, seal, ...(also === undefined ? {} : { also }) };
}

/**
 * Writes one use. Records the use, together with `facts` and the number of uses so far. Two results mean that nothing was written:
 * - `overtaken`: another call has changed the grant meanwhile
 * - `unusable`: the state of the grant forbids a use
 * @param parts the numbers of the parts that are used, if the grant is a plan; else empty
 */
export async function useGrant(
  rows: StoreWriter,
  grant: Grant,
  nowMs: number,
  facts: AuditFacts,
  parts: readonly number[] = [],
): Promise<'used' | 'overtaken' | 'unusable'> {
  const used = transition(grant, parts.length === 0 ? { kind: 'use' } : { kind: 'use', parts }, nowMs);
  if (!used.ok) return 'unusable';
  if (!(await rows.replaceGrant(used.value))) return 'overtaken';
  rows.record(usedEvent(used.value, nowMs, { ...(parts.length === 0 ? {} : { parts: parts.join(' ') }), ...facts }));
  return 'used';
}

/**
 * Makes the event of a use.
 * @param used the grant after this use
 */
export const usedEvent = (used: Grant, nowMs: number, facts: AuditFacts): AuditEvent =>
  grantEvent('grant.used', used, used.requesterId, nowMs, { uses: used.uses, ...facts });

/** The record keeps at most this many characters of a text. This many characters are enough to find the text again. */
const MAX_NAMED_CHARACTERS = 2_000;

/** Returns at most `MAX_NAMED_CHARACTERS` UTF-16 units of the text. The cut leaves no half of a surrogate pair. */
export const cutText = (text: string): string => text.slice(0, MAX_NAMED_CHARACTERS).replace(/[\ud800-\udbff]$/, '');

/** Returns the level of the confinement as a fact for the record; no fact if the approval has no confinement. */
export const confinementFacts = ({ confinement }: Pick<Grant, 'confinement'>): AuditFacts =>
  confinement === null ? {} : { confinement: confinement.level };

/**
 * Returns the facts of a use for the record. If a call scope covers the request, the facts contain the request: the grant itself is for
 * another request.
 */
export function factsOfUse(grant: Grant, request: ExecutionRequest, fingerprint: string): AuditFacts {
  if (grant.fingerprint === fingerprint || !isDoneByTool(request.kind)) return confinementFacts(grant);
  if (request.kind !== 'file' || request.files === undefined) return { fingerprint, line: cutText(request.text) };
  const named = request.files.map(({ verb, path }) => `${verb} ${path}`).join('\n');
  return { fingerprint, count: request.files.length, files: cutText(named) };
}
