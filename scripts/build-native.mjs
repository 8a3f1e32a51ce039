/** Builds our C programs (bin/) and the library for bash, each from one source. They are hardened, or have sanitizers for the tests. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';

const PROGRAMS = {
  'ape-shell': 'bin/launcher.c',
  deadline: 'bin/deadline.c',
  'pty-leader': 'bin/pty-leader.c',
  leash: 'bin/leash.c',
  pump: 'bin/pump.c',
  'hook-guard': 'bin/hook-guard.c',
  'peer-uid': 'bin/peer-uid.c',
  'confinement-level': 'bin/confinement-level.c',
};

const isLinux = process.platform === 'linux';

/**
 * The flags for every C file. Warnings of `-Wconversion` do not stop a build, because another compiler may warn more often than the
 * compiler of the tests. Programs on macOS are position-independent, and bound at their start, without a flag.
 */
const FLAGS = [
  ...[
    '-std=gnu11',
    '-O2',
    '-Wall',
    '-Wextra',
    '-Werror',
    '-Wconversion',
    '-Wno-error=conversion',
    '-Wno-error=sign-conversion',
  ],
  // `-U` comes first, because a distribution may define the macro by default. An older libc warns that it supports only level 2.
  ...['-fstack-protector-strong', '-U_FORTIFY_SOURCE', '-D_FORTIFY_SOURCE=3', '-Wno-error=cpp'],
  ...(isLinux ? ['-Wl,-z,relro,-z,now,-z,noexecstack'] : []),
];

/**
 * The address sanitizer has no static form, and a bash that was built without it cannot load it. So the library for bash has only
 * the undefined-behaviour sanitizer, which ends the process with SIGILL and needs no runtime library.
 */
const SANITIZED = ['-g', '-O1', '-fno-omit-frame-pointer', '-U_FORTIFY_SOURCE', '-fno-sanitize-recover=all'];
const SANITIZED_PROGRAM = [
  ...SANITIZED,
  '-fsanitize=address,undefined',
  '-static-libasan',
  '-static-libubsan',
  'test/fixtures/sanitizer-options.c',
];
const SANITIZED_LIBRARY = [...SANITIZED, '-fsanitize=undefined', '-fsanitize-undefined-trap-on-error'];

/** The flags for the library that the gated bash loads. It must never be unloaded, because its handlers for forks would be gone. */
const LIBRARY = ['-shared', '-fPIC', '-fvisibility=hidden', '-Wl,-z,nodelete'];

/** Ways to link a program; the first that works is used: static, so that LD_PRELOAD has no effect, and at a random address. */
const STATIC_OR_NOT = [['-static-pie', '-fPIE'], ['-static'], ['-pie', '-fPIE']];

/**
 * Compiles all programs and the library. Call it with the project as current directory.
 *
 * @param {object} options
 * @param {string} options.out  the folder in which bin/ gets the programs
 * @param {string} options.buildId  the id of this build
 * @param {boolean} options.isSanitized  with sanitizers in place of the hardening that they replace
 * @param {string} [options.node]  the absolute path of the node that the launcher starts
 * @throws if there is no compiler, a source is missing or one does not compile
 */
export function buildNative({ out, buildId, isSanitized, node = process.execPath }) {
  const compiler = process.env.CC || 'cc';
  if (spawnSync(compiler, ['--version'], { stdio: 'ignore' }).status !== 0)
    throw new Error(
      `no C compiler: \`${compiler}\` does not start; install one (Debian: apt-get install build-essential; macOS: xcode-select --install)`,
    );
  mkdirSync(`${out}/bin`, { recursive: true });
  const defined = [`-DAPE_NODE="${node}"`, `-DAPE_BUILD="${buildId}"`];
  const reports = `-DSANITIZER_REPORTS="${join(process.cwd(), out, '../reports')}/at"`;
  const flags = [...FLAGS, ...defined, ...(isSanitized ? [...SANITIZED_PROGRAM, reports] : [])];
  const links = isLinux && !isSanitized ? STATIC_OR_NOT : [[]];
  for (const [name, source] of Object.entries(PROGRAMS)) compile(compiler, flags, links, source, `${out}/bin/${name}`);
  if (!isLinux) return;
  const library = [...FLAGS, ...LIBRARY, ...(isSanitized ? SANITIZED_LIBRARY : [])];
  compile(compiler, library, [[]], 'bin/confine-builtin.c', `${out}/bin/confine.so`);
}

/**
 * Compiles to a new file and renames it, because a running program cannot be overwritten. Shows the compiler's warnings. If all ways to
 * link fail, shows the errors of the last way.
 * @param {string} compiler
 * @param {readonly string[]} flags
 * @param {readonly (readonly string[])[]} links ways to link, in the order in which they are tried
 * @param {string} source
 * @param {string} target
 */
function compile(compiler, flags, links, source, target) {
  if (!existsSync(source)) throw new Error(`${source} is missing: the checkout is not complete`);
  const fresh = `${target}.new-${process.pid}`;
  for (const link of links.slice(0, -1)) {
    const { status, stderr } = spawnSync(compiler, [...flags, ...link, source, '-o', fresh]);
    if (status !== 0) continue;
    process.stderr.write(stderr);
    return renameSync(fresh, target);
  }
  execFileSync(compiler, [...flags, ...(links.at(-1) ?? []), source, '-o', fresh], { stdio: 'inherit' });
  renameSync(fresh, target);
}
