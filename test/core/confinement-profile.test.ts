/** A profile allows what was approved and not more; a malformed confinement gives no profile. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BASE_PROFILE, baseEntriesFor } from '../../src/core/confinement/base-profile.ts';
import type { Confinement } from '../../src/core/confinement/confinement.ts';
import { encodeProfile } from '../../src/core/confinement/profile.ts';
import { reachedText } from '../../src/core/confinement/reached-level.ts';
import { dangerousPlace, placeWithin } from '../../src/core/sensitive/dangerous-places.ts';

const CONFINEMENT: Confinement = {
  level: 3,
  read: ['/r'],
  write: ['/w'],
  execute: ['/x'],
  connect: [443, 22],
  readOnly: ['/w/.git'],
  tools: [],
};

test('each entry begins with its letter; the version comes first and the end mark last', () => {
  const base = [['read', '/etc/hosts'] as const, ['execute', '/usr'] as const, ['device', '/dev/null'] as const];
  const text = encodeProfile(CONFINEMENT, base, 'told');
  expect(text).toEqual({
    ok: true,
    value: [
      'v1',
      'l3',
      'R/etc/hosts',
      'X/usr',
      'D/dev/null',
      'r/r',
      'x/x',
      'w/w',
      'c443',
      'c22',
      'o/w/.git',
      'ttold',
      '.',
      '',
    ].join('\0'),
  });
  expect(encodeProfile({ ...CONFINEMENT, connect: 'any' }, [])).toMatchObject({
    value: expect.stringContaining('c*\0'),
  });
});

test('below level 3 nothing is kept read-only: the card says so, and the C program would refuse such an entry', () => {
  for (const level of [1, 2] as const) {
    const text = encodeProfile({ ...CONFINEMENT, level }, []);
    expect(text.ok && text.value.split('\0').filter((entry) => entry.startsWith('o'))).toEqual([]);
  }
});

test('no path can become two entries or another path', () => {
  const path = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(path, fc.constantFrom('read', 'write', 'execute', 'readOnly'), (name, member) => {
      const text = encodeProfile({ ...CONFINEMENT, [member]: [`/${name}`] }, []);
      if (name.includes('\0')) expect(text.ok).toBe(false);
      else expect(text.ok && text.value.split('\0').length).toBe(10);
    }),
  );
  for (const wrong of ['', 'w', './w', '~/w', '/w\0w/'])
    expect(encodeProfile({ ...CONFINEMENT, write: [wrong] }, [])).toMatchObject({
      ok: false,
      failure: { code: 'confinement' },
    });
  expect(encodeProfile({ ...CONFINEMENT, read: [`/${'x'.repeat(1 << 20)}`] }, []).ok).toBe(false);
});

test('a system directory in the base profile is not named again as a directory without links', () => {
  const text = encodeProfile({ ...CONFINEMENT, execute: ['/bin', '/x'] }, [['execute', '/bin']]);
  expect(text.ok && text.value.split('\0').filter((entry) => /^x/i.test(entry))).toEqual(['X/bin', 'x/x']);
});

test('the text for a failed line loses its NULs, so that it ends where it should', () => {
  const text = encodeProfile(CONFINEMENT, [], 'a\0w/\0b');
  expect(text.ok && text.value).toContain('\0taw/b\0.\0');
});

test('the base profile has no key, no credential and no file by which a user or a harness decides', () => {
  const tools = BASE_PROFILE.flatMap((entry) => entry.tools ?? []);
  const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/snap', '/etc', '/dev'];
  for (const [kind, path] of baseEntriesFor(tools, '/home/u')) {
    // The kernel shows nothing private of processes outside (test/security/confinement.test.ts).
    const isOfTheKernel = /^\/(proc|sys|dev)\b/.test(path);
    expect([path, dangerousPlace(path, true)]).toEqual([path, isOfTheKernel ? expect.anything() : null]);
    expect([path, placeWithin(path, true)]).toEqual([path, null]);
    expect(path).not.toMatch(
      /credential|token|secret|shadow|private|id_|netrc|npmrc|auth\.conf|history|\.ssh|\.aws|\.kube|\.docker/i,
    );
    if (kind !== 'read')
      expect(SYSTEM.some((top) => path.startsWith(top)) || /^\/(home|nix|gnu)\//.test(path)).toBe(true);
  }
  expect(BASE_PROFILE.filter(({ kind }) => kind === 'device').flatMap(({ paths }) => paths)).toEqual([
    '/dev/null',
    '/dev/zero',
    '/dev/full',
    '/dev/random',
    '/dev/urandom',
    '/dev/tty',
  ]);
});

test('the settings of a tool are added only for that tool', () => {
  const paths = (tools: readonly string[]) => baseEntriesFor(tools, '/home/u').map(([, path]) => path);
  expect(paths(['git'])).toContain('/home/u/.gitconfig');
  expect(paths(['ls']).filter((path) => path.startsWith('/home/u'))).toEqual([]);
});

test('people can read what a host enforces, and why it enforces no more', () => {
  expect(reachedText({ level: 3, landlockAbi: 7, missing: null })).toBe(
    'level 3 (files, TCP, namespaces; Landlock ABI 7)',
  );
  expect(reachedText({ level: 0, landlockAbi: 0, missing: 'darwin has no Landlock' })).toBe(
    'level 0 (none; darwin has no Landlock)',
  );
});
