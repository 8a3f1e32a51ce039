/** Which scopes the server offers for a request. */
import { describe, expect, it } from 'vitest';
import { coverLine } from '../../src/core/scope/cover-line.ts';
import { proposalPlaceOf, proposeScopes } from '../../src/core/scope/propose.ts';
import { commandScopeFault } from '../../src/core/scope/scope-fault.ts';
import { wouldCover } from '../../src/core/scope/would-cover.ts';
import { readCorpus } from '../corpus/corpus.ts';
import { assess, covers, factsIn, NOON, programAt, requestOf, type World, world } from './scope-fixture.ts';

const PROJECT = '/home/u/projects/app';
const place: World = { ...world, cwd: `${PROJECT}/src` };
const askedFor = (text: string, at: World = place) => ({ request: requestOf(text, at), assessment: assess(text, at) });
const offered = (text: string, at: World = place) =>
  proposeScopes(askedFor(text, at), { cwd: at.cwd, repository: PROJECT, home: '/home/u', confinementLevel: 0 });
const scopesOf = (text: string, at: World = place) =>
  offered(text, at).flatMap(({ id, scope }) => (scope === null ? [] : [{ id, scope }]));

describe('the offer', () => {
  it('begins with exactly this request, and gets wider', () => {
    expect(offered('git log --oneline -5').map(({ id, title }) => `${id}: ${title}`)).toEqual([
      'exact: exactly this',
      `operation: git log with any options, reading below ${PROJECT} or any ref`,
      `reading: reading git commands below ${PROJECT}`,
      'reading-any: reading commands of any tool below /home/u/projects',
    ]);
  });

  it('for a command that writes is never wider than the same operation in the same place', () => {
    const [, ...others] = offered('git push origin main');
    expect(others.map(({ id }) => id)).toEqual(['narrow', 'operation']);
    for (const { scope } of others) {
      if (scope === null) throw new Error('no scope');
      expect(covers(scope, 'git push origin main', place)).toBe(true);
      for (const text of [
        'git push origin dev',
        'git push other main',
        'git push -f origin main',
        'git push origin :main',
        'git fetch',
      ])
        expect([text, covers(scope, text, place)]).toEqual([text, false]);
      expect(covers(scope, 'git push origin main', { ...place, cwd: '/home/u/projects/other' })).toBe(false);
    }
  });

  it('names the file of a login unless the host confines, because no confined command can read it', () => {
    const titles = (text: string, confinementLevel: 0 | 3) =>
      proposeScopes(askedFor(text), { cwd: place.cwd, repository: PROJECT, home: '/home/u', confinementLevel }).flatMap(
        ({ title, scope }) => (scope === null ? [] : title),
      );
    for (const [text, file] of [
      ['kubectl get pods', '~/.kube/config'],
      ['helm list', '~/.kube/config'],
      ['gcloud projects list', '~/.config/gcloud/'],
      ['kubectl get pods && git status', '~/.kube/config'],
    ] as const) {
      expect(titles(text, 3).length, text).toBeGreaterThan(0);
      for (const title of titles(text, 3))
        expect(title).toContain(`; logs in with ${file}, which a confined run cannot read`);
      expect(titles(text, 0).join()).not.toContain('logs in');
    }
    expect(titles('git status', 3).join()).not.toContain('logs in');
  });

  it.each(['npm test', 'cargo build', 'rake test', 'uv run mypy .', 'go test ./...', 'eslint .', 'npx vitest run'])(
    'for %s in a folder of a project reaches the root of the project, and only there covers the line',
    (text) => {
      const inProject = { ...place, project: PROJECT };
      const scopes = scopesOf(text, inProject);
      expect(scopes.length).toBeGreaterThan(0);
      for (const { scope } of scopes) expect(covers(scope, text, inProject)).toBe(true);
      for (const { scope } of scopes) expect(covers(scope, text, { ...place, project: '/home/u' })).toBe(false);
      const narrow = proposeScopes(askedFor(text, { ...place, project: place.cwd }), {
        cwd: place.cwd,
        repository: place.cwd,
        home: '/home/u',
        confinementLevel: 0,
      }).flatMap(({ scope }) => scope ?? []);
      expect(narrow.length).toBeGreaterThan(0);
      for (const scope of narrow) expect(covers(scope, text, inProject)).toBe(false);
    },
  );

  it('for a command that deletes is limited to what it deletes', () => {
    const operation = scopesOf('rm -rf build').find(({ id }) => id === 'operation')?.scope;
    if (operation === undefined) throw new Error('not offered');
    expect(covers(operation, 'rm -rf build/x', place)).toBe(true);
    for (const text of ['rm -rf .', 'rm -rf ..', 'rm -rf lib', 'rm -rf build lib'])
      expect([text, covers(operation, text, place)]).toEqual([text, false]);
  });

  it('for a command that contacts a host is limited to that host', () => {
    const wide = scopesOf('curl https://api.example.com/v1/x').at(-1)?.scope;
    if (wide === undefined) throw new Error('not offered');
    expect(covers(wide, 'curl -s https://api.example.com/v2/y', place)).toBe(true);
    for (const text of [
      'curl https://example.com/',
      'curl http://api.example.com/',
      'curl -d @a https://api.example.com/',
      'curl -o /home/u/.bashrc https://api.example.com/',
    ])
      expect([text, covers(wide, text, place)]).toEqual([text, false]);
  });

  it('for a command that only reads in one project excludes reading elsewhere, and secrets', () => {
    for (const { id, scope } of scopesOf('git status')) {
      for (const text of [
        'cat ~/.ssh/id_ed25519',
        'cat /etc/shadow',
        'ls /home/u',
        'grep -r x ~',
        'cat /home/u/projects-2/a',
        'env',
        'npm test',
      ])
        expect([id, text, covers(scope, text, place)]).toEqual([id, text, false]);
      expect([id, covers(scope, 'git status', place)]).toEqual([id, true]);
    }
  });

  it('for a line that reads and writes widens reading, but not writing', () => {
    const wide = scopesOf('npm test 2>&1 | tail -20').find(({ id }) => id === 'operation-reading')?.scope;
    if (wide === undefined) throw new Error('not offered');
    expect(covers(wide, 'npm test | grep -n fail | head', place)).toBe(true);
    expect(covers(wide, 'npm install x | tail', place)).toBe(false);
  });

  it('names programs that the user can change by their paths', () => {
    const own = { ...place, names: { npm: programAt('/home/u/.nvm/bin/npm', 'user') } };
    const [, ...others] = offered('npm test', own);
    expect(others.length).toBeGreaterThan(0);
    for (const { title, scope } of others) {
      expect(title).toContain('; runs /home/u/.nvm/bin/npm, which u can change');
      expect(scope?.patterns[0]?.programs.listed).toEqual(['/home/u/.nvm/bin/npm']);
    }
  });

  it.each([
    ['is opaque', 'git log $(./x)', /nothing wider may be given, because the request /],
    ['is critical', 'rm -rf ~', /the request is critical/],
    ['reads everything', 'find / -name x', /exactly this: /],
    ['reads secrets', 'cat ~/.npmrc', /holds passwords/],
    ['writes a start-up file', 'echo x >> ~/.bashrc', /a shell runs this by itself/],
    ['prints the environment', 'env', /variable/],
  ])('for a line that %s is exactly this request, with the reason', (_, text, why) => {
    const all = offered(text);
    expect(all.map(({ id, scope }) => [id, scope])).toEqual([['exact', null]]);
    expect(all[0]?.title).toMatch(why);
  });

  it('for a script or standard input is exactly this request', () => {
    const request = { ...requestOf('ls', place), kind: 'stdin' as const };
    const all = proposeScopes({ request, assessment: assess('ls', place) }, proposalPlaceOf(place.cwd, null));
    expect(all.map(({ title }) => title)).toEqual([
      'exactly this: nothing wider may be given, because the request is a stdin',
    ]);
  });

  it('never has a home directory or a directory near the root as its top', () => {
    for (const cwd of ['/home/u', '/', '/srv', '/root', '/home']) {
      const at = { ...place, cwd };
      const all = proposeScopes(askedFor('ls', at), { cwd, repository: null, home: '/home/u', confinementLevel: 0 });
      for (const { scope } of all)
        for (const { resources } of scope?.patterns ?? [])
          expect([cwd, resources.filter(({ values }) => values.match === 'below')]).toEqual([cwd, []]);
    }
  });
});

it('the place of a proposal is the place that the host reported', () => {
  const hostFacts = {
    bash: 'agrees' as const,
    home: '/home/u',
    hasSearchedCd: false,
    names: [],
    paths: [{ path: '/w', end: 'target' as const, resolved: '/home/u/w' }],
    repositories: [{ directory: '/home/u/w', top: '/home/u' }],
    bare: [],
    linksOut: [],
    matches: [],
    hidden: [],
  };
  expect(proposalPlaceOf('/w', hostFacts)).toEqual({
    cwd: '/home/u/w',
    repository: '/home/u',
    home: '/home/u',
    confinementLevel: 0,
  });
  expect(proposalPlaceOf('/w', null)).toEqual({ cwd: '/w', repository: null, home: null, confinementLevel: 0 });
});

const lines = readCorpus();

it('every proposal may be given and covers its own request, for every line of the corpus', () => {
  let count = 0;
  for (const { text } of lines) {
    const asked = askedFor(text);
    const all = proposeScopes(asked, { cwd: place.cwd, repository: PROJECT, home: '/home/u', confinementLevel: 0 });
    expect(all.length).toBeLessThanOrEqual(4);
    for (const { id, scope } of all.slice(1)) {
      count += 1;
      if (scope === null) throw new Error('only the first has no scope');
      expect([text, id, commandScopeFault(scope, asked, false)]).toEqual([text, id, null]);
      const found = coverLine(asked.assessment.requiredPermissions ?? [], [{ grantId: 'g', scope }], factsIn(place));
      expect([text, id, found.kind]).toEqual([text, id, 'covered']);
    }
  }
  expect(count).toBeGreaterThan(500);
});

it('95 % of the understood daily lines have a wider proposal', () => {
  const daily = lines.filter(
    (line) => line.class === 'coverable' && assess(line.text, place).requiredPermissions !== null,
  );
  const alone = daily.filter(({ text }) => offered(text).length === 1).map(({ text }) => text);
  expect(alone.length / daily.length > 0.05 ? alone : []).toEqual([]);
});

it('no proposal for a daily line that only reads covers a dangerous line or one for exact approvals', () => {
  const daily = lines.filter((line) => line.class === 'coverable');
  const reading = daily.flatMap(({ text }) => scopesOf(text).filter(({ id }) => id.startsWith('reading')));
  const scopes = [...new Map(reading.map(({ scope }) => [JSON.stringify(scope), scope])).values()];
  const others = lines.filter((line) => line.class !== 'coverable').map(({ text }) => text);
  const covered = scopes.flatMap((scope) => others.filter((text) => covers(scope, text, place)));
  expect([...new Set(covered)]).toEqual([]);
  expect(scopes.length).toBeGreaterThan(50);
});

it('the evidence of a proposal is the past requests that it alone would have covered, each at its time', () => {
  const scope = scopesOf('git status').find(({ id }) => id === 'reading')?.scope;
  if (scope === undefined) throw new Error('not offered');
  const past = ['git log', 'git push', 'git diff | head', 'git log $(x)'].map((text) => ({
    ...askedFor(text),
    atMs: NOON,
  }));
  expect(wouldCover(scope, past).map(({ request }) => request.text)).toEqual(['git log']);
  const nobodyLooked = { request: requestOf('git log', place), assessment: null, atMs: NOON };
  const script = { ...askedFor('git log'), atMs: NOON };
  expect(wouldCover(scope, [nobodyLooked, { ...script, request: { ...script.request, kind: 'script' } }])).toEqual([]);
  const hours = { from: 780, to: 1440, days: [1], timeZone: 'UTC' };
  const later = { ...scope, conditions: { ...scope.conditions, hours } };
  expect(wouldCover(later, past)).toEqual([]);
  expect(
    wouldCover(
      later,
      past.map((each) => ({ ...each, atMs: NOON + 3_600_000 })),
    ).length,
  ).toBe(1);
});
