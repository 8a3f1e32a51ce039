/** Lists the files that ape-shell reads. ape-shell starts only for a user who can read all these files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TrialJob } from './trial-job.ts';

/**
 * Returns node, all files in `dist`, our package.json, and the package.json of each direct dependency. Looks for a dependency in
 * `node_modules` of all parent directories, like Node. Leaves out a dependency that is not found. Throws if `dist` or our package.json
 * cannot be read.
 * @param dist an absolute path; all returned paths are absolute too
 */
export function neededFiles(dist: string): TrialJob['reachable'] {
  const built = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => ({ path: join(entry.parentPath, entry.name), isProgram: entry.parentPath === join(dist, 'bin') }));
  const packageFile = join(dirname(dist), 'package.json');
  const packages = dependencyNames(packageFile).flatMap((name) => findPackage(name, dirname(dist)));
  return [
    { path: process.execPath, isProgram: true },
    ...built,
    ...[packageFile, ...packages].map((path) => ({ path, isProgram: false })),
  ];
}

function dependencyNames(packageFile: string): readonly string[] {
  const { dependencies } = JSON.parse(readFileSync(packageFile, 'utf8')) as { dependencies?: Record<string, string> };
  return Object.keys(dependencies ?? {});
}

function findPackage(name: string, from: string): readonly string[] {
  const file = join(from, 'node_modules', name, 'package.json');
  if (existsSync(file)) return [file];
  return from === dirname(from) ? [] : findPackage(name, dirname(from));
}
