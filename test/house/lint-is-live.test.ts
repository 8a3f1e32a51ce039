/** The lint rules on which we rely report planted faults. A change of the configuration once switched off a rule without a message. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

const FAULTS: Readonly<Record<string, string>> = {
  'promises.ts': `const later = async (): Promise<boolean> => Promise.resolve(false);
export function forgotten(): void {
  later();
}
export function believed(): number {
  if (later()) return 1;
  return 2;
}
`,
  'assertion.ts': 'export const sure = (text: string | null): string => text!;\n',
  'cases.ts': `export type Kind = 'a' | 'b';
export function half(kind: Kind): number {
  switch (kind) {
    case 'a':
      return 1;
  }
  return 0;
}
`,
  'cycle-a.ts': "import { b } from './cycle-b.ts';\n\nexport const a = (): number => b();\n",
  'cycle-b.ts': "import { a } from './cycle-a.ts';\n\nexport const b = (): number => a();\n",
  'skipped.test.ts': "import { it } from 'vitest';\n\nit.skip('never', () => {});\nit.only('alone', () => {});\n",
};

let directory = '';
let report = '';

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'ape-lint-'));
  const configuration = JSON.parse(readFileSync(path.join(root, 'biome.json'), 'utf8')) as Record<string, unknown>;
  writeFileSync(path.join(directory, 'biome.json'), JSON.stringify({ ...configuration, vcs: { enabled: false } }));
  mkdirSync(path.join(directory, 'src'));
  for (const [name, text] of Object.entries(FAULTS)) writeFileSync(path.join(directory, 'src', name), text);
  const biome = path.join(root, 'node_modules/.bin/biome');
  const { stdout, stderr } = spawnSync(biome, ['ci', '--colors=off', '--max-diagnostics=100', '.'], {
    cwd: directory,
    encoding: 'utf8',
  });
  report = stdout + stderr;
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

it.each([
  ['a promise without await', 'src/promises.ts:3:3 lint/nursery/noFloatingPromises'],
  ['a promise used as its value', 'src/promises.ts:6:7 lint/nursery/noMisusedPromises'],
  ['a non-null assertion', 'src/assertion.ts:1:54 lint/style/noNonNullAssertion'],
  ['a switch without a case for each value', 'lint/nursery/useExhaustiveSwitchCases'],
  ['files that import each other', 'src/cycle-a.ts:1:19 lint/suspicious/noImportCycles'],
  ['a skipped test', 'lint/suspicious/noSkippedTests'],
  ['a focused test, which skips the others', 'lint/suspicious/noFocusedTests'],
])('the linter refuses %s', (_fault, diagnostic) => {
  expect(report).toContain(diagnostic);
});
