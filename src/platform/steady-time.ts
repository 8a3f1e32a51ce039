/**
 * Wall time that never goes back: what has ended by time must stay ended when the clock of this host is set back. From then on
 * it goes on by itself, until the clock has caught up.
 *
 * @param wall    Unix ms; may jump
 * @param elapsed ms that only ever grow
 */
export function steadyTime(wall: () => number, elapsed: () => number): () => number {
  let latestMs = Number.NEGATIVE_INFINITY;
  let atMs = 0;
  return () => {
    const passedMs = elapsed();
    const nowMs = wall();
    const sinceMs = Math.floor(passedMs - atMs); // what is left of a millisecond counts the next time
    latestMs = nowMs >= latestMs ? nowMs : latestMs + sinceMs;
    atMs += sinceMs;
    return latestMs;
  };
}
