/** How many of the lines that agents run every day can be approved by more than their exact bytes. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { offered } from './line-coverage.ts';

const LINES = readFileSync(new URL('../corpus/daily-lines.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

test('at least 80 % of the daily lines can be approved by more than their exact bytes', () => {
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
  'python -m pip install ./x',
  'python -m http.server',
])('%s can be approved only by its exact bytes', (text) => {
  expect(offered(text)).toEqual([]);
});
