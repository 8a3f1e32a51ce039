/** Samples and what to say about them. Everything in milliseconds. */
import { spawnSync } from 'node:child_process';

export const now = () => Number(process.hrtime.bigint()) / 1e6;

/** @param part 0 to 1 */
export function percentile(samples, part) {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

export const median = (samples) => percentile(samples, 0.5);

/** A program from start to end. Throws when it does not end with status 0: a failure is not fast. */
export function timeProgram({ file, words, place }) {
  const begin = now();
  const { status, error } = spawnSync(file, words, { ...place, stdio: 'ignore', timeout: 60_000 });
  const took = now() - begin;
  if (error || status !== 0) throw new Error(`${file} ${words.join(' ')}: ${error?.message ?? `status ${status}`}`);
  return took;
}

/**
 * A, B, A, B …: whatever else the machine does, it does it to all of them.
 * @param {Record<string, () => number | Promise<number>>} contestants each gives its ms
 * @returns {Promise<Record<string, number[]>>} samples in ms by name, the first two rounds (cold caches) left out
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
 * How many times as long as the other: the median of the ratios within each turn. It is less moved by other load than
 * the ratio of two medians.
 */
export function ratio(samples, others) {
  return median(samples.map((each, turn) => each / others[turn]));
}
