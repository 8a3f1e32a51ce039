/** Changes the lists of approvers directly in the database, for `apes owner key`. */
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { SealedApprovers } from '../../core/wire/sealed.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Committed, Store } from '../../store/store.ts';
import type { Refusal } from '../refusal.ts';
import { hasSignerForNext, publishApprovers } from './approver-lists.ts';

/**
 * Publishes the list of approvers that begins a chain. Returns null if a person on the newest list can still sign the next list. Fails if
 * `publishApprovers` refuses the new list.
 * @param server the public key of the server
 * @param make   makes and signs the list with a given sequence; called again after a conflict
 */
export async function beginApprovers(
  store: Store,
  server: string,
  make: (sequence: number) => SealedApprovers,
): Promise<Result<SealedApprovers | null, Failure>> {
  const written = await store.write(async (rows): Promise<Result<SealedApprovers | null, Refusal>> => {
    const newest = await rows.lastApprovers();
    if (newest !== undefined && (await hasSignerForNext(rows, newest))) return success(null);
    const first = make((newest?.document.sequence ?? 0) + 1);
    return publishApprovers(rows, first, { server, actorId: null, nowMs: systemClock.nowMs() });
  });
  return outcomeOf(written);
}

/**
 * Publishes the list that `make` returns for the newest list. Returns null if there is no list yet, or `make` returns null. Fails if
 * `publishApprovers` refuses the new list. `make` is called again after a conflict.
 */
export async function publishList(
  store: Store,
  actorId: string,
  make: (newest: SealedApprovers) => SealedApprovers | null,
): Promise<Result<SealedApprovers | null, Failure>> {
  const written = await store.write(async (rows): Promise<Result<SealedApprovers | null, Refusal>> => {
    const newest = await rows.lastApprovers();
    const next = newest === undefined ? null : make(newest);
    if (next === null) return success(null);
    const { server } = next.document;
    return publishApprovers(rows, next, { server, actorId, nowMs: systemClock.nowMs() });
  });
  return outcomeOf(written);
}

function outcomeOf<T>(written: Result<Committed<Result<T, Refusal>>, Failure>): Result<T, Failure> {
  if (!written.ok) return written;
  const { value } = written.value;
  return value.ok ? value : failed(failure('refused', value.failure.message, undefined, value.failure.code));
}
