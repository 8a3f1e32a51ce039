/** The built-in rule files are proven by their examples. A broken rule file is refused with the position of the fault. */
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { textualContext } from '../../src/core/effects/command-context.ts';
import { neededLoginFiles } from '../../src/core/effects/login-sentence.ts';
import { readRule, toolsOf } from '../../src/core/rules/read-rule.ts';
import type { CommandRule } from '../../src/core/rules/rule.ts';
import { readRuleFile } from '../../src/core/rules/rule-file.ts';
import { allRules, commandsOf, effectsOfLine, here, RULE_FILES, ruleText } from './rule-effects.ts';

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

describe('Every built-in rule file', () => {
  it('exists: there are at least 60', () => {
    expect(RULE_FILES.length).toBeGreaterThanOrEqual(60);
  });

  it.each(RULE_FILES)('%s is proven by its own examples', (name) => {
    const read = readRuleFile(ruleText(name), name, parseToml, commandsOf);
    expect(read.ok ? null : read.failure.message).toBe(null);
  });

  it('names a tool that no other file names', () => {
    const names = RULE_FILES.flatMap((file) => {
      const rule = readRuleFile(ruleText(file), file, parseToml, commandsOf);
      return rule.ok ? toolsOf(rule.value).flatMap(({ names: each }) => each) : [];
    });
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe('A broken rule file is refused with file, line and column', () => {
  it('a valid file is not refused', () => {
    expect(message(GOOD)).toBe('is fine');
  });

  it.each([
    ['a letter', '-p==', '-p a b c', '-vp a b'],
    ['a letter of a bundle in the old style', '-p==', 'vp a b c', 'pz'],
    ['one dash and several letters', '-pair==', '-pair a b c', '-pair a'],
    ['all words, after several letters', '-rest=*', '-rest a b', '-rest'],
  ])('an option takes its words also if its name is %s', (_title, option, fitting, unfit) => {
    const isOld = !fitting.startsWith('-');
    const reads = option.includes('*') ? '' : ', read c';
    const text = GOOD.replace('"-v --verbose"', `"-v --verbose", "${option}"`)
      .replace('x -v a => x: low, read a', `x ${fitting} => x: low${reads}`)
      .replace('x -w a => do not know', `x ${unfit}`);
    expect(message(isOld ? `old_style = true\n${text}` : text)).toBe('is fine');
    if (!isOld && !option.includes('*')) expect(message(`style = "single"\n${text}`)).toBe('is fine');
  });

  it.each([
    [
      'an example that does not hold',
      GOOD.replace('low, read a', 'high, read a'),
      'x.toml:5:10: "x -v a" is x: low, read /home/u/w/a',
    ],
    ['an example with another path', GOOD.replace('read a"]', 'read b"]'), 'x.toml:5:10: "x -v a" is x: low'],
    ['an example with one resource too few', GOOD.replace(', read a"]', '"]'), 'x.toml:5:10: "x -v a" is x: low'],
    [
      'an example that should be opaque and is not',
      GOOD.replace('x -w a', 'x -v a'),
      'x.toml:6:14: "x -v a" must be opaque',
    ],
    ['an example that is opaque for another reason', GOOD.replace('=> do not', '=> did not'), 'x.toml:6:14:'],
    ['no example', GOOD.replace(/match = .*\n/, ''), 'x.toml:1:1: match is not a list with examples'],
    ['not TOML', 'tool = "x"\ndoes = \n', 'x.toml:2:'],
    ['an unknown key', GOOD.replace('does', 'dose'), 'x.toml:2:1: unknown key dose'],
    [
      'an unknown kind of word',
      GOOD.replace('read path*', 'read pathe*'),
      'x.toml:3:13: "read pathe*" does not say what a word of the command means',
    ],
    ['a malformed option', GOOD.replace('-v --verbose', 'v'), 'x.toml:4:12: "v" is no option'],
    ['an option twice', GOOD.replace('"-v --verbose"', '"-v", "-v"'), 'x.toml:4:18: the option -v appears twice'],
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
    [
      'an option that takes a value under only one of its names',
      GOOD.replace('-v --verbose', '-v --verbose='),
      'x.toml:4:12: "-v --verbose=" takes a value under one name and no value under another name',
    ],
    [
      'an operation that two verbs would share',
      `${GOOD}[[command]]\nname = ["a", "b"]\neffects = [{ option = "-q", operation = "quiet" }]\n`,
      'x.toml:7:1: the operation "quiet" of -q must begin with "a "',
    ],
    [
      'an alias of a missing name',
      `${GOOD}[[command]]\nname = "a"\naliases = { c = "b" }\n`,
      'x.toml:9:13: write one of the names here: a',
    ],
    ['a name twice', `names = ["x", "y"]\nalso = ["y"]\n${GOOD}`, 'x.toml:2:1: "y" appears twice'],
    ['an unknown group', `${GOOD}[[command]]\nname = "a"\ngroups = ["g"]\n`, 'x.toml:9:11: there is no group "g"'],
  ])('if it has this fault: %s', (_title, text, expected) => {
    expect(message(text).startsWith(expected) ? expected : message(text)).toBe(expected);
  });

  it('is refused in one line', () => {
    expect(message(GOOD.replace('does', 'dose'))).not.toContain('\n');
  });
});

describe('An operation is the verb that was typed', () => {
  const operationOf = (line: string): string => {
    const effects = effectsOfLine(line);
    return effects.kind === 'understood' ? effects.permission.operation : `opaque: ${effects.reason}`;
  };

  /** Returns every verb of a file, with the parent's verb in front: `docker compose up`. */
  const verbsOf = (command: CommandRule): readonly CommandRule[] =>
    Object.values(command.commands).flatMap((each) => [each, ...verbsOf(each)]);

  it.each([
    ['gh pr comment 12 -b x', 'gh pr merge 12 -b x'],
    ['gh issue comment 5 -b x', 'gh issue close 5 -b x'],
    ['npm test', 'npm start'],
    ['git stash drop', 'git stash clear'],
    ['docker logs web', 'docker top web'],
    ['systemctl start a', 'systemctl stop a'],
    ['systemctl enable a', 'systemctl mask a'],
    ['docker start a', 'docker kill a'],
    ['docker compose stop', 'docker compose down'],
    ['apt remove a', 'apt purge a'],
    ['git remote show a', 'git remote prune a'],
    ['kubectl apply -f a', 'kubectl replace -f a'],
    ['chgrp g a', 'chown g a'],
    ['podman ps', 'docker ps'],
    ['gunzip a', 'gzip a'],
  ])('%s is another operation than %s', (mild, severe) => {
    expect(mild.startsWith(`${operationOf(mild)} `) || mild === operationOf(mild)).toBe(true);
    expect(operationOf(severe)).not.toBe(operationOf(mild));
  });

  it.each([
    ['npm i x', 'npm install'],
    ['npm t', 'npm test'],
    ['git remote rm x', 'git remote remove'],
    ['python3.11 a.py', 'python'],
    ['apt-get install x', 'apt install'],
  ])('%s is another spelling of %s, so that a rule that forbids one also forbids the other', (line, operation) => {
    expect(operationOf(line)).toBe(operation);
  });

  it('no two sub-commands of a tool are the same operation, except aliases that the file declares', () => {
    for (const file of RULE_FILES) {
      const table = parseToml(ruleText(file)) as { command?: { name: string | string[]; aliases?: object }[] };
      const rule = readRule(parseToml(ruleText(file)));
      if (!rule.ok) throw new Error(rule.failure.message);
      for (const { tool, root } of toolsOf(rule.value)) {
        const found = verbsOf(root).map(({ operation }) => operation);
        const names = (table.command ?? []).flatMap(({ name }) => name);
        const aliases = (table.command ?? []).flatMap(({ aliases: each }) => Object.keys(each ?? {}));
        expect([...new Set(found)].sort()).toEqual(names.map((name) => `${tool} ${name}`).sort());
        expect(found).toHaveLength(names.length + aliases.length);
      }
    }
  });
});

describe('Commands that do not have low risk', () => {
  const riskOf = (line: string): string => {
    const effects = effectsOfLine(line);
    return effects.kind === 'understood' ? effects.permission.risk : 'opaque';
  };

  it.each([
    'echo x > a',
    ': > package.json',
    'git status > a',
    'uniq a b',
    'cat a 2>> b',
    'docker ps',
    'kubectl version',
    'npm outdated',
  ])('%s changes a file, or contacts a host', (line) => {
    expect(riskOf(line)).toBe('medium');
  });

  it('a command that writes has medium risk, even if its rule file says low', () => {
    const rule = read(GOOD.replace('read path*', 'write path*').replace('low, read a', 'medium, write a'));
    expect(rule).toMatchObject({ ok: true });
  });

  it('deleting a whole home directory is critical, wherever the directory is', () => {
    for (const home of ['/srv/people/ada', '/var/lib/agent', '/home/u']) {
      const place = textualContext(allRules, `${home}/w`, home);
      for (const line of ['rm -rf ~', `rm -rf ${home}`, 'rm -rf ..', `rm -rf ${home.slice(0, home.lastIndexOf('/'))}`])
        expect([line, effectsOfLine(line, place)]).toMatchObject([line, { permission: { risk: 'critical' } }]);
      expect(effectsOfLine('rm -rf ~/w', place)).toMatchObject({ permission: { risk: 'high' } });
    }
  });
});

describe('A program that is read from the input cannot be named by a pattern', () => {
  it.each([
    'python3 -',
    'python3 -u - a b',
    'node -',
    'make -f -',
    'make --file=-',
    'rustc -',
    'docker build -',
    'docker build -f - .',
    'docker compose -f - up',
    'python3 /dev/stdin',
    'python3 /dev/fd/0',
    'node /proc/self/fd/0',
    'python3 ../../../dev/stdin',
    'bash /dev/stdin',
    'make -f /dev//stdin',
  ])('%s <<< x is opaque', (line) => {
    expect(effectsOfLine(`${line} <<< x`)).toMatchObject({
      kind: 'opaque',
      reason: expect.stringContaining('which is not a regular file'),
    });
  });

  it('a link to the input is opaque too', () => {
    const place = { ...here, resolvePath: (path: string) => (path.endsWith('/x.py') ? '/proc/7/fd/0' : path) };
    expect(effectsOfLine('python3 x.py', place)).toMatchObject({ kind: 'opaque' });
    expect(effectsOfLine('python3 y.py', place)).toMatchObject({ kind: 'understood' });
  });
});

it.each(['kubectl', 'helm', 'gcloud'])('the title of a scope names the login of the rule as what %s reads', (tool) => {
  const permission = { tool, operation: tool, options: [], resources: [], risk: 'low' as const, sentence: '' };
  expect(neededLoginFiles(permission)).toEqual([allRules.find(tool)?.login]);
});
