/** The build of this suite has its sanitizers, and the suite finds a report of one. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { programPath } from '../fixtures/programs.ts';

const scratch = mkdtempSync(join(tmpdir(), 'ape-sanitized-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const symbolsOf = (file: string): string => execFileSync('nm', ['-a', file], { encoding: 'utf8' });

describe('the sanitized build', () => {
  it.each([
    'ape-shell',
    'apes',
    'leash',
    'pump',
    'pty-leader',
    'hook-guard',
    'peer-uid',
    'deadline',
    'confinement-level',
  ])('%s has the sanitizers of addresses and of undefined behaviour', (name) => {
    expect(symbolsOf(programPath(name))).toMatch(
      / T __asan_default_options[\s\S]* T __asan_init[\s\S]* T __ubsan_default_options/,
    );
  });

  it('the library for bash ends at undefined behaviour', () => {
    expect(execFileSync('objdump', ['-d', programPath('confine.so')], { encoding: 'utf8' })).toMatch(/\bud2\b/);
  });
});

describe('a planted use of', () => {
  const fault = (line: string): string => {
    const source = join(scratch, 'fault.c');
    const program = join(scratch, 'fault');
    const log = join(scratch, 'report');
    writeFileSync(
      source,
      `#include <limits.h>\n#include <stdlib.h>\nint main(int argc, char **argv) { (void)argv; ${line} }\n`,
    );
    const options = new URL('../fixtures/sanitizer-options.c', import.meta.url).pathname;
    execFileSync('cc', [
      ...['-O1', '-fsanitize=address,undefined', '-static-libasan', '-static-libubsan', '-fno-sanitize-recover=all'],
      ...[`-DSANITIZER_REPORTS="${log}"`, options, source, '-o', program],
    ]);
    const { status, pid } = spawnSync(program);
    return `${status} ${execFileSync('cat', [`${log}.${pid}`], { encoding: 'utf8' })}`;
  };

  it('a block that was freed is reported, with status 99', () => {
    expect(fault('volatile char *p = malloc(4); free((void *)p); return p[argc];')).toMatch(
      /^99 [\s\S]*heap-use-after-free/,
    );
  });

  it('a signed number that overflows is reported', () => {
    expect(fault('volatile int most = INT_MAX; most += argc; return most > 0;')).toMatch(/signed integer overflow/);
  });
});
