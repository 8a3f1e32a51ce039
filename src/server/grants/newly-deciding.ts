/**
 * Finds the deciding variables that make the risk of a request unknown. A deciding variable can change what runs, and has a value that few
 * environments have. An approval makes the deciding variables of its request known, until the approval is revoked. If the same requester
 * then makes another request with exactly the same deciding variables and values, no variable makes the risk of that request unknown. The
 * column `approved_deciding` of an approved grant has the digest of the deciding variables. An old grant without a digest makes no
 * variable known.
 */
import type { Grant } from '../../core/grant/grant.ts';
import type { EnvironmentEntry, ExecutionRequest } from '../../core/grant/request.ts';
import { canonicalDeciding, decidingEntries } from '../../core/variables/deciding-variables.ts';
import { sha256Hex } from '../../platform/digest.ts';
import { newReadOnce } from '../../store/read-once.ts';
import type { StoreReader } from '../../store/store.ts';
import { lastApproved } from './last-approved.ts';

/** @property id the grant of the request; an approval of this grant does not count. Absent: every approval counts */
interface OfRequester {
  readonly id?: string;
  readonly requesterId: string;
  readonly request: ExecutionRequest;
}

/** Returns the deciding variables that make the risk of the request unknown. */
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
 * Returns the entries that are missing in the last approved request, or have another value there. Returns all entries in three cases:
 * - there is no last approved request, or it has no deciding variables
 * - the grant of the last approved request has no digest of these variables
 * - no entry has changed: then a variable of the last request is missing now
 */
function changedSince(last: Grant | null, deciding: readonly EnvironmentEntry[]): readonly EnvironmentEntry[] {
  const before = last === null ? [] : decidingEntries(last.request);
  if (before.length === 0 || last?.approvedDeciding !== digestOf(before)) return deciding;
  const known = new Set(before.map((entry) => canonicalDeciding([entry])));
  const changed = deciding.filter((entry) => !known.has(canonicalDeciding([entry])));
  return changed.length === 0 ? deciding : changed;
}

/**
 * Returns `newlyDeciding` with a cache, for the grants of one list. For pending grants, the function asks the store only once for each
 * requester and each set of variables.
 */
export function newlyDecidingIn(rows: StoreReader): (grant: Grant) => Promise<readonly EnvironmentEntry[]> {
  const readOnce = newReadOnce();
  return async (grant) => {
    const { requesterId, request } = grant;
    if (grant.state !== 'pending') return newlyDeciding(rows, grant);
    const deciding = decidingEntries(request);
    if (deciding.length === 0) return deciding;
    const digest = digestOf(deciding);
    return readOnce(`${requesterId} ${digest}`, () => notKnown(rows, { requesterId, request }, deciding, digest));
  };
}

/** Adds the digest of the deciding variables to an approved grant. Returns any other grant unchanged. */
export function withApprovedDeciding(grant: Grant): Grant {
  const deciding = decidingEntries(grant.request);
  return grant.state !== 'approved' || deciding.length === 0
    ? grant
    : { ...grant, approvedDeciding: digestOf(deciding) };
}

const digestOf = (deciding: readonly EnvironmentEntry[]): string => sha256Hex(canonicalDeciding(deciding));
