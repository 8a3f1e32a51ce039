/**
 * Makes the documents that are sealed: on the server from what it would store, on the approver's device from what it
 * asked for.
 */
import type { Confinement } from '../confinement/confinement.ts';
import { type Grant, type Term, UNUSED_ONCE_LIFETIME_MS } from '../grant/grant.ts';
import type { CommandScope, GrantScope } from '../scope/command-scope.ts';
import type { DecisionDocument, PolicyDocument } from '../wire/sealed.ts';

/** For which server a decision is, when it was made, and by which list of approvers. */
export interface SealedFacts {
  readonly server: string;
  readonly decidedAtMs: number;
  readonly approversSequence: number;
}

interface Approval {
  readonly term: Term;
  readonly scope: GrantScope | null;
  readonly confinement: Confinement | null;
}

type Decided = Pick<Grant, 'id' | 'requesterId' | 'fingerprint'> & { readonly request: { readonly host: string } };

/** The document of this approval of `grant`. */
export const decisionDocument = (
  { server, decidedAtMs, approversSequence }: SealedFacts,
  { id, requesterId, fingerprint, request }: Decided,
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

interface Reading {
  readonly id: string;
  readonly requesterId: string;
  readonly rule: CommandScope;
}

export const policyDocument = (
  { server, decidedAtMs, approversSequence }: SealedFacts,
  { id, requesterId, rule }: Reading,
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
