/** Compares our reading of sed scripts with GNU sed: its `--sandbox` refuses a script that reads, writes or runs something. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isHarmlessSedScript } from '../../src/core/effects/sed-script.ts';

/** macOS has another sed; Homebrew's gnu-sed is called gsed. */
const SED = spawnSync('gsed', ['--version']).status === 0 ? 'gsed' : 'sed';
const refuses = (script: string, option: string): boolean =>
  spawnSync(SED, ['--sandbox', '-n', option, '--', script, '/dev/null'], { encoding: 'utf8' }).stderr.includes(
    'sandbox',
  );

const piece = fc.constantFrom(
  ...'s/abwerWRpd;\n{}$!12,~+\\[]^ xIMgy|#icnqltTFz=0*&()DNh.:',
  ...[
    's/a/b/',
    '/x/',
    's|a|b|',
    'w out',
    'e id',
    'a x',
    '\\n',
    '\\/',
    '[/]',
    '[^/]*',
    's,a,b,',
    'r x',
    's/a/b/e',
    's/a/b/gw x',
  ],
);

it('no script that we call harmless is refused by sed in its sandbox', () => {
  let harmless = 0;
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), fc.constantFrom('-E', '-s'), (pieces, option) => {
      const script = pieces.join('');
      if (!isHarmlessSedScript(script)) return;
      harmless += 1;
      expect(refuses(script, option)).toBe(false);
    }),
    { numRuns: 4000 },
  );
  expect(harmless).toBeGreaterThan(200);
});

it('sed --sandbox refuses what we refuse of files and programs', () => {
  for (const script of ['s/a/b/e', 's/a/b/w x', '1e id', 'e', 'w x', 'r x', 'W x', 'R x', '/a/{p;w x\n}', 'y/a/b/;e'])
    expect([isHarmlessSedScript(script), refuses(script, '-E')]).toEqual([false, true]);
});
