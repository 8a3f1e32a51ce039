/** Pauses and revokes requesters. Nothing of a paused requester runs, not even what a grant covers, until an approver resumes it. */
import { plainEvent } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { StoreReader, StoreWriter, Subject } from '../../store/store.ts';
import { MAX_DENIALS, MAX_FILED } from '../limits.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';

/** Returns null if the requester is not paused. Call it in the transaction that lets something run, so that a pause counts from its commit on. */
export async function pausedRefusal(rows: StoreReader, requesterId: string): Promise<Refusal | null> {
  const pause = await rows.pause(requesterId);
  if (pause === undefined) return null;
  const why =
    pause.byId === null
      ? `this requester is paused (${pause.reason}): nothing of it runs until an approver resumes it`
      : 'an approver paused this requester: nothing of it runs until they resume it';
  return refusal('requester.paused', why);
}

const noSuchRequester = refusal('requester.not_found', 'there is no such requester');

async function requesterIn(rows: StoreReader, id: string): Promise<Subject | null> {
  const subject = await rows.subject(id);
  return subject?.role === 'requester' ? subject : null;
}

/** Succeeds even if the requester is paused already. @param by null: a limit pauses the requester */
export function pauseRequester(
  parts: ServerParts,
  by: Subject | null,
  requesterId: string,
  reason: string,
): Promise<Result<null, Refusal>> {
  return change(parts, async (rows) => {
    if ((await requesterIn(rows, requesterId)) === null) return failed(noSuchRequester);
    const sinceMs = parts.clock.nowMs();
    const byId = by?.id ?? null;
    if (await rows.insertPause({ requesterId, sinceMs, byId, reason }))
      rows.record(plainEvent('requester.paused', byId, sinceMs, { requesterId, reason }));
    return success(null);
  });
}

export function resumeRequester(parts: ServerParts, by: Subject, requesterId: string): Promise<Result<null, Refusal>> {
  return change(parts, async (rows) => {
    if ((await requesterIn(rows, requesterId)) === null) return failed(noSuchRequester);
    // Without this, the next denial or request would pause the requester again at once.
    for (const budget of [parts.budgets.denials, parts.budgets.filed]) budget.refill(requesterId);
    if (await rows.endPause(requesterId))
      rows.record(plainEvent('requester.resumed', by.id, parts.clock.nowMs(), { requesterId }));
    return success(null);
  });
}

/** Revokes a requester: its tokens and connections stop working at once, and its requests stay on record. */
export function revokeRequester(parts: ServerParts, by: Subject, requesterId: string): Promise<Result<null, Refusal>> {
  return change(parts, async (rows: StoreWriter) => {
    if ((await requesterIn(rows, requesterId)) === null) return failed(noSuchRequester);
    const nowMs = parts.clock.nowMs();
    if (await rows.revokeSubject(requesterId, nowMs))
      rows.record(plainEvent('subject.revoked', by.id, nowMs, { requesterId }));
    return success(null);
  });
}

/** Call it after a denial. Too many denials in a short time pause the requester. */
export async function pauseAfterDenial(parts: ServerParts, requesterId: string): Promise<void> {
  if (parts.budgets.denials.take(requesterId)) return;
  await pauseRequester(parts, null, requesterId, `more than ${MAX_DENIALS.atOnce} denials in a short time`);
}

/** Call it after a request was filed. Too many new requests in a short time pause the requester. */
export async function pauseAfterFiling(parts: ServerParts, requesterId: string): Promise<void> {
  if (parts.budgets.filed.take(requesterId)) return;
  await pauseRequester(parts, null, requesterId, `more than ${MAX_FILED.atOnce} new requests in a short time`);
}
