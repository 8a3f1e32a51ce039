/** Each key does in the gated shell what it does in plain bash, apart from the differences that are listed. */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { BASH, gatedBash, makePlace, plainBash } from '../fixtures/terminal/start-host.ts';
import { BATTERY } from './battery.ts';
import { KNOWN_DIFFERENCES, KNOWN_DIFFERENCES_OF } from './known-differences.ts';
import { runScenario, screenOf } from './scenario.ts';

const MAX_DIFFERENCES = 10;
const names = Object.keys(BATTERY);
const version = /^\d+\.\d+/.exec(execFileSync(BASH, ['-c', 'echo $BASH_VERSION'], { encoding: 'utf8' }))?.[0] ?? '';
const differing: Readonly<Record<string, string>> = { ...KNOWN_DIFFERENCES, ...KNOWN_DIFFERENCES_OF[version] };

describe.concurrent('Every key does what it does in plain bash', () => {
  test.for(names)(
    'has the same effect as in plain bash, or a listed difference: %s',
    { timeout: 180_000 },
    async (name, { expect }) => {
      const scenario = BATTERY[name];
      if (scenario === undefined) throw new Error(`no scenario ${name}`);
      const [plainPlace, gatedPlace] = [makePlace(), makePlace()];
      const [plain, gated] = await Promise.all([
        runScenario(scenario, plainBash(plainPlace), plainPlace),
        runScenario(scenario, gatedBash(gatedPlace), gatedPlace),
      ]);
      if (Object.hasOwn(differing, name)) {
        expect(gated.bytes, `${name} is listed as different but is not any more: take it off the list`).not.toBe(
          plain.bytes,
        );
        return;
      }
      expect(gated.bytes).toBe(plain.bytes);
      expect(await screenOf(gated, gatedPlace)).toBe(await screenOf(plain, plainPlace));
    },
  );
});

test('At most ten behaviours differ, and each is one of the battery with a reason', () => {
  const everywhere = Object.entries(KNOWN_DIFFERENCES);
  expect(everywhere.length).toBeLessThanOrEqual(MAX_DIFFERENCES);
  const listed = [...everywhere, ...Object.values(KNOWN_DIFFERENCES_OF).flatMap((of) => Object.entries(of))];
  for (const [name, why] of listed) {
    expect(names).toContain(name);
    expect(why).toMatch(/^[A-Z].{30,}\.$/);
  }
});

test('The battery has not shrunk', () => {
  expect(names.length).toBeGreaterThanOrEqual(114);
});
