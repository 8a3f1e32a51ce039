/** Makes a directory tree with links of every kind, and finds the files that real programs reach by words there. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DIRECTORIES = ['src/a/b/c', 'a/b/c', '.git', '.claude', 'tmpl/.claude', 'up', 'x y', '[x]', 'b/..x', '*', '{}'];
const FILES = [
  'a.ts',
  'b.md',
  'c',
  '-x',
  '-rf.ts',
  'é',
  'new.ts',
  '.git/config',
  '.envrc',
  '.npmrc',
  '.env',
  'opencode.json',
  'a,b',
  '{1}',
  '~root',
  '~',
  'src/a.ts',
  'src/b.md',
  'src/a/b.md',
  'a/b/c/f',
  'src/.envrc',
  'src/-y',
  'a]',
  'x]',
  'tmpl/.claude/settings.json',
];
/** Each link with its target. `OUT` is a directory outside of the tree. */
const LINKS: readonly (readonly [string, string])[] = [
  ['lnk', 'OUT'],
  ['src/in', '../a'],
  ['a/b/c/deep', 'OUT/secret'],
  ['dangling', 'OUT/not-yet'],
  ['up/up', '..'],
  ['loop', 'loop'],
  ['src/a/outer', 'OUT'],
  ['away.md', 'OUT/secret'],
  ['inner.md', 'b.md'],
  ['a/proj', '../..'],
];

export interface WordTree {
  readonly directory: string;
  readonly home: string;
  readonly environment: ReadonlyMap<string, string>;
  /** Returns the arguments that each bash text prints. */
  readonly expand: (scripts: readonly string[]) => readonly (readonly string[])[];
  /** Returns where each of these paths leads by realpath(1). A path that does not exist stays as written. */
  readonly realPaths: (paths: readonly string[]) => readonly string[];
  readonly remove: () => void;
}

export function makeWordTree(): WordTree {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'ape-words-')));
  const [directory, home, out] = ['work/proj', 'home', 'out'].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ];
  for (const name of DIRECTORIES) mkdirSync(join(directory, name), { recursive: true });
  mkdirSync(join(home, '.ssh'), { recursive: true });
  mkdirSync(out);
  for (const name of FILES) writeFileSync(join(directory, name), 'x\n');
  for (const path of [
    join(home, '.ssh/id_rsa'),
    join(home, 'a.ts'),
    join(out, 'secret'),
    join(out, 'a.ts'),
    join(directory, '../a.ts'),
  ])
    writeFileSync(path, 'secret\n');
  for (const [name, target] of LINKS) symlinkSync(target.replace('OUT', out), join(directory, name));
  const environment = new Map([
    ['HOME', home],
    ['PATH', '/usr/bin:/bin'],
    ['LC_ALL', 'C.UTF-8'],
  ]);
  const run = (program: string, argv: readonly string[], input: string) => {
    const ran = spawnSync(program, argv, {
      cwd: directory,
      env: Object.fromEntries(environment),
      input,
      maxBuffer: 1 << 28,
    });
    if (ran.error !== undefined) throw ran.error;
    return ran.stdout.toString('utf8');
  };
  return {
    directory,
    home,
    environment,
    expand: (scripts) => {
      const text = scripts.map((script) => `printf '\\1\\0'\n${script}\n`).join('');
      const [, ...blocks] = run('/bin/bash', [], text).split('\u0001\0');
      return blocks.map((block) => block.split('\0').slice(0, -1));
    },
    realPaths: (paths) =>
      run('/usr/bin/xargs', ['-0', '-r', 'realpath', '-mz', '--'], paths.map((path) => `${path}\0`).join(''))
        .split('\0')
        .slice(0, -1),
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}
