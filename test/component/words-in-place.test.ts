/** How a host and the rule files read words, trees and links in a real directory before a scope is compared. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'unbash';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assessLine, type RequiredPermission } from '../../src/core/effects/assess-line.ts';
import { assessByHostFacts } from '../../src/core/effects/assess-request.ts';
import { recordLookups } from '../../src/core/effects/host-facts.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import { commandsIn } from '../../src/core/reading/commands-in.ts';
import { parseLine } from '../../src/core/reading/parse-line.ts';
import { dangerOfResource, dangerOfTree } from '../../src/core/sensitive/dangerous-resource.ts';
import { lookupsOf } from '../../src/gate/facts/look-up.ts';
import { allRules } from '../core/rule-effects.ts';
import { makeWordTree, type WordTree } from '../fuzz/word-tree.ts';

let tree: WordTree;
beforeAll(() => {
  tree = makeWordTree();
  const at = (name: string) => join(tree.directory, name);
  for (const name of ['bare/objects', 'bare/refs', 'pointed', 'plain', 'd', 'procs', '.git/objects', '.git/refs'])
    mkdirSync(at(name), { recursive: true });
  for (const name of ['bare/HEAD', 'pointed/HEAD', 'pointed/commondir', 'plain/x', 'plain/y'])
    writeFileSync(at(name), 'x\n');
  writeFileSync(at('.git/HEAD'), 'ref: refs/heads/main\n');
  chmodSync(at('plain'), 0o755);
  symlinkSync('/proc/self/cwd', at('procs/here'));
  symlinkSync('../plain/x', at('.git/linked'));
});
afterAll(() => tree.remove());

const assessed = (line: string, entries: ReadonlyMap<string, string> = tree.environment) =>
  assessLine(commandsIn(parseLine(line, parse), parse), 'agrees', {
    cwd: tree.directory,
    variables: new Set(['SECRET_TOKEN']),
    rules: allRules,
    lookups: lookupsOf({ cwd: tree.directory, entries }),
  });

/** Whether an everyday scope covers the line: a scope for everything below the project, without sensitive paths and variables. */
function isEveryday(line: string, entries?: ReadonlyMap<string, string>): boolean {
  const { requiredPermissions } = assessed(line, entries);
  return requiredPermissions?.every(isWithin) === true;
}
const isWithin = ({ permission }: RequiredPermission): boolean =>
  dangerOfTree(permission) === null &&
  permission.resources.every(
    (each) =>
      (each.kind === 'path' || (each.kind === 'variable' && each.access === 'write') || each.kind === 'ref') &&
      (each.kind !== 'path' ||
        each.access === 'execute' ||
        each.value === tree.directory ||
        each.value.startsWith(`${tree.directory}/`)) &&
      dangerOfResource(each, [tree.home]) === null,
  );

describe('an everyday scope covers', () => {
  it.each([
    'cat plain/*',
    'basename -a plain/*',
    'for f in plain/*; do x=$f; done; echo "$x"',
    'cat /dev/stdin; echo x > /dev/stderr',
    'echo y | tee /dev/stdout',
    'echo y | tee -a /dev/stderr plain/x',
    'sort plain/x -o /dev/stdout',
    'cat ./?.md',
    'cat inner*',
    'cd plain && wc -l *',
    'cat src/{a.ts,b.md}',
    'for f in plain/*; do head "$f"; done',
    'find plain -exec cat {} +',
    'find . -type f -exec wc -l {} +',
    'find plain d -name "*.o" -exec rm {} +',
    'echo *.ts; [ -f src/a.ts ]; echo $?',
    'cp plain/x d && cat d/x',
    'cp -r plain d',
    'mv plain/x d && cat d/x',
    'mkdir -p n/m && echo x > n/m/f && cat n/m/f',
    'sed -i s/x/x/ plain/* && cat plain/x',
    'git checkout -b new',
    'git switch -c new',
    'git status',
    'cd src && git status',
    'ln -s b.md l2',
    'x=1; echo "$x"',
  ])('the line %s', (line) => {
    expect(isEveryday(line), JSON.stringify(assessed(line).opaque)).toBe(true);
  });
});

describe('an everyday scope does not cover', () => {
  it.each([
    'mv plain/x /dev/stdout', // mv would replace the link
    'mv plain/x /dev/null', // mv would replace the device
    'ln -f plain/x /dev/stderr',
    'sed -i s/x/y/ /dev/stdout',
    'tee /dev/fd/1',
    'cat away*',
    'cat -- *',
    'cat src/a/*/secret',
    'ls *',
    'wc -l -- .*',
    'cat -- -x* ~root/*',
    'cat ~+/../../out/secret',
    'tee .gi?/config',
    'tee {.envrc,y}',
    'tee ./{.en,x}vrc',
    'for f in .gi?/config; do tee "$f"; done',
    'for f in *; do cat -- "$f"; done',
    'find . -exec cat {} +',
    'find a -type l -exec cat {} +',
    'find . -type f -o -type l -exec cat {} +',
    'find .. -type f -exec cat {} +',
    'find . -type f -exec tee .{} \\;',
    'find . -type f -name config -exec tee {} \\;',
    'find plain -exec tee {}/.git/config \\;',
    'find . -maxdepth 1 -type f -exec tee {}rc \\;',
    'find . -type f -exec tee {}/../../../x \\;',
    'find . -exec echo -type f \\; -exec cat {} +',
    'find -L . -type f -exec cat {} +',
    'find plain -ex"$X" rm {} \\; -exec echo {} \\;',
    'env -C plain cat x *',
    'git -C plain add *',
    'echo x > plain/-o && cd plain && sort *',
    'cp -r plain new2 && cd new2 && sort *',
    'cat $(echo x)',
    'echo "$SECRET_TOKEN"',
    'y=$SECRET_TOKEN',
    'cat <<< "$SECRET_TOKEN"',
    'echo $y/*',
    '[ -f /etc/shadow ]',
    'echo ../*',
    'basename -a ../*',
    'basename -a $y',
    'for f in ../*; do x=$f; done; echo "$x"',
    'cat /proc/self/cwd/plain/x',
    'cat /proc/self/root/etc/hostname',
    'bzip2 /proc/self/cwd/../x',
    'tee procs/here/x',
    'sed -i s/a/b/ .git/linked',
    'cat procs/*/x',
    'cat /dev/fd/3',
    'cat /dev/stdout',
    'git -C bare status',
    'cd bare && git log',
    'cd bare/refs && git log',
    'git -C pointed status',
    'mkdir -p n/objects n/refs && touch n/HEAD && git -C n status',
    'ln -s b.md d/z && cat d/z',
    'ln -s b.md d/z | cat d/z',
    'mv a/b/c/deep d && cat d/deep',
    'cp -a src d && cat d/src/in/x',
    'cd a/b/c && ln -s ../../out ../../../z',
    'cp b.md a.md up/up/../..',
    'cp plain/x a/b/c/deep',
    'cp -t a/b/c deep',
    'cp -r plain a',
    'cp -r tmpl d',
    'cp -r tmpl/. .',
    'cp -r tmpl/.cl* d',
    'mv tmpl d',
    'chmod -R u+w .',
    'git checkout main',
    'git checkout -b new main',
    'git checkout -f -b new',
    'git pull',
    'git stash pop',
    'git stash',
    'git reset --hard',
    'git restore .',
    'git apply x.patch',
    'git merge x',
  ])('the line %s', (line) => {
    expect(isEveryday(line)).toBe(false);
  });
});

it('shell options that change what a pattern matches make the matches unknown', () => {
  expect(isEveryday('cat plain/*')).toBe(true);
  for (const [name, value] of [
    ['GLOBIGNORE', 'x'],
    ['BASHOPTS', 'a:dotglob'],
    ['BASHOPTS', 'nocaseglob'],
    ['BASHOPTS', 'b:globstar:c'],
  ] as const)
    expect(isEveryday('cat plain/*', new Map([...tree.environment, [name, value]])), value).toBe(false);
  expect(isEveryday('cat plain/*', new Map([...tree.environment, ['BASHOPTS', 'extglob:nullglob']]))).toBe(true);
});

it('a server with the host facts makes the same assessment, and without one of them it makes none', () => {
  const line = 'cat plain/* && cp -r plain d && git status';
  const request: ExecutionRequest = {
    kind: 'command',
    text: line,
    argv: ['-c', line],
    cwd: tree.directory,
    host: 'h',
    user: 'u',
    environment: [],
  };
  const { lookups, recordedFacts } = recordLookups(lookupsOf({ cwd: tree.directory, entries: tree.environment }));
  const here = assessLine(commandsIn(parseLine(line, parse), parse), 'agrees', {
    cwd: tree.directory,
    rules: allRules,
    lookups,
  });
  const hostFacts = recordedFacts('agrees', 0);
  if (hostFacts === null) throw new Error('too much to send');
  const there = (found: typeof hostFacts) => assessByHostFacts(request, found, { rules: allRules, parse });
  expect(there(JSON.parse(JSON.stringify(hostFacts)) as typeof hostFacts).requiredPermissions).toEqual(
    here.requiredPermissions,
  );
  for (const part of ['matches', 'hidden', 'bare', 'linksOut'] as const) {
    expect(hostFacts[part].length, part).toBeGreaterThan(0);
    expect(there({ ...hostFacts, [part]: [] }), part).toMatchObject({ isComplete: false, requiredPermissions: null });
  }
});
