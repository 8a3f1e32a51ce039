/** Runs before the first test: builds if `dist/` is older than the sources, so that no test starts old programs. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = [
  'src',
  'bin',
  'scripts/build.mjs',
  'scripts/build-native.mjs',
  'scripts/compile-cache.mjs',
  'scripts/merge-chunks.mjs',
  'scripts/licences.mjs',
  'package.json',
  'test/fixtures/sanitizer-options.c',
];

export default function buildDistIfOlder(): void {
  buildIfOlder(path.join(root, 'dist'), []);
}

/** @param flags of the build that writes this `dist`; the last file it writes is `built` */
export function buildIfOlder(dist: string, flags: readonly string[]): void {
  const built = path.join(dist, 'built');
  if (existsSync(built) && newestMs(SOURCES) < statSync(built).mtimeMs) return;
  execFileSync(process.execPath, ['scripts/build.mjs', ...flags], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function newestMs(names: readonly string[]): number {
  return Math.max(...names.map((name) => newestUnder(path.join(root, name))));
}

function newestUnder(at: string): number {
  const { mtimeMs } = statSync(at);
  if (!statSync(at).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(at).map((name) => newestUnder(path.join(at, name))));
}
