/** Code that a line runs gets nothing from the other commands of the line, and cannot write in `.git`. */
import { describe, expect, it } from 'vitest';
import { confineExact } from '../../src/core/scope/confine-exact.ts';
import { type Candidate, coverLine } from '../../src/core/scope/cover-line.ts';
import { uncoveredTexts } from '../../src/core/scope/miss-text.ts';
import { proposeScopes } from '../../src/core/scope/propose.ts';
import {
  APP,
  assess,
  factsIn,
  HOME,
  NOON,
  requestOf,
  requiredPermissionsOf,
  type World,
  world,
} from './scope-fixture.ts';

const LEVEL = 3;
const place = { cwd: APP, repository: APP, home: HOME, confinementLevel: LEVEL } as const;
const hooked: World = { ...world, hasHooks: true };
/** A world with a repository that code of the project may have made. */
const nested: World = { ...world, inner: `${APP}/nest` };
const recordHooked: World = { ...world, hasHooks: 'record' };
const offered = (text: string, where = world) =>
  proposeScopes({ request: requestOf(text, where), assessment: assess(text, where) }, place);

/** Makes a grant of each of the scopes that are offered for these lines. */
const grantsFor = (...lines: readonly string[]): readonly Candidate[] =>
  lines.flatMap((text) => {
    const scope = offered(text).find(({ id }) => id === 'operation')?.scope;
    if (scope === undefined || scope === null || scope.kind !== 'commands') throw new Error(`nothing for ${text}`);
    return [{ grantId: `g_${text}`, scope }];
  });
const GRANTS = grantsFor(
  'make',
  'npm test',
  'npm install',
  'git add -A',
  'git commit -m x',
  'git fetch origin',
  'git status',
  'git log -- src',
  'git diff --output=src/x',
  'curl https://example.com/x',
  'touch /home/u/notes/x',
  'touch src/x',
  'cat src/x',
);
const coverage = (text: string, where = nested) =>
  coverLine(requiredPermissionsOf(text, where), GRANTS, factsIn(where, NOON, LEVEL));

describe('a line that runs code', () => {
  it.each([
    'curl https://example.com/x; make',
    'make && git add -A',
    'npm test && git commit -m x',
    'git fetch origin && make',
    'make; touch /home/u/notes/x',
    'make | cat; curl https://example.com/x',
    'npm install && git add -A',
    'make & git commit -m x',
    'git -C nest status; curl https://example.com/x',
    'git -C nest status ..; curl https://example.com/x',
    'git -C nest status /home/u/app; curl https://example.com/x',
    'git -C nest log -- ..; curl https://example.com/x',
    'git -C nest diff --output=/home/u/app/src/x; curl https://example.com/x',
    'cd nest && git status .. && curl https://example.com/x',
    'env -C nest git status ..; curl https://example.com/x',
    'git add -A; git -C nest status',
    'git add -A; git -C nest status ..',
    'cd nest && git status && git -C .. add -A',
  ])('is not covered if another command of the line may do more: %s', (text) => {
    const found = coverage(text);
    expect(found.kind).toBe('uncovered');
    if (found.kind === 'uncovered')
      expect(uncoveredTexts(found)).toEqual([expect.stringContaining('ask for each command by itself')]);
    expect(offered(text, nested).map(({ id }) => id)).toEqual(['exact']);
  });

  it.each([
    'make',
    'make && npm test',
    'npm install && npm test',
    'make && touch src/x',
    'cat src/x && make',
    'cd src && make',
    'git add -A && git commit -m x',
    'curl https://example.com/x && git add -A',
    'git status; curl https://example.com/x',
    'git status src; curl https://example.com/x',
    'git status nest; curl https://example.com/x',
    'git add src && curl https://example.com/x',
    'git -C src status; curl https://example.com/x',
    'cd src && git status && git add -A',
    'git -C nest status',
  ])('is covered if no other command of the line may do more: %s', (text) => {
    expect([text, coverage(text).kind]).toEqual([text, 'covered']);
  });
});

describe('a repository with git hooks', () => {
  it.each(['git commit -m x', 'git push origin main', 'git checkout -b x'])(
    '%s is for exact approvals, and cannot be confined',
    (text) => {
      expect(offered(text).length).toBeGreaterThan(1);
      expect(offered(text, hooked).map(({ id }) => id)).toEqual(['exact']);
      expect(coverage('git commit -m x', hooked).kind).toBe('uncovered');
      expect(JSON.stringify(assess(text, hooked).requiredPermissions)).toContain('The repository has hooks');
      const asked = { request: requestOf(text, hooked), assessment: assess(text, hooked) };
      expect(confineExact(asked, place).ok).toBe(false);
    },
  );

  it.each(['git add -A', 'git branch x', 'git log -3', 'git status'])(
    '%s runs no hook, and is not affected',
    (text) => {
      expect(offered(text, hooked).map(({ id }) => id)).toEqual(offered(text).map(({ id }) => id));
    },
  );

  it.each(['git add -A', 'git branch x', 'git reset -q HEAD', 'git tag v1', 'git fetch origin'])(
    '%s is for exact approvals if hooks run at each change of the index or of a ref',
    (text) => {
      expect(offered(text, recordHooked).map(({ id }) => id)).toEqual(['exact']);
    },
  );

  it('an exact line cannot be confined either, if it runs code while git writes .git', () => {
    const asked = (text: string) => confineExact({ request: requestOf(text), assessment: assess(text) }, place);
    expect(asked('make && git add -A').ok).toBe(false);
    expect(asked('make').ok).toBe(true);
    expect(asked('git commit -m x').ok).toBe(true);
  });
});
