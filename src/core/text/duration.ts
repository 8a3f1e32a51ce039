/** Durations as people write them: `500ms`, `90s`, `15m`, `1h`, `2d`, `1h30m`; a bare number is seconds. */

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The longest time for a timer: 24 days. Node allows less than 2^31 ms; a longer timer would end at once. */
export const MAX_TIMER_MS = 24 * 86_400_000;

/** Returns milliseconds; null if the text is not a duration from half a millisecond to ten years. */
export function parseDuration(text: string): number | null {
  const trimmed = text.trim();
  const withUnit = /^\d+(\.\d+)?$/.test(trimmed) ? `${trimmed}s` : trimmed;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(withUnit)) return null;
  let total = 0;
  for (const part of withUnit.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    total += Number(part[1]) * (UNIT_MS[part[2] ?? ''] ?? 0);
  const ms = Math.round(total);
  return ms > 0 && ms <= 10 * 365 * 86_400_000 ? ms : null;
}

/** Writes the time left, rounded to the smaller of the two units shown: a second less than two days is `2 d`, not `1 d 23 h`. */
export function formatTimeLeft(ms: number): string {
  const stepMs = ms >= 86_400_000 ? 3_600_000 : ms >= 3_600_000 ? 60_000 : 1000;
  return formatDuration(Math.round(ms / stepMs) * stepMs);
}

/** Writes the two largest units that are not zero, rounded down: `4 s`, `2 h 5 min`, `3 d 4 h`. Writes `0 s` for a negative number. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const parts: string[] = [];
  const units: readonly (readonly [string, number])[] = [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
    ['s', 1],
  ];
  let rest = seconds;
  for (const [name, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? '0 s' : parts.join(' ');
}
