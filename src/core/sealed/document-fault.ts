/** Whether a document is about this use: the server, the requester, the host, the grant, and the time. */
import { UNUSED_ONCE_LIFETIME_MS } from '../grant/grant.ts';
import type { DecisionDocument, PolicyDocument } from '../wire/sealed.ts';
import type { SealFault } from './seal-fault.ts';

/**
 * @property grantId of the grant or the policy that the permit names
 * @property nowMs   by the host's clock
 */
export interface SealedUse {
  readonly server: string;
  readonly requesterId: string;
  readonly host: string;
  readonly grantId: string;
  readonly nowMs: number;
}

export const idOfDocument = (document: DecisionDocument | PolicyDocument): string =>
  document.typ === 'ape-policy/1' ? document.policyId : document.grantId;

/** The first thing that is about something else, or null. */
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

/** How many uses it is good for; null: any number while it lasts. */
export function mostUsesOf(document: DecisionDocument | PolicyDocument): number | null {
  if (document.typ === 'ape-policy/1') return null;
  if (document.term.kind === 'once') return 1;
  const { scope } = document;
  return scope !== null && 'kind' in scope && scope.kind === 'commands' ? scope.mostUses : null;
}
