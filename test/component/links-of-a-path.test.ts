/** Where a path leads through symbolic links, compared with the kernel: `..` behind a link is the directory above the target of the link. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveTarget } from '../../src/gate/facts/real-path.ts';
import { resolveCommand } from '../../src/gate/facts/resolve-command.ts';
import { resolveProgram } from '../../src/platform/own-program.ts';
import { filesOfCommand } from '../../src/platform/server-files.ts';
import { goesThroughKernelFiles } from '../../src/run/kernel-files.ts';
import { readScript } from '../../src/run/source-text.ts';
import { anyPath, anyTree, buildTree } from './link-trees.ts';

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ape-links-')));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

it('of a file that exists, or of a file that a program would make, on random trees', () => {
  const seen = { same: 0, made: 0 };
  fc.assert(
    fc.property(anyTree, anyPath, (tree, asked) => {
      const base = buildTree(root, tree);
      const path = `${base}/${asked}`;
      const target = resolveTarget(path);
      fc.pre(target.startsWith(`${root}/`)); // the test writes nothing outside of its root
      try {
        expect(target).toBe(realpathSync.native(path));
        seen.same += 1;
        return;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error)) throw error;
      }
      try {
        writeFileSync(path, 'made', { flag: 'wx' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return; // a parent is missing, so nothing can be made there
        try {
          writeFileSync(path, 'made'); // through a dangling link
        } catch {
          return;
        }
      }
      expect(target).toBe(realpathSync.native(path));
      seen.made += 1;
    }),
    { numRuns: 1_000 },
  );
  expect(seen.same).toBeGreaterThan(50);
  expect(seen.made).toBeGreaterThan(20);
});

describe('with `..` behind a link in the target of a link', () => {
  let base: string;
  beforeAll(() => {
    base = mkdtempSync(join(root, 'd'));
    mkdirSync(join(base, 'far/inner'), { recursive: true });
    symlinkSync('far/inner', join(base, 'sub'));
    symlinkSync('sub/../new', join(base, 'dangling'));
    symlinkSync('/usr/bin', join(base, 'bin'));
    symlinkSync('bin/../../proc/self/environ', join(base, 'kernel'));
    symlinkSync(`${base}/bin/../../proc/self/environ`, join(base, 'absolute'));
    symlinkSync('bin/../../dev/../etc', join(base, 'through'));
    symlinkSync('round', join(base, 'round'));
    symlinkSync('sub/../prog', join(base, 'alias'));
    mkdirSync(join(base, 'far/self'));
    symlinkSync('sub/../self/environ', join(base, 'plain'));
    for (const [at, text] of [
      ['prog', 'near'],
      ['far/prog', 'far'],
      ['near-only', 'near'],
    ] as const) {
      writeFileSync(join(base, at), `#!/bin/sh\necho ${text}\n`);
      chmodSync(join(base, at), 0o755);
    }
  });

  it('a file that does not exist yet is below the target', () => {
    expect(resolveTarget(`${base}/dangling`)).toBe(`${base}/far/new`);
    expect(resolveTarget(`${base}/sub/../dangling`)).toBe(`${base}/far/dangling`);
  });

  it.each(['kernel', 'absolute', 'through', 'bin/../../proc/self/environ', 'bin/../../sys', 'round'])(
    'a file of the kernel is recognised: %s',
    (name) => {
      expect(goesThroughKernelFiles(`${base}/${name}`)).toBe(true);
    },
  );

  it.each(['plain', 'bin/../../etc/passwd', 'sub/../prog', 'none', 'prog/../../x', ''])(
    'another file is not: %j',
    (name) => {
      expect(goesThroughKernelFiles(`${base}/${name}`)).toBe(false);
    },
  );

  it('a path of more than 40 links counts as one of the kernel, and one of 40 does not', () => {
    const chain = mkdtempSync(join(root, 'c'));
    writeFileSync(join(chain, '0'), '');
    for (let at = 1; at <= 41; at += 1) symlinkSync(String(at - 1), join(chain, String(at)));
    expect(goesThroughKernelFiles(join(chain, '40'))).toBe(false);
    expect(statSync(join(chain, '40')).isFile()).toBe(true);
    expect(goesThroughKernelFiles(join(chain, '41'))).toBe(true);
    expect(() => statSync(join(chain, '41'))).toThrow('ELOOP');
  });

  it('the program and the script are those that bash runs', () => {
    const surroundings = { cwd: base, entries: new Map([['PATH', `${base}/sub/..`]]) };
    const found = (name: string) => resolveCommand(name, name, 'file', surroundings);
    expect(found('sub/../prog')).toMatchObject({ kind: 'file', realPath: `${base}/far/prog` });
    expect(found('prog')).toMatchObject({ kind: 'file', realPath: `${base}/far/prog` });
    expect(found('./sub/../near-only')).toMatchObject({ kind: 'not found' });
    expect(resolveProgram('sub/../prog', '', base)).toBe(`${base}/far/prog`);
    expect(resolveProgram('prog', `${base}/sub/..`, '/')).toBe(`${base}/far/prog`);
    expect(resolveProgram('./sub/../near-only', '', base)).toBeNull();
    expect(resolveProgram('./alias', '', base)).toBe(`${base}/far/prog`);
    const server = filesOfCommand(['sh', 'sub/../prog'], process.env['PATH'] ?? '', base);
    expect(server.ok && server.value.files.map(({ path }) => path)).toContain(`${base}/far/prog`);
    const script = readScript('sub/../prog', undefined, base);
    expect(script.ok && script.value.text).toBe(readFileSync(`${base}/far/prog`, 'utf8'));
    expect(readScript('sub/../near-only', undefined, base).ok).toBe(false);
  });

  it('the directories of the way that others can change are those of the links', () => {
    chmodSync(join(base, 'far'), 0o777);
    const found = resolveCommand('sub/../prog', 'sub/../prog', 'file', { cwd: base, entries: new Map() });
    expect(found.kind === 'file' ? found.writable : []).toContainEqual({ path: join(base, 'far'), by: 'others' });
    chmodSync(join(base, 'far'), 0o755);
  });
});
