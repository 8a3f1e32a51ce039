/**
 * Decides what a break-glass key on the list of approvers may seal: only approvals that end at most 15 minutes after their decision.
 * An approval with the seal of a break-glass key must have no second seal (`peopleSealFault`). A host checks the times by its own clock.
 * The host notes the first decision that it accepts from the key. All approvals that the key seals must end within 15 minutes after that
 * first decision (`endsInFirstUse`). So on one host, a lost or copied key can be used only for a short time.
 */
import type { Approver, DecisionDocument, PolicyDocument } from '../wire/sealed.ts';
import type { SealFault } from './seal-fault.ts';

/**
 * For this time after a sign-in with a break-glass code, a person may decide requests. An approval with the seal of a break-glass key must
 * end within this time after its decision.
 */
export const BREAK_GLASS_MS = 15 * 60_000;
/** How far in the future the date of a document may be. The clocks of two machines can differ. */
export const CLOCK_DIFFERENCE_MS = 60_000;

export const isBreakGlassKey = (approver: Approver): boolean =>
  approver.kind === 'ed25519' && approver.breakGlass === true;

/** Returns when hosts stop accepting what a break-glass key has sealed (Unix ms); null: the approver's key is not a break-glass key. */
export const keyEndMs = (approver: Approver): number | null =>
  approver.kind === 'ed25519' && isBreakGlassKey(approver) ? (approver.expiresAtMs ?? 0) : null;

/**
 * Returns why a host refuses a document that a break-glass key has signed; null: the document is valid. Does not check earlier uses of the
 * key; `endsInFirstUse` does. A new host, such as a container, has no record of earlier uses. Such a host accepts the key until the key
 * expires.
 * @param by    a break-glass key (`isBreakGlassKey`)
 * @param nowMs the present time by the host's clock (Unix ms)
 */
export function breakGlassFault(
  by: Approver,
  document: DecisionDocument | PolicyDocument,
  nowMs: number,
): SealFault | null {
  if (nowMs >= (keyEndMs(by) ?? 0)) return 'glass-expired';
  if (document.typ !== 'ape-decision/1') return 'glass-document';
  const { decidedAtMs } = document;
  if (!Number.isSafeInteger(decidedAtMs)) return 'shape';
  if (decidedAtMs > nowMs + CLOCK_DIFFERENCE_MS) return 'glass-early';
  if (nowMs >= decidedAtMs + BREAK_GLASS_MS) return 'glass-over';
  return approvalEndMs(document) <= decidedAtMs + BREAK_GLASS_MS ? null : 'glass-term';
}

/** Returns when the approval ends by itself (Unix ms); infinity: the approval has no end. */
export function approvalEndMs({ term, expiresAtMs }: DecisionDocument): number {
  if (term.kind === 'timed') return term.untilMs;
  return term.kind === 'once' && expiresAtMs !== null ? expiresAtMs : Number.POSITIVE_INFINITY;
}

/**
 * Whether an approval ends within 15 minutes after the first decision that this host accepted from the break-glass key. It is not
 * enough to check that an approval ends within 15 minutes after its own decision: an approval that is decided 14 minutes after the first
 * decision could then be used for 15 more minutes.
 */
export const endsInFirstUse = (endsAtMs: number, firstDecidedAtMs: number): boolean =>
  endsAtMs <= firstDecidedAtMs + BREAK_GLASS_MS;
