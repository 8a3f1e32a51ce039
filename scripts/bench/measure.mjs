/** Takes samples, and computes figures from them. All times are in milliseconds. */
import { spawnSync } from 'node:child_process';

export const now = () => Number(process.hrtime.bigint()) / 1e6;

/** @param part 0 to 1, as 0.99 for p99 */
export function percentile(samples, part) {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

export const median = (samples) => percentile(samples, 0.5);

/** Milliseconds from start to end of a program. Throws if it does not end with status 0, because a failure must not count as fast. */
export function timeProgram({ file, words, place }) {
  const begin = now();
  const { status, error } = spawnSync(file, words, { ...place, stdio: 'ignore', timeout: 60_000 });
  const took = now() - begin;
  if (error || status !== 0) throw new Error(`${file} ${words.join(' ')}: ${error?.message ?? `status ${status}`}`);
  return took;
}

/**
 * Runs all contestants in turns (A, B, A, B …), so that other load of the machine slows all of them.
 * @param {Record<string, () => number | Promise<number>>} contestants functions that each return their time in ms
 * @returns {Promise<Record<string, number[]>>} samples in ms by name, without the first two rounds, in which caches are cold
 */
export async function inTurns(contestants, rounds) {
  /** @type {Record<string, number[]>} */
  const samples = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let round = -2; round < rounds; round++)
    for (const [name, once] of Object.entries(contestants)) {
      const took = await once();
      if (round >= 0) samples[name].push(took);
    }
  return samples;
}

/**
 * Returns how many times as long `samples` are as `others`: the median of the ratios within each turn. Other load of the machine
 * changes this figure less than the ratio of two medians.
 */
export function ratio(samples, others) {
  return median(samples.map((each, turn) => each / others[turn]));
}
