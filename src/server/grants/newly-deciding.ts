/**
 * Finds the variables of a request because of which its risk is not known. They stop to count when an approval of the same requester
 * knew them: all the same names with the same values, in one request. Each approval since then knew them too, because its risk was
 * computed in this way; an approval from before the column `approved_deciding` did not, and does not count.
 */
import type { Grant } from '../../core/grant/grant.ts';
import type { EnvironmentEntry, ExecutionRequest } from '../../core/grant/request.ts';
import { canonicalDeciding, decidingEntries } from '../../core/variables/deciding-variables.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { StoreReader } from '../../store/store.ts';
import { lastApproved } from './last-approved.ts';

/** @property id of the grant, if there is one: an approval of the request itself does not count */
interface OfRequester {
  readonly id?: string;
  readonly requesterId: string;
  readonly request: ExecutionRequest;
}

export async function newlyDeciding(rows: StoreReader, asked: OfRequester): Promise<readonly EnvironmentEntry[]> {
  const deciding = decidingEntries(asked.request);
  return deciding.length === 0 ? deciding : notKnown(rows, asked, deciding, digestOf(deciding));
}

async function notKnown(
  rows: StoreReader,
  { id, requesterId }: OfRequester,
  deciding: readonly EnvironmentEntry[],
  digest: string,
): Promise<readonly EnvironmentEntry[]> {
  const isKnown = await rows.hasApprovedDeciding(requesterId, digest, id ?? null);
  return isKnown ? [] : changedSince(await lastApproved(rows, requesterId, id), deciding);
}

/**
 * Names only what is new: the entries that the last approval did not know. If it knew all of them (one that it knew is gone) or
 * did not count them, returns all.
 */
function changedSince(last: Grant | null, deciding: readonly EnvironmentEntry[]): readonly EnvironmentEntry[] {
  const before = last === null ? [] : decidingEntries(last.request);
  if (before.length === 0 || last?.approvedDeciding !== digestOf(before)) return deciding;
  const known = new Set(before.map((entry) => canonicalDeciding([entry])));
  const changed = deciding.filter((entry) => !known.has(canonicalDeciding([entry])));
  return changed.length === 0 ? deciding : changed;
}

/** As `newlyDeciding`, for a page of waiting requests: asks the store once for each requester and each set of variables. */
export function newlyDecidingIn(rows: StoreReader): (grant: Grant) => Promise<readonly EnvironmentEntry[]> {
  const asked = new Map<string, Promise<readonly EnvironmentEntry[]>>();
  return async (grant) => {
    const { requesterId, request } = grant;
    if (grant.state !== 'pending') return newlyDeciding(rows, grant);
    const deciding = decidingEntries(request);
    if (deciding.length === 0) return deciding;
    const digest = digestOf(deciding);
    const key = `${requesterId} ${digest}`;
    const found = asked.get(key) ?? notKnown(rows, { requesterId, request }, deciding, digest);
    asked.set(key, found);
    return found;
  };
}

/** Marks a grant that is approved now: later requests with the same deciding variables need not be approved with the same care. */
export function withApprovedDeciding(grant: Grant): Grant {
  const deciding = decidingEntries(grant.request);
  return grant.state !== 'approved' || deciding.length === 0
    ? grant
    : { ...grant, approvedDeciding: digestOf(deciding) };
}

const digestOf = (deciding: readonly EnvironmentEntry[]): string => sha256Hex(canonicalDeciding(deciding));
