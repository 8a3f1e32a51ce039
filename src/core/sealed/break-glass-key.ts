/**
 * What a break-glass key on the list of approvers may seal: one approval, alone, which ends 15 minutes after the decision. A host checks
 * this by its own clock. So a key that is found later, or that another person has copied, allows nothing for long.
 */
import type { Approver, DecisionDocument, PolicyDocument } from '../wire/sealed.ts';
import type { SealFault } from './seal-fault.ts';

/** How long a person with a break-glass code decides, and how long an approval by this person can be used. */
export const BREAK_GLASS_MS = 15 * 60_000;
/** How far in the future a document may be dated, because the clocks of two machines differ. */
export const CLOCK_DIFFERENCE_MS = 60_000;

export const isBreakGlassKey = (approver: Approver): boolean =>
  approver.kind === 'ed25519' && approver.breakGlass === true;

/** When hosts stop accepting what a break-glass key has sealed; null: it is no break-glass key. */
export const keyEndMs = (approver: Approver): number | null =>
  approver.kind === 'ed25519' && isBreakGlassKey(approver) ? (approver.expiresAtMs ?? 0) : null;

/**
 * Returns why a document that a break-glass key has signed does not count; null: it counts. A host without a record of earlier uses,
 * such as a new container, can rely only on the end of the key.
 * @param nowMs by the host's clock
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

/** When the approval ends by itself; infinity: it has no end. */
export function approvalEndMs({ term, expiresAtMs }: DecisionDocument): number {
  if (term.kind === 'timed') return term.untilMs;
  return term.kind === 'once' && expiresAtMs !== null ? expiresAtMs : Number.POSITIVE_INFINITY;
}

/**
 * A key has one use, which begins with the first decision that a host accepts. Returns whether an approval that ends at `endsAtMs` belongs
 * to this use. The end counts, because the moment of the decision may be dated in the future.
 */
export const isOfFirstUse = (endsAtMs: number, firstDecidedAtMs: number): boolean =>
  endsAtMs <= firstDecidedAtMs + BREAK_GLASS_MS;
