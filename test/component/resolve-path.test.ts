/** Where a path really leads, compared with the kernel, on random trees of directories and links. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPlainPath } from '../../src/core/text/path.ts';
import { resolvePath } from '../../src/gate/facts/resolve-path.ts';
import { anyPath, anyTree, buildTree } from './link-trees.ts';

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ape-path-')));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('a resolved path', () => {
  it('is where the kernel goes: the file that exists, or the place of the new file', () => {
    const seen = { same: 0, made: 0, refused: 0 };
    fc.assert(
      fc.property(anyTree, anyPath, (tree, asked) => {
        const base = buildTree(root, tree);
        const path = `${base}/${asked}`;
        const resolved = resolvePath(asked, base);
        if (!resolved.ok) {
          seen.refused += 1;
          return;
        }
        fc.pre(resolved.value.path.startsWith(`${root}/`)); // the test writes nothing outside of its root
        expect(isPlainPath(resolved.value.path)).toBe(true);
        if (resolved.value.kind !== 'new') {
          expect(resolved.value.path).toBe(realpathSync.native(path.replace(/(?<=[^/])\/+$/, '')));
          seen.same += 1;
          return;
        }
        try {
          writeFileSync(path, 'made', { flag: 'w' });
        } catch {
          return; // a parent is missing, so nothing can be made there
        }
        expect(statSync(resolved.value.path).isFile()).toBe(true);
        expect(realpathSync.native(path)).toBe(resolved.value.path);
        seen.made += 1;
      }),
      { numRuns: 1_500 },
    );
    expect(seen.same).toBeGreaterThan(50);
    expect(seen.made).toBeGreaterThan(20);
    expect(seen.refused).toBeGreaterThan(20);
  });

  it('exists only if the text and the links lead to the same place', () => {
    const base = mkdtempSync(join(root, 'u'));
    mkdirSync(join(base, 'x/y'), { recursive: true });
    symlinkSync('x/y', join(base, 'l'));
    expect(resolvePath('l/../new', base)).toMatchObject({ ok: false, failure: { code: 'unreadable' } });
    expect(resolvePath('x/../new', base)).toMatchObject({ ok: true, value: { path: join(base, 'new'), kind: 'new' } });
    expect(resolvePath('none/../new', base)).toMatchObject({ ok: false });
  });

  it.each([
    ['an empty path', ''],
    ['a path with NUL', 'a\0b'],
    ['a path with half a character', 'a\ud800'],
    ['a very long path', 'a/'.repeat(4_000)],
    ['a name of 300 bytes', 'n'.repeat(300)],
  ])('does not exist for %s, and the refusal is one line', (_what, asked) => {
    const resolved = resolvePath(asked, root);
    expect(resolved.ok ? '' : resolved.failure.message).toMatch(/^refused: [^\n]{5,700}$/);
  });

  it('needs an absolute directory to start from', () => {
    expect(resolvePath('a', 'relative').ok).toBe(false);
  });

  it('is not guessed if a directory on the way may not be searched', () => {
    if (process.getuid?.() === 0) {
      // Root may search every directory, so for root the test puts a file in place of the directory.
      writeFileSync(join(root, 'plain'), '');
      expect(resolvePath('plain/x', root)).toMatchObject({ ok: false, failure: { code: 'unreadable' } });
      return;
    }
    mkdirSync(join(root, 'shut/in'), { recursive: true });
    chmodSync(join(root, 'shut'), 0o000);
    expect(resolvePath('shut/in/x', root)).toMatchObject({ ok: false, failure: { code: 'system' } });
    chmodSync(join(root, 'shut'), 0o700);
  });
});
