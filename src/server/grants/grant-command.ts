/** Commands for a grant, as callers send them. `eventOfCommand` turns a command into an event for the grant. */
import type { HostFacts } from '../../core/effects/host-facts.ts';
import type { Grant, GrantEvent, Term } from '../../core/grant/grant.ts';
import { MAX_MOMENT_MS } from '../../core/text/wall-clock.ts';
import type { Shape } from '../../core/wire/schema-parts.ts';
import type { SealedDecision } from '../../core/wire/sealed.ts';
import type { GivenTermSchema } from '../../core/wire/term.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import type { ServerParts } from '../server-ports.ts';
import { givenScope, type WantedReach } from './given-scope.ts';

type GivenTerm = Shape<typeof GivenTermSchema>;

/**
 * `withdraw`: the requester takes back a pending request. `finish`: the requester ends its plan.
 * @property version     the version that the approver was shown. If the grant has another version now, an approval is refused. A denial
 *                       counts even if the grant has a newer version. A revocation has no version: each use raises the version, and a
 *                       use must not prevent the revocation
 * @property sealed      the signed document of this approval; its `decidedAtMs` is the moment of the decision
 * @property match       the number that the approver picked; null: the approver picked no number
 * @property isByTap     whether a page sent the command. On a page, a person can tap by mistake, so a number may be needed
 * @property reason      the reason of a denial, for the requester; null: the approver gave no reason
 * @property fingerprint must be equal to the fingerprint of the grant
 * @property isSealedOnly whether the host accepts only approvals with a seal
 * @property hostFacts    the host facts for this use; null: the host sent no facts
 */
export type GrantCommand =
  | ({
      readonly kind: 'approve';
      readonly version: number;
      readonly term: GivenTerm;
      readonly sealed?: SealedDecision;
      readonly match: string | null;
      readonly isByTap: boolean;
    } & WantedReach)
  | { readonly kind: 'deny'; readonly version: number; readonly reason: string | null }
  | { readonly kind: 'revoke' }
  | { readonly kind: 'withdraw' }
  | { readonly kind: 'finish' }
  | {
      readonly kind: 'use';
      readonly fingerprint: string;
      readonly isSealedOnly: boolean;
      readonly hostFacts: HostFacts | null;
    };

/**
 * Makes the event. The event of an approval has an absolute term, the scope and the confinement. If the scope or the confinement has a
 * fault, the event contains the fault. All other checks are the caller's: the version, the number, the fingerprint and so on.
 */
export async function eventOfCommand(
  command: GrantCommand,
  by: Subject,
  grant: Grant,
  rows: StoreReader,
  parts: Pick<ServerParts, 'rules' | 'mcpRules'>,
  nowMs: number,
): Promise<GrantEvent> {
  switch (command.kind) {
    case 'approve': {
      const { sealed } = command;
      const term = absoluteTerm(command.term, sealed?.document.decidedAtMs ?? nowMs);
      const given = await givenScope(parts, rows, grant, command, term);
      return { kind: 'approve', by: by.id, term, ...given, ...(sealed === undefined ? {} : { sealed }) };
    }
    case 'deny':
      return { kind: 'deny', by: by.id, reason: command.reason };
    case 'revoke':
      return { kind: 'revoke', by: by.id };
    case 'withdraw':
    case 'finish':
    case 'use':
      return { kind: command.kind };
  }
}

const absoluteTerm = (term: GivenTerm, nowMs: number): Term =>
  'forMs' in term ? { kind: 'timed', untilMs: Math.min(nowMs + term.forMs, MAX_MOMENT_MS) } : term;
