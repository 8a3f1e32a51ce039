/** Which patterns choose files with secrets. `test/fuzz/secret-globs.test.ts` compares random patterns with the tools. */
import { expect, it } from 'vitest';
import { meansSecrets } from '../../src/core/effects/secret-patterns.ts';

const isSecret = (name: string): boolean => /(?:^|\/)\.env$/.test(name);

it.each(['.en?', '*.e[n]v', '.[!x]nv', '?*?*env', '*/.en*', '.e*?*?v'])('%s does', (pattern) => {
  expect(meansSecrets(pattern, isSecret)).toBe(true);
});

it.each(['*', '*.ts', '?*?*.md', 'src/*', '*'.repeat(500), '*.[ch]', '*?*?*?*?*?*?*?*?*?*?'])(
  '%s does not',
  (pattern) => {
    expect(meansSecrets(pattern, isSecret)).toBe(false);
  },
);

it.each(['*?'.repeat(20), '*a'.repeat(20), '?*[a-z]'.repeat(10), '*/?'.repeat(12)])(
  'the check of the pattern %s~ ends at once',
  (pattern) => {
    expect(meansSecrets(`${pattern}~`, isSecret)).toBeTypeOf('boolean');
  },
);

it('a pattern with too many places for a slash does', () => {
  expect(meansSecrets(`${'?'.repeat(41)}.ts`, isSecret)).toBe(true);
});
