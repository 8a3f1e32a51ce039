/**
 * Confinements for places that a line writes and that do not exist yet. They allow no more than the approval covers, and no new
 * place for a line that only deletes.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { absentPlaces, type PlaceKind, replaceAbsentPlaces } from '../../src/core/confinement/absent-places.ts';
import type { Confinement } from '../../src/core/confinement/confinement.ts';
import { isConfinement } from '../../src/core/confinement/confinement-shape.ts';
import { confinementText, unconfinedTexts } from '../../src/core/confinement/confinement-text.ts';
import type { CommandScope } from '../../src/core/scope/command-scope.ts';
import { confineUnder } from '../../src/core/scope/confine-covered.ts';
import { proposeScopes } from '../../src/core/scope/propose.ts';
import { isAtOrBelow } from '../../src/core/text/path.ts';
import { APP, assess, HOME, pattern, requestOf, requiredPermissionsOf, scope, world } from './scope-fixture.ts';

const held = (write: readonly string[], absent: Confinement['absent']): Confinement => ({
  level: 3,
  read: [],
  write,
  execute: [],
  connect: [],
  readOnly: [],
  ...(absent === undefined ? {} : { absent }),
  tools: [],
});
/** A disk on which `directories` and all directories above them exist; `others` gives the kind of other paths. */
const disk =
  (directories: readonly string[], others: Readonly<Record<string, PlaceKind>> = {}) =>
  (path: string): PlaceKind =>
    others[path] ?? (directories.some((each) => isAtOrBelow(each, path)) ? 'directory' : 'nothing');

const under = (one: CommandScope, text: string): Confinement => {
  const found = confineUnder(one, requiredPermissionsOf(text), 3);
  if (found === null || found.level === 0) throw new Error(`not held: ${text}`);
  return found;
};
const writing = (values: object, cwdBelow: string | null, operations = ['mkdir', 'touch', 'shell', 'rm', 'cp']) =>
  scope(
    [
      pattern({
        operations,
        resources: [
          { kind: 'path', access: ['write', 'delete', 'read'], values } as never,
          { kind: 'path', access: ['read'], values: { match: 'any' } },
        ],
        highestRisk: 'high',
      }),
    ],
    { cwdBelow },
  );

describe('directories that mkdir -p makes', () => {
  const missing = ['/tmp/new', '/tmp/new/deep', `${APP}/a`, `${HOME}/fresh`];
  const written = (text: string) =>
    requiredPermissionsOf(text, { ...world, missing }).flatMap(({ permission: { resources } }) =>
      resources.flatMap(({ access, value }) => (access === 'write' ? value : [])),
    );
  const offered = (text: string) => {
    const at = { ...world, missing };
    const place = { cwd: APP, repository: APP, home: HOME, confinementLevel: 3 } as const;
    return proposeScopes({ request: requestOf(text, at), assessment: assess(text, at) }, place).slice(1);
  };

  it('are required permissions, one for each directory that does not exist yet', () => {
    expect(written('mkdir -p a/b /tmp/new/deep/x src/c')).toEqual([
      `${APP}/a`,
      `${APP}/a/b`,
      `${APP}/src/c`,
      '/tmp/new',
      '/tmp/new/deep',
      '/tmp/new/deep/x',
    ]);
    expect(written('mkdir a/b')).toEqual([`${APP}/a/b`]);
  });

  it('may be anywhere if the operand has a name before `..`, because mkdir -p also makes the directory of that name', () => {
    for (const word of [
      'a/../b',
      '@../../b',
      '/elsewhere/../b',
      'a/.{.,x}/b',
      "a/'..'/b",
      'a/..',
      'x{/..,/y}/b',
      '{a/.,q}./b',
      'a/{.,b}./c',
    ])
      expect([word, written(`mkdir -p ${word}`)]).toEqual([word, expect.arrayContaining(['/'])]);
    for (const word of ['../b', './../../b', '/../b', 'd{1..3}', 'a/b'])
      expect([word, written(`mkdir -p ${word}`)]).toEqual([word, expect.not.arrayContaining(['/'])]);
    expect(written('mkdir a/../b')).not.toContain('/');
    expect(offered('mkdir -p a/../b')).toEqual([]);
  });

  it('can be made under every scope that the server proposes; it proposes none if no scope covers them all', () => {
    for (const { held } of offered('mkdir -p /tmp/new/deep/x')) expect(held).toMatchObject({ write: ['/tmp'] });
    expect(offered('mkdir -p /tmp/new/deep/x').map(({ id }) => id)).toEqual(['operation']);
    expect(offered('mkdir -p a/b').map(({ id, held }) => [id, held && 'write' in held && held.write])).toEqual([
      ['narrow', [APP]],
      ['operation', [APP]],
    ]);
    expect(offered('mkdir -p ~/fresh/x')).toEqual([]);
  });

  it('are not made without -p: the line gets no directory above, and mkdir fails', () => {
    const one = writing({ match: 'below', value: '/srv/x' }, null);
    expect(under(one, 'mkdir /srv/x/y')).toMatchObject({ absent: [{ path: '/srv/x', below: null }] });
    expect(under(one, 'touch /srv/x/y').absent).toBeUndefined();
  });
});

describe('the entry in `absent` for a place that may not exist', () => {
  it('names the highest directory that the approval covers, inside the working directory or the directory of the pattern', () => {
    const inTree = writing({ match: 'exact', value: `${APP}/a/b/c` }, APP);
    expect(under(inTree, 'touch a/b/c')).toMatchObject({
      write: [`${APP}/a/b`],
      absent: [{ path: `${APP}/a/b`, below: APP }],
    });
    const elsewhere = writing({ match: 'below', value: '/srv/x/y' }, null);
    expect(under(elsewhere, 'touch /srv/x/y/z/w')).toMatchObject({
      write: ['/srv/x/y/z'],
      absent: [{ path: '/srv/x/y/z', below: '/srv/x/y' }],
    });
  });

  it('is left out if the approval covers no directory above the place; then the place must exist', () => {
    const whole = writing({ match: 'below', value: '/srv/x/y' }, null);
    expect(under(whole, 'touch /srv/x/y/z')).toMatchObject({ write: ['/srv/x/y'] });
    expect(under(whole, 'touch /srv/x/y/z').absent).toBeUndefined();
    expect(replaceAbsentPlaces(under(whole, 'touch /srv/x/y/z'), disk(['/srv/x'])).write).toEqual(['/srv/x/y']);
  });

  it('never names a home directory, a sensitive path or a directory that contains one', () => {
    const home = writing({ match: 'below', value: '/home/u' }, null);
    expect(under(home, 'touch /home/u/a/b/c').absent).toEqual([{ path: '/home/u/a/b', below: '/home/u/a' }]);
    expect(under(home, 'touch /home/u/.config/a/b').absent).toBeUndefined();
  });

  it('has no directory above the place if the line only deletes there', () => {
    const one = writing({ match: 'below', value: APP }, APP);
    expect(under(one, 'rm -f a/b').absent).toEqual([{ path: `${APP}/a`, below: null }]);
    expect(under(one, 'rm -f a/b; touch a/c').absent).toEqual([{ path: `${APP}/a`, below: APP }]);
  });

  it('is in the text of the confinement that people read', () => {
    const one = under(writing({ match: 'below', value: APP }, APP), 'touch a/b/c');
    expect(confinementText(one)).toContain(
      `writes ${APP}/a/b (while it does not exist: the nearest directory above it, up to ${APP})`,
    );
    expect(unconfinedTexts({ ...one, level: 2 })).toEqual([
      expect.stringContaining(`in ${APP}/a/b, ${APP} read-only: the commands of the line can change these places`),
    ]);
  });
});

describe('a host replaces a place that may not exist yet', () => {
  const place = { path: '/p/a/b', below: '/p' };
  it.each([
    ['with itself if it exists', ['/p/a/b'], {}, ['/p/a/b']],
    ['with its directory if that exists', ['/p/a'], {}, ['/p/a']],
    ['with the highest allowed directory if only that exists', ['/p'], {}, ['/p']],
    [
      'not at all if not even the highest allowed directory exists, and the C program then refuses the place',
      ['/'],
      {},
      ['/p/a/b'],
    ],
    ['with no place if a file is in the way, because nothing can be made there', ['/p'], { '/p/a': 'file' }, []],
    [
      'not at all if a link is in the way, and the C program then refuses the place',
      ['/p'],
      { '/p/a': 'unknown' },
      ['/p/a/b'],
    ],
    [
      'not at all if it is a link, and the C program then refuses the place',
      ['/p/a'],
      { '/p/a/b': 'unknown' },
      ['/p/a/b'],
    ],
  ] as const)('%s', (_what, directories, others, write) => {
    expect(replaceAbsentPlaces(held(['/p/a/b'], [place]), disk(directories, others)).write).toEqual(write);
  });

  it('and keeps sensitive paths in the replacement read-only, except those that the line may write', () => {
    const settled = replaceAbsentPlaces(held(['/p/a/b', '/p/.git'], [place]), disk(['/p']));
    expect(settled.write).toEqual(['/p']);
    expect(settled.readOnly).toContain('/p/.envrc');
    expect(settled.readOnly).not.toContain('/p/.git');
  });

  it.each(['/p/.git/x', '/p/.claude/worktrees/w', '/p/.config/gh/x'])(
    'not at all if the line may write %s: the rest of that dangerous place would become writable',
    (written) => {
      const settled = replaceAbsentPlaces(held(['/p/a/b', written], [place]), disk(['/p', written]));
      expect(settled.write).toEqual(['/p/a/b', written].sort());
      const inside = replaceAbsentPlaces(held(['/p/a/b', written], [place]), disk(['/p/a', written]));
      expect(inside.write).toEqual(['/p/a', written].sort());
    },
  );

  it('with nothing outside of `below`, and keeps every place that exists', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => `/${names.join('/')}`);
    const kind = fc.constantFrom<PlaceKind>('directory', 'file', 'nothing', 'unknown');
    fc.assert(
      fc.property(fc.array(fc.tuple(path, fc.nat(4)), { maxLength: 4 }), fc.dictionary(path, kind), (places, kinds) => {
        const absent = places.map(([each, up]) => ({
          path: each,
          below: up === 0 ? null : each.split('/').slice(0, -up).join('/') || '/a',
        }));
        const confinement = held(
          places.map(([each]) => each),
          absent.filter(({ path: each, below }) => below === null || isAtOrBelow(each, below)),
        );
        expect(isConfinement(confinement)).toBe(true);
        const kindOf = (each: string): PlaceKind => kinds[each] ?? 'nothing';
        const settled = replaceAbsentPlaces(confinement, kindOf);
        for (const given of settled.write)
          expect(
            confinement.write.includes(given) ||
              (kindOf(given) === 'directory' &&
                confinement.absent?.some(
                  ({ path: each, below }) => below !== null && isAtOrBelow(given, below) && isAtOrBelow(each, given),
                )),
          ).toBe(true);
        for (const each of confinement.write)
          if (kindOf(each) !== 'nothing') expect(settled.write.some((given) => isAtOrBelow(each, given))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a confinement with a malformed `absent`', () => {
  it.each([
    [[{ path: '/p/a', below: '/q' }]],
    [[{ path: '/p/a' }]],
    [[{ path: 'p', below: null }]],
    [[{ path: '/p/a', below: '/p/../p' }]],
    [[{ path: '/p/a', below: null, more: 1 }]],
    ['/p'],
  ])('is refused: %j', (absent) => {
    expect(isConfinement({ ...held(['/p/a'], undefined), absent })).toBe(false);
  });
});

it('of several trees in one place, only the trees that the line writes count, and of these the tree with the highest directory', () => {
  const tree = (path: string, below: string | null, isNeeded = true) => ({ path, below, isNeeded });
  expect(absentPlaces(['/p/a'], [tree('/p/a', '/p'), tree('/p/a/b', '/p/a', false)])).toEqual([
    { path: '/p/a', below: '/p' },
  ]);
  expect(absentPlaces(['/p/a'], [tree('/p/a', null, false), tree('/p/a/b', null)])).toEqual([]);
  expect(absentPlaces(['/p/a'], [])).toEqual([]);
});
