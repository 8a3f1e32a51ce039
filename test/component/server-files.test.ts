/** The files of the command of an MCP server or an agent: each file that a word of the command can mean, and no data of the server. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { filesOfCommand } from '../../src/platform/server-files.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'server-files-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let count = 0;

/** Returns the files that the command has in a directory with these files, without the programs that are elsewhere. */
function filesOf(argv: readonly string[], ...names: readonly string[]): readonly string[] {
  const at = join(root, String(++count));
  mkdirSync(join(at, 'bin'), { recursive: true });
  for (const name of names) {
    mkdirSync(dirname(join(at, name)), { recursive: true });
    writeFileSync(join(at, name), name.endsWith('package.json') ? '{"main":"lib/start"}' : name);
  }
  const name = argv[0] ?? '';
  writeFileSync(join(at, 'bin', name), '#!/bin/sh\n', { mode: 0o755 });
  const found = filesOfCommand(
    argv.map((word) => word.replaceAll('HERE', at)),
    join(at, 'bin'),
    at,
  );
  if (!found.ok) return [found.failure.message];
  return found.value.files.map(({ path }) => relative(at, path)).filter((path) => path !== join('bin', name));
}

describe('a word of the command names', () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['a file without its ending', ['node', './server'], ['server.js']],
    ['a file behind an option with a value', ['node', '-r', './hook.js', './server'], ['hook.js', 'server.mjs']],
    ['a value without its ending', ['node', '-r', './hook', './server.js'], ['hook.cjs', 'server.js']],
    ['a value behind =', ['node', '--import=./hook.mjs', 'server.js'], ['hook.mjs', 'server.js']],
    ['a value behind a short option', ['ruby', '-r./hook', 'server'], ['hook.rb', 'server']],
    ['an address', ['node', '--import', 'file://HERE/hook.mjs', 'server.js'], ['hook.mjs', 'server.js']],
    ['a directory', ['node', './server'], ['server/index.js']],
    ['the main file of a directory', ['node', '.'], ['package.json', 'lib/start.js']],
    ['a package of Python', ['python3', 'server'], ['server/__main__.py']],
    ['a module of Python', ['python3', '-m', 'a.b', '--x'], ['a/b.py', 'a/__init__.py']],
    ['a module that is a package', ['python3', '-u', '-m', 'server'], ['server/__init__.py', 'server/__main__.py']],
    ['a package of node', ['node', '-r', 'hook', 'server.js'], ['node_modules/hook/index.js', 'server.js']],
    ['a program of a package', ['npx', '-y', 'server'], ['node_modules/.bin/server']],
    ['a file of a directory that an option names', ['uv', '--directory', 'sub', 'run', 'server.py'], ['sub/server.py']],
    ['a script of the manifest', ['npm', 'run', 'start'], ['package.json']],
    ['a script of a manifest elsewhere', ['npm', '--prefix', 'sub', 'start'], ['sub/package.json']],
    ['what Bun loads first', ['bun', 'run', 'server.ts'], ['bunfig.toml', 'server.ts']],
    ['a file behind another program', ['timeout', '9', 'node', '-r', './hook', './server'], ['hook.js', 'server.js']],
    ['a file in the text of a shell', ['sh', '-c', 'exec node ./server --x'], ['server.js']],
    ['an archive in a list', ['java', '-cp', 'a.jar:b.jar', 'Main'], ['a.jar', 'b.jar']],
    ['settings of the server', ['serve', '--config=conf.yaml', 'more.txt'], ['conf.yaml', 'more.txt']],
    [
      'a file of any name that an interpreter runs',
      ['node', '-r', './hook.js', './server.db'],
      ['hook.js', 'server.db'],
    ],
  ])('%s: %j', (_, argv, files) => {
    expect([...filesOf(argv, ...files)].sort()).toEqual([...files].sort());
  });

  it.each<readonly [exported: unknown, word: string]>([
    ['./lib/a.mjs', 'hook'],
    [{ '.': './lib/a.mjs' }, 'hook'],
    [{ import: './lib/a.mjs' }, 'hook'],
    [{ node: { import: ['./lib/a.mjs'] } }, 'hook'],
    [['./lib/a.mjs'], 'hook'],
    [{ './part': { import: './lib/a.mjs' } }, 'hook/part'],
    [{ './*': './lib/*.mjs' }, 'hook/a'],
    [{ './x/*.js': { default: './lib/*.mjs' } }, 'hook/x/a.js'],
  ])('a file of a package with the exports %j: %s', (exported, word) => {
    const at = join(root, String(++count));
    mkdirSync(join(at, 'node_modules/hook/lib'), { recursive: true });
    writeFileSync(join(at, 'node_modules/hook/package.json'), JSON.stringify({ exports: exported }));
    for (const name of ['lib/a.mjs', 'lib/b.mjs']) writeFileSync(join(at, 'node_modules/hook', name), '');
    const found = filesOfCommand(['/usr/bin/env', 'node', '--import', word, 'server.js'], '', at);
    const paths = found.ok ? found.value.files.map(({ path }) => relative(at, path)) : [];
    expect(paths).toEqual(expect.arrayContaining(['node_modules/hook/package.json', 'node_modules/hook/lib/a.mjs']));
    expect(paths).not.toContain('node_modules/hook/lib/b.mjs');
  });

  it('a file that comes to be is another file of the server', () => {
    const before = filesOf(['node', './server'], 'server/index.js');
    expect(filesOf(['node', './server'], 'server/index.js', 'server.js')).not.toEqual(before);
  });
});

describe('no file of the server is', () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['its database', ['node', 'server.js', '--db', 'data.db'], ['data.db']],
    ['its database as a value', ['serve', '--db=data.sqlite', 'x.log'], ['data.sqlite', 'x.log']],
    ['its database behind a module', ['python3', '-m', 'serve', '--db-path', 'test.db'], ['test.db']],
    ['a manifest in the directory that it serves', ['npx', '-y', 'serve', 'HERE/sub'], ['sub/package.json']],
    ['a file in the directory that it serves', ['node', 'serve', 'HERE/sub'], ['sub/index.js', 'sub/package.json']],
    ['a file beside the directory that it serves', ['serve', 'sub'], ['sub/index.js', 'sub.js']],
  ])('%s: %j', (_, argv, files) => {
    expect(filesOf(argv, ...files)).toEqual([]);
  });
});

it('a link that leads nowhere is no file until it leads somewhere', () => {
  const at = join(root, 'link');
  mkdirSync(at);
  symlinkSync('later.js', join(at, 'server.js'));
  const paths = () => {
    const found = filesOfCommand(['/usr/bin/env', 'node', './server'], '', at);
    return found.ok ? found.value.files.map(({ path }) => relative(at, path)) : [];
  };
  expect(paths()).not.toContain('later.js');
  writeFileSync(join(at, 'later.js'), '');
  expect(paths()).toContain('later.js');
});

it('the files that a variable has a program load first belong to it', () => {
  const at = join(root, 'loads');
  mkdirSync(at);
  for (const name of ['server.js', 'hook.js', 'other.cjs']) writeFileSync(join(at, name), name);
  const found = filesOfCommand(['/usr/bin/env', 'node', 'server.js'], '', at, ['-r ./hook --import=./other.cjs']);
  const paths = found.ok ? found.value.files.map(({ path }) => relative(at, path)) : [];
  expect(paths).toEqual(expect.arrayContaining(['hook.js', 'other.cjs', 'server.js']));
});
