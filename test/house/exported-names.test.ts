/** One exported name means one thing: no name is exported by two files of src/. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const src = fileURLToPath(new URL('../../src/', import.meta.url));
const DECLARED = /^export (?:async )?(?:function\*?|const|class|interface|type|enum) +([A-Za-z_$][\w$]*)/gm;

/** Returns the names that more than one of the texts declares, with their files. */
function declaredTwice(texts: Readonly<Record<string, string>>): string[] {
  const files = new Map<string, Set<string>>();
  for (const [file, text] of Object.entries(texts))
    for (const [, name = ''] of text.matchAll(DECLARED)) files.set(name, (files.get(name) ?? new Set()).add(file));
  return [...files].filter(([, where]) => where.size > 1).map(([name, where]) => `${name}: ${[...where].join(', ')}`);
}

it('no exported name is defined in two files', () => {
  const names = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(?:ts|m?js)$/.test(name));
  expect(names.length).toBeGreaterThan(900);
  expect(declaredTwice(Object.fromEntries(names.map((name) => [name, readFileSync(join(src, name), 'utf8')])))).toEqual(
    [],
  );
});

it('the check finds a name that is defined in two files', () => {
  const texts = {
    'a.ts': 'export type Call = 1;',
    'b.ts': 'export interface Call {}',
    'c.ts': 'export const call = 1;',
  };
  expect(declaredTwice(texts)).toEqual(['Call: a.ts, b.ts']);
});
