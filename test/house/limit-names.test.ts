/** A limit is named `MAX_…` (docs/glossary.md), in TypeScript, in scripts and in C. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const OTHERWISE =
  /^(?:export )?(?:const|let|#define) +((?:MOST|LONGEST|LARGEST|LIMIT)(?:_[A-Z_]+)?|[A-Z][A-Z0-9_]*_LIMIT)\b/gm;

const namedOtherwise = (text: string): readonly string[] => [...text.matchAll(OTHERWISE)].map(([, name = '']) => name);

it('no limit is named MOST_…, LONGEST_…, LARGEST_…, LIMIT_… or …_LIMIT', () => {
  const files = ['src', 'bin', 'scripts', 'test'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|m?js|c|h)$/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  expect(files.length).toBeGreaterThan(1_200);
  expect(files.filter((file) => namedOtherwise(readFileSync(root + file, 'utf8')).length > 0)).toEqual([]);
});

it('the check finds a limit with such a name', () => {
  const text = 'const MOST_BYTES = 1;\n#define LONGEST_LINE 80\nconst MAX_BYTES = 2;\nexport const BODY_LIMIT = 3;';
  expect(namedOtherwise(text)).toEqual(['MOST_BYTES', 'LONGEST_LINE', 'BODY_LIMIT']);
});
