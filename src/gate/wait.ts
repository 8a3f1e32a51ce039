/**
 * THE wait: all code that waits for a decision uses this file. An event of the server reports the decision. A broken event stream is
 * opened again until the deadline.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from '../core/failure.ts';
import { isFinalState } from '../core/grant/grant.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import type { GrantClient } from '../grants/client.ts';
import { followGrant } from '../grants/watch.ts';

/**
 * - `approved`: the grant can be redeemed now
 * - `final`: the grant was denied, withdrawn, used, revoked or has expired
 * - `timed-out`: no decision was seen in time, or the grant was approved but its requester is paused. `lastFailure`: why the
 *                event stream last failed; null: the stream has not failed since the last event
 * - `cancelled`: the caller's signal was aborted
 * - `failed`: the server refused this wait; another try would end the same way
 *
 * `last`: the state of the grant that was seen last; null: no state was seen.
 */
export type WaitOutcome =
  | { readonly kind: 'approved'; readonly grant: GrantView }
  | { readonly kind: 'final'; readonly grant: GrantView }
  | { readonly kind: 'timed-out'; readonly last: GrantView | null; readonly lastFailure: Failure | null }
  | { readonly kind: 'cancelled'; readonly last: GrantView | null }
  | { readonly kind: 'failed'; readonly failure: Failure };

/**
 * @property timeoutMs the longest time to wait; more than 24.8 days counts as 24.8 days; Infinity: until the grant expires
 * @property onBeat    called every 15 s with the time waited (ms), so that a watchdog sees that the process is alive
 * @property onServer  called once when the server cannot be reached, and once when it can be reached again. `newPage`: the
 *                     address of the request's page, if the server now gives a new address; else null
 * @property onPause   called when the requester is paused and when it is resumed. During a pause, an approval does not end the wait
 */
export interface WaitOptions {
  readonly timeoutMs: number;
  readonly cancelled: AbortSignal;
  readonly onBeat: (waitedMs: number) => void;
  readonly onServer: (isThere: boolean, newPage: string | null) => void;
  readonly onPause: (isPaused: boolean) => void;
}

const BEAT_MS = 15_000;
const MAX_TIMER_MS = 2 ** 31 - 1;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;
/** After this number of failures in a row, `onServer` is called. A single broken stream is usual. */
const FAILURES_BEFORE_NOTICE = 2;

/** Waits until the grant is approved or final, the time is over, or the caller cancels. Does not redeem the grant. */
export async function waitForDecision(
  client: GrantClient,
  grantId: string,
  options: WaitOptions,
): Promise<WaitOutcome> {
  const startedMs = client.clock.elapsedMs();
  const waitedMs = () => client.clock.elapsedMs() - startedMs;
  const over = new AbortController();
  const timer = Number.isFinite(options.timeoutMs)
    ? setTimeout(() => over.abort(), Math.min(options.timeoutMs, MAX_TIMER_MS))
    : null;
  const beat = setInterval(() => options.onBeat(waitedMs()), BEAT_MS);
  try {
    return await followUntilDecided(client, grantId, over.signal, options);
  } finally {
    if (timer !== null) clearTimeout(timer);
    clearInterval(beat);
  }
}

async function followUntilDecided(
  client: GrantClient,
  grantId: string,
  over: AbortSignal,
  { cancelled, onServer, onPause }: WaitOptions,
): Promise<WaitOutcome> {
  let pauseMs = FIRST_PAUSE_MS;
  let mustBeFresh = false;
  let lastFailure: Failure | null = null;
  let failures = 0;
  let isPaused = false;
  let page: string | null = null;
  let last: GrantView | null = null;
  for (;;) {
    if (cancelled.aborted) return { kind: 'cancelled', last };
    if (over.aborted) return { kind: 'timed-out', last, lastFailure };
    let decision: WaitOutcome | null = null;
    const end = await followGrant(
      client,
      grantId,
      mustBeFresh,
      (grant) => {
        last = grant;
        page ??= grant.url;
        if (failures >= FAILURES_BEFORE_NOTICE) {
          onServer(true, page === grant.url ? null : grant.url);
          page = grant.url;
        }
        failures = 0;
        lastFailure = null;
        pauseMs = FIRST_PAUSE_MS;
        if ((grant.paused === true) !== isPaused && !isFinalState(grant.state)) {
          isPaused = !isPaused;
          onPause(isPaused);
        }
        if (grant.state === 'pending' || (grant.state === 'approved' && isPaused)) return 'more';
        decision = { kind: grant.state === 'approved' ? 'approved' : 'final', grant };
        return 'enough';
      },
      AbortSignal.any([over, cancelled]),
    );
    if (decision !== null) return decision;
    if (end.kind === 'refused') return { kind: 'failed', failure: end.failure };
    if (end.kind !== 'ended' && !over.aborted && !cancelled.aborted) {
      lastFailure = end.failure;
      mustBeFresh = end.kind === 'expired';
      if (!mustBeFresh) {
        failures += 1;
        if (failures === FAILURES_BEFORE_NOTICE) onServer(false, null);
      }
      if (client.follow?.() === true) pauseMs = FIRST_PAUSE_MS;
    }
    // An abort ends the sleep early; the next turn of the loop returns.
    await sleep(pauseMs, undefined, { signal: AbortSignal.any([over, cancelled]) }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
  }
}
