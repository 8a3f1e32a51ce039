/**
 * Finds the deciding variables of a request that make its risk unknown. A deciding variable can change what runs, and has a value that few
 * environments have. An approval that is not revoked makes the deciding variables of its request known: if a later request of the
 * same requester has exactly these deciding variables with these values, they do not make its risk unknown. The column
 * `approved_deciding` of an approved grant has the digest of its deciding variables. A grant that was approved before this column existed
 * has no digest, and makes no variable known.
 */
import type { Grant } from '../../core/grant/grant.ts';
import type { EnvironmentEntry, ExecutionRequest } from '../../core/grant/request.ts';
import { canonicalDeciding, decidingEntries } from '../../core/variables/deciding-variables.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { StoreReader } from '../../store/store.ts';
import { lastApproved } from './last-approved.ts';

/** @property id the id of the grant, if the request has one: an approval of the request itself does not count */
interface OfRequester {
  readonly id?: string;
  readonly requesterId: string;
  readonly request: ExecutionRequest;
}

/** Returns the deciding variables that make the risk of the request unknown; empty: no variable does. */
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
 * Returns the entries that the last approved request did not have with the same value. Returns all entries if that request had each of
 * them (then a variable is missing now), or if its grant has no digest of its deciding variables.
 */
function changedSince(last: Grant | null, deciding: readonly EnvironmentEntry[]): readonly EnvironmentEntry[] {
  const before = last === null ? [] : decidingEntries(last.request);
  if (before.length === 0 || last?.approvedDeciding !== digestOf(before)) return deciding;
  const known = new Set(before.map((entry) => canonicalDeciding([entry])));
  const changed = deciding.filter((entry) => !known.has(canonicalDeciding([entry])));
  return changed.length === 0 ? deciding : changed;
}

/**
 * Returns a function that does what `newlyDeciding` does, for one list of grants. The function keeps its answers for waiting requests, to
 * ask the store only once for each requester and each set of variables.
 */
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

/** Adds to an approved grant the digest of its deciding variables, so that they do not make the risk of later requests unknown. */
export function withApprovedDeciding(grant: Grant): Grant {
  const deciding = decidingEntries(grant.request);
  return grant.state !== 'approved' || deciding.length === 0
    ? grant
    : { ...grant, approvedDeciding: digestOf(deciding) };
}

const digestOf = (deciding: readonly EnvironmentEntry[]): string => sha256Hex(canonicalDeciding(deciding));
