/** Compares the paths that we derive from words with the paths that bash expands them to, links followed. A missing path is a fault. */
import { parse } from 'unbash';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assessLine, type RequiredPermission } from '../../src/core/effects/assess-line.ts';
import type { Access } from '../../src/core/effects/permission.ts';
import { commandsIn } from '../../src/core/reading/commands-in.ts';
import { parseLine } from '../../src/core/reading/parse-line.ts';
import { dangerousPlace } from '../../src/core/sensitive/dangerous-places.ts';
import { dangerOfResource } from '../../src/core/sensitive/dangerous-resource.ts';
import { isAtOrBelow } from '../../src/core/text/path.ts';
import { lookupsOf } from '../../src/gate/facts/look-up.ts';
import { allRules } from '../core/rule-effects.ts';
import { seeded } from './random.ts';
import { randomWord } from './word-grammar.ts';
import { makeWordTree, type WordTree } from './word-tree.ts';

let tree: WordTree;

beforeAll(() => {
  tree = makeWordTree();
});
afterAll(() => tree.remove());

/** Returns the required permissions of a line; null if only its exact bytes can be approved. */
function requiredPermissionsOf(line: string): readonly RequiredPermission[] | null {
  const cwd = tree.directory;
  const lookups = lookupsOf({ cwd, entries: tree.environment });
  return assessLine(commandsIn(parseLine(line, parse), parse), 'agrees', { cwd, rules: allRules, lookups })
    .requiredPermissions;
}

interface Case {
  readonly line: string;
  readonly demands: readonly RequiredPermission[];
  /** The bash text that prints the same arguments. */
  readonly script: string;
}

interface Tally {
  readonly wrong: string[];
  claims: number;
}

/** Compares the required permissions of each line with the paths to which its arguments lead. */
function compare(cases: readonly Case[], access: Access): Tally {
  const tally: Tally = { wrong: [], claims: 0 };
  const expanded = tree.expand(cases.map(({ script }) => script));
  expect(expanded.length).toBe(cases.length);
  const real = new Map<string, string>();
  const all = [...new Set(expanded.flat())].filter((path) => path !== '');
  // Another process has another directory below /proc.
  const ofAnyProcess = (path: string) => path.replace(/^\/proc\/\d+/, `/proc/${process.pid}`);
  for (const [at, path] of tree.realPaths(all).entries()) real.set(all[at] ?? '', ofAnyProcess(path));
  expect(real.size).toBe(all.length);
  for (const [at, { line, demands: requiredPermissions }] of cases.entries())
    for (const argument of expanded[at] ?? []) {
      const path = real.get(argument);
      if (path === undefined) continue;
      tally.claims += 1;
      const fault = faultOf(path, access, requiredPermissions);
      if (fault !== null) tally.wrong.push(`${line}: ${argument} is ${path}, ${fault}`);
    }
  return tally;
}

function faultOf(path: string, access: Access, requiredPermissions: readonly RequiredPermission[]): string | null {
  const resources = requiredPermissions
    .flatMap(({ permission }) => permission.resources)
    .filter((each) => each.access === access);
  const fits = resources.filter(({ value, isExact }) => (isExact ? value === path : isAtOrBelow(path, value)));
  if (fits.length === 0) return 'which no required permission names';
  const isDangerous = dangerousPlace(path, access === 'read') !== null;
  if (isDangerous && !fits.some((each) => dangerOfResource(each, [tree.home]) !== null))
    return 'a sensitive path that is not recognised';
  return null;
}

const words = (seed: number, count: number): readonly string[] => {
  const random = seeded(seed);
  return Array.from({ length: count }, () => randomWord(random));
};

/** Makes lines from the words, and returns those that can be covered. */
function casesOf(
  all: readonly string[],
  lineOf: (word: string) => string,
  scriptOf: (word: string) => string,
): readonly Case[] {
  const found: Case[] = [];
  for (const word of all) {
    const requiredPermissions = requiredPermissionsOf(lineOf(word));
    if (requiredPermissions !== null)
      found.push({ line: lineOf(word), demands: requiredPermissions, script: scriptOf(word) });
  }
  return found;
}

const PRINT = "printf '%s\\0'";

it('for 6,000 words that are read, the required permissions contain every path', () => {
  const cases = casesOf(
    words(20_261_122, 6000),
    (word) => `cat -- ${word}`,
    (word) => `${PRINT} ${word}`,
  );
  const tally = compare(cases, 'read');
  expect(tally.wrong).toEqual([]);
  expect(cases.length).toBeGreaterThan(3000);
  expect(tally.claims).toBeGreaterThan(6000);
});

it('for 3,000 words that are written to, the required permissions contain every path, and every sensitive path is seen', () => {
  const cases = casesOf(
    words(41, 3000),
    (word) => `tee -- ${word}`,
    (word) => `${PRINT} ${word}`,
  );
  const tally = compare(cases, 'write');
  expect(tally.wrong).toEqual([]);
  expect(cases.length).toBeGreaterThan(1500);
});

it('none of 3,000 words becomes an option that was not written as one', () => {
  const all = words(42, 3000).filter((word) => !/^(?:\\?-|["']-)/.test(word));
  const cases = casesOf(
    all,
    (word) => `cat ${word}`,
    (word) => `${PRINT} ${word}`,
  );
  const expanded = tree.expand(cases.map(({ script }) => script));
  const wrong = cases.filter((_, at) => expanded[at]?.some((argument) => /^-./.test(argument)));
  expect(wrong.map(({ line }) => line)).toEqual([]);
  expect(cases.length).toBeGreaterThan(1000);
});

const BEFORE = ['', './', '.', 'src/', 'x', '../', '/', '', ''];
const BEHIND = ['', '', '', '.bak', '/f', '/..', '.', '..', '/../../x', '/.git/config'];
const STARTS = [
  '',
  '.',
  './',
  'src',
  'src/',
  '..',
  '../',
  'a',
  'lnk',
  'up',
  '~',
  '~/.ssh',
  '/etc/ssh',
  'a/b src',
  '../proj',
  '.git',
];

it('the required permissions contain what find puts into a word, whatever text is around it', () => {
  const random = seeded(7);
  const cases: Case[] = [];
  for (let left = 300; left > 0; left--) {
    const word = random.chance(0.4) ? '{}' : `${random.pick(BEFORE)}{}${random.pick(BEHIND)}`;
    const tests = random.pick(['', '-type f', '-name "*.ts"', '-type l', '-maxdepth 2', '-type f -o -type l', '-L']);
    const start = `${tests === '-L' ? '-L ' : ''}${random.pick(STARTS)} ${tests === '-L' ? '-type f' : tests}`;
    const find = (command: string) => `find ${start} -exec ${command} ${word} \\;`;
    const requiredPermissions = requiredPermissionsOf(find('tee --'));
    // find(1) cannot resolve a loop of links: its messages about loops do not count.
    if (requiredPermissions !== null)
      cases.push({ line: find('tee --'), demands: requiredPermissions, script: `${find(PRINT)} 2>/dev/null` });
  }
  const tally = compare(cases, 'write');
  expect(tally.wrong).toEqual([]);
  expect(tally.claims).toBeGreaterThan(1000);
});

it('the required permissions contain what xargs puts into a word, whatever its -I mark is', () => {
  const random = seeded(8);
  const cases: Case[] = [];
  for (let left = 600; left > 0; left--) {
    const mark = random.pick(['{}', '%', '*', '?', '[a]', '{a,b}', 'X']);
    const word = random.pick(BEFORE) + mark + random.pick(BEHIND);
    const input = random.pick(['../../x', '/etc/passwd', 'a', '.git/config', 'lnk/secret', '../.envrc']);
    const xargs = (command: string) => `echo '${input}' | xargs -I'${mark}' ${command} '${word}'`;
    const requiredPermissions = requiredPermissionsOf(xargs('tee --'));
    if (requiredPermissions !== null)
      cases.push({ line: xargs('tee --'), demands: requiredPermissions, script: xargs(PRINT) });
  }
  const tally = compare(cases, 'write');
  expect(tally.wrong).toEqual([]);
  expect(tally.claims).toBeGreaterThan(500);
});
