/** Confinements for places to write that do not exist yet: never more than the approval covers, and nothing for a deletion. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { absentPlaces, type PlaceKind, settleAbsent } from '../../src/core/confinement/absent-places.ts';
import type { Confinement } from '../../src/core/confinement/confinement.ts';
import { isConfinement } from '../../src/core/confinement/confinement-shape.ts';
import { heldText, openTexts } from '../../src/core/confinement/confinement-text.ts';
import { isAtOrBelow } from '../../src/core/files/file-operation.ts';
import type { CommandScope } from '../../src/core/scope/command-scope.ts';
import { confineUnder } from '../../src/core/scope/confine-covered.ts';
import { proposeScopes } from '../../src/core/scope/propose.ts';
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
/** Directories that exist, with all above them; files; links. */
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

  it('are on the card, each that is not there', () => {
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

  it('may be anywhere if the word has a name before `..`: mkdir -p makes the directory of that name too', () => {
    for (const word of ['a/../b', '@../../b', '/elsewhere/../b', 'a/.{.,x}/b', "a/'..'/b", 'a/..', 'x{/..,/y}/b'])
      expect([word, written(`mkdir -p ${word}`)]).toEqual([word, expect.arrayContaining(['/'])]);
    for (const word of ['../b', './../../b', '/../b', 'd{1..3}', 'a/b'])
      expect([word, written(`mkdir -p ${word}`)]).toEqual([word, expect.not.arrayContaining(['/'])]);
    expect(written('mkdir a/../b')).not.toContain('/');
    expect(offered('mkdir -p a/../b')).toEqual([]);
  });

  it('can be made under every scope that is offered; if no scope reaches them, none is offered', () => {
    for (const { held } of offered('mkdir -p /tmp/new/deep/x')) expect(held).toMatchObject({ write: ['/tmp'] });
    expect(offered('mkdir -p /tmp/new/deep/x').map(({ id }) => id)).toEqual(['operation']);
    expect(offered('mkdir -p a/b').map(({ id, held }) => [id, held && 'write' in held && held.write])).toEqual([
      ['narrow', [APP]],
      ['operation', [APP]],
    ]);
    expect(offered('mkdir -p ~/fresh/x')).toEqual([]);
  });

  it('are not made without -p: mkdir itself says that one is not there', () => {
    const one = writing({ match: 'below', value: '/srv/x' }, null);
    expect(under(one, 'mkdir /srv/x/y')).toMatchObject({ absent: [{ path: '/srv/x', below: null }] });
    expect(under(one, 'touch /srv/x/y').absent).toBeUndefined();
  });
});

describe('what the server says of a place that may not exist', () => {
  it('is how far up the approval goes, inside the directory of the work or of its pattern', () => {
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

  it('is empty if the approval covers no directory above the place: then the place must exist', () => {
    const whole = writing({ match: 'below', value: '/srv/x/y' }, null);
    expect(under(whole, 'touch /srv/x/y/z')).toMatchObject({ write: ['/srv/x/y'] });
    expect(under(whole, 'touch /srv/x/y/z').absent).toBeUndefined();
    expect(settleAbsent(under(whole, 'touch /srv/x/y/z'), disk(['/srv/x'])).write).toEqual(['/srv/x/y']);
  });

  it('never is a home directory, a dangerous place or a directory that holds one', () => {
    const home = writing({ match: 'below', value: '/home/u' }, null);
    expect(under(home, 'touch /home/u/a/b/c').absent).toEqual([{ path: '/home/u/a/b', below: '/home/u/a' }]);
    expect(under(home, 'touch /home/u/.config/a/b').absent).toBeUndefined();
  });

  it('is that nothing is needed, of what is only deleted', () => {
    const one = writing({ match: 'below', value: APP }, APP);
    expect(under(one, 'rm -f a/b').absent).toEqual([{ path: `${APP}/a`, below: null }]);
    expect(under(one, 'rm -f a/b; touch a/c').absent).toEqual([{ path: `${APP}/a`, below: APP }]);
  });

  it('is shown to people', () => {
    const one = under(writing({ match: 'below', value: APP }, APP), 'touch a/b/c');
    expect(heldText(one)).toContain(
      `writes ${APP}/a/b (while it does not exist: the nearest directory above it, up to ${APP})`,
    );
    expect(openTexts({ ...one, level: 2 })).toEqual([
      expect.stringContaining(`in ${APP}/a/b, ${APP} read-only: what runs may change them`),
    ]);
  });
});

describe('a place that may be made, on a host', () => {
  const place = { path: '/p/a/b', below: '/p' };
  it.each([
    ['it exists', ['/p/a/b'], {}, ['/p/a/b']],
    ['its directory exists', ['/p/a'], {}, ['/p/a']],
    ['only the outermost exists', ['/p'], {}, ['/p']],
    ['not even that exists: it is refused', ['/'], {}, ['/p/a/b']],
    ['a file stands in the way: nothing can be made', ['/p'], { '/p/a': 'file' }, []],
    ['a link stands in the way: it is refused', ['/p'], { '/p/a': 'unknown' }, ['/p/a/b']],
    ['it is a link: it is refused', ['/p/a'], { '/p/a/b': 'unknown' }, ['/p/a/b']],
  ] as const)('where %s', (_what, directories, others, write) => {
    expect(settleAbsent(held(['/p/a/b'], [place]), disk(directories, others)).write).toEqual(write);
  });

  it('keeps dangerous places read-only in what it gives instead, but for what is to be written', () => {
    const settled = settleAbsent(held(['/p/a/b', '/p/.git'], [place]), disk(['/p']));
    expect(settled.write).toEqual(['/p']);
    expect(settled.readOnly).toContain('/p/.envrc');
    expect(settled.readOnly).not.toContain('/p/.git');
  });

  it('never gives what is not at or below `below`, and takes nothing away that exists', () => {
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
        const settled = settleAbsent(confinement, kindOf);
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

describe('a malformed one', () => {
  it.each([
    [[{ path: '/p/a', below: '/q' }]],
    [[{ path: '/p/a' }]],
    [[{ path: 'p', below: null }]],
    [[{ path: '/p/a', below: '/p/../p' }]],
    [[{ path: '/p/a', below: null, more: 1 }]],
    ['/p'],
  ])('%j confines nothing', (absent) => {
    expect(isConfinement({ ...held(['/p/a'], undefined), absent })).toBe(false);
  });
});

it('several trees in one place: the needed one counts, and the outermost that reaches it', () => {
  const tree = (path: string, below: string | null, isNeeded = true) => ({ path, below, isNeeded });
  expect(absentPlaces(['/p/a'], [tree('/p/a', '/p'), tree('/p/a/b', '/p/a', false)])).toEqual([
    { path: '/p/a', below: '/p' },
  ]);
  expect(absentPlaces(['/p/a'], [tree('/p/a', null, false), tree('/p/a/b', null)])).toEqual([]);
  expect(absentPlaces(['/p/a'], [])).toEqual([]);
});
