/**
 * Ends all approvals and sessions of a database that was restored from a backup. Such a database lacks the changes since the backup. So a
 * used or revoked approval is approved again, and an ended session is live again. A requester that still needs an approval asks again.
 */

import type { Failure } from '../../core/failure.ts';
import { grantEvent, plainEvent } from '../../core/grant/audit-event.ts';
import { transition } from '../../core/grant/grant.ts';
import { type Result, success } from '../../core/result.ts';
import type { Store, StoreWriter } from '../../store/store.ts';

/** The most grants that one transaction changes. */
const AT_ONCE = 200;

/** How many approvals and policies were ended. */
interface EndedByRestore {
  readonly approvals: number;
  readonly policies: number;
}

/**
 * Ends all approvals, all policies that allow reading, and all sessions, tokens and links. These stay as in the backup: policies that
 * forbid, pending requests, keys, devices, recovery codes, break-glass codes and used challenges. So a key that was revoked after the
 * backup is valid again. A code that was used after the backup is valid again. A challenge that was used after the backup is valid
 * again until it expires. No server may use the database during this call. After a failure, call this function again: what has ended stays
 * ended.
 */
export async function endRestored(store: Store, nowMs: number): Promise<Result<EndedByRestore, Failure>> {
  let approvals = 0;
  for (;;) {
    const written = await store.write((rows) => revokeSome(rows, nowMs));
    if (!written.ok) return written;
    approvals += written.value.value;
    if (written.value.value < AT_ONCE) break;
  }
  const rest = await store.write(async (rows) => {
    const policies = await endAllowingPolicies(rows, nowMs);
    await rows.removeCredentials();
    rows.record(plainEvent('server.restored', null, nowMs, { approvals, policies }));
    return policies;
  });
  return rest.ok ? success({ approvals, policies: rest.value.value }) : rest;
}

async function revokeSome(rows: StoreWriter, nowMs: number): Promise<number> {
  const live = await rows.grants({ states: ['approved'], limit: AT_ONCE, nowMs });
  for (const { id } of live) {
    const grant = await rows.grant(id);
    const ended = grant && transition(grant, { kind: 'revoke', by: grant.decidedBy ?? '' }, nowMs);
    if (!ended?.ok || !(await rows.replaceGrant({ ...ended.value, decidedBy: grant?.decidedBy ?? null })))
      throw new Error(`grant ${id} changed while the server was stopped`);
    rows.record(grantEvent('grant.revoked', ended.value, null, nowMs, { why: 'restored' }));
  }
  return live.length;
}

async function endAllowingPolicies(rows: StoreWriter, nowMs: number): Promise<number> {
  const allowing = (await rows.livePolicies()).filter(({ effect }) => effect === 'allow-reading');
  for (const { id } of allowing) {
    await rows.endPolicy(id, nowMs);
    rows.record(plainEvent('policy.ended', null, nowMs, { policyId: id, why: 'restored' }));
  }
  return allowing.length;
}
