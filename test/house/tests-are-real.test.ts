/** Tests use real parts: no mocks, no retries, no skipped tests. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const test = fileURLToPath(new URL('..', import.meta.url));
const FORBIDDEN = /\bvi\s*\.\s*(?:mock|doMock|stubGlobal|spyOn)\b|\bretry\s*:|\.(?:skipIf|runIf|todo|fails)\b/;

const forbiddenLines = (text: string): string[] => text.split('\n').filter((line) => FORBIDDEN.test(line));

it('tests use no mocks, retries or conditional skips', () => {
  const files = readdirSync(test, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(3);
  const found = files
    .filter((name) => !name.endsWith('tests-are-real.test.ts'))
    .flatMap((name) =>
      forbiddenLines(readFileSync(`${test}/${name}`, 'utf8')).map((line) => `${name}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});

it('browser tests that intercept requests have no service worker', () => {
  const names = readdirSync(`${test}/browser`).filter((name) => name.endsWith('.test.ts'));
  const withoutImports = (name: string) =>
    readFileSync(`${test}/browser/${name}`, 'utf8').replace(/^import[^;]*;/gm, '');
  const intercepting = names.filter((name) => /\.route\(|\bholdAnswer\(/.test(withoutImports(name)));
  expect(intercepting.length).toBeGreaterThan(3);
  expect(intercepting.filter((name) => !/\bINTERCEPTED\b/.test(withoutImports(name)))).toEqual([]);
});

it('the check finds each of these', () => {
  const planted = ["vi.mock('x')", 'vi.spyOn(a, b)', '{ retry: 2 }', 'it.skipIf(isRoot)', "it.todo('x')"];
  expect(planted.filter((line) => forbiddenLines(line).length === 0)).toEqual([]);
});
