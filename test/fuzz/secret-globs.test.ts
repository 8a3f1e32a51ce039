/**
 * Compares our check for patterns that choose files with secrets with what real tools choose: if a tool chooses a file with secrets and no
 * ordinary file, the check has to say so. The patterns are names of such files with wildcards and brackets in place of characters.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { choosesSecrets } from '../../src/core/effects/named-secrets.ts';
import { SECRET_EXAMPLES } from '../../src/core/sensitive/sensitive-places.ts';
import { type Random, seeded } from './random.ts';

const SECRETS = SECRET_EXAMPLES.filter((name) => !name.includes('/'));
const ORDINARY = [
  ...['a', 'main.ts', 'README.md', 'package.json', 'x.sh', '.x', '.gitignore', 'k.h', 'index.html', 'keys.py', 'x.yml'],
].flatMap((name) => [name, name.toUpperCase(), name.charAt(0).toUpperCase() + name.slice(1)]);

let directory: string;
const run = (program: string, argv: readonly string[], input = ''): string =>
  spawnSync(program, argv, {
    cwd: directory,
    input,
    maxBuffer: 1 << 28,
    timeout: 60_000,
    env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', GIT_CONFIG_GLOBAL: '/dev/null' },
  }).stdout.toString('utf8');

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ape-secret-globs-'));
  for (const name of [...SECRETS, ...ORDINARY]) writeFileSync(join(directory, name), 'x\n');
  run('git', ['init', '-q']);
  run('git', ['add', '-A', '-f']);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Pieces that match the character in at least one tool, and others that change where a bracket ends. */
function piece(random: Random, character: string): string {
  const other = random.pick(['q', 'Z', '-', ':', '.', '=', '[', ']', '!', '^', '\\']);
  const sign = random.pick(['!', '^']);
  return random.pick([
    ...[`[${character}]`, `[]${character}]`, `[${character}${other}]`, `[${other}${character}]`, `[\\${character}]`],
    ...[`[${sign}${other}]`, `[${sign}]${other}]`, `[${sign}${other}-${other}]`, `[${sign}A-Z]`, `[${sign}0-9]`],
    ...[`[[=${character}=]]`, `[[.${character}.]]`, `[[:alpha:]]`, `[[:punct:]]`, `[[:lower:]${character}]`, `[[:x:]]`],
    ...[`[+-${character}]`, `[${character}-z]`, `[a-${character}]`, `[a-z]`, `[--z]`, `[A-z]`, `[[:lower:]`, '[a-z-9]'],
    ...[
      '?',
      '*',
      `\\${character}`,
      '[',
      ']',
      `[${character}`,
      `${character}]`,
      `[]-a]`,
      '[[:^alpha:]]',
      `[[${character}]`,
    ],
  ]);
}

function randomPattern(random: Random): string {
  const name = random.pick(SECRETS);
  const part = random.pick([0.1, 0.2, 0.5]);
  const text = [...name].map((character) => (random.chance(part) ? piece(random, character) : character)).join('');
  return text.startsWith('!') ? randomPattern(random) : text;
}

const byLines = (text: string): readonly string[] => text.split('\n').slice(0, -1);

/** For each tool: the names that each pattern chooses. */
const TOOLS: Readonly<Record<string, (patterns: readonly string[]) => readonly (readonly string[])[]>> = {
  'find -name': (patterns) => {
    const found = patterns.map((): string[] => []);
    const tests = patterns.flatMap((pattern, at) => [
      ...(at > 0 ? [','] : []),
      '(',
      '-name',
      pattern,
      '-printf',
      `${at} %f\\n`,
      ')',
    ]);
    for (const line of byLines(run('find', ['.', '-maxdepth', '1', '-type', 'f', ...tests]))) {
      const [at = '', ...name] = line.split(' ');
      found[Number(at)]?.push(name.join(' '));
    }
    return found;
  },
  'grep --include': (patterns) =>
    patterns.map((pattern) =>
      byLines(run('grep', ['-rl', '--exclude-dir=.git', `--include=${pattern}`, '', '.'])).map((path) => path.slice(2)),
    ),
  'git ls-files': (patterns) =>
    patterns.map((pattern) => run('git', ['ls-files', '-z', '--', pattern]).split('\0').slice(0, -1)),
  bash: (patterns) => {
    const script = `IFS=; while read -r -d '' word; do printf '%s\\0' $word =; done`;
    const found: string[][] = [[]];
    for (const name of run('bash', ['--norc', '-c', script], patterns.map((each) => `${each}\0`).join('')).split('\0'))
      if (name === '=') found.push([]);
      else found.at(-1)?.push(name);
    return found;
  },
};

const PATTERNS = Number(process.env['APE_TEST_PATTERNS'] ?? 300);
const SEED = Number(process.env['APE_TEST_SEED'] ?? 20_261_130);

it.each(Object.entries(TOOLS))('%s: our check knows each pattern that chooses secrets only', (_, chosenBy) => {
  const random = seeded(SEED);
  const patterns = Array.from({ length: PATTERNS }, () => randomPattern(random));
  const chosen = chosenBy(patterns);
  const faults: string[] = [];
  let claims = 0;
  for (const [at, pattern] of patterns.entries()) {
    const names = chosen[at] ?? [];
    const secret = names.find((name) => SECRETS.includes(name));
    if (secret === undefined || names.some((name) => ORDINARY.includes(name))) continue;
    claims += 1;
    if (!choosesSecrets(pattern)) faults.push(`${pattern} chooses ${secret}`);
  }
  expect(faults.slice(0, 20)).toEqual([]);
  expect(claims).toBeGreaterThan(PATTERNS / 5);
});
