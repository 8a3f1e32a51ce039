/** How many files a line would delete, move, change or overwrite, counted on a real file system without running it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { remoteMountsIn } from '../../src/gate/impact/remote-mounts.ts';
import { ImpactStage } from './impact-stage.ts';

let stage: ImpactStage;
beforeEach(() => {
  stage = new ImpactStage();
});
afterEach(() => stage.close());

describe('what rm would delete', () => {
  it('is counted with its size, and is still there afterwards', async () => {
    stage.files(['build/a.o', 'build/sub/b.o', 'build/empty/', 'kept'], 1_000);
    const found = await stage.one('rm -rf build');
    expect(found).toMatchObject({ count: 5, bytes: 2_000, isCut: false, note: null });
    expect(found.what).toBe('files and directories deleted by rm -rf build');
    expect(stage.names(found)).toEqual(['build/', 'build/a.o', 'build/empty/', 'build/sub/', 'build/sub/b.o']);
    expect(existsSync(join(stage.directory, 'build/sub/b.o'))).toBe(true);
  });

  it('does not include what lies behind a symbolic link', async () => {
    stage.files(['outside/1', 'outside/2', 'build/a']);
    symlinkSync(join(stage.directory, 'outside'), join(stage.directory, 'build/link'));
    symlinkSync(join(stage.directory, 'outside'), join(stage.directory, 'top'));
    expect(stage.names(await stage.one('rm -rf build'))).toEqual(['build/', 'build/a', 'build/link']);
    expect(await stage.one('rm -rf top')).toMatchObject({ count: 1, bytes: 0 });
  });

  /** Runs the line in bash, and returns which files it has deleted. */
  function deletedBy(line: string): readonly string[] {
    const all = () =>
      execFileSync('find', ['.', '-mindepth', '1'], { cwd: stage.directory, encoding: 'utf8' }).trim().split('\n');
    const before = all();
    spawnSync('bash', ['-c', line], { cwd: stage.directory });
    const after = new Set(all());
    return before.filter((name) => !after.has(name));
  }

  it.each([
    'rm -rf link/',
    'rm -rf */',
    'rm -rf ./link/.//',
    'rm -r l*k/',
    'find link/ -delete',
    'find -P -O3 link/ -delete',
  ])('includes what lies behind a link with a slash: %s', async (line) => {
    stage.files(['dir/a', 'file']);
    const outside = new ImpactStage();
    outside.files(['1', 'deep/2']);
    symlinkSync(outside.directory, join(stage.directory, 'link'));
    const found = await stage.one(line);
    expect(found.note).toBe('a link to a directory was followed');
    expect(stage.names(found)).toEqual(expect.arrayContaining(['link/1', 'link/deep/', 'link/deep/2']));
    const deleted = deletedBy(line).map((name) => name.slice(2));
    expect(stage.names(found).map((name) => name.replace(/\/$/, ''))).toEqual(expect.arrayContaining(deleted));
    if (!line.endsWith('.//')) expect(existsSync(join(outside.directory, 'deep/2'))).toBe(false);
    outside.close();
  });

  it('does not include a file or nothing with a slash', async () => {
    stage.files(['file']);
    symlinkSync(join(stage.directory, 'file'), join(stage.directory, 'link'));
    for (const line of ['rm -rf file/', 'rm -rf link/', 'rm -rf gone/']) {
      expect(await stage.one(line), line).toMatchObject({ count: 0 });
      expect(deletedBy(line), line).toEqual([]);
    }
  });

  it('is not known if find follows links', async () => {
    const behind = ['find link -follow -delete', "find link -name '*.o' -follow -delete"];
    for (const line of ['find -L link -delete', 'find -H link -delete', 'find -P -L link -delete', ...behind])
      expect(await stage.one(line), line).toMatchObject({ count: null, note: 'it follows links' });
  });

  it('is for chmod also what lies behind a link that it names; with -H or -L of chown it is not known', async () => {
    stage.files(['outside/1', 'outside/2']);
    symlinkSync('outside', join(stage.directory, 'link'));
    expect(await stage.one('chmod -R 700 link')).toMatchObject({ count: 3 });
    expect(await stage.one('chmod 700 link')).toMatchObject({ count: 1 });
    expect(await stage.one('chown -R 0 link')).toMatchObject({ count: 1 });
    for (const line of ['chown -RL 0 link', 'chown -R -H 0 link', 'chgrp -LR 0 link'])
      expect(await stage.one(line), line).toMatchObject({ count: null, note: 'it follows links' });
  });

  it('is for chown and chgrp the file behind a link, and with -h the link', async () => {
    stage.files(['outside'], 100);
    symlinkSync('outside', join(stage.directory, 'link'));
    for (const line of ['chown 0 link', 'chgrp -v 0 link', 'chown --dereference 0 link', 'chmod 600 link'])
      expect([line, await stage.one(line)]).toMatchObject([line, { count: 1, bytes: 100 }]);
    for (const line of ['chown -h 0 link', 'chgrp -vh 0 link', 'chown --no-dereference 0 link', 'chown -R 0 link'])
      expect([line, await stage.one(line)]).toMatchObject([line, { count: 1, bytes: 0 }]);
  });

  it('is with -xdev of find only what is on the file system of the starting point', async () => {
    const name = `ape-touches-${process.pid}`;
    const file = join('/dev/shm', name);
    writeFileSync(file, '');
    try {
      expect(await stage.one(`find /dev -name ${name} -delete`)).toMatchObject({ count: 1 });
      for (const line of [`find /dev -xdev -name ${name} -delete`, `find /dev -name ${name} -delete -mount`])
        expect([line, await stage.one(line)]).toMatchObject([line, { count: 0 }]);
      expect(await stage.one(`find /dev/shm -xdev -name ${name} -delete`)).toMatchObject({ count: 1 });
    } finally {
      rmSync(file);
    }
  });

  it('does not include what is behind a link with a name of dots', async () => {
    stage.files(['outside/1', 'outside/2']);
    symlinkSync('outside', join(stage.directory, '...'));
    expect(await stage.one('rm -r ./...')).toMatchObject({ count: 1 });
    expect(await stage.one('rm -r .../.')).toMatchObject({ count: 3 });
  });

  it('does not include a directory without -r', async () => {
    stage.files(['d/a', 'b']);
    expect(stage.names(await stage.one('rm d b'))).toEqual(['b']);
    expect(stage.names(await stage.one('rm -d d'))).toEqual(['d/']);
    expect(stage.names(await stage.one('rmdir d'))).toEqual(['d/']);
  });

  it('includes the parents that become empty with rmdir -p, but no other parents', async () => {
    stage.files(['a/b/c/', 'x/y/z/', 'x/kept', 'm/n/', 'm/o/', 'full/in/file']);
    expect(stage.names(await stage.one('rmdir a/b/c'))).toEqual(['a/b/c/']);
    for (const line of ['rmdir -p a/b/c', 'rmdir -vp a/b/c/', 'rmdir --parents a/*/c', 'cd a && rmdir -p ../a/b/c'])
      expect([line, (await stage.one(line)).count]).toEqual([line, 3]);
    expect(stage.names(await stage.one('rmdir -p a/b/c'))).toEqual(['a/', 'a/b/', 'a/b/c/']);
    expect(stage.names(await stage.one('cd a && rmdir -p b/c'))).toEqual(['a/b/', 'a/b/c/']);
    expect(stage.names(await stage.one(`rmdir -p ${stage.directory}/a/b/c x/y/z`))).toEqual(
      ['a/', 'a/b/', 'a/b/c/', 'x/y/', 'x/y/z/'].sort(),
    );
    expect(stage.names(await stage.one('rmdir -p m/n m/o'))).toEqual(['m/', 'm/n/', 'm/o/']);
    expect(stage.names(await stage.one('rmdir -p m/n'))).toEqual(['m/n/']);
    expect(stage.names(await stage.one('rmdir -p full/in'))).toEqual(['full/in/']);
  });

  it('is not known, and no 0, if a path cannot be looked at', async () => {
    stage.files(['a']);
    symlinkSync('loop', join(stage.directory, 'loop'));
    const note = expect.stringContaining('some paths cannot be looked at');
    for (const line of ['rm -rf loop/x', 'rmdir loop/x', 'cp a loop/x', 'truncate -s 0 loop/x', 'echo x > loop/x'])
      expect([line, await stage.one(line)]).toMatchObject([line, { count: null, bytes: null, note }]);
    expect(await stage.one('rm a loop/x')).toMatchObject({ count: 1, note });
  });

  it('is reported as nothing if nothing is there', async () => {
    expect(await stage.one('rm -rf nowhere')).toMatchObject({ count: 0, note: 'nothing is there' });
  });

  it('is unknown if only running the line would show it; the known part is counted', async () => {
    stage.files(['a']);
    expect(await stage.one('rm -rf $dir')).toMatchObject({
      count: null,
      note: 'only known when it runs: $dir',
    });
    expect(await stage.one('rm -rf "$dir" a')).toMatchObject({
      count: 1,
      note: 'only known when it runs: "$dir"',
    });
    expect(await stage.one('rm -rf {1..9..2}')).toMatchObject({
      count: null,
      note: 'only known when it runs: {1..9..2}',
    });
  });

  it('is looked for in the directory that cd leads to', async () => {
    stage.files(['sub/x/1', 'x/1', 'x/2']);
    expect(await stage.one('cd sub && rm -r x')).toMatchObject({ count: 2 });
    expect(await stage.one('cd "$where"; rm -r x')).toMatchObject({ count: null });
  });

  it('is found through wrappers, and not looked for on other hosts', async () => {
    stage.files(['x/1']);
    expect(await stage.one('timeout 5 env A=1 /bin/rm -rf x')).toMatchObject({ count: 2 });
    expect(await stage.one("bash -c 'rm -rf x'")).toMatchObject({ count: 2 });
    expect(await stage.one('ssh web rm -rf x')).toMatchObject({ count: null, note: 'it runs on another host' });
  });

  it('is what find passes to it', async () => {
    stage.files(['s/a.o', 's/b.c', 's/t/c.o']);
    for (const line of [
      "find s -name '*.o' -delete",
      "find s -name '*.o' -exec rm {} +",
      "find s -type f -name '*.o' -print0 | xargs -0 rm -f",
    ]) {
      const found = await stage.one(line);
      expect([line, stage.names(found), found.count]).toEqual([line, ['s/a.o', 's/t/c.o'], 2]);
    }
    expect(stage.names(await stage.one('find s -maxdepth 1 -type d -delete'))).toEqual(['s/', 's/t/']);
    expect(stage.names(await stage.one('find s -mindepth 2 -delete'))).toEqual(['s/t/c.o']);
    expect(await stage.one("find s -delete -name '*.o' -type f -empty")).toMatchObject({ count: 5, note: null });
    expect(await stage.one("find s -name '*.o' -o -mtime +3 -delete")).toMatchObject({
      count: 5,
      note: 'the expression of the command may choose fewer files',
    });
    expect(await stage.look("find s -name '*.o'")).toEqual([]);
  });

  it.each([
    'find s; xargs rm < list',
    'find s | xargs rm < list',
    'find s | xargs -a list rm',
    'find s > list | xargs rm',
    'true | find s; xargs rm | cat',
    'find s | sort | xargs rm',
    'find s | { xargs rm < list; }',
  ])('is not what find lists if find does not feed xargs: %s', async (line) => {
    stage.files(['s/a']);
    const deleted = (await stage.look(line)).filter(({ what }) => what.includes('deleted'));
    expect(deleted).toMatchObject([{ count: null }]);
  });

  it('is what the find in front of xargs lists, whatever other commands the line has', async () => {
    stage.files(['s/a', 't/b', 't/c']);
    for (const line of [
      'find s; find t -type f | xargs rm',
      'find s | cat; find t -type f | xargs -r rm -f -- 2>/dev/null',
      'find t -type f | xargs rm "$(find s)"',
      'cd t && find . -type f | xargs rm',
    ])
      expect([line, (await stage.one(line)).count]).toEqual([line, 2]);
  });

  it.each([
    ['find -files0-from list -delete', 'the preview does not know -files0-from'],
    ['find -f other -- s -delete', 'the preview does not know -f'],
    ['find s -type f $x -delete', 'the names are only known when the command runs'],
  ])('is not known if the expression may name further places: %s', async (line, note) => {
    stage.files(['s/a', 'other/b']);
    const [found] = await stage.look(line);
    expect(found).toMatchObject({ count: null, note });
  });

  it('is counted without waiting for a FIFO, and without opening a file', async () => {
    stage.files(['d/']);
    execFileSync('mkfifo', [join(stage.directory, 'd/fifo'), join(stage.directory, 'fifo')]);
    expect(await stage.one('rm -rf d fifo')).toMatchObject({ count: 3, bytes: 0 });
    expect(await stage.look('echo x > fifo')).toEqual([]);
  });
});

describe('patterns', () => {
  it('expand to what bash makes of them', async () => {
    stage.files([
      'a.o',
      'b.o',
      '.hidden.o',
      'c d.o',
      'x1',
      'x2',
      'x10',
      '[q]',
      'a*b',
      'dir/a.o',
      'dir/b.c',
      'é.o',
      '-n.o',
    ]);
    const patterns = [
      '*.o',
      '*',
      '.*.o',
      'x?',
      'x[12]',
      'x[!1]',
      '[a-b].o',
      '"c d".o',
      "'['q]",
      'a\\*b',
      'd*/*.o',
      'x{1,2}',
      'x{1..3}',
      '{a,b}.o',
      '{a..c}.o',
      'x{3..1}',
      './*.o',
      '*/',
      '[[:alpha:]].o',
      'x[1',
      '??.o',
      'dir/{a.o,b.c}',
      '*.{o,none}',
      '**/*.c',
      '[[:constructor:]].o',
      '[[:word:]].o',
      '[[:print:]][[:graph:]].o',
      'c[[:blank:]]d.o',
      '["]"a].o',
      "'['[!\"]\"]']'",
    ];
    for (const pattern of patterns) {
      // With `nullglob` bash removes a pattern that matches nothing. A word without a pattern stays, even if no such file exists.
      const listed = execFileSync(
        'bash',
        ['-c', `shopt -s nullglob; for f in ${pattern}; do [ -e "$f" ] && printf '%s\\0' "$f"; done; :`],
        {
          cwd: stage.directory,
          stdio: ['ignore', 'pipe', 'inherit'],
          env: { LC_ALL: 'C.UTF-8', PATH: process.env['PATH'] },
          encoding: 'utf8',
        },
      );
      const expected = listed
        .split('\0')
        .filter((name) => name !== '')
        .map((name) => name.replace(/^\.\//, ''));
      const found = await stage.one(`chmod 600 -- ${pattern}`);
      const opened = found.count ?? -1;
      expect([pattern, opened]).toEqual([pattern, expected.length]);
      if (opened <= 8)
        expect([pattern, stage.names(found)]).toEqual([
          pattern,
          expected.map((name) => (name === 'dir' ? 'dir/' : name)).sort(),
        ]);
    }
  });

  it('that are hostile do not take long', async () => {
    stage.files([`${'a'.repeat(250)}b`]);
    const before = process.cpuUsage();
    await stage.look(`rm ${'*a'.repeat(120)}`);
    await stage.look(`rm ${'{a,b}'.repeat(60)}`);
    const { user, system } = process.cpuUsage(before); // of this process, whatever else runs here
    expect((user + system) / 1000).toBeLessThan(5_000);
  });
});

describe('what other commands would touch', () => {
  it('includes what mv moves, and what it overwrites at the target', async () => {
    stage.files(['a', 'b', 'to/a', 'file']);
    const [moved, replaced] = await stage.look('mv a b to');
    expect(moved).toMatchObject({ what: 'files and directories moved by mv a b to', count: 2, bytes: 20 });
    expect(replaced && stage.names(replaced)).toEqual(['to/a']);
    const copied = await stage.look('cp a file');
    expect(copied).toMatchObject([{ what: 'files overwritten by cp a file', count: 1, bytes: 10 }]);
    expect(await stage.look('cp -n a file')).toEqual([]);
    expect(await stage.look('cp a new')).toEqual([]);
    expect(await stage.look('mv -t to b')).toHaveLength(1);
    stage.files(['large'], 100);
    symlinkSync('large', join(stage.directory, 'link'));
    symlinkSync('../large', join(stage.directory, 'to/b'));
    for (const line of ['cp a link', 'cp b to'])
      expect([line, await stage.look(line)]).toMatchObject([line, [{ count: 1, bytes: 100 }]]);
    expect(await stage.look('cp --remove-destination a link')).toMatchObject([{ count: 1, bytes: 0 }]);
    expect((await stage.look('mv a link'))[1]).toMatchObject({ count: 1, bytes: 0 });
  });

  it('includes files that get another mode or owner', async () => {
    stage.files(['d/a', 'd/b', 'c']);
    expect(await stage.one('chmod -R go-w d')).toMatchObject({ count: 3 });
    expect(await stage.one('chmod -x c d')).toMatchObject({ count: 2 });
    expect(await stage.one('chown -R u:g d c')).toMatchObject({ count: 4 });
    expect(await stage.one('chmod --reference=c d')).toMatchObject({ count: 1 });
    expect(await stage.one('chmod --reference c d')).toMatchObject({ count: 1 });
    expect(await stage.one('chown --from c root d')).toMatchObject({ count: 1 });
  });

  it('includes what a redirection, dd, truncate or tee overwrites, but not what >> appends to', async () => {
    stage.files(['log', 'empty']);
    execFileSync('truncate', ['-s', '0', 'empty'], { cwd: stage.directory });
    for (const line of ['echo x > log', 'dd if=/dev/zero of=log bs=1 count=1', 'truncate -s 0 log', 'echo | tee log'])
      expect([line, await stage.look(line)]).toMatchObject([line, [{ count: 1, bytes: 10 }]]);
    for (const line of [
      'echo x >> log',
      'echo x > empty',
      'echo x > new',
      'echo | tee -a log',
      'ls 2>&1',
      'ls >/dev/null',
    ])
      expect([line, await stage.look(line)]).toEqual([line, []]);
  });

  it('includes the file behind a link that is overwritten', async () => {
    stage.files(['log'], 100);
    symlinkSync('log', join(stage.directory, 'link'));
    symlinkSync('nothing', join(stage.directory, 'dangling'));
    for (const line of [
      'echo x > link',
      'dd if=/dev/zero of=link',
      'truncate -s 0 link',
      'echo | tee link',
      'shred link',
    ])
      expect([line, await stage.look(line)]).toMatchObject([line, [{ count: 1, bytes: 100 }]]);
    stage.files(['1', '-']);
    for (const line of [': > 1', ': > -', 'true &> 1'])
      expect([line, await stage.look(line)]).toMatchObject([line, [{ count: 1 }]]);
    for (const line of ['true >&1', 'true >&-', 'true > /dev/tcp/h/1', 'true >&/dev/tcp/h/1'])
      expect([line, await stage.look(line)]).toEqual([line, []]);
    for (const line of ['echo x > dangling', 'echo x | tee /dev/stderr', 'echo x > /dev/stdout', 'echo x >/dev/null'])
      expect([line, await stage.look(line)]).toEqual([line, []]);
  });

  it('includes what rsync --delete does not find in the source', async () => {
    stage.files(['src/a', 'src/d/b', 'dst/a', 'dst/old', 'dst/d/old', 'dst/gone/x', 'into/src/old', 'into/kept']);
    expect(stage.names(await stage.one('rsync -a --delete src/ dst/'))).toEqual([
      'dst/d/old',
      'dst/gone/',
      'dst/gone/x',
      'dst/old',
    ]);
    expect(stage.names(await stage.one('rsync -a --delete src into'))).toEqual(['into/src/old']);
    for (const source of ['src/.', 'src/d/..', './src/'])
      expect(await stage.one(`rsync -a --delete ${source} dst`)).toMatchObject({ count: 4 });
    expect(await stage.one("rsync -a --delete --exclude '*.o' src/ dst")).toMatchObject({
      note: 'excluded files stay',
    });
    expect(await stage.one('rsync -a --delete src/ web:dst')).toMatchObject({ count: null });
    expect(await stage.look('rsync -a src/ dst/')).toEqual([]);
  });
});

describe('the limits', () => {
  it('stop the counting at 20,000 files, and the answer says so', async () => {
    for (let at = 0; at < 41; at++) {
      mkdirSync(join(stage.directory, `many/${at}`), { recursive: true });
      stage.files([`many/${at}/0`]);
      for (let name = 1; name < 500; name++)
        linkSync(join(stage.directory, `many/${at}/0`), join(stage.directory, `many/${at}/${name}`));
    }
    const found = await stage.one('rm -rf many');
    expect(found.isCut).toBe(true);
    expect(found.count).toBeGreaterThanOrEqual(19_900);
    expect(found.note).toMatch(/^more than (?:19,\d{3}|20,\d{3}), counting stopped$/);
    expect(found.items).toHaveLength(8);
    // The counting stops before the last part of the pattern. The paths so far do not match the pattern.
    expect(await stage.one('rm -f many/*/*/none')).toMatchObject({ isCut: true, items: [] });
  });

  it('stop the counting in time, whatever is left', async () => {
    for (let at = 0; at < 20; at++) stage.files(Array.from({ length: 100 }, (_, name) => `many/${at}/${name}`));
    const before = process.cpuUsage();
    const found = await stage.look('rm -rf many; rm -rf many/1; kill 1', 1);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(100);
    expect(found.every(({ isCut }) => isCut)).toBe(true);
    expect(found.at(-1)).toMatchObject({ count: null, note: 'not looked up: there was no time left' });
  });

  it('include a directory that cannot be read, which the answer names', async () => {
    stage.files(['d/locked/x']);
    chmodSync(stage.directory, 0o755);
    chmodSync(join(stage.directory, 'd/locked'), 0);
    const isRoot = process.getuid?.() === 0;
    // Root may read everything; the account `nobody` may not.
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(await stage.one('rm -rf d')).toMatchObject({ count: 2, note: 'some directories cannot be read' });
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(join(stage.directory, 'd/locked'), 0o700);
    }
  });

  it('exclude network file systems from counting', () => {
    const mounts = `22 1 8:1 / / rw - ext4 /dev/a rw
30 22 0:41 / /mnt/far\\040away rw,relatime shared:1 - nfs4 host:/x rw
31 22 0:42 / /home/u/web rw - fuse.sshfs web: rw
32 22 0:43 / /run/user/1000 rw - tmpfs tmpfs rw
33 22 0:44 / /merged rw - fuse.fuse-overlayfs x rw
34 22 0:45 / /bucket rw - fuse.gcsfuse x rw
35 22 0:46 / /run/user/1000/gvfs rw - fuse.gvfsd-fuse x rw`;
    expect(remoteMountsIn(mounts)).toEqual(['/mnt/far away', '/home/u/web', '/bucket', '/run/user/1000/gvfs']);
  });
});
