/** Copies the built package to a place that every user can read, like a system-wide installation, because a checkout may be under /root. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeDirectory } from '../../scripts/remove-directory.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @property directory the package; `dist/bin/ape-shell` lies below it */
export interface PublicPackage {
  readonly directory: string;
  readonly shell: string;
  readonly apes: string;
  remove(): void;
}

export function requireRoot(): void {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new Error(
      'the tests of login shells need root on Linux (they make a user): run `sudo npm test`, or npm test in a container',
    );
}

export function installPublicly(): PublicPackage {
  requireRoot();
  const directory = mkdtempSync('/opt/ape-shell-test-');
  try {
    chmodSync(directory, 0o755);
    execFileSync('cp', ['-r', '--parents', '-t', directory, 'dist', 'package.json'], { cwd: root });
    const packages = ['--parents', '-t', directory, ...productionPackages()];
    // Hard links take a tenth of the time of copies, but work on the same file system only.
    if (spawnSync('cp', ['-rl', ...packages], { cwd: root }).status !== 0)
      execFileSync('cp', ['-r', ...packages], { cwd: root });
    execFileSync('chmod', ['-R', 'a+rX', directory]);
    bringNode(directory);
  } catch (error) {
    removeDirectory(directory);
    throw error;
  }
  return {
    directory,
    shell: join(directory, 'dist/bin/ape-shell'),
    apes: join(directory, 'dist/bin/apes'),
    remove: () => {
      removeDirectory(directory);
      // Only a test that failed has left such lines.
      execFileSync('sed', ['-i', `\\#^${directory}/#d`, '/etc/shells']);
    },
  };
}

/** Returns the top folders of the packages that `npm install --omit=dev` installs. Nested packages are copied with them. */
function productionPackages(): readonly string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  return Object.entries(lock.packages)
    .filter(
      ([path, { dev, devOptional }]) =>
        /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && dev !== true && devOptional !== true,
    )
    .map(([path]) => path)
    .filter((path) => existsSync(join(root, path)));
}

/** If node lies where other users cannot run it, as in a user's home, puts a copy of node and a launcher that names it into the package. */
function bringNode(directory: string): void {
  if (mayEverybodyRun(process.execPath)) return;
  const node = join(directory, 'node');
  copyFileSync(process.execPath, node);
  chmodSync(node, 0o755);
  // A launcher of another build than the resident gate's does not ask that gate, and so starts this node for every call.
  const words = ['-O2', '-static', `-DAPE_NODE="${node}"`, '-DAPE_BUILD="public"', join(root, 'bin/launcher.c'), '-o'];
  for (const name of ['ape-shell', 'apes']) execFileSync('cc', [...words, join(directory, 'dist/bin', name)]);
}

const mayEverybodyRun = (file: string): boolean =>
  spawnSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', 'test', '-x', file]).status === 0;
