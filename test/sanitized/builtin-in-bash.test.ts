/**
 * The library that the gated bash loads, with the address sanitizer. A bash that was built without the sanitizer can load it if the
 * sanitizer itself is loaded first (LD_PRELOAD). In the other tests of this suite the library has only the undefined-behaviour
 * sanitizer.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { REACHED } from '../fixtures/held-run.ts';

const scratch = mkdtempSync(join(tmpdir(), 'ape-builtin-'));
const library = join(scratch, 'confine.so');
const source = fileURLToPath(new URL('../../bin/confine-builtin.c', import.meta.url));
const runtime = execFileSync('cc', ['-print-file-name=libasan.so'], { encoding: 'utf8' }).trim();

function compile(file: string, to: string): void {
  const sanitizers = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer'];
  const include = fileURLToPath(new URL('../../bin', import.meta.url));
  execFileSync('cc', ['-g', '-O1', '-shared', '-fPIC', `-I${include}`, ...sanitizers, file, '-o', to]);
}

beforeAll(() => compile(source, library));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Armed {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** In a real bash: arms with these bytes, starts a program, ends the line with status 1, arms and starts once more. */
function armed(profile: string, length = profile.length, lib = library): Armed {
  const file = join(scratch, 'profile');
  writeFileSync(file, profile, 'latin1');
  const line = `__ape_confine arm 9 ${length} token; echo "$? <$__ape_held>"; (exit 3); /bin/echo ran; __ape_confine off 1`;
  const text = `enable -f '${lib}' __ape_confine; exec 9< '${file}'; ${line}; exec 9< '${file}'; ${line}`;
  const run = spawnSync('bash', ['--norc', '--noprofile', '-c', text], {
    env: {
      PATH: '/usr/bin:/bin',
      LC_ALL: 'C',
      LD_PRELOAD: runtime,
      ASAN_OPTIONS: 'detect_leaks=0:exitcode=99:strict_string_checks=1:detect_stack_use_after_return=1',
    },
    encoding: 'utf8',
  });
  return { status: run.status, out: run.stdout, err: run.stderr };
}

const BASE = 'v1\0l1\0X/\0R/\0D/dev/null\0';
const isHeld = REACHED.level > 0;

it('a good profile is armed, confines the programs that are started, and is removed', () => {
  const { status, out, err } = armed(`${BASE}treads /\0.\0`);
  expect([status, err.includes('Sanitizer')]).toEqual([0, false]);
  expect(out).toBe(isHeld ? '0 <token>\nran\n'.repeat(2) : '72 <>\nran\n'.repeat(2));
  if (isHeld) expect(err.match(/status 1; the line was confined: reads \//g)).toHaveLength(2);
});

it.each([
  ['empty', '', 0],
  ['one byte', 'v', 1],
  ['without an end mark', BASE, BASE.length],
  ['cut in a string', `${BASE}.\0`, BASE.length - 3],
  ['shorter than its declared length', `${BASE}.\0`, 4000],
  ['longer than its end mark', `${BASE}.\0x/\0`, BASE.length + 5],
  ['with an unknown letter', 'v1\0l1\0q\0.\0', 11],
  ['with empty strings', 'v1\0l1\0\0\0\0.\0', 11],
  ['with a relative path', 'v1\0l1\0wtmp\0.\0', 13],
  ['with a port above 65535', 'v1\0l1\0c99999999999999999999\0.\0', 30],
  ['with a long path', `v1\0l1\0w/${'x'.repeat(9000)}\0.\0`, 9010],
  ['made of arbitrary bytes', '\xff\xfe\0\0\x80l\0.\0', 10],
])('a profile that is %s is refused without a wrong access', (_, profile, length) => {
  const { status, out, err } = armed(profile, length);
  expect([status, err.includes('Sanitizer') || err.includes('runtime error')]).toEqual([0, false]);
  expect(out).toBe('72 <>\nran\n'.repeat(2));
});

it('a wrong access in the library is reported: a profile that is freed too early', () => {
  const planted = join(scratch, 'planted.c');
  const text = execFileSync('cat', [source], { encoding: 'utf8' });
  const freed = text.replace('  held.is_armed = 1;\n', '  held.is_armed = 1;\n  free(held.profile);\n');
  expect(freed).not.toBe(text);
  writeFileSync(planted, freed);
  compile(planted, join(scratch, 'planted.so'));
  const { status, err } = armed(`${BASE}treads /\0.\0`, undefined, join(scratch, 'planted.so'));
  if (isHeld) expect([status, /heap-use-after-free/.test(err)]).toEqual([99, true]);
});
