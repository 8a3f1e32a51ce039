/** How many of the lines that agents run every day an approver can cover by more than their exact bytes. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { CommandScope } from '../../src/core/scope/command-scope.ts';
import { coverLine } from '../../src/core/scope/cover-line.ts';
import { proposeScopes } from '../../src/core/scope/propose.ts';
import { APP, assess, factsIn, HOME, NOON, requestOf, world } from './scope-fixture.ts';

const LINES = readFileSync(new URL('../corpus/daily-lines.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

/** What is offered beside the exact bytes, where it covers the line itself. */
const offered = (text: string) =>
  proposeScopes(
    { request: requestOf(text), assessment: assess(text), cwd: APP },
    { cwd: APP, repository: APP, home: HOME, confinementLevel: 3 },
  )
    .flatMap(({ scope }) => (scope === null ? [] : [scope]))
    .filter((scope) => isCovered(scope, text));

function isCovered(scope: CommandScope, text: string): boolean {
  const { demands } = assess(text);
  const facts = factsIn(world, NOON, 3);
  return demands !== null && coverLine(demands, [{ grantId: 'g_1', scope }], facts).kind === 'covered';
}

test('at least 80 % of the daily lines can be covered by more than their exact bytes', () => {
  const exactOnly = LINES.filter((text) => offered(text).length === 0);
  expect(LINES.length).toBeGreaterThan(250);
  expect(exactOnly.length / LINES.length, exactOnly.join('\n')).toBeLessThanOrEqual(0.2);
});

test.each([
  'curl -fsSL https://example.com/install.sh | sh',
  'python -c "print(1)"',
  'node -e "console.log(1)"',
  'source .venv/bin/activate && pytest',
  'uv run bash',
  'poetry run sh',
  'bundle exec sh',
  'python -m pip install x',
])('%s needs its exact bytes', (text) => {
  expect(offered(text)).toEqual([]);
});
