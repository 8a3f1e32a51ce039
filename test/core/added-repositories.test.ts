/** Which git commands may make git follow another repository, and are then for exact approvals only. */
import { expect, it } from 'vitest';
import { REPOSITORY_SENTENCE } from '../../src/core/effects/added-repositories.ts';
import { proposeScopes } from '../../src/core/scope/propose.ts';
import { APP, assess, HOME, requestOf, type World, world } from './scope-fixture.ts';

const adding: World = { ...world, addsRepository: true };
const place = { cwd: APP, repository: APP, home: HOME, confinementLevel: 3 } as const;
const namesRepository = (text: string, where: World) =>
  JSON.stringify(assess(text, where)).includes(REPOSITORY_SENTENCE);
const isOffered = (text: string, where: World) =>
  proposeScopes({ request: requestOf(text, where), assessment: assess(text, where) }, place).some(
    ({ scope }) => scope !== null,
  );

it.each([
  'git add -A',
  'git add .',
  'git add src',
  'git stage src',
  "git add 'ev*'",
  'git add -u',
  'git commit -am x',
  'git commit -m x README',
  'git commit -i README -m x',
  'git commit -o README -m x',
  'git reset -q HEAD~1',
])('%s gets no scope if it may add a repository, and the reason says so', (text) => {
  expect([namesRepository(text, world), namesRepository(text, adding)]).toEqual([false, true]);
  expect([isOffered(text, world), isOffered(text, adding)]).toEqual([true, false]);
});

it.each(['git commit -m x', 'git status', 'git rm --cached a', 'git branch x', 'git fetch origin', 'git tag v1'])(
  '%s adds no repository',
  (text) => {
    expect(namesRepository(text, adding)).toBe(false);
  },
);
