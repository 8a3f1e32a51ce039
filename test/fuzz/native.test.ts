/** Everything that our C programs parse, with inputs that go wrong. The long run: scripts/fuzz/native.mjs. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildFuzzer, runFuzzer, SEEDS, targets } from './native-fuzzers.ts';

const scratch = mkdtempSync(join(tmpdir(), 'ape-fuzz-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const SEED = 20_261_122;
const RUNS = 4_000;
const MAX_MS = 120_000;

describe('what our C programs read', () => {
  it('has seeds for each target, and no others', () => {
    expect([...targets()].sort()).toEqual(Object.keys(SEEDS).sort());
  });

  it.each(targets())('%s: no input makes a wrong access or a wrong answer', (target) => {
    const { fault, edges } = runFuzzer(buildFuzzer(target, scratch), target, SEED, RUNS, MAX_MS);
    expect(fault).toBeNull();
    expect(edges).toBeGreaterThan(10);
  });
});

describe('the fuzzer finds a planted fault', () => {
  /** The target with our C sources, in one of which `right` stands as `wrong`. */
  function planted(target: string, file: string, right: string, wrong: string): string {
    const bin = join(scratch, 'bin');
    cpSync(join(import.meta.dirname, '../../bin'), bin, { recursive: true });
    const source = readFileSync(join(bin, file), 'utf8');
    expect(source).toContain(right);
    writeFileSync(join(bin, file), source.replace(right, wrong));
    const text = readFileSync(join(import.meta.dirname, 'native', `${target}.c`), 'utf8');
    const at = join(scratch, `planted-${target}.c`);
    writeFileSync(at, text.replace('../../../bin/', `${bin}/`));
    return runFuzzer(buildFuzzer(`planted-${target}`, scratch, at), target, SEED, RUNS, MAX_MS).fault ?? '';
  }

  it('a profile without the check of its end', () => {
    const fault = planted(
      'leash',
      'leash.c',
      'char *bytes = malloc(*length + 1);',
      'char *bytes = malloc(*length % 64);',
    );
    expect(fault).toMatch(/heap-buffer-overflow|insufficient space/);
  });

  it('a start block whose strings are not bounded', () => {
    const right = 'string < end ? memchr(string, 0, (size_t)(end - string)) : NULL';
    expect(planted('start-block', 'base.h', right, 'strchr(string, 0)')).toMatch(/heap-buffer-overflow/);
  });

  it('an answer of the gate that is taken although it is cut off', () => {
    const fault = planted('hook-answer', 'hook-guard.c', '(size_t)(end - at) != *length || ', '');
    expect(fault).toMatch(/^status/);
  });
});
