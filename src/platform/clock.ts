/** Time as a port. `nowMs` is Unix time and may jump; `elapsedMs` only ever grows and serves for deadlines. */
export interface Clock {
  nowMs(): number;
  elapsedMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now(), elapsedMs: () => performance.now() };
