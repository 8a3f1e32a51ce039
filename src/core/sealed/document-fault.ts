/** Checks whether a sealed document is for this use. Compares the server, the requester, the host, the grant and the time. */
import { isForCommands, isForPlan, UNUSED_ONCE_LIFETIME_MS } from '../grant/grant.ts';
import { type PlanScopePart, partBefore } from '../plan/plan-scope.ts';
import type { DecisionDocument, PolicyDocument } from '../wire/sealed.ts';
import type { SealFault } from './seal-fault.ts';

/**
 * @property grantId the id of the grant or policy that the permit names
 * @property nowMs   the time by the host's clock (Unix ms)
 */
export interface SealedUse {
  readonly server: string;
  readonly requesterId: string;
  readonly host: string;
  readonly grantId: string;
  readonly nowMs: number;
}

const idOfDocument = (document: DecisionDocument | PolicyDocument): string =>
  document.typ === 'ape-policy/1' ? document.policyId : document.grantId;

/** Returns the first reason why the document is not for this use; null: there is no such reason. */
export function documentFault(document: DecisionDocument | PolicyDocument, use: SealedUse): SealFault | null {
  if (document.typ !== 'ape-decision/1' && document.typ !== 'ape-policy/1') return 'shape';
  if (document.server !== use.server) return 'server';
  if (document.requesterId !== use.requesterId) return 'requester';
  if (document.host !== use.host) return 'host';
  if (idOfDocument(document) !== use.grantId) return 'grant';
  if (document.typ === 'ape-policy/1') return document.effect === 'allow-reading' ? null : 'shape';
  return document.decision === 'approve' ? timeFault(document, use.nowMs) : 'shape';
}

function timeFault({ term, expiresAtMs, decidedAtMs }: DecisionDocument, nowMs: number): SealFault | null {
  switch (term.kind) {
    case 'always':
      return null;
    case 'timed':
      return nowMs < term.untilMs ? null : 'over';
    case 'once': {
      const isBounded = expiresAtMs !== null && expiresAtMs - decidedAtMs <= UNUSED_ONCE_LIFETIME_MS;
      return isBounded && nowMs < expiresAtMs ? null : 'over';
    }
    default:
      return 'shape';
  }
}

/**
 * How a host counts a use of a document that allows a limited number of uses.
 * @property key      the name of the count; each part of a plan has its own count
 * @property most     how many uses are allowed
 * @property after    the key of the plan's part that must be used before this part; null: there is no such part
 * @property endsAtMs when the document ends (Unix ms). The count can be removed then. 0: the count is never removed. For a document outside
 *                    a plan, `endsAtMs` is 0 if the term is `timed` or `always`
 */
export interface SealedCount {
  readonly key: string;
  readonly most: number;
  readonly after: string | null;
  readonly endsAtMs: number;
}

/**
 * Returns a part of the plan in the document; null: the document is for no plan, or its plan has no such part.
 * @param part the number of the part that the permit names; undefined: the permit names no part. The result is then null
 */
export function partOf(document: DecisionDocument | PolicyDocument, part: number | undefined): PlanScopePart | null {
  const scope = document.typ === 'ape-decision/1' ? document.scope : null;
  if (!isForPlan(scope)) return null;
  return scope.parts.find((candidate) => candidate.part === part) ?? null;
}

/**
 * Returns how the host counts this use; null: the document allows any number of uses.
 * @param part the number of the part that the permit names; undefined: the permit names no part
 * @throws if the document is for a plan and its term is not `timed`. Also throws if the plan has no such part
 */
export function countedUse(document: DecisionDocument | PolicyDocument, part: number | undefined): SealedCount | null {
  if (document.typ === 'ape-policy/1') return null;
  const { term, scope, expiresAtMs, grantId: key } = document;
  if (isForPlan(scope)) {
    const planPart = partOf(document, part);
    if (planPart === null || term.kind !== 'timed') throw new Error('no such part');
    const before = partBefore(scope, planPart.part);
    return {
      key: partKeyOf(key, planPart.part),
      most: planPart.uses,
      after: before === null ? null : partKeyOf(key, before),
      endsAtMs: term.untilMs,
    };
  }
  const most = term.kind === 'once' ? 1 : isForCommands(scope) ? scope.mostUses : null;
  return most === null ? null : { key, most, after: null, endsAtMs: expiresAtMs ?? 0 };
}

const partKeyOf = (id: string, part: number): string => `${id}-${part}`;
