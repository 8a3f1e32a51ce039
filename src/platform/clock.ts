/** The clock of a program; tests replace it. `nowMs` is Unix time, and can jump. `elapsedMs` only grows: deadlines use `elapsedMs`. */
export interface Clock {
  nowMs(): number;
  elapsedMs(): number;
}

/** `performance.now` would load node:perf_hooks in Node 20, which takes 1 ms before the first prompt. */
export const systemClock: Clock = { nowMs: () => Date.now(), elapsedMs: () => Number(process.hrtime.bigint()) / 1e6 };

/**
 * A clock whose `nowMs` never goes back: an expired grant must stay expired when the clock of this host is set back.
 * If `wall` is set back, this clock advances by the elapsed time until `wall` has caught up.
 */
export function steadyClock(wall: Clock): Clock {
  let latestMs = Number.NEGATIVE_INFINITY;
  let atMs = 0;
  return {
    elapsedMs: () => wall.elapsedMs(),
    nowMs: () => {
      const passedMs = wall.elapsedMs();
      const nowMs = wall.nowMs();
      const sinceMs = Math.floor(passedMs - atMs); // the next call counts the fraction of a millisecond
      latestMs = nowMs >= latestMs ? nowMs : latestMs + sinceMs;
      atMs += sinceMs;
      return latestMs;
    },
  };
}
