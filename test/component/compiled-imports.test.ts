/** Runs the tsc of this checkout on a file that imports from beside the directory, and compares the files that it writes with what we read. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { textualContext } from '../../src/core/effects/command-context.ts';
import { isAtOrBelow } from '../../src/core/text/path.ts';
import { allRules, effectsOfLine } from '../core/rule-effects.ts';

const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

it.each([
  ['', ['p/a.js', 'q/b.js']],
  ['-d --emitDeclarationOnly', ['p/a.d.ts', 'q/b.d.ts']],
  ['--outDir out', ['p/out/p/a.js', 'p/out/q/b.js']],
  ['--noEmit', []],
])('tsc %s a.ts writes no file that is not read', (options, expected) => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'ape-tsc-')));
  const cwd = join(top, 'p');
  for (const name of ['p', 'q']) mkdirSync(join(top, name));
  writeFileSync(join(top, 'q/b.ts'), 'export const b = 1;\n');
  writeFileSync(join(cwd, 'a.ts'), "import { b } from '../q/b';\nexport const a = b;\n");
  spawnSync(process.execPath, [TSC, ...options.split(' ').filter((word) => word !== ''), 'a.ts'], { cwd });
  const made = readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(top.length + 1))
    .filter((name) => name !== 'p/a.ts' && name !== 'q/b.ts');
  expect(made.sort()).toEqual(expected);
  const effects = effectsOfLine(`tsc ${options} a.ts`, textualContext(allRules, cwd, '/home/u'));
  const resources = effects.kind === 'understood' ? effects.permission.resources : [];
  const isNamed = (path: string): boolean =>
    resources.some(
      ({ access, value, isExact }) => access === 'write' && (isExact ? value === path : isAtOrBelow(path, value)),
    );
  expect(made.filter((name) => !isNamed(join(top, name)))).toEqual([]);
  rmSync(top, { recursive: true });
});
