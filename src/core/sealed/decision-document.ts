/**
 * Makes the documents that approvers seal. The server makes the document from the approval that the server would store. The approver's
 * device makes the same document from the person's choice.
 */
import type { Confinement } from '../confinement/confinement.ts';
import { type Grant, type Term, UNUSED_ONCE_LIFETIME_MS } from '../grant/grant.ts';
import type { CommandScope, GrantScope } from '../scope/command-scope.ts';
import type { DecisionDocument, PolicyDocument } from '../wire/sealed.ts';

/**
 * @property server            the public key of the server for which the decision is valid (raw Ed25519, base64url)
 * @property decidedAtMs       when the decision is made (Unix ms)
 * @property approversSequence the number of the server's newest list of approvers
 */
export interface SealedFacts {
  readonly server: string;
  readonly decidedAtMs: number;
  readonly approversSequence: number;
}

/**
 * @property scope       what the approval covers beyond the request itself; null: only the request
 * @property confinement the confinement that the approver chose for exactly this request; null: the approver chose no confinement, or the
 *                       scope decides the confinement
 */
interface Approval {
  readonly term: Term;
  readonly scope: GrantScope | null;
  readonly confinement: Confinement | null;
}

type DecidedGrant = Pick<Grant, 'id' | 'requesterId' | 'fingerprint'> & { readonly request: { readonly host: string } };

/** Makes the document for the approval of a grant. */
export const decisionDocument = (
  { server, decidedAtMs, approversSequence }: SealedFacts,
  { id, requesterId, fingerprint, request }: DecidedGrant,
  { term, scope, confinement }: Approval,
): DecisionDocument => ({
  typ: 'ape-decision/1',
  server,
  grantId: id,
  requesterId,
  fingerprint,
  host: request.host,
  decision: 'approve',
  term,
  expiresAtMs: term.kind === 'once' ? decidedAtMs + UNUSED_ONCE_LIFETIME_MS : null,
  scope,
  confinement,
  decidedAtMs,
  approversSequence,
});

interface ReadingPolicy {
  readonly id: string;
  readonly requesterId: string;
  readonly rule: CommandScope;
}

/** Makes the document for a policy that allows reading. */
export const policyDocument = (
  { server, decidedAtMs, approversSequence }: SealedFacts,
  { id, requesterId, rule }: ReadingPolicy,
): PolicyDocument => ({
  typ: 'ape-policy/1',
  server,
  policyId: id,
  requesterId,
  host: rule.conditions.host,
  effect: 'allow-reading',
  rule,
  decidedAtMs,
  approversSequence,
});
