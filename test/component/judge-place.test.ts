import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { placeOnDisk } from '../../src/platform/judge-place.ts';

let top: string;
const { resolvePath, repositoryOf } = placeOnDisk;
const hasLinksOut = (name: string, depth: number) => placeOnDisk.hasLinksOut?.(join(top, name), depth);

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'ape-place-')));
  mkdirSync(join(top, 'a/b'), { recursive: true });
  mkdirSync(join(top, 'out'));
  writeFileSync(join(top, 'a/f'), '');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

describe('A path', () => {
  it('leads where its links lead, before its parents are undone', () => {
    symlinkSync(join(top, 'out'), join(top, 'a/link'));
    expect(resolvePath(`${top}/a/link/x`, 'target')).toBe(`${top}/out/x`);
    expect(resolvePath(`${top}/a/link/../x`, 'target')).toBe(`${top}/x`);
    expect(resolvePath(`${top}/a/link`, 'target')).toBe(`${top}/out`);
  });

  it('that is not there yet resolves as far as it is', () => {
    expect(resolvePath(`${top}/a/./n/../m/k`, 'target')).toBe(`${top}/a/m/k`);
    expect(resolvePath('/nowhere/x', 'target')).toBe('/nowhere/x');
    expect(resolvePath('/', 'target')).toBe('/');
  });

  it('through a link that dangles is where the link points', () => {
    symlinkSync(join(top, 'out/new'), join(top, 'a/dangling'));
    expect(resolvePath(`${top}/a/dangling`, 'target')).toBe(`${top}/out/new`);
    symlinkSync('../out/other', join(top, 'a/relative'));
    expect(resolvePath(`${top}/a/relative/x`, 'target')).toBe(`${top}/out/other/x`);
  });

  it('with links in a circle comes to an end', () => {
    symlinkSync('y', join(top, 'x'));
    symlinkSync('x', join(top, 'y'));
    expect(resolvePath(`${top}/x`, 'target')).toMatch(/^\//);
  });

  it('itself keeps the link at its end, and a slash behind it does not', () => {
    symlinkSync(join(top, 'out'), join(top, 'a/link'));
    expect(resolvePath(`${top}/a/link`, 'itself')).toBe(`${top}/a/link`);
    expect(resolvePath(`${top}/a/link/`, 'itself')).toBe(`${top}/out`);
    expect(resolvePath(`${top}/a/link/x`, 'itself')).toBe(`${top}/out/x`);
    expect(resolvePath(`${top}/a/..`, 'itself')).toBe(top);
  });
});

describe('Links below a directory', () => {
  it('that stay inside do not matter', () => {
    symlinkSync('f', join(top, 'a/inside'));
    expect(hasLinksOut('a', 2)).toBe(false);
  });

  it('that lead out are found, as deep as was asked for', () => {
    symlinkSync(join(top, 'out'), join(top, 'a/b/link'));
    expect(hasLinksOut('a', 1)).toBe(false);
    expect(hasLinksOut('a', 2)).toBe(true);
  });

  it('to a neighbour whose name only begins alike lead out', () => {
    mkdirSync(join(top, 'ab'));
    symlinkSync(join(top, 'ab'), join(top, 'a/link'));
    expect(hasLinksOut('a', 1)).toBe(true);
  });

  it('are none where there is no directory', () => {
    expect(hasLinksOut('none', 3)).toBe(false);
  });

  it('may be anywhere in a directory that is too full to look at', () => {
    for (let index = 0; index <= 2000; index++) writeFileSync(join(top, 'a/b', String(index)), '');
    expect(hasLinksOut('a/b', 1)).toBe(true);
  });
});

it('a repository is found from below, and none where there is none', () => {
  mkdirSync(join(top, 'a/.git'));
  expect(repositoryOf(join(top, 'a/b'))).toBe(join(top, 'a'));
  expect(repositoryOf('/')).toBe(null);
});
