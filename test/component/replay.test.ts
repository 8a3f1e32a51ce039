import { expect, test } from 'vitest';
import { loadRules } from '../../src/platform/rule-files.ts';
import { readDay, replayExact, replayScopes } from '../replay/replay.ts';

const day = readDay();
const dist = new URL('../../dist', import.meta.url).pathname;

async function rules() {
  const loaded = await loadRules(dist, '/nowhere/config.toml');
  if (!loaded.ok) throw new Error(loaded.failure.message);
  return loaded.value;
}

const of = (kind: (typeof day)[number]['kind']) => day.filter((line) => line.kind === kind);

test('the day is long enough, and enough is tried that nothing of it may cover', () => {
  expect(day.length - of('foreign').length).toBeGreaterThanOrEqual(400);
  expect(of('dangerous').length).toBeGreaterThanOrEqual(10);
  expect(of('foreign').length).toBeGreaterThanOrEqual(40);
});

test('the scopes that are offered spare eight of nine prompts, and let nothing run that must be asked for', async () => {
  const exact = replayExact(day);
  const scopes = replayScopes(day, await rules());
  expect(scopes.unsafe).toEqual([]);
  // The lines come first, so that a failure shows them.
  expect(scopes.asked.length > exact.asked.length / 9 ? scopes.asked : []).toEqual([]);
});
