/** The confinement of a covered line allows everything that its assessment says, and nothing that its approver was not shown. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Confinement } from '../../src/core/confinement/confinement.ts';
import { SYSTEM_PROGRAMS } from '../../src/core/confinement/confinement.ts';
import { isConfinement } from '../../src/core/confinement/confinement-shape.ts';
import { confinementText, unconfinedTexts } from '../../src/core/confinement/confinement-text.ts';
import type { RequiredPermission } from '../../src/core/effects/assess-line.ts';
import type { Resource } from '../../src/core/effects/permission.ts';
import type { CommandScope } from '../../src/core/scope/command-scope.ts';
import { confineUnder, coverAndConfine } from '../../src/core/scope/confine-covered.ts';
import { confineExact } from '../../src/core/scope/confine-exact.ts';
import { coverLine } from '../../src/core/scope/cover-line.ts';
import { isImplied } from '../../src/core/scope/covers-required.ts';
import { missText } from '../../src/core/scope/miss-text.ts';
import { proposeScopes } from '../../src/core/scope/propose.ts';
import { ScopeIndex } from '../../src/core/scope/scope-index.ts';
import { isAtOrBelow } from '../../src/core/text/path.ts';
import { anyLine, commandScope, LINES, line } from './scope-arbitrary.ts';
import {
  APP,
  assess,
  factsIn,
  HOME,
  NOON,
  pattern,
  programAt,
  requestOf,
  requiredPermissionsOf,
  scope,
  world,
} from './scope-fixture.ts';

const LEVEL = 3;
const facts = factsIn(world, NOON, LEVEL);
const place = { cwd: APP, repository: APP, home: HOME, confinementLevel: LEVEL } as const;
const offered = (text: string, where = world) =>
  proposeScopes({ request: requestOf(text, where), assessment: assess(text, where) }, place);
const isIn = (path: string, trees: readonly string[]): boolean => trees.some((tree) => isAtOrBelow(path, tree));
const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';
const underScope = (one: CommandScope, text: string): Confinement => {
  const held = confineUnder(one, requiredPermissionsOf(text), LEVEL);
  if (held === null || held.level === 0) throw new Error(`not held: ${text}`);
  return held;
};
const proposed = (text: string, id: string, where = world): Confinement => {
  const found = offered(text, where).find((each) => each.id === id);
  if (found === undefined || found.held === null || found.held.level === 0)
    throw new Error(`no ${id} for ${text}: ${offered(text, where).map(({ title }) => title)}`);
  return found.held;
};

/** Returns the path resources of the line that are on this host, not those on another host. */
const claimsOf = (requiredPermissions: readonly RequiredPermission[]): readonly Resource[] =>
  requiredPermissions.flatMap(({ permission }) =>
    permission.resources.filter(({ kind, value }) => kind === 'path' && value.startsWith('/')),
  );
const runsProject = (requiredPermissions: readonly RequiredPermission[]): boolean =>
  requiredPermissions.some(({ permission }) =>
    permission.resources.some(({ kind, access }) => access === 'execute' && (kind === 'path' || kind === 'target')),
  );

function expectAllClaimed(requiredPermissions: readonly RequiredPermission[], held: Confinement): void {
  for (const { access, value } of claimsOf(requiredPermissions)) {
    if (access === 'write' || access === 'delete') expect(isIn(value, held.write), `${access} ${value}`).toBe(true);
    if (access === 'execute') expect(isIn(value, held.execute), `execute ${value}`).toBe(true);
    expect(isIn(value, held.read), `read ${value}`).toBe(true);
  }
  for (const { programs } of requiredPermissions)
    for (const { realPath } of programs) if (realPath !== null) expect(isIn(realPath, held.execute)).toBe(true);
}

/** The extras as in docs/confinement.md: directories of written files, the project if its code runs, git's own record. */
function expectNothingElse(
  requiredPermissions: readonly RequiredPermission[],
  scopes: readonly CommandScope[],
  held: Confinement,
): void {
  const claims = claimsOf(requiredPermissions);
  const trees = scopes.flatMap(({ conditions }) => conditions.cwdBelow ?? []);
  const reached = scopes.flatMap(({ patterns }) =>
    patterns.flatMap(({ resources }) =>
      resources.flatMap(({ kind, values }) => (kind === 'path' && values.match === 'below' ? values.value : [])),
    ),
  );
  const written = claims.filter(({ access }) => access === 'write' || access === 'delete');
  const isProject = runsProject(requiredPermissions);
  const records = requiredPermissions
    .filter(({ permission }) => permission.tool === 'git')
    .flatMap(({ permission }) => permission.resources.filter(({ kind }) => kind === 'path'))
    .map(({ value }) => `${value}/.git`);
  const hasAny = scopes.some(({ patterns }) =>
    patterns.some(({ resources }) => resources.some(({ kind, values }) => kind === 'path' && values.match === 'any')),
  );
  for (const path of held.write) {
    const isClaim = written.some(({ value }) => value === path);
    const isDirectory =
      written.some(({ value }) => parentOf(value) === path) && (hasAny || isIn(path, [...trees, ...reached]));
    expect(isClaim || isDirectory || (isProject && trees.includes(path)) || records.includes(path), path).toBe(true);
  }
  const programs = requiredPermissions.flatMap(({ programs: all }) => all.map(({ realPath }) => realPath));
  for (const path of held.read)
    expect(
      claims.some(({ value }) => value === path) || isIn(path, held.write) || programs.includes(path),
      `reads ${path}`,
    ).toBe(true);
  for (const path of held.execute)
    expect(
      SYSTEM_PROGRAMS.includes(path) ||
        programs.includes(path) ||
        claims.some(({ access, value }) => access === 'execute' && value === path) ||
        (isProject && trees.includes(path)),
      `runs ${path}`,
    ).toBe(true);
  const networked = requiredPermissions.flatMap(({ permission }) =>
    permission.resources.filter(({ kind }) =>
      ['host', 'url', 'remote', 'package', 'container', 'database', 'service'].includes(kind),
    ),
  );
  if (networked.length === 0) expect(held.connect).toEqual([]);
  for (const kept of held.readOnly) expect(isIn(kept, held.write)).toBe(true);
}

describe('a line under a scope', () => {
  it('may do everything in its assessment, and nothing that was not shown, for every line and every offered scope', () => {
    let count = 0;
    for (const text of LINES)
      for (const { scope: one, held } of offered(text)) {
        if (one === null) continue;
        if (held === null || held.level === 0) throw new Error(`offered without being held: ${text}`);
        count += 1;
        const requiredPermissions = requiredPermissionsOf(text).filter((each) => !isImplied(each));
        expect(isConfinement(held), JSON.stringify(held)).toBe(true);
        expect(held.level).toBe(LEVEL);
        expectAllClaimed(requiredPermissions, held);
        expectNothingElse(requiredPermissions, [one], held);
      }
    expect(count).toBeGreaterThan(500);
  });

  it('may do everything in its assessment, and nothing that was not shown, also under several scopes together', () => {
    let count = 0;
    const wide = commandScope.map((one) => ({
      ...one,
      conditions: { ...one.conditions, hours: null, environment: world.environment },
    }));
    fc.assert(
      fc.property(line, fc.array(wide, { minLength: 1, maxLength: 4 }), (text, scopes) => {
        const requiredPermissions = requiredPermissionsOf(text);
        const candidates = scopes.map((one, at) => ({ grantId: `g_${at}`, scope: one }));
        const coverage = coverAndConfine(requiredPermissions, candidates, facts);
        if (coverage.kind === 'uncovered') return;
        const held = coverage.kind === 'covered' ? coverage.confinement : null;
        if (held === null || held.level === 0) throw new Error(`covered and not held: ${text}`);
        count += 1;
        const own = requiredPermissions.filter((each) => !isImplied(each));
        expectAllClaimed(own, held);
        expectNothingElse(own, scopes, held);
      }),
      { numRuns: 4_000 },
    );
    expect(count).toBeGreaterThan(50);
  });

  it('is covered by the index exactly if it is covered by the list of all scopes, at every level', () => {
    fc.assert(
      fc.property(
        anyLine,
        fc.array(commandScope, { maxLength: 5 }),
        fc.constantFrom(0, 1, 2, 3),
        (text, scopes, level) => {
          const index = new ScopeIndex();
          const candidates = scopes.map((one, at) => ({ grantId: `g_${at}`, scope: one }));
          for (const each of candidates) index.insert({ ...each, requesterId: 'r' });
          const around = factsIn(world, NOON, level);
          const found = index.coverageOf('r', requiredPermissionsOf(text), around);
          expect(found.kind).toBe(coverLine(requiredPermissionsOf(text), candidates, around).kind);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('the confinement', () => {
  it('has only what is read, for a line that only reads', () => {
    expect(proposed('git log -3', 'reading')).toMatchObject({
      read: [APP, '/usr/bin/git'],
      write: [],
      connect: [],
      tools: ['git'],
    });
    expect(proposed('cat src/a', 'operation')).toMatchObject({ read: [`${APP}/src/a`, '/usr/bin/cat'], write: [] });
    expect(
      underScope(
        scope([pattern({ operations: ['ls'], programs: { listed: ['/usr/bin/ls'], rootOwned: false } })]),
        'ls src',
      ).execute,
    ).toEqual(['/usr/bin/ls']);
  });

  it('has the directory of what is made or removed, within the tree that was shown', () => {
    expect(proposed('echo hi > src/out', 'narrow').write).toEqual([`${APP}/src`]);
    expect(proposed('rm src/a', 'narrow').write).toEqual([`${APP}/src`]);
    expect(proposed('rm -rf build', 'narrow').write).toEqual([APP]);
  });

  it('is not widened for a file elsewhere: the line needs an approval', () => {
    const exact = { kind: 'path', access: ['write'], values: { match: 'exact', value: '/srv/log/x' } } as const;
    const one = scope([pattern({ operations: ['shell'], resources: [exact], highestRisk: 'medium' })], {
      cwdBelow: APP,
    });
    const cover = (level: 0 | 3) =>
      coverLine(
        requiredPermissionsOf('echo x > /srv/log/x'),
        [{ grantId: 'g', scope: one }],
        factsIn(world, NOON, level),
      );
    expect(cover(0).kind).toBe('covered');
    const missed = cover(3);
    if (missed.kind === 'covered') throw new Error('covered');
    expect(missed.misses.map(({ miss, scope: other }) => missText(miss, other))).toEqual([
      'covers the shell itself only if the kernel can confine the command, but the command writes /srv/log/x, and the approval does not reach its directory',
    ]);
  });

  it('does not exist for a deleted tree if the approval does not reach the directory above it', () => {
    const one = (value: string) => ({
      ...scope([
        pattern({
          operations: ['rm'],
          options: 'any',
          highestRisk: 'high',
          resources: [{ kind: 'path', access: ['delete'], values: { match: 'below', value } }],
        }),
      ]),
    });
    expect(confineUnder(one('/srv/log/old'), requiredPermissionsOf('rm -r /srv/log/old'), LEVEL)).toBeNull();
    expect(confineUnder(one('/srv/log/old'), requiredPermissionsOf('rm -r /srv/log/old/a'), LEVEL)).toMatchObject({
      write: ['/srv/log/old'],
    });
  });

  it.each([
    ['systemctl status nginx', 'talks to systemd over a Unix socket, which no confined program can do'],
    ['ping -c 1 example.com', 'needs a raw socket, which no confined program gets'],
    ['pkill -f vite', 'signals processes outside its confinement, which no confined program can do'],
    ['netstat -i', 'asks for the interfaces through a datagram socket, which no confined program gets'],
    ['tsx src/a.ts', 'listens on a Unix socket, which no confined program can do'],
    ['docker ps', 'talks to a daemon over a Unix socket, which no confined program can do'],
  ])(
    'does not exist for %s, which fails whenever it is confined; the line needs an approval, and the answer says why',
    (text, why) => {
      const asked = { request: requestOf(text), assessment: assess(text) };
      expect(asked.assessment.requiredPermissions, text).not.toBeNull();
      expect(confineExact(asked, place)).toEqual({ ok: false, failure: { message: why } });
      expect(proposeScopes(asked, place).map(({ id }) => id)).toEqual(['exact']);
      expect(proposeScopes(asked, { ...place, confinementLevel: 0 }).length).toBeGreaterThan(1);
    },
  );

  it.each([
    'git branch -m main',
    'git branch -M a main',
    'git branch -c a b',
    'git branch -u origin/main',
    'git branch --unset-upstream',
    'git branch --track feature main',
    'git branch feature origin/main',
    'git branch feature origin',
    'git branch feature @{upstream}',
    'git push -u origin main',
    'git fetch --set-upstream origin main',
    'git remote add up https://example.com/x.git',
    'git remote set-url origin ../other',
    'git remote rename origin up',
    'git remote rm origin',
  ])(
    'does not exist for %s under a scope, on any host, because it writes what decides which programs git runs',
    (text) => {
      for (const confinementLevel of [0, 1, 2, 3] as const) {
        const asked = { request: requestOf(text), assessment: assess(text) };
        expect(asked.assessment.requiredPermissions?.[0]?.permission).toMatchObject({
          risk: 'high',
          resources: expect.arrayContaining([
            { kind: 'path', access: 'write', value: `${APP}/.git/config`, isExact: true },
          ]),
        });
        const [exact, ...others] = proposeScopes(asked, { ...place, confinementLevel });
        expect([exact?.title, others]).toEqual([expect.stringContaining('.git/config'), []]);
      }
    },
  );

  it.each([
    'git branch feature',
    'git branch feature main',
    'git branch feature refs/heads/feat/x',
    'git branch --no-track feature origin/main',
    'git branch -d feature',
    'git checkout -b feature',
    'git switch -c feature',
    'git push origin main',
    'git fetch origin',
  ])('keeps the settings of git read-only for %s, which can have a scope', (text) => {
    expect(proposed(text, 'operation').readOnly).toContain(`${APP}/.git/config`);
  });

  it('exists for netstat without -i', () => {
    expect(proposed('netstat -tlnp', 'operation').level).toBe(LEVEL);
  });

  it('never has a home directory because of one file in it', () => {
    const any = { kind: 'path', access: ['write'], values: { match: 'any' } } as const;
    const one = scope([pattern({ operations: ['shell'], resources: [any] })], { cwdBelow: APP });
    expect(confineUnder(one, requiredPermissionsOf('echo x > ~/notes'), LEVEL)).toBeNull();
  });

  it('has the project if its own code runs, with everything read-only that decides what runs later', () => {
    const held = proposed('npm test', 'narrow');
    expect(held.write).toEqual([APP]);
    expect(held.execute).toContain(APP);
    expect(held.connect).toEqual([]);
    for (const name of ['.git', '.claude', '.envrc', '.vscode', '.github/hooks', '.npmrc', '.cargo/config.toml'])
      expect(held.readOnly).toContain(`${APP}/${name}`);
  });

  it("does not exist for a project's code if no directory was shown, or one that has many projects", () => {
    const npm = (cwdBelow: string | null) => {
      const [found] = offered('npm test').filter(({ id }) => id === 'narrow');
      if (found?.scope === null || found?.scope === undefined) throw new Error('not offered');
      return { ...found.scope, conditions: { ...found.scope.conditions, cwdBelow } };
    };
    expect(confineUnder(npm(APP), requiredPermissionsOf('npm test'), LEVEL)).not.toBeNull();
    for (const tree of [null, '/home/u', '/home', '/srv'])
      expect(confineUnder(npm(tree), requiredPermissionsOf('npm test'), LEVEL)).toBeNull();
  });

  it("has git's own record if git writes it, without what decides which programs git runs", () => {
    const held = proposed('git add src', 'narrow');
    expect(held.write).toEqual([`${APP}/.git`]);
    for (const name of ['config', 'hooks', 'info']) expect(held.readOnly).toContain(`${APP}/.git/${name}`);
    const hooks = proposed('git commit -m x', 'narrow');
    expect(hooks.readOnly).toContain(`${APP}/.git/hooks`);
    expect(hooks.readOnly).not.toContain(`${APP}/.git`);
  });

  it.each(['git -C nest add .', 'git -C nest add ..', 'git -C nest add /home/u/app', 'cd nest && git add ..'])(
    'has the record of the repository in which git runs, whatever the operands name: %s',
    (text) => {
      const held = proposed(text, 'operation', { ...world, inner: `${APP}/nest` });
      expect(held.write).toEqual([`${APP}/nest/.git`]);
    },
  );

  it.each([
    ['curl https://api.example.com/v1/x', [443]],
    ['curl http://api.example.com:8080/v1', [8080]],
    ['curl http://api.example.com/v1', [80, 443]],
    ['git push origin main', 'any'],
    ['ssh web uptime', [22]],
    ['gh pr list', [443]],
    ['ls', []],
  ] as const)('has these ports for %s: %j', (text, ports) => {
    const confined = confineExact({ request: requestOf(text), assessment: assess(text) }, place);
    expect(confined.ok && confined.value.connect).toEqual(ports);
  });

  it('has any port if a proxy is set, and still no port for a command that contacts nothing', () => {
    const environment = [...world.environment, { name: 'https_proxy', value: 'http://proxy:3128' }];
    const connect = (text: string) => {
      const request = { ...requestOf(text), environment };
      const confined = confineExact({ request, assessment: assess(text) }, place);
      return confined.ok ? confined.value.connect : confined.failure;
    };
    expect([connect('curl https://example.com/'), connect('ls')]).toEqual(['any', []]);
  });

  it('does not exist for another user or another root directory, because no confined program can change to them', () => {
    for (const text of ['sudo /usr/bin/ls', 'sudo -u bob /usr/bin/ls src', 'sudo -u bob /usr/bin/git -C src log']) {
      const asked = { request: requestOf(text), assessment: assess(text) };
      if (asked.assessment.requiredPermissions === null) continue;
      expect(confineExact(asked, place)).toMatchObject({ ok: false });
      expect(proposeScopes(asked, place).map(({ id }) => id)).toEqual(['exact']);
    }
    expect(assess('sudo /usr/bin/ls').requiredPermissions).not.toBeNull();
  });

  it('has the installation of a program that belongs to the user, but no home directory because of it', () => {
    const node = (realPath: string) => {
      const there = { ...world, names: { npm: programAt(realPath, 'user') } };
      const asked = { request: requestOf('npm ls', there), assessment: assess('npm ls', there) };
      const confined = confineExact(asked, place);
      return confined.ok ? confined.value.read : confined.failure;
    };
    expect(node('/home/u/.nvm/versions/node/v20/lib/node_modules/npm/bin/npm-cli.js')).toContain(
      '/home/u/.nvm/versions/node/v20',
    );
    expect(node('/home/u/bin/npm')).toEqual([APP, '/home/u/bin/npm']);
  });
});

describe('levels', () => {
  const cover = (isRequired: 0 | 1 | 2 | 3 | undefined, level: 0 | 1 | 2 | 3) => {
    const { confinement: _, ...conditions } = scope().conditions;
    const one = {
      ...scope(),
      conditions: isRequired === undefined ? conditions : { ...conditions, confinement: isRequired },
    };
    const candidates = [{ grantId: 'g', scope: one }];
    const requiredPermissions = requiredPermissionsOf('git log');
    const coverage = coverAndConfine(requiredPermissions, candidates, factsIn(world, NOON, level));
    if (coverage.kind === 'unconfinable') throw new Error('covered and not held');
    return coverage.kind === 'covered'
      ? coverage.confinement.level
      : coverage.misses.map(({ miss }) => missText(miss, one));
  };

  it("a scope demands the level at which it was approved, and is confined as far as the host's level allows", () => {
    for (const isRequired of [0, 1, 2, 3] as const)
      for (const level of [0, 1, 2, 3] as const)
        expect(cover(isRequired, level)).toEqual(
          level >= isRequired
            ? level
            : [`demands confinement level ${isRequired}, and this host does not reach it now (see \`apes health\`)`],
        );
  });

  it('a scope of a version without levels never runs unconfined', () => {
    expect([1, 2, 3].map((level) => cover(undefined, level as 1))).toEqual([1, 2, 3]);
    expect(cover(undefined, 0)).toEqual([
      'demands confinement level 1, and this host does not reach it now (see `apes health`)',
    ]);
  });

  it('are described in words, with what is not confined', () => {
    const held = proposed('npm test', 'narrow');
    expect(confinementText(held)).toBe(
      `reads ${APP}, /usr/bin/npm; writes ${APP}; keeps .git, .claude, .envrc, .vscode and similar places in ${APP} read-only if they are there; runs ${APP} and programs of the system; no TCP; level 3 (files, TCP and places kept read-only)`,
    );
    expect(unconfinedTexts(held)).toEqual([]);
    expect(unconfinedTexts({ ...held, level: 2 })).toEqual([
      `This host cannot keep .git, .claude, .envrc, .vscode and similar places in ${APP} read-only: the commands of the line can change these places, which decide what runs later.`,
    ]);
    expect(unconfinedTexts({ ...held, level: 1 })).toContain(
      'This host cannot confine network connections: the commands of the line can contact any address.',
    );
    expect(unconfinedTexts({ level: 0 })).toEqual(['Not confined: the kernel of this host cannot confine anything.']);
    expect(confinementText({ level: 0 })).toContain('not confined');
  });
});

describe('a confined exact approval', () => {
  const confined = (text: string) => confineExact({ request: requestOf(text), assessment: assess(text) }, place);

  it('has everything in its assessment, also a file for which no scope is possible', () => {
    const held = confined('echo x > .envrc');
    if (!held.ok) throw new Error(held.failure.message);
    expect(held.value.write).toEqual([APP]);
    expect(held.value.readOnly).not.toContain(`${APP}/.envrc`);
    expect(held.value.readOnly).toContain(`${APP}/.git`);
    for (const line of [`rsync -a x/ ${HOME}/.config/`, `tar -xf x -C ${HOME}/.config`])
      expect(confined(line)).toMatchObject({
        ok: true,
        value: {
          write: [`${HOME}/.config`],
          readOnly: expect.arrayContaining([`${HOME}/.config/gh`, `${HOME}/.config/fish`]),
        },
      });
    expect(confined('echo x > /srv/log/x')).toMatchObject({ ok: true, value: { write: ['/srv/log/x'] } });
  });

  it('is not offered for an opaque line, nor by a host that confines nothing', () => {
    expect(confined('eval "$x"').ok).toBe(false);
    expect(confined('rm -rf "$x"').ok).toBe(false);
    const text = 'ls';
    const asked = { request: requestOf(text), assessment: assess(text) };
    expect(confineExact(asked, { ...place, confinementLevel: 0 }).ok).toBe(false);
    expect(confined(text).ok).toBe(true);
  });
});
