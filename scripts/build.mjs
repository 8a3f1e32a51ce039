/**
 * Builds `dist/`: the native front door (C), the gate's entry (one CommonJS file each: it starts 5 ms faster than
 * the same code as ES modules, and every `ape-shell -c` pays that), and everything that is loaded lazily (ES modules).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const version = JSON.parse(readFileSync('package.json', 'utf8')).version;

function buildNative() {
  mkdirSync('dist/bin', { recursive: true });
  const compiler = process.env.CC || 'cc';
  if (spawnSync(compiler, ['--version'], { stdio: 'ignore' }).status !== 0)
    throw new Error(`no C compiler: \`${compiler}\` does not start; install one (Debian: apt-get install build-essential; macOS: xcode-select --install)`);
  const node = `-DAPE_NODE="${process.execPath}"`;
  const flags = ['-O2', '-Wall', '-Wextra', '-Werror', node];
  for (const [source, target] of [['bin/launcher.c', 'ape-shell'], ['bin/deadline.c', 'deadline'], ['bin/pty-leader.c', 'pty-leader']]) {
    if (!existsSync(source)) throw new Error(`${source} is missing: the checkout is not complete`);
    // Written beside and renamed: a running binary cannot be overwritten, and nobody must find half a file.
    const fresh = `dist/bin/${target}.new`;
    compile(compiler, [...flags, source, '-o', fresh]);
    execFileSync('mv', ['-f', fresh, `dist/bin/${target}`]);
  }
  copyFileSync('dist/bin/ape-shell', 'dist/bin/apes.new');
  chmodSync('dist/bin/apes.new', 0o755);
  execFileSync('mv', ['-f', 'dist/bin/apes.new', 'dist/bin/apes']);
}

/** Static where the platform can: then LD_PRELOAD does not reach the front door. */
function compile(compiler, args) {
  if (process.platform === 'linux' && spawnSync(compiler, [...args, '-static'], { stdio: 'ignore' }).status === 0) return;
  execFileSync(compiler, args, { stdio: 'inherit' });
}

async function buildScript() {
  const { build } = await import('esbuild');
  const shared = {
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
    legalComments: 'none',
    define: { APE_VERSION: JSON.stringify(version) },
  };
  await build({
    ...shared,
    entryPoints: ['src/main/ape-shell.ts', 'src/main/apes.ts'],
    format: 'cjs',
    outdir: 'dist/main',
    outExtension: { '.js': '.cjs' },
    minifySyntax: true,
    external: ['../lazy/*'],
  });
  await build({
    ...shared,
    entryPoints: ['src/main/interactive.ts', 'src/main/command-line.ts', 'src/main/waiting.ts'].filter((file) => existsSync(file)),
    format: 'esm',
    splitting: true,
    packages: 'external',
    outdir: 'dist/lazy',
    outExtension: { '.js': '.mjs' },
  });
}

rmSync('dist/main', { recursive: true, force: true });
rmSync('dist/lazy', { recursive: true, force: true });
buildNative();
await buildScript();
if (existsSync('src/web/assets')) cpSync('src/web/assets', 'dist/web/assets', { recursive: true });
if (existsSync('src/pty/setup.bash')) {
  mkdirSync('dist/pty', { recursive: true });
  cpSync('src/pty/setup.bash', 'dist/pty/setup.bash');
}
