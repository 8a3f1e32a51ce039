import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { readRuleFile } from '../../src/core/permission/rule-file.ts';
import { commandsOf, RULE_FILES, ruleText } from './rules-judging.ts';

const read = (text: string) => readRuleFile(text, 'x.toml', parseToml, commandsOf);
const message = (text: string): string => {
  const result = read(text);
  return result.ok ? 'is fine' : result.failure.message;
};

const GOOD = `tool = "x"
does = "Does."
operands = ["read path*"]
options = ["-v --verbose"]
match = ["x -v a => x: low, read a"]
not_match = ["x -w a => do not know"]
`;

describe('Every rule file that we bring', () => {
  it('is there: at least 60 of them', () => {
    expect(RULE_FILES.length).toBeGreaterThanOrEqual(60);
  });

  it.each(RULE_FILES)('%s is proven by its own examples', (name) => {
    expect(readRuleFile(ruleText(name), name, parseToml, commandsOf)).toMatchObject({ ok: true });
  });

  it('names a tool that no other file names', () => {
    const names = RULE_FILES.flatMap((file) => {
      const rule = readRuleFile(ruleText(file), file, parseToml, commandsOf);
      return rule.ok ? rule.value.names : [];
    });
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe('A broken rule file is refused with file, line and column', () => {
  it('when it is fine it is not refused', () => {
    expect(message(GOOD)).toBe('is fine');
  });

  it.each([
    [
      'an example that does not hold',
      GOOD.replace('low, read a', 'high, read a'),
      'x.toml:5:10: "x -v a" is x: low, read /home/u/w/a',
    ],
    ['an example with another path', GOOD.replace('read a"]', 'read b"]'), 'x.toml:5:10: "x -v a" is x: low'],
    ['an example with a resource too few', GOOD.replace(', read a"]', '"]'), 'x.toml:5:10: "x -v a" is x: low'],
    [
      'an example that should be opaque and is not',
      GOOD.replace('x -w a', 'x -v a'),
      'x.toml:6:14: "x -v a" must be opaque',
    ],
    ['an example that is opaque for another reason', GOOD.replace('=> do not', '=> did not'), 'x.toml:6:14:'],
    ['no example', GOOD.replace(/match = .*\n/, ''), 'x.toml:1:1: match is missing'],
    ['not TOML', 'tool = "x"\ndoes = \n', 'x.toml:2:'],
    ['an unknown key', GOOD.replace('does', 'dose'), 'x.toml:2:1: unknown key dose'],
    ['an unknown kind of word', GOOD.replace('read path*', 'read pathe*'), 'x.toml:3:13: "read pathe*" is no word'],
    ['an option that is none', GOOD.replace('-v --verbose', 'v'), 'x.toml:4:12: "v" is no option'],
    ['an option twice', GOOD.replace('"-v --verbose"', '"-v", "-v"'), 'x.toml:4:18: the option -v is there twice'],
    ['an unknown risk', `risk = "none"\n${GOOD}`, 'x.toml:1:1: write one of low'],
    [
      'a broken effect',
      `effects = [\n  { option = "-a" },\n  { option = "-o=", rsk = "low" },\n]\n${GOOD}`,
      'x.toml:3:21: unknown key rsk',
    ],
    [
      'a broken sub-command',
      `${GOOD}[[command]]\nname = "a"\n[[command]]\nname = "b"\nrisk = "hi"\n`,
      'x.toml:11:1: write one of low',
    ],
    ['an unknown group', `${GOOD}[[command]]\nname = "a"\ngroups = ["g"]\n`, 'x.toml:9:11: there is no group "g"'],
  ])('%s', (_title, text, expected) => {
    expect(message(text).startsWith(expected) ? expected : message(text)).toBe(expected);
  });

  it('says it in one line', () => {
    expect(message(GOOD.replace('does', 'dose'))).not.toContain('\n');
  });
});
