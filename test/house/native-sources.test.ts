/** No C file has a warning of the C compiler, for Linux or macOS, including warnings of conversions, which do not fail the build. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

/** Compiler options that select the code for macOS, and the declarations of its headers that our programs use. */
const MACOS = [
  '-U__linux__',
  '-Ulinux',
  '-D__APPLE__',
  `-I${fileURLToPath(new URL('../fixtures/macos', import.meta.url))}`,
];
const directory = fileURLToPath(new URL('../../bin/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'ape-c-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Returns the warnings of the compiler for a file; empty without a warning. */
function warningsOf(file: string, system: readonly string[] = []): string {
  const flags = [
    ...system,
    '-std=gnu11',
    '-O2',
    '-Wall',
    '-Wextra',
    '-Wconversion',
    '-Wsign-conversion',
    '-Werror',
    '-fsyntax-only',
  ];
  const defined = ['-DAPE_NODE="node"', '-DAPE_BUILD="build"', `-I${directory}`];
  const { status, stderr } = spawnSync(process.env.CC ?? 'cc', [...flags, ...defined, file], { encoding: 'utf8' });
  return status === 0 ? '' : `${status} ${stderr}`;
}

describe('the C sources', () => {
  const sources = readdirSync(directory).filter((name) => name.endsWith('.c'));

  it.each(sources)('%s compiles without a warning', (name) => {
    expect(warningsOf(join(directory, name))).toBe('');
  });

  // The loadable builtin of bash is for Linux only, because it confines.
  it.each(sources.filter((name) => name !== 'confine-builtin.c'))('%s compiles without a warning for macOS', (name) => {
    expect(warningsOf(join(directory, name), MACOS)).toBe('');
  });

  it('a declaration that only Linux has would give a warning for macOS', () => {
    const planted = join(scratch, 'linux-alone.c');
    writeFileSync(planted, '#include "base.h"\nuid_t user_of(const struct ucred *peer) { return peer->uid; }\n');
    expect(warningsOf(planted)).toBe('');
    expect(warningsOf(planted, MACOS)).toContain('ucred');
  });

  it('a conversion that loses bits would give a warning', () => {
    const planted = join(scratch, 'planted.c');
    writeFileSync(
      planted,
      `${readFileSync(join(directory, 'peer-uid.c'), 'utf8')}\nchar lost(long from) { return from; }\n`,
    );
    expect(warningsOf(planted)).toContain('conversion');
  });
});
