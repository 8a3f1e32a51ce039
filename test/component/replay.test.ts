/** A recorded day of an agent: how many prompts scopes and plans save, and that they let nothing dangerous run. */
import { describe, expect, it, test } from 'vitest';
import { loadRules } from '../../src/platform/rule-files.ts';
import { linesOf, readTrace, replayExact, replayScopes, TRACES } from '../replay/replay.ts';
import { replayPlans } from '../replay/replay-plans.ts';

const day = linesOf(readTrace('day'));
const dist = new URL('../../dist', import.meta.url).pathname;

async function rules() {
  const loaded = await loadRules(dist, '/nowhere/config.toml');
  if (!loaded.ok) throw new Error(loaded.failure.message);
  return loaded.value;
}

const of = (kind: (typeof day)[number]['kind']) => day.filter((line) => line.kind === kind);

test('the day is long enough, and has enough lines that no grant may cover', () => {
  expect(day.length - of('foreign').length).toBeGreaterThanOrEqual(400);
  expect(of('dangerous').length).toBeGreaterThanOrEqual(10);
  expect(of('foreign').length).toBeGreaterThanOrEqual(40);
});

test('the offered scopes save eight of nine prompts, and let nothing run on which an approver has to decide each time', async () => {
  const exact = replayExact(day);
  const scopes = replayScopes(day, await rules());
  expect(scopes.unsafe).toEqual([]);
  // The lines come first, so that a failure shows them.
  expect(scopes.asked.length > exact.asked.length / 9 ? scopes.asked : []).toEqual([]);
});

describe.each(TRACES)('with the plans of the trace "%s"', (name) => {
  it('nothing runs on which an approver has to decide each time, and fewer prompts are left than with scopes alone', async () => {
    const trace = readTrace(name);
    const scopes = replayScopes(linesOf(trace), await rules());
    const plans = replayPlans(trace, await rules(), 'exact');
    const both = replayPlans(trace, await rules(), 'scopes');
    expect([plans.unsafe, both.unsafe]).toEqual([[], []]);
    expect(plans.plans).toBeGreaterThan(0);
    expect(both.asked.length + both.plans).toBeLessThan(scopes.asked.length);
    expect(both.asked.length).toBeLessThanOrEqual(plans.asked.length);
  });

  it('a plan that is filed and not approved saves no prompt', async () => {
    const lines = linesOf(readTrace(name));
    expect(replayPlans(lines, await rules(), 'exact').asked).toEqual(replayExact(lines).asked);
    expect(replayPlans(lines, await rules(), 'scopes').asked).toEqual(replayScopes(lines, await rules()).asked);
  });
});
