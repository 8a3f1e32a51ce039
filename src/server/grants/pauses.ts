/** Pauses and revokes requesters. Even with a grant, nothing of a paused requester runs until an approver resumes the requester. */
import { type AuditFacts, plainEvent } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { HostChange } from '../../core/wire/pause.ts';
import type { StoreReader, StoreWriter, Subject } from '../../store/store.ts';
import { MAX_DENIALS, MAX_FILED } from '../limits.ts';
import { type Refusal, refusal, tokenEnded } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';

/**
 * Returns why nothing of the requester may run: the requester is paused, revoked or unknown. Else returns null. Call this in the
 * transaction that lets something run. On PostgreSQL, this transaction can later wait up to 10 seconds for a locked grant. A pause or
 * revocation that is committed during this wait does not stop the transaction.
 */
export async function stoppedRefusal(rows: StoreReader, requesterId: string): Promise<Refusal | null> {
  const subject = await rows.subject(requesterId);
  if (subject === undefined || subject.revokedAtMs !== null) return tokenEnded;
  const pause = await rows.pause(requesterId);
  if (pause === undefined) return null;
  const why =
    pause.byId === null
      ? `this requester is paused (${pause.reason}): none of its lines and calls runs until an approver resumes it`
      : 'an approver paused this requester: none of its lines and calls runs until an approver resumes it';
  return refusal('requester.paused', why);
}

const noSuchRequester = refusal('requester.not_found', 'there is no such requester');

async function requesterIn(rows: StoreReader, id: string): Promise<Subject | null> {
  const subject = await rows.subject(id);
  return subject?.role === 'requester' ? subject : null;
}

/** Changes one requester, and records the change with `facts`. Returns false if nothing changed. */
type RequesterStep = (rows: StoreWriter, requesterId: string, facts: AuditFacts) => Promise<boolean>;

/** @param by null: a limit pauses the requester */
export const pausing =
  (parts: ServerParts, by: Subject | null, reason: string): RequesterStep =>
  async (rows, requesterId, facts) => {
    const sinceMs = parts.clock.nowMs();
    const byId = by?.id ?? null;
    if (!(await rows.insertPause({ requesterId, sinceMs, byId, reason }))) return false;
    rows.record(plainEvent('requester.paused', byId, sinceMs, { ...facts, requesterId, reason }));
    return true;
  };

/** Ends the pause of a requester, if there is one. Always refills the budgets for denials and for filed requests. */
export const resuming =
  (parts: ServerParts, by: Subject): RequesterStep =>
  async (rows, requesterId, facts) => {
    // Without a refill, the next denial or request would pause the requester again at once.
    for (const budget of [parts.budgets.denials, parts.budgets.filed]) budget.refill(requesterId);
    if (!(await rows.endPause(requesterId))) return false;
    rows.record(plainEvent('requester.resumed', by.id, parts.clock.nowMs(), { ...facts, requesterId }));
    return true;
  };

/** Revokes a requester: its tokens and connections stop working at once; its requests stay on record. */
export const revoking =
  (parts: ServerParts, by: Subject): RequesterStep =>
  async (rows, requesterId, facts) => {
    const nowMs = parts.clock.nowMs();
    if (!(await rows.revokeSubject(requesterId, nowMs))) return false;
    rows.record(plainEvent('subject.revoked', by.id, nowMs, { ...facts, requesterId }));
    return true;
  };

/** Does the step for one requester. Also succeeds if the requester is in the wanted state already. Fails if there is no such requester. */
export function changeRequester(
  parts: ServerParts,
  requesterId: string,
  step: RequesterStep,
): Promise<Result<null, Refusal>> {
  return change(parts, async (rows) => {
    if ((await requesterIn(rows, requesterId)) === null) return failed(noSuchRequester);
    await step(rows, requesterId, {});
    return success(null);
  });
}

/**
 * Does the step, in one transaction, for each requester of the host that is not revoked. Each change has its own event. Fails if the host
 * has no such requester.
 */
export function changeHost(
  parts: ServerParts,
  host: string,
  step: RequesterStep,
): Promise<Result<HostChange, Refusal>> {
  return change(parts, async (rows) => {
    const all = (await rows.requesters()).filter((one) => one.host === host && one.revokedAtMs === null);
    if (all.length === 0)
      return failed(
        refusal(
          'requester.not_found',
          `no requester of the host ${JSON.stringify(host)} is enrolled, or all of them are revoked`,
        ),
      );
    const changedIds: string[] = [];
    for (const { id } of all) if (await step(rows, id, { host })) changedIds.push(id);
    return success({ host, requesterIds: all.map(({ id }) => id), changedIds });
  });
}

/** Call this once after each denial. Too many denials in a short time pause the requester. Ignores a failure to store the pause. */
export async function pauseAfterDenial(parts: ServerParts, requesterId: string): Promise<void> {
  if (parts.budgets.denials.take(requesterId)) return;
  await changeRequester(
    parts,
    requesterId,
    pausing(parts, null, `more than ${MAX_DENIALS.atOnce} denials in a short time`),
  );
}

/** Call this once after each filed request. Too many requests in a short time pause the requester. Ignores a failure to store the pause. */
export async function pauseAfterFiling(parts: ServerParts, requesterId: string): Promise<void> {
  if (parts.budgets.filed.take(requesterId)) return;
  await changeRequester(
    parts,
    requesterId,
    pausing(parts, null, `more than ${MAX_FILED.atOnce} new requests in a short time`),
  );
}
