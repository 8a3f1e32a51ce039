/** Lists of approvers: who is on one, and whether one follows from another. Signatures are checked elsewhere. */
import type { Approver, ApproversDocument } from '../wire/sealed.ts';

/** Null when `next` may come after `held`, whose signed text has the digest `heldDigest`; what is wrong otherwise. */
export function successorFault(
  held: ApproversDocument,
  heldDigest: string,
  next: ApproversDocument,
): 'shape' | 'chain' | null {
  const fault = approversFault(next);
  if (fault !== null) return fault;
  const follows = next.server === held.server && next.sequence === held.sequence + 1 && next.previous === heldDigest;
  return follows ? null : 'chain';
}

/** Of a list by itself, wherever it came from. */
export function approversFault(document: ApproversDocument): 'shape' | null {
  const { typ, server, sequence, approvers } = (document ?? {}) as Partial<ApproversDocument>;
  const isList =
    typ === 'ape-approvers/1' &&
    typeof server === 'string' &&
    Number.isSafeInteger(sequence) &&
    Array.isArray(approvers) &&
    approvers.length > 0 &&
    approvers.every(isApprover);
  if (!isList) return 'shape';
  const ids = new Set(document.approvers.map(({ keyId }) => keyId));
  return ids.size === document.approvers.length ? null : 'shape';
}

function isApprover(value: unknown): boolean {
  const { kind, keyId, name, publicKey, rpId, origins } = (value ?? {}) as Record<string, unknown>;
  if (typeof keyId !== 'string' || typeof name !== 'string') return false;
  if (kind === 'ed25519') return typeof publicKey === 'string';
  const isKey = typeof publicKey === 'object' && publicKey !== null;
  return kind === 'passkey' && isKey && typeof rpId === 'string' && Array.isArray(origins);
}

export const approverWith = ({ approvers }: ApproversDocument, keyId: string): Approver | null =>
  approvers.find((each) => each.keyId === keyId) ?? null;

/** The list after `held`: with `added`, and without the keys in `removed`. */
export const nextApprovers = (
  held: ApproversDocument,
  heldDigest: string,
  change: { readonly added?: Approver; readonly removed?: string },
  decidedAtMs: number,
): ApproversDocument => ({
  ...held,
  sequence: held.sequence + 1,
  previous: heldDigest,
  approvers: [
    ...held.approvers.filter(({ keyId }) => keyId !== change.removed && keyId !== change.added?.keyId),
    ...(change.added === undefined ? [] : [change.added]),
  ],
  decidedAtMs,
});

/** The first list of a chain. @param sequence one more than that of any list before it at this server */
export const firstApprovers = (
  server: string,
  sequence: number,
  approver: Approver,
  decidedAtMs: number,
): ApproversDocument => ({
  typ: 'ape-approvers/1',
  server,
  sequence,
  previous: null,
  approvers: [approver],
  decidedAtMs,
});
