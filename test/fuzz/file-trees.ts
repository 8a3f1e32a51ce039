/** Random trees of files, directories and links, and what changed in them. */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Random } from './random.ts';

/**
 * @property base  the directory of all; `home` and `1/2/3/work` and `1/2/3/out` are in it
 * @property cwd   where the line runs
 * @property shown the tree as text
 * @property paths the paths of all files, directories and links, relative to `cwd`
 * @property said  the words for paths that the line has already
 */
export interface Tree {
  readonly base: string;
  readonly cwd: string;
  readonly shown: string;
  readonly paths: readonly string[];
  readonly said: string[];
}

/** @property how `read`: the content of the file is in the output or in another file */
export interface Change {
  readonly how: 'gone' | 'made' | 'changed' | 'read';
  readonly path: string;
}

/** What is compared: a directory has no times, because they change with its names. */
interface Entry {
  readonly kind: string;
  readonly content: string;
  readonly mode: number;
  readonly mtimeMs: number;
}
type Snapshot = ReadonlyMap<string, Entry>;

export const NAMES = [
  'a',
  'b',
  'c',
  'd',
  'a',
  'b',
  'c',
  'd',
  'e.gz',
  'e',
  '-r',
  '-f',
  '--',
  '.h',
  'a b',
  's.tar',
  's.tar',
  'w.zip',
  'b.gz',
  '-L',
  '--parents',
  '-i',
];
/** The names in archives. No archive has the directories above its files. */
const PACKED = [['a/b/new'], ['b/a/c', 'c'], ['a/c/d', 'd/b/a'], ['d/a/b', 'b/new'], ['c/a', 'a']];
let packed: { readonly tar: readonly Buffer[]; readonly zip: readonly Buffer[] } | undefined;

/** Returns archives with this ending; an empty list if no packer for it is installed. */
function archivesOf(ending: string): readonly Buffer[] {
  if (ending !== 'tar' && ending !== 'zip') return [];
  packed ??= makeArchives();
  return packed[ending];
}

function makeArchives(): { readonly tar: readonly Buffer[]; readonly zip: readonly Buffer[] } {
  const directory = mkdtempSync(join(tmpdir(), 'ape-archives-'));
  for (const name of PACKED.flat()) {
    mkdirSync(join(directory, `${name}.d`, dirname(name)), { recursive: true });
    writeFileSync(join(directory, `${name}.d`, name), `packed ${name}\n`);
  }
  const made = (ending: string, pack: (file: string, name: string) => readonly string[]): readonly Buffer[] =>
    PACKED.flatMap((names, at) => {
      const file = join(directory, `${at}.${ending}`);
      const done = names.every((name) => {
        const [program = '', ...words] = pack(file, name);
        return spawnSync(program, words, { cwd: join(directory, `${name}.d`) }).status === 0;
      });
      return done ? [readFileSync(file)] : [];
    });
  const found = {
    tar: made('tar', (file, name) => ['tar', '-rf', file, name]),
    zip: made('zip', (file, name) => ['zip', '-q', file, name]),
  };
  rmSync(directory, { recursive: true, force: true });
  return found;
}

const TARGETS = [
  '..',
  '../..',
  '../out',
  '../out/a',
  '../out/b',
  '../out/new',
  'a',
  'b',
  'c',
  'd',
  'a/b',
  '../a',
  '../b',
  '../work/c',
  '../../out/a',
  '.',
  'nowhere',
  '@/1/2/3/out',
  '@/1/2/3/out/a',
  '@/1/2/3/work/d',
  '@/home',
  '@/1/2/3/out/c/new',
  '../out/b.gz',
  '../out/c',
  '../../out',
];

export function makeTree(base: string, random: Random): Tree {
  const cwd = join(base, '1/2/3/work');
  mkdirSync(cwd, { recursive: true });
  mkdirSync(join(base, '1/2/3/out'));
  mkdirSync(join(base, 'home'));
  const shown: string[] = [];
  const paths: string[] = [];
  let number = 0;
  const file = (at: string): void => {
    const text = `<<F${number++}:${at.slice(base.length)}>>\n`;
    const archives = archivesOf(at.slice(at.lastIndexOf('.') + 1));
    writeFileSync(at, at.endsWith('.gz') ? gzipSync(text) : archives.length > 0 ? random.pick(archives) : text);
  };
  const linkPart = random.pick([8, 15, 30]);
  const fill = (directory: string, depth: number): void => {
    const names = new Set(Array.from({ length: 2 + random.below(4) }, () => random.pick(NAMES)));
    for (const name of names) {
      const at = join(directory, name);
      const what = random.below(100) < linkPart ? 9 : random.below(7);
      paths.push(relative(cwd, at));
      const display = at.slice(base.length + (at.startsWith(cwd) ? 11 : 0));
      if (what < 4 || (what < 7 && depth >= 3)) {
        file(at);
        if (random.chance(0.1)) chmodSync(at, 0o444);
        shown.push(display);
      } else if (what < 7) {
        mkdirSync(at);
        shown.push(`${display}/`);
        fill(at, depth + 1);
      } else {
        const target = random.pick(TARGETS).replace('@', base);
        symlinkSync(target, at);
        shown.push(`${display}->${target.replace(base, '@')}`);
      }
    }
  };
  fill(cwd, 0);
  for (const name of ['s.tar', 'w.zip'])
    if (random.chance(0.3) && !paths.includes(name)) {
      file(join(cwd, name));
      paths.push(name);
      shown.push(name);
    }
  fill(join(base, '1/2/3/out'), 2);
  fill(join(base, 'home'), 2);
  file(join(base, '1/2/3/x'));
  file(join(base, '1/2/x'));
  return { base, cwd, shown: shown.join(' '), paths, said: [] };
}

const MAX_DEPTH = 20;

export function readTree({ base }: Tree): Snapshot {
  const found = new Map<string, Entry>();
  const visit = (at: string, depth: number): void => {
    const stat = lstatSync(at);
    const isDirectory = stat.isDirectory();
    const kind = isDirectory ? 'directory' : stat.isSymbolicLink() ? 'link' : 'file';
    const content = isDirectory ? '' : stat.isSymbolicLink() ? readlinkSync(at) : readFileSync(at, 'latin1');
    found.set(at, { kind, content, mode: stat.mode, mtimeMs: isDirectory ? 0 : stat.mtimeMs });
    // `cp -r a a/b` may make directories without end.
    if (isDirectory && depth < MAX_DEPTH) for (const name of readdirSync(at)) visit(join(at, name), depth + 1);
  };
  visit(base, 0);
  return found;
}

export function changesBetween(before: Snapshot, after: Snapshot, { base }: Tree): readonly Change[] {
  const output = join(base, 'output');
  const changes: Change[] = [];
  for (const [path, entry] of before) {
    const now = after.get(path);
    if (now === undefined) changes.push({ how: 'gone', path });
    else if (
      now.kind !== entry.kind ||
      now.content !== entry.content ||
      now.mode !== entry.mode ||
      now.mtimeMs !== entry.mtimeMs
    )
      changes.push({ how: 'changed', path });
  }
  for (const path of after.keys()) if (!before.has(path) && path !== output) changes.push({ how: 'made', path });
  const written = [...after].filter(([path, { content }]) => before.get(path)?.content !== content);
  for (const [path, { kind, content }] of before) {
    const text = kind === 'file' ? plainText(content).trim() : '';
    if (!text.startsWith('<<')) continue;
    if (written.some(([at, entry]) => at !== path && entry.kind === 'file' && entry.content.includes(text)))
      changes.push({ how: 'read', path });
  }
  return changes;
}

function plainText(content: string): string {
  if (!content.startsWith('\x1f\x8b')) return content;
  try {
    return gunzipSync(Buffer.from(content, 'latin1')).toString('latin1');
  } catch {
    return content;
  }
}
