/** The reasons why this host does not accept an approval: the seal is missing, or does not count on this host. Then nothing runs. */
import { type Failure, type FailureCode, failure, nothingRan } from '../failure.ts';

const PIN_AGAIN = 'check the list of approvers together with your human, then: apes approvers pin';
const EXACTLY = 'ask your human to approve exactly this; the rule files of this host and of the server may differ';
const TAMPERED = 'tell your human: the server, or a proxy in front of it, sent something that no approver has signed';

const FAULTS = {
  missing: [
    'refused',
    'this was approved without a seal, and this host takes sealed approvals only',
    'ask for it again; it has to be approved with a key, see `apes approvers list`',
  ],
  unpinned: [
    'configuration',
    'this host takes sealed approvals only, and no approvers are pinned on it',
    'apes approvers pin',
  ],
  'other-server': ['configuration', 'the approvers pinned on this host are those of another server', PIN_AGAIN],
  shape: ['protocol', 'the sealed decision has an unknown shape', TAMPERED],
  'unknown-approver': [
    'protocol',
    'the decision is sealed with a key that is not among the approvers of this host',
    'if approvers changed on the server itself, see `apes approvers list`, and pin them again',
  ],
  signature: ['protocol', 'the seal does not fit the decision', TAMPERED],
  batch: ['protocol', 'the seal is for several decisions, and this is not one of them', TAMPERED],
  server: ['protocol', 'the sealed decision is for another server', TAMPERED],
  requester: ['protocol', 'the sealed decision is for another requester', TAMPERED],
  host: ['protocol', 'the sealed decision is for another host', TAMPERED],
  grant: ['protocol', 'the sealed decision is about another grant', TAMPERED],
  request: ['protocol', 'the sealed decision is about another request', TAMPERED],
  over: ['refused', 'the sealed decision has ended by the clock of this host', 'ask again if it is still needed'],
  used: ['refused', 'the sealed decision was used up on this host before', 'ask again if it is still needed'],
  order: [
    'refused',
    'the parts of this plan have to be used in order, and the part before this one was not used on this host',
    'see `apes plan show ID`, and do that part first',
  ],
  unread: [
    'protocol',
    'this host cannot read the line, and the sealed decision is not for the exact bytes of the line',
    EXACTLY,
  ],
  uncovered: ['protocol', 'the sealed scope or policy does not cover this, as this host reads it', EXACTLY],
  limits: [
    'refused',
    'the person who sealed this is not allowed to approve it, by the limits on the list of approvers',
    'ask for it again; an approver with wider limits can approve it',
  ],
  quorum: [
    'refused',
    "by this host's own assessment of the risk, more people have to seal this than have sealed it",
    'ask for it again; more people have to approve it',
  ],
  apart: ['protocol', 'the people who sealed this approved different things', TAMPERED],
  'glass-document': ['protocol', 'a break-glass key has signed something other than a single approval', TAMPERED],
  'glass-term': ['protocol', 'a break-glass key has sealed an approval that lasts longer than 15 minutes', TAMPERED],
  'glass-early': [
    'refused',
    'a break-glass key has sealed this at a moment that is in the future by the clock of this host',
    'compare the clocks of this host and of the server, and ask again',
  ],
  'glass-over': [
    'refused',
    'a break-glass key has sealed this more than 15 minutes ago by the clock of this host',
    'ask again; if the clock of this host is right, an approver or another break-glass code has to approve it',
  ],
  'glass-expired': [
    'refused',
    'this break-glass key has expired: by the clock of this host, its end on the list of approvers has passed',
    'ask again; if the clock of this host is right, an approver or another break-glass code has to approve it',
  ],
  'glass-spent': [
    'refused',
    'this host accepts a break-glass key only for the 15 minutes after its first decision, and this approval ends later',
    'ask again; an approver or another break-glass code has to approve it',
  ],
  behind: ['protocol', 'the server does not show the newest list of approvers', 'try again; see `apes approvers list`'],
  chain: [
    'protocol',
    'the list of approvers of the server does not follow from the list that this host has pinned',
    PIN_AGAIN,
  ],
} as const satisfies Readonly<Record<string, readonly [FailureCode, string, string]>>;

export type SealFault = keyof typeof FAULTS;

/** Makes the failure for a fault. The `detail` of the failure is `seal.` and the name of the fault, such as `seal.signature`. */
export function sealFailure(fault: SealFault): Failure {
  const [code, message, advice] = FAULTS[fault];
  return nothingRan(failure(code, code === 'refused' ? `refused: ${message}` : message, advice, `seal.${fault}`));
}
