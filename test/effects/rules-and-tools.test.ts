/** Compares the rule files of tools that every system has with these tools: which words each option takes. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { readRule } from '../../src/core/rules/read-rule.ts';
import type { ToolRule } from '../../src/core/rules/rule.ts';
import { ruleText } from '../core/rule-effects.ts';
import { checkTool } from '../rules-truth/check-tool.ts';
import { programAt } from '../rules-truth/complaint.ts';

const place = mkdtempSync(join(tmpdir(), 'ape-rules-'));
beforeAll(() => {
  writeFileSync(join(place, 'a'), 'a\n');
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@x', ...words], { cwd: place, stdio: 'ignore' });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
});
afterAll(() => removeDirectory(place));

function ruleOf(file: string, change: (text: string) => string = (text) => text): ToolRule {
  const rule = readRule(parseToml(change(ruleText(file))));
  if (!rule.ok) throw new Error(rule.failure.message);
  return rule.value;
}

const faultsOf = (
  file: string,
  program: string,
  change?: (text: string) => string,
  only: string | null = null,
): readonly string[] => checkTool(ruleOf(file, change), programAt(program, program, place), 'first', only).faults;

/** The rules describe the GNU tools. Other systems have other tools with the same names. */
const GNU =
  'cat chmod comm cp cut df diff du find grep gzip head ls mkdir mv nl paste rm sed sort stat tac tail tar tee uniq wc'
    .split(' ')
    .filter((name) => /GNU|Free Software/.test(spawnSync(name, ['--version'], { encoding: 'utf8' }).stdout ?? ''));

describe('what a rule says of an option is what the program does', () => {
  it('is compared on this system, because its tools are the GNU tools', () => {
    if (process.platform === 'linux') expect(GNU.length).toBeGreaterThanOrEqual(26);
  });

  it.each(GNU)('for %s', (name) => {
    expect(faultsOf(`${name}.toml`, name)).toEqual([]);
  });

  it('for git', () => {
    expect(faultsOf('git.toml', 'git')).toEqual([]);
  });
});

describe('a wrong rule is found', () => {
  it('in the rule for grep: a value that grep takes and that the rule leaves out', () => {
    const change = (text: string) => text.replace('"--label="', '"--label"');
    expect(faultsOf('grep.toml', 'grep', change)).toContain('grep --label takes the next word, and is not said to');
  });

  const wrong: readonly (readonly [string, string, (text: string) => string, string])[] = [
    [
      'a value that is only taken from the same word',
      'log',
      (text) => text.replace('"-U[=] --unified[=]"', '"-U= --unified="'),
      'git log -U does not take the next word, and is said to',
    ],
    [
      'options that end at the first operand',
      'config',
      (text) => text.replace('does = "Shows a setting."\noptions_first = true', 'does = "Shows a setting."'),
      'git config: ends its options at the first operand, and is not said to',
    ],
    [
      'options behind --',
      'pull',
      (text) => text.replace('name = "pull"\npasses_dashes = true', 'name = "pull"'),
      'git pull: reads options behind --, and is said not to',
    ],
  ];
  it.each(wrong)('in the rule for git: %s', (_what, only, change, fault) => {
    expect(faultsOf('git.toml', 'git', undefined, only)).toEqual([]);
    expect(faultsOf('git.toml', 'git', change, only)).toContain(fault);
  });

  it.each([
    [
      'a value that it does not take',
      '"-u --unique"',
      '"-u= --unique="',
      'sort -u does not take the next word, and is said to',
    ],
    [
      'options first',
      'operands = ["read path*"]',
      'options_first = true\noperands = ["read path*"]',
      'sort: reads options behind an operand, and is said not to',
    ],
  ])('in the rule for sort: %s', (_what, from, to, fault) => {
    expect(faultsOf('sort.toml', 'sort', (text) => text.replace(from, to))).toContain(fault);
  });
});
