/** Compares our reading of sed scripts with GNU sed, whose `--sandbox` refuses a script that reads or writes a file or runs a program. */
import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isHarmlessSedScript } from '../../src/core/effects/sed-script.ts';

/** The sed of macOS has no `--sandbox`; Homebrew installs GNU sed as gsed. */
const SED = spawnSync('gsed', ['--version']).status === 0 ? 'gsed' : 'sed';

interface Case {
  readonly option: string;
  readonly script: string;
}

/**
 * Returns for each script whether sed refuses it in its sandbox. One bash starts sed for all scripts, because starting a process from
 * this large one is slow.
 */
function refusals(cases: readonly Case[]): readonly boolean[] {
  const each = `while (($#)); do "${SED}" --sandbox -n "$1" -- "$2" /dev/null 2>&1 >/dev/null; printf '\\0'; shift 2; done`;
  const words = cases.flatMap(({ option, script }) => [option, script]);
  const messages = execFileSync('/bin/bash', ['-c', each, 'bash', ...words], { encoding: 'utf8' }).split('\0');
  expect(messages).toHaveLength(cases.length + 1);
  return messages.slice(0, -1).map((message) => message.includes('sandbox'));
}

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
    '[]',
    '[^]',
    '[[.].]',
    '[[:alpha:]',
    '[a\\]',
    's,a,b,',
    'r x',
    's/a/b/e',
    's/a/b/gw x',
  ],
);

it('sed in its sandbox refuses no script that we call harmless', () => {
  const cases = fc
    .sample(fc.tuple(fc.array(piece, { minLength: 1, maxLength: 8 }), fc.constantFrom('-E', '-s')), 4000)
    .map(([pieces, option]) => ({ option, script: pieces.join('') }))
    .filter(({ script }) => isHarmlessSedScript(script));
  expect(cases.length).toBeGreaterThan(200);
  const refused = refusals(cases);
  expect(cases.filter((_, at) => refused[at])).toEqual([]);
});

it('sed in its sandbox refuses each script that we refuse because of files and programs', () => {
  const scripts = ['s/a/b/e', 's/a/b/w x', '1e id', 'e', 'w x', 'r x', 'W x', 'R x', '/a/{p;w x\n}', 'y/a/b/;e'];
  expect(scripts.filter((script) => isHarmlessSedScript(script))).toEqual([]);
  expect(refusals(scripts.map((script) => ({ option: '-E', script })))).toEqual(scripts.map(() => true));
});
