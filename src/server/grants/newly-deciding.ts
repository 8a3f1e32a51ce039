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

/** @property id of the grant, if there is one: an approval of the request itself does not count */
interface OfRequester {
  readonly id?: string;
  readonly requesterId: string;
  readonly request: ExecutionRequest;
}

export async function newlyDeciding(
  rows: StoreReader,
  { id, requesterId, request }: OfRequester,
): Promise<readonly EnvironmentEntry[]> {
  const deciding = decidingEntries(request);
  if (deciding.length === 0) return deciding;
  const isKnown = await rows.hasApprovedDeciding(requesterId, digestOf(deciding), id ?? null);
  return isKnown ? [] : deciding;
}

/** As `newlyDeciding`, for a page of waiting requests: asks the store once for each requester and each set of variables. */
export function newlyDecidingIn(rows: StoreReader): (grant: Grant) => Promise<readonly EnvironmentEntry[]> {
  const asked = new Map<string, Promise<boolean>>();
  return async (grant) => {
    if (grant.state !== 'pending') return newlyDeciding(rows, grant);
    const { requesterId, request } = grant;
    const deciding = decidingEntries(request);
    if (deciding.length === 0) return deciding;
    const digest = digestOf(deciding);
    const key = `${requesterId} ${digest}`;
    const known = asked.get(key) ?? rows.hasApprovedDeciding(requesterId, digest, null);
    asked.set(key, known);
    return (await known) ? [] : deciding;
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
