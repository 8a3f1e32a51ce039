/** Settings of git that only the host sees change the refs and hosts of a command. */

import { parse } from 'unbash';
import { expect, it } from 'vitest';
import { type CommandContext, type HookKind, textualContext } from '../../src/core/effects/command-context.ts';
import { effectsOfSimple } from '../../src/core/effects/effects-of-simple.ts';
import { parseLine } from '../../src/core/reading/parse-line.ts';
import { allRules } from './rule-effects.ts';

function permissionOf(text: string, kinds: readonly HookKind[], cwd: string | null = '/proj') {
  const context: CommandContext = {
    ...textualContext(allRules, cwd, '/home/u'),
    hasHooks: (_, kind) => kinds.includes(kind),
  };
  const [command] = parseLine(text, parse).commands;
  if (command === undefined) throw new Error(text);
  const found = effectsOfSimple(command, context);
  if (found.kind === 'opaque') throw new Error(found.reason);
  return found.permission;
}

const effects = (text: string, kinds: readonly HookKind[], cwd?: string | null): readonly string[] =>
  permissionOf(text, kinds, cwd).resources.map(
    ({ access, kind, value, isExact }) => `${access} ${kind} ${value}${isExact ? '' : '…'}`,
  );

const ANY = ['delete ref …', 'write ref …'];
const CONFIG = 'write path /proj/.git/config';

it.each([
  'git push origin x',
  'git push origin a:b',
  'git push -u origin x',
  'git fetch',
  'git fetch origin x',
  'git pull',
  'git remote update',
])('%s may write and delete any ref with settings that choose refs', (text) => {
  expect(effects(text, ['refspec'])).toEqual(expect.arrayContaining(ANY));
  expect(effects(text, [])).not.toContain('delete ref …');
});

it('git push without a ref may write .git/config with a setting that does so', () => {
  expect(effects('git push', ['upstream'])).toContain(CONFIG);
  expect(effects('git push origin', ['upstream'])).toContain(CONFIG);
  expect(effects('git push', [])).not.toContain(CONFIG);
  expect(effects('git push origin x', ['upstream'])).not.toContain(CONFIG);
});

it.each([
  'git clone https://a.com/x',
  'git push ssh://u@a.com/x main',
  'git fetch u@a.com:x',
  'git ls-remote https://a.com/x',
])('%s may contact any host with settings that replace URLs', (text) => {
  expect(effects(text, ['url'])).toContain('contact host …');
  expect(effects(text, [])).not.toContain('contact host …');
});

it('the settings of an unknown directory may be any settings, and other commands do not depend on these settings', () => {
  expect(effects('git push origin x', [], null)).toEqual(expect.arrayContaining(ANY));
  for (const text of ['git status', 'git branch x', 'git push -d origin x'])
    expect(effects(text, ['refspec', 'upstream', 'url'])).toEqual(effects(text, []));
});

it.each([
  'log',
  'show HEAD',
  'archive HEAD',
  'commit -m x',
  'commit --amend',
  'tag v1',
  'merge x',
  'rebase x',
  'cherry-pick x',
  'revert x',
  'push origin x',
])('the card of git %s says that settings may make git run the program for signatures', (words) => {
  expect(permissionOf(`git ${words}`, []).sentence).toMatch(/signature/);
});

it('the card of git pull says that the settings may make it rebase', () => {
  expect(permissionOf('git pull', []).sentence).toMatch(/rebases if the settings say so/);
});

const HOME_PROJECT = '/home/u/proj';

it.each(['git tag', "git tag -l 'v*'", 'git branch', 'git branch --list'])(
  '%s has a medium risk if the settings sort by signatures',
  (text) => {
    expect(permissionOf(text, [], HOME_PROJECT).risk).toBe('low');
    const sorted = permissionOf(text, ['sort'], HOME_PROJECT);
    expect([sorted.risk, sorted.sentence]).toEqual([
      'medium',
      expect.stringMatching(/program that the settings name for signatures/),
    ]);
    expect(permissionOf(text, [], null).risk).toBe('medium');
  },
);

const NAMES_EDITOR = /settings file of the repository names which program/;

it.each([
  'git commit',
  'git commit --amend',
  'git commit -m x -e',
  'git tag -a v1',
  'git merge x',
  'git pull',
  'git revert -m 1 x',
  'git cherry-pick --continue',
  'git rebase x',
])('the card of %s says that the repository names the editor', (text) => {
  expect(permissionOf(text, ['editor'], HOME_PROJECT).sentence).toMatch(NAMES_EDITOR);
  expect(permissionOf(text, ['editor'], HOME_PROJECT).risk).toBe('high');
  expect(permissionOf(text, [], HOME_PROJECT).sentence).not.toMatch(NAMES_EDITOR);
  expect(permissionOf(text, [], HOME_PROJECT).sentence).toMatch(/editor of the environment or the settings/);
});

it.each([
  'git commit -m x',
  'git commit --amend --no-edit',
  'git tag -a v1 -m x',
  'git merge --no-edit x',
  'git revert --no-edit x',
  'git status',
])('%s opens no editor', (text) =>
  expect(permissionOf(text, ['editor'], HOME_PROJECT).sentence).not.toMatch(NAMES_EDITOR),
);
