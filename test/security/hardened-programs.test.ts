/** The installed files of our C programs have the protections of compiler and linker against wrong memory accesses. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { DIST } from '../fixtures/programs.ts';

const isLinux = process.platform === 'linux';
const LIBRARY = 'confine.so';
/** Programs that read into a block of memory whose size is known only when they allocate it. */
const READERS = isLinux ? ['ape-shell', 'apes', 'hook-guard', 'leash', 'pump', LIBRARY] : [];
const SOURCES: Readonly<Record<string, string>> = {
  'ape-shell': 'launcher.c',
  apes: 'launcher.c',
  [LIBRARY]: 'confine-builtin.c',
};

const textOf = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', maxBuffer: 64 << 20 });

/**
 * The protections of a program.
 * @property isBound the loader fills the table of functions (GOT) at the start, and makes it read-only
 * @property needs   the libraries that the program loads
 */
interface Hardening {
  readonly isPie: boolean;
  readonly isBound: boolean;
  readonly hasDataOnlyStack: boolean;
  readonly needs: readonly string[];
  readonly checksItsStack: boolean;
}

function elfHardening(file: string, source: string): Hardening {
  const header = textOf('readelf', '-hW', file);
  const dynamic = textOf('readelf', '-dW', file);
  const segments = textOf('readelf', '-lW', file);
  return {
    isPie: /Type:\s+DYN/.test(header) && (file.endsWith(LIBRARY) || /FLAGS_1.*\bPIE\b/.test(dynamic)),
    isBound: /FLAGS\).*BIND_NOW/.test(dynamic) && /GNU_RELRO/.test(segments),
    hasDataOnlyStack: /GNU_STACK .* RW +0x/.test(segments),
    needs: [...dynamic.matchAll(/NEEDED.*\[(.*)\]/g)].map(([, name]) => name ?? ''),
    checksItsStack: ownCode(file, source).includes('<__stack_chk_fail'),
  };
}

/** Disassembles the functions of our source alone. A static program also has functions of the C library, which check their stack in any case. */
function ownCode(file: string, source: string): string {
  const ranges: [number, number][] = [];
  let of = '';
  for (const line of textOf('readelf', '-sW', file).split('\n')) {
    const [, value, size, type, , , , name] = line.trim().split(/\s+/);
    if (type === 'FILE') of = name ?? '';
    if (type === 'FUNC' && (of === source || name === 'main')) ranges.push([parseInt(value ?? '', 16), Number(size)]);
  }
  const code = ranges.map(([at, size]) =>
    textOf('objdump', '-d', '--no-show-raw-insn', `--start-address=${at}`, `--stop-address=${at + size}`, file),
  );
  return code.join('\n');
}

/** On macOS the linker always binds at the start, and the test does not check which libraries are loaded. */
const machHardening = (file: string): Hardening => ({
  isPie: /\bPIE\b/.test(textOf('otool', '-hv', file)),
  isBound: true,
  hasDataOnlyStack: !/ALLOW_STACK_EXECUTION/.test(textOf('otool', '-hv', file)),
  needs: [],
  checksItsStack: /___stack_chk_fail/.test(textOf('nm', '-u', file)),
});

const hardeningOf = (file: string, source: string): Hardening =>
  isLinux ? elfHardening(file, source) : machHardening(file);

const HARD: Hardening = { isPie: true, isBound: true, hasDataOnlyStack: true, needs: [], checksItsStack: true };

describe('the installed programs', () => {
  const bin = join(DIST, 'bin');
  const files = readdirSync(bin);

  it('are all there', () => {
    expect(files.length).toBeGreaterThan(8);
  });

  it.each(files)(
    '%s can be loaded at any address, is bound at the start, checks its stack and loads no needless library',
    (name) => {
      const needs = name === LIBRARY ? ['libc.so.6'] : [];
      expect(hardeningOf(join(bin, name), SOURCES[name] ?? `${name}.c`)).toEqual({ ...HARD, needs });
    },
  );

  it.each(READERS)('%s checks the size of the block that it reads into (_FORTIFY_SOURCE=3)', (name) => {
    expect(textOf('readelf', '-sW', join(bin, name))).toContain('__read_chk');
  });
});

describe('the check recognizes a program that is built', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'ape-hardened-'));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  const built = (...flags: readonly string[]): Hardening => {
    const program = join(scratch, 'planted');
    const source = fileURLToPath(new URL('../../bin/peer-uid.c', import.meta.url));
    const hardened = ['-O2', '-fPIE', '-static-pie', '-fstack-protector-strong', '-Wl,-z,relro,-z,now,-z,noexecstack'];
    execFileSync('cc', [...hardened, ...flags, source, '-o', program]);
    return hardeningOf(program, 'peer-uid.c');
  };

  const faults: readonly (readonly [string, readonly string[], Partial<Hardening>])[] = [
    ['with all protections', [], {}],
    ['at a fixed address', ['-static', '-no-pie', '-fno-pie'], { isPie: false, isBound: false }],
    ['with a table of functions that stays open', ['-Wl,-z,lazy,-z,norelro'], { isBound: false }],
    ['with a stack that can be executed', ['-Wl,-z,execstack'], { hasDataOnlyStack: false }],
    ['with the check of arrays of characters alone', ['-fstack-protector'], { checksItsStack: false }],
    ['with a library that is loaded', ['-no-pie', '-pie'], { needs: ['libc.so.6'] }],
  ];
  it.each(isLinux ? faults : [])('%s', (_, flags, seen) => {
    expect(built(...flags)).toEqual({ ...HARD, ...seen });
  });
});
